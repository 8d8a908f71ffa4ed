"""An edit in one section does not change inferred headings in others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus.test_corpus import FILES

from docxchunk import api
from docxchunk.errors import DocxchunkError
from docxchunk.model.options import Headings
from docxchunk.reader import document as reading
from docxchunk.reader.headings import infer_headings
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_LARGEST = 100_000  # bytes
_TRIALS = 4  # a document
Heading = tuple[int, str, int]
_ADDED = " A sentence that the author has put behind the others on second thoughts, as authors do."


@pytest.mark.skipif(not FILES, reason="no corpus: see test_corpus.py")
def test_an_edit_of_a_paragraph_changes_no_heading_of_another_section(monkeypatch):
    number, changed = 0, []
    for path in FILES:
        if path.stat().st_size <= _LARGEST:
            items = _items(path, monkeypatch)
            before = _headings(items)
            for place, edited in _trials(items, path.name):
                number += 1
                if not _stays(items, before, place, edited):
                    changed.append(f"{path.name}, item {place}")
    assert number > len(FILES)
    assert not changed


def _items(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Item]:
    """Return the items of a document before headings are inferred."""
    found: list[list[Item]] = []

    def keep(items: list[Item], *settings: object) -> list[Item]:
        found.append(items)
        return items

    monkeypatch.setattr(reading, "infer_headings", keep)
    try:
        api.parse(path)
    except DocxchunkError:
        return []
    return found[-1]


def _trials(items: list[Item], name: str) -> Iterator[tuple[int, str]]:
    """Yield the index of a body paragraph, and its edited version: longer, shorter, or another
    text.
    """
    rnd = random.Random(name)  # noqa: S311 - for a test
    texts = [
        place
        for place, item in enumerate(items)
        if isinstance(item, Paragraph) and len(item.raw) > 80 and not item.outline.level
    ]
    for place in rnd.sample(texts, min(_TRIALS, len(texts))):
        raw = items[place].raw
        yield place, rnd.choice([raw + _ADDED, raw[:40], _ADDED.strip()])


def _stays(items: list[Item], before: list[Heading], place: int, edited: str) -> bool:
    item = items[place]
    assert isinstance(item, Paragraph)
    start = max((heading[0] for heading in before if heading[0] <= item.element), default=-1)
    end = min(
        (heading[0] for heading in before if heading[0] > item.element),
        default=items[-1].element + 1,
    )
    after = _headings([*items[:place], item._replace(raw=edited), *items[place + 1 :]])
    return [h for h in before if not start <= h[0] < end] == [
        h for h in after if not start <= h[0] < end
    ]


def _headings(items: list[Item]) -> list[Heading]:
    found = infer_headings(items, Headings.AUTO, lambda *_: None)
    return [
        (item.element, item.raw, item.outline.level)
        for item in found
        if isinstance(item, Paragraph) and item.outline.level
    ]
