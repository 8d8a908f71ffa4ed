"""Convert HTML to WordprocessingML, so that the reader of Word files can read it.

Converts headings, paragraphs, lists, tables with merged cells, links, and superscript, subscript,
bold, struck-through and hidden text. Leaves out scripts, styles and other text that a browser does
not show; replaces pictures by their alternative text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.model.options import Limits
from docxchunk.ooxml.workbook import Sheet
from docxchunk.ooxml.xml import W
from docxchunk.reader.prescan import SPACE

_SKIPPED: Final = frozenset(
    "title script style template noscript noembed noframes iframe "
    "audio video canvas datalist svg rp annotation annotation-xml".split()
)
_BLOCKS: Final = frozenset(
    "html body p div section article header footer main nav aside address blockquote "
    "figure figcaption dl dt dd fieldset legend form center details summary dialog "
    "pre textarea li ul ol hr h1 h2 h3 h4 h5 h6 table caption".split()
)
_ROW_GROUPS: Final = ("thead", "tbody", "tfoot")
_CELLS: Final = ("td", "th")
_LISTS: Final = ("ul", "ol", "menu", "dir")
_INTEGER: Final = re.compile(r"[ \t\n\r\f]*\+?([0-9]{1,5})(?![0-9])")
_HEADINGS: Final = {f"h{level}": str(level - 1) for level in range(1, 7)}
_FORMATS: Final = {  # HTML element -> run property and its value
    **dict.fromkeys(("b", "strong"), ("b", "1")),
    **dict.fromkeys(("i", "em", "cite", "var"), ("i", "1")),
    **dict.fromkeys(("s", "strike", "del"), ("strike", "1")),
    "sup": ("vertAlign", "superscript"),
    "sub": ("vertAlign", "subscript"),
}
_BLANKS: Final = re.compile(r"[ \t\n\r\f]+")  # HTML Living Standard, 2.3 (ASCII whitespace)
_LINE_ENDS: Final = re.compile(r"\r\n?|\n")
_WITHOUT_VALUE: Final = frozenset("checkbox color file hidden image password radio range".split())
_HIDDEN: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|mso-hide\s*:\s*all)", re.IGNORECASE)
_MOST_COLUMNS: Final = 63  # the limit of Word
_TOO_DEEP: Final = "Excessive depth"  # libxml2's message for more than 256 nested elements
_LEVELS: Final = 9  # levels of a list in Word
_CAPTION: Final = "Caption"
_OF_LIST: Final = 4 * _LEVELS + 3  # elements that define a list
_OF_CELL: Final = 4  # elements of a cell without text

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML does not allow (XML 1.0, 2.2)."""

_Formats = tuple[tuple[str, str], ...]  # run properties and their values


class HtmlPage(NamedTuple):
    """A page as the parts of a Word file: w:body, w:numbering, w:styles."""

    body: etree._Element
    numbering: etree._Element
    styles: etree._Element
    size: int  # 32 for each element that it has or that was added; see `Limits.imported`
    is_cut: bool  # elements are nested too deep; the content from there on is missing


def read_html(text: str, limits: Limits) -> HtmlPage | None:
    """Return the page in a text without characters that XML does not allow; None if it cannot be
    parsed. Raise LimitError if its size is over `limits.imported`.
    """
    writer = _Writer(limits)
    writer.charge(text.count("<"))
    text = _TAG.sub(_with_read_attributes, text)
    root, faults = _parsed(text)
    if not _STRAY_FAULTS.isdisjoint(faults):
        root, faults = _parsed(_STRAY_ENDS.sub(r"\g<0><div></div>", text))
    return None if root is None else writer.page(root, is_cut=any(_TOO_DEEP in x for x in faults))


# Browsers read an end tag of p or br without an open element as an empty one (HTML Living Standard,
# 13.2.6.4.7). libxml2 ignores it, so each of these end tags gets an empty element after it: a div,
# because a p would end a heading.
_STRAY_FAULTS: Final = frozenset(("Unexpected end tag : p", "Unexpected end tag : br"))
_STRAY_ENDS: Final = re.compile(r"</(p|br)\b[^<>]*>", re.IGNORECASE)


# The time of libxml2 for a start tag grows with the square of its attributes.
_MOST_ATTRIBUTES: Final = 256
_READ: Final = frozenset(
    "alt colspan hidden href multiple reversed rowspan selected size start style title type "
    "value".split()
)
_ATTRIBUTE: Final = (  # HTML Living Standard, 13.2.5.32 to 13.2.5.38
    r"""[\s/]*+([^\s/>][^\s/>=]*+)"""
    r"""(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?)?"""
)
_ATTRIBUTES: Final = re.compile(_ATTRIBUTE)
# a comment, or a start tag; what looks like one in the text of a script is none
_TAG: Final = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<name>(?P<raw>script|style|title|textarea|xmp|iframe|noembed|noframes)(?=[\s/>])"
    rf"|[a-z][^\s/>]*+)(?P<attributes>(?:{_ATTRIBUTE})*+)(?P<text>(?(raw).*?(?:(?=</(?P=raw))|\Z)))",
    re.IGNORECASE | re.DOTALL,
)


def _with_read_attributes(tag: re.Match[str]) -> str:
    """Return a start tag; one with very many attributes without those that are not read."""
    if len(tag["attributes"] or "") < 2 * _MOST_ATTRIBUTES:
        return tag[0]
    attributes = list(_ATTRIBUTES.finditer(tag["attributes"]))
    if len(attributes) <= _MOST_ATTRIBUTES:
        return tag[0]
    first = {each[1].lower(): each[0] for each in reversed(attributes)}
    kept = "".join(text for name, text in first.items() if name in _READ)
    return f"<{tag['name']}{kept}{tag['text']}"


def _parsed(text: str) -> tuple[etree._Element | None, set[str]]:
    """Return the root of a page, None if it cannot be parsed, and the messages of the parser."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    return root, {fault.message for fault in parser.error_log}


def page_of_tables(sheets: Iterable[Sheet]) -> HtmlPage:
    """Return a page with a table for each sheet, below the name of the sheet."""
    root = etree.Element("html")
    for sheet in sheets:
        etree.SubElement(root, "p").text = sheet.name
        table = etree.SubElement(root, "table", title=sheet.name)
        for row in sheet.rows:
            line = etree.SubElement(table, "tr")
            for text in row:
                etree.SubElement(line, "td").text = text
    return _Writer(Limits()).page(root, is_cut=False)  # `read_workbook` has counted the cells


@dataclass(slots=True)
class _List:
    """An HTML list. Where its numbers do not increase by one, a new list begins in Word."""

    format: str  # of its numbers
    depth: int
    step: int  # 1, or -1 if it counts down
    next: int  # the number of its next item in HTML
    counted: int = 0  # the number of its next item in Word
    id: str = ""  # w:numId of its next item, unless this has another number in HTML than in Word


class _At(NamedTuple):
    """The place in the output to which an element is converted."""

    into: etree._Element  # the body or a cell
    formats: _Formats = ()  # of the text
    list: _List | None = None  # the list around it
    keeps_blanks: bool = False  # as in pre

    def of(self, element: etree._Element) -> _At:
        """Return the place inside `element`, with the formats that it sets."""
        formats = [_FORMATS[element.tag]] if element.tag in _FORMATS else []
        if "hidden" in element.attrib or _HIDDEN.search(element.get("style", "")):
            formats.append(("vanish", "1"))
        return self._replace(formats=(*self.formats, *formats)) if formats else self


_Placed = tuple["etree._Element", _At]


@dataclass(slots=True)
class _Writer:
    """The state of a walk over a page: the lists seen, and the open paragraph."""

    limits: Limits
    size: int = 0
    # number format and first number of each list
    numbers: list[tuple[str, int]] = field(default_factory=list)
    paragraph: etree._Element | None = None
    blank: bool = True  # the open paragraph is empty or ends with a blank

    def charge(self, elements: int) -> None:
        """Count elements. Raise LimitError if they are too many."""
        self.size += 32 * elements
        self.limits.admit_import(self.size)

    def page(self, root: etree._Element, *, is_cut: bool) -> HtmlPage:
        body = _element("body")
        for part in (root, *root.itersiblings()):  # the parser makes one of text after </html>, too
            self.content(part, _At(body))
        styles = _element("styles")
        _add(_add(styles, "style", styleId=_CAPTION, type="paragraph"), "name", val="caption")
        return HtmlPage(body, self.numbering(), styles, self.size, is_cut)

    def content(self, parent: etree._Element, at: _At) -> None:
        """Convert the content of an element. Inline content goes to the open paragraph."""
        self.text(parent.text, at)
        for child in parent:
            self.element(child, at)
            self.text(child.tail, at)

    def element(self, element: etree._Element, at: _At) -> None:
        tag, at = element.tag, at.of(element)
        if tag in _SKIPPED:
            return
        if tag in _WRITERS:
            _WRITERS[tag](self, element, at)
        elif tag in _BLOCKS:
            self.block(element, at)
        else:
            self.content(element, at)

    def block(self, element: etree._Element, at: _At) -> None:
        """Convert a block element: it begins and ends a paragraph. The first one inside a list item
        or a heading continues the paragraph that has the number or the level.
        """
        if self.paragraph is not None and self.paragraph[-1].tag != W + "pPr":
            self.paragraph = None
        if (level := _HEADINGS.get(element.tag)) is not None:
            _add(self.properties(at.into), "outlineLvl", val=level)
        elif element.tag == "caption":
            _add(self.properties(at.into), "pStyle", val=_CAPTION)
        self.content(element, at)
        self.paragraph = None

    def listed(self, element: etree._Element, at: _At) -> None:
        """Convert `ul` or `ol`: begin a new list, one level below the one around it."""
        formats_of = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
        form = formats_of.get(element.get("type", ""), "decimal")
        depth = 0 if at.list is None else min(at.list.depth + 1, _LEVELS - 1)
        step = -1 if "reversed" in element.attrib else 1
        start = _number(element.get("start"), 1 if step > 0 else sum(1 for _ in _items_of(element)))
        new = _List(form if element.tag == "ol" else "bullet", depth, step, start)
        self.begin(new)
        self.block(element, at._replace(list=new))

    def begin(self, new: _List) -> None:
        """Begin a list in Word, with the next number of a list in HTML."""
        self.charge(_OF_LIST)
        self.numbers.append((new.format, new.next))
        new.id, new.counted = str(len(self.numbers)), new.next

    def item(self, element: etree._Element, at: _At) -> None:
        self.paragraph = None
        if (inside := at.list) is not None:
            inside.next = _number(element.get("value"), inside.next)
            if inside.next != inside.counted:
                self.begin(inside)
            number = _add(self.properties(at.into), "numPr")
            _add(number, "ilvl", val=str(inside.depth))
            _add(number, "numId", val=inside.id)
            inside.counted += 1
            inside.next += inside.step
        self.content(element, at)
        self.paragraph = None

    def link(self, element: etree._Element, at: _At) -> None:
        """Convert `a`: put the address into a HYPERLINK field without a result, before the text."""
        target = NOT_XML.sub("", element.get("href", ""))
        if re.match(r"(?:https?|mailto|ftp):[^\"\s]+$", target, re.IGNORECASE):
            self.opened(at.into).append(_element("fldSimple", instr=f'HYPERLINK "{target}"'))
        self.content(element, at)

    def line_break(self, _: etree._Element, at: _At) -> None:
        _add(self.run(at), "br")
        self.blank = True

    def picture(self, element: etree._Element, at: _At) -> None:
        self.text(element.get("alt"), at)

    def preformatted(self, element: etree._Element, at: _At) -> None:
        self.block(element, at._replace(keeps_blanks=True))

    def reading(self, element: etree._Element, at: _At) -> None:
        """Convert `rt`, the reading of the characters before it, which is put in brackets."""
        self.text("(", at)
        self.content(element, at)
        self.text(")", at)

    def input(self, element: etree._Element, at: _At) -> None:
        if element.get("type", "").lower() not in _WITHOUT_VALUE:
            self.text(element.get("value"), at)

    def choice(self, element: etree._Element, at: _At) -> None:
        """Convert `select`: all options of a list box, otherwise the chosen options or the first
        one.
        """
        options = list(element.iter("option"))
        if not {"multiple", "size"} & set(element.keys()):
            options = [each for each in options if "selected" in each.attrib] or options[:1]
        for option in options:
            self.text(" ", at)
            self.content(option, at)
        self.text(" ", at)

    def table(self, element: etree._Element, at: _At) -> None:
        """Convert `table`. Content outside of its cells comes before it, as in browsers."""
        tables = [_Table()]
        _collect(element, at, tables, element, None)
        for table in tables:
            for misplaced, inside in table.misplaced:
                if not isinstance(misplaced, str):
                    self.element(misplaced, inside)
                elif not misplaced.isspace():
                    self.text(misplaced, inside)
            self.paragraph = None
            for caption, inside in table.captions:
                self.element(caption, inside._replace(list=None))
            if any(row.cells for row in table.rows):
                self.rows(table.in_order(), element.get("title", ""), at.into)

    def rows(self, rows: Iterable[_Row], title: str, into: etree._Element) -> None:
        """Convert the rows of a table. Header rows are those in thead, and leading ones that have
        only th.
        """
        table = _add(into, "tbl")
        if title:
            _add(_add(table, "tblPr"), "tblCaption", val=NOT_XML.sub("", title))
        is_header = True
        for group, in_group in groupby(rows, attrgetter("group")):
            # grid column -> number of columns and rows that a cell above still covers
            below: dict[int, tuple[int, int]] = {}
            for row in in_group:
                tags = {cell.tag for cell, _ in row.cells}
                is_header = is_header and (group.tag == "thead" or tags == {"th"})
                self.row(row.cells, _row_of(table, is_header=is_header), below)

    def row(
        self, cells: Iterable[_Placed], target: etree._Element, below: dict[int, tuple[int, int]]
    ) -> None:
        """Convert the cells of a row into `target`."""
        column = self.covered(target, 0, below)
        for cell, at in cells:
            columns, rows = (
                min(max(_number(cell.get("colspan"), 1), 1), _MOST_COLUMNS),
                _number(cell.get("rowspan"), 1),  # 0: to the end
            )
            placed = _cell(target, columns, "restart" if rows != 1 else None)
            self.content(cell, _At(placed, at.formats))
            self.paragraph = None
            if rows != 1:
                below[column] = (columns, rows - 1 if rows else -1)
            column = self.covered(target, column + columns, below)

    def covered(self, row: etree._Element, column: int, below: dict[int, tuple[int, int]]) -> int:
        """Add the cells, from this column on, that belong to merged cells of rows above. Return the
        first column without one.

        `below` has the merged cells by their first column: their number of columns, and of rows
        that are still to come.
        """
        while column in below:
            columns, rows = below.pop(column)
            self.charge(_OF_CELL)
            _cell(row, columns, "continue")
            if rows != 1:
                below[column] = (columns, rows - 1)
            column += columns
        return column

    # -- paragraphs and runs

    def opened(self, into: etree._Element) -> etree._Element:
        """Return the open paragraph; begin one if there is none."""
        if self.paragraph is None:
            self.paragraph, self.blank = _add(into, "p"), True
        return self.paragraph

    def properties(self, into: etree._Element) -> etree._Element:
        return _add(self.opened(into), "pPr")

    def run(self, at: _At) -> etree._Element:
        run = _add(self.opened(at.into), "r")
        if at.formats:
            properties = _add(run, "rPr")
            for name, value in dict(at.formats).items():
                _add(properties, name, val=value)
        return run

    def text(self, text: str | None, at: _At) -> None:
        """Put text with runs of blanks collapsed, and without blanks at the start of a
        paragraph.
        """
        if at.keeps_blanks:
            for number, line in enumerate(_LINE_ENDS.split(text or "")):
                if number:
                    self.line_break(at.into, at)
                if line:
                    self.put(line, at)
            return
        folded = _BLANKS.sub(" ", text or "")
        if self.paragraph is None or self.blank:
            folded = folded.removeprefix(" ")
        if folded:
            self.put(folded, at)
            self.blank = folded.endswith(" ")

    def put(self, text: str, at: _At) -> None:
        element = _add(self.run(at), "t")
        element.set(SPACE, "preserve")
        element.text = NOT_XML.sub("", text)

    def numbering(self) -> etree._Element:
        """Return w:numbering with a definition for each list, all levels of a list alike."""
        root = _element("numbering")
        for number, (form, start) in enumerate(self.numbers, 1):
            definition = _add(root, "abstractNum", abstractNumId=str(number))
            for depth in range(_LEVELS):
                level = _add(definition, "lvl", ilvl=str(depth))
                _add(level, "start", val=str(start))
                _add(level, "numFmt", val=form)
                _add(level, "lvlText", val="•" if form == "bullet" else f"%{depth + 1}.")
            _add(_add(root, "num", numId=str(number)), "abstractNumId", val=str(number))
        return root


_Write = Callable[[_Writer, "etree._Element", _At], None]
_WRITERS: Final[dict[str, _Write]] = {
    **dict.fromkeys(_LISTS, _Writer.listed),
    "li": _Writer.item,
    "a": _Writer.link,
    "br": _Writer.line_break,
    "img": _Writer.picture,
    "pre": _Writer.preformatted,
    "textarea": _Writer.preformatted,
    "input": _Writer.input,
    "select": _Writer.choice,
    "rt": _Writer.reading,
    "table": _Writer.table,
}


class _Row(NamedTuple):
    group: etree._Element  # thead, tbody, tfoot; the table for rows outside of these
    cells: list[_Placed]


@dataclass(slots=True)
class _Table:
    misplaced: list[tuple[str | etree._Element, _At]] = field(default_factory=list)  # in no cell
    captions: list[_Placed] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)

    def begin_row(self, group: etree._Element) -> _Row:
        """Add an empty row, and return it."""
        self.rows.append(_Row(group, []))
        return self.rows[-1]

    def in_order(self) -> list[_Row]:
        """Return the rows as they are shown: those of the first thead at the top, those of the
        first tfoot at the end (CSS 2.2, 17.2).
        """
        groups = [row.group for row in self.rows]
        top, end = (
            next((group for group in groups if group.tag == tag), None)
            for tag in ("thead", "tfoot")
        )
        return sorted(self.rows, key=lambda row: (row.group is end) - (row.group is top))


def _collect(
    parent: etree._Element, at: _At, tables: list[_Table], group: etree._Element, row: _Row | None
) -> None:
    """Add the content of a table element, or of an element in it, to the last of `tables`. Rows in
    `parent` belong to `group`. Cells in it belong to `row`, unless that is None.

    As in browsers (HTML Living Standard, 13.2.6.4.9), a cell outside a row begins a row. A table
    outside a cell ends the table around it; what follows it is one more of `tables`. Other elements
    around cells have no effect.
    """
    tables[-1].misplaced.append((parent.text or "", at))
    for child in parent:
        tag = child.tag
        if tag in _CELLS:
            row = row or tables[-1].begin_row(group)
            row.cells.append((child, at.of(child)))
        elif tag == "tr":
            _collect(child, at.of(child), tables, group, tables[-1].begin_row(group))
            row = None
        elif tag in _ROW_GROUPS:
            _collect(child, at.of(child), tables, child, None)
            row = None
        elif tag == "table":
            tables.append(_Table([(child, at)]))
            row = None
        elif tag not in _SKIPPED and next(child.iter("tr", *_CELLS), None) is not None:
            _collect(child, at, tables, group, row)
        elif tag == "caption":
            tables[-1].captions.append((child, at))
        else:
            tables[-1].misplaced.append((child, at))
        tables[-1].misplaced.append((child.tail or "", at))


def _items_of(element: etree._Element) -> Iterator[etree._Element]:
    """Yield the items of a list, without those of the lists in it."""
    for child in element:
        if child.tag == "li":
            yield child
        if child.tag not in _LISTS:
            yield from _items_of(child)


def _row_of(table: etree._Element, *, is_header: bool) -> etree._Element:
    row = _add(table, "tr")
    if is_header:
        _add(_add(row, "trPr"), "tblHeader")
    return row


def _cell(row: etree._Element, columns: int, merge: str | None) -> etree._Element:
    cell = _add(row, "tc")
    properties = _add(cell, "tcPr")
    _add(properties, "gridSpan", val=str(columns))
    if merge:
        _add(properties, "vMerge", val=merge)
    return cell


def _number(text: str | None, default: int) -> int:
    """Return the number, of up to five digits, that an attribute begins with (HTML Living Standard,
    2.3.4.2), else `default`.
    """
    match = _INTEGER.match(text or "")
    return int(match[1]) if match else default


def _element(name: str, **attributes: str) -> etree._Element:
    return etree.Element(W + name, {W + key: value for key, value in attributes.items()})


def _add(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, W + name, {W + key: value for key, value in attributes.items()})
