"""A table row that is too long for a table, written out as `column: cell` lines (p-strategy.md, 3.B)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.markup.tables import Cell, Range, cells, header_texts, json_steps
from docxchunk.model.chunks import Added, AddedRole, Part, Slice, SliceRole
from docxchunk.model.objects import TableFormat

_LONGEST_LABEL: Final = 60  # characters
_CELL_MARKUP = re.compile(r"</?(?:table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th|p|div|br|ul|ol|li)\b[^<>]*>", re.IGNORECASE)


class _Run(NamedTuple):
    """Shown text, and what it is: added text, or a range of the block."""

    text: str
    start: int  # of the block; unused where `added`
    role: SliceRole
    added: AddedRole | None
    steps: Sequence[int]  # where the raw text of each shown character begins, from `start` on


class RowText:
    """The text of a row, and the parts that any range of it is made of. `keep` are the labels, each with the first character of its cell."""

    def __init__(self, content: str, block: str, row: Range, fmt: TableFormat | None, labels: Sequence[str]) -> None:
        self._block = block
        self._runs = list(_runs(content, row, fmt, labels))
        self.text = "".join(run.text for run in self._runs)
        self.keep: list[Range] = []
        at = 0
        for run in self._runs:
            end = at + len(run.text)
            if run.added is AddedRole.LABEL:
                self.keep.append((at, end + 1))
            at = end

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
        return Slice(self._block, run.start + run.steps[a], run.start + run.steps[b], run.role)


def _runs(content: str, row: Range, fmt: TableFormat | None, labels: Sequence[str]) -> Iterator[_Run]:
    found = cells(content, row, fmt) if fmt else []
    if not found:
        yield _slice(content, *row)
        return
    column = 0
    between = ""
    for cell in found:
        shown = list(_json_cell(content, cell) if fmt is TableFormat.JSON else _html_cell(content, cell))
        if any(not run.text.isspace() for run in shown):
            if between:
                yield _added(between, AddedRole.JOIN)
            if column < len(labels) and labels[column]:
                yield _added(f"{labels[column]}: ", AddedRole.LABEL)
            yield from shown
            between = "\n"
        column += cell.columns


def _json_cell(content: str, cell: Cell) -> Iterator[_Run]:
    raw = content[cell.start : cell.end]
    text = json.loads(f'"{raw}"')
    if text:
        yield _Run(text, cell.start, SliceRole.CELL, None, range(len(raw) + 1) if text == raw else json_steps(raw))


def _html_cell(content: str, cell: Cell) -> Iterator[_Run]:
    """The texts of a cell as they stand there; a space for each tag between them."""
    at = cell.start
    open_gap = False
    for mark in [*_CELL_MARKUP.finditer(content, cell.start, cell.end), None]:
        end = mark.start() if mark else cell.end
        if content[at:end].strip():
            if open_gap:
                yield _added(" ", AddedRole.JOIN)
            yield _slice(content, at, end)
            open_gap = True
        at = mark.end() if mark else end


def _slice(content: str, start: int, end: int) -> _Run:
    return _Run(content[start:end], start, SliceRole.TEXT, None, range(end - start + 1))


def _added(text: str, role: AddedRole) -> _Run:
    return _Run(text, 0, SliceRole.TEXT, role, ())


def labels_of(header: str | None, longest: int) -> list[str]:
    """The names of columns, from a table's header rows; "" for one of more characters than `longest`, or than anybody would repeat."""
    rows = header_texts(header) if header else []
    width = max((len(row) for row in rows), default=0)
    names = [" ".join(dict.fromkeys(" ".join(row[i].split()) for row in rows if i < len(row) and row[i].strip())) for i in range(width)]
    return [name if len(name) <= min(longest, _LONGEST_LABEL) else "" for name in names]
