"""The readable form of chunks, for models that embed them: text without tags, ids and escapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from docxchunk.chunking.forms.tables import render
from docxchunk.markup.table_texts import first_rows
from docxchunk.markup.tables import Grid, attribute, html_text, tables
from docxchunk.markup.tags import INLINE_TAG, TAG_NAME, objects, picture, unescape_text
from docxchunk.model.chunks import TableForm

_EXPONENT: Final = re.compile(r"(?<=\d)<sup>(?=[-+\u2212]?\d)")
_INLINE_TAG: Final = re.compile(INLINE_TAG)
_TAG: Final = re.compile(rf"<{TAG_NAME}[^<>]*>", re.IGNORECASE)


def readable(content: str, heads: Sequence[int] = ()) -> str:
    """Return the content of a block or chunk as people read it: without tags, ids and escapes.

    A row of a table is a line, "Item: Valve; Price: 12", an equation is LaTeX between dollar signs,
    and a picture is its caption and its description in brackets. `heads` has for each table the
    number of its first rows that name the columns; 0 if it is missing.
    """
    if "<" not in content and "&" not in content:
        return content
    texts: list[str] = []
    at = 0
    for number, tag in enumerate(tables(content)):
        rows = _rows(Grid(content, tag), heads[number] if number < len(heads) else 0)
        texts += _text(content[at : tag.start]), "\n".join(rows)
        at = tag.end
    texts.append(_text(content[at:]))
    return "\n".join(filter(None, (text.strip("\n") for text in texts)))


def _rows(grid: Grid, heads: int) -> Iterator[str]:
    """Yield the rows of a table as lines."""
    if grid.format is None:
        yield _plain(html_text(grid.content[grid.tag.body : grid.tag.body_end]))
        return
    yield from map(_plain, render(grid, TableForm.TEXT, first_rows(grid, heads), _words).rows)


def _text(text: str) -> str:
    """Return text that has no tables."""
    shown: list[str] = []
    at = 0
    for start, end, words in objects(text, _words):
        shown += _plain(text[at:start]), words
        at = end
    return "".join((*shown, _plain(text[at:])))


def _plain(text: str) -> str:
    if "<" in text:
        text = _TAG.sub(" ", _INLINE_TAG.sub("", _EXPONENT.sub("^", text)))
    return unescape_text(text)


def _words(tag: str) -> str:
    """Return the words for the tag of a picture."""
    words = (attribute(tag, "caption"), attribute(tag, "description"))
    return picture("Picture", ". ".join(filter(None, words)))
