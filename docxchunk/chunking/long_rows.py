"""Write a table row that is over the limit as `column: cell` lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from docxchunk.chunking.cutting import Cutter, fill, whole_ranges
from docxchunk.chunking.runs import CellRun, added_run, cell_runs, read_run, slice_run
from docxchunk.chunking.text.tokens import Meter, Ruler
from docxchunk.markup.reading import Replacement
from docxchunk.markup.spans import inline_tags, is_inside, outermost
from docxchunk.markup.tables import Grid, Range
from docxchunk.model.chunks import AddedRole, Part

Read = Callable[[str], Iterable[Replacement]]
"""Return the places of a text that a chunk shows differently."""


class LabelledRow(NamedTuple):
    """A row of a table with the labels of its cells."""

    block: str  # id
    grid: Grid
    row: int
    labels: Sequence[str]  # by column
    # texts that name the row, by column, including merged cells from rows above
    keys: Mapping[int, str]
    read: Read

    def label(self, column: int, columns: int = 1) -> str:
        """Return the label of a cell: the joined labels of its columns."""
        return " / ".join(dict.fromkeys(filter(None, self.labels[column : column + columns])))


class _Place(NamedTuple):
    """The position of a cell in the text of the row: the label begins at `start`, the text of the
    cell at `inside`.
    """

    start: int
    inside: int
    column: int
    label: str


class RowText:
    """The text of a row, with the origin of each character.

    `keep` are ranges that should not be cut: each label with the first character of its cell, and
    the text of equations and pictures.
    """

    def __init__(self, row: LabelledRow) -> None:
        self._row = row
        self._runs: list[CellRun] = []
        self._places: list[_Place] = []
        self._columns = {cell.column for cell in row.grid.cells(row.row)}
        self.keep: list[Range] = []
        at = 0
        for place, runs in _cells(row):
            size = 0
            for run in runs:
                if run.replaced:
                    self.keep.append((at + size, at + size + len(run.text)))
                size += len(run.text)
            self._runs += runs
            self._places.append(place._replace(start=at + place.start, inside=at + place.inside))
            if place.label:
                self.keep.append((at + place.start, at + place.inside + 1))
            at += size
        self.text = "".join(run.text for run in self._runs)
        self._ends = list(accumulate(len(run.text) for run in self._runs))

    def repeated(self, start: int) -> str:
        """Return the text to repeat before a piece that begins at `start`: the row labels and,
        inside a cell, its column label.
        """
        number = bisect_right(self._places, start, key=attrgetter("start"))
        if not number:
            return ""
        place = self._places[number - 1]
        inside = start >= place.inside
        keys = (
            (column, key)
            for column, key in self._row.keys.items()
            if column != place.column and (start > 0 or column not in self._columns)
        )
        lines = [
            f"{label}: {key}" if (label := self._row.label(column)) else key for column, key in keys
        ]
        return "".join(f"{line}\n" for line in lines) + (
            f"{place.label}: " if inside and place.label and start > place.inside else ""
        )

    def parts(self, start: int, end: int) -> tuple[Part, ...]:
        """Return the parts of `text[start:end]`."""
        found: list[Part] = []
        for number in range(bisect_right(self._ends, start), len(self._runs)):
            run = self._runs[number]
            at = self._ends[number] - len(run.text)
            if at >= end:
                break
            if (a := max(start - at, 0)) < (b := min(end - at, len(run.text))):
                found.append(run.part(self._row.block, a, b))
        return tuple(found)


def _cells(row: LabelledRow) -> Iterator[tuple[_Place, list[CellRun]]]:
    """Yield the non-blank cells, each with a line break and its label before it. A row whose cells
    cannot be recognized is one cell.
    """
    grid = row.grid
    cells = grid.cells(row.row)
    if not cells:
        yield _Place(0, 0, 0, ""), [slice_run(grid.content, *grid.rows[row.row])]
    is_first = True
    for cell in cells:
        shown = [
            part for run in cell_runs(grid, cell) for part in read_run(run, row.read(run.text))
        ]
        if all(run.text.isspace() for run in shown):
            continue
        label = row.label(cell.column, cell.columns)
        before = [] if is_first else [added_run("\n", AddedRole.JOIN)]
        named = [added_run(f"{label}: ", AddedRole.LABEL)] if label else []
        start = len(before)
        yield (
            _Place(start, start + sum(len(run.text) for run in named), cell.column, label),
            [*before, *named, *shown],
        )
        is_first = False


class RowPiece(NamedTuple):
    """Characters [start, end) of the text of a row, after the text `before`, which is repeated.
    `tokens` is the count of both.
    """

    start: int
    end: int
    before: str
    tokens: int


def row_pieces(written: RowText, meter: Meter, cap: int) -> list[RowPiece]:
    """Return the text of a row in pieces of at most `cap` tokens; [] for a blank row."""
    if not written.text:
        return []
    ruler = Ruler(meter, written.text, [])
    plain = [
        RowPiece(start, end, "", ruler.measure(start, end))
        for start, end in _ranges(ruler, written.keep, cap, cap)
    ]
    longest = max(meter.repeated(written.repeated(piece.start)) for piece in plain)
    first, later = cap - meter.repeated(written.repeated(0)), cap - longest
    while longest and later >= cap // 2:
        ranges = _ranges(ruler, written.keep, first, later)
        if any(is_inside(start, outermost(written.keep)) for start, _ in ranges):
            break  # too little room: a label would be separated from its cell
        texts = [(written.repeated(start), written.text[start:end]) for start, end in ranges]
        found = [
            RowPiece(*place, before, meter.count(before + text))
            for place, (before, text) in zip(ranges, texts, strict=True)
        ]
        over = max(piece.tokens for piece in found) - cap
        if over <= 0:
            return found
        first, later = first - over, later - over
    return plain


def _ranges(ruler: Ruler, keep: Sequence[Range], first: int, later: int) -> list[Range]:
    """Return consecutive ranges: the first of at most `first` tokens, the others of at most
    `later`.
    """
    cap, size = min(first, later), len(ruler.text)
    atoms = list(
        Cutter(ruler, cap, whole_ranges(ruler, [*inline_tags(ruler.text), *keep], cap)).atoms(
            0, size
        )
    )
    start, end = fill(ruler, atoms, first)[0]
    return [(start, end), *fill(ruler, [atom for atom in atoms if atom.start >= end], later)]
