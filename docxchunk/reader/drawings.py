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

from docxchunk.model.document import IssueCode
from docxchunk.model.objects import DrawingKind
from docxchunk.ooxml.xml import CX, DGM, MC, PIC, WP, A, C, M, O, R, V, W, natural_number
from docxchunk.reader.charts import Chart, Rows, read_chart_part
from docxchunk.reader.state import DrawingObject, State, read_branch
from docxchunk.reader.text import Out

_EMU = 12700  # English metric units in a point (20.1.2.1)
_STYLED_HEIGHT = re.compile(r"(?:^|;)\s*height:(\d{1,5}(?:\.\d{1,6})?)(pt|in)")


_NAME = re.compile(  # what programs put where the alternative text belongs
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


class _Description:
    """The alternative text and the name for the next picture, first of the anchor, then of each
    picture in a group.
    """

    def __init__(self, root: etree._Element) -> None:
        self.alt = self.name = ""
        self.floats = root.find(WP + "anchor") is not None or any(
            "position:absolute" in shape.get("style", "") for shape in root
        )
        self.height = 0.0 if self.floats else _height(root)

    def take(self, element: etree._Element) -> None:
        title, description = (_alternative(element.get(name, "")) for name in ("title", "descr"))
        self.alt = (
            f"{title}: {description}"
            if title and description and title != description
            else description or title
        ) or self.alt
        self.name = element.get("name", "") or self.name

    def object(self, kind: DrawingKind, form: str) -> DrawingObject:
        """Return a drawing with this description."""
        return DrawingObject(
            kind, form, "", "", self.alt, self.name, floats=self.floats, height=self.height
        )


def _height(root: etree._Element) -> float:
    """Return the height of an inline drawing in points: wp:extent (20.4.2.7), or the style of a VML
    shape (Part 4, 19.1.2.19); 0 if unknown.
    """
    extent = root.find(f"{WP}inline/{WP}extent")
    if extent is not None:
        cy = extent.get("cy", "")
        return int(cy) / _EMU if cy.isascii() and cy.isdigit() and len(cy) < 10 else 0.0
    match = next(
        (match for shape in root if (match := _STYLED_HEIGHT.search(shape.get("style", "")))), None
    )
    return 0.0 if match is None else float(match[1]) * (72.0 if match[2] == "in" else 1.0)


def read_drawing(element: etree._Element, out: Out, state: State) -> None:
    """Read w:drawing or w:pict: all visible parts in document order, each once."""
    described = _Description(element)
    for part in _visible_parts(element, state):
        _PARTS[part.tag](part, out, state, described)


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


def _put(state: State, out: Out, value: DrawingObject) -> None:
    if not state.story.muted:
        state.put_object(out, value)


def _picture(
    state: State, out: Out, identifier: str | None, linked: str | None, described: _Description
) -> None:
    """Put a picture: a part of the package, or a link that is kept as `src` and not fetched."""
    target, source = (
        state.env.inside(identifier),
        state.env.outside(linked) or state.env.outside(identifier),
    )
    if target is None and not source:
        if identifier or linked:
            state.report(IssueCode.PART_MISSING, "A picture is missing from the file.")
        return
    if source and target is None:
        state.report(
            IssueCode.EXTERNAL_NOT_FETCHED, f"A linked picture was not fetched ({source[:200]})."
        )
    extension = (target or source).rpartition(".")[2].lower()
    fmt = extension if extension.isascii() and extension.isalnum() and len(extension) < 6 else ""
    picture = described.object(DrawingKind.PICTURE, fmt)
    _put(state, out, picture._replace(asset=target or "", src="" if target else source))
    described.height = 0.0  # the height is that of the whole drawing: count it once


def _read_blip(element: etree._Element, out: Out, state: State, described: _Description) -> None:
    """Read a:blip (20.1.8.13), a picture."""
    _picture(state, out, element.get(R + "embed"), element.get(R + "link"), described)


def _read_imagedata(
    element: etree._Element, out: Out, state: State, described: _Description
) -> None:
    """Read v:imagedata (Part 4, 19.1.2.11), a picture in VML."""
    shape = element.getparent()
    described.alt = (
        ("" if shape is None else _alternative(shape.get("alt", "")))
        or _alternative(element.get(O + "title", ""))
        or described.alt
    )
    _picture(
        state,
        out,
        element.get(R + "id") or element.get(R + "pict") or element.get(O + "relid"),
        element.get(R + "href"),
        described,
    )


def _read_properties(
    element: etree._Element, out: Out, state: State, described: _Description
) -> None:
    described.take(element)


def _read_story(element: etree._Element, out: Out, state: State, described: _Description) -> None:
    """Queue w:txbxContent (17.17.1), to be read after the paragraph as body text."""
    if state.story.muted:
        state.drop(state.story.muted, element)
    else:
        state.paragraph.boxes.append(element)


def _read_drawing_text(
    element: etree._Element, out: Out, state: State, described: _Description
) -> None:
    """Read a:p (21.1.2.2.6), the text of a shape in a locked canvas."""
    _after(state, _text(element))


def _read_text_path(
    element: etree._Element, out: Out, state: State, described: _Description
) -> None:
    """Read v:textpath (Part 4, 19.1.2.23), WordArt."""
    _after(state, element.get("string", ""))


def _read_signature_line(
    element: etree._Element, out: Out, state: State, described: _Description
) -> None:
    """Read o:signatureline (Part 4, 19.2.2): the name of the signer and the title below it."""
    for name in ("suggestedsigner", "suggestedsigner2"):
        _after(state, element.get(O + name, ""))


def _after(state: State, text: str) -> None:
    text = " ".join(text.split())
    if text and not state.story.muted:
        state.paragraph.after.append(text)


def _read_chart(element: etree._Element, out: Out, state: State, described: _Description) -> None:
    """Read the chart of c:chart (21.2.2.29) or cx:chart: its title, its series as rows, and the
    text of shapes inside it (c:userShapes).
    """
    if state.story.muted:
        return
    part = state.env.inside(element.get(R + "id"))
    root = _read_once(state, part)
    title, rows, is_cut = Chart("", ()) if root is None else read_chart_part(root)
    if is_cut:
        state.report(
            IssueCode.UNSUPPORTED_OBJECT,
            f"Values of the chart {part} were not read: its table would be far larger than the "
            "chart, or its categories have too many levels.",
        )
    chart = described.object(DrawingKind.CHART, "chart")
    chart = chart._replace(alt=chart.alt or title, name=chart.name or title, data=rows)
    _put(state, out, chart)
    _after(state, "; ".join(filter(None, [title, *(" | ".join(row) for row in _lines(rows))])))
    if root is not None and part is not None:
        for paragraph in _drawn_into(state, part):
            _after(state, _text(paragraph))


def _drawn_into(state: State, chart: str) -> Iterator[etree._Element]:
    """Yield each a:p in the shapes inside a chart."""
    for part in state.env.package.parts("chartUserShapes", chart):
        root = _read_once(state, part)
        yield from () if root is None else root.iter(A + "p")


def _lines(rows: Rows) -> Rows:
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


def _read_diagram(element: etree._Element, out: Out, state: State, described: _Description) -> None:
    """Read the SmartArt diagram of dgm:relIds (21.4.2.20): the text of its points."""
    if state.story.muted:
        return
    root = _read_once(state, state.env.inside(element.get(R + "dm")))
    points = (
        []
        if root is None
        else [
            " ".join(" ".join(map(_text, point.iter(A + "p"))).split())
            for point in _points_in_order(root)
        ]
    )
    _put(state, out, described.object(DrawingKind.DIAGRAM, "diagram"))
    for text in filter(None, points):
        _after(state, text)


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
    for connection in sorted(connections, key=lambda each: natural_number(each.get("srcOrd")) or 0):
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


_PART_HANDLER = Callable[["etree._Element", Out, State, _Description], None]
_PARTS: dict[str, _PART_HANDLER] = {
    WP + "docPr": _read_properties,
    PIC + "cNvPr": _read_properties,
    A + "blip": _read_blip,
    V + "imagedata": _read_imagedata,
    W + "txbxContent": _read_story,
    # in Strict files, Word writes text boxes as wne:txbxContent, which is passed through
    W + "p": _read_story,
    **dict.fromkeys(
        (W + "tbl", W + "r", W + "t", W + "sdt", M + "oMath", M + "oMathPara", M + "t"), _read_story
    ),
    A + "p": _read_drawing_text,
    V + "textpath": _read_text_path,
    O + "signatureline": _read_signature_line,
    C + "chart": _read_chart,
    CX + "chart": _read_chart,
    DGM + "relIds": _read_diagram,
}
