"""The HTML page of a checked memo: its text with each quotation marked, and the result below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from docxchunk.formats.report import page
from docxchunk.retrieval.memos.check import CheckedQuotation, MemoCheck, shown

_CHANGE: Final = re.compile(r"(\[-(?:(?!\[-|-\]).)*-\]|\{\+(?:(?!\{\+|\+\}).)*\+\})")
_TAGS: Final = {"[-": "del", "{+": "ins"}


class Piece(NamedTuple):
    """A piece of a line: `tag` is "del", "ins" or ""."""

    text: str
    tag: str


class Marked(NamedTuple):
    """A piece of a paragraph: `number` is that of a quotation, 0 for the text between them."""

    text: str
    number: int
    status: str


class Card(NamedTuple):
    """The result for a quotation. `lines` are the lines in pieces."""

    number: int
    status: str
    title: str
    lines: list[list[Piece]]


def html_memo(checked: MemoCheck, name: str) -> str:
    """Return one HTML page with the text of a memo, in which each quotation is marked, and below
    each paragraph the results. Raise MissingExtraError without the extra `report`.
    """
    cards = [_card(number, quotation) for number, quotation in enumerate(checked.quotations, 1)]
    by_paragraph: dict[int, list[Card]] = {}
    for card, (paragraph, _, _) in zip(cards, checked.spans, strict=True):
        by_paragraph.setdefault(paragraph, []).append(card)
    return page(
        "memo.html",
        "diff.js",
        title=name,
        facts=checked.summary,
        cards=cards,
        paragraphs=[
            (paragraph, list(_marked(checked, number)), by_paragraph.get(number, []))
            for number, paragraph in enumerate(checked.paragraphs)
        ],
    )


def _card(number: int, quotation: CheckedQuotation) -> Card:
    lines = [list(_pieces(line)) for line in quotation.lines]
    return Card(number, quotation.status, shown(quotation), lines)


def _pieces(line: str) -> Iterator[Piece]:
    for number, text in enumerate(_CHANGE.split(line)):
        if number % 2:
            yield Piece(text[2:-2], _TAGS[text[:2]])
        elif text:
            yield Piece(text, "")


def _marked(checked: MemoCheck, paragraph: int) -> Iterator[Marked]:
    """Yield the pieces of a paragraph."""
    text, at = checked.paragraphs[paragraph].text, 0
    for number, (index, start, end) in enumerate(checked.spans, 1):
        if index == paragraph:
            yield Marked(text[at:start], 0, "")
            yield Marked(text[start:end], number, checked.quotations[number - 1].status)
            at = end
    yield Marked(text[at:], 0, "")
