"""Short paragraphs of a document, prepared for heading inference."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from docxchunk.markup.tags import plain
from docxchunk.ooxml.formatting import Look
from docxchunk.reader.headings.numbers import (
    Number,
    may_begin_with_number,
    number_of,
    number_of_label,
)
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.text import OBJECT, finish_cell, without_notes

LONGEST: Final = 160  # greatest width of a line
LONGEST_HEADING: Final = 200  # characters of a marked heading
_WIDE: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
LARGER: Final = 1.04
# four in a row, so that abbreviations do not count
_CAPITALS: Final = re.compile("[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]{4}")


class TextLine(NamedTuple):
    """A short paragraph."""

    place: int  # among the items
    item: Paragraph
    look: Look
    text: str  # without its automatic number
    number: Number | None  # automatic or typed
    is_automatic: bool  # the number is one that Word counts
    length: int  # its width
    capitals: bool  # by formatting, or typed

    def is_larger(self, size: int) -> bool:
        return self.look.size > size * LARGER


def line_of(place: int, item: Paragraph) -> TextLine | None:
    """Return the paragraph as a line, None if it is too long, has no letters, or is a caption, an
    object or an entry of a table of contents.
    """
    look, raw = item.look, item.raw
    if look is None or len(raw) > LONGEST or item.is_toc or item.is_caption or OBJECT in raw:
        return None
    text = plain(finish_cell(without_notes(raw), _nothing))
    length = width(text)
    if not text or length > LONGEST or not any(map(str.isalpha, text)):
        return None
    label = item.label.strip()
    capitals = look.caps or (text.isupper() and _CAPITALS.search(text) is not None)
    return TextLine(
        place,
        item,
        look,
        text,
        number_of_label(label) if label else number_of(text),
        bool(label),
        length,
        capitals,
    )


def is_plain_text(item: Paragraph) -> bool:
    """Return whether the text of a paragraph has neither a number nor capitals. A cheap test: False
    does not mean that it has one.
    """
    raw = item.raw
    if item.label or not raw.isprintable() or "<" in raw or "&" in raw:
        return False
    return not raw.isupper() and not may_begin_with_number(raw.lstrip())


def width(text: str) -> int:
    """Return the number of characters; an ideograph, kana or Hangul syllable counts as two."""
    return len(text) if text.isascii() else 2 * len(text) - len(_WIDE.sub("", text))


def _nothing(index: int) -> str:
    return ""
