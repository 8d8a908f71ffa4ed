"""Convert HTML to WordprocessingML, so that the reader of Word files can read it.

Converts text, headings, paragraphs, lists, tables with merged cells, and superscript, subscript,
bold, struck-through and hidden text. Leaves out scripts, styles, links and other things that are
not text that a browser shows; replaces pictures by their alternative text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.errors import DamagedError
from docxchunk.model.options import Limits
from docxchunk.ooxml.xml import W
from docxchunk.reader.prescan import SPACE

_NOT_SHOWN: Final = frozenset(
    "title script style template noscript noembed noframes iframe "
    "audio video canvas datalist svg annotation annotation-xml".split()
)
_BLOCKS: Final = frozenset(
    "html body p div section article header footer main nav aside address blockquote figure "
    "figcaption dl dt dd fieldset legend form center details summary dialog pre textarea option "
    "ul ol menu dir hr h1 h2 h3 h4 h5 h6 caption".split()
)
_ROW_GROUPS: Final = ("thead", "tbody", "tfoot")
_CELLS: Final = ("td", "th")
_LISTS: Final = ("ul", "ol", "menu", "dir")
_NUMBERS: Final = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_INTEGER: Final = re.compile(r"[ \t\n\r\f]*\+?([0-9]{1,5})(?![0-9])")
_HEADINGS: Final = {f"h{level}": str(level - 1) for level in range(1, 7)}
_FORMATS: Final = {  # HTML element -> run property and its value
    **dict.fromkeys(("b", "strong"), ("b", "1")),
    **dict.fromkeys(("i", "em"), ("i", "1")),
    **dict.fromkeys(("s", "strike", "del"), ("strike", "1")),
    "sup": ("vertAlign", "superscript"),
    "sub": ("vertAlign", "subscript"),
}
_BLANKS: Final = re.compile(r"[ \t\n\r\f]+")  # HTML Living Standard, 2.3 (ASCII whitespace)
_HIDDEN: Final = re.compile(r"(?:^|;)\s*display\s*:\s*none", re.IGNORECASE)
_MOST_COLUMNS: Final = 63  # the limit of Word
_DEEPEST_LIST: Final = 8  # the limit of Word, from 0
_TOO_DEEP: Final = "Excessive depth"  # libxml2's message for more than 256 nested elements
_ELEMENT: Final = 32  # see `Limits.imported`

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML does not allow (XML 1.0, 2.2)."""

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


STYLES: Final = etree.XML(
    f'<w:styles xmlns:w="{W[1:-1]}">'
    '<w:style w:styleId="Caption"><w:name w:val="caption"/></w:style></w:styles>'
)
"""The styles of every page."""


def read_html(text: str, limits: Limits) -> HtmlPage | None:
    """Return the page in a text without characters that XML does not allow; None if it cannot be
    parsed. Raise LimitError if its size is over `limits.imported`, and DamagedError if a tag has
    more than 256 attributes.
    """
    page = HtmlPage(limits)
    page.charge(text.count("<"))
    if any(tag["more"] for tag in _TAG.finditer(text)):
        raise DamagedError("A tag of the HTML has more than 256 attributes.")
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(_STRAY_ENDS.sub(r"\g<0><div></div>", text).encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        return None
    for part in (root, *root.itersiblings()):  # the parser makes one of text after </html>, too
        page.element(part, _At(page.body))
    page.is_cut = any(_TOO_DEEP in fault.message for fault in parser.error_log)
    return page


@dataclass(slots=True)
class _List:
    format: str  # of its numbers
    depth: int
    id: str  # w:numId of its next item


class _At(NamedTuple):
    """The place in the output to which an element is converted."""

    into: etree._Element  # the body or a cell
    formats: tuple[tuple[str, str], ...] = ()  # run properties of the text, and their values
    list: _List | None = None  # the list around it
    keeps_lines: bool = False  # as in pre

    def of(self, element: etree._Element) -> _At:
        """Return the place inside `element`, with the formats that it sets."""
        formats = [_FORMATS[element.tag]] if element.tag in _FORMATS else []
        if "hidden" in element.attrib or _HIDDEN.search(element.get("style", "")):
            formats.append(("vanish", "1"))
        return self._replace(formats=(*self.formats, *formats)) if formats else self


class _Row(NamedTuple):
    group: etree._Element  # thead, tbody, tfoot; the table for rows outside of these
    cells: list[tuple[etree._Element, _At]]


class HtmlPage:
    """A page as the parts of a Word file. `size` is 32 for each element that it has or that was
    added; see `Limits.imported`. `is_cut`: elements are nested too deep, and the content from there
    on is missing.
    """

    def __init__(self, limits: Limits) -> None:
        self.body, self.numbering = etree.Element(W + "body"), etree.Element(W + "numbering")
        self.size, self.is_cut = 0, False
        self._lists = 0  # how many so far
        self._limits = limits
        self._paragraph: etree._Element | None = None  # the open one
        self._blank = True  # it is empty or ends with a blank

    def charge(self, elements: int) -> None:
        """Count elements. Raise LimitError if they are too many."""
        self.size += _ELEMENT * elements
        self._limits.admit_import(self.size)

    def add(self, parent: etree._Element, name: str, value: str = "") -> etree._Element:
        """Add an element; `value` is its w:val."""
        self.charge(1)
        return etree.SubElement(parent, W + name, {W + "val": value} if value else {})

    def content(self, parent: etree._Element, at: _At) -> None:
        """Convert the content of an element. Inline content goes to the open paragraph."""
        self.text(parent.text, at)
        for child in parent:
            self.element(child, at)
            self.text(child.tail, at)

    def element(self, element: etree._Element, at: _At) -> None:
        tag, at = element.tag, at.of(element)
        if tag in _NOT_SHOWN:
            return
        if tag == "table":
            self.table(element, at)
        elif tag == "li":
            self.item(element, at)
        elif tag == "br":
            self.line_break(at)
        elif tag == "img":
            self.text(element.get("alt"), at)
        elif tag == "input" and element.get("type", "text").lower() == "text":
            self.text(element.get("value"), at)
        elif tag in _BLOCKS:
            self.block(element, at)
        else:
            self.content(element, at)

    def block(self, element: etree._Element, at: _At) -> None:
        """Convert a block element: it begins and ends a paragraph. The first one inside a list item
        or a heading continues the paragraph that has the number or the level.
        """
        tag = element.tag
        if self._paragraph is not None and self._paragraph[-1].tag != W + "pPr":
            self._paragraph = None
        if tag in _HEADINGS:
            self.add(self.properties(at.into), "outlineLvl", _HEADINGS[tag])
        elif tag == "caption":
            self.add(self.properties(at.into), "pStyle", "Caption")
        elif tag in _LISTS:
            form = _NUMBERS.get(element.get("type", ""), "decimal") if tag == "ol" else "bullet"
            depth = 0 if at.list is None else min(at.list.depth + 1, _DEEPEST_LIST)
            number = self.begin(form, depth, _number(element.get("start"), 1))
            at = at._replace(list=_List(form, depth, number))
        elif tag in ("pre", "textarea"):
            at = at._replace(keeps_lines=True)
        self.content(element, at)
        self._paragraph = None

    def begin(self, form: str, depth: int, start: int) -> str:
        """Begin a list in Word, in which only the level `depth` is used. Return its w:numId."""
        self._lists += 1
        number = str(self._lists)
        abstract = self.add(self.numbering, "abstractNum")
        abstract.set(W + "abstractNumId", number)
        level = self.add(abstract, "lvl")
        level.set(W + "ilvl", str(depth))
        self.add(level, "start", str(start))
        self.add(level, "numFmt", form)
        self.add(level, "lvlText", "•" if form == "bullet" else f"%{depth + 1}.")
        concrete = self.add(self.numbering, "num")
        concrete.set(W + "numId", number)
        self.add(concrete, "abstractNumId", number)
        return number

    def item(self, element: etree._Element, at: _At) -> None:
        self._paragraph = None
        if (inside := at.list) is not None:
            if (value := _number(element.get("value"), -1)) >= 0:
                inside.id = self.begin(inside.format, inside.depth, value)
            number = self.add(self.properties(at.into), "numPr")
            self.add(number, "ilvl", str(inside.depth))
            self.add(number, "numId", inside.id)
        self.content(element, at)
        self._paragraph = None

    def line_break(self, at: _At) -> None:
        self.add(self.run(at), "br")
        self._blank = True

    # -- tables

    def table(self, element: etree._Element, at: _At) -> None:
        """Convert `table`. Content outside of its cells comes before it, as in browsers."""
        rows: list[_Row] = []
        self._paragraph = None
        self.collect(element, at, rows, element, is_in_row=False)
        self._paragraph = None
        if any(row.cells for row in rows):
            rows.sort(key=lambda row: (row.group.tag == "tfoot") - (row.group.tag == "thead"))
            self.rows(rows, self.add(at.into, "tbl"))

    def collect(
        self,
        parent: etree._Element,
        at: _At,
        rows: list[_Row],
        group: etree._Element,
        *,
        is_in_row: bool,
    ) -> None:
        """Add the rows in a table, or in an element in it, to `rows`; convert what is in no cell.

        As in browsers (HTML Living Standard, 13.2.6.4.9), a cell outside a row begins a row, and
        elements around rows and cells have no effect.
        """
        self.text(parent.text, at)
        for child in parent:
            tag, inside = child.tag, at.of(child)
            if tag in _CELLS:
                if not is_in_row:
                    rows.append(_Row(group, []))
                is_in_row = True
                rows[-1].cells.append((child, inside))
            elif tag == "tr" or tag in _ROW_GROUPS:
                if is_in_row := tag == "tr":
                    rows.append(_Row(group, []))
                around = group if is_in_row else child
                self.collect(child, inside, rows, around, is_in_row=is_in_row)
                is_in_row = False
            elif (
                tag != "table"
                and tag not in _NOT_SHOWN
                and next(child.iter("tr", *_CELLS), None) is not None
            ):
                self.collect(child, inside, rows, group, is_in_row=is_in_row)
            else:
                self.element(child, at)
            self.text(child.tail, at)

    def rows(self, rows: list[_Row], table: etree._Element) -> None:
        """Convert the rows of a table. Header rows are those in thead, and leading ones that have
        only th.
        """
        is_header, group = True, None
        # grid column -> number of columns and rows that a cell above still covers
        below: dict[int, tuple[int, int]] = {}
        for row in rows:
            if row.group is not group:
                below, group = {}, row.group
            tags = {cell.tag for cell, _ in row.cells}
            is_header = is_header and (row.group.tag == "thead" or tags == {"th"})
            target = self.add(table, "tr")
            if is_header:
                self.add(self.add(target, "trPr"), "tblHeader")
            column = self.covered(target, 0, below)
            for cell, at in row.cells:
                columns = min(max(_number(cell.get("colspan"), 1), 1), _MOST_COLUMNS)
                height = _number(cell.get("rowspan"), 1)  # 0: to the end of the group
                placed = self.cell(target, columns, "restart" if height != 1 else "")
                self.content(cell, _At(placed, at.formats))
                self._paragraph = None
                if height != 1:
                    below[column] = (columns, height - 1)
                column = self.covered(target, column + columns, below)

    def covered(self, row: etree._Element, column: int, below: dict[int, tuple[int, int]]) -> int:
        """Add the cells, from this column on, that belong to merged cells of rows above. Return the
        first column without one.

        `below` has the merged cells by their first column: their number of columns, and of rows
        that are still to come, which is negative for all rows.
        """
        while column in below:
            columns, rows = below.pop(column)
            self.cell(row, columns, "continue")
            if rows != 1:
                below[column] = (columns, rows - 1)
            column += columns
        return column

    def cell(self, row: etree._Element, columns: int, merge: str) -> etree._Element:
        cell = self.add(row, "tc")
        properties = self.add(cell, "tcPr")
        self.add(properties, "gridSpan", str(columns))
        if merge:
            self.add(properties, "vMerge", merge)
        return cell

    # -- paragraphs and runs

    def opened(self, into: etree._Element) -> etree._Element:
        """Return the open paragraph; begin one if there is none."""
        if self._paragraph is None:
            self._paragraph, self._blank = self.add(into, "p"), True
        return self._paragraph

    def properties(self, into: etree._Element) -> etree._Element:
        return self.add(self.opened(into), "pPr")

    def run(self, at: _At) -> etree._Element:
        run = self.add(self.opened(at.into), "r")
        if at.formats:
            properties = self.add(run, "rPr")
            for name, value in dict(at.formats).items():
                self.add(properties, name, value)
        return run

    def text(self, text: str | None, at: _At) -> None:
        """Put text with runs of blanks collapsed, and without blanks at the start of a
        paragraph.
        """
        lines = (text or "").split("\n") if at.keeps_lines else [text or ""]
        for number, line in enumerate(lines):
            if number:
                self.line_break(at)
            folded = _BLANKS.sub(" ", line)
            if self._paragraph is None or self._blank:
                folded = folded.removeprefix(" ")
            if folded:
                element = self.add(self.run(at), "t")
                element.set(SPACE, "preserve")
                element.text = NOT_XML.sub("", folded)
                self._blank = folded.endswith(" ")


def _number(text: str | None, default: int) -> int:
    """Return the number, of up to five digits, that an attribute begins with (HTML Living Standard,
    2.3.4.2), else `default`.
    """
    match = _INTEGER.match(text or "")
    return int(match[1]) if match else default
