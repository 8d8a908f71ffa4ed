"""Read content that is stored in a part of its own: w:altChunk (ECMA-376 Part 1, 17.17.2.1).

Word files, workbooks, HTML, web archives and plain text are read; other formats are reported as issues.
"""

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
from docxchunk.ooxml.workbook import read_workbook
from docxchunk.reader.flow import DocumentState, DrawingObject, Dropped, Environment, Flow
from docxchunk.reader.html import HtmlPage, html_in_mail, page_of_tables, read_html
from docxchunk.reader.paragraphs import loose_paragraph
from docxchunk.reader.prescan import find_marks, trims_blanks
from docxchunk.reader.story import Story
from docxchunk.reader.tables import Item

_TEXT, _HTML, _MAIL = "text/plain", ("text/html", "application/xhtml+xml"), ("message/rfc822", "multipart/related", "application/x-mimearchive")
_WORKBOOK = "spreadsheetml"
_ENDINGS = {"txt": _TEXT, "htm": _HTML[0], "html": _HTML[0], "xhtml": _HTML[1], "mht": _MAIL[0], "mhtml": _MAIL[0]}


def read_alt_chunk(element: etree._Element, flow: Flow, step: int) -> list[Item]:
    """Return the items of the part that the element refers to; empty, with an issue, if it cannot be read. `step` is that of the story around it."""
    flow.drop(Dropped.MISPLACED, element)
    part = flow.env.inside(element.get(R + "id"))
    kind = "" if part is None else flow.env.package.content_type(part).lower()
    data = None if part is None or flow.is_imported else flow.env.package.read(part)
    kind = kind or _ENDINGS.get(str(part).lower().rpartition(".")[2], "")
    if data is not None and kind.startswith(_TEXT):
        return list(_text_lines(data.decode("utf-8", "replace"), flow, step))
    if data is not None and kind.startswith((*_HTML, *_MAIL)) and (page := _page(data, kind)) is not None:
        if page.is_cut:
            flow.report(IssueCode.PART_BROKEN, f"The HTML in {part} is nested too deeply; its content after 256 nested elements was not read.")
        return _page_items(page, flow, step)
    if data is not None and (_WORKBOOK in kind or str(part).lower().endswith((".xlsx", ".xlsm"))):
        return _workbook_items(data, flow, step)
    if data is not None and (kind.startswith("application/vnd.openxmlformats") or data.startswith(b"PK")):
        try:
            return _read_word_file(open_package(data, flow.env.options.limits), flow, step)
        except InputError as error:
            flow.report(IssueCode.PART_BROKEN, f"A document inside the document cannot be read: {error}")
            return []
    flow.report(IssueCode.UNSUPPORTED_OBJECT, f"The content of a separate part ({local_name(element.tag)}, {kind or 'missing'}) was not read.")
    return []


def _text_lines(text: str, flow: Flow, step: int) -> Iterator[Item]:
    for line in text.splitlines():
        if line.strip():
            flow.document.place += step
            yield loose_paragraph(line, flow)


def _workbook_items(data: bytes, flow: Flow, step: int) -> list[Item]:
    """Read each sheet of a workbook as a table, with the sheet's name as the caption."""
    sheets = read_workbook(data, flow.env.options.limits)
    if sheets is None:
        flow.report(IssueCode.PART_BROKEN, "A workbook inside the document cannot be read.")
        return []
    return _page_items(page_of_tables(sheets), flow, step)


def _page(data: bytes, kind: str) -> HtmlPage | None:
    try:
        html = html_in_mail(data) if kind.startswith(_MAIL) else data
        return None if html is None else read_html(html)
    except RecursionError:
        return None


def _page_items(page: HtmlPage, flow: Flow, step: int) -> list[Item]:
    styles = Styles(page.styles)
    return _read_inside(page.body, replace(flow.env, styles=styles, numbering=Numbering(page.numbering, styles.numbering_of_style)), flow, step)


def _read_word_file(package: Package, flow: Flow, step: int) -> list[Item]:
    """Read the body of another Word file with its own styles and lists. Its pictures get a tag, but their bytes are not kept."""
    root = package.document()
    styles = Styles(package.xml_of("styles"))
    numbering = Numbering(package.xml_of("numbering"), styles.numbering_of_style)
    body = root.find(W + "body")
    return _read_inside(root if body is None else body, replace(flow.env, package=package, part=package.main, styles=styles, numbering=numbering), flow, step)


def _read_inside(body: etree._Element, env: Environment, flow: Flow, step: int) -> list[Item]:
    """Read a body in the environment `env`; page, positions and counts continue those of `flow`."""
    env = replace(env, marks=replace(find_marks(body, env.styles, env.options), trims=trims_blanks(body)))
    outer = flow.document
    inner = DocumentState(
        Counters(env.numbering),
        issues=outer.issues,
        objects=outer.objects,
        dropped=outer.dropped,
        tables=outer.tables,
        element=outer.element,
        place=outer.place,
    )
    before = len(outer.objects)
    story = Story(Flow(env, inner, is_imported=True), step)
    story.read(body)
    items = story.end()
    outer.objects[before:] = [item._replace(asset="") if isinstance(item, DrawingObject) else item for item in outer.objects[before:]]
    outer.tables, outer.place, outer.emitted = inner.tables, inner.place, outer.emitted + inner.emitted
    return items
