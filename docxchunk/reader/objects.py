"""Find the captions of tables, equations and drawings; then give each equation and drawing its id,
its asset file and its tag, in reading order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from docxchunk.content.roles import begins_like_caption_of_table
from docxchunk.content.tags import drawing_tag, equation_tag, plain
from docxchunk.model.objects import Drawing, Equation
from docxchunk.ooxml.package import Package
from docxchunk.reader.ids import object_id
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.state import DrawingObject, EmbeddedObject, EquationObject
from docxchunk.reader.tables import GridTable, Item
from docxchunk.reader.text import OBJECT, finish_cell, objects_in, only_objects, without_notes


class Captions(NamedTuple):
    """The captions of tables, by ordinal, and of embedded objects, by index."""

    tables: Mapping[int, str]
    objects: Mapping[int, str]


def find_captions(items: Sequence[Item], objects: Sequence[EmbeddedObject]) -> Captions:
    """Match each caption to a table or picture near it.

    For a table, the item below the caption is tried first, or the one above if most captions in the
    document follow their table. For a picture, it is the item above.
    """
    not_blank = [item for item in items if not isinstance(item, Paragraph) or item.raw]
    captions = [
        (item, above, below)
        for above, item, below in zip(
            [None, *not_blank], not_blank, [*not_blank[1:], None], strict=False
        )
        if isinstance(item, Paragraph) and item.is_caption
    ]
    tables_above = sum(isinstance(above, GridTable) for _, above, _ in captions)
    tables_below = sum(isinstance(below, GridTable) for _, _, below in captions)
    tables: dict[int, str] = {}
    pictures: dict[int, str] = {}
    for item, above, below in captions:
        text = plain(finish_cell(without_notes(item.raw), lambda _: ""))
        of_table = begins_like_caption_of_table(text) or not _drawings(above, objects)
        near = (below, above) if of_table and tables_below >= tables_above else (above, below)
        _assign(text, (item, *near), objects, tables, pictures)
    return Captions(tables, pictures)


def _assign(
    text: str,
    candidates: Sequence[Item | None],
    objects: Sequence[EmbeddedObject],
    tables: dict[int, str],
    pictures: dict[int, str],
) -> None:
    for candidate in candidates:
        if isinstance(candidate, GridTable) and candidate.ordinal not in tables:
            tables[candidate.ordinal] = text
            return
        free = [k for k in _drawings(candidate, objects) if k not in pictures]
        if free:
            pictures.update(dict.fromkeys(free, text))
            return


def _drawings(item: Item | None, objects: Sequence[EmbeddedObject]) -> list[int]:
    return (
        [k for k in objects_in(item.raw) if isinstance(objects[k], DrawingObject)]
        if isinstance(item, Paragraph)
        else []
    )


class TaggedObjects(NamedTuple):
    """The tags and the sidecar records of the objects, both by the index of the object. Inline
    equations have no record.
    """

    tags: Sequence[str]
    embedded: Mapping[int, Equation | Drawing]


def tag_objects(
    items: Iterable[Item],
    objects: Sequence[EmbeddedObject],
    captions: Captions,
    paths: Mapping[str, str],
    doc_id: str,
) -> TaggedObjects:
    """Return the tags and sidecar records of the objects.

    Equations get a record only in paragraphs that contain nothing else. `paths` maps the parts of
    pictures to the paths of their asset files.
    """
    displayed = {
        index
        for raw in _raws(items)
        if only_objects(raw)
        and all(isinstance(objects[k], EquationObject) for k in objects_in(raw))
        for index in objects_in(raw)
    }
    tags: list[str] = []
    embedded: dict[int, Equation | Drawing] = {}
    equations = drawings = 0
    for index, item in enumerate(objects):
        caption = captions.objects.get(index, "")
        if isinstance(item, DrawingObject):
            drawings += 1
            identifier, path = object_id("im", doc_id, drawings), paths.get(item.asset, "")
            embedded[index] = Drawing(
                identifier,
                "",
                "",
                (),
                item.kind,
                item.format,
                path,
                item.src,
                item.alt,
                item.name,
                caption,
                data=item.data,
                embedded=item.embedded,
            )
            tags.append(drawing_tag(identifier, item.format, caption or item.alt, path, item.src))
        elif index in displayed:
            equations += 1
            identifier = object_id("eq", doc_id, equations)
            embedded[index] = Equation(identifier, "", "", (), item.latex, caption)
            tags.append(equation_tag(item.latex, identifier))
        else:
            tags.append(equation_tag(item.latex))
    return TaggedObjects(tags, embedded)


def _raws(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Paragraph):
            if OBJECT in item.raw:  # only for speed
                yield item.raw
        else:
            yield from _raws(item.paragraphs())


def keep_pictures(
    package: Package, objects: Iterable[EmbeddedObject]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the picture files of a document by name, image1.png and so on, and the file name of
    each part. Equal bytes are stored once. Parts that cannot be read are left out.
    """
    files: dict[str, bytes] = {}
    names: dict[str, str] = {}
    name_of: dict[bytes, str] = {}  # by the hash of the bytes
    tried = {""}
    for item in objects:
        if isinstance(item, EquationObject) or item.asset in tried:
            continue
        tried.add(item.asset)
        data = package.read(item.asset)
        if data is not None:
            name = f"image{len(files) + 1}.{item.format or 'bin'}"
            name = name_of.setdefault(hashlib.sha256(data).digest(), name)
            names[item.asset] = name
            files[name] = data
    return files, names
