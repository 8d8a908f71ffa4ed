"""Write a row of a table that is over the limit as plain text, "column: cell" lines, and cut it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from docxchunk.chunking.cutting import Cutter, atoms_together, whole_ranges
from docxchunk.chunking.texts import (
    BlockText,
    ComposedText,
    Fragment,
    cell_fragments,
    unchanged,
)
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.content.table_texts import cell_label
from docxchunk.content.tables import GridCell, TableContent
from docxchunk.content.tags import inline_tags
from docxchunk.language.ranges import Range, is_inside, outermost
from docxchunk.model.chunks import AddedRole, Part


class _CellPosition(NamedTuple):
    """The position of a cell in the text of the row: the label begins at `start`, the text of the
    cell at `inside`.
    """

    start: int
    inside: int
    column: int
    label: str


class RowText:
    """The text of a table row. It knows where each character comes from.

    `labels` are the names of the columns. `keys` are the texts that name the row, by column. `keep`
    are ranges that should not be cut: each label with the first character of its cell.
    """

    def __init__(
        self,
        block: BlockText,
        grid: TableContent,
        row: int,
        labels: Sequence[str] = (),
        keys: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self._block, self._grid, self._labels, self._keys = block, grid, labels, keys
        self._composed = ComposedText()
        self._positions: list[_CellPosition] = []
        self.keep: list[Range] = []
        cells = grid.cells(row)
        self._columns = {cell.column for cell in cells}
        for cell in cells:
            self._add(cell)
        if not cells:  # they cannot be recognized
            self._composed.add(unchanged(grid.content, *grid.rows[row]))
            self._positions.append(_CellPosition(0, 0, 0, ""))
        self.text = self._composed.text

    def _add(self, cell: GridCell) -> None:
        """Add the text of a cell on a line of its own, after its label; nothing if it is blank."""
        composed = self._composed
        fragments = list(cell_fragments(self._grid, cell))
        if all(not fragment.text or fragment.text.isspace() for fragment in fragments):
            return
        if composed.size:
            composed.add(Fragment("\n", added=AddedRole.JOIN))
        label = cell_label(self._labels, cell.column, cell.columns)
        start, inside = composed.add(Fragment(f"{label}: " if label else "", added=AddedRole.LABEL))
        self._positions.append(_CellPosition(start, inside, cell.column, label))
        if label:
            self.keep.append((start, inside + 1))
        for fragment in fragments:
            composed.add(fragment)

    def repeated(self, start: int) -> str:
        """Return the text to repeat before a piece that begins at `start`: the row labels and,
        inside a cell, its column label.
        """
        cell = self._positions[bisect_right(self._positions, start, key=attrgetter("start")) - 1]
        keys = (
            (column, key)
            for column, key in self._keys.items()
            if column != cell.column and (start > 0 or column not in self._columns)
        )
        lines = [
            f"{label}: {key}" if (label := cell_label(self._labels, column)) else key
            for column, key in keys
        ]
        return "".join(f"{line}\n" for line in lines) + (
            f"{cell.label}: " if cell.label and start > cell.inside else ""
        )

    def parts(self, start: int, end: int) -> tuple[Part, ...]:
        """Return the parts of `text[start:end]`."""
        return self._composed.parts(self._block.block.id, start, end)


class RowPiece(NamedTuple):
    """Characters [start, end) of the text of a row, after the text `before`, which is repeated.
    `tokens` is the count of both.
    """

    start: int
    end: int
    before: str
    tokens: int


def row_pieces(
    row: RowText, ruler: Ruler, meter: Meter, first_cap: int, cap: int
) -> list[RowPiece]:
    """Return the text of a row, which `ruler` measures, in pieces: the first of at most `first_cap`
    tokens, the others of at most `cap`; [] for a blank row.
    """
    if not row.text:
        return []
    plain = [
        RowPiece(start, end, "", ruler.measure(start, end))
        for start, end in _ranges(ruler, row.keep, first_cap, cap)
    ]
    longest = max(meter.repeated(row.repeated(piece.start)) for piece in plain)
    first, later = first_cap - meter.repeated(row.repeated(0)), cap - longest
    if not longest or first < first_cap // 2 or later < cap // 2:
        return plain
    ranges = _ranges(ruler, row.keep, first, later)
    labelled = [_labelled(row, ruler, meter, *ends) for ends in ranges]
    fit = all(piece.tokens <= (cap if piece.start else first_cap) for piece in labelled)
    # with too little room, a label would be separated from its cell
    parted = any(is_inside(start, outermost(row.keep)) for start, _ in ranges)
    return labelled if fit and not parted else plain


def _labelled(row: RowText, ruler: Ruler, meter: Meter, start: int, end: int) -> RowPiece:
    """Return the piece with characters [start, end) of a row, and the labels before it."""
    before, tokens = row.repeated(start), ruler.measure(start, end)
    if before:
        labels = meter.repeated(before)
        tokens = meter.joined(before, labels, "", row.text[start:end], tokens)
    return RowPiece(start, end, before, tokens)


def _ranges(ruler: Ruler, keep: Sequence[Range], first: int, later: int) -> list[Range]:
    """Divide the text of `ruler` into ranges: the first of at most `first` tokens, the others of at
    most `later`. The ranges in `keep` are not divided, if they fit.
    """
    cap, size = min(first, later), len(ruler.text)
    atoms = list(
        Cutter(ruler, cap, whole_ranges(ruler, [*inline_tags(ruler.text), *keep], cap)).atoms(
            0, size
        )
    )
    start, end = atoms_together(ruler, atoms, first)[0]
    later_atoms = [atom for atom in atoms if atom.start >= end]
    return [(start, end), *atoms_together(ruler, later_atoms, later)]
