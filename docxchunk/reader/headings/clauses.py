"""Find clauses whose text follows their number in the same paragraph: "第四条 …", "Article 4. The seller shall …"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from docxchunk.reader.headings.lines import TextLine
from docxchunk.reader.headings.numbers import ARTICLE, division_of
from docxchunk.reader.headings.order import orders
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

CLAUSE_CONFIDENCE: Final = 0.95  # of the number of a clause as a heading
_LEAST: Final = 2
_IN_ORDER: Final = 0.7  # least share of clauses whose numbers run in order
_TITLE: Final = 50  # most characters of a title
_STARTS: Final = re.compile(r"\s*(?:第|제|§|[^\W\d_]{2,10}\.?\s)")
_READ: Final = 40  # most characters of a number


class Clause(NamedTuple):
    """A clause, whose number becomes a heading."""

    line: TextLine
    length: int  # characters of the number


def clauses_of(items: Sequence[Item]) -> list[Clause]:
    """Return the clauses of a document, if their numbers run in order.

    A paragraph that has only a short title after its number is left out: it is a heading as a whole.
    """
    found: dict[str, list[TextLine]] = defaultdict(list)
    for place, item in enumerate(items):
        line = _clause(place, item) if isinstance(item, Paragraph) and not item.label and not item.outline.level and not item.is_toc else None
        if line is not None and line.number is not None:
            found[line.number.kind].append(line)
    return [clause for lines in found.values() for clause in _clauses(lines)]


def _clauses(lines: Sequence[TextLine]) -> list[Clause]:
    found_orders = orders(lines)
    if len(lines) < _LEAST or sum(order == "in_order" for order in found_orders) < _IN_ORDER * len(lines):
        return []
    return [
        Clause(line, line.number.length)
        for line, order in zip(lines, found_orders, strict=True)
        if order != "out_of_order" and line.number and _is_text(line.text[line.number.length :])
    ]


def _clause(place: int, item: Paragraph) -> TextLine | None:
    """Return the paragraph as a line if it begins with the number of an article."""
    if item.look is None or not _STARTS.match(item.raw):
        return None
    text = item.raw.strip()
    number = division_of(text[:_READ])
    return TextLine(place, item, item.look, text, number, is_automatic=False, length=0, capitals=False) if number and number.rank == ARTICLE else None


def _is_text(rest: str) -> bool:
    """Return whether the number is followed by text rather than by a title."""
    rest = rest.strip()
    return len(rest) > _TITLE or rest.endswith((".", "。", ";", "；", ":", "："))
