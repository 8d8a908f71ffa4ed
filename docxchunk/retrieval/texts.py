"""Show places of a document as Markdown, as many as fit into a number of tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Final

import orjson

from docxchunk.chunking.sentences import sentence_ends
from docxchunk.formats.markdown import with_pictures_in
from docxchunk.markup.table_texts import header_rows, rows_of
from docxchunk.markup.tags import escape_text, table_tag
from docxchunk.model.blocks import Block, Line, TableFormat
from docxchunk.retrieval.places import Place, Places

_WIDEST_TOKEN: Final = 16  # characters: a text of n tokens is looked for in 16 n characters

_SPACE: Final = re.compile(r"\s")
_NEW_LINE: Final = re.compile(r"\n")

Count = Callable[[str], int]


class Texts:
    """Shows places as Markdown. `count` counts tokens."""

    def __init__(self, places: Places, count: Count) -> None:
        self._places = places
        self._count = count
        self._grids: dict[str, tuple[list[list[str]], range]] = {}  # rows and header, by table

    def markdown(self, region: range) -> str:
        """Return some places as Markdown, with pictures as their descriptions. Of a table in part,
        the header rows are shown, too.
        """
        blocks: list[Block] = []
        shown = self._places.all[region.start : region.stop]
        for number, group in groupby(shown, key=attrgetter("block")):
            block = self._places.document.blocks[number]
            texts: list[str] = []
            lines: list[Line] = []
            for table, several in groupby(group, key=attrgetter("table")):
                places = list(several)
                if table:
                    texts.append(self._table(places))
                    places = places[:1]
                else:
                    texts += [block.content[place.start : place.end] for place in places]
                for place in places:
                    lines += self._places.lines(number, place.start, place.start)
            blocks.append(replace(block, content="\n".join(texts), lines=tuple(lines)))
        shown_part = replace(self._places.document, blocks=tuple(blocks))
        return with_pictures_in(shown_part, None).to_markdown()

    def _table(self, rows: list[Place]) -> str:
        """Return some rows of a table, with its header rows, as a table of a block. Merged cells
        are repeated.
        """
        table = self._places.document.tables.get(rows[0].table)
        if table is None:
            return "\n".join(row.text for row in rows)
        if table.id not in self._grids:
            self._grids[table.id] = (rows_of(table), range(len(header_rows(table))))
        grid, header = self._grids[table.id]
        numbers = sorted({*header, *(row.row for row in rows)})
        cells = [[escape_text(cell) for cell in grid[number]] for number in numbers]
        return table_tag(table.id, TableFormat.JSON, orjson.dumps(cells).decode())

    def widened(self, core: range, region: range, max_tokens: int) -> range:
        """Return as many places of the region around the core as fit, alternately before and after
        it; of a core that is too long its first places, at least one.
        """
        before, after = core.start - region.start, region.stop - core.stop

        def window(size: int) -> range:
            more = size - len(core)
            if more <= 0:
                return range(core.start, core.start + size)
            up = min(before, max((more + 1) // 2, more - after))
            return range(core.start - up, core.stop + more - up)

        def fits(size: int) -> bool:
            return self._count(self.markdown(window(size))) <= max_tokens

        low, high = 1, 2
        while high <= len(region) and fits(high):
            low, high = high, 2 * high
        high = min(high - 1, len(region))
        while low < high:  # token counts grow with the text
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fits(middle) else (low, middle - 1)
        return window(low)


def fitting(text: str, start: int, max_tokens: int, count: Count) -> int:
    """Return the end of the longest text from `start` that fits and ends with a sentence, a line or
    a row. If that is less than half of what fits, the text ends with a word, or else a character.
    """
    if max_tokens < 1:
        return start
    last = min(len(text), start + _WIDEST_TOKEN * max_tokens)

    def fits(end: int) -> bool:
        return count(text[start:end].strip()) <= max_tokens

    def longest(ends: Sequence[int]) -> int:
        number = bisect_right(ends, 0, key=lambda end: not fits(end))
        return ends[number - 1] if number else start

    if last == len(text) and fits(last):
        return last
    words = longest([match.end() for match in _SPACE.finditer(text, start, last)])
    if words == start:
        return max(longest(range(start + 1, last + 1)), start + 1)
    lines = {match.end() for match in _NEW_LINE.finditer(text, start, words)}
    sentences = {end for end in sentence_ends(text, start, words) if not _in_row(text, end)}
    whole = longest(sorted(lines | sentences))
    return whole if 2 * (whole - start) >= words - start else words


def _in_row(text: str, at: int) -> bool:
    """Return whether a character is in a row of a table."""
    return text.startswith("|", text.rfind("\n", 0, at) + 1)
