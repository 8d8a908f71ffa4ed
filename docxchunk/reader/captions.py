"""Which caption belongs to which object: a paragraph of style Caption or with a SEQ field, next to it (ECMA-376 Part 1, 17.16.5.56)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from docxchunk.reader.flow import DrawingObject, EmbeddedObject
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.story import Item
from docxchunk.reader.tables import Table
from docxchunk.reader.text import finish_cell, objects_in

_OF_TABLE = re.compile(r"\s*(?:table|tab\.|tabelle|tableau|tabla|таблица|表)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Captions:
    """Texts by the ordinal of a table and by the index of an embedded object."""

    tables: Mapping[int, str] = field(default_factory=dict)
    objects: Mapping[int, str] = field(default_factory=dict)


def find_captions(items: Sequence[Item], objects: Sequence[EmbeddedObject]) -> Captions:
    """A table's caption stands above it, or below; a picture's below it, or above: the nearest that has none takes it."""
    tables: dict[int, str] = {}
    pictures: dict[int, str] = {}
    if not any(isinstance(item, Paragraph) and item.is_caption for item in items):
        return Captions()
    shown = [item for item in items if not isinstance(item, Paragraph) or item.raw]
    for i, item in enumerate(shown):
        if not isinstance(item, Paragraph) or not item.is_caption:
            continue
        text = finish_cell(item.raw, lambda _: "")
        own = _drawings(item, objects)
        before, after = shown[i - 1] if i else None, shown[i + 1] if i + 1 < len(shown) else None
        for candidate in (item, after, before) if _OF_TABLE.match(text) or not _drawings(before, objects) else (item, before, after):
            if isinstance(candidate, Table) and candidate.ordinal not in tables:
                tables[candidate.ordinal] = text
                break
            free = [k for k in (own if candidate is item else _drawings(candidate, objects)) if k not in pictures]
            if free:
                pictures.update(dict.fromkeys(free, text))
                break
    return Captions(tables, pictures)


def _drawings(item: Item | None, objects: Sequence[EmbeddedObject]) -> list[int]:
    return [k for k in objects_in(item.raw) if isinstance(objects[k], DrawingObject)] if isinstance(item, Paragraph) else []
