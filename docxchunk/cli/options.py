"""Options shared by several commands, and their parameter types; the chunking options."""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, fields
from enum import StrEnum
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from docxchunk.api import DEFAULT_TOKENIZER
from docxchunk.backends.loading import ModelChoice
from docxchunk.backends.local_models import Device
from docxchunk.batch.inputs import WORD
from docxchunk.batch.pool import Jobs
from docxchunk.cli.console import Reporter
from docxchunk.errors import UsageError
from docxchunk.model.metadata import Rows, read_metadata
from docxchunk.model.options import ChunkLimits, Limits, ParseOptions
from docxchunk.model.rules import NO_RULES, Rules, read_rules
from docxchunk.model.wording import counted
from docxchunk.sidecar.names import PARSED, is_parsed

_F = TypeVar("_F", bound=Callable[..., object])

# suffixes of files; a folder with such a name must exist
_FILES = WORD | frozenset((".jsonl", ".json", ".txt", ".md", ".csv", ".html", ".parquet"))

_HEADINGS: Final = {
    "Chunks": {"strategies", "sizes", "tokenizer", "settings"}
    | {setting.name for setting in fields(ChunkLimits)},
    "Models": {"embedder", "scorer", "completer", "describer", "device", "no_model_cache"},
    "Reading Word files": {"limits"}
    | {f"{no}{setting.name}" for setting in fields(ParseOptions) for no in ("", "no_")},
}
"""The headings of `--help-all`, with the parameters below them; others are below "Options"."""
OLD_NAMES: Final = "--guess-headings:--headings=guess"


class Command(click.Command):
    """A command whose `--help` shows the options that most people use, and `--help-all` all of
    them.

    `most_used` has the names of the former; if it is empty, these are all. `old_names` has pairs of
    a deprecated name and what is used in its place.
    """

    def __init__(self, *args: Any, most_used: str = "", old_names: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for option in self.params:
            if isinstance(option, click.Option):
                option.show_default = option.default != ""
        self._most_used = most_used.split()
        self.old_names = dict(pair.split(":") for pair in old_names.split())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments. Options of one value may be given once: click drops the first value."""
        if "--help-all" in args:
            ctx.meta["all"], args = True, ["--help"]
        args = list(map(self._renamed, args))
        for option, times in Counter(self.make_parser(ctx).parse_args(args.copy())[2]).items():
            if times > 1 and not (option.multiple or option.type is click.BOOL):
                raise click.BadParameter(f"given {times} times; give it once.", ctx, option)
        return super().parse_args(ctx, args)

    def _renamed(self, argument: str) -> str:
        """Return an argument with the new name of its option. Warn of an old name."""
        name, equals, value = argument.partition("=")
        if not (new := self.old_names.get(name)):
            return argument
        Reporter().say(f"{name} is deprecated: use {new.replace('=', ' ')}.")
        return f"{new}{equals}{value}"

    def sections(self, ctx: click.Context, *, is_all: bool = True) -> dict[str, dict[str, str]]:
        """Return the names of the options that a help shows, with their texts, by heading."""
        sections: dict[str, dict[str, str]] = defaultdict(dict)
        for option in self.get_params(ctx):
            record = isinstance(option, click.Option) and option.get_help_record(ctx)
            heading = self._heading(option, is_all=is_all)
            if record and heading:
                sections[heading] |= [record]
        for name, new in self.old_names.items() if is_all else ():
            sections["Deprecated"][name] = f"Use {new.replace('=', ' ')}."
        return sections

    def _heading(self, option: click.Parameter, *, is_all: bool) -> str:
        """Return the heading of an option; "" for one that is not shown."""
        if option.deprecated:
            return "Deprecated" * is_all
        if not is_all and self._most_used and {"--help", *self._most_used}.isdisjoint(option.opts):
            return ""
        headings = (heading for heading, names in _HEADINGS.items() if option.name in names)
        return next(headings, "Options") if is_all and self._most_used else "Options"

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, records in self.sections(ctx, is_all="all" in ctx.meta).items():
            with formatter.section(heading):
                formatter.write_dl(list(records.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if "all" not in ctx.meta and self.sections(ctx) != self.sections(ctx, is_all=False):
            formatter.write(f"\nMore options: {ctx.command_path} --help-all\n")


class OldOption(click.Option):
    """A deprecated option. Its warning names it as it is typed: --format."""

    @property
    def human_readable_name(self) -> str:
        return self.opts[0]


command: Final = partial(click.command, cls=Command)
flag: Final = partial(click.option, is_flag=True)


def number(
    name: str, default: int | None, about: str, least: int = 1, most: int | None = None
) -> Callable[[_F], _F]:
    """Return an option for a whole number."""
    kind = click.IntRange(least, most)
    return click.option(name, default=default, type=kind, metavar="N", help=about)


paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
depth = number("--depth", 9, "Deepest heading level.")
as_json = flag("--json", "as_json", help="Print JSON lines.")
of_strategy = click.option(
    "--strategy",
    "-s",
    default="",
    metavar="NAME",
    help="Use the chunks of this strategy, if there are those of several.",
)
quiet = flag(
    "--quiet",
    "-q",
    help="Leave out progress, paths and summary; keep errors and notes about lost text.",
)
recursive = flag("--recursive", "-r", help="Search subfolders, too.")
tokenizer = click.option(
    "--tokenizer",
    "-t",
    default=DEFAULT_TOKENIZER,
    metavar="NAME|FILE",
    help="Name of a tokenizer (see docxchunk tokenizers), or tokenizer.json.",
)
force = flag("--force", "-f", help="Make results again that are up to date.")
prune = flag("--prune", help="Remove the parsed folders of documents that are gone.")
doc_id = click.option(
    "--doc-id",
    default="",
    metavar="ID",
    help="Id of the document, in place of one made of its name and creation date.",
)


STANDARD_INPUT: Final = "-"
_SUFFIXES: Final = ((b"PK\x03\x04", ".docx"), (b"\xd0\xcf\x11\xe0", ".doc"), (b"{\\rtf", ".rtf"))


def with_standard_input(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of a command. The bytes of standard input stand in a file for "-", which is
    removed when the command ends: `stdin.docx`, or `stdin.md` for text.
    """
    return tuple(_standard_input() if path == STANDARD_INPUT else path for path in paths)


def _standard_input() -> str:
    from tempfile import TemporaryDirectory  # slow to import

    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("There is nothing on standard input: give a file, or pipe one into it.")
    limits = Limits()
    data = sys.stdin.buffer.read(limits.file + 1)
    limits.admit_file(len(data))
    suffix = next((suffix for start, suffix in _SUFFIXES if data.startswith(start)), ".md")
    folder = click.get_current_context().with_resource(TemporaryDirectory(prefix="docxchunk-"))
    file = Path(folder, f"stdin{suffix if data else '.docx'}")
    file.write_bytes(data)
    return str(file)


def one_of(path: str, documents: Sequence[Path]) -> UsageError:
    """Return the error for a path with several documents where a command takes one."""
    verb = "is a folder with" if Path(path).is_dir() else "stands for"
    return UsageError(
        f"{path} {verb} {counted(len(documents), 'document')}: give one of them, "
        f"for example {documents[0]}."
    )


def jobs(default: Jobs) -> Callable[[_F], _F]:
    """Return the option --jobs N|auto."""
    return click.option(
        "--jobs",
        "-j",
        callback=_jobs,
        default=str(default),
        metavar="N|auto",
        help="Number of processes.",
    )


def _jobs(ctx: click.Context, param: click.Parameter, value: str) -> Jobs:
    return "auto" if value == "auto" else int(click.IntRange(min=1)(value, param, ctx))


def numbers(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[int, ...]:
    """Parse "N,...", which may be repeated, into distinct positive integers, sorted (a click
    callback).
    """
    try:
        values = tuple(sorted({int(word) for word in ",".join(texts).split(",") if word.strip()}))
    except ValueError:
        values = ()
    if not values or values[0] < 1:
        raise click.BadParameter("give positive whole numbers, separated by commas.")
    return values


class GivenPath(click.Path):
    """A path that is not empty. An empty one, e.g. from an unset variable, would mean the current
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
        if objection := self.objection(Path(value)):
            self.fail(objection, param, ctx)
        return super().convert(value, param, ctx)

    def objection(self, path: Path) -> str:  # noqa: ARG002 - used where only some paths are allowed
        """Return a sentence that says why the path cannot be used; "" if it can."""
        return ""


class NewFile(GivenPath):
    """An output file that is neither a document nor in a parsed folder, which must not hold other
    files.
    """

    def objection(self, path: Path) -> str:
        if str(path) != "-" and (
            path.suffix.lower() in WORD or path.suffix == PARSED or is_parsed(path.parent)
        ):
            return f"{path} is a document or in a parsed folder: give another name."
        return ""


class Folder(GivenPath):
    """An output folder, which need not exist yet."""

    def objection(self, path: Path) -> str:
        if path.suffix == ".parsed":
            return f"{path} is the name of a parsed folder; give the folder to put it in."
        if above := next(
            (parent for parent in path.parents if parent.exists() and not parent.is_dir()), None
        ):
            return f"{path} cannot be created: {above} is not a folder."
        if path.is_file() or (path.suffix.lower() in _FILES and not path.is_dir()):
            lines = " Use -o - to print the chunks." if self.allow_dash else ""
            return f"{path} is the name of a file; give a folder.{lines}"
        return ""


def out(*, dash: bool) -> Callable[[_F], _F]:
    """Return the option --out DIR. With `dash`, "-" means standard output."""
    return click.option(
        "--out",
        "-o",
        type=Folder(path_type=Path, allow_dash=dash),
        metavar="DIR|-" if dash else "DIR",
        help=f"Folder for the results{', or - to print' * dash}.",
    )


def option_name(setting: Field[object]) -> str:
    """Return the name of the option for a field: `--track-changes`, `--no-assets`."""
    no = "no-" if setting.default is True else ""
    return f"--{no}{setting.name.replace('_', '-')}"


def _rules(_: click.Context, __: click.Parameter, path: Path | None) -> Rules:
    """Return the rules in a file (a click callback)."""
    return NO_RULES if path is None else read_rules(path)


rules = click.option(
    "--rules",
    type=GivenPath(path_type=Path),
    callback=_rules,
    metavar="FILE",
    help="Rules that say which lines are headings: see docxchunk outline --rules.",
)


def _rows(_: click.Context, __: click.Parameter, path: Path | None) -> Rows | None:
    """Return the metadata in a file (a click callback)."""
    return None if path is None else read_metadata(path)


metadata = click.option(
    "--metadata",
    type=GivenPath(path_type=Path),
    callback=_rows,
    metavar="FILE",
    help="Values of the documents to filter by: a CSV or JSON Lines file, in which `path` is the "
    "path of the document.",
)


def _values(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Return the value for each name (a click callback)."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, _value in pairs:
        if not equals:
            raise click.BadParameter(f"'{name}' has no value: give NAME=VALUE.")
        if [other[0] for other in pairs].count(name) > 1:
            raise click.BadParameter(f"'{name}' is given twice; give it once.")
    return {name: value for name, _, value in pairs}


where = click.option(
    "--where",
    multiple=True,
    callback=_values,
    metavar="NAME=VALUE",
    help="Only documents with this value of their metadata or properties. Can be repeated.",
)


def option_of(setting: Field[object]) -> Callable[[_F], _F]:
    """Return the option for a field that `option` of `model.options` declares."""
    name, default, text = option_name(setting), setting.default, setting.metadata["help"]
    if isinstance(default, Rules):
        return rules
    if isinstance(default, bool):
        return click.option(name, is_flag=True, help=text)
    if isinstance(default, StrEnum):
        words = click.Choice([member.value for member in type(default)])
        return click.option(name, type=words, default=default.value, help=text)
    return click.option(name, type=int, default=default, metavar="N", help=text)


def declared(settings: Sequence[Field[Any]], command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for fields to a command."""
    for setting in reversed(settings):
        command = option_of(setting)(command)
    return command


def settings_in(arguments: dict[str, object], declared: Iterable[Field[object]]) -> dict[str, Any]:
    """Take the values of declared fields out of the arguments of a command, and return them."""
    return {
        setting.name: not arguments.pop(f"no_{setting.name}")
        if setting.default is True
        else arguments.pop(setting.name)
        for setting in declared
    }


PARSER: Final = tuple(setting for setting in fields(ParseOptions) if setting.name != "limits")
_REMOVED: Final = click.option(
    "--embedded",
    cls=OldOption,
    type=click.Choice(["list", "read"]),
    expose_value=False,
    deprecated="It has no effect: embedded files are named, and their text is not read.",
)


def _raised(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> Limits:
    """Return the limits with each NAME=N (a click callback)."""
    numbers: dict[str, int] = {}
    names = [limit.name for limit in fields(Limits)]
    for value in values:
        name, _, number = value.partition("=")
        if name not in names:
            raise click.BadParameter(f"there is no limit '{name}'; choose from {', '.join(names)}.")
        if name in numbers:
            raise click.BadParameter(f"the limit '{name}' is given twice; give it once.")
        numbers[name] = click.IntRange(min=0)(number, param, ctx)
    return Limits(**numbers)


_RAISE_LIMIT: Final = click.option(
    "--raise-limit",
    "limits",
    multiple=True,
    callback=_raised,
    metavar="NAME=N",
    help="Raise a limit of reading, but only for files that you trust. Can be repeated.",
)


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Add the parser options; pass them as one argument `options`."""

    @wraps(command)
    def with_options(**arguments: object) -> None:
        values = settings_in(arguments, PARSER) | {"limits": arguments.pop("limits")}
        command(options=ParseOptions(**values), **arguments)

    return declared(PARSER, _RAISE_LIMIT(_REMOVED(with_options)))


def without_parser_options() -> bool:
    """Return whether the current command has no parser option from the user."""
    context = click.get_current_context()
    names = {option_name(setting).removeprefix("--").replace("-", "_") for setting in PARSER}
    return not any(
        context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        for name in (*names, "limits")
    )


no_model_cache = flag("--no-model-cache", help="Ask models again, also for stored answers.")


def model(port: str, about: str) -> Callable[[_F], _F]:
    """Return the option for the model of a port, which an environment variable may name."""
    return click.option(
        f"--{port}",
        envvar=f"DOCXCHUNK_{port.upper()}",
        show_envvar=True,
        default="",
        metavar="MODEL",
        help=about,
    )


def models(command: Callable[..., None]) -> Callable[..., None]:
    """Add the model options; pass them as one argument `models`."""

    @model(
        "embedder",
        "Embedding model: a name on the Hugging Face hub, a folder, URL#MODEL or hashing.",
    )
    @model(
        "scorer",
        "Language model that scores text: a folder, a .gguf file or a server (URL#MODEL).",
    )
    @model("completer", "Language model that writes text: as in --scorer.")
    @click.option(
        "--device",
        type=click.Choice([device.value for device in Device]),
        default=Device.AUTO.value,
        help="Where models of folders and files run.",
    )
    @no_model_cache
    @wraps(command)
    def with_models(*, no_model_cache: bool, **arguments: Any) -> None:
        names = ("embedder", "scorer", "completer", "device")
        chosen = {name: arguments.pop(name) for name in names}
        command(models=ModelChoice(**chosen, cache=not no_model_cache), **arguments)

    return with_models


def embedder_of_search(name: str | None, reporter: Reporter) -> str:
    """Return the name of the embedder of a search; "" for none. Without a `name`, it is the
    embedder that was set up, and a message says so.
    """
    from docxchunk.backends.loading import NO_EMBEDDER, chosen_embedder

    if name is None and (name := chosen_embedder()):
        reporter.say(f"Searching by words and by {name}.")
    return "" if name in (None, NO_EMBEDDER) else name
