"""The lines of a document that could be headings: those that stand out from its body text.

`body_of` describes the body text, `line_of` prepares a short paragraph, and `prominent_lines`
chooses the lines with a number, or in larger or bold letters or in capitals. `series_of` and
`orders` find series of their numbers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

from docxchunk.content.tags import plain
from docxchunk.language.numbers import Number, number_of_paragraph
from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import JAMO, UNSPACED
from docxchunk.ooxml.formatting import Look, is_monospaced
from docxchunk.reader.headings.worded import worded_numbers
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import OBJECT, finish_cell, without_notes

LONGEST: Final = 160  # greatest width of a line
LONGEST_HEADING: Final = 200  # characters of a marked heading
LENGTH_OF_TABLE: Final = 500
_LEAST_LETTERS: Final = 2
LARGER: Final = 1.04  # a size that is larger by this factor is larger as readers see it
_WIDE: Final = pattern(f"[{JAMO}{UNSPACED}]+")
_NARROW: Final = re.compile("[\x00-\u10ff\u1200-\u303f]*+")  # much faster than `_WIDE`
_NUMBER_ENDS: Final = pattern("[.:。：．](?=\\s)")
# a formula has a sign between two terms, and no word of two letters
_FORMULA: Final = pattern(r"(?!.*[^\W\d_]{2}).*[\w)]\s*[+=^]\s*[\w(-]")
_ADDRESS: Final = pattern(r"(?:https?://|www\.)\S+$")
_CAPITALS: Final = pattern("[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]{4}")  # abbreviations have fewer


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
    is_monospaced: bool = False
    indent: int = 0  # twentieths of a point


def body_of(items: Iterable[Item]) -> Body:
    """Return the most common value of each property in running text. If no paragraph is long,
    headings may be most of the text: then only the size is set, to the smallest common one.
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
        return Body(_smallest((look.size, length) for look, _, length in texts))
    return Body(
        _most_common((look.size, length) for look, _, length in running),
        _most_common((look.bold, length) for look, _, length in running),
        _most_common((look.caps, length) for look, _, length in running),
        _most_common((look.color, length) for look, _, length in running),
        _most_common((is_monospaced(look.font), length) for look, _, length in running),
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
    is_worded: bool = False  # the number is one of `worded`


def line_of(
    index: int, item: Paragraph, body: Body | None = None, worded: Number | None = None
) -> TextLine | None:
    """Return the paragraph as a line, with the number `worded` if there is one. Return None if it
    is too long, has fewer than two letters, or is a formula, a web address, a caption, an object or
    an entry of a table of contents; with `body`, also if it has no number and looks like the body
    text.
    """
    look, raw, label = item.look, item.raw, item.label.strip()
    if look is None or len(raw) > LONGEST or item.is_toc or item.is_caption or OBJECT in raw:
        return None
    text = _text_of(raw)
    number = worded or number_of_paragraph(text, label)
    capitals = look.caps or (text.isupper() and _CAPITALS.search(text) is not None)
    if body and number is None and not _stands_out(look, body, capitals=capitals):
        return None
    length = width(text)
    letters = sum(map(str.isalpha, text))
    if length > LONGEST or letters < _LEAST_LETTERS:
        return None
    if _FORMULA.match(text) or _ADDRESS.match(text):
        return None
    return TextLine(
        index, item, look, text, number, bool(label), length, capitals, worded is not None
    )


def _stands_out(look: Look, body: Body, *, capitals: bool) -> bool:
    return (
        look.size > body.size * LARGER
        or (look.bold and not body.bold)
        or (capitals and not body.caps)
    )


def _text_of(raw: str) -> str:
    """Return the text of a paragraph on one line, without tags and note marks."""
    text = " ".join(raw.split())
    if text.isprintable() and "<" not in text and "&" not in text:  # neither marks nor tags
        return text
    return plain(finish_cell(without_notes(raw), lambda _: ""))


def numbered_line_of(index: int, item: Item) -> TextLine | None:
    """Return a paragraph of any length as a line. Return None if it has no number, or if it is a
    caption or an entry of a table of contents.
    """
    if not isinstance(item, Paragraph) or item.look is None or item.is_toc or item.is_caption:
        return None
    text, label = item.raw.strip(), item.label.strip()
    number = number_of_paragraph(text, label) if text else None
    return TextLine(index, item, item.look, text, number, bool(label)) if number else None


def after_number(text: str, end: int) -> int:
    """Return the offset after a number that ends at `end`, and after its "." or ":", if any."""
    sign = _NUMBER_ENDS.match(text, end)
    return sign.end() if sign else end


def is_reference(line: TextLine) -> bool:
    """Return whether a line is a sentence about a clause: "Article 5 applies."."""
    number = line.number
    return (
        number is not None
        and not line.is_automatic
        and after_number(line.text, number.length) == number.length
        and line.text[number.length :].lstrip()[:1].islower()
    )


def prominent_lines(items: Sequence[Item], body: Body) -> Iterator[TextLine]:
    """Yield the lines with a number, or with larger or bold letters or capitals, unlike the body
    text; no marked headings.
    """
    worded = worded_numbers(items)
    for index, item in enumerate(items):
        if isinstance(item, Paragraph) and not item.outline.level:
            line = line_of(index, item, body, worded.get(index))
            if line is not None:
                yield line


def length_of(item: Item) -> int:
    """Return the number of characters of an item; a table counts as `LENGTH_OF_TABLE`."""
    return len(item.raw) if isinstance(item, Paragraph) else LENGTH_OF_TABLE


def width(text: str) -> int:
    """Return the number of characters; an ideograph, kana or Hangul syllable counts as two."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    return 2 * len(text) - len(_WIDE.sub("", text))


# --- Series of the numbers that lines begin with, such as 1, 2, 3

Form = tuple[str, tuple[int, ...]]  # kind, path without its last part
_SeriesEnd = tuple[str, tuple[int, ...], int]  # kind, path without its last part, last part
_MOST_OPEN: Final = 4  # the last series that end with the same number: one of them may continue


def series_of(numbers: Mapping[int, Number], keys: Mapping[int, Hashable]) -> list[list[int]]:
    """Return the series of numbers of one form: 1, 2, 3 …, "Step 1", "Step 2" …, 2.1, 2.2, 2.3 …

    `numbers` and `keys` map the index of each line to its number and its key, which lines of the
    same form share. A series is a list of indices. A number continues a series that ends with the
    number before it. A series with the same key is preferred, and one number may be missing in it.
    """
    series: list[list[int]] = []
    ends: dict[
        _SeriesEnd, list[list[int]]
    ] = {}  # the series that end with a number, the last one last
    for index, number in numbers.items():
        kind, above, value = number.kind, number.path[:-1], number.path[-1]
        continued = None
        if value > 1 or number.inserted:
            for before, any_key in (
                (value - 1, False),
                (value - 1, True),
                (value, False),
                (value - 2, False),
            ):
                candidates = ends.get((kind, above, before))
                if candidates and (
                    continued := _take(candidates, keys, None if any_key else keys[index])
                ):
                    break
        if continued is None:
            continued = []
            series.append(continued)
        continued.append(index)
        ends.setdefault((kind, above, value), []).append(continued)
    return series


def _take(
    candidates: list[list[int]], keys: Mapping[int, Hashable], key: Hashable | None
) -> list[int] | None:
    """Remove and return the last series whose end has this key (any key if `key` is None); None if
    there is no such series.
    """
    for at in range(len(candidates) - 1, max(len(candidates) - _MOST_OPEN, 0) - 1, -1):
        if key is None or keys[candidates[at][-1]] == key:
            return candidates.pop(at)
    return None


def orders(numbers: Iterable[tuple[Number | None, bool]]) -> list[str]:
    """Return for each number "in_order", "ascending" or "out_of_order", compared with the previous
    number of its kind; "" for None.

    The second value of each pair says whether the number is automatic. An automatic number that is
    out of order is skipped: the next number is compared with the number before it.
    """
    last: dict[str, Number] = {}
    last_decimal: tuple[int, ...] = ()
    result: list[str] = []
    for number, is_automatic in numbers:
        if number is None:
            result.append("")
            continue
        order = _order(number, last.get(number.kind), last_decimal)
        result.append(order)
        if order != "out_of_order" or not is_automatic:
            last[number.kind] = number
            if number.kind.startswith("decimal"):
                last_decimal = number.path
    return result


def _order(number: Number, before: Number | None, last_decimal: tuple[int, ...]) -> str:
    path = number.path
    continues = before is not None and _follows(number, before)
    begins = path[-1] == 1 and (
        len(path) == 1
        or path[:-1] == last_decimal[: len(path) - 1]
        or (before is not None and path[:-1] > before.path[:-1])
    )
    if continues or (begins and not number.inserted):
        return "in_order"
    if before is None or (path, number.inserted) > (before.path, before.inserted):
        return "ascending"
    # 2.1 and 2.1a have the same path
    return "ascending" if path == before.path and len(path) > 1 else "out_of_order"


def _follows(number: Number, before: Number) -> bool:
    """Return whether a number is the next one after `before`: 2.2 after 2.1, Article 2a after
    Article 2.
    """
    if number.path == before.path:
        return number.inserted > before.inserted
    return (
        not number.inserted
        and number.path[:-1] == before.path[:-1]
        and number.path[-1] == before.path[-1] + 1
    )


def parents(numbers: Mapping[int, Number]) -> Iterator[tuple[int, int]]:
    """Yield the index of each number that has a number below it, and the index of that one, which
    is the next number and the first one of the level below: 2 and 2.1.
    """
    for (index, number), (below, following) in pairwise(numbers.items()):
        if following.path == (*number.path, 1):
            yield index, below


def gaps(
    numbers: Mapping[int, Number], headings: Container[int]
) -> Iterator[tuple[list[int], int]]:
    """Yield the indices of the numbers in each gap between those of headings, and the index of the
    heading after the gap: 3 and 4 between the headings 2 and 5, if no other numbers of this form
    are between them.
    """
    between: dict[Form, list[int]] = defaultdict(list)
    last: dict[Form, int] = {}
    for index, number in numbers.items():
        form, value = (number.kind, number.path[:-1]), number.path[-1]
        if number.inserted:
            continue
        if index not in headings:
            between[form].append(index)
            continue
        before, gap = last.get(form, value), between.pop(form, [])
        last[form] = value
        if before >= value:  # its series begins in the gap
            before, gap = 0, gap[max(len(gap) - value + 1, 0) :]
        if gap and [numbers[filler].path[-1] for filler in gap] == [*range(before + 1, value)]:
            yield gap, index
