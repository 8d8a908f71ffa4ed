"""The commands that list: faults and sizes in parsed folders (`docxchunk validate`, `stats`), and
what can be chosen (`docxchunk strategies`, `tokenizers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click
from rich.text import Text

from docxchunk import registry
from docxchunk.chunking.strategy import choices, costs_of, default_settings, named_strategy
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import warn_of_outdated, warn_of_subfolders
from docxchunk.cli.printing import DIM, STRONG, WARN, bar, grid, heading, indented, plain
from docxchunk.errors import DocxchunkError, InputError
from docxchunk.model.chunks import Chunk, SizeStatistics, histogram, measured, size_level
from docxchunk.model.options import ChunkLimits
from docxchunk.model.wording import counted, one_line, times
from docxchunk.sidecar.chunks import ChunkFile, all_chunk_files, read_chunks
from docxchunk.sidecar.names import PARSED, is_parsed, parsed_beside
from docxchunk.sidecar.names import below as files_below

if TYPE_CHECKING:
    from docxchunk.batch.validation import Fault

EXAMPLES = """\b
Examples:
  docxchunk validate report.docx.parsed
  docxchunk validate out --recursive"""

_MAX_FAULTS = 20


@common.command(epilog=EXAMPLES)
@common.paths
@common.recursive
@common.quiet
def validate(*, paths: tuple[str, ...], recursive: bool, quiet: bool) -> None:
    """Check parsed folders, and print a line for each fault: files must be unchanged and match
    their schemas, no text may be lost or repeated, and no chunk may be over the limit.

    PATH is a parsed folder, a .blocks.jsonl file, a Word file with its parsed folder beside it, or
    a folder of these.
    """
    from docxchunk.batch.validation import validate as faults_of

    reporter = Reporter(quiet=quiet)
    folders = [
        folder
        for path in paths
        for folder in _folders(Path(path), recursive=recursive, reporter=reporter)
    ]
    warn_of_outdated(folders, reporter)
    warn_of_subfolders(paths, reporter, recursive=recursive)
    for folder in folders:
        try:
            _report(folder, list(faults_of(folder)), reporter)
        except InputError as error:
            reporter.fail(str(folder), str(error))
    reporter.say(f"{counted(len(folders), 'parsed folder')} checked, {reporter.failed} failed.")
    reporter.end()


def _folders(path: Path, *, recursive: bool, reporter: Reporter) -> Iterator[Path]:
    beside = parsed_beside(path)
    inside = files_below(path) if recursive else path.glob("*")
    parsed = sorted(file for file in inside if file.name.endswith(PARSED))
    if is_parsed(path):
        yield path
    elif beside.is_dir():
        yield beside
    elif parsed:
        yield from parsed
    else:
        hint = "" if recursive or not path.is_dir() else "; --recursive searches subfolders"
        reporter.fail(str(path), f"There is no parsed folder: `docxchunk parse` makes one{hint}.")


def _report(folder: Path, faults: list[Fault], reporter: Reporter) -> None:
    for fault in faults[:_MAX_FAULTS]:
        line = f"line {fault.line}: " if fault.line else ""
        click.echo(one_line(f"{fault.file}: {line}{fault.sentence}"))
    if faults:
        reporter.fail(folder.name, f"{counted(len(faults), 'fault')}.")


# -- stats

STATS_EXAMPLES: Final = """\b
Examples:
  docxchunk stats report.docx.parsed
  docxchunk stats report.docx              its parsed folder, beside it
  docxchunk stats out --recursive          all documents of a tree together"""

# bins of an eighth of the cap: the first holds small chunks, the last two ideal ones
_BINS, _BAR = 8, 40


class ChunkGroup(NamedTuple):
    """Strategy, cap and tokenizer of chunks that can share a histogram."""

    strategy: str
    cap: int
    tokenizer: str


@common.command(epilog=STATS_EXAMPLES)
@common.paths
@common.recursive
def stats(*, paths: tuple[str, ...], recursive: bool) -> None:
    """Show the sizes of chunks: a histogram, the mean share of the limit, and how many have an
    ideal size. Child chunks are not counted.

    PATH is a parsed folder, a .chunks.jsonl file, a Word file with its parsed folder beside it, or
    a folder of these.
    """
    groups: dict[ChunkGroup, list[ChunkFile]] = {}
    for file in map(read_chunks, all_chunk_files(paths, recursive=recursive)):
        groups.setdefault(ChunkGroup(file.strategy, file.cap, file.tokenizer), []).append(file)
    reporter = Reporter()
    warn_of_outdated((file.path for files in groups.values() for file in files), reporter)
    warn_of_subfolders(paths, reporter, recursive=recursive)
    for group, files in groups.items():
        print_group(group, files)


def print_group(group: ChunkGroup, files: list[ChunkFile]) -> None:
    chunks = [chunk for file in files for chunk in file.chunks if not chunk.parent]
    plain(files[0].path.name if len(files) == 1 else counted(len(files), "document"), STRONG)
    plain(f"{group.strategy} · at most {counted(group.cap, 'token')} · {group.tokenizer}", DIM)
    if not chunks:
        plain("There are no chunks in it.")
        return
    print_histogram(chunks, group.cap)
    print_sizes(measured(chunks, group.cap))


def print_histogram(chunks: list[Chunk], cap: int) -> None:
    heading("Tokens")
    bins = histogram(chunks, cap, _BINS)
    max_count = max(count for _, _, count in bins)
    table = grid(">", "-", ">")
    for low, high, count in bins:
        good = size_level(low, high, cap) == "ideal"
        table.add_row(
            f"{low:,} – {high:,}",
            Text(bar(count, max_count, _BAR).ljust(_BAR), "green" if good else "cyan"),
            f"{count:,}" if count else Text("·", DIM),
        )
    indented(table)


def print_sizes(sizes: SizeStatistics) -> None:
    heading("Chunks")
    table = grid("-", ">", "<")
    for name, value, meaning in sizes.rows():
        style = WARN if name == "over the limit" and sizes.oversize else STRONG
        table.add_row(name, Text(value, style), Text(meaning, DIM))
    indented(table)


# -- what can be chosen


@common.command()
@click.argument("name", required=False)
def strategies(*, name: str | None) -> None:
    """List the chunking strategies with their settings and defaults.

    With NAME, describe this strategy and its settings.
    """
    listed = registry.entries(registry.PluginKind.STRATEGY)
    if name is not None:
        listed = {name: registry.find(registry.PluginKind.STRATEGY, name)}
    for strategy, entry in listed.items():
        heading(strategy)
        plain(f"  {entry.summary}")
        try:
            _describe(strategy, in_full=name is not None)
        except DocxchunkError as error:
            plain(f"  {error}", DIM)
    heading("All strategies")
    table = grid("-", "-")
    for option in fields(ChunkLimits):
        default = "off" if option.default is False else str(option.default)
        table.add_row(common.option_name(option), Text(default, STRONG))
    indented(table)


def _describe(name: str, *, in_full: bool) -> None:
    """Print the costs and settings of a strategy, and its documentation if wanted in full. Raise
    MissingExtraError.
    """
    strategy = named_strategy(name)
    for cost in costs_of(strategy):
        prompt = f", and {cost.prompt} characters for each sentence" if cost.prompt else ""
        plain(
            f"  Asks a model, --{cost.port}, which reads the text about "
            f"{times(cost.times)}{prompt}",
            DIM,
        )
    table = grid("-", "-", "~")
    for setting, default in default_settings(name):
        table.add_row(
            Text(f"--set {setting}="),
            Text(_value_text(default), STRONG),
            Text(" | ".join(choices(default)), DIM),
        )
    if table.row_count:
        indented(table)
    if in_full:
        for paragraph in _paragraphs(getdoc(type(strategy)) or ""):
            plain("")
            indented(Text(paragraph))


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs and lists of a docstring. Lines of a paragraph or of a list item are
    joined.
    """
    for paragraph in text.replace("`", "").split("\n\n"):
        yield "\n".join(" ".join(item.split()) for item in re.split(r"\n(?=- )", paragraph))


def _value_text(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


@common.command()
def tokenizers() -> None:
    """List the tokenizers."""
    plain("--tokenizer", STRONG)
    table = grid("-", "<")
    for name, entry in registry.entries(registry.PluginKind.TOKENIZER).items():
        table.add_row(name, Text(entry.summary, DIM))
    table.add_row("FILE", Text("A tokenizer.json or its folder (extra: tokenizers).", DIM))
    indented(table)
