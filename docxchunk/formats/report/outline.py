"""The headings of a document, and the parts that its long sections are cut into, as links to the chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docxchunk.formats.report.cards import Card, beginning
from docxchunk.formats.report.values import Setting
from docxchunk.model.chunks import Slice, SliceRole


class Entry(NamedTuple):
    """A link to `anchor`. `level` is 0 for an entry that is no heading: the beginning of a chunk."""

    anchor: str
    text: str
    level: int
    number: int


def outline(cards: Sequence[Card], setting: Setting) -> tuple[Entry, ...]:
    """The headings that stand in the cards, and the beginning of each later part; of a document without headings, the beginnings of its chunks."""
    return tuple(entry for card in cards for entry in _entries(card, setting))


def _entries(card: Card, setting: Setting) -> Iterator[Entry]:
    headings = list(_headings(card, setting))
    if headings:
        yield from headings
    elif text := card.hint or beginning(card.body):
        yield Entry(card.key, text, 0, card.number)


def _headings(card: Card, setting: Setting) -> Iterator[Entry]:
    for part in card.chunk.parts:
        if isinstance(part, Slice) and part.role is SliceRole.TEXT and part.start == 0 and part.block in setting.blocks:
            number = setting.blocks[part.block].number
            block = setting.document.blocks[number]
            if block.level and block.content.startswith("#"):  # else it goes on under a heading
                yield Entry(f"{setting.key}-b{number}", block.heading, block.level, card.number)
