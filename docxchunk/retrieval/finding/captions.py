"""The tables and pictures of a document by their captions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from docxchunk.content.roles import begins_like_caption_of_table
from docxchunk.model.blocks import LineRole
from docxchunk.retrieval.finding.places import Places


def captioned(places: Places) -> Iterator[tuple[str, range]]:
    """Yield each caption with its places. The captions of tables come first. The places of such a
    caption are the rows of the table, and the line above or below them that has its text. Then come
    the other captions: the place is its line and, if it begins like that of a table, the rows
    right below.
    """
    beside: set[int] = set()
    by_table = groupby(range(len(places.all)), key=lambda index: places.all[index].table)
    tables = {table: list(rows) for table, rows in by_table if table}
    of_table = {rows[0]: rows for rows in tables.values()}
    for table, rows in tables.items():
        record = places.document.tables.get(table)
        if record and record.caption:
            start, end = rows[0], rows[-1] + 1
            start -= _has_text(places, start - 1, record.caption)
            end += _has_text(places, end, record.caption)
            beside |= {start, end - 1}
            yield record.caption, range(start, end)
    for index, place in enumerate(places.all):
        if index in beside or place.table or LineRole.CAPTION not in places.line(place).roles:
            continue
        if not places.is_entry(index):
            rows = of_table.get(index + 1, []) if begins_like_caption_of_table(place.text) else []
            yield place.text, range(index, (rows or [index])[-1] + 1)


def _has_text(places: Places, index: int, text: str) -> bool:
    is_here = 0 <= index < len(places.all)
    return is_here and places.all[index].text.split() == text.split()
