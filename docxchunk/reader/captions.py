"""Match captions to tables and drawings. A caption is a paragraph of style Caption or with a SEQ
field (ECMA-376 Part 1, 17.16.5.56).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from docxchunk.markup.tags import plain
from docxchunk.reader.flow import DrawingObject, EmbeddedObject, EquationObject
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import GridTable, Item
from docxchunk.reader.text import finish_cell, objects_in, without_notes

_OF_TABLE = re.compile(r"\s*(?:table|tab\.|tabelle|tableau|tabla|таблица|表)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Captions:
    """The captions of tables, by ordinal, and of embedded objects, by index."""

    tables: Mapping[int, str] = field(default_factory=dict)
    objects: Mapping[int, str] = field(default_factory=dict)


def find_captions(items: Sequence[Item], objects: Sequence[EmbeddedObject]) -> Captions:
    """Match each caption to its nearest table or picture.

    A table is looked for below its caption first, or above if most captions in the document follow
    their table; a picture above first.
    """
    if not any(isinstance(item, Paragraph) and item.is_caption for item in items):
        return Captions()
    shown = [item for item in items if not isinstance(item, Paragraph) or item.raw]
    places = [
        i
        for i, item in enumerate(shown)
        if isinstance(item, Paragraph) and _is_caption(item, objects)
    ]
    above = sum(isinstance(_item_at(shown, i + 1), GridTable) for i in places)
    below = sum(isinstance(_item_at(shown, i - 1), GridTable) for i in places)
    tables: dict[int, str] = {}
    pictures: dict[int, str] = {}
    for i in places:
        item = shown[i]
        text = _plain_text(item)
        before, after = _item_at(shown, i - 1), _item_at(shown, i + 1)
        of_table = bool(_OF_TABLE.match(text)) or not _drawings(before, objects)
        near = (after, before) if of_table and above >= below else (before, after)
        _assign(text, (item, *near), objects, tables, pictures)
    return Captions(tables, pictures)


def _assign(
    text: str,
    candidates: Sequence[Item | None],
    objects: Sequence[EmbeddedObject],
    tables: dict[int, str],
    pictures: dict[int, str],
) -> None:
    """Assign the caption to the first candidate that has none."""
    for candidate in candidates:
        if isinstance(candidate, GridTable) and candidate.ordinal not in tables:
            tables[candidate.ordinal] = text
            return
        free = [k for k in _drawings(candidate, objects) if k not in pictures]
        if free:
            pictures.update(dict.fromkeys(free, text))
            return


def _is_caption(item: Paragraph, objects: Sequence[EmbeddedObject]) -> bool:
    """Return whether the paragraph is a caption; a SEQ field beside an equation is the number of
    the equation.
    """
    return item.is_caption and (
        item.style.is_caption
        or not any(isinstance(objects[k], EquationObject) for k in objects_in(item.raw))
    )


def _plain_text(item: Item) -> str:
    return (
        plain(finish_cell(without_notes(item.raw), lambda _: ""))
        if isinstance(item, Paragraph)
        else ""
    )


def _item_at(items: Sequence[Item], place: int) -> Item | None:
    return items[place] if 0 <= place < len(items) else None


def _drawings(item: Item | None, objects: Sequence[EmbeddedObject]) -> list[int]:
    return (
        [k for k in objects_in(item.raw) if isinstance(objects[k], DrawingObject)]
        if isinstance(item, Paragraph)
        else []
    )
