"""Join the titles that stand above articles to them: "（目的）" on the line before 第1条.

Japanese laws and rules are written so. The heading is 第1条（目的）, as readers cite it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from docxchunk.language.clause_words import ARTICLE
from docxchunk.language.numbers import number_of_paragraph
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import STOPS, WIDE_STOPS
from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.styles import BODY
from docxchunk.reader.headings.lines import width
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_LEAST: Final = 2  # titles in a document
_LONGEST: Final = 60  # width of a title
_IN_BRACKETS: Final = pattern(rf"\s*[（(][^（()）]+(?<![{STOPS}{WIDE_STOPS}])[)）]\s*")


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
        and _is_number(article)
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


def _is_number(item: Paragraph) -> bool:
    """Return whether a heading has the number of an article and no title."""
    text, label = item.raw.strip(), item.label.strip()
    if not item.outline.level or item.is_toc or item.notes:
        return False
    number = number_of_paragraph(text, label)
    return (
        number is not None
        and number.rank == ARTICLE
        and not (text if label else text[number.length :].strip(" .:　．：。"))
    )


def _is_title(item: Paragraph) -> bool:
    is_marked = item.outline.level > 0 and item.outline.source is not HeadingSource.GUESS
    return (
        not (is_marked or item.label or item.is_toc or item.is_caption)
        and _IN_BRACKETS.fullmatch(item.raw) is not None
        and width(item.raw) <= _LONGEST
    )


def _without_number(article: Paragraph) -> Paragraph:
    """Return what is left of the line: nothing to read. It still tells where its page begins."""
    end = 0 if article.label else len(article.raw)
    return article._replace(
        raw="", label="", depth=-1, outline=BODY, opens_clause=False, start=article.start + end
    )
