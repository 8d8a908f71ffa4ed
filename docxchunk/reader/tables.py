"""Read tables: rows and cells on their grid (ECMA-376 Part 1, 17.4), and the look of the cells of
the first rows, by which headers are inferred.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.model.document import IssueCode
from docxchunk.model.objects import Merge
from docxchunk.ooxml.incremental import REFERENCE
from docxchunk.ooxml.xml import MC, ON, W14, W, is_on, natural_number, value
from docxchunk.reader.looks import CellLook, look_of_cell
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.state import CellFormat, State, read_branch
from docxchunk.reader.text import only_objects

ReadPart = Callable[["etree._Element", State], "list[Item]"]
_TR, _TC, _P = W + "tr", W + "tc", W + "p"
_VAL, _PARA_ID = W + "val", W14 + "paraId"
_GRID_BEFORE, _HEADER = W + "gridBefore", W + "tblHeader"
_GRID_SPAN, _VMERGE = W + "gridSpan", W + "vMerge"
_TRPR, _TCPR, _TBLPR = W + "trPr", W + "tcPr", W + "tblPr"
_GRID_COLUMN, _HEIGHT = f"{W}tblGrid/{W}gridCol", W + "trHeight"
_CAPTION, _DESCRIPTION = f"{W}tblPr/{W}tblCaption", f"{W}tblPr/{W}tblDescription"
_WRAPPERS = frozenset(
    W + name
    for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "del", "moveFrom")
)
_PROPERTIES = frozenset(
    W + name
    for name in ("tblPr", "tblGrid", "trPr", "tcPr", "tblPrEx", "sdtPr", "sdtEndPr", "customXmlPr")
)
_ROWS_WITH_LOOK = 4  # rows whose look is read, enough to see how the first ones differ
_HIGHEST_ROW = 31680  # twentieths of a point; the limit of Word
_SHADING, _FILL = W + "shd", W + "fill"
_NO_FILL = frozenset({"", "auto", "FFFFFF", "ffffff"})
_MOST_COLUMNS = 63  # the limit of Word; a larger w:gridBefore is an error
_SLIVER = 180  # twips: less than the margins of a cell
_NO_FORMAT = CellFormat()
_EQUATION_NUMBER = pattern(r"\(\s*(?:[^\W\d_]{1,3}[.–-]?)?\d+(?:[.–-]\d+)*[a-z]?\s*\)[.,]?")


class Cell(NamedTuple):
    """A cell and its span. Columns are counted by the grid columns at which some cell begins."""

    items: list[Item]
    column: int
    columns: int = 1
    rows: int = 1
    look: CellLook | None = None  # None below the first rows
    continues: bool = False  # the continuation of a vertical merge (17.4.85), until it is joined


class Row(NamedTuple):
    cells: list[Cell]
    is_header: bool = False
    para_id: str | None = None
    height: float = 0.0  # points, at least (17.4.80)

    def paragraphs(self) -> list[Item]:
        """Return the paragraphs and nested tables of all cells."""
        return [item for cell in self.cells for item in cell.items]


class GridTable(NamedTuple):
    """A table with its cells on the grid. `ordinal` counts the tables of the document from 1, an
    outer table before its nested ones.
    """

    ordinal: int
    rows: list[Row]
    columns: int
    # w:tblLook turns on first-row formatting (17.4.56), and the table style defines it (17.7.6.6)
    first_row_styled: bool
    caption: str
    element: int  # number of its body element
    position: int  # see `DocumentState.position`
    widths: tuple[float, ...] = ()  # of the columns, in points

    def merged(self) -> tuple[Merge, ...]:
        """Return the merged cells."""
        return tuple(
            Merge(number, cell.column, cell.rows, cell.columns)
            for number, row in enumerate(self.rows)
            for cell in row.cells
            if cell.rows > 1 or cell.columns > 1
        )

    def paragraphs(self) -> list[Item]:
        """Return the paragraphs and nested tables of all cells."""
        return [item for row in self.rows for cell in row.cells for item in cell.items]


Item = Paragraph | GridTable
"""A paragraph or a table, in reading order."""


def read_table(element: etree._Element, state: State, read_part: ReadPart) -> GridTable | None:
    """Read w:tbl (17.4.38). Return None if the view has none of its rows. `read_part` reads the
    content of a cell.
    """
    document = state.document
    document.tables += 1
    ordinal, position = document.tables, document.position  # cells change both
    state.story.in_cell += 1
    rows = list(_rows(element, state, read_part))
    state.story.in_cell -= 1
    if not rows:
        document.tables -= 1
        return None
    edges = _edges(element)
    rows = _without_slivers(rows, edges)
    starts = _starts(rows)
    rows = numbered_columns(rows, starts)
    first_row_styled, caption = False, ""
    if (properties := element.find(_TBLPR)) is not None:
        first_row_styled = _first_row_differs(properties) and state.env.styles.formats_first_row(
            value(properties, W + "tblStyle")
        )
        caption = value(properties, W + "tblCaption") or ""
        caption = caption or value(properties, W + "tblDescription") or ""
    return GridTable(
        ordinal=ordinal,
        rows=rows,
        columns=max((cell.column + cell.columns for row in rows for cell in row.cells), default=0),
        first_row_styled=first_row_styled,
        caption=caption,
        element=document.element,
        position=position,
        widths=_widths(edges, starts),
    )


def boxes(element: etree._Element, state: State) -> list[etree._Element]:
    """Return the cells of a w:tbl that is a box or a column of boxes: each row has one cell, no
    rows are merged, and there is no alternative text. Return [] for other tables, and for a column
    of boxes inside a cell.
    """
    cells: list[etree._Element] = []
    for row in _filled(element):
        in_row = list(islice(_filled(row), 2)) if row.tag == _TR else []
        if len(in_row) != 1 or in_row[0].tag != _TC or (cells and state.story.in_cell):
            return []
        properties, cell_format = _cell_format(in_row[0], state)
        removed = state.env.marks.removed
        if properties in removed or any(each in removed for each in row.iterchildren(_TRPR)):
            return []
        if cell_format.continues:
            return []
        cells += in_row
    has_text = any(element.find(text) is not None for text in (_CAPTION, _DESCRIPTION))
    return [] if has_text else cells


def equation_line(table: GridTable) -> Paragraph | None:
    """Return the line that a table of one row shows: an equation and its number, which have cells
    of their own so that they stand apart. Return None for other tables.
    """
    if len(table.rows) > 1:
        return None
    filled = [item for item in table.paragraphs() if not _shows_nothing(item)]
    if len(filled) != 2:
        return None
    equation, other = filled
    if isinstance(equation, GridTable) or isinstance(other, GridTable):
        return None
    number = f"{other.label}{other.raw}".strip()
    is_equation = "=" in equation.raw or only_objects(equation.raw.rstrip(" ,.;"))
    if not is_equation or _EQUATION_NUMBER.fullmatch(number) is None:
        return None
    return equation._replace(raw=f"{equation.raw.rstrip()} {number}", look=None)


def _shows_nothing(item: Item) -> bool:
    return isinstance(item, Paragraph) and item.is_blank and not item.label


def _filled(element: etree._Element) -> Iterator[etree._Element]:
    """Yield the rows of a table or the cells of a row, and other elements with content."""
    return (
        child
        for child in element
        if child.tag in {_TR, _TC} or (len(child) and child.tag not in _PROPERTIES)
    )


def _edges(element: etree._Element) -> list[int]:
    """Return the left edge of each grid column and the right edge of the last one in twips, from
    w:tblGrid (17.4.48).
    """
    widths = (_number(column.get(W + "w")) for column in element.iterfind(_GRID_COLUMN))
    return list(accumulate(widths, initial=0))


def _starts(rows: Iterable[Row]) -> list[int]:
    return sorted({cell.column for row in rows for cell in row.cells})


def _widths(edges: Sequence[int], starts: Sequence[int]) -> tuple[float, ...]:
    """Return the widths in points of the columns that begin at these grid columns; () if the grid
    has too few.
    """
    if not starts or starts[-1] >= len(edges) - 1:
        return ()
    return tuple(
        (edges[end] - edges[start]) / 20 for start, end in pairwise((*starts, len(edges) - 1))
    )


def _without_slivers(rows: list[Row], edges: Sequence[int]) -> list[Row]:
    """Return the rows with cells that begin at nearly the same place moved to the same grid column,
    unless a row has cells at both: a page does not show so narrow a column, and no text fits in it.
    """
    starts = _starts(rows)
    if not edges[-1] or starts[-1:] >= [len(edges)]:
        return rows
    if all(edges[after] - edges[start] > _SLIVER for start, after in pairwise(starts)):
        return rows
    in_rows: dict[int, set[int]] = {start: set() for start in starts}
    for number, row in enumerate(rows):
        for cell in row.cells:
            if cell.items:
                in_rows[cell.column].add(number)
    moved: dict[int, int] = {}
    first = starts[0]
    for start in starts:
        if edges[start] - edges[first] > _SLIVER or in_rows[first] & in_rows[start]:
            first = start
        moved[start] = first
        in_rows[first] |= in_rows[start]
    return [row._replace(cells=list(_moved(row.cells, moved))) for row in rows]


def _moved(cells: Iterable[Cell], moved: Mapping[int, int]) -> Iterator[Cell]:
    """Yield the cells at their new grid columns, without empty ones that are too narrow."""
    for cell in cells:
        column, end = moved[cell.column], cell.column + cell.columns
        columns = moved.get(end, end) - column
        if columns > 0 or cell.items:
            yield cell._replace(column=column, columns=max(columns, 1))


def _rows(element: etree._Element, state: State, read_part: ReadPart) -> Iterator[Row]:
    """Yield the rows at any depth of wrappers; other content becomes a row of its own, so that no
    text is lost.
    """
    looked_at = 0
    for row in _members(element, _TR, state):
        if row.tag != _TR:
            state.report_once(
                IssueCode.TABLE_IRREGULAR,
                "A table has content between its rows; it was read as a row of its own.",
            )
            yield Row([Cell(read_part(row, state), 0)])
        elif (
            read := _read_row(row, state, read_part, has_look=looked_at < _ROWS_WITH_LOOK)
        ) is not None:
            looked_at += 1
            yield read


def _members(element: etree._Element, wanted: str, state: State) -> Iterator[etree._Element]:
    """Yield the rows or cells at any depth of wrappers, and other elements with text."""
    for child in element:
        tag = child.tag
        if tag == wanted:
            yield child
        elif tag in _WRAPPERS:
            if not state.drops(child):
                yield from _members(child, wanted, state)
        elif tag == MC + "AlternateContent":
            for branch in read_branch(child, state):
                yield from _members(branch, wanted, state)
        elif tag not in _PROPERTIES and (len(child) or child.text or child.get(REFERENCE)):
            yield child


def _drop_member(properties: etree._Element, element: etree._Element, state: State) -> bool:
    """Return whether a row or cell is not in the view, because it is deleted (17.13.5.12,
    17.13.5.1), or is inserted and the view is the original. Count its text as dropped then.
    """
    if properties not in state.env.marks.removed:
        return False
    state.drop(state.gone_reason, element)
    return True


def _read_row(
    element: etree._Element, state: State, read_part: ReadPart, *, has_look: bool
) -> Row | None:
    """Read w:tr (17.4.78), with its cells at their grid columns; None if it is not in the view."""
    at, is_header, height = 0, False, 0.0
    for properties in element.iterchildren(_TRPR):
        if _drop_member(properties, element, state):
            return None
        for child in properties:
            if child.tag == _GRID_BEFORE:
                at = min(_number(child.get(_VAL)), _MOST_COLUMNS)
            elif child.tag == _HEADER:
                is_header = is_on(child)
            elif child.tag == _HEIGHT:
                height = min(_number(child.get(_VAL)), _HIGHEST_ROW) / 20
    cells = [Cell([], 0, at)] if at else []
    for cell in _members(element, _TC, state):
        at = _read_cell(cell, at, cells, state, read_part, has_look=has_look)
    first = next(element.iter(_P), None)
    return Row(cells, is_header, None if first is None else first.get(_PARA_ID), height)


def _read_cell(  # noqa: PLR0913 - called for every cell: a value to carry these would cost as much as the rest
    element: etree._Element,
    at: int,
    cells: list[Cell],
    state: State,
    read_part: ReadPart,
    *,
    has_look: bool,
) -> int:
    """Read w:tc (17.4.65) at grid column `at` and append it to `cells`; return the grid column at
    which it ends.
    """
    if element.tag != _TC:
        cells.append(Cell(read_part(element, state), at))
        return at + 1
    properties, cell = _cell_format(element, state)
    end = at + cell.columns
    if properties is not None and _drop_member(properties, element, state):
        return end
    story = state.story
    outer, story.is_covered = story.is_covered, cell.continues or story.is_covered
    look = look_of_cell(element, cell.fill, state) if has_look else None
    items = read_part(element, state)
    cells.append(Cell(items, at, cell.columns, look=look, continues=cell.continues))
    story.is_covered = outer
    return end


def _cell_format(element: etree._Element, state: State) -> tuple[etree._Element | None, CellFormat]:
    """Return the w:tcPr of a cell and its format. The w:tcPr may be shared: the cell then refers to
    it.
    """
    shared = state.shared_properties(element)
    if shared is None:
        properties = element[0] if len(element) and element[0].tag == _TCPR else None
        return properties, _NO_FORMAT if properties is None else _read_cell_format(properties)
    cell_format = state.shared.cell_formats.get(shared)
    if cell_format is None:
        cell_format = state.shared.cell_formats[shared] = _read_cell_format(shared)
    return shared, cell_format


def _read_cell_format(properties: etree._Element) -> CellFormat:
    columns, continues = 1, False
    for child in properties:
        if child.tag == _GRID_SPAN:
            columns = max(_number(child.get(_VAL)), 1)
        elif child.tag == _VMERGE:
            continues = child.get(_VAL, "continue") == "continue"
    return CellFormat(columns, continues, _fill(properties))


def _number(text: str | None) -> int:
    return natural_number(text) or 0


def numbered_columns(rows: list[Row], starts: list[int]) -> list[Row]:
    """Return the rows with their cells numbered by used grid columns. Continued cells are joined to
    the first one of the merge.
    """
    numbered: list[list[Cell]] = []
    # for each cell of the row above, by its columns: the row and the index of the cell that it is
    # or continues
    above: dict[tuple[int, int], tuple[int, int]] = {}
    for number, row in enumerate(rows):
        cells: list[Cell] = []
        numbered.append(cells)
        in_row: dict[tuple[int, int], tuple[int, int]] = {}
        for cell in row.cells:
            column = bisect_left(starts, cell.column)
            end = bisect_left(starts, cell.column + cell.columns)
            origin = above.get((column, end)) if cell.continues else None
            if origin is None:
                in_row[column, end] = number, len(cells)
                cells.append(Cell(cell.items, column, end - column, look=cell.look))
                continue
            in_row[column, end] = origin
            first_row, index = origin
            first = numbered[first_row][index]
            numbered[first_row][index] = first._replace(
                items=[*first.items, *cell.items], rows=number - first_row + 1
            )
        above = in_row
    return [row._replace(cells=cells) for cells, row in zip(numbered, rows, strict=True)]


def _first_row_differs(properties: etree._Element) -> bool:
    look = properties.find(W + "tblLook")
    if look is None:
        return False
    flag = look.get(W + "firstRow")
    if flag is not None:
        return flag in ON
    try:
        return bool(int(look.get(W + "val", "0"), 16) & 0x20)
    except ValueError:
        return False


def _fill(properties: etree._Element) -> str:
    shading = next(properties.iterchildren(_SHADING), None)
    fill = "" if shading is None else shading.get(_FILL, "")
    return "" if fill in _NO_FILL else fill
