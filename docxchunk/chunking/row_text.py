"""A table row that is too long for a table, written out as `column: cell` lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from docxchunk.chunking.cutting import Cutter, fill, whole_ranges
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.markup.tables import Cell, Range, header_texts, html_steps, json_steps, unescaped
from docxchunk.model.chunks import Added, AddedRole, Part, Slice, SliceRole
from docxchunk.model.objects import TableFormat

_LONGEST_LABEL: Final = 60  # characters
_CELL_MARKUP = re.compile(r"</?(?:table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th|p|div|br|ul|ol|li)\b[^<>]*>", re.IGNORECASE)


class Row(NamedTuple):
    """A row of a table and what its cells are called. `cells` have their grid columns; there are none where they cannot be told apart."""

    block: str  # its id
    range: Range
    format: TableFormat | None
    cells: Sequence[tuple[int, Cell]]
    labels: Sequence[str]  # of each column
    keys: Mapping[int, str]  # the text of each column that names the row, cells that reach down from rows above included

    def label(self, column: int, columns: int = 1) -> str:
        """The name of a cell: that of its column, or those of its columns."""
        return " / ".join(dict.fromkeys(filter(None, self.labels[column : column + columns])))


class _Run(NamedTuple):
    """Shown text, and what it is: added text, or a range of the block."""

    text: str
    start: int  # of the block; unused where `added`
    role: SliceRole
    added: AddedRole | None
    steps: Sequence[int]  # where the raw text of each shown character begins, from `start` on


class _Place(NamedTuple):
    """Where a cell stands in the text of the row: its label from `start` on, its own text from `inside` on."""

    start: int
    inside: int
    column: int
    label: str


class RowText:
    """The text of a row, and the parts that any range of it is made of. `keep` are the labels, each with the first character of its cell."""

    def __init__(self, content: str, row: Row) -> None:
        self._row = row
        self._runs: list[_Run] = []
        self._places: list[_Place] = []
        self.keep: list[Range] = []
        at = 0
        for place, runs in _cells(content, row):
            size = sum(len(run.text) for run in runs)
            self._runs += runs
            self._places.append(place._replace(start=at + place.start, inside=at + place.inside))
            if place.label:
                self.keep.append((at + place.start, at + place.inside + 1))
            at += size
        self.text = "".join(run.text for run in self._runs)

    def repeated(self, start: int) -> str:
        """What a piece of the text that begins here says first: what names the row, and the column that the text is of."""
        place = next((place for place in reversed(self._places) if place.start <= start), None)
        if place is None:
            return ""
        own = {column for column, _ in self._row.cells}
        inside = start >= place.inside
        keys = ((column, key) for column, key in self._row.keys.items() if column != place.column and (start > 0 or column not in own))
        lines = [f"{label}: {key}" if (label := self._row.label(column)) else key for column, key in keys]
        return "".join(f"{line}\n" for line in lines) + (f"{place.label}: " if inside and place.label and start > place.inside else "")

    def parts(self, start: int, end: int) -> tuple[Part, ...]:
        """The parts of `text[start:end]`."""
        found: list[Part] = []
        at = 0
        for run in self._runs:
            size = len(run.text)
            a, b = max(start - at, 0), min(end - at, size)
            if a < b:
                found.append(self._part(run, a, b))
            at += size
        return tuple(found)

    def _part(self, run: _Run, a: int, b: int) -> Part:
        if run.added:
            return Added(run.text[a:b], run.added)
        return Slice(self._row.block, run.start + run.steps[a], run.start + run.steps[b], run.role)


def _cells(content: str, row: Row) -> Iterator[tuple[_Place, list[_Run]]]:
    """The cells that say something, each with its label before it and a line break before that."""
    if not row.cells:
        yield _Place(0, 0, 0, ""), [_slice(content, *row.range)]
        return
    is_first = True
    for column, cell in row.cells:
        shown = list(_json_cell(content, cell) if row.format is TableFormat.JSON else _html_cell(content, cell))
        if all(run.text.isspace() for run in shown):
            continue
        label = row.label(column, cell.columns)
        before = [] if is_first else [_added("\n", AddedRole.JOIN)]
        named = [_added(f"{label}: ", AddedRole.LABEL)] if label else []
        start = len(before)
        yield _Place(start, start + sum(len(run.text) for run in named), column, label), [*before, *named, *shown]
        is_first = False


def _json_cell(content: str, cell: Cell) -> Iterator[_Run]:
    raw = content[cell.start : cell.end]
    text = json.loads(f'"{raw}"')
    if text:
        yield _Run(text, cell.start, SliceRole.CELL, None, range(len(raw) + 1) if text == raw else json_steps(raw))


def _html_cell(content: str, cell: Cell) -> Iterator[_Run]:
    """The texts of a cell as they read; a space for each tag between them."""
    at = cell.start
    open_gap = False
    for mark in [*_CELL_MARKUP.finditer(content, cell.start, cell.end), None]:
        end = mark.start() if mark else cell.end
        if content[at:end].strip():
            if open_gap:
                yield _added(" ", AddedRole.JOIN)
            yield _html_text(content, at, end)
            open_gap = True
        at = mark.end() if mark else end


def _html_text(content: str, start: int, end: int) -> _Run:
    raw = content[start:end]
    text = unescaped(raw)
    return _slice(content, start, end) if text == raw else _Run(text, start, SliceRole.CELL, None, html_steps(raw))


def _slice(content: str, start: int, end: int) -> _Run:
    return _Run(content[start:end], start, SliceRole.TEXT, None, range(end - start + 1))


def _added(text: str, role: AddedRole) -> _Run:
    return _Run(text, 0, SliceRole.TEXT, role, ())


def cell_text(content: str, cell: Cell, fmt: TableFormat) -> str:
    """What a cell says, on one line."""
    return " ".join("".join(run.text for run in (_json_cell if fmt is TableFormat.JSON else _html_cell)(content, cell)).split())


def row_pieces(written: RowText, meter: Meter, cap: int) -> list[tuple[int, int, str]]:
    """Ranges of a row's text, each with what it says first, of at most `cap` tokens together; none of a blank row."""
    if not written.text:
        return []
    ruler = Ruler(meter, written.text, [])
    plain = [(start, end, "") for start, end in _ranges(ruler, written.keep, cap, cap)]
    longest = max(meter.count(written.repeated(start)) for start, _, _ in plain)
    first, later = cap - meter.count(written.repeated(0)), cap - longest
    while longest and later >= cap // 2:
        found = [(start, end, written.repeated(start)) for start, end in _ranges(ruler, written.keep, first, later)]
        if any(a < start < b for start, _, _ in found for a, b in written.keep):
            break  # so little room that a label would be left without its cell
        over = max(meter.count(before + written.text[start:end]) for start, end, before in found) - cap
        if over <= 0:
            return found
        first, later = first - over, later - over
    return plain


def _ranges(ruler: Ruler, keep: Sequence[Range], first: int, later: int) -> list[Range]:
    """A first range of at most `first` tokens, and others of at most `later`."""
    cap, size = min(first, later), len(ruler.text)
    atoms = list(Cutter(ruler, cap, whole_ranges(ruler, 0, size, cap, keep)).atoms(0, size))
    start, end = fill(ruler, atoms, first)[0]
    return [(start, end), *fill(ruler, [atom for atom in atoms if atom.start >= end], later)]


def labels_of(header: str | None, longest: int) -> list[str]:
    """The names of columns, from a table's header rows; "" for one of more characters than `longest`, or than anybody would repeat.

    A title over all columns is the name of none.
    """
    rows = header_texts(header) if header else []
    width = max((len(row) for row in rows), default=0)
    rows = [row for row in rows if len(row) < 2 or len(set(row)) > 1]
    names = [" ".join(dict.fromkeys(" ".join(row[i].split()) for row in rows if i < len(row) and row[i].strip())) for i in range(width)]
    return [name if len(name) <= min(longest, _LONGEST_LABEL) else "" for name in names]


def key_of(text: str, longest: int) -> str:
    """The text of a cell that names its row; "" where nobody would repeat it."""
    return text if len(text) <= min(longest, _LONGEST_LABEL) else ""
