"""Read the text of table cells, and map each of its characters to the stored text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from docxchunk.markup.reading import Replacement
from docxchunk.markup.tables import (
    CELL_MARKUP,
    Grid,
    GridCell,
    html_steps,
    json_steps,
    json_text,
    unescaped,
)
from docxchunk.model.blocks import TableFormat
from docxchunk.model.chunks import Added, AddedRole, Part, Slice, SliceRole


class CellRun(NamedTuple):
    """Shown text that is either added or a range of the block."""

    text: str
    start: int  # offset in the block; unused if `added`
    role: SliceRole
    added: AddedRole | None
    # the offset from `start` of the stored text of each shown character, then the end
    steps: Sequence[int]
    replaced: bool = False  # the shown text differs from the stored one

    def cut(self, a: int, b: int) -> CellRun:
        """Return characters [a, b) as a run."""
        first = self.steps[a]
        return self._replace(
            text=self.text[a:b],
            start=self.start + first,
            steps=[step - first for step in self.steps[a : b + 1]],
        )

    def part(self, block: str, a: int, b: int) -> Part:
        """Return characters [a, b) as a part of a chunk."""
        if self.added:
            return Added(self.text[a:b], self.added)
        return Slice(
            block,
            self.start + self.steps[a],
            self.start + self.steps[b],
            self.role,
            self.text[a:b] if self.replaced else None,
        )


def slice_run(content: str, start: int, end: int) -> CellRun:
    """Return the unchanged text [start, end) of a block."""
    return CellRun(content[start:end], start, SliceRole.TEXT, None, range(end - start + 1))


def added_run(text: str, role: AddedRole) -> CellRun:
    """Return text that is not in the block."""
    return CellRun(text, 0, SliceRole.TEXT, role, ())


def read_run(run: CellRun, readings: Iterable[Replacement]) -> Iterator[CellRun]:
    """Yield a run in parts, with the ranges of `readings` replaced by their texts."""
    at = 0
    for start, end, text in () if run.added else readings:
        if at < start:
            yield run.cut(at, start)
        yield run.cut(start, end)._replace(
            text=text, steps=spread(text, run.steps[end] - run.steps[start]), replaced=True
        )
        at = end
    if at == 0:
        yield run
    elif at < len(run.text):
        yield run.cut(at, len(run.text))


def spread(text: str, over: int) -> list[int]:
    """Map the characters of a text evenly to `over` stored characters: n + 1 offsets. Whitespace
    maps to nothing, because a cut may drop it.
    """
    seen = [*accumulate((not character.isspace() for character in text), initial=0)]
    return [over * count // max(seen[-1], 1) for count in seen]


def cell_runs(grid: Grid, cell: GridCell) -> Iterator[CellRun]:
    """Yield the texts of a cell, if it is not empty; those of HTML are separated by spaces where
    there are tags between them.
    """
    content = grid.content
    if grid.format is TableFormat.JSON:
        raw = content[cell.start : cell.end]
        text = json_text(raw)
        steps = range(len(raw) + 1) if text == raw else json_steps(raw)
        if text:
            yield CellRun(text, cell.start, SliceRole.CELL, None, steps)
        return
    at = cell.start
    open_gap = False
    for mark in [*CELL_MARKUP.finditer(content, cell.start, cell.end), None]:
        end = mark.start() if mark else cell.end
        if content[at:end].strip():
            if open_gap:
                yield added_run(" ", AddedRole.JOIN)
            yield _html_text(content, at, end)
            open_gap = True
        at = mark.end() if mark else end


def _html_text(content: str, start: int, end: int) -> CellRun:
    raw = content[start:end]
    text = unescaped(raw)
    return (
        slice_run(content, start, end)
        if text == raw
        else CellRun(text, start, SliceRole.CELL, None, html_steps(raw))
    )
