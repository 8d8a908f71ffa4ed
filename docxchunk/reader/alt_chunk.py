"""Read content that is stored in a part of its own: w:altChunk (ECMA-376 Part 1, 17.17.2.1).

Word files, HTML, web archives and plain text are read; other formats are reported as issues.
"""

from __future__ import annotations

import codecs
import email
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email.policy import Compat32
from itertools import count, repeat
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.errors import DamagedError, InputError, LimitError
from docxchunk.model.blocks import HeadingSource
from docxchunk.model.document import Dropped, IssueCode
from docxchunk.model.objects import NoteKind
from docxchunk.model.options import Limits
from docxchunk.ooxml.number_formats import FORMATS
from docxchunk.ooxml.numbering import LEVELS, Counters, Numbering
from docxchunk.ooxml.package import Package, open_package
from docxchunk.ooxml.styles import BODY, OutlineLevel, Styles
from docxchunk.ooxml.xml import R, W, local_name
from docxchunk.reader.notes import NotePart, marks_of, note_parts, read_notes
from docxchunk.reader.paragraphs import loose_paragraph
from docxchunk.reader.state import DocumentState, DrawingObject, Environment, State
from docxchunk.reader.tables import Cell, GridTable, Item, Row, numbered_columns
from docxchunk.reader.text import BREAK, OPEN, marked

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
    emitted = state.document.emitted
    try:
        items = None if part is None else _read_part(part, kind, state, step, read_body)
    except (InputError, RecursionError) as error:
        reason = str(error) if isinstance(error, InputError) else "Elements are nested too deep."
        # see `_limits_left`
        if isinstance(error, LimitError) and error.limit in ("imported", "total", "elements"):
            reason = str(state.env.options.limits.import_error())
        state.report(IssueCode.PART_BROKEN, f"The content of {part} was not read: {reason}")
        state.document.emitted = emitted
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
        root = None if text is None else _root_of(text, part, state)
        return None if root is None else _HtmlReader(state, step).read(root)
    if kind.startswith("application/vnd.openxmlformats") or data.startswith(b"PK"):
        return _items_of_word_file(part, open_package(data, _limits_left(state)), state, read_body)
    return None


_ELEMENT = 32
"""The number of characters that an element counts as; see `Limits.imported`."""
_OF_PARAGRAPH = 3  # elements: w:p, w:r, w:t


def _charge(state: State, size: int) -> None:
    """Count characters that are imported. Raise LimitError if they are too many."""
    state.env.options.limits.admit_import(state.document.imported + size)
    state.document.imported += size


def _limits_left(state: State) -> Limits:
    """Return the limits of a part: no more than is left of `Limits.imported`."""
    limits = state.env.options.limits
    room = limits.imported - state.document.imported
    return replace(
        limits,
        total=min(limits.total, room),
        elements=min(limits.elements, room // _ELEMENT),
        imported=room,
    )


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
    elements = sum(1 for root in roots for _ in root.iter())
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
    for story in running:
        state.drop(Dropped.HEADER_FOOTER, story)
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
    notes: Sequence[NotePart],
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
        turns=outer.turns,
        tables=outer.tables,
        element=outer.element,
        position=outer.position,
    )
    inside = State(replace(env, marks=marks_of(body, env)), inner)
    before = len(outer.objects)
    items = read_body(body, inside)
    outer.turns, outer.position = inner.turns, inner.position
    outer.inner_notes.update(read_notes(notes, inside, outer.note_labels))
    outer.objects[before:] = [
        item._replace(asset="") if isinstance(item, DrawingObject) else item
        for item in outer.objects[before:]
    ]
    outer.tables = inner.tables
    outer.emitted += inner.emitted
    return items


# -- HTML and web archives

_NOT_SHOWN: Final = (
    "title script style template noscript noembed noframes iframe "
    "audio video canvas datalist svg annotation annotation-xml".split()
)
_BLOCKS: Final = frozenset(
    "html body p div section article header footer main nav aside address blockquote figure "
    "figcaption dl dt dd fieldset legend form center details summary dialog pre textarea option "
    "ul ol menu hr h1 h2 h3 h4 h5 h6 li table caption thead tbody tfoot tr td th".split()
)
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_OWN_PARAGRAPH: Final = frozenset((*_HEADINGS, "li", "table", "caption", "tr", "td", "th"))
_NUMBERS: Final = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_INTEGER: Final = re.compile(r"[ \t\n\r\f]*\+?([0-9]{1,5})(?![0-9])")
_BLANKS: Final = re.compile(r"[ \t\n\r\f]+")  # HTML Living Standard, 2.3 (ASCII whitespace)
_HIDDEN: Final = re.compile(r"(?:^|;)\s*display\s*:\s*none", re.IGNORECASE)
_MOST_COLUMNS: Final = 63  # the limit of Word
_TOO_DEEP: Final = "Excessive depth"  # libxml2's message for more than 256 nested elements
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # 2.2
# The time of libxml2 for a start tag grows with the square of its attributes, so no page is parsed
# that has a tag with more than 256 (HTML Living Standard, 13.2.5.32 to 13.2.5.38).
_ATTRIBUTE: Final = (
    r"""[\s/]*+([^\s/>][^\s/>=]*+)"""
    r"""(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?)?"""
)
# a comment, or a start tag; what looks like one in the text of a script is none
_TAG: Final = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?:(?P<raw>script|style|title|textarea|xmp|iframe|noembed|noframes)(?=[\s/>])"
    rf"|[a-z][^\s/>]*+)(?:{_ATTRIBUTE}){{0,256}}+(?P<more>{_ATTRIBUTE})?"
    r"(?(raw).*?(?:(?=</(?P=raw))|\Z))",
    re.IGNORECASE | re.DOTALL,
)
# Browsers read an end tag of p or br without an open element as an empty one (HTML Living Standard,
# 13.2.6.4.7). libxml2 ignores it, so each of these end tags gets an empty element after it: a div,
# because a p would end a heading.
_STRAY_ENDS: Final = re.compile(r"</(p|br)\b[^<>]*>", re.IGNORECASE)


class _List(NamedTuple):
    depth: int
    labels: Iterator[str]  # of the next items


@dataclass(slots=True)
class _OpenTable:
    ordinal: int
    rows: list[Row] = field(default_factory=list)
    is_in_row: bool = False
    column: int = 0  # of the next cell
    # column -> number of columns and rows that a cell above still covers
    below: dict[int, tuple[int, int]] = field(default_factory=dict)


class _At(NamedTuple):
    """The place of an element."""

    items: list[Item]  # what is read goes here: the body, or a cell
    script: str = ""  # sup or sub
    is_hidden: bool = False
    list: _List | None = None  # around it
    table: _OpenTable | None = None  # around it, without a cell between


class _HtmlReader:
    """Reads a page: text, headings, paragraphs, lists, tables, and the alternative text of
    pictures. In a table, what is in no cell comes before it, as in browsers.
    """

    def __init__(self, state: State, step: int) -> None:
        self._state, self._step = state, step
        self._raw: list[str] = []  # the text of the open paragraph
        self._level, self._label, self._depth = 0, "", -1  # of the open paragraph
        self._items: list[Item] = []

    def read(self, root: etree._Element) -> list[Item]:
        for part in (root, *root.itersiblings()):  # the parser makes one of text after </html>, too
            etree.strip_elements(part, *_NOT_SHOWN, with_tail=False)
            at, around = _At(self._items), list[_At]()
            for event, element in etree.iterwalk(part, events=("start", "end")):
                if event == "start":
                    around.append(at)
                    at = self._begin(element, at)
                    self._read_text(element.text, at)
                else:
                    self._end(element.tag, at)
                    at = around.pop()
                    self._read_text(element.tail, at)
        return self._items

    def _begin(self, element: etree._Element, at: _At) -> _At:
        """Begin an element. Return the place of its text and of the elements in it."""
        tag = element.tag
        if tag in _BLOCKS and ("".join(self._raw).strip() or tag in _OWN_PARAGRAPH):
            # else it continues the paragraph that has the number of an item, or the level
            self._end_paragraph(at)
        if "hidden" in element.attrib or _HIDDEN.search(element.get("style", "")):
            at = at._replace(is_hidden=True)
        if tag in ("table", "tr", "td", "th"):
            return self._begin_in_table(element, at)
        if tag in ("ul", "ol", "menu"):
            return at._replace(list=_list_of(element, at.list))
        if tag in ("sup", "sub"):
            return at._replace(script=tag)
        if tag == "br":
            self._raw.append(BREAK)
        elif tag == "img":
            self._read_text(element.get("alt"), at)
        elif tag == "li" and at.list is not None:
            self._label, self._depth = next(at.list.labels), at.list.depth
        elif tag in _HEADINGS:
            self._level = int(tag[1])
        return at

    def _end(self, tag: str, at: _At) -> None:
        if tag in _BLOCKS:
            self._end_paragraph(at)
        if tag == "tr" and at.table is not None:
            at.table.is_in_row = False
        if tag == "table" and at.table is not None and any(row.cells for row in at.table.rows):
            at.items.append(self._finished(at.table))

    def _end_paragraph(self, at: _At) -> None:
        raw = "".join(self._raw).strip()
        if raw:
            _charge(self._state, _ELEMENT * _OF_PARAGRAPH)
            self._state.document.position += self._step
            paragraph = loose_paragraph(raw, self._state)
            outline = OutlineLevel(self._level, HeadingSource.PARAGRAPH) if self._level else BODY
            at.items.append(
                paragraph._replace(outline=outline, label=self._label, depth=self._depth)
            )
        self._raw, self._level, self._label, self._depth = [], 0, "", -1

    def _read_text(self, text: str | None, at: _At) -> None:
        """Read text: runs of blanks are one blank, and none is at the start of a paragraph."""
        folded = _BLANKS.sub(" ", _NOT_XML.sub("", text or ""))
        if at.is_hidden:
            self._state.document.dropped[Dropped.HIDDEN] += len(folded.strip())
            return
        self._state.document.emitted += len(folded.strip())
        if not self._raw or self._raw[-1].endswith((" ", BREAK)):
            folded = folded.removeprefix(" ")
        if at.script and folded.strip():
            folded = marked(folded, f"{OPEN}{at.script}>", f"{OPEN}/{at.script}>")
        if folded:
            self._raw.append(folded)

    # -- tables

    def _begin_in_table(self, element: etree._Element, at: _At) -> _At:
        """Begin a table, a row or a cell. As in browsers (HTML Living Standard, 13.2.6.4.9), a cell
        outside a row begins one. Header rows are those in thead, and those that have only th.
        """
        tag, table = element.tag, at.table
        if tag == "table":
            self._state.document.tables += 1
            return at._replace(list=None, table=_OpenTable(self._state.document.tables))
        if table is None:
            return at
        if tag == "tr" or not table.is_in_row:
            is_header = element.find("td") is None and tag == "tr"
            is_in_head = next(element.iterancestors("thead", "table")).tag == "thead"
            table.rows.append(Row([], is_header or is_in_head))
            table.is_in_row, table.column = True, 0
            self._cover(table)
        if tag == "tr":
            return at
        columns = min(_number(element.get("colspan")), _MOST_COLUMNS)
        items: list[Item] = []
        self._add_cell(Cell(items, table.column, columns), _number(element.get("rowspan")), table)
        self._cover(table)
        return _At(items, is_hidden=at.is_hidden)

    def _cover(self, table: _OpenTable) -> None:
        """Add the cells, from this column on, that belong to merged cells of rows above."""
        while table.column in table.below:
            columns, rows = table.below.pop(table.column)
            self._add_cell(Cell([], table.column, columns, continues=True), rows, table)

    def _add_cell(self, cell: Cell, rows: int, table: _OpenTable) -> None:
        _charge(self._state, _ELEMENT)
        table.rows[-1].cells.append(cell)
        if rows > 1:
            table.below[cell.column] = (cell.columns, rows - 1)
        table.column += cell.columns

    def _finished(self, table: _OpenTable) -> GridTable:
        document = self._state.document
        document.position += self._step
        starts = sorted({cell.column for row in table.rows for cell in row.cells})
        rows = numbered_columns(table.rows, starts)
        return GridTable(
            ordinal=table.ordinal,
            rows=rows,
            columns=len(starts),
            first_row_styled=False,
            caption="",
            element=document.element,
            position=document.position,
        )


def _list_of(element: etree._Element, around: _List | None) -> _List:
    depth = 0 if around is None else min(around.depth + 1, LEVELS - 1)
    if element.tag != "ol":
        return _List(depth, repeat("• "))
    show = FORMATS[_NUMBERS.get(element.get("type", ""), "decimal")]
    numbers = count(_number(element.get("start")))
    return _List(depth, (f"{show(number)}. " for number in numbers))


def _number(text: str | None) -> int:
    """Return the number, of up to five digits, that an attribute begins with (HTML Living Standard,
    2.3.4.2), at least 1.
    """
    match = _INTEGER.match(text or "")
    return max(int(match[1]), 1) if match else 1


def _root_of(text: str, part: str, state: State) -> etree._Element | None:
    """Return the root of a page; None if it cannot be parsed. Raise DamagedError if a tag has more
    than 256 attributes.
    """
    _charge(state, _ELEMENT * text.count("<"))
    if any(tag["more"] for tag in _TAG.finditer(text)):
        raise DamagedError("A tag of the HTML has more than 256 attributes.")
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(_STRAY_ENDS.sub(r"\g<0><div></div>", text).encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if any(_TOO_DEEP in fault.message for fault in parser.error_log):
        state.report(
            IssueCode.PART_BROKEN,
            f"The HTML in {part} is nested too deeply; its "
            "content after 256 nested elements was not read.",
        )
    return root


_CHARSET: Final = re.compile(
    rb"""(?:<(?:meta|\?xml)\b[^<>]*?|;\s*+)(?:charset|encoding)\s*+=\s*+(?:["']\s*+)?"""
    rb"""((?:iso|windows|cp|koi8|euc|gb|big5|shift|sjis|tis|mac|x-mac|ks)[\w.:-]*+)""",
    re.IGNORECASE,
)
_HEAD: Final = 1 << 12  # bytes in which the encoding of a page is declared


class _ShortHeaders(Compat32):
    """Headers are cut, because the time for their parameters grows with the square of these."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_HEAD]


def _page_in_archive(data: bytes) -> str | None:
    """Return the first HTML page of a web archive (MIME, RFC 2045 to 2046, 2557); None if it has
    none.
    """
    for part in email.message_from_bytes(data, policy=_ShortHeaders()).walk():
        if part.get_content_type() in _HTML:
            content = part.get_payload(decode=True)
            if isinstance(content, bytes):
                head = str(part["content-type"]).encode("utf-8", "replace")
                return _decoded(content, head + content[:_HEAD])
    return None


def _decoded(data: bytes, head: bytes = b"") -> str:
    """Decode as UTF-8, as UTF-16 if there is a byte order mark, else by the encoding that `head`
    declares, else as Windows-1252, else as Latin-1. Characters that XML does not allow are left
    out.
    """
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    declared = _CHARSET.search(head)
    encodings = (declared[1].decode(), "cp1252") if declared else ("cp1252",)
    for name in ("utf-16" if is_wide else "utf-8-sig", *encodings):
        with suppress(LookupError, ValueError):
            return _NOT_XML.sub("", data.decode(name))
    return _NOT_XML.sub("", data.decode("latin-1"))
