"""Passages: the text of places as Markdown, as much as fits into a number of tokens, and their
citations.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Final

import orjson

from docxchunk.content.citations import Placed, location
from docxchunk.content.lines import placement
from docxchunk.content.table_texts import header_rows, rows_of
from docxchunk.content.tags import escape_text, table_tag
from docxchunk.errors import UsageError
from docxchunk.formats.markdown import with_pictures_in
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import sentence_ends
from docxchunk.model.blocks import Block, Line, TableFormat
from docxchunk.model.chunks import Chunk, Slice, Unit
from docxchunk.model.ports import Count
from docxchunk.retrieval.finding.names import NamedPlaces
from docxchunk.retrieval.finding.places import Place, Places
from docxchunk.retrieval.finding.running import Occurrence, Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A place of a document that answers a question: its text, with citation.

    - `place`: its place in the document: "3. Term > 3(a), p. 1, ¶ 20". For one row of a table,
      ", row 3" follows.
    - `citation`: the name of the document and the place.
    - `number`: the full number of the clause: "8.2(a)"; "" if it has none.
    - `left_out`: the number of tokens that follow and did not fit; 0 if none. For results of
      `expand`, the number of tokens of the section that are not shown.
    - `next`: the number of the character at which to continue; None at the end.
    - `section`: for results of `expand` with text left out, the name of the section, for `read`; ""
      for others.
    - `match`: for results of `find`, `define` and `references`, where the first match begins and
      ends in `text`: `text[match[0] : match[1]]`; None for others.
    - `relation`: for results of `references`, "refers to" or "referred to in"; "" for others.
    """

    text: str
    citation: str
    place: str = ""
    number: str = ""
    left_out: int = 0
    next: int | None = None
    match: tuple[int, int] | None = None
    section: str = ""
    relation: str = ""


class CitedPlaces(NamedPlaces):
    """The places of a document, with citations."""

    def page(self, index: int) -> int | None:
        """Return the page on which a place begins; None if unknown."""
        return next((line.page for line in self._lines_of(self.all[index])), None)

    def passage(self, first: int, last: int, match: Span | None = None) -> Passage:
        """Return the text of some neighbouring places, with its citation."""
        text = "\n".join(place.text for place in self.all[first : last + 1])
        return replace(self.citation(range(first, last + 1)), text=text, match=match)

    def matched(self, occurrences: Iterable[Occurrence]) -> list[Passage]:
        """Return the places of some occurrences, each with the first of them as its match."""
        return [self.passage(hit.place, max(hit.place, hit.last), hit.span) for hit in occurrences]

    def citation(self, region: range, placed: Placed | None = None) -> Passage:
        """Return a passage without text, which cites a region or, with `placed`, a chunk or unit in
        it.
        """
        first = self.all[self.anchors.get(region.start, region.start)]
        path = self.path_of(region)
        row = f", row {first.row + 1}" if first.table and len(region) == 1 and not placed else ""
        placed = placed or placement(
            (self.blocks[number], [line for place in group for line in self._lines_of(place)])
            for number, group in groupby(
                self.all[region.start : region.stop], key=attrgetter("block")
            )
        )
        return Passage(
            "",
            location(path, placed, self.document.name) + row,
            location(path, placed) + row,
            first.number or self.numbers[first.block],
        )

    def _lines_of(self, place: Place) -> list[Line]:
        """Return the records of the lines of a place, with its pages."""
        table = self.document.tables.get(place.table)
        lines = self.lines[place.block]
        return lines.shown(place.start, place.end, table, (place.row, place.row))

    def range_of(self, item: Chunk | Unit | str) -> range:
        """Return the places of a chunk, a unit or a name. Raise UsageError for an item that is not
        of this document, or an unknown name.
        """
        if not isinstance(item, Chunk | Unit):
            return self.region_of(item)
        numbers = self.numbers_by_id
        slices = [part for part in item.parts if isinstance(part, Slice) and part.block in numbers]
        if not slices:
            raise UsageError(f"{item!r} has no text of {self.document.name}.")
        starts = [self.at(numbers[part.block], part.start) for part in slices]
        ends = [self.at(numbers[part.block], max(part.end - 1, part.start)) for part in slices]
        return range(min(starts), max(ends) + 1)


# -- their text

_WIDEST_TOKEN: Final = 16  # characters: a text of n tokens is looked for in 16 n characters

_SPACE: Final = pattern(r"\s")
_NEW_LINE: Final = pattern(r"\n")


class Texts:
    """Shows places as Markdown."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._grids: dict[str, tuple[list[list[str]], range]] = {}  # rows and header, by table

    def markdown(self, region: range) -> str:
        """Return some places as Markdown, with pictures as their descriptions. A part of a table is
        shown below the header rows.
        """
        blocks: list[Block] = []
        places_shown = self._places.all[region.start : region.stop]
        for number, group in groupby(places_shown, key=attrgetter("block")):
            block = self._places.document.blocks[number]
            texts: list[str] = []
            lines: list[Line] = []
            for table, table_places in groupby(group, key=attrgetter("table")):
                places = list(table_places)
                if table:
                    texts.append(self._table(places))
                    places = places[:1]
                else:
                    texts += [block.content[place.start : place.end] for place in places]
                if self._places.lines[number].are_known:
                    lines += map(self._places.line, places)
            blocks.append(replace(block, content="\n".join(texts), lines=tuple(lines)))
        shown_part = replace(self._places.document, blocks=tuple(blocks))
        return with_pictures_in(shown_part, None).to_markdown()

    def _table(self, rows: list[Place]) -> str:
        """Return some rows of a table, with its header rows, as a table of a block. Merged cells
        are repeated.
        """
        table = self._places.document.tables.get(rows[0].table)
        lines = "\n".join(row.text for row in rows)
        if table is None:
            return lines
        if table.id not in self._grids:
            self._grids[table.id] = (rows_of(table), range(len(header_rows(table))))
        grid, header = self._grids[table.id]
        numbers = sorted({*header, *(row.row for row in rows)})
        if numbers[-1] >= len(grid):  # the table of another parser may not have all rows
            return lines
        cells = [[escape_text(cell) for cell in grid[number]] for number in numbers]
        return table_tag(table.id, TableFormat.JSON, orjson.dumps(cells).decode())

    def widened(self, core: range, region: range, max_tokens: int, count: Count) -> range:
        """Return the core with as many places of the region as fit, added alternately before and
        after it. If the core is too long, return as many of its first places as fit, at least one.
        """
        before, after = core.start - region.start, region.stop - core.stop

        def window(size: int) -> range:
            more = size - len(core)
            if more <= 0:
                return range(core.start, core.start + size)
            up = min(before, max((more + 1) // 2, more - after))
            return range(core.start - up, core.stop + more - up)

        def fits(size: int) -> bool:
            return count(self.markdown(window(size))) <= max_tokens

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
    a row. If this text is less than half of what fits, it may end with any word or, in a long word,
    with any character.
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
    preferred = longest(sorted(lines | sentences))
    return preferred if 2 * (preferred - start) >= words - start else words


def _in_row(text: str, at: int) -> bool:
    return text.startswith("|", text.rfind("\n", 0, at) + 1)
