"""Make the outline: headings and parts of long sections, as links to the chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docxchunk.formats.report.cards import ChunkCard, beginning
from docxchunk.formats.report.values import RenderContext
from docxchunk.markup.citations import label_of
from docxchunk.model.chunks import Slice, SliceRole


class OutlineEntry(NamedTuple):
    """A link of the outline."""

    anchor: str  # id of the linked element of the page
    text: str
    level: int  # of the heading; 0: the first words of a chunk without a heading
    number: int  # of the chunk
    label: str = ""  # the first words of a clause whose heading is its number


def outline(cards: Sequence[ChunkCard], setting: RenderContext) -> tuple[OutlineEntry, ...]:
    """Return the headings in the cards, and the beginning of each card without a heading."""
    return tuple(entry for card in cards for entry in _entries(card, setting))


def _entries(card: ChunkCard, setting: RenderContext) -> Iterator[OutlineEntry]:
    headings = list(_headings(card, setting))
    if headings:
        yield from headings
    elif text := card.hint or beginning(card.body):
        yield OutlineEntry(card.key, text, 0, card.number)


def _headings(card: ChunkCard, setting: RenderContext) -> Iterator[OutlineEntry]:
    for part in card.chunk.parts:
        if (
            isinstance(part, Slice)
            and part.role is SliceRole.TEXT
            and part.start == 0
            and part.block in setting.blocks
        ):
            number = setting.blocks[part.block].number
            block = setting.document.blocks[number]
            if block.level and block.content.startswith("#"):  # else the block continues a section
                yield OutlineEntry(
                    f"{setting.key}-b{number}",
                    block.heading,
                    block.level,
                    card.number,
                    label_of(block),
                )
