"""Find clauses whose text follows their number or title in the same paragraph: "第四条 …", "Article 4. The seller shall …", "2.1 **Use.** The …"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.ooxml.formatting import Look
from docxchunk.ooxml.styles import BODY
from docxchunk.reader.flow import NOTE
from docxchunk.reader.headings.lines import TextLine
from docxchunk.reader.headings.numbers import ARTICLE, division_of, number_of, number_of_label
from docxchunk.reader.headings.order import orders
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

CLAUSE_CONFIDENCE: Final = 0.95  # of the number of a clause as a heading
_LEAST: Final = 2
_IN_ORDER: Final = 0.7  # least share of clauses whose numbers run in order
_TITLE: Final = 50  # most characters of a title on a line of its own
_MARKED_TITLE: Final = 80  # most characters of a title that its look sets apart from the text after it
_TEXT: Final = 100  # characters from which on the rest of a paragraph is text; a shorter rest is text if it ends like a sentence
_CLOSING: Final = "[\"'”’）)\\]】」]*"
_ENDS: Final = re.compile(rf"(?:[.:?。：．？]{_CLOSING}|\x0b)\s*$")
_END_FOLLOWS: Final = re.compile(rf"[^\S\x0b]*(?:[.:。：．](?!\d){_CLOSING}|\x0b)")
_SENTENCE_ENDS: Final = re.compile(rf"(?:[.:;?!。：；？！]{_CLOSING}|\b(?:and|or))\s*$")
_GOES_ON: Final = re.compile(r"\s*[,;)]")
_ABBREVIATION: Final = re.compile(r"\b(?:\w|Art|Bros|Co|Corp|Dr|etc|Inc|Ltd|Mr|Mrs|Ms|Nos?|Nr|Sec|St)\.\s*$")
_STARTS: Final = re.compile(r"\s*(?:第|제|§|[^\W\d_]{2,10}\.?\s)")
_READ: Final = 40  # most characters of a number


class Clause(NamedTuple):
    """A clause, whose number becomes a heading."""

    line: TextLine
    length: int  # characters of the number


def with_titles_apart(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items; a clause that opens with a title is two paragraphs: the title with its number, and the text."""
    for item in items:
        if isinstance(item, Paragraph) and item.stretches and not item.is_toc and (title := _title_of(item)):
            end, look = title
            count = item.raw.count(NOTE, 0, end)
            yield item._replace(raw=item.raw[:end], look=look, bold=False, links=(), notes=item.notes[:count], stretches=(), is_title=True)
            yield item._replace(raw=item.raw[end:], outline=BODY, label="", depth=-1, notes=item.notes[count:], stretches=())
        else:
            yield item


def with_text_joined(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items; a title that is no heading is one paragraph with its text again."""
    title: Paragraph | None = None
    for item in items:
        if isinstance(item, Paragraph) and item.is_title and not item.outline.level:
            title = item
        elif isinstance(item, Paragraph) and title is not None:
            yield item._replace(raw=title.raw + item.raw, label=title.label, depth=title.depth, notes=title.notes + item.notes)
            title = None
        else:
            yield item


def _title_of(item: Paragraph) -> tuple[int, Look] | None:
    """Return the number of characters up to the end of the title that a clause or heading opens with, and the look of the title; None without a title.

    A title has bold, italic or underlined letters or capitals, which the text after it has not, and a sign at its end.
    """
    begin, is_numbered = _number_before(item)
    if not is_numbered and not item.outline.level:
        return None
    look: Look | None = None
    for (end, own), (_, following) in pairwise(item.stretches):
        if not item.raw[begin : max(begin, end)].strip():
            continue  # the number has a look of its own
        look = look or own
        if _marks(look) & ~_marks(following) and (end := _end_of_title(item.raw, begin, end)):
            return end, look
        if not _marks(following) or end - begin > _MARKED_TITLE:
            return None
    return None


def _number_before(item: Paragraph) -> tuple[int, bool]:
    """Return the number of characters that a typed number takes, with the blanks before it, and whether there is a number, typed or automatic."""
    if item.label:
        return 0, number_of_label(item.label.strip()) is not None
    text = item.raw.strip()
    number = number_of(text) if text else None
    return (0, False) if number is None else (item.raw.index(text) + number.length, True)


def _marks(look: Look) -> int:
    return look.bold | look.italic << 1 | look.underline << 2 | look.caps << 3


def _end_of_title(raw: str, begin: int, end: int) -> int:
    """Return the end of a title that ends at `end`, or with the sign after it; 0 if it has no sign or is too long, or if no text follows."""
    if follows := _END_FOLLOWS.match(raw, end):
        end = follows.end()
    title, text = raw[begin:end].strip(" \t.:"), raw[end:].strip()
    is_title = _ENDS.search(raw, begin, end) and len(title) <= _MARKED_TITLE and sum(map(str.isalpha, title)) > 1
    is_text = len(text) >= _TEXT or _SENTENCE_ENDS.search(text)
    is_sentence = _GOES_ON.match(text) or (_ABBREVIATION.search(raw, begin, end) and not text[:1].isupper())
    return end if is_title and is_text and not is_sentence else 0


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
        if order != "out_of_order" and line.number and not line.item.is_title and _is_text(line.text[line.number.length :])
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
