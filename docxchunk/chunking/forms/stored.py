"""Read a table as it is stored in the content of a block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from docxchunk.chunking.runs import cell_text
from docxchunk.markup.tables import (
    CellRange,
    Range,
    TableTag,
    VerticalMerge,
    cells,
    placed,
    rows,
    vertical_merges,
)
from docxchunk.model.objects import TableFormat


@dataclass(frozen=True)
class StoredTable:
    """A table and the ranges of its rows in `content`. If no rows can be recognized, `format` is
    None and the whole table is one row.
    """

    content: str
    tag: TableTag
    format: TableFormat | None
    rows: list[Range]

    @classmethod
    def of(cls, content: str, tag: TableTag) -> StoredTable:
        """Return the table with this tag."""
        found = rows(content, tag)
        return (
            cls(content, tag, *found) if found else cls(content, tag, None, [(tag.start, tag.end)])
        )

    @cached_property
    def merges(self) -> list[VerticalMerge]:
        """The cells that span several rows."""
        return vertical_merges(self.content, self.rows) if self.format is TableFormat.HTML else []

    @cached_property
    def merged_above(self) -> list[tuple[VerticalMerge, ...]]:
        """For each row, the merged cells of rows above that continue in it."""
        return merged_above(self.merges, len(self.rows))

    @cached_property
    def width(self) -> int:
        """The number of columns of the grid, at least 1."""
        return max((column + cell.columns for _, column, cell in self.cells()), default=1)

    def text(self, cell: CellRange) -> str:
        """Return the text of a cell on one line."""
        if self.format is None or (self.format is TableFormat.JSON and cell.start == cell.tag[0]):
            return " ".join(self.content[cell.start : cell.end].split())
        return cell_text(self.content, cell, self.format)

    def cells(self) -> Iterator[tuple[int, int, CellRange]]:
        """Yield each cell as (row, grid column, cell), both numbers from 0.

        Text of a row outside its cells, such as a caption, belongs to the next cell or, after the
        last cell, to the last one. A JSON row that is not a list of strings is one cell.
        """
        if self.format is TableFormat.JSON:
            for number, row in enumerate(self.rows):
                yield from (
                    (number, column, cell)
                    for column, cell in enumerate(
                        cells(self.content, row, self.format) or [CellRange(*row, row)]
                    )
                )
        elif self.format is TableFormat.HTML:
            last, at = -1, 0
            found = list(placed(self.content, self.rows))
            for i, (number, column, cell) in enumerate(found):
                at = at if number == last else self.rows[number][0]
                ends_row = i + 1 == len(found) or found[i + 1][0] != number
                yield (
                    number,
                    column,
                    cell._replace(start=at, end=self.rows[number][1] if ends_row else cell.end),
                )
                last, at = number, cell.tag[1]


def merged_above(merges: Iterable[VerticalMerge], rows: int) -> list[tuple[VerticalMerge, ...]]:
    """Return for each of a number of rows the merged cells of rows above that continue in it, in
    the order in which they begin.
    """
    beginning: dict[int, list[VerticalMerge]] = defaultdict(list)
    for merge in merges:
        beginning[merge.row].append(merge)
    above: tuple[VerticalMerge, ...] = ()
    result = []
    for row in range(rows):
        if any(merge.row + merge.cell.rows <= row for merge in above):
            above = tuple(merge for merge in above if merge.row + merge.cell.rows > row)
        result.append(above)
        if row in beginning:
            above += tuple(beginning[row])
    return result
