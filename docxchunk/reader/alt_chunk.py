"""Read content that is stored in a part of its own: w:altChunk (ECMA-376 Part 1, 17.17.2.1).

Word files, workbooks, HTML, web archives and plain text are read; other formats are reported as
issues.
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
from docxchunk.ooxml.workbook import read_workbook
from docxchunk.ooxml.xml import R, W, local_name
from docxchunk.reader.html import NOT_XML, HtmlPage, page_of_tables, read_html
from docxchunk.reader.notes import NotePart, note_parts, read_notes
from docxchunk.reader.paragraphs import Paragraph, loose_paragraph
from docxchunk.reader.prescan import find_marks, trims_blanks
from docxchunk.reader.revisions import is_revised
from docxchunk.reader.state import DocumentState, DrawingObject, Environment, State
from docxchunk.reader.tables import Item

_TEXT = "text/plain"
_HTML = ("text/html", "application/xhtml+xml")
_MAIL = ("message/rfc822", "multipart/related", "application/x-mimearchive")
_WORKBOOK = "spreadsheetml"
_ENDINGS = {
    "txt": _TEXT,
    "htm": _HTML[0],
    "html": _HTML[0],
    "xhtml": _HTML[1],
    "mht": _MAIL[0],
    "mhtml": _MAIL[0],
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
    state.document.imports += 1
    data = state.env.package.read(part)
    if data is None:
        return None
    _charge(state, len(data))
    if kind.startswith(_TEXT):
        lines = [line for line in _decoded(data).splitlines() if line.strip()]
        _charge(state, _ELEMENT * _OF_PARAGRAPH * len(lines))
        return [_paragraph(line, state, step) for line in lines]
    if kind.startswith((*_HTML, *_MAIL)):
        is_mail = kind.startswith(_MAIL)
        text = _page_in_mail(data) if is_mail else _decoded(data, _declared(data))
        page = None if text is None else read_html(text, _left(state))
        if page is not None and page.is_cut:
            state.report(
                IssueCode.PART_BROKEN,
                f"The HTML in {part} is nested too deeply; its "
                "content after 256 nested elements was not read.",
            )
        return None if page is None else _items_of_page(part, page, state, read_body)
    if _WORKBOOK in kind or part.lower().endswith((".xlsx", ".xlsm")):
        page = page_of_tables(read_workbook(data, _left(state)))
        return _items_of_page(part, page, state, read_body)
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


def _paragraph(line: str, state: State, step: int) -> Paragraph:
    state.document.position += step
    return loose_paragraph(line, state)


def _items_of_page(part: str, page: HtmlPage, state: State, read_body: ReadBody) -> list[Item]:
    _charge(state, page.size)
    styles = Styles(page.styles)
    numbering = Numbering(page.numbering, styles.numbering_of_style)
    env = replace(state.env, source=part, styles=styles, numbering=numbering)
    return _items_of_body(page.body, _inside(page.body, env, state), state, read_body)


def _items_of_word_file(
    part: str, package: Package, state: State, read_body: ReadBody
) -> list[Item]:
    """Read the body of another Word file, and its notes, with its own styles and lists. Its
    pictures get a tag, but their bytes are not kept. Its headers and footers are left out.

    The notes of an altChunk, which Word makes a part of the document, continue the numbers of the
    document. Those of an embedded file have numbers of their own.
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
    inner = _inside(body, env, state)
    if part not in state.env.package.parts("aFChunk", state.env.part):
        _number_apart(inner, f"e{state.document.imports}-")
    for each in running:
        inner.drop(Dropped.HEADER_FOOTER, each)
    return _items_of_body(body, inner, state, read_body, notes)


def _headers_and_footers(package: Package) -> Iterator[etree._Element]:
    for kind in (NoteKind.HEADER, NoteKind.FOOTER):
        for part in dict.fromkeys(package.parts(kind)):
            if (root := package.xml(part)) is not None:
                yield root


def _number_apart(inner: State, prefix: str) -> None:
    """Begin the note numbers of an inner document at 1, and put a prefix before each of them."""
    inner.document.last_notes = {}
    formats = {
        kind: [form._replace(prefix=prefix + form.prefix) for form in forms]
        for kind, forms in inner.env.note_formats.items()
    }
    inner.turn_to(replace(inner.env, note_formats=formats))


def _inside(body: etree._Element, env: Environment, state: State) -> State:
    """Return the state for a body in the environment `env`. Positions, pages and counts of the
    document continue.
    """
    marks = replace(
        find_marks(body, env.styles, env.options),
        trims=trims_blanks(body),
        revised=is_revised(body),
    )
    outer = state.document
    inner = DocumentState(
        Counters(env.numbering),
        issues=outer.issues,
        objects=outer.objects,
        sections=outer.sections,
        note_labels=outer.note_labels,
        sequences=outer.sequences,
        headings=outer.headings,
        targets=outer.targets,
        last_notes=outer.last_notes,
        dropped=outer.dropped,
        revisions=outer.revisions,
        page=outer.page,
        tables=outer.tables,
        element=outer.element,
        position=outer.position,
    )
    return State(replace(env, marks=marks), inner)


def _items_of_body(
    body: etree._Element,
    inner: State,
    state: State,
    read_body: ReadBody,
    notes: Sequence[NotePart] = (),
) -> list[Item]:
    """Read a body, and the notes to which it refers, in the state `inner`."""
    outer, before = state.document, len(state.document.objects)
    items = read_body(body, inner)
    outer.page, outer.position = inner.document.page, inner.document.position
    outer.inner_notes.update(read_notes(notes, inner, outer.note_labels))
    outer.objects[before:] = [
        item._replace(asset="") if isinstance(item, DrawingObject) else item
        for item in outer.objects[before:]
    ]
    outer.tables = inner.document.tables
    outer.emitted += inner.document.emitted
    return items


# -- the text of HTML files and web archives

_HEADER: Final = re.compile(
    rb"(?:(?<![ \t\r])[ \t\r]++)?\n[ \t]++"
)  # the fold of a long header (RFC 5322, 2.2.3)
_CONTENT: Final = re.compile(
    rb"^content-(type"
    rb"|transfer-encoding)[ \t]*+:[ \t]*+([\w.+-]++(?:/[\w.+-]++)?)([^\r\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_PARAMETER: Final = re.compile(
    rb""";[ \t]*+(boundary|charset)[ \t]*+=[ \t]*+(?:"([^"\r\n]{1,100})"|([^\s;"]{1,100}))""",
    re.IGNORECASE,
)
_HEAD: Final = 1 << 14  # bytes of the headers of a part that are read
_NESTED: Final = 8  # most parts inside each other


def _page_in_mail(data: bytes, depth: int = _NESTED) -> str | None:
    """Return the first HTML page of a web archive (MIME, RFC 2045 to 2046, 2557); None if it has
    none.
    """
    data = data.lstrip(b"\r\n")
    blank = re.compile(rb"\r?\n\r?\n").search(data, 0, _HEAD)
    if blank is None:
        return None
    head, content = _HEADER.sub(b" ", data[: blank.start()]), data[blank.end() :]
    values, parameters = {b"type": b"", b"transfer-encoding": b""}, dict[bytes, bytes]()
    for name, value, rest in _CONTENT.findall(head):
        values[name.lower()] = value.lower()
        if name.lower() == b"type":
            parameters = {
                key.lower(): quoted or bare for key, quoted, bare in _PARAMETER.findall(rest)
            }
    kind, encoding = values[b"type"], values[b"transfer-encoding"]
    if kind.startswith(b"multipart/") and depth and b"boundary" in parameters:
        parts = (b"\n" + content).split(b"\n--" + parameters[b"boundary"])[1:]
        pages = (_page_in_mail(part, depth - 1) for part in parts)
        return next((page for page in pages if page is not None), None)
    if kind not in (b"text/html", b"application/xhtml+xml"):
        return None
    if encoding == b"base64":
        with suppress(binascii.Error):
            content = binascii.a2b_base64(content + b"==")
    elif encoding == b"quoted-printable":
        content = binascii.a2b_qp(content)
    charset = parameters.get(b"charset", b"").decode("ascii", "replace")
    return _decoded(content, charset or _declared(content))


_CHARSET: Final = re.compile(
    rb"""<(?:meta|\?xml)\b[^<>]*?(?:charset|encoding)\s*+=\s*+(?:["']\s*+)?([\w.:-]+)""",
    re.IGNORECASE,
)


def _declared(data: bytes) -> str:
    match = _CHARSET.search(data[:4096])
    return match[1].decode("ascii", "replace") if match else ""


def _decoded(data: bytes, charset: str = "") -> str:
    """Decode by byte order mark or `charset`, else as UTF-8, else as Windows-1252, else as Latin-1.
    Characters that XML does not allow are left out.
    """
    marks = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    first_choice = next((name for mark, name in marks.items() if data.startswith(mark)), charset)
    for name in filter(None, (first_choice, "utf-8", "cp1252")):
        with suppress(LookupError, ValueError):  # a name with NUL is a ValueError
            if codecs.lookup(name).name not in _NO_CHARSETS:
                return NOT_XML.sub("", data.decode(name))
    return NOT_XML.sub("", data.decode("latin-1"))


# encodings of Python that no browser knows
_NO_CHARSETS: Final = {
    "idna",
    "punycode",
    "raw-unicode-escape",
    "undefined",
    "unicode-escape",
    "utf-7",
}
