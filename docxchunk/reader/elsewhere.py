"""Content in a part of its own: w:altChunk (ECMA-376 Part 1, 17.17.2.1). Word files and plain text in the package are read, the rest is reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from docxchunk.errors import InputError
from docxchunk.model.issues import IssueCode
from docxchunk.ooxml.names import R, W, local_name
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import Package, open_package
from docxchunk.ooxml.styles import Styles
from docxchunk.reader.flow import DrawingObject, Dropped, Flow
from docxchunk.reader.marks import find_marks
from docxchunk.reader.paragraphs import loose_paragraph
from docxchunk.reader.story import Item, Story

_TEXT = "text/plain"


def read_elsewhere(element: etree._Element, flow: Flow, step: int) -> list[Item]:
    """The items of the part that the element names; none, and an issue, where it cannot be read. `step` is that of the story around it."""
    flow.drop(Dropped.MISPLACED, element)
    part = flow.env.inside(element.get(R + "id"))
    kind = "" if part is None else flow.env.package.content_type(part).lower()
    data = None if part is None or flow.is_imported else flow.env.package.read(part)
    if data is not None and (kind.startswith(_TEXT) or (not kind and str(part).lower().endswith(".txt"))):
        return list(_text_lines(data.decode("utf-8", "replace"), flow, step))
    if data is not None and (kind.startswith("application/vnd.openxmlformats") or data.startswith(b"PK")):
        try:
            return _imported(open_package(data, flow.env.options.limits), flow, step)
        except InputError as error:
            flow.report(IssueCode.PART_BROKEN, f"A document inside the document cannot be read: {error}")
            return []
    flow.report(IssueCode.UNSUPPORTED_OBJECT, f"Content in another part ({local_name(element.tag)}, {kind or 'missing'}) was not read.")
    return []


def _text_lines(text: str, flow: Flow, step: int) -> Iterator[Item]:
    for line in text.splitlines():
        if line.strip():
            flow.place += step
            yield loose_paragraph(line, flow)


def _imported(package: Package, flow: Flow, step: int) -> list[Item]:
    """The body of another Word file, with the styles and lists of its own. Its pictures keep their place, not their bytes."""
    root = package.document()
    styles, numbering = (package.xml_of(kind) for kind in ("styles", "numbering"))
    own = Styles(styles)
    env = replace(
        flow.env,
        package=package,
        part=package.main,
        styles=own,
        numbering=Numbering(numbering, own.numbering_of_style),
        marks=find_marks(root, own, flow.env.options),
    )
    inner = Flow(env, Counters(env.numbering), flow.issues, own.paragraph(None), env.marks.runs, objects=flow.objects, is_imported=True)
    inner.tables, inner.page, inner.element, inner.place, inner.dropped = flow.tables, flow.page, flow.element, flow.place, flow.dropped
    before = len(flow.objects)
    story = Story(inner, step)
    body = root.find(W + "body")
    story.read(root if body is None else body)
    items = story.end()
    flow.objects[before:] = [item._replace(asset="") if isinstance(item, DrawingObject) else item for item in flow.objects[before:]]
    flow.tables, flow.place, flow.emitted = inner.tables, inner.place, flow.emitted + inner.emitted
    return items
