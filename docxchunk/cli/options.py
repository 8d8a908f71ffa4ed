"""Options shared by several commands, and their parameter types."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

from docxchunk.batch.inputs import WORD
from docxchunk.batch.pool import Jobs
from docxchunk.model.options import (
    Convert,
    Embedded,
    Footnotes,
    HeadersFooters,
    Headings,
    ParseOptions,
    Strikethrough,
    TrackChanges,
)
from docxchunk.sidecar.paths import PARSED, is_parsed

_F = TypeVar("_F", bound=Callable[..., object])
_T = TypeVar("_T")

# suffixes of files; a folder with such a name must exist
_FILES = WORD | frozenset((".jsonl", ".json", ".txt", ".md", ".csv", ".html", ".parquet"))

paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
quiet = click.option(
    "--quiet", "-q", is_flag=True, help="Print only errors and notes of lost text."
)
recursive = click.option("--recursive", "-r", is_flag=True, help="Search subfolders, too.")
force = click.option("--force", "-f", is_flag=True, help="Redo results that are up to date.")
prune = click.option(
    "--prune",
    is_flag=True,
    help="Remove the parsed folders of documents that are gone from the given folders.",
)
doc_id = click.option(
    "--doc-id",
    default="",
    metavar="ID",
    help="Id of the document, instead of one derived "
    "from the file name and the creation "
    "date. For a single input only.",
)


def jobs(default: Jobs) -> Callable[[_F], _F]:
    """Return the option --jobs N|auto."""
    text = (
        "Number of worker processes; auto: chosen by the size of the input, at most one per "
        "usable core."
    )
    return click.option(
        "--jobs",
        "-j",
        callback=_jobs,
        default=str(default),
        show_default=True,
        metavar="N|auto",
        help=text,
    )


def _jobs(ctx: click.Context, param: click.Parameter, value: str) -> Jobs:
    return "auto" if value == "auto" else int(click.IntRange(min=1)(value, param, ctx))


def numbers(_: click.Context, __: click.Parameter, text: str) -> tuple[int, ...]:
    """Parse "N,..." into distinct positive integers, sorted (a click callback)."""
    try:
        found = tuple(sorted({int(word) for word in text.split(",") if word.strip()}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise click.BadParameter("give positive whole numbers, separated by commas.")
    return found


def single(
    *names: str,
    metavar: str,
    about: str,
    kind: click.types.IntParamType | None = None,
    default: str | int | None = None,
) -> Callable[[_F], _F]:
    """Return an option that may be given only once; click would silently drop the first value.
    `about` is its help text.
    """
    usual, shown = ((), "") if default is None else ((default,), f"  [default: {default}]")
    return click.option(
        *names,
        type=kind,
        multiple=True,
        callback=_once,
        default=usual,
        metavar=metavar,
        help=about + shown,
    )


def _once(_: click.Context, __: click.Parameter, values: tuple[_T, ...]) -> _T | None:
    if len(values) > 1:
        raise click.BadParameter(
            f"given {len(values)} times ({', '.join(map(str, values))}); give it once."
        )
    return values[0] if values else None


class GivenPath(click.Path):
    """A path that is not empty: an empty one, e.g. from an unset variable, would mean the current
    folder.
    """

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        if not os.fspath(value):
            self.fail("it is empty; is a variable not set?", param, ctx)
        if os.fspath(value) == "-" and not self.allow_dash:
            self.fail("this option writes files, not standard output.", param, ctx)
        return super().convert(value, param, ctx)


class NewFile(GivenPath):
    """An output file that is neither a document nor in a parsed folder, which must not hold other
    files.
    """

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        path = Path(os.fspath(value))
        if str(path) != "-" and (
            path.suffix.lower() in WORD or path.suffix == PARSED or is_parsed(path.parent)
        ):
            self.fail(f"{path} is a document or in a parsed folder: give another name.", param, ctx)
        return super().convert(value, param, ctx)


class Folder(GivenPath):
    """An output folder, which need not exist yet."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        path = Path(os.fspath(value))
        if path.suffix == ".parsed":
            self.fail(
                f"{path} is the name of a parsed folder; give the folder to put it in.", param, ctx
            )
        if above := next(
            (each for each in path.parents if each.exists() and not each.is_dir()), None
        ):
            self.fail(f"{path} cannot be created: {above} is not a folder.", param, ctx)
        if path.is_file() or (path.suffix.lower() in _FILES and not path.is_dir()):
            lines = " Use -o - to print the chunks." if self.allow_dash else ""
            self.fail(f"{path} is the name of a file; give a folder.{lines}", param, ctx)
        return super().convert(value, param, ctx)


def out(*, dash: bool) -> Callable[[_F], _F]:
    """Return the option --out DIR. With `dash`, "-" means standard output."""
    text = "Folder for NAME.parsed/, by default beside the input; folder trees are mirrored."
    return click.option(
        "--out",
        "-o",
        type=Folder(path_type=Path, allow_dash=dash),
        metavar="DIR|-" if dash else "DIR",
        help=f'{text} With "-", print the chunks and write nothing.' if dash else text,
    )


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Add the parser options; pass them as one argument `options`."""

    @click.option(
        "--track-changes",
        type=_choice(TrackChanges),
        default=TrackChanges.FINAL.value,
        show_default=True,
        help="View of tracked changes to read.",
    )
    @click.option("--comments", is_flag=True, help="Include comments.")
    @click.option(
        "--headers-footers",
        type=_choice(HeadersFooters),
        default=HeadersFooters.NONE.value,
        show_default=True,
        help="Where to put the text of headers and footers.",
    )
    @click.option("--hidden-text", is_flag=True, help="Include hidden text.")
    @click.option(
        "--strikethrough",
        type=_choice(Strikethrough),
        default=Strikethrough.KEEP.value,
        show_default=True,
        help="How to treat struck-through text.",
    )
    @click.option(
        "--embedded",
        type=_choice(Embedded),
        default=Embedded.LIST.value,
        show_default=True,
        help="How to treat embedded Word and Excel files.",
    )
    @click.option(
        "--footnotes",
        type=_choice(Footnotes),
        default=Footnotes.INLINE.value,
        show_default=True,
        help="Where to put the text of footnotes and endnotes.",
    )
    @click.option(
        "--headings",
        type=_choice(Headings),
        default=Headings.AUTO.value,
        show_default=True,
        help="Headings to infer: auto (all if the author marked none, else only clear ones), "
        "marked (none), guess (all).",
    )
    @click.option(
        "--guess-headings",
        is_flag=True,
        deprecated="Use --headings guess.",
        help="Old name of --headings guess.",
    )
    @click.option(
        "--headings-in-tables", is_flag=True, help="Start new blocks at headings inside tables."
    )
    @click.option(
        "--convert",
        type=_choice(Convert),
        default=Convert.NONE.value,
        show_default=True,
        help="Converter for .doc and .rtf files.",
    )
    @click.option("--no-assets", is_flag=True, help="Do not extract pictures.")
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
