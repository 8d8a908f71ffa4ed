"""Chunks in the terminal, for `docxchunk show`: drawn tables and dimmed repetitions."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from docxchunk.chunking import Chunking
from docxchunk.chunking.explain import TWO_SECTIONS, ChunkPlan, ExplainedCut
from docxchunk.cli.printing import DIM, STRONG, WARN, bar, console, grid, heading, indented, plain
from docxchunk.content.citations import pages, paragraphs
from docxchunk.errors import UsageError
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
from docxchunk.model.wording import counted

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
