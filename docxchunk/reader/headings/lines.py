"""The lines of a document that could be headings: those that stand out from its body text.

`body_of` describes the body text, and `line_of` prepares a short paragraph. `prominent_lines`
chooses the lines with a number, or with another look than the body text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar

from docxchunk.language.numbers import Number, number_of_paragraph
from docxchunk.markup.tags import plain
from docxchunk.ooxml.formatting import Layout, Look, is_monospaced
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import OBJECT, finish_cell, without_notes

LONGEST: Final = 160  # greatest width of a line
LONGEST_HEADING: Final = 200  # characters of a marked heading
LENGTH_OF_TABLE: Final = 500
LARGER: Final = 1.04  # a size that is larger by this factor is larger as readers see it
# in the name of a style
STYLE_OF_HEADING: Final = re.compile(
    r"head|title|überschrift|titre|título|titolo|заголов|标题|標題|제목|section|chapter|kop",
    re.IGNORECASE,
)
_WIDE: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NARROW: Final = re.compile("[\x00-\u10ff\u1200-\u303f]*+")  # much faster than `_WIDE`
# at least four: abbreviations have fewer
_IN_BRACKETS: Final = re.compile(r"\([^()]*\)")
_CAPITALS: Final = re.compile("[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]{4}")


# --- The body text

_Format = TypeVar("_Format", Look, Layout)
_Value = TypeVar("_Value")
_RUNNING: Final = 80  # a paragraph with this many characters is running text
_COMMON: Final = 0.2  # a size is common if this share of the characters has it
_MAX_COUNTED: Final = 400  # characters of a paragraph that count, so that none outweighs the others


class Body(NamedTuple):
    """The most common value of each property in the body text, counted in characters."""

    size: int  # half points
    bold: bool
    italic: bool
    caps: bool
    underline: bool
    color: str
    fonts: tuple[str, str]
    align: str
    indent: int
    before: int
    keep_next: bool


def body_of(items: Iterable[Item]) -> Body:
    """Return the most common value of each property in running text.

    If no paragraph is long, headings may be most of the text. Then the body text has no bold,
    italic and so on, and the smallest common size.
    """
    texts = [
        item
        for item in items
        if isinstance(item, Paragraph)
        and item.look is not None
        and not item.outline.level
        and not item.is_toc
    ]
    running = [item for item in texts if len(item.raw) >= _RUNNING]
    looks, layouts = _characters_by_format(running or texts)
    return Body(
        size=_most_common(looks, attrgetter("size")) if running else _smallest(looks),
        bold=bool(running) and _most_common(looks, attrgetter("bold")),
        italic=bool(running) and _most_common(looks, attrgetter("italic")),
        caps=bool(running) and _most_common(looks, attrgetter("caps")),
        underline=bool(running) and _most_common(looks, attrgetter("underline")),
        color=_most_common(looks, attrgetter("color")),
        fonts=_most_common(looks, attrgetter("font", "font_asia")),
        align=_most_common(layouts, attrgetter("align")),
        indent=_most_common(layouts, attrgetter("indent")),
        before=_most_common(layouts, attrgetter("before")),
        keep_next=_most_common(layouts, attrgetter("keep_next")),
    )


def _characters_by_format(texts: Iterable[Paragraph]) -> tuple[Counter[Look], Counter[Layout]]:
    """Return the number of characters of each look and of each layout; the defaults if there are
    none.
    """
    # First by the identity of look and layout: paragraphs share these objects, and to hash their
    # values takes long.
    counts: Counter[tuple[int, int]] = Counter()
    examples: dict[tuple[int, int], Paragraph] = {}
    for item in texts:
        ids = (id(item.look), id(item.layout))
        counts[ids] += min(len(item.raw), _MAX_COUNTED)
        examples[ids] = item
    looks: Counter[Look] = Counter()
    layouts: Counter[Layout] = Counter()
    for ids, count in counts.items():
        looks[examples[ids].look or Look()] += count
        layouts[examples[ids].layout] += count
    return looks or Counter([Look()]), layouts or Counter([Layout()])


def _smallest(looks: Counter[Look]) -> int:
    sizes: Counter[int] = Counter()
    for look, count in looks.items():
        sizes[look.size] += count
    return min(size for size, count in sizes.items() if count >= _COMMON * sizes.total())


def _most_common(counts: Counter[_Format], value_of: Callable[[_Format], _Value]) -> _Value:
    """Return the value that most characters have. `counts` has the number of characters of each
    format, and `value_of` returns the value of a format.
    """
    totals: Counter[_Value] = Counter()
    for each, count in counts.items():
        totals[value_of(each)] += count
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
    # whether the line is numbered, larger, bold or in capitals, and the body text is not
    is_prominent: bool = False


def line_of(
    index: int, item: Paragraph, body: Body | None = None, *, stands_out: bool = True
) -> TextLine | None:
    """Return the paragraph as a line. Return None if it is too long or has no letters, or if it is
    a caption, an object or an entry of a table of contents.

    `stands_out` says whether its look may be that of a heading. Otherwise its number, size, bold
    type or capitals must differ from the body text, or the result is None.
    """
    look, raw, label = item.look, item.raw, item.label.strip()
    if look is None or len(raw) > LONGEST or item.is_toc or item.is_caption or OBJECT in raw:
        return None
    text = _text_of(raw)
    number = number_of_paragraph(text, label)
    capitals = look.caps or _is_in_capitals(text)
    is_prominent = body is not None and (
        number is not None
        or look.size > body.size * LARGER
        or (look.bold and not body.bold)
        or (capitals and not body.caps)
    )
    if not stands_out and not is_prominent:
        return None
    length = width(text)
    if length > LONGEST or not any(map(str.isalpha, text)):
        return None
    return TextLine(index, item, look, text, number, bool(label), length, capitals, is_prominent)


def _is_in_capitals(text: str) -> bool:
    """Return whether a line is typed in capitals. A note in brackets need not be: "PURCHASER (if an
    entity):" is of one series with "COMPANY:".
    """
    if not text.isupper() and "(" in text:
        text = _IN_BRACKETS.sub("", text)
    return text.isupper() and _CAPITALS.search(text) is not None


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


def lengths_of(items: Iterable[Item]) -> list[int]:
    """Return the number of characters of each item; a table counts as `LENGTH_OF_TABLE`."""
    return [len(item.raw) if isinstance(item, Paragraph) else LENGTH_OF_TABLE for item in items]


def width(text: str) -> int:
    """Return the number of characters; an ideograph, kana or Hangul syllable counts as two."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    return 2 * len(text) - len(_WIDE.sub("", text))


# --- Lines that stand out


def prominent_lines(
    items: Sequence[Item], indices: Iterable[int], body: Body
) -> Iterator[TextLine]:
    """Yield the lines that stand out from the body text, without code. The look is tested first,
    once for all paragraphs that share it; then the text, which takes longer.
    """
    kinds: dict[tuple[int, int, int], bool | None] = {}  # by identity, as in `body_of`
    for index in indices:
        item = items[index]
        if not isinstance(item, Paragraph) or (look := item.look) is None or item.outline.level:
            continue
        kind = (id(look), id(item.layout), id(item.style))
        if kind not in kinds:
            kinds[kind] = None if _is_code(look, body) else _stands_out(item, look, body)
        stands_out = kinds[kind]
        if stands_out is None:
            continue
        if line := line_of(index, item, body, stands_out=stands_out):
            yield line


def _is_code(look: Look, body: Body) -> bool:
    return (
        is_monospaced(look.font)
        and not is_monospaced(body.fonts[0])
        and not look.bold
        and look.size <= body.size
    )


def _stands_out(item: Paragraph, look: Look, body: Body) -> bool:
    """Return whether the look, the alignment or the style of a paragraph could be that of a
    heading.

    Another font, a smaller size and italics do not count: lines that have only these are common,
    and rarely headings.
    """
    return bool(
        (look.underline and not body.underline)
        or (look.color and look.color != body.color)
        or item.layout.align == "center" != body.align
        or STYLE_OF_HEADING.search(item.style.name)
    )
