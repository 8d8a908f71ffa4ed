"""Put texts together from fragments, and map each character to the text that is stored in a block.

A fragment is added text, such as a line break, or shows a range of the block: unchanged, decoded
(the cells of tables), or replaced (a row of a Markdown table, an equation).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from docxchunk.markup.tables import (
    CELL_MARKUP,
    Grid,
    GridCell,
    Range,
    html_steps,
    json_steps,
    json_text,
    unescaped,
)
from docxchunk.markup.tags import Replacement
from docxchunk.model.blocks import TableFormat
from docxchunk.model.chunks import Added, AddedRole, Part, Slice, SliceRole


class Fragment(NamedTuple):
    """Text that is either added or shows `content[start:end]` of a block.

    Character n shows the stored text from `steps[n]` to `steps[n + 1]`, counted from `start`. If
    `steps` is None, the characters are the stored ones, unless the text is `replaced`: then its
    characters are mapped evenly to the stored ones.
    """

    text: str
    start: int = 0
    end: int = 0
    added: AddedRole | None = None
    role: SliceRole = SliceRole.TEXT
    steps: Sequence[int] | None = None
    replaced: bool = False  # the shown text differs from the stored one

    def part(self, block: str, a: int, b: int, role: SliceRole | None = None) -> Part:
        """Return characters [a, b) as a part of a chunk. Its role is `role`, by default that of the
        fragment.
        """
        if self.added:
            return Added(self.text[a:b], self.added)
        replacement = self.text[a:b] if self.replaced else None
        return Slice(block, *self._stored(a, b), role or self.role, replacement)

    def cut(self, a: int, b: int) -> Fragment:
        """Return characters [a, b) as a fragment."""
        start, end = self._stored(a, b)
        first = start - self.start
        steps = self.steps and [step - first for step in self.steps[a : b + 1]]
        return self._replace(text=self.text[a:b], start=start, end=end, steps=steps)

    def _stored(self, a: int, b: int) -> Range:
        """Return the range in the block that characters [a, b) show."""
        if (a, b) == (0, len(self.text)):
            return self.start, self.end
        steps = _spread(self.text, self.end - self.start) if self.replaced else self.steps
        return self.start + (steps[a] if steps else a), self.start + (steps[b] if steps else b)


def unchanged(content: str, start: int, end: int) -> Fragment:
    """Return the text [start, end) of a block, unchanged."""
    return Fragment(content[start:end], start, end)


def read_fragment(fragment: Fragment, readings: Iterable[Replacement]) -> Iterator[Fragment]:
    """Yield the pieces of a fragment, with the ranges of `readings` replaced by their texts."""
    at = 0
    for start, end, text in () if fragment.added else readings:
        if at < start:
            yield fragment.cut(at, start)
        yield fragment.cut(start, end)._replace(text=text, steps=None, replaced=True)
        at = end
    if at == 0:
        yield fragment
    elif at < len(fragment.text):
        yield fragment.cut(at, len(fragment.text))


@lru_cache(maxsize=4)  # a long formula is cut into many parts, one after another
def _spread(text: str, over: int) -> Sequence[int]:
    """Map the characters of a text evenly to `over` stored characters: n + 1 offsets. Whitespace
    maps to nothing, because a cut may drop it.
    """
    seen = [*accumulate((not character.isspace() for character in text), initial=0)]
    return [over * count // max(seen[-1], 1) for count in seen]


def cell_fragments(grid: Grid, cell: GridCell) -> Iterator[Fragment]:
    """Yield the decoded texts of a cell; nothing for an empty cell. Two texts of HTML are separated
    by a space if a tag is between them.
    """
    content, at, cell_end = grid.content, cell.start, cell.end
    if grid.format is TableFormat.JSON:
        raw = content[at:cell_end]
        steps = json_steps(raw) if "\\" in raw else None
        yield Fragment(json_text(raw), at, cell_end, None, SliceRole.CELL, steps)
        return
    open_gap = False
    for mark in [*CELL_MARKUP.finditer(content, at, cell_end), None]:
        end = mark.start() if mark else cell_end
        raw = content[at:end]
        if raw.strip():
            if open_gap:
                yield Fragment(" ", added=AddedRole.JOIN)
            text = unescaped(raw)
            yield (
                unchanged(content, at, end)
                if text == raw
                else Fragment(text, at, end, None, SliceRole.CELL, html_steps(raw))
            )
            open_gap = True
        at = mark.end() if mark else end


class ComposedText:
    """A text that is put together from fragments."""

    def __init__(self) -> None:
        self.size = 0
        self._fragments: list[Fragment] = []
        self._starts: list[int] = []

    def add(self, fragment: Fragment) -> Range:
        """Add a fragment at the end; return its range in the text."""
        start = self.size
        if fragment.text:
            self._fragments.append(fragment)
            self._starts.append(start)
            self.size += len(fragment.text)
        return start, self.size

    @property
    def text(self) -> str:
        return "".join(fragment.text for fragment in self._fragments)

    @property
    def last_words(self) -> str:
        """The text of the last two fragments."""
        return "".join(fragment.text for fragment in self._fragments[-2:])

    def parts(
        self, block: str, start: int, end: int, role: SliceRole | None = None
    ) -> tuple[Part, ...]:
        """Return characters [start, end) as the parts of a chunk. `block` is the id of their block;
        `role` is their role, by default that of their fragment.
        """
        parts: list[Part] = []
        first = max(bisect_right(self._starts, start) - 1, 0)
        for number in range(first, len(self._fragments)):
            fragment, at = self._fragments[number], self._starts[number]
            if at >= end:
                break
            a, b = max(start - at, 0), min(end - at, len(fragment.text))
            if a < b:
                parts.append(fragment.part(block, a, b, role))
        return tuple(parts)
