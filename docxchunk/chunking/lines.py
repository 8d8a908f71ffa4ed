"""Lines of a block: their ranges, kinds and token counts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from docxchunk.chunking.forms.texts import BlockText
from docxchunk.chunking.line_kinds import BLANK_LINE, PARAGRAPH, LineClass, line_class_of, prices
from docxchunk.chunking.text.tokens import Meter, Ruler
from docxchunk.markup.line_roles import roles_of_line
from docxchunk.markup.tables import Range, TableTag
from docxchunk.model.blocks import Line, LineKind, LineRole

_BYTES: Final = 4  # in UTF-8 of a token, about


class Lines:
    """The lines of a block, except blank ones: line i is `content[starts[i]:ends[i]]`. A table is a
    line of its own, and so is an equation of several lines.

    Chunks have at most `max_tokens` tokens.
    """

    def __init__(self, text: BlockText, meter: Meter, max_tokens: int) -> None:
        self.text = text
        self.tables = text.tables
        self.starts, self.ends = _line_ranges(text)
        self._priced: tuple[int, list[LineClass], list[float]] | None = None
        # P cuts lines over an eighth of a chunk
        self.ruler = Ruler(meter, text.content, _BYTES * max_tokens // 8)

    def between(self, start: int, end: int) -> slice:
        """Return the numbers of the lines that overlap a range of the block."""
        first = bisect_right(self.starts, start) - 1
        return slice(
            first if first >= 0 and self.ends[first] > start else first + 1,
            bisect_left(self.starts, end),
        )

    @cached_property
    def records(self) -> list[Line]:
        """The parser's record of each line; inferred from the text if the block has none."""
        stored, starts = self.text.block.lines, self.text.line_starts
        if starts == self.starts and len(starts) == len(stored):
            return list(stored)
        by_start = dict(zip(starts, stored, strict=True)) if len(starts) == len(stored) else {}
        return [by_start.get(start) or Line(kind=self.text.kind_at(start)) for start in self.starts]

    @cached_property
    def kinds(self) -> list[LineKind]:
        return [record.kind for record in self.records]

    @cached_property
    def roles(self) -> list[tuple[LineRole, ...]]:
        """The roles of each line."""
        text = self.text.content
        return [
            roles_of_line(record, text[start:end])
            for record, start, end in zip(self.records, self.starts, self.ends, strict=True)
        ]

    @cached_property
    def break_prices(self) -> list[float]:
        """The price of a cut before each line by the line breaks before it alone."""
        return [
            BLANK_LINE,
            *(
                BLANK_LINE if start - end > 1 else PARAGRAPH
                for start, end in zip(self.starts[1:], self.ends, strict=False)
            ),
        ]

    @cached_property
    def before(self) -> list[int]:
        """The number of tokens of the block before each line, about."""
        return list(map(self.ruler.about, self.starts))

    @cached_property
    def upto(self) -> list[int]:
        """The number of tokens of the block up to the end of each line, about."""
        return list(map(self.ruler.about, self.ends))

    def priced(self, longest: int) -> tuple[list[LineClass], list[float]]:
        """Return the class of each line, and the price of a cut before it. `longest` is the most
        characters of a headline.
        """
        if self._priced is None or self._priced[0] != longest:
            text = self.text.content
            classes = [
                line_class_of(kind, roles, text[start:end], longest)
                for kind, roles, start, end in zip(
                    self.kinds, self.roles, self.starts, self.ends, strict=True
                )
            ]
            self._priced = longest, classes, prices(classes)
        return self._priced[1:]


def _line_ranges(text: BlockText) -> tuple[list[int], list[int]]:
    """Return the starts and ends of the lines, without line breaks. A table is a line of its
    own.
    """
    content, tables = text.content, text.tables
    starts: list[int] = []
    ends: list[int] = []

    def add(start: int, end: int) -> None:
        for line in content[start:end].split("\n"):
            if line and not line.isspace():
                starts.append(start)
                ends.append(start + len(line))
            start += len(line) + 1

    at = 0
    for start, end in _whole(tables, text.unbroken):
        add(at, start)
        if start in tables or not (starts and ends[-1] == start):
            starts.append(start)
            ends.append(end)
        else:
            ends[-1] = end
        at = end
    add(at, len(content))
    return starts, ends


def _whole(tables: Mapping[int, TableTag], unbroken: Sequence[Range]) -> list[Range]:
    """Return the ranges that are one line despite line breaks: tables, and equations of several
    lines outside tables.
    """
    whole = [(table.start, table.end) for table in tables.values()]
    return sorted(
        whole
        + [
            tag
            for tag in unbroken
            if not any(tag[0] < end and start < tag[1] for start, end in whole)
        ]
    )
