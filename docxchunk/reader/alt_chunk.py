"""Read content that is stored in a part of its own: w:altChunk (ECMA-376 Part 1, 17.17.2.1).

Word files, HTML, web archives and plain text are read; other formats are reported as issues.
"""

from __future__ import annotations

import binascii
import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from lxml import etree

from docxchunk.errors import InputError, LimitError
from docxchunk.model.document import Dropped, IssueCode
from docxchunk.model.objects import NoteKind
from docxchunk.model.options import Limits
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import Package, open_package
from docxchunk.ooxml.styles import Styles
from docxchunk.ooxml.xml import R, W, local_name
from docxchunk.reader.html import NOT_XML, STYLES, HtmlPage, read_html
from docxchunk.reader.notes import NotePart, marks_of, note_parts, read_notes
from docxchunk.reader.paragraphs import loose_paragraph
from docxchunk.reader.state import DocumentState, DrawingObject, Environment, State
from docxchunk.reader.tables import Item

_TEXT = "text/plain"
_HTML = ("text/html", "application/xhtml+xml")
_ARCHIVE = ("message/rfc822", "multipart/related", "application/x-mimearchive")
_ENDINGS = {
    "txt": _TEXT,
    "htm": _HTML[0],
    "html": _HTML[0],
    "xhtml": _HTML[1],
    "mht": _ARCHIVE[0],
    "mhtml": _ARCHIVE[0],
}


ReadBody = Callable[["etree._Element", State], "list[Item]"]


def read_alt_chunk(
    element: etree._Element, state: State, step: int, read_body: ReadBody
) -> list[Item]:
    """Return the items of the part that the element refers to; empty, with an issue, if it cannot
    be read. `read_body` reads the body of the part. `step` is the step of the story around the
    element (see `Story`).

    Each part is read at most once, and all together are limited by `Limits.imported`.
    """
    state.drop(Dropped.MISPLACED, element)
    part = None if state.is_imported else state.env.inside(element.get(R + "id"))
    if part is not None and not state.reads(part):
        return []
    kind = state.env.package.content_type(part or "").lower() or _ENDINGS.get(
        str(part).lower().rpartition(".")[2], ""
    )
    try:
        items = None if part is None else _read_part(part, kind, state, step, read_body)
    except (InputError, RecursionError) as error:
        reason = str(error) if isinstance(error, InputError) else "Elements are nested too deep."
        # see `_left`
        if isinstance(error, LimitError) and error.limit in ("imported", "total", "elements"):
            reason = str(state.env.options.limits.import_error())
        state.report(IssueCode.PART_BROKEN, f"The content of {part} was not read: {reason}")
        return []
    if items is None:
        state.report(
            IssueCode.UNSUPPORTED_OBJECT,
            "The content of a separate part "
            f"({local_name(element.tag)}, "
            f"{kind or 'missing'}) was not read.",
        )
    return items or []


def _read_part(
    part: str, kind: str, state: State, step: int, read_body: ReadBody
) -> list[Item] | None:
    """Return the items of a part; None if it has none of the formats that are read. Raise
    InputError.
    """
    data = state.env.package.read(part)
    if data is None:
        return None
    _charge(state, len(data))
    if kind.startswith(_TEXT):
        lines = [line for line in _decoded(data).splitlines() if line.strip()]
        _charge(state, _ELEMENT * _OF_PARAGRAPH * len(lines))
        items: list[Item] = []
        for line in lines:
            state.document.position += step
            items.append(loose_paragraph(line, state))
        return items
    if kind.startswith((*_HTML, *_ARCHIVE)):
        is_archive = kind.startswith(_ARCHIVE)
        text = _page_in_archive(data) if is_archive else _decoded(data, data[:_HEAD])
        page = None if text is None else read_html(text, _left(state))
        if page is not None and page.is_cut:
            state.report(
                IssueCode.PART_BROKEN,
                f"The HTML in {part} is nested too deeply; its "
                "content after 256 nested elements was not read.",
            )
        return None if page is None else _items_of_page(part, page, state, read_body)
    if kind.startswith("application/vnd.openxmlformats") or data.startswith(b"PK"):
        return _items_of_word_file(part, open_package(data, _left(state)), state, read_body)
    return None


_ELEMENT = 32
"""The number of characters that an element counts as; see `Limits.imported`."""
_OF_PARAGRAPH = 3  # elements: w:p, w:r, w:t


def _charge(state: State, size: int) -> None:
    """Count characters that are imported. Raise LimitError if they are too many."""
    state.env.options.limits.admit_import(state.document.imported + size)
    state.document.imported += size


def _left(state: State) -> Limits:
    """Return the limits of a part: no more than is left of `Limits.imported`."""
    limits = state.env.options.limits
    room = limits.imported - state.document.imported
    return replace(
        limits,
        total=min(limits.total, room),
        elements=min(limits.elements, room // _ELEMENT),
        imported=room,
    )


def _items_of_page(part: str, page: HtmlPage, state: State, read_body: ReadBody) -> list[Item]:
    _charge(state, page.size)
    styles = Styles(STYLES)
    numbering = Numbering(page.numbering, styles.numbering_of_style)
    env = replace(state.env, source=part, styles=styles, numbering=numbering)
    return _items_of_body(page.body, env, state, read_body)


def _items_of_word_file(
    part: str, package: Package, state: State, read_body: ReadBody
) -> list[Item]:
    """Read the body of another Word file, and its notes, with its own styles and lists. Its
    pictures get a tag, but their bytes are not kept. Its headers and footers are left out. Its
    notes continue the numbers of the document.
    """
    root, notes = package.document(), list(note_parts(package))
    running = list(_headers_and_footers(package))
    styles = Styles(package.xml_of("styles"))
    numbering = Numbering(package.xml_of("numbering"), styles.numbering_of_style)
    roots = (root, *running, *(note.root for note in notes))
    elements = sum(1 for each in roots for _ in each.iter())
    _charge(state, package.inflated + _ELEMENT * elements)
    body = next(root.iterchildren(W + "body"))
    env = replace(
        state.env,
        package=package,
        part=package.main,
        source=part,
        styles=styles,
        numbering=numbering,
    )
    for each in running:
        state.drop(Dropped.HEADER_FOOTER, each)
    return _items_of_body(body, env, state, read_body, notes)


def _headers_and_footers(package: Package) -> Iterator[etree._Element]:
    for kind in (NoteKind.HEADER, NoteKind.FOOTER):
        for part in dict.fromkeys(package.parts(kind)):
            if (root := package.xml(part)) is not None:
                yield root


def _items_of_body(
    body: etree._Element,
    env: Environment,
    state: State,
    read_body: ReadBody,
    notes: Sequence[NotePart] = (),
) -> list[Item]:
    """Read a body in the environment `env`, and the notes to which it refers. Positions, pages and
    counts of the document continue.
    """
    outer = state.document
    inner = DocumentState(
        Counters(env.numbering),
        issues=outer.issues,
        objects=outer.objects,
        sections=outer.sections,
        note_labels=outer.note_labels,
        sequences=outer.sequences,
        headings=outer.headings,
        last_notes=outer.last_notes,
        dropped=outer.dropped,
        revisions=outer.revisions,
        page=outer.page,
        tables=outer.tables,
        element=outer.element,
        position=outer.position,
    )
    inside = State(replace(env, marks=marks_of(body, env)), inner)
    before = len(outer.objects)
    items = read_body(body, inside)
    outer.page, outer.position = inner.page, inner.position
    outer.inner_notes.update(read_notes(notes, inside, outer.note_labels))
    outer.objects[before:] = [
        item._replace(asset="") if isinstance(item, DrawingObject) else item
        for item in outer.objects[before:]
    ]
    outer.tables = inner.tables
    outer.emitted += inner.emitted
    return items


# -- the text of HTML files and web archives

_PAGE: Final = re.compile(
    rb"^content-type[ \t]*+:[ \t]*+(?:text/html|application/xhtml\+xml)\b",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK_LINE: Final = re.compile(rb"\n\r?\n")
_ENCODING: Final = re.compile(
    rb"^content-transfer-encoding[ \t]*+:[ \t]*+(base64|quoted-printable)",
    re.IGNORECASE | re.MULTILINE,
)
_CHARSET: Final = re.compile(
    rb"""(?:<(?:meta|\?xml)\b[^<>]*?|;\s*+)(?:charset|encoding)\s*+=\s*+(?:["']\s*+)?([\w.:-]++)""",
    re.IGNORECASE,
)
_HEAD: Final = 1 << 12  # bytes in which the encoding of a page is declared


def _page_in_archive(data: bytes) -> str | None:
    """Return the first HTML page of a web archive (MIME, RFC 2045 to 2046, 2557); None if it has
    none.
    """
    data = b"\n" + data
    page = _PAGE.search(data)
    end = None if page is None else _BLANK_LINE.search(data, page.end(), page.end() + _HEAD)
    if page is None or end is None:
        return None
    begin = max(data.rfind(b"\n--", 0, page.start()), 0)
    delimiter = data[begin : data.find(b"\n", begin + 1)].rstrip() or None
    head, content = data[begin : end.start()], data[end.end() :]
    if delimiter:
        content = content.partition(delimiter)[0]
    encoding = _ENCODING.search(head)
    if encoding is not None and encoding[1].lower() == b"base64":
        with suppress(binascii.Error):
            content = binascii.a2b_base64(content + b"==")
    elif encoding is not None:
        content = binascii.a2b_qp(content)
    return _decoded(content, head[-_HEAD:] + content[:_HEAD])


def _decoded(data: bytes, head: bytes = b"") -> str:
    """Decode by byte order mark, else by the encoding that `head` declares, else as UTF-8, else as
    Windows-1252, else as Latin-1. Characters that XML does not allow are left out.
    """
    marks = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    declared = _CHARSET.search(head)
    names = [name for mark, name in marks.items() if data.startswith(mark)]
    names += [declared[1].decode("ascii", "replace")] if declared else []
    for name in (*names, "utf-8", "cp1252"):
        with suppress(LookupError, ValueError):
            if codecs.lookup(name).name not in _NO_CHARSETS:
                return NOT_XML.sub("", data.decode(name))
    return NOT_XML.sub("", data.decode("latin-1"))


# encodings of Python that no browser knows
_NO_CHARSETS: Final = frozenset(
    "idna punycode raw-unicode-escape undefined unicode-escape utf-7".split()
)
