"""Clauses whose text runs on in the line of their number: "第四条 …", "Article 4. The seller shall …"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from docxchunk.reader.headings.lines import Line
from docxchunk.reader.headings.numbers import ARTICLE, division_of
from docxchunk.reader.headings.order import orders
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.story import Item

_LEAST: Final = 2
_IN_ORDER: Final = 0.7  # of the clauses, where they are clauses
_TITLE: Final = 50  # letters that a title may have
_STARTS: Final = re.compile(r"\s*(?:第|제|§|[^\W\d_]{2,10}\.?\s)")
_READ: Final = 40  # letters that a number may take


class Clause(NamedTuple):
    """A clause: its number is a heading of its own."""

    line: Line
    length: int  # of the number


def clauses_of(items: Sequence[Item]) -> list[Clause]:
    """The clauses of a document, if they run in order; one with a short title and no text in its line is no clause, but the heading of one."""
    found: dict[str, list[Line]] = defaultdict(list)
    for place, item in enumerate(items):
        line = _clause(place, item) if isinstance(item, Paragraph) and not item.label and not item.outline.level and not item.is_toc else None
        if line is not None and line.number is not None:
            found[line.number.kind].append(line)
    return [clause for lines in found.values() for clause in _clauses(lines)]


def _clauses(lines: Sequence[Line]) -> list[Clause]:
    told = orders(lines)
    if len(lines) < _LEAST or sum(order == "in_order" for order in told) < _IN_ORDER * len(lines):
        return []
    return [
        Clause(line, line.number.length)
        for line, order in zip(lines, told, strict=True)
        if order != "out_of_order" and line.number and _is_text(line.text[line.number.length :])
    ]


def _clause(place: int, item: Paragraph) -> Line | None:
    """The paragraph, if it begins with the number of an article."""
    if item.look is None or not _STARTS.match(item.raw):
        return None
    text = item.raw.strip()
    number = division_of(text[:_READ])
    return Line(place, item, item.look, text, number, is_automatic=False, length=0, capitals=False) if number and number.rank == ARTICLE else None


def _is_text(rest: str) -> bool:
    """Is what follows the number its text, rather than its title?"""
    rest = rest.strip()
    return len(rest) > _TITLE or rest.endswith((".", "。", ";", "；", ":", "："))
