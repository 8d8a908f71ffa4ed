"""Join a number on a line of its own to the title on the next line, as readers cite them.

- Below the number: "ARTICLE I", then "MEMBERSHIP". The heading is "ARTICLE I MEMBERSHIP".
- Above it, as in Japanese laws: "（目的）", then 第1条. The heading is 第1条（目的）.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from docxchunk.language.clause_words import ARTICLE
from docxchunk.language.numbers import Number, number_of_paragraph
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import STOPS as SENTENCE_STOPS
from docxchunk.language.sentences import WIDE_STOPS
from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import Look
from docxchunk.ooxml.styles import BODY
from docxchunk.reader.headings.lines import Body, body_of, line_of, series_of, width
from docxchunk.reader.headings.marks import STOPS
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_LEAST: Final = 2  # titles in a document
_LONGEST: Final = 60  # width of a title
_LONGEST_NUMBER: Final = 40  # characters
_MOST: Final = 0.75  # of the numbers of a series, and of the lines that look like titles
_SIGNS: Final = " .:　．：。"  # after a number
_IN_BRACKETS: Final = pattern(rf"\s*[（(][^（()）]+(?<![{SENTENCE_STOPS}{WIDE_STOPS}])[)）]\s*")


def with_titles_below(items: Sequence[Item]) -> list[Item]:
    """Return the items. The line right below a number becomes its title if the document has several
    such numbers in order, and most of these have a title. It gets the number, and the level if the
    author marked the number as a heading.
    """
    filled = [index for index, item in enumerate(items) if not _is_blank(item)]
    below = dict(pairwise(filled))
    alone = {
        index: (item, number)
        for index in below
        if isinstance(item := items[index], Paragraph)
        and item.look
        and not item.label
        and (number := _number_alone(item))
    }
    result = list(items)
    if len(alone) < _LEAST:
        return result
    titles = _titles(items, alone, below)
    numbers = {index: number for index, (_, number) in alone.items()}
    for members in series_of(numbers, dict.fromkeys(numbers)):
        titled = [index for index in members if index in titles]
        if len(titled) < max(_LEAST, _MOST * len(members)):
            continue
        for index in titled:
            title, (number_line, _) = titles[index], alone[index]
            marked = number_line if number_line.outline.level else title
            result[below[index]] = title._replace(
                label=f"{number_line.raw.strip()} ", outline=marked.outline
            )
            result[index] = _without_number(number_line)
    return result


def _number_alone(item: Paragraph) -> Number | None:
    """Return the number that is all of a paragraph, automatic or typed; None for others."""
    text, label = item.raw.strip(), item.label.strip()
    if item.is_toc or item.notes or len(text) > _LONGEST_NUMBER:
        return None
    number = number_of_paragraph(f"{text} ", label)
    after = text if label else text[number.length if number else 0 :].strip(_SIGNS)
    return None if after else number


def _titles(
    items: Sequence[Item],
    alone: Mapping[int, tuple[Paragraph, Number]],
    below: Mapping[int, int],
) -> dict[int, Paragraph]:
    """Return the lines that can be titles, by the index of the number above them. A title looks
    like its number, or most lines from the first number on that look like it are right below one.

    `alone` has the paragraphs that are numbers, by their indices; `below` the index of the item
    below each.
    """
    body = body_of(items)
    titles = {
        index: title
        for index, (_, number) in alone.items()
        if (title := _title(below[index], items, body, is_division=number.rank > 0))
    }
    lines = Counter(
        _look(item)
        for item in items[min(alone) :]
        if isinstance(item, Paragraph) and 0 < width(item.raw) <= _LONGEST
    )
    below_numbers = Counter(map(_look, titles.values()))
    return {
        index: title
        for index, title in titles.items()
        if (look := _look(title)) == _look(alone[index][0])
        or below_numbers[look] >= _MOST * lines[look]
    }


def _title(index: int, items: Sequence[Item], body: Body, *, is_division: bool) -> Paragraph | None:
    """Return a paragraph that can be the title of a number. It has no number, does not end as a
    sentence does, and stands out from the body text; a short one below "Article 5" need not.
    """
    item = items[index]
    line = line_of(index, item) if isinstance(item, Paragraph) else None
    if line is None or line.number or line.item.label or line.text.endswith((*STOPS, ":", "：")):
        return None
    is_short = is_division and line.width <= _LONGEST and not line.text[0].islower()
    return line.item if is_short or line_of(index, line.item, body) else None


def _look(item: Paragraph) -> tuple[object, ...]:
    look = item.look or Look()
    capitals = look.caps or item.raw.isupper()
    return look.size, look.bold, look.italic, look.underline, capitals, item.layout.align


def with_titles_above(items: Sequence[Item]) -> list[Item]:
    """Return the items. A line in brackets right above the number of an article becomes the heading
    of the article, with this number, if the document has several such lines.
    """
    filled = [(index, item) for index, item in enumerate(items) if not _is_blank(item)]
    titles = [
        (above, title, below, article)
        for (above, title), (below, article) in pairwise(filled)
        if isinstance(title, Paragraph)
        and isinstance(article, Paragraph)
        and _is_article(article)
        and _is_title(title)
    ]
    result = list(items)
    if len(titles) >= _LEAST:
        for above, title, below, article in titles:
            number = article.label or article.raw
            result[above] = title._replace(
                label=number.strip(), outline=article.outline, bold=False, is_headline=False
            )
            result[below] = _without_number(article)
    return result


def _is_blank(item: Item) -> bool:
    return isinstance(item, Paragraph) and item.is_blank


def _is_article(item: Paragraph) -> bool:
    """Return whether a heading is the number of an article, without a title."""
    number = _number_alone(item) if item.outline.level else None
    return number is not None and number.rank == ARTICLE


def _is_title(item: Paragraph) -> bool:
    is_marked = item.outline.level > 0 and item.outline.source is not HeadingSource.GUESS
    return (
        not (is_marked or item.label or item.is_toc or item.is_caption)
        and _IN_BRACKETS.fullmatch(item.raw) is not None
        and width(item.raw) <= _LONGEST
    )


def _without_number(article: Paragraph) -> Paragraph:
    """Return the paragraph of a number without its text. The page breaks in it still count."""
    end = 0 if article.label else len(article.raw)
    return article._replace(
        raw="", label="", depth=-1, outline=BODY, opens_clause=False, start=article.start + end
    )
