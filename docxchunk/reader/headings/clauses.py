"""Find clauses whose text follows their number or title in the same paragraph: "第四条 …",
"Article 4. The seller shall …", "2.1 **Use.** The …".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import Look
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.headings.lines import LONGEST_HEADING, TextLine, width
from docxchunk.reader.headings.numbers import (
    ARTICLE,
    Number,
    division_of,
    number_of,
    number_of_label,
)
from docxchunk.reader.headings.order import follows, orders
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import NOTE, without_notes

CLAUSE_CONFIDENCE: Final = 0.95  # of the number of a clause as a heading
_SENTENCE: Final = ("clause", "heading_level")
_WORDS: Final = 4  # blanks in a short sentence
_LEAST: Final = 2  # clauses of a series, and letters of a title
_IN_ORDER: Final = 0.7  # least share of clauses whose numbers run in order
_TITLE: Final = 50  # most characters of a title on a line of its own
# most characters of a title that its look sets apart from the text after it
_MARKED_TITLE: Final = 80
# characters from which on the rest of a paragraph is text; a shorter rest is text if it ends like a
# sentence
_TEXT: Final = 100
_CLOSING: Final = "[\"'”’）)\\]】」]*"
_DASH_ENDS: Final = re.compile("(?:[—―]|\\s[–-])\\s*$")
_ENDS: Final = re.compile(rf"(?:[.:?。：．？]{_CLOSING}|\x0b|{_DASH_ENDS.pattern})\s*$")
_END_FOLLOWS: Final = re.compile(
    rf"[^\S\x0b]*(?:[.:。：．](?!\d){_CLOSING}[—―]?|\x0b|[—―]"
    r"|(?<=\s)[–-](?=\s))"
)
_SENTENCE_ENDS: Final = re.compile(rf"(?:[.:;?!。：；？！]{_CLOSING}|\b(?:and|or))\s*$")
_NUMBER_ENDS: Final = re.compile("[.:。：．](?=\\s)")
_CAPITALS: Final = re.compile("[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]{3}")
_CAPITALS_END: Final = re.compile("[.:](?=\\s)")
_GOES_ON: Final = re.compile(r"\s*[,;)]")
_ABBREVIATION: Final = re.compile(
    r"\b(?:\w|Art|Bros|Co|Corp|Dr|etc|Inc|Ltd|Mr|Mrs|Ms|Nos?|Nr"
    r"|Sec|St)\.\s*$"
)
_STARTS: Final = re.compile(r"\s*(?:第|제|§|[^\W\d_]{2,10}\.?\s)")
# mean number of characters of a clause from which on a list has clauses rather than steps
_LONG_CLAUSE: Final = 200
_READ: Final = 40  # most characters of a number


class Clause(NamedTuple):
    """A clause, whose number becomes a heading."""

    line: TextLine
    length: int  # characters of the number and the sign after it


class _Title(NamedTuple):
    """The title that a clause opens with."""

    end: int  # characters of the paragraph up to its end
    look: Look
    number: Number | None


def with_titles_apart(items: Sequence[Item]) -> Iterator[Item]:
    """Yield the items; a clause that opens with a title is two paragraphs: the title with its
    number, and the text.
    """
    titles = {
        place: title
        for place, item in enumerate(items)
        if isinstance(item, Paragraph)
        and not item.is_toc
        and (title := _title_of(item)) is not None
    }
    for place in list(_in_short_lists(items, titles)):
        del titles[place]
    for place, item in enumerate(items):
        if isinstance(item, Paragraph) and (found := titles.get(place)):
            above, below = cut(item, found.end)
            yield from (above._replace(look=found.look), below)
        else:
            yield item


def _looks_of_texts(items: Sequence[Item]) -> dict[int, set[Look | None]]:
    """Return the looks that the texts of clauses have whose whole paragraphs are marked as
    headings, by level.
    """
    looks: dict[int, set[Look | None]] = defaultdict(set)
    for item, below in pairwise([*items, None]):
        if isinstance(item, Paragraph) and item.outline.level and item.label:
            text = below if item.is_title else item
            if isinstance(text, Paragraph) and (item.is_title or len(item.raw) > LONGEST_HEADING):
                looks[item.outline.level].add(text.look)
    return looks


def _is_sentence(item: Paragraph, looks: Container[Look | None]) -> bool:
    """Return whether a numbered paragraph that is marked as a heading is the short text of a
    clause. `looks` are those of such texts at its level.

    It ends like a sentence, and it begins in lower case, or looks like those texts and has the
    words of a sentence.
    """
    text = item.raw.strip()
    if (
        item.is_title
        or item.outline.source is HeadingSource.GUESS
        or not any(map(str.isalnum, item.label))
        or len(text) > LONGEST_HEADING
        or text.endswith(("?", "？"))
        or not _SENTENCE_ENDS.search(text)
    ):
        return False
    return text[:1].islower() or (
        item.look in looks and (text.count(" ") >= _WORDS or width(text) > _TITLE)
    )


def _in_short_lists(items: Sequence[Item], titles: Mapping[int, _Title]) -> Iterator[int]:
    """Yield the places of titles that open the items of lists, such as steps; lists that have most
    of the text have the clauses of the document.

    Long lists of one form count together, such as those of a contract and its exhibits, unless a
    marked heading divides them.
    """
    until = [0, *accumulate(len(item.raw) if isinstance(item, Paragraph) else 0 for item in items)]
    marked = [
        place
        for place, item in enumerate(items)
        if isinstance(item, Paragraph) and item.outline.level
    ]
    lists: dict[object, list[list[int]]] = defaultdict(list)
    last: dict[object, Number] = {}
    for place, title in titles.items():
        item, number = items[place], title.number
        if (
            not isinstance(item, Paragraph)
            or item.outline.level
            or number is None
            or number.rank
            or len(number.path) > 1
        ):
            continue
        name = (number.kind, bool(item.label), bisect_left(marked, place))
        if name not in last or number.path <= last[name].path:
            lists[name].append([])
        lists[name][-1].append(place)
        last[name] = number
    for found in lists.values():
        lengths = [(until[places[-1] + 1] - until[places[0]], len(places)) for places in found]
        if (
            2
            * sum(
                length
                for length, count in lengths
                if len(found) == 1 or (count > _LEAST and length >= count * _LONG_CLAUSE)
            )
            < until[-1]
        ):
            yield from chain.from_iterable(found)


def cut(item: Paragraph, end: int) -> tuple[Paragraph, Paragraph]:
    """Return the first `end` characters of a clause with its number, and its text."""
    count = item.raw.count(NOTE, 0, end)
    title = item._replace(
        raw=item.raw[:end],
        bold=False,
        links=(),
        notes=item.notes[:count],
        stretches=(),
        is_title=True,
    )
    return title, item._replace(
        raw=item.raw[end:],
        outline=BODY,
        label="",
        depth=-1,
        notes=item.notes[count:],
        stretches=(),
        start=item.start + end,
    )


def with_text_joined(items: Sequence[Item]) -> Iterator[Item]:
    """Yield the items; a title that is no heading is one paragraph with its text again.

    A short clause that is marked as a heading is two paragraphs: its number, and the text. Beside
    the titles of clauses, a numbered heading of one line is a title, too: its full stop is no part
    of the heading.
    """
    texts = _looks_of_texts(items)
    has_titles = any(
        isinstance(item, Paragraph) and item.is_title and item.raw and item.outline.level
        for item in items
    )
    title: Paragraph | None = None
    for item in items:
        if isinstance(item, Paragraph) and item.is_title and not item.outline.level:
            title = item
        elif isinstance(item, Paragraph) and title is not None:
            yield item._replace(
                raw=title.raw + item.raw,
                label=title.label,
                depth=title.depth,
                notes=title.notes + item.notes,
                start=title.start,
            )
            title = None
        elif (
            isinstance(item, Paragraph)
            and item.outline.level
            and _is_sentence(item, texts.get(item.outline.level, ()))
        ):
            above, below = cut(item, 0)
            yield from (
                above._replace(
                    outline=OutlineLevel(
                        item.outline.level, HeadingSource.GUESS, CLAUSE_CONFIDENCE, _SENTENCE
                    )
                ),
                below,
            )
        elif (
            has_titles
            and isinstance(item, Paragraph)
            and item.outline.level
            and _is_title_alone(item)
        ):
            yield item._replace(is_title=True)
        else:
            yield item


def _is_title_alone(item: Paragraph) -> bool:
    text = item.raw.strip()
    return (
        text.endswith((".", ":"))
        and 0 < len(text) <= _TITLE
        and not _ABBREVIATION.search(text)
        and _number_of(item)[0] is not None
    )


def _title_of(item: Paragraph) -> _Title | None:
    """Return the title that a clause or a heading opens with; None without one.

    A title has bold, italic or underlined letters or capitals, which the text after it has not, and
    a sign at its end.
    """
    if not _may_open_with_title(item):
        return None
    number, begin = _number_of(item)
    if number is None and not item.outline.level:
        return None
    if not item.stretches:
        return _title_in_capitals(item, number, begin)
    look: Look | None = None
    for (end, own), (_, following) in pairwise(item.stretches):
        if not item.raw[begin : max(begin, end)].strip():
            continue  # the number has a look of its own
        look = look or own
        if _marks(look) & ~_marks(following) and (end := _end_of_title(item.raw, begin, end)):
            return _Title(end, look, number)
        if not _marks(following) or end - begin > _MARKED_TITLE:
            return None
    return None


def _may_open_with_title(item: Paragraph) -> bool:
    """Return False if a paragraph opens with no title. A cheap test, before its number is read:
    True does not mean that there is one.
    """
    if item.stretches:
        return any(
            _marks(own) & ~_marks(following)
            for (_, own), (_, following) in pairwise(item.stretches)
        )
    if (capitals := _CAPITALS.search(item.raw, 0, _READ)) is None:
        return False
    ends = _CAPITALS_END.search(item.raw, capitals.end(), capitals.start() + _MARKED_TITLE)
    return ends is not None and item.raw[capitals.start() : ends.end()].isupper()


def _title_in_capitals(item: Paragraph, number: Number | None, begin: int) -> _Title | None:
    """Return the title that a clause opens with if it is typed in capitals, and the text after it
    is not.
    """
    raw, ends = item.raw, _CAPITALS_END.search(item.raw, begin, begin + _MARKED_TITLE)
    if (
        item.look is None
        or ends is None
        or not raw[begin : ends.end()].isupper()
        or raw[ends.end() : ends.end() + _READ].isupper()
    ):
        return None
    end = _end_of_title(raw, begin, ends.end())
    return (
        _Title(end, item.look._replace(caps=True), number)
        if end and _CAPITALS.search(raw, begin, end)
        else None
    )


def _number_of(item: Paragraph) -> tuple[Number | None, int]:
    """Return the number of a paragraph, and the length of a typed number with the blanks before it;
    0 for an automatic number.
    """
    if item.label:
        return number_of_label(item.label.strip()), 0
    text = item.raw.strip()
    number = number_of(text) if text else None
    if number is None:
        return None, 0
    end = item.raw.index(text) + number.length
    sign = _NUMBER_ENDS.match(item.raw, end)
    return number, sign.end() if sign else end


def _marks(look: Look) -> int:
    return look.bold | look.italic << 1 | look.underline << 2 | look.caps << 3


def _end_of_title(raw: str, begin: int, end: int) -> int:
    """Return the end of a title that ends at `end`, or with the sign after it; 0 if it has no sign
    or is too long, or if no text follows.
    """
    if follows := _END_FOLLOWS.match(raw, end):
        end = follows.end()
    title = without_notes(raw[begin:end]).strip(" \t")
    if (
        len(title) > _MARKED_TITLE
        or not _ENDS.search(title)
        or sum(map(str.isalpha, title)) < _LEAST
    ):
        return 0
    text = without_notes(raw[end:]).strip()
    is_text = len(text) >= _TEXT or _SENTENCE_ENDS.search(text)
    goes_on = (
        _GOES_ON.match(text)
        or (text[:1].islower() and _DASH_ENDS.search(title))
        or (_ABBREVIATION.search(title) and not text[:1].isupper())
    )
    return end if is_text and not goes_on else 0


def clauses_of(items: Sequence[Item]) -> list[Clause]:
    """Return the clauses of a document, if their numbers run in order.

    A paragraph that has only a short title after its number is left out: it is a heading as a
    whole.
    """
    found: dict[str, list[TextLine]] = defaultdict(list)
    for place, item in enumerate(items):
        line = (
            _clause(place, item)
            if isinstance(item, Paragraph)
            and not item.label
            and not item.outline.level
            and not item.is_toc
            else None
        )
        if line is not None and line.number is not None:
            found[line.number.kind].append(line)
    return [clause for lines in found.values() for clause in _clauses(lines)]


def _clauses(lines: Sequence[TextLine]) -> list[Clause]:
    found_orders = orders(lines)
    if len(lines) < _LEAST or sum(order == "in_order" for order in found_orders) < _IN_ORDER * len(
        lines
    ):
        return []
    return [
        Clause(line, _length(line))
        for line, order in zip(lines, found_orders, strict=True)
        if order != "out_of_order" and _is_clause(line)
    ]


def _clause(place: int, item: Paragraph) -> TextLine | None:
    """Return the paragraph as a line if it begins with the number of an article."""
    if item.look is None or not _STARTS.match(item.raw):
        return None
    text = item.raw.strip()
    number = division_of(text[:_READ])
    return (
        TextLine(place, item, item.look, text, number, is_automatic=False, length=0, capitals=False)
        if number and number.rank == ARTICLE
        else None
    )


def siblings_of(items: Sequence[Item], headings: Sequence[TextLine]) -> list[Clause | TextLine]:
    """Return the paragraphs whose numbers, such as 2.3, continue those of headings, as clauses; as
    lines if they have only a title.

    Of a series of numbers that has headings, at least half must be headings or have titles.
    """
    known = {line.place: line for line in headings}
    kinds = {
        line.number.kind
        for line in headings
        if line.number and (len(line.number.path) > 1 or line.item.is_title)
    }
    series: list[list[TextLine]] = []
    last: dict[object, list[TextLine]] = {}
    for line in (
        (known.get(place) or _numbered(place, item, kinds) for place, item in enumerate(items))
        if kinds
        else ()
    ):
        if line is None or line.number is None or line.number.kind not in kinds:
            continue
        name = (line.number.kind, line.is_automatic, line.item.depth)
        before = last[name][-1].number if name in last else None
        if before is None or not follows(line.number, before):
            last[name] = []
            series.append(last[name])
        last[name].append(line)
    found: list[Clause | TextLine] = []
    for lines in series:
        others = [line for line in lines if line.place not in known]
        if len(others) < len(lines) >= 2 * sum(not line.item.is_title for line in others):
            found += [Clause(line, _length(line)) if _is_clause(line) else line for line in others]
    return found


def _numbered(place: int, item: Item, kinds: AbstractSet[str]) -> TextLine | None:
    """Return the paragraph as a line if it begins with a number of one of these kinds."""
    if (
        not isinstance(item, Paragraph)
        or item.look is None
        or item.outline.level
        or item.is_toc
        or item.is_caption
    ):
        return None
    text, label = item.raw.strip(), item.label.strip()
    number = number_of_label(label) if label else number_of(text[:_READ]) if text else None
    if not text or number is None or number.kind not in kinds:
        return None
    return TextLine(
        place, item, item.look, text, number, is_automatic=bool(label), length=0, capitals=False
    )


def text_begins(line: TextLine, titled: AbstractSet[str]) -> int | None:
    """Return the length of the number of a heading that is the text of a clause beside clauses with
    titles; None for others.

    `titled` are the kinds of the numbers of clauses with titles.
    """
    is_long = (
        len(line.text) > _MARKED_TITLE and line.number is not None and line.number.kind in titled
    )
    return (
        _length(line) if is_long and _is_clause(line) and _SENTENCE_ENDS.search(line.text) else None
    )


def _length(line: TextLine) -> int:
    """Return the number of characters that the typed number of a line and the sign after it
    take.
    """
    if line.number is None or line.is_automatic:
        return 0
    sign = _NUMBER_ENDS.match(line.text, line.number.length)
    return sign.end() if sign else line.number.length


def _is_clause(line: TextLine) -> bool:
    """Return whether the number of a line is followed by text rather than by a title."""
    rest = line.text[_length(line) :].strip()
    return not line.item.is_title and (
        len(rest) > _TITLE or rest.endswith((".", "。", ";", "；", ":", "："))
    )
