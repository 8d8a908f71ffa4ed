"""The command `docxchunk report`, and chunks in the terminal (`docxchunk show --chunks`, `--why`):
drawn tables and dimmed repetitions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from docxchunk.batch.chunk_spec import (
    ChunkSpec,
    check,
    chunking_of,
    hush,
    models_of,
    tokenizer_named,
)
from docxchunk.batch.inputs import Input, Scan, find_inputs, refuse_links
from docxchunk.batch.jobs import Reading, notes_on, opened, with_results
from docxchunk.batch.pool import Jobs
from docxchunk.chunking import Chunking
from docxchunk.chunking.explain import TWO_SECTIONS, ChunkPlan, ExplainedCut
from docxchunk.cli import options as common
from docxchunk.cli.chunk import Choice, choosing, chunk_specs
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import InputRun
from docxchunk.cli.printing import DIM, STRONG, WARN, bar, console, grid, heading, indented, plain
from docxchunk.content.citations import pages, paragraphs
from docxchunk.errors import SidecarError, UsageError
from docxchunk.formats.report import can_draw, html_report, require_templates
from docxchunk.formats.report.cards import views_of
from docxchunk.formats.report.pieces import (
    ChunkSet,
    LineView,
    PieceKind,
    TableSliceView,
    TextPiece,
)
from docxchunk.model.chunks import AddedRole, Chunk, SliceRole
from docxchunk.model.comparison import TextChange
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.model.wording import counted
from docxchunk.registry import missing_extra
from docxchunk.sidecar.atomic import write_file
from docxchunk.sidecar.chunks import chunk_files, read_chunks
from docxchunk.sidecar.reader import content_hash
from docxchunk.sources import InputKind

EXAMPLES = """\b
Examples:
  docxchunk report report.docx                   report.docx.html beside it
  docxchunk report report.docx -o page.html -n 512
  docxchunk report report.docx -s P -s R         two strategies side by side
  docxchunk report report.docx -n 256 -n 512     two sizes side by side
  docxchunk report report.docx.parsed            the existing chunks"""

PRINTED = Path("-")


@common.command(
    epilog=EXAMPLES,
    most_used="--out --strategy --max-tokens --overlap --set --recursive --jobs --track-changes "
    "--comments --quiet",
    old_names=common.OLD_NAMES,
)
@common.paths
@click.option(
    "--out",
    "-o",
    type=common.NewFile(path_type=Path, allow_dash=True),
    metavar="FILE.html|DIR|-",
    help="Page for one input, folder for several, or - for standard output.",
)
@partial(choosing, several=True)
@common.recursive
@common.jobs("auto")
@common.doc_id
@common.quiet
@common.reading
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    choice: Choice,
    recursive: bool,
    jobs: Jobs,
    doc_id: str,
    quiet: bool,
    options: ParseOptions,
) -> None:
    """Write an HTML page that shows a document and its chunks.

    PATH is as for docxchunk chunk. For a parsed folder, the page shows the existing chunks, unless
    an option says how to chunk. The page is a single file beside the input that loads no other
    resources. Its path is printed.
    """
    require_templates()
    specs = chunk_specs(choice)
    for spec in specs:
        check(spec)
    page = out if out is not None and _is_page(out) else None
    folder = out if page is None else None
    run = InputRun(
        find_inputs(paths, folder, Scan(recursive=recursive, parsed=True, convert=options.convert)),
        doc_id,
        Reporter(quiet=quiet),
    )
    run.tell_of_options(options, doc_id)
    if page is not None and len(run.inputs) > 1:
        raise UsageError(f"{out} is one page, but there are several inputs: give a folder to -o.")
    how = Reporting(
        Reading(options, folder, doc_id, as_parsed=common.without_parser_options(), any_id=True),
        specs,
        existing=choice == Choice(),
        page=page,
    )
    ports = [port for spec in specs for port in models_of(spec)]
    run.through(
        with_results(partial(report_one, how), run.inputs, jobs, ports), partial(_show, run)
    )
    if page != PRINTED:
        run.record(paths, folder)
    run.end()


def _show(run: InputRun, item: Input, report: tuple[str, bytes, tuple[str, ...]]) -> None:
    path, page, notes = report
    run.tell(item, notes)
    if path:
        run.reporter.data(path)
    else:
        sys.stdout.buffer.write(page)


def _is_page(out: Path) -> bool:
    """Return whether `out` is a page or standard output, not a folder."""
    return out == PRINTED or (out.suffix.lower() in (".html", ".htm") and not out.is_dir())


class Reporting(NamedTuple):
    """Options of reports.

    With `existing`, show the chunks in a parsed folder; if there are none, make them. `page` is the
    path of the report for a single input, or PRINTED to return its bytes. By default, each report
    is written to the place where the parsed folder would be.
    """

    reading: Reading
    specs: tuple[ChunkSpec, ...]
    existing: bool
    page: Path | None


def report_one(how: Reporting, item: Input) -> tuple[str, bytes, tuple[str, ...]]:
    """Make the HTML page of an input. Return the path of the file into which it was written, the
    page itself if it is to be printed, and notes for the user. The path or the page is empty.
    """
    hush()
    source = opened(item, how.reading)
    document = source.read()
    sets = chunk_sets(document, item, how.specs, existing=how.existing)
    page, notes = html_report(document, sets).encode(), (*source.notes, *_notes(document))
    if how.page == PRINTED:
        return "", page, notes
    target = how.page or item.target.with_suffix(".html")
    if how.reading.out is not None:
        refuse_links(how.reading.out, target)
    write_file(target, page)
    return str(target), b"", notes


def _notes(document: Document) -> Iterator[str]:
    yield from notes_on(document)
    if not can_draw() and any("<equation" in block.content for block in document.blocks):
        yield missing_extra(
            "Drawing the equations, which are shown as LaTeX,", "math-core", "report"
        )


def chunk_sets(
    document: Document, item: Input, specs: Sequence[ChunkSpec], *, existing: bool
) -> list[ChunkSet]:
    """Return new chunks for each of the options, or, with `existing`, those in a parsed folder, if
    there are any. If several sizes are compared, the names of the sets include the size.
    """
    if existing and item.kind is InputKind.PARSED and (sets := _existing(item.source)):
        return sets
    with_sizes = len({spec.limits.max_tokens for spec in specs}) > 1
    return [
        ChunkSet(
            f"{spec.strategy} {spec.limits.max_tokens}" if with_sizes else spec.strategy,
            spec.limits.max_tokens,
            tokenizer_named(spec.tokenizer).name,
            chunking_of(document, spec).chunks,
        )
        for spec in specs
    ]


def _existing(source: Path) -> list[ChunkSet]:
    """Return the existing chunk sets: P first, then by name. Raise SidecarError if the blocks have
    changed since.
    """
    files = list(map(read_chunks, chunk_files(source if source.is_dir() else source.parent)))
    blocks = content_hash(source)
    for file in files:
        if file.blocks_sha256 != blocks:
            raise SidecarError(
                f"{file.path} holds chunks of another version of the document: "
                "run `docxchunk chunk` again."
            )
    sets = [ChunkSet(file.strategy, file.cap, file.tokenizer, file.chunks) for file in files]
    return sorted(sets, key=lambda chunk_set: (chunk_set.name != "P", chunk_set.name))


# -- in the terminal

_STYLES: dict[str, str] = {
    SliceRole.OVERLAP: DIM,
    SliceRole.BRIDGE: DIM,
    AddedRole.HEADER: "dim italic",
    AddedRole.LABEL: "cyan",
    AddedRole.CONTEXT: DIM,
}
_CHANGES = {TextChange.INSERTED: "green underline", TextChange.DELETED: "red strike"}
_MARKS = {TextChange.INSERTED: ("{++", "++}"), TextChange.DELETED: ("{--", "--}")}
_DRAWN = {
    PieceKind.PICTURE: ("[", "]"),
    PieceKind.EQUATION: ("$", "$"),
    PieceKind.DISPLAY: ("$$", "$$"),
    PieceKind.SUPERSCRIPT: ("^", ""),
    PieceKind.SUBSCRIPT: ("_", ""),
}
_BAR = 20
_LONG = 30  # characters; tables with longer cells get lines between rows


def print_chunks(document: Document, chunk_set: ChunkSet) -> None:
    """Print each chunk under a line with its heading path and size."""
    heading("Chunks")
    plain(
        f"{chunk_set.name} · at most {counted(chunk_set.cap, 'token')} · "
        f"{chunk_set.tokenizer} · {counted(len(chunk_set.chunks), 'chunk')}",
        DIM,
    )
    for chunk, body in views_of(document, chunk_set):
        path = (
            " > ".join(filter(None, (*chunk.parent_headings, chunk.heading)))
            or "(before the first heading)"
        )
        console().print()
        console().rule(
            Text(f"{chunk.chunk_order_index + 1} ", STRONG) + Text(path), align="left", style=DIM
        )
        console().print(
            Text.assemble(
                _fill(chunk, chunk_set.cap),
                f" {chunk.tokens:,} / {chunk_set.cap:,} tokens",
                ("".join(f" · {fact}" for fact in _facts(chunk)), DIM),
            )
        )
        for item in body:
            console().print(_table(item) if isinstance(item, TableSliceView) else _line(item))


def _fill(chunk: Chunk, cap: int) -> Text:
    colour = WARN if chunk.tokens > cap else "green" if chunk.tokens >= cap * 3 // 4 else "cyan"
    return Text(bar(min(chunk.tokens, cap), cap, _BAR).ljust(_BAR), colour)


def _facts(chunk: Chunk) -> Iterator[str]:
    if chunk.label:
        yield f"from “{chunk.label}” on"
    yield from filter(None, (pages(chunk), paragraphs(chunk)))


def _line(line: LineView) -> Padding:
    text = Text(style=STRONG if line.level or line.bold else "")
    for run in line.runs:
        text.append(_inline(run.pieces, _STYLES.get(run.role, "")))
    return Padding(text, (1 if line.level else 0, 0, 0, 2 * (line.depth or 0)))


def _table(table: TableSliceView) -> Group | Text:
    """Return the table drawn with lines, as wide as the terminal allows, below its caption."""
    if table.raw:
        return Text(table.raw)
    rows = _grid(table)
    long = any(cell.cell_len > _LONG or "\n" in cell.plain for row in rows for cell in row)
    drawn = Table(box=box.SQUARE, show_header=False, show_lines=long, border_style=DIM)
    for _ in range(max(map(len, rows), default=0)):
        drawn.add_column(overflow="fold")
    for row, cells in zip(table.rows, rows, strict=True):
        drawn.add_row(
            *cells,
            style="dim italic" if row.again else STRONG if row.head else "",
            end_section=row is (table.head or (None,))[-1],
        )
    return Group(Text(table.caption, DIM), drawn)


def _grid(table: TableSliceView) -> list[list[Text]]:
    """Return the cells of each row, without column gaps. A merged cell is placed in its first row
    and column.
    """
    grid: list[list[Text]] = []
    for row in table.rows:
        grid.append([Text()] * max((cell.column + cell.columns for cell in row.cells), default=0))
        for cell in row.cells:
            grid[-1][cell.column] = _inline(cell.pieces, _STYLES.get(cell.role, ""))
    return grid


def _inline(pieces: tuple[TextPiece, ...], style: str) -> Text:
    """Return the styled text. Tracked changes also get CriticMarkup marks, for terminals without
    colours.
    """
    text = Text()
    for piece in pieces:
        before, after = _DRAWN.get(piece.kind, ("", ""))
        opening, closing = _MARKS.get(piece.change, ("", ""))
        text.append(
            f"{opening}{before}{piece.text}{after}{closing}",
            f"{style} {_CHANGES.get(piece.change, '')}".strip(),
        )
    return text


def print_why(chunking: Chunking, number: int, limit: int) -> None:
    """Print why chunk `number`, counted from 1, begins and ends where it does. Raise UsageError if
    there is no such chunk.
    """
    chunks = [chunk for chunk in chunking.chunks if chunk.parent is None]
    if number > len(chunks):
        raise UsageError(f"There is no chunk {number}: there are {len(chunks)}.")
    tokens = f"{chunks[number - 1].tokens:,} of {limit:,} tokens"
    plain(f"Chunk {number} of {len(chunks)}: {tokens}", STRONG)
    plain("Tokens (estimated), and costs: cut + sizes (+ parts of two sections) = total", DIM)
    cuts = {cut.piece: cut for cut in chunking.cuts or ()}
    for place, verb in ((number - 1, "begins"), (number, "ends")):
        if cut := cuts.get(place):
            _print_cut(cut, f"It {verb} between ")
        else:
            plain(f"It {verb} with the document.")


def _print_cut(cut: ExplainedCut, opening: str) -> None:
    """Print the lines before and after a cut, and compare it with the best other one."""
    width = (console().width - len(opening) - 3) // 2
    before, after = cut.before, Text(cut.after, STRONG)
    while cell_len(before) > width:
        before = f"…{before[2:]}"
    after.truncate(width, overflow="ellipsis")
    console().print(Text.assemble(opening, (before, STRONG), " | ", after))
    table = grid("-", ">", "-", "<")
    for name, plan, place in (("here", cut.here, cut.reason), ("other", cut.other, cut.place)):
        if plan:
            tokens = " | ".join(map("{:,}".format, plan.tokens))
            table.add_row(Text(name, DIM), tokens, _costs(plan), place or "no cut")
    indented(table)
    indented(Text(cut.why or cut.reason))


def _costs(plan: ChunkPlan) -> str:
    """Return the costs of chunks as a sum, whose rounded numbers add up."""
    costs = [cost for name, cost in plan.costs.items() if cost or name != TWO_SECTIONS]
    total = round(sum(costs), 2)
    costs[-1:] = [total - sum(costs[:-1])]
    return " + ".join(map("{:.2f}".format, costs)) + (f" = {total:.2f}" if costs[1:] else "")
