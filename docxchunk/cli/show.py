"""The command `docxchunk show`."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click
from rich.text import Text

from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import Reading, opened
from docxchunk.cli import options as common
from docxchunk.cli.chunk import Choice, choosing, chunk_specs
from docxchunk.cli.console import Reporter
from docxchunk.cli.printing import (
    DIM,
    STRONG,
    WARN,
    Leader,
    bar,
    console,
    grid,
    heading,
    indented,
    plain,
)
from docxchunk.cli.reading import (
    document_at,
    print_revisions,
    reader_at,
    readers_at,
)
from docxchunk.content.citations import label_of
from docxchunk.errors import UsageError
from docxchunk.formats.facts import facts, losses
from docxchunk.model.blocks import Block, SessionType
from docxchunk.model.document import Document, Dropped, Issue, IssueCode
from docxchunk.model.options import Headings, ParseOptions
from docxchunk.model.wording import counted
from docxchunk.retrieval.finding.names import NO_TEXT, NamedPlaces
from docxchunk.sidecar.chunks import has_current_chunks
from docxchunk.sidecar.names import has_documents
from docxchunk.sources import InputKind

if TYPE_CHECKING:
    from docxchunk.retrieval.answers import Listed

EXAMPLES = """\b
Examples:
  docxchunk show report.docx                  outline, tables, issues, hints
  docxchunk show report.docx --chunks -n 512  its chunks
  docxchunk show contract.docx --changes --comments
  docxchunk show contracts --changes          which documents have some"""

SERIOUS = frozenset(
    {
        IssueCode.MAIN_PART_CUT,
        IssueCode.PART_BROKEN,
        IssueCode.UNSUPPORTED_OBJECT,
        IssueCode.EQUATION_BROKEN,
        IssueCode.ASSET_DROPPED,
    }
)
# quotes are escaped inside the cells of a JSON table
_OBJECT = re.compile(r'<(table|equation|drawing) id=\\?"')
_BAR = 8


@common.command(
    epilog=EXAMPLES,
    most_used="--depth --blocks --chunks --why --changes --comments --json --strategy --max-tokens "
    "--set --track-changes",
    old_names=common.OLD_NAMES,
)
@click.argument("path", metavar="PATH")
@common.depth
@common.flag("--blocks", help="Also print the text of every block.")
@common.flag(
    "--chunks",
    help="Print the chunks instead.",
)
@common.number("--why", None, "Say why chunk N begins and ends there.")
@common.flag("--changes", help="List the tracked changes instead.")
@common.as_json
@choosing
@common.reading
def command(
    *,
    path: str,
    depth: int,
    blocks: bool,
    chunks: bool,
    why: int | None,
    changes: bool,
    as_json: bool,
    choice: Choice,
    options: ParseOptions,
) -> None:
    """Show the outline, tables, issues and omitted text of a document, or its chunks. No file is
    written.

    In the outline, ~ marks an estimated page, and ≈ the confidence of an inferred heading.

    --changes and --comments list tracked changes and comments with author, date and place, also
    with --json; for a folder, which documents have some. With --blocks or --chunks, --comments puts
    the comments into the text.
    """
    if lists := _lists(
        changes=changes,
        comments=options.comments,
        has_text=blocks or chunks or why is not None,
        as_json=as_json,
    ):
        _print_lists(path, lists, as_json=as_json)
        return
    existing = choice == Choice()
    if not existing and not chunks and why is None:
        raise UsageError("Chunking options need --chunks or --why.")
    item = document_at(path)
    if existing and chunks and options == ParseOptions():
        item = _with_chunks(item)
    source = opened(item, Reading(options, as_parsed=common.without_parser_options(), any_id=True))
    document = source.read()
    for note in source.notes:
        Reporter().warn(item.label, note)
    print_summary(document)
    if chunks or why is not None:
        from docxchunk.batch.chunk_spec import chunking_of
        from docxchunk.cli.chunks_view import print_chunks, print_why
        from docxchunk.cli.report import chunk_sets

        spec = chunk_specs(choice)[0]
        if why is not None:
            traced = chunking_of(document, replace(spec, trace=True))
            print_why(traced, why, spec.limits.max_tokens)
        if chunks:
            print_chunks(document, chunk_sets(document, item, (spec,), existing=existing)[0])
    else:
        print_outline(document, depth)
        print_tables(document)
        print_issues(document)
        print_losses(document)
        if path != common.STANDARD_INPUT:  # the hints are commands for a file
            print_hints(document, path)
    if blocks:
        print_blocks(document)


def _lists(*, changes: bool, comments: bool, has_text: bool, as_json: bool) -> list[Listed]:
    """Return the lists that were asked for. Raise UsageError for options that exclude each
    other.
    """
    if changes and has_text:
        raise UsageError("--changes prints a list: it excludes --blocks and --chunks.")
    options: list[tuple[Listed, bool]] = [("changes", changes), ("comments", comments)]
    lists = [name for name, is_wanted in options if is_wanted and not has_text]
    if as_json and not lists:
        raise UsageError("--json needs --changes or --comments.")
    return lists


def _print_lists(path: str, lists: Sequence[Listed], *, as_json: bool) -> None:
    """Print the tracked changes or comments of a document, or which documents of a folder have
    some.
    """
    of_folder = has_documents(path)
    readers = readers_at([path]) if of_folder else [reader_at(path)]
    print_revisions(readers, lists, is_folder=of_folder, as_json=as_json)


def _with_chunks(item: Input) -> Input:
    """Return the parsed folder beside a document if it holds chunks of its present text; else the
    document.
    """
    if item.is_parsed or not has_current_chunks(item.target):
        return item
    return item._replace(source=item.target, kind=InputKind.PARSED)


def print_summary(document: Document) -> None:
    plain(document.title or document.name, STRONG)
    plain(facts(document) if document.blocks else NO_TEXT.format(document.name), DIM)


def print_outline(document: Document, depth: int) -> None:
    """Print a line per block: heading, objects, page, size. All blocks deeper than `depth` share
    one line.
    """
    if not document.blocks:
        return
    heading("Outline")
    table = grid("<", ">", ">", ">", "-")
    table.add_row("", "", Text("page", DIM), Text("characters", DIM), "")
    largest = max((len(block.content) for block in document.blocks), default=1)
    for block in document.blocks:
        if block.level <= depth:
            page = (
                "" if block.page is None else f"{'~' if block.page_is_estimate else ''}{block.page}"
            )
            size = len(block.content)
            table.add_row(
                Leader(_title(block)),
                Text(_objects(block), DIM),
                Text(page, DIM),
                f"{size:,}",
                Text(bar(size, largest, _BAR).ljust(_BAR), "cyan"),
            )
    if below := [len(block.content) for block in document.blocks if block.level > depth]:
        table.add_row(
            Leader(Text(f"({counted(len(below), 'block')} at deeper levels)", DIM)),
            "",
            "",
            f"{sum(below):,}",
            "",
        )
    indented(table)


def _title(block: Block) -> Text:
    if block.level == 0:
        return Text(_NAMELESS.get(block.session_type, "(text)"), DIM)
    kind = "" if block.session_type is SessionType.BODY else f"  [{block.session_type}]"
    kind += "" if block.confidence is None else f"  ≈ {block.confidence:.2f}"
    kind += f"  {label}" if (label := label_of(block)) else ""
    return (
        Text("  " * (block.level - 1))
        + Text(block.heading, STRONG if block.level == 1 else "")
        + Text(kind, DIM)
    )


_NAMELESS = {SessionType.PREFACE: "(before the first heading)", SessionType.TOC: "(contents)"}


def _objects(block: Block) -> str:
    counts = Counter(_OBJECT.findall(block.content))
    return ", ".join(counted(number, word) for word, number in sorted(counts.items(), reverse=True))


def print_tables(document: Document) -> None:
    if not document.tables:
        return
    heading("Tables")
    table = grid("-", ">", "<", "-")
    for number, item in enumerate(document.tables.values(), 1):
        marks = (
            (bool(item.header), "header"),
            (bool(item.merged), "merged cells"),
            (bool(item.nested), "nested"),
        )
        title = (
            Text(item.caption)
            if item.caption
            else Text(item.heading or "(before the first heading)", DIM)
        )
        size = f"{item.row_count} × {item.column_count}"
        table.add_row(
            Text(f"{number}", DIM),
            size,
            Leader(title),
            Text(", ".join(word for is_true, word in marks if is_true), DIM),
        )
    indented(table)


def print_issues(document: Document) -> None:
    """Print a line per issue code: count, code and the first message."""
    if not document.issues:
        return
    heading("Issues")
    table = grid(">", "-", "<")
    first = {issue.code: issue for issue in reversed(document.issues)}
    for code, number in Counter(issue.code for issue in document.issues).most_common():
        table.add_row(
            str(number),
            Text(code, WARN if code in SERIOUS else ""),
            Text(_with_place(first[code]), DIM),
        )
    indented(table)


def _with_place(issue: Issue) -> str:
    """Return the message of an issue. Before a serious one is its place in the file."""
    if issue.code in SERIOUS and issue.place and issue.place not in issue.message:
        return f"{issue.place}: {issue.message}"
    return issue.message


def print_losses(document: Document) -> None:
    """Print the number of characters read and left out, in one line."""
    if not (document.blocks or document.report.dropped):
        return
    plain(
        f"\n{losses(document)}",
        WARN if any(issue.code in SERIOUS for issue in document.issues) else "",
    )


def print_blocks(document: Document) -> None:
    for block in document.blocks:
        path = " > ".join((*block.parent_headings, block.heading)) or "(before the first heading)"
        console().rule(Text(path, DIM), align="left", style=DIM)
        console().print(Text(block.content), soft_wrap=True)


_MUCH: Final = 2000  # characters from which missing headings are worth a hint


def print_hints(document: Document, path: str) -> None:
    """Print the hints, then the commands that show sections and chunks."""
    name = shlex.quote(path)
    commands: list[tuple[str, str]] = []
    if document.blocks:
        commands = [
            ("See its chunks in the terminal:", f"docxchunk show {name} --chunks"),
            ("and in a browser:", f"docxchunk report {name}"),
        ]
    if section := _first_section(document):
        commands = [
            ("List its sections:", f"docxchunk outline {name}"),
            ("Read one of them:", f"docxchunk read {name} {shlex.quote(section)}"),
            *commands,
        ]
    if not (lines := [*hints(document), *commands]):
        return
    heading("Hints")
    for observation, remedy in lines:
        # unbroken, to be copied
        console().print(Text.assemble("  ", observation, " ", (remedy, "cyan")), soft_wrap=True)


def _first_section(document: Document) -> str:
    """Return the name of the first section with a heading; "" if there is none."""
    first = next((number for number, block in enumerate(document.blocks) if block.level), None)
    return "" if first is None else NamedPlaces(document).section_name(first)


def hints(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each observation with the option that helps."""
    dropped, options = document.report.dropped, document.options or ParseOptions()
    has_headings = not document.structured or any(block.level for block in document.blocks)
    length = sum(len(block.content) for block in document.blocks)
    if not has_headings and options.headings is Headings.MARKED and length > _MUCH:
        yield "No headings are marked:", "--headings auto detects them"
    for items, name in ((document.changes, "tracked change"), (document.comments, "comment")):
        if items:
            yield f"{counted(len(items), name)}:", f"--{name.split()[-1]}s lists them"
    if number := dropped.get(Dropped.HIDDEN, 0):
        yield f"Hidden text, {counted(number, 'character')} left out:", "--hidden-text"
    contents = (block for block in document.blocks if block.session_type is SessionType.TOC)
    if number := sum(len(block.content) for block in contents):
        finding = f"A table of contents, {counted(number, 'character')}:"
        yield finding, "--drop-toc leaves it out"
