"""The lines of a document that could be headings: those that stand out from its body text.

`body_of` describes the body text, `line_of` prepares a short paragraph, and `prominent_lines`
chooses the lines with a number, or in larger or bold letters or in capitals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from docxchunk.language.numbers import Number, number_of_paragraph
from docxchunk.markup.tags import plain
from docxchunk.ooxml.formatting import Look
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import OBJECT, finish_cell, without_notes

LONGEST: Final = 160  # greatest width of a line
LONGEST_HEADING: Final = 200  # characters of a marked heading
LENGTH_OF_TABLE: Final = 500
_LEAST_LETTERS: Final = 2
LARGER: Final = 1.04  # a size that is larger by this factor is larger as readers see it
_WIDE: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NARROW: Final = re.compile("[\x00-\u10ff\u1200-\u303f]*+")  # much faster than `_WIDE`
_CAPITALS: Final = re.compile("[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]{4}")  # abbreviations have fewer


# --- The body text

_Value = TypeVar("_Value")
_RUNNING: Final = 80  # a paragraph with this many characters is running text
_COMMON: Final = 0.2  # a size is common if this share of the characters has it


class Body(NamedTuple):
    """The most common value of each property in the body text, counted in characters."""

    size: int = 0  # half points
    bold: bool = False
    caps: bool = False
    color: str = ""
    indent: int = 0  # twentieths of a point


def body_of(items: Iterable[Item]) -> Body:
    """Return the most common value of each property in running text. If no paragraph is long,
    headings may be most of the text: then it has the smallest common size, and nothing else.
    """
    texts = [
        (look, item.layout, len(item.raw))
        for item in items
        if isinstance(item, Paragraph)
        and (look := item.look) is not None
        and not item.outline.level
        and not item.is_toc
    ]
    running = [text for text in texts if text[2] >= _RUNNING]
    if not running:
        return Body(_smallest([(look.size, length) for look, _, length in texts]))
    return Body(
        _most_common((look.size, length) for look, _, length in running),
        _most_common((look.bold, length) for look, _, length in running),
        _most_common((look.caps, length) for look, _, length in running),
        _most_common((look.color, length) for look, _, length in running),
        _most_common((layout.indent, length) for _, layout, length in running),
    )


def _smallest(sizes: Iterable[tuple[int, int]]) -> int:
    totals: Counter[int] = Counter()
    for size, count in sizes:
        totals[size] += count
    return min(
        (size for size, count in totals.items() if count >= _COMMON * totals.total()), default=0
    )


def _most_common(counts: Iterable[tuple[_Value, int]]) -> _Value:
    """Return the value with the largest sum of counts."""
    totals: Counter[_Value] = Counter()
    for value, count in counts:
        totals[value] += count
    return totals.most_common(1)[0][0]


# --- Lines


class TextLine(NamedTuple):
    """A paragraph that may be a heading, or begin with one."""

    item_index: int  # among the items
    item: Paragraph
    look: Look
    text: str  # without its automatic number
    number: Number | None  # automatic or typed
    is_automatic: bool  # the number is one that Word counts
    # these are computed by `line_of` alone
    width: int = 0
    capitals: bool = False  # by formatting, or typed


def line_of(index: int, item: Paragraph) -> TextLine | None:
    """Return the paragraph as a line. Return None if it is too long, has fewer than two letters, or
    is a caption, an object or an entry of a table of contents.
    """
    look, raw, label = item.look, item.raw, item.label.strip()
    if look is None or len(raw) > LONGEST or item.is_toc or item.is_caption or OBJECT in raw:
        return None
    text = _text_of(raw)
    length = width(text)
    if length > LONGEST or sum(map(str.isalpha, text)) < _LEAST_LETTERS:
        return None
    number = number_of_paragraph(text, label)
    capitals = look.caps or (text.isupper() and _CAPITALS.search(text) is not None)
    return TextLine(index, item, look, text, number, bool(label), length, capitals)


def _text_of(raw: str) -> str:
    """Return the text of a paragraph on one line, without tags and note marks."""
    text = " ".join(raw.split())
    if text.isprintable() and "<" not in text and "&" not in text:  # neither marks nor tags
        return text
    return plain(finish_cell(without_notes(raw), lambda _: ""))


def numbered_line_of(index: int, item: Item) -> TextLine | None:
    """Return a paragraph of any length as a line. Return None if it has no number, or if it is a
    marked heading, a caption or an entry of a table of contents.
    """
    if (
        not isinstance(item, Paragraph)
        or item.look is None
        or item.outline.level
        or item.is_toc
        or item.is_caption
    ):
        return None
    text, label = item.raw.strip(), item.label.strip()
    number = number_of_paragraph(text, label) if text else None
    return TextLine(index, item, item.look, text, number, bool(label)) if number else None


def prominent_lines(items: Sequence[Item], body: Body) -> Iterator[TextLine]:
    """Yield the lines with a number, or with larger or bold letters or capitals, unlike the body
    text; no marked headings.
    """
    for index, item in enumerate(items):
        if not isinstance(item, Paragraph) or item.outline.level:
            continue
        line = line_of(index, item)
        if line and (
            line.number is not None
            or line.look.size > body.size * LARGER
            or (line.look.bold and not body.bold)
            or (line.capitals and not body.caps)
        ):
            yield line


def length_of(item: Item) -> int:
    """Return the number of characters of an item; a table counts as `LENGTH_OF_TABLE`."""
    return len(item.raw) if isinstance(item, Paragraph) else LENGTH_OF_TABLE


def width(text: str) -> int:
    """Return the number of characters; an ideograph, kana or Hangul syllable counts as two."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    return 2 * len(text) - len(_WIDE.sub("", text))
