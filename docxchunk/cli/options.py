"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

from docxchunk.batch.inputs import WORD
from docxchunk.batch.job_count import Jobs
from docxchunk.model.options import Convert, Embedded, Footnotes, HeadersFooters, Headings, ParseOptions, Strikethrough, TrackChanges
from docxchunk.sidecar.paths import is_parsed

_F = TypeVar("_F", bound=Callable[..., object])
_T = TypeVar("_T")

_FILES = WORD | frozenset((".jsonl", ".json", ".txt", ".md", ".csv", ".html", ".parquet"))  # a folder of such a name is meant only where it is there

paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
quiet = click.option("--quiet", "-q", is_flag=True, help="Say nothing but errors.")
recursive = click.option("--recursive", "-r", is_flag=True, help="Look into the folders below a folder, too.")
force = click.option("--force", "-f", is_flag=True, help="Make again what is there already and unchanged.")
doc_id = click.option("--doc-id", default="", metavar="ID", help="The document's id; else it is made of the file's name. For one input only.")


def jobs(default: Jobs) -> Callable[[_F], _F]:
    """-j N|auto"""
    text = "Processes that work at once; auto: as many as the files are worth, up to the usable cores."
    return click.option("--jobs", "-j", callback=_jobs, default=str(default), show_default=True, metavar="N|auto", help=text)


def _jobs(ctx: click.Context, param: click.Parameter, value: str) -> Jobs:
    return "auto" if value == "auto" else int(click.IntRange(min=1)(value, param, ctx))


def numbers(_: click.Context, __: click.Parameter, text: str) -> tuple[int, ...]:
    """Parse "N,..." to numbers from 1, sorted, each once. A callback of an option."""
    try:
        found = tuple(sorted({int(word) for word in text.split(",") if word.strip()}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise click.BadParameter("give whole numbers over 0, with commas between.")
    return found


def single(*names: str, metavar: str, about: str, kind: click.types.IntParamType | None = None, default: str | int | None = None) -> Callable[[_F], _F]:
    """An option that is refused where it is given twice; click would forget the first value. `about` is its help."""
    usual, shown = ((), "") if default is None else ((default,), f"  [default: {default}]")
    return click.option(*names, type=kind, multiple=True, callback=_once, default=usual, metavar=metavar, help=about + shown)


def _once(_: click.Context, __: click.Parameter, values: tuple[_T, ...]) -> _T | None:
    if len(values) > 1:
        raise click.BadParameter(f"it is given {len(values)} times ({', '.join(map(str, values))}); give it once.")
    return values[0] if values else None


class Place(click.Path):
    """A path; an empty one, as of a variable that is not set, would mean this folder."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> str | bytes | os.PathLike[str]:
        if not os.fspath(value):
            self.fail("it is empty; is a variable not set?", param, ctx)
        if os.fspath(value) == "-" and not self.allow_dash:
            self.fail("it writes files; standard output takes none.", param, ctx)
        return super().convert(value, param, ctx)


class NewFile(Place):
    """A file to be written that must not take the place of a document, or of a part of what was made of one."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> str | bytes | os.PathLike[str]:
        path = Path(os.fspath(value))
        if path.suffix.lower() in WORD or (path.exists() and is_parsed(path.parent)):
            self.fail(f"{path} is a document, or a part of one that was parsed: give another name.", param, ctx)
        return super().convert(value, param, ctx)


class Folder(Place):
    """A folder into which files go, that may have to be made."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> str | bytes | os.PathLike[str]:
        path = Path(os.fspath(value))
        if path.suffix == ".parsed":
            self.fail(f"{path} is the name of a parsed folder; give the folder that it is to stand in.", param, ctx)
        if path.is_file() or (path.suffix.lower() in _FILES and not path.is_dir()):
            lines = " With -o - the chunks are printed." if self.allow_dash else ""
            self.fail(f"{path} is the name of a file, and a folder is wanted.{lines}", param, ctx)
        return super().convert(value, param, ctx)


def out(*, dash: bool) -> Callable[[_F], _F]:
    """-o DIR; `dash`: "-" is standard output."""
    text = "Where NAME.parsed/ goes; of a folder, the tree is mirrored. Else it stands beside the input."
    return click.option(
        "--out",
        "-o",
        type=Folder(path_type=Path, allow_dash=dash),
        metavar="DIR|-" if dash else "DIR",
        help=f'{text} With "-" the chunks are printed, and nothing is written.' if dash else text,
    )


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """The options of the parser, as one argument `options`."""

    @click.option(
        "--track-changes", type=_choice(TrackChanges), default=TrackChanges.FINAL.value, show_default=True, help="Which view of tracked changes is read."
    )
    @click.option("--comments", is_flag=True, help="Read comments, too.")
    @click.option("--headers-footers", type=_choice(HeadersFooters), default=HeadersFooters.NONE.value, show_default=True, help="Where their text goes.")
    @click.option("--hidden-text", is_flag=True, help="Read text that is formatted as hidden.")
    @click.option(
        "--strikethrough", type=_choice(Strikethrough), default=Strikethrough.KEEP.value, show_default=True, help="What becomes of struck-through text."
    )
    @click.option("--embedded", type=_choice(Embedded), default=Embedded.LIST.value, show_default=True, help="Whether embedded Word and Excel files are read.")
    @click.option("--footnotes", type=_choice(Footnotes), default=Footnotes.INLINE.value, show_default=True, help="Where the text of notes stands.")
    @click.option("--headings", type=_choice(Headings), default=Headings.AUTO.value, show_default=True, help="Which are found besides the marked ones.")
    @click.option("--guess-headings", is_flag=True, deprecated="Use --headings guess.", help="The old name of --headings guess.")
    @click.option("--headings-in-tables", is_flag=True, help="Let headings inside tables open blocks.")
    @click.option("--convert", type=_choice(Convert), default=Convert.NONE.value, show_default=True, help="What converts .doc and .rtf files.")
    @click.option("--no-assets", is_flag=True, help="Leave pictures where they are.")
    @wraps(command)
    def with_options(
        *,
        track_changes: str,
        comments: bool,
        headers_footers: str,
        hidden_text: bool,
        strikethrough: str,
        embedded: str,
        footnotes: str,
        headings: str,
        guess_headings: bool,
        headings_in_tables: bool,
        convert: str,
        no_assets: bool,
        **others: object,
    ) -> None:
        command(
            options=ParseOptions(
                track_changes=TrackChanges(track_changes),
                comments=comments,
                headers_footers=HeadersFooters(headers_footers),
                hidden_text=hidden_text,
                embedded=Embedded(embedded),
                strikethrough=Strikethrough(strikethrough),
                footnotes=Footnotes(footnotes),
                headings=Headings.GUESS if guess_headings else Headings(headings),
                headings_in_tables=headings_in_tables,
                assets=not no_assets,
                convert=Convert(convert),
            ),
            **others,
        )

    return with_options


def _choice(kind: type[StrEnum]) -> click.Choice[str]:
    return click.Choice([member.value for member in kind])
