"""Give embedded objects their ids, asset files and tags, in reading order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from docxchunk.markup.tags import drawing_tag, equation_tag
from docxchunk.model.objects import Drawing, Equation
from docxchunk.ooxml.package import Package
from docxchunk.reader.block_ids import object_id
from docxchunk.reader.captions import Captions
from docxchunk.reader.flow import OBJECT, DrawingObject, EmbeddedObject, EquationObject
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import objects_in, only_objects


@dataclass(frozen=True, slots=True)
class TaggedObjects:
    """The tag of each object, and its sidecar record if it has one (inline equations have none), by
    the index of the object.
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
    alone = {
        k
        for raw in _raws(items)
        if only_objects(raw) and _only_equations(raw, objects)
        for k in objects_in(raw)
    }
    tags: list[str] = []
    embedded: dict[int, Equation | Drawing] = {}
    equations = drawings = 0
    for k, item in enumerate(objects):
        if isinstance(item, DrawingObject):
            drawings += 1
            drawing = _drawing(
                item, object_id("im", doc_id, drawings), captions.objects.get(k, ""), paths
            )
            embedded[k] = drawing
            tags.append(
                drawing_tag(
                    drawing.id,
                    drawing.format,
                    drawing.caption or drawing.alt,
                    drawing.path,
                    drawing.src,
                )
            )
        elif k in alone:
            equations += 1
            embedded[k] = Equation(
                object_id("eq", doc_id, equations),
                "",
                "",
                (),
                item.latex,
                captions.objects.get(k, ""),
            )
            tags.append(equation_tag(item.latex, embedded[k].id))
        else:
            tags.append(equation_tag(item.latex))
    return TaggedObjects(tags, embedded)


def _only_equations(raw: str, objects: Sequence[EmbeddedObject]) -> bool:
    return all(isinstance(objects[k], EquationObject) for k in objects_in(raw))


def _drawing(
    item: DrawingObject, identifier: str, caption: str, paths: Mapping[str, str]
) -> Drawing:
    return Drawing(
        identifier,
        "",
        "",
        (),
        item.kind,
        item.format,
        paths.get(item.asset, ""),
        item.src,
        item.alt,
        item.name,
        caption,
        data=item.data,
        embedded=item.embedded,
    )


def _raws(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Paragraph):
            if OBJECT in item.raw:
                yield item.raw
        else:
            yield from _raws(item.paragraphs())


class Assets:
    """The picture files of a document, tagged `image1.png` and so on; equal bytes are stored
    once.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self.files: dict[str, bytes] = {}  # name -> bytes
        self._names: dict[bytes, str] = {}

    def keep(self, objects: Iterable[EmbeddedObject]) -> dict[str, str]:
        """Store the pictures; return the file name of each part. Parts that cannot be read are left
        out.
        """
        found: dict[str, str] = {}
        for item in objects:
            if isinstance(item, EquationObject) or not item.asset or item.asset in found:
                continue
            data = self._package.read(item.asset)
            if data is not None:
                found[item.asset] = self._name(data, item.format or "bin")
        return found

    def _name(self, data: bytes, extension: str) -> str:
        digest = hashlib.sha256(data).digest()
        if digest not in self._names:
            self._names[digest] = f"image{len(self._names) + 1}.{extension}"
            self.files[self._names[digest]] = data
        return self._names[digest]
