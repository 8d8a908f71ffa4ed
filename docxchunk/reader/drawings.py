"""Read pictures, shapes, charts, diagrams and embedded objects (ECMA-376 Part 1, 17.3.3.9,
17.3.3.19, 17.3.3.21; 20.4; 21.2; 21.4).

A picture becomes an object in place; the text of shapes is read after the paragraph that anchors
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.model.document import IssueCode
from docxchunk.model.objects import DrawingKind
from docxchunk.ooxml.xml import CX, DGM, MC, PIC, WP, A, C, M, O, R, V, W, natural_number
from docxchunk.reader.charts import Chart, ChartRows, read_chart_part
from docxchunk.reader.state import DrawingObject, State, read_branch
from docxchunk.reader.text import Out

_EMU = 12700  # English metric units in a point (20.1.2.1)
_STYLED_HEIGHT = pattern(r"(?:^|;)\s*height:(\d{1,5}(?:\.\d{1,6})?)(pt|in)")


_NAME = pattern(  # what programs put where the alternative text belongs
    # a file
    r"(?:\w+: ?)?(?:[A-Za-z]:\\|cid:|(?!.*(?:\b[^\W\d_]+,? ){4}).*\.(?:png|jpe?g|jfif|gif"
    r"|bmp|tiff?|emf|wmf|svg|webp|eps|heic|pict?|vsdx?)$).*"
    r"|\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?"  # a GUID
    r"|(?:picture|image|img|photo|graphic|chart|diagram|grafik|bild|imagen?|immagine"
    r"|afbeelding|obraz|рисунок|图片|圖片|그림|図)[ _-]?\d+",
    re.IGNORECASE | re.DOTALL,
)


def _alternative(text: str) -> str:
    """Return an alternative text; "" if it is a number or the name of a picture: image1.png,
    Picture 11, a GUID.
    """
    return "" if _NAME.fullmatch(text.strip()) or not any(map(str.isalpha, text)) else text


def read_drawing(element: etree._Element, out: Out, state: State) -> None:
    """Read w:drawing or w:pict: all visible parts in document order, each once."""
    drawing = _OpenDrawing(element, out, state)
    for part in _visible_parts(element, state):
        _PARTS[part.tag](drawing, part)


def read_object(element: etree._Element, out: Out, state: State) -> None:
    """Read w:object, an embedded document or old equation: keep its preview picture. An embedded
    document is named, and reported as an issue.
    """
    ole = next(element.iter(O + "OLEObject"), None)
    program = "" if ole is None else ole.get("ProgID", "")
    part = None if ole is None else state.env.inside(ole.get(R + "id"))
    file_name = (part or "").rpartition("/")[2]
    objects = state.document.objects
    before = len(objects)
    read_drawing(element, out, state)
    objects[before:] = [
        item._replace(kind=DrawingKind.OLE, name=item.name or program, embedded=file_name)
        if isinstance(item, DrawingObject)
        else item
        for item in objects[before:]
    ]
    if ole is not None:
        state.report(
            IssueCode.UNSUPPORTED_OBJECT,
            f"An embedded object ({program or 'of unknown kind'}) is kept as its preview picture "
            "only.",
        )


def _visible_parts(root: etree._Element, state: State) -> Iterator[etree._Element]:
    """Yield the elements that have a handler in `_PARTS`, except those below such an element. Only
    one branch of mc:AlternateContent is searched.
    """
    stack = list(reversed(root))
    while stack:
        element = stack.pop()
        if element.tag in _PARTS:
            yield element
        elif element.tag == MC + "AlternateContent":
            for branch in read_branch(element, state):
                stack += reversed(branch)
        else:
            stack += reversed(element)


class _OpenDrawing:
    """A drawing that is read. `alt` and `name` are the alternative text and the name for the next
    picture, first of the anchor, then of each picture in a group.
    """

    def __init__(self, root: etree._Element, out: Out, state: State) -> None:
        self.out, self.state = out, state
        self.alt = self.name = ""
        self.floats = root.find(WP + "anchor") is not None or any(
            "position:absolute" in shape.get("style", "") for shape in root
        )
        self.height = 0.0 if self.floats else _height(root)

    def put(
        self, kind: DrawingKind, form: str, part: str = "", link: str = "", data: ChartRows = ()
    ) -> None:
        """Put an object into the text."""
        if not self.state.story.muted:
            self.state.put_object(
                self.out,
                DrawingObject(
                    kind, form, part, link, self.alt, self.name, data, self.floats, self.height
                ),
            )

    def put_after(self, text: str) -> None:
        """Put a text after the paragraph."""
        text = " ".join(text.split())
        if text and not self.state.story.muted:
            self.state.paragraph.after.append(text)

    def properties(self, element: etree._Element) -> None:
        """Read wp:docPr (20.4.2.5) or pic:cNvPr (20.2.2.3)."""
        title, description = (_alternative(element.get(name, "")) for name in ("title", "descr"))
        self.alt = (
            f"{title}: {description}"
            if title and description and title != description
            else description or title
        ) or self.alt
        self.name = element.get("name", "") or self.name

    def blip(self, element: etree._Element) -> None:
        """Read a:blip (20.1.8.13), a picture."""
        self.picture(element.get(R + "embed"), element.get(R + "link"))

    def image_data(self, element: etree._Element) -> None:
        """Read v:imagedata (Part 4, 19.1.2.11), a picture in VML."""
        shape = element.getparent()
        alternative = "" if shape is None else _alternative(shape.get("alt", ""))
        self.alt = alternative or _alternative(element.get(O + "title", "")) or self.alt
        identifier = element.get(R + "id") or element.get(R + "pict") or element.get(O + "relid")
        self.picture(identifier, element.get(R + "href"))

    def picture(self, identifier: str | None, linked: str | None) -> None:
        """Put a picture: a part of the package, or a link that is kept as `src` and not fetched."""
        env, report = self.state.env, self.state.report
        target = env.inside(identifier) or ""
        source = "" if target else env.outside(linked) or env.outside(identifier)
        if source:
            report(
                IssueCode.EXTERNAL_NOT_FETCHED,
                f"A linked picture was not fetched ({source[:200]}).",
            )
        elif not target:
            if identifier or linked:
                report(IssueCode.PART_MISSING, "A picture is missing from the file.")
            return
        extension = (target or source).rpartition(".")[2].lower()
        is_form = extension.isascii() and extension.isalnum() and len(extension) < 6
        self.put(DrawingKind.PICTURE, extension if is_form else "", target, source)
        self.height = 0.0  # the height is that of the whole drawing: count it once

    def story(self, element: etree._Element) -> None:
        """Queue w:txbxContent (17.17.1), to be read after the paragraph as body text."""
        state = self.state
        if state.story.muted:
            state.drop(state.story.muted, element)
        else:
            state.paragraph.boxes.append(element)

    def drawn_text(self, element: etree._Element) -> None:
        """Read a:p (21.1.2.2.6), the text of a shape in a locked canvas."""
        self.put_after(_text(element))

    def lettering(self, element: etree._Element) -> None:
        """Read v:textpath (Part 4, 19.1.2.23), WordArt; or o:signatureline (Part 4, 19.2.2): the
        name of the signer and the title below it.
        """
        for name in ("string", O + "suggestedsigner", O + "suggestedsigner2"):
            self.put_after(element.get(name, ""))

    def chart(self, element: etree._Element) -> None:
        """Read the chart of c:chart (21.2.2.29) or cx:chart: its title, its series as rows, and the
        text of shapes inside it (c:userShapes).
        """
        state = self.state
        if state.story.muted:
            return
        part = state.env.inside(element.get(R + "id"))
        root = _read_once(state, part)
        title, rows, is_cut = Chart("", ()) if root is None else read_chart_part(root)
        if is_cut:
            state.report(
                IssueCode.UNSUPPORTED_OBJECT,
                f"Values of the chart {part} were not read: its table would be far larger than the "
                "chart.",
            )
        self.alt, self.name = self.alt or title, self.name or title
        self.put(DrawingKind.CHART, "chart", data=rows)
        self.put_after("; ".join(filter(None, [title, *map(" | ".join, _lines(rows))])))
        shapes = [] if root is None else state.env.package.parts("chartUserShapes", part)
        for drawn in shapes:
            inside = _read_once(state, drawn)
            for paragraph in () if inside is None else inside.iter(A + "p"):
                self.drawn_text(paragraph)

    def diagram(self, element: etree._Element) -> None:
        """Read the SmartArt diagram of dgm:relIds (21.4.2.20): the text of its points."""
        if self.state.story.muted:
            return
        root = _read_once(self.state, self.state.env.inside(element.get(R + "dm")))
        self.put(DrawingKind.DIAGRAM, "diagram")
        for point in () if root is None else _points_in_order(root):
            self.put_after(" ".join(map(_text, point.iter(A + "p"))))


def _height(root: etree._Element) -> float:
    """Return the height of an inline drawing in points: wp:extent (20.4.2.7), or the style of a VML
    shape (Part 4, 19.1.2.19); 0 if unknown.
    """
    extent = root.find(f"{WP}inline/{WP}extent")
    if extent is not None:
        return (natural_number(extent.get("cy")) or 0) / _EMU
    match = next(
        (match for shape in root if (match := _STYLED_HEIGHT.search(shape.get("style", "")))), None
    )
    return 0.0 if match is None else float(match[1]) * (72.0 if match[2] == "in" else 1.0)


def _lines(rows: ChartRows) -> ChartRows:
    """Return the rows for the text: without an empty corner cell and without empty rows."""
    if rows and not rows[0][0]:
        rows = (rows[0][1:], *rows[1:])
    return tuple(filter(any, rows))


def _read_once(state: State, part: str | None) -> etree._Element | None:
    """Return the root of a part; None if it cannot be read, or was read before."""
    return None if part is None or not state.reads(part) else state.env.package.xml(part)


def _text(element: etree._Element) -> str:
    """Return the text of a:p; a line break (21.1.2.2.1) is a blank."""
    return "".join(
        leaf.text or "" if leaf.tag == A + "t" else " " for leaf in element.iter(A + "t", A + "br")
    )


def _points_in_order(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the points of a diagram (21.4.3.5) as a reader meets them: each before those below it.
    The text of an arrow comes between the points that it connects. Points without connections
    follow in the order of the file.
    """
    points = list(root.iter(DGM + "pt"))
    number_of = {point.get("modelId"): number for number, point in enumerate(points)}
    below: dict[int | None, list[int]] = {}
    connections = [
        connection
        for connection in root.iter(DGM + "cxn")
        if connection.get("type", "parOf") == "parOf"
    ]
    for connection in sorted(connections, key=lambda link: natural_number(link.get("srcOrd")) or 0):
        ends = [connection.get(name) for name in ("parTransId", "destId", "sibTransId")]
        numbers = [number_of[end] for end in ends if end in number_of]
        below.setdefault(number_of.get(connection.get("srcId")), []).extend(numbers)
    connected = set(chain.from_iterable(below.values()))
    waiting = list(range(len(points)))[::-1]
    waiting += [number for number in waiting if number not in connected]
    met = set[int]()
    while waiting:
        number = waiting.pop()
        if number not in met:
            met.add(number)
            yield points[number]
            waiting += reversed(below.get(number, []))


_PARTS: dict[str, Callable[[_OpenDrawing, etree._Element], None]] = {
    WP + "docPr": _OpenDrawing.properties,
    PIC + "cNvPr": _OpenDrawing.properties,
    A + "blip": _OpenDrawing.blip,
    V + "imagedata": _OpenDrawing.image_data,
    W + "txbxContent": _OpenDrawing.story,
    # in Strict files, Word writes text boxes as wne:txbxContent, which is passed through
    W + "p": _OpenDrawing.story,
    **dict.fromkeys(
        (W + "tbl", W + "r", W + "t", W + "sdt", M + "oMath", M + "oMathPara", M + "t"),
        _OpenDrawing.story,
    ),
    A + "p": _OpenDrawing.drawn_text,
    V + "textpath": _OpenDrawing.lettering,
    O + "signatureline": _OpenDrawing.lettering,
    C + "chart": _OpenDrawing.chart,
    CX + "chart": _OpenDrawing.chart,
    DGM + "relIds": _OpenDrawing.diagram,
}
