"""Find clauses: paragraphs that begin with a number or a title, and go on with their text, such as
"第四条 …", "Article 4. The seller shall …", "2.1 **Use.** The …".

A clause that opens with a title is cut into title and text before headings are inferred
(`with_titles_apart`); a title that turns out to be no heading is joined to its text again
(`with_texts_joined`). Of other clauses, the number is the heading (`clauses_of`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple, cast

from docxchunk.language.clause_words import ARTICLE, SECTION
from docxchunk.language.numbers import Number, number_of_paragraph
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import CLOSING, STOPS, WIDE_STOPS
from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import Look
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.headings.lines import (
    LONGEST_HEADING,
    TextLine,
    after_number,
    is_reference,
    numbered_line_of,
    orders,
    series_of,
    width,
)
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import BREAK, NOTE, without_notes

CLAUSE_CONFIDENCE: Final = 0.95  # of the number of a clause as a heading
_RANKS: Final = (SECTION, ARTICLE)  # of clauses
_LEAST: Final = 2  # least number of clauses in a series, and of letters in a title
_IN_ORDER: Final = 0.7  # least share of clauses whose numbers run in order
# most characters of a title: on a line of its own, and set apart from the text by its look
_TITLE: Final = 50
_MARKED_TITLE: Final = 80
_START: Final = _MARKED_TITLE + 20  # characters that hold a title with the blanks around it
_SENTENCE_ENDS: Final = pattern(rf"(?:[{STOPS}{WIDE_STOPS}:;：]{CLOSING}*|\b(?:and|or))\s*$")
_ABBREVIATION: Final = pattern(
    r"\b(?:\w|Art|Bros|Co|Corp|Dr|etc|Inc|Ltd|Mr|Mrs|Ms|Nos?|Nr|Sec|St)\.\s*$"
)


def cut(
    item: Paragraph, end: int, *, look: Look | None, outline: OutlineLevel
) -> tuple[Paragraph, Paragraph]:
    """Cut a clause into two paragraphs. The first has its number, its first `end` characters, this
    look and this level. The second has the rest.
    """
    count = item.raw.count(NOTE, 0, end)
    title = item._replace(
        raw=item.raw[:end],
        outline=outline,
        bold=False,
        look=look,
        links=(),
        notes=item.notes[:count],
        stretches=(),
        opens_clause=True,
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


# --- Titles at the beginning of clauses

# the rest of a paragraph is text if it has this many characters, or if it ends like a sentence
_TEXT: Final = 100
_DASH_ENDS: Final = pattern("(?:[—―]|\\s[–-])\\s*$")
_TITLE_ENDS: Final = pattern(rf"[.:?。：．？]{CLOSING}*\s*$|\x0b[^\S\x0b]*$|{_DASH_ENDS.pattern}")
_END_FOLLOWS: Final = pattern(
    rf"[^\S\x0b]*(?:[.:。：．](?!\d){CLOSING}*[—―]?|\x0b|[—―]|(?<=\s)[–-](?=\s))"
)
# the items of a list are clauses rather than steps if they have this many characters on average
_LONG_CLAUSE: Final = 200


class _Title(NamedTuple):
    end: int  # offset of its end in the raw text of the paragraph
    look: Look | None
    number: Number | None


def with_titles_apart(items: Sequence[Item]) -> list[Item]:
    """Return the items with each clause that opens with a title cut into two paragraphs: the title
    with its number, and the text.
    """
    titles = {
        index: (item, title)
        for index, item in enumerate(items)
        if isinstance(item, Paragraph)
        and not item.is_toc
        and (title := _first_line_of(item) or _title_of(item)) is not None
    }
    # only for speed
    in_short_lists = set(_in_short_lists(items, titles)) if titles else set()
    result: list[Item] = []
    done = 0
    for index, (item, title) in titles.items():
        if index not in in_short_lists:
            result += items[done:index]
            result += cut(item, title.end, look=title.look, outline=item.outline)
            done = index + 1
    return [*result, *items[done:]]


def _in_short_lists(
    items: Sequence[Item], titles: Mapping[int, tuple[Paragraph, _Title]]
) -> Iterator[int]:
    """Yield the indices of titles in short lists, such as steps. Lists with most of the text are
    not short: their items are the clauses of the document.

    Lists with one form of number, such as those of a contract and its exhibits, are measured
    together. Then only those with long items count.
    """
    lists_by_form = _lists_by_form(items, titles)
    if not lists_by_form:
        return
    item_lengths = [len(item.raw) if isinstance(item, Paragraph) else 0 for item in items]
    before = [0, *accumulate(item_lengths)]  # the number of characters before each item

    def length_of(members: Sequence[int]) -> int:
        return before[members[-1] + 1] - before[members[0]]

    def has_long_items(members: Sequence[int]) -> bool:
        return len(members) > _LEAST and length_of(members) >= len(members) * _LONG_CLAUSE

    for lists in lists_by_form.values():
        measured = lists if len(lists) == 1 else filter(has_long_items, lists)
        if 2 * sum(map(length_of, measured)) < before[-1]:
            yield from chain.from_iterable(lists)


def _lists_by_form(
    items: Sequence[Item], titles: Mapping[int, tuple[Paragraph, _Title]]
) -> Mapping[Hashable, Sequence[Sequence[int]]]:
    """Return the lists of titles with simple numbers, such as 1 or (a), by the form of the numbers.
    Lists with a marked heading between them have different forms.
    """
    marked = [
        index
        for index, item in enumerate(items)
        if isinstance(item, Paragraph) and item.outline.level
    ]
    numbers: dict[int, Number] = {}
    forms: dict[int, Hashable] = {}
    for index, (item, (_, _, number)) in titles.items():
        if item.outline.level or number is None or number.rank or len(number.path) > 1:
            continue
        numbers[index] = number
        forms[index] = (number.kind, bool(item.label), bisect_left(marked, index))
    lists_by_form: dict[Hashable, list[list[int]]] = defaultdict(list)
    for members in series_of(numbers, forms):
        lists_by_form[forms[members[0]]].append(members)
    return lists_by_form


def _first_line_of(item: Paragraph) -> _Title | None:
    """Return the line before the first line break of a marked heading that is too long, or None."""
    if not item.outline.level or len(item.raw) <= LONGEST_HEADING:
        return None
    end = item.raw.find(BREAK, len(item.raw) - len(item.raw.lstrip())) + 1
    return _Title(end, item.look, None) if 0 < end <= LONGEST_HEADING else None


def _title_of(item: Paragraph) -> _Title | None:
    """Return the title that a clause, a heading or a paragraph of several lines opens with, or
    None.

    A title is bold, italic, underlined or in capitals by its formatting, unlike the text after it,
    and ends with a sign such as a full stop. That of a paragraph of several lines is the first one.
    """
    if not (item.stretches and _may_open_with_title(item)):
        return None
    number, begin = _number_and_end(item)
    is_clause = number is not None or item.outline.level > 0
    if not is_clause and BREAK not in item.raw[:_START]:
        return None
    look: Look | None = None
    for (stretch_end, stretch_look), (_, following) in pairwise(item.stretches):
        if not item.raw[begin : max(begin, stretch_end)].strip():
            continue  # the number has a look of its own
        look = look or stretch_look
        # the look of a first line may go on in the second one
        line_end = 0 if is_clause else item.raw.find(BREAK, begin, stretch_end) + 1
        letters_end = line_end or stretch_end
        if _marks(look) & ~_marks(following) and (
            end := _end_of_title(item.raw, begin, letters_end)
        ):
            has_end = is_clause or item.raw[:end].endswith(BREAK)
            return _Title(end, look, number) if has_end else None
        if not _marks(following) or stretch_end - begin > _MARKED_TITLE:
            return None
    return None


def _may_open_with_title(item: Paragraph) -> bool:
    """Return False if the paragraph surely does not open with a title. This test is fast, and made
    before the number is parsed.
    """
    return any(
        _marks(stretch_look) & ~_marks(following)
        for (_, stretch_look), (_, following) in pairwise(item.stretches)
    )


def _number_and_end(item: Paragraph) -> tuple[Number | None, int]:
    """Return the number of a paragraph, and the offset of the text after it, which is 0 if the
    number is automatic.
    """
    text, label = item.raw.strip(), item.label.strip()
    number = number_of_paragraph(text, label)
    if number is None or label:
        return number, 0
    return number, after_number(item.raw, item.raw.index(text) + number.length)


def _marks(look: Look) -> int:
    return look.bold | look.italic << 1 | look.underline << 2 | look.caps << 3


def _end_of_title(raw: str, begin: int, end: int) -> int:
    """Return the end of a title with the sign after it. The letters of the title end at `end`.
    Return 0 if it is no title, because it has no sign after it, is too long, or has no text after
    it.
    """
    if follows := _END_FOLLOWS.match(raw, end):
        end = follows.end()
    title = without_notes(raw[begin:end]).strip(" \t")
    if (
        len(title) > _MARKED_TITLE
        or not _TITLE_ENDS.search(title)
        or sum(map(str.isalpha, title)) < _LEAST
    ):
        return 0
    text = without_notes(raw[end:]).strip()
    is_text = len(text) >= _TEXT or _SENTENCE_ENDS.search(text)
    goes_on = (text[:1].islower() and _DASH_ENDS.search(title)) or (
        _ABBREVIATION.search(title) and not text[:1].isupper()
    )
    return end if is_text and not goes_on else 0


# --- Titles and texts after the inference

_SENTENCE: Final = ("clause", "heading_level")
_WORDS: Final = 4  # least number of blanks in a sentence


def with_texts_joined(items: Sequence[Item]) -> list[Item]:
    """Return the items. Each title that did not become a heading is joined to its text again.

    A short clause that the author marked as a heading is cut into its number and its text.
    """
    headings_and_titles = [
        (index, item)
        for index, item in enumerate(items)
        if isinstance(item, Paragraph) and (item.outline.level or item.opens_clause)
    ]
    headings = [item for _, item in headings_and_titles if item.outline.level]
    # only for speed: the looks are used for headings with a label
    looks = _looks_of_texts(items) if any(item.label for item in headings) else {}
    result: list[Item] = []
    done = 0
    for index, item in headings_and_titles:
        if index < done:
            continue
        result += items[done:index]
        done = index + 1
        if not (level := item.outline.level):
            text = cast("Paragraph", items[done])  # `cut` puts it right after its title
            result.append(_joined(item, text))
            done += 1
        elif _is_sentence(item, looks.get(level, ())):
            outline = OutlineLevel(level, HeadingSource.GUESS, CLAUSE_CONFIDENCE, _SENTENCE)
            result += cut(item, 0, look=item.look, outline=outline)
        else:
            result.append(item)
    return [*result, *items[done:]]


def _joined(title: Paragraph, text: Paragraph) -> Paragraph:
    """Return the paragraph that was cut into this title and this text."""
    return text._replace(
        raw=title.raw + text.raw,
        label=title.label,
        depth=title.depth,
        notes=title.notes + text.notes,
        start=title.start,
    )


def _looks_of_texts(items: Sequence[Item]) -> dict[int, set[Look | None]]:
    """Return the looks that the texts of clauses have at each heading level. Only clauses count
    that the author marked as headings together with their text.
    """
    looks: dict[int, set[Look | None]] = defaultdict(set)
    for item, below in pairwise([*items, None]):
        if isinstance(item, Paragraph) and item.label:
            text = below if item.opens_clause else item
            if isinstance(text, Paragraph) and (
                item.opens_clause or len(item.raw) > LONGEST_HEADING
            ):
                looks[item.outline.level].add(text.look)
    return looks


def _is_sentence(item: Paragraph, looks: Container[Look | None]) -> bool:
    """Return whether a numbered heading that the author marked is a sentence, the short text of a
    clause. `looks` are the looks of the texts of other clauses at its level.

    A sentence ends with a sign such as a full stop. It begins in lower case, or has one of these
    looks and enough words.
    """
    text = item.raw.strip()
    if (
        item.opens_clause
        or item.outline.source in (HeadingSource.GUESS, HeadingSource.RULE)
        or not any(map(str.isalnum, item.label))
        or len(text) > LONGEST_HEADING
        or text.endswith(("?", "？"))
        or not _SENTENCE_ENDS.search(text)
    ):
        return False
    return text[:1].islower() or (
        item.look in looks and (text.count(" ") >= _WORDS or width(text) > _TITLE)
    )


# --- Clauses whose number is the heading


class Clause(NamedTuple):
    """A line that begins with a heading."""

    line: TextLine
    length: int | None  # characters of the number and the sign after it; None: the whole line


def clauses_of(items: Sequence[Item]) -> list[Clause]:
    """Return the articles and sections of a document whose number is followed by text, if their
    numbers run in order, together with those that the author marked as headings. A clause with only
    a short title is left out: the whole line is a heading.
    """
    clauses: dict[str, list[TextLine]] = defaultdict(list)
    for index, item in enumerate(items):
        line = numbered_line_of(index, item)
        if (
            line
            and line.number
            and _names_clause(line.number, line.text)
            and not is_reference(line)
        ):
            clauses[line.number.kind].append(line)
    return [clause for lines in clauses.values() for clause in _in_order(lines)]


def _names_clause(number: Number, text: str) -> bool:
    """Return whether a number is that of a clause: "Article 5", or "PRIMERA." in capitals."""
    return number.rank in _RANKS or (number.kind == "ordinal" and text[: number.length].isupper())


def _in_order(lines: Sequence[TextLine]) -> Iterator[Clause]:
    """Yield the clauses among lines with one kind of number, if most of these numbers run in order.
    A number may stand several times in a row.
    """
    different = [
        line
        for before, line in pairwise([None, *lines])
        if line and (before is None or before.number != line.number)
    ]
    in_turn = orders([(line.number, False) for line in different])
    if len(different) < _LEAST or in_turn.count("in_order") < _IN_ORDER * len(different):
        return
    out_of_order = {
        line.item_index
        for line, order in zip(different, in_turn, strict=True)
        if order == "out_of_order"
    }
    for run in _runs(lines):
        begins = [_text_after_number(line) for line in run]
        titles = [line for line, begin in zip(run, begins, strict=True) if begin is None]
        has_titles = 2 * len(titles) > len(run)
        is_bold = has_titles and all(line.item.bold for line in titles)
        for line, begin in zip(run, begins, strict=True):
            if begin is None or line.item_index in out_of_order:
                continue
            text = line.text[begin:].strip()
            is_text = (
                len(text) > _TITLE
                or (is_bold and not line.item.bold)
                or text.endswith(("。", "।"))
                or (text.endswith(".") and text.count(" ") >= _WORDS)
            )
            if is_text or not has_titles or begin == len(line.text):
                yield Clause(line, begin)


def _runs(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Split lines into runs that begin with 1, such as the articles of one contract."""
    runs: list[list[TextLine]] = []
    for line in lines:
        if not runs or (line.number and line.number.path == (1,)):
            runs.append([])
        runs[-1].append(line)
    return runs


def _text_after_number(line: TextLine) -> int | None:
    """Return the offset of the text that follows the number of a line, and the sign after the
    number; None if a title follows. An automatic number is not in the line.
    """
    typed = None if line.is_automatic else line.number
    begin = 0 if typed is None else after_number(line.text, typed.length)
    text = line.text[begin:].strip()
    # the title may end with a sign if it stands out: "ARTICLE I. NAME."
    is_shown = text.isupper() or (line.item.bold and any(map(str.isalnum, text)))
    is_text = len(text) > (_MARKED_TITLE if is_shown else _TITLE) or (
        not is_shown and text.endswith((".", "。", "।", ";", "；", ":", "："))
    )
    if not any(map(str.isalnum, text)):  # the number alone: "§ 1"
        begin = len(line.text)
        is_text = is_text or sum(map(str.isalpha, line.text)) < _LEAST
    is_title = line.item.opens_clause or line.item.outline.level
    return begin if is_text and not is_title else None
