"""What stands in a paragraph: runs and their content (ECMA-376 Part 1, 17.3.2, 17.3.3), wrappers, fields, links.

`INLINE` and `RUN` are the dispatch tables: an element that is in neither is unknown, and its text is kept.
A handler takes the element, the list that text is put on, and the flow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lxml import etree

from docxchunk.model.issues import IssueCode
from docxchunk.model.objects import NoteKind
from docxchunk.model.options import TrackChanges
from docxchunk.ooxml.names import MC, ON, W14, M, W, local_name
from docxchunk.ooxml.symbols import unicode_of
from docxchunk.reader.alternate_content import read_branch
from docxchunk.reader.drawings import read_drawing, read_object
from docxchunk.reader.fields import BOXES, note_code, read_field_mark, read_instruction, show_code
from docxchunk.reader.flow import BREAK, NOTE, OBJECT, OPEN, CommentRange, Dropped, EquationObject, Flow, Out, letters
from docxchunk.reader.prescan import SPACE, NoteKey, Shown

Handler = Callable[["etree._Element", Out, Flow], None]

_RUN, _TEXT, _RPR = W + "r", W + "t", W + "rPr"
_LONGEST_MARK = 12
_XML_BLANKS = " \t\r\n"  # XML 1.0, 2.3


def read_inline(parent: etree._Element, out: Out, flow: Flow) -> None:
    """The content of a paragraph or of something that wraps a part of it."""
    for child in parent:
        tag = child.tag
        if tag == _RUN:
            read_run(child, out, flow)
        else:
            INLINE.get(tag, read_unknown)(child, out, flow)


def read_run(run: etree._Element, out: Out, flow: Flow) -> None:
    """A run (17.3.2.25): its text, raised, lowered or hidden as its properties say. What its look is counted from is left in the flow."""
    start, shown, properties, count = len(out), None, None, -1
    for child in run:
        tag = child.tag
        if tag == _TEXT:
            count = max(count, 0) + _put_text(child, out, flow)
            if len(child):
                flow.is_simple = False
                read_inline(child, out, flow)
        elif tag == _RPR:
            properties = child
            if flow.marked and (shown := flow.marked.get(child)) in _BY_ITSELF:
                flow.is_simple = False
                _BY_ITSELF[shown](run, out, flow)
                return
        else:
            flow.is_simple = flow.is_simple and not len(child)
            RUN.get(tag, read_unknown)(child, out, flow)
    if count >= 0:
        flow.runs.append((properties, count))
    if shown is not None:
        _wrap(out, start, shown)


def _put_text(element: etree._Element, out: Out, flow: Flow) -> int:
    """Put the text of an element; how many letters it has, 0 where it is blank."""
    text = element.text
    if not text:
        return 0
    count = 0 if text.isspace() else len(text)
    if text[0] <= " " or text[-1] <= " ":
        text = _trimmed(text, element, flow)
    if flow.muted:
        flow.dropped[flow.muted] += len(text)
    else:
        flow.emitted += len(text)
        out.append(text)
    return count


def _read_struck(tags: str) -> Handler:
    """A run that is struck through; `tags` are put around its text, not around marks of notes, objects and line breaks."""
    names = tags.split()
    opening, closing = "".join(f"{OPEN}{name}>" for name in names), "".join(f"{OPEN}/{name}>" for name in reversed(names))

    def read(run: etree._Element, out: Out, flow: Flow) -> None:
        inner: Out = []
        _read_content(run, inner, flow)
        out += [piece if piece[0] in _MARKS else f"{opening}{piece}{closing}" for piece in _PIECE.findall("".join(inner))]

    return read


_MARKS = BREAK + NOTE + OBJECT
_PIECE = re.compile(f"{BREAK}|{NOTE}[^\\]]*\\]|{OBJECT}\\d+{OBJECT}|[^{_MARKS}]+")


def _wrap(out: Out, start: int, shown: Shown) -> None:
    text = "".join(out[start:])
    if text.strip() and NOTE not in text and OBJECT not in text and BREAK not in text:
        out[start:] = [f"{OPEN}{shown.value}>{text}{OPEN}/{shown.value}>"]


def _read_visible(run: etree._Element, out: Out, flow: Flow) -> None:
    """A run that shows although the style of its paragraph hides."""
    muted, flow.muted = flow.muted, "" if flow.muted == Dropped.HIDDEN else flow.muted
    _read_content(run, out, flow)
    flow.muted = muted


def _read_content(run: etree._Element, out: Out, flow: Flow) -> None:
    for child in run:
        RUN.get(child.tag, read_unknown)(child, out, flow)


def _read_dropped(reason: str) -> Handler:
    """For a run whose text is dropped (17.3.2.41); a field may still begin or end in it."""

    def read(run: etree._Element, out: Out, flow: Flow) -> None:
        for child in run:
            if child.tag in (W + "fldChar", W + "instrText"):
                RUN[child.tag](child, out[:], flow)
            elif child.tag == _TEXT:
                flow.dropped[flow.muted or reason] += len(child.text or "")
            else:
                flow.drop(reason, child)

    return read


def read_unknown(element: etree._Element, out: Out, flow: Flow) -> None:
    """Kept going, reported once a name; whatever text is below is read."""
    tag = element.tag
    if tag not in INLINE:
        flow.report_once(IssueCode.UNKNOWN_ELEMENT, f"The element {local_name(tag)[:60]!r} is not known here; its text is kept.")
    read_inline(element, out, flow)


def skip(element: etree._Element, out: Out, flow: Flow) -> None:
    """Properties and marks: nothing a reader sees."""
    if len(element):
        flow.drop(Dropped.MISPLACED, element)


def read_text(element: etree._Element, out: Out, flow: Flow) -> None:
    """Text outside a run: not valid, but there to be read."""
    _put_text(element, out, flow)
    read_inline(element, out, flow)


def _trimmed(text: str, element: etree._Element, flow: Flow) -> str:
    """Blanks at the ends of a text count only with xml:space="preserve" (17.3.3.31), unless the writer never says so."""
    if element.get(SPACE) == "preserve" or not flow.env.marks.trims:
        return text
    shown = text.strip(_XML_BLANKS)
    if len(shown) < len(text):
        flow.dropped[Dropped.BLANKS] += len(text) - len(shown)
    return shown


def _put(text: str) -> Handler:
    def handler(element: etree._Element, out: Out, flow: Flow) -> None:
        if not flow.muted:
            out.append(text)

    return handler


def read_break(element: etree._Element, out: Out, flow: Flow) -> None:
    """A break in a line, column or page (17.3.3.1)."""
    if element.get(W + "type") == "page" and not flow.env.marks.rendered_breaks:
        _turn_page(out, flow)
    if not flow.muted:
        out.append(BREAK)


def read_rendered_break(element: etree._Element, out: Out, flow: Flow) -> None:
    """Where a page began when Word last laid the document out (17.3.3.13)."""
    _turn_page(out, flow)


def _turn_page(out: Out, flow: Flow) -> None:
    flow.page += 1
    if not out:
        flow.first_page = flow.page


def read_symbol(element: etree._Element, out: Out, flow: Flow) -> None:
    """A character of a symbol font (17.3.3.30), as the Unicode character that looks the same."""
    code = element.get(W + "char", "")
    try:
        number = int(code, 16)
    except ValueError:
        flow.report(IssueCode.VALUE_IGNORED, f"A symbol has no readable code ({code[:20]!r}).")
        return
    if not flow.muted and 0 < number < 0x110000:
        out.append(unicode_of(element.get(W + "font", ""), number))


def read_deleted_text(element: etree._Element, out: Out, flow: Flow) -> None:
    """Text of a tracked deletion (17.3.3.7): there in the original view and in the view of all."""
    if flow.env.options.track_changes is TrackChanges.FINAL:
        flow.drop(Dropped.DELETED, element)
    else:
        read_text(element, out, flow)


_BY_ITSELF: dict[Shown | None, Handler] = {
    Shown.HIDDEN: _read_dropped(Dropped.HIDDEN),
    Shown.LEFT_OUT: _read_dropped(Dropped.STRUCK),
    Shown.VISIBLE: _read_visible,
    **{struck: _read_struck(struck.value) for struck in (Shown.STRUCK, Shown.STRUCK_SUPERSCRIPT, Shown.STRUCK_SUBSCRIPT)},
}


# -- wrappers ---------------------------------------------------------------------------------------------------------


def read_deletion(element: etree._Element, out: Out, flow: Flow) -> None:
    """w:del, w:moveFrom (17.13.5.14, 17.13.5.22)."""
    if flow.env.options.track_changes is TrackChanges.FINAL:
        flow.drop(Dropped.DELETED, element)
    else:
        _read_change(element, out, flow, ("{--", "--}"))


def read_insertion(element: etree._Element, out: Out, flow: Flow) -> None:
    """w:ins, w:moveTo (17.13.5.18, 17.13.5.25)."""
    if flow.env.options.track_changes is TrackChanges.ORIGINAL:
        flow.drop(Dropped.INSERTED, element)
    else:
        _read_change(element, out, flow, ("{++", "++}"))


def _read_change(element: etree._Element, out: Out, flow: Flow, marks: tuple[str, str]) -> None:
    """The changed text; where old and new are both read, in the marks of CriticMarkup that tell them apart."""
    changed: Out = []
    read_inline(element, changed, flow)
    both = flow.env.options.track_changes is TrackChanges.ALL and "".join(changed).strip()
    out += [marks[0], *changed, marks[1]] if both else changed


def read_hyperlink(element: etree._Element, out: Out, flow: Flow) -> None:
    """A link's text (17.16.22); an external target is kept with the line, a bookmark leads to its block."""
    target = flow.env.outside(element.get(R_ID))
    if target:
        flow.links.append(target)
    elif bookmark := element.get(W + "anchor"):
        flow.refer_to(bookmark)
    read_inline(element, out, flow)


def read_bookmark(element: etree._Element, _: Out, flow: Flow) -> None:
    """w:bookmarkStart (17.13.6.2)."""
    flow.bookmarks.setdefault(element.get(W + "name", "").lower(), flow.place)


def read_sub_document(element: etree._Element, out: Out, flow: Flow) -> None:
    """A part of a master document (17.17.2.2), which stands in a file of its own."""
    flow.report(IssueCode.EXTERNAL_NOT_FETCHED, "A part of this document stands in a file of its own and was not read.")
    read_inline(element, out, flow)


def read_content_control(element: etree._Element, out: Out, flow: Flow) -> None:
    """A content control inside a paragraph (17.5.2.31); an empty checkbox still shows its box."""
    read_inline(element, out, flow)
    box = element.find(f"{W}sdtPr/{W14}checkbox")
    if box is not None and not flow.muted and next(element.iter(_TEXT, W + "sym"), None) is None:
        out.append(BOXES[is_checked(box.find(W14 + "checked"))])


def is_checked(element: etree._Element | None) -> bool:
    return element is not None and element.get(W14 + "val", "1") in ON


def read_ruby(element: etree._Element, out: Out, flow: Flow) -> None:
    """Base text, its reading in brackets (17.3.3.25)."""
    for name, before, after in ((W + "rubyBase", "", ""), (W + "rt", "(", ")")):
        for part in element.iterchildren(name):
            inner: Out = []
            read_inline(part, inner, flow)
            if "".join(inner).strip():
                out += [before, *inner, after]
    for part in element:
        if part.tag not in (W + "rubyBase", W + "rt"):
            INLINE.get(part.tag, read_unknown)(part, out, flow)


def read_alternative(element: etree._Element, out: Out, flow: Flow) -> None:
    """One branch, never both (ECMA-376 Part 3, 9.3)."""
    for branch in read_branch(element, flow):
        for child in branch:
            (INLINE.get(child.tag) or RUN.get(child.tag) or read_unknown)(child, out, flow)


def read_box(element: etree._Element, out: Out, flow: Flow) -> None:
    """A story inside a paragraph: read after it."""
    flow.boxes.append(element)


# -- equations --------------------------------------------------------------------------------------------------------


def read_equation(element: etree._Element, out: Out, flow: Flow) -> None:
    """m:oMath (22.1.2.77)."""
    from docxchunk.reader.math.equation import latex_of  # most documents have no equation

    if flow.muted:
        flow.drop(flow.muted, element)
        return
    view = flow.env.options.track_changes
    gone, reason = _AWAY[view]
    for change in element.iter(*gone) if gone else ():
        flow.drop(reason, change)
        flow.emitted -= letters(change)
    flow.emitted += letters(element)
    latex = latex_of(element, view)
    if latex.broken:
        flow.report(IssueCode.EQUATION_BROKEN, f"An equation is nested too deep for LaTeX; its text is kept ({latex.text[:40]!r}).")
    for name in latex.unknown:
        flow.report(IssueCode.UNSUPPORTED_OBJECT, f"{name!r} inside an equation cannot be written as LaTeX; text in it is kept.")
    if latex.text:
        put_object(flow, out, EquationObject(latex.text))


_AWAY = {
    TrackChanges.FINAL: ((W + "del", W + "moveFrom"), Dropped.DELETED),
    TrackChanges.ORIGINAL: ((W + "ins", W + "moveTo"), Dropped.INSERTED),
    TrackChanges.ALL: ((), ""),
}


def put_object(flow: Flow, out: Out, value: EquationObject) -> None:
    out.append(f"{OBJECT}{len(flow.objects)}{OBJECT}")
    flow.objects.append(value)


# -- notes ------------------------------------------------------------------------------------------------------------


def _reference(kind: NoteKind) -> Handler:
    def handler(element: etree._Element, out: Out, flow: Flow) -> None:
        if kind is NoteKind.COMMENT and not flow.env.options.comments:
            return
        if not flow.muted:
            key = NoteKey(kind, element.get(W + "id", ""))
            out.append(f"{NOTE}{_label_of(key, element, flow)}]")
            flow.notes.append(key)

    return handler


def _label_of(key: NoteKey, element: etree._Element, flow: Flow) -> str:
    """The number of a note in the order of the text, or the mark that the author chose (w:customMarkFollows, 17.11.14), which then takes no number."""
    if key not in flow.note_labels:
        own = "".join(text.text or "" for text in element.itersiblings(_TEXT)).split() if element.get(W + "customMarkFollows") in ON else []
        if own:
            flow.note_labels[key] = own[0][:_LONGEST_MARK]
            flow.custom_mark = own[0]
        else:
            flow.note_labels[key] = flow.note_number(key.kind)
    return flow.note_labels[key]


def begin_range(element: etree._Element, out: Out, flow: Flow) -> None:
    """w:commentRangeStart (17.13.4.4)."""
    if flow.env.options.comments:
        flow.ranges[element.get(W + "id", "")] = CommentRange((out, len(out)))


def end_range(element: etree._Element, out: Out, flow: Flow) -> None:
    """w:commentRangeEnd (17.13.4.3)."""
    key = element.get(W + "id", "")
    if key in flow.ranges:
        ended = flow.ranges.pop(key)
        ended.take(out)
        flow.anchors.setdefault(key, BREAK.join(ended.paragraphs))


def read_simple_field(element: etree._Element, out: Out, flow: Flow) -> None:
    """A field in one element (17.16.19): its result, or what its code alone can say."""
    code, start = element.get(W + "instr", ""), len(out)
    note_code(code, flow)
    read_inline(element, out, flow)
    if not flow.muted and not "".join(out[start:]).strip():
        show_code(code, "", out)


# -- what is supported, on one screen ---------------------------------------------------------------------------------

R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def _empty(handler: Handler) -> Handler:
    """For elements that have no content: if there is some all the same, it is read as well."""

    def read(element: etree._Element, out: Out, flow: Flow) -> None:
        handler(element, out, flow)
        if len(element):
            read_inline(element, out, flow)

    return read


def _table(names: Mapping[str, Handler], namespace: str = W) -> dict[str, Handler]:
    return {namespace + name: handler for names_, handler in names.items() for name in names_.split()}


RUN: dict[str, Handler] = {
    **_table(
        {
            "t": read_text,
            "delText": read_deleted_text,
            "tab ptab": _empty(_put("\t")),
            "br": _empty(read_break),
            "cr": _empty(_put(BREAK)),
            "lastRenderedPageBreak": _empty(read_rendered_break),
            "noBreakHyphen": _empty(_put("-")),
            "softHyphen": skip,
            "sym": _empty(read_symbol),
            "fldChar": read_field_mark,
            "instrText delInstrText": read_instruction,
            "footnoteReference": _empty(_reference(NoteKind.FOOTNOTE)),
            "endnoteReference": _empty(_reference(NoteKind.ENDNOTE)),
            "commentReference": _empty(_reference(NoteKind.COMMENT)),
            "footnoteRef endnoteRef annotationRef separator continuationSeparator": skip,
            "dayShort dayLong monthShort monthLong yearShort yearLong pgNum": skip,
            "ruby": read_ruby,
            "drawing pict": read_drawing,
            "object": read_object,
            "rPr": skip,
        }
    ),
    MC + "AlternateContent": read_alternative,
}

INLINE: dict[str, Handler] = {
    **_table(
        {
            "r": read_run,
            "hyperlink": read_hyperlink,
            "smartTag customXml bdo dir": read_inline,
            "sdt": read_content_control,
            "sdtContent": read_inline,
            "fldSimple": read_simple_field,
            "ins moveTo": read_insertion,
            "del moveFrom": read_deletion,
            "p tbl": read_box,
            "pPr sdtPr sdtEndPr rubyPr smartTagPr customXmlPr fldData sectPr tblPr tblGrid trPr tcPr": skip,
            "bookmarkStart": _empty(read_bookmark),
            "bookmarkEnd proofErr permStart permEnd": skip,
            "commentRangeStart": _empty(begin_range),
            "commentRangeEnd": _empty(end_range),
            "moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd": skip,
            "customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart customXmlDelRangeEnd": skip,
            "customXmlMoveFromRangeStart customXmlMoveFromRangeEnd customXmlMoveToRangeStart customXmlMoveToRangeEnd": skip,
            "subDoc": read_sub_document,
        }
    ),
    **{tag: handler for tag, handler in RUN.items() if tag != MC + "AlternateContent"},
    MC + "AlternateContent": read_alternative,
    M + "oMathPara": read_inline,
    M + "oMath": read_equation,
    M + "oMathParaPr": skip,
    M + "t": read_text,  # of an equation that has lost its frame
    W14 + "conflictIns": read_insertion,
    W14 + "conflictDel": read_deletion,
}
RUN |= {M + "oMath": read_equation, M + "t": read_text}
