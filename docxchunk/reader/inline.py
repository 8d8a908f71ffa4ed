"""Read the content of paragraphs: runs (ECMA-376 Part 1, 17.3.2, 17.3.3), wrappers, fields and
links. What a run has inside is read in `reader.run_content`.

What is read, and where:

- between paragraphs (`BLOCK` in `reader.story`): p tbl sdt customXml ins del moveFrom moveTo
  altChunk AlternateContent, bookmarks, ranges of comments
- in a paragraph (`INLINE` below): r hyperlink fldSimple sdt smartTag customXml bdo dir ins del
  moveFrom moveTo AlternateContent oMath oMathPara, bookmarks, ranges of comments
- in a run (`RUN` below): t delText tab ptab br cr lastRenderedPageBreak noBreakHyphen sym fldChar
  instrText ruby drawing pict object AlternateContent, references to notes and comments
- fields: `reader.fields`
- in a drawing (`_PARTS` in `reader.drawings`): pictures, text boxes, charts (`reader.charts`),
  diagrams, WordArt
- in an equation, also that of an EQ field: `reader.math`; in a table, its rows and cells:
  `reader.tables`
- properties of paragraphs: `read_properties` in `reader.looks`; of runs: `reader.prescan` for
  what changes the text, `ooxml.formatting` for the look and the emphasis, which
  `reader.run_tags` puts between tags; of sections: `ooxml.formatting`
- parts beside the body: `reader.notes`, `reader.properties`, `reader.alt_chunk`
- tracked changes: several modules, see docs/design/blocks-and-files.md
- skipped, because Word shows nothing or computes it anew: softHyphen pgNum dayShort ... yearLong
  separator continuationSeparator annotationRef footnoteRef endnoteRef proofErr permStart permEnd

Of any other element, the text below it is read, and its name is reported. A handler takes the
element, the list to which it appends raw text, and the state of reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.model.document import Dropped, IssueCode
from docxchunk.model.objects import NoteKind
from docxchunk.ooxml.incremental import REFERENCE
from docxchunk.ooxml.xml import MC, W14, M, W, is_on, local_name
from docxchunk.reader.drawings import read_drawing, read_object
from docxchunk.reader.fields import (
    BOXES,
    note_code,
    note_result,
    put_link,
    read_field_mark,
    read_instruction,
    sets_bookmark,
    show_code,
    tag_field,
)
from docxchunk.reader.looks import look_of_run, symbols_of_run
from docxchunk.reader.prescan import Shown
from docxchunk.reader.run_content import (
    Handler,
    put,
    put_symbols,
    put_text,
    read_break,
    read_equation,
    read_rendered_break,
    read_symbol,
    reference,
)
from docxchunk.reader.state import DELETIONS, State, read_branch
from docxchunk.reader.text import (
    BREAK,
    NOTE,
    NUMBER,
    OBJECT,
    OPEN,
    Out,
    marked,
    without_turns,
)

_RUN, _TEXT, _RPR, _TAB = W + "r", W + "t", W + "rPr", W + "tab"
_CONTROL, _CHECK_BOX = W + "sdtPr", W14 + "checkbox"
_SCRIPTS = {Shown.RAISED: Shown.SUPERSCRIPT, Shown.LOWERED: Shown.SUBSCRIPT}
_SCRIPT_SIZE = 0.8  # of the text before it, at most
_SCRIPT_RUNS = 8  # scripts in several runs: so far back is the text before them looked for


def read_inline(parent: etree._Element, out: Out, state: State) -> None:
    """Read the content of a paragraph or of a wrapper inside one."""
    for child in parent:
        tag = child.tag
        if tag == _RUN:
            read_run(child, out, state)
        else:
            state.paragraph.has_marks = True
            INLINE.get(tag, read_unknown)(child, out, state)


def read_run(run: etree._Element, out: Out, state: State) -> None:
    """Read a run (17.3.2.25): its text as superscript, subscript or hidden; note its properties and
    length for the look of the paragraph.
    """
    start, count, paragraph, texts = len(out), -1, state.paragraph, state.texts
    properties = state.shared.elements.get(run.get(REFERENCE, ""))
    treatment = None if properties is None else state.env.marks.runs.get(properties)
    if properties is not None and treatment in _SPECIAL_RUNS:
        _read_special(run, properties, out, state)
        return
    put_piece = _putter(run, state) if state.has_symbols else put_text
    for child in run:
        tag = child.tag
        if tag in texts:
            letters = put_piece(child, out, state)
            count = letters if count < 0 else count + letters
            if len(child):
                read_inline(child, out, state)
        elif tag == _RPR:
            properties = child
            treatment = state.env.marks.runs.get(child)
            if treatment in _SPECIAL_RUNS:
                _read_special(run, child, out, state)
                return
        else:
            paragraph.has_marks = paragraph.has_marks or tag != _TAB
            RUN.get(tag, read_unknown)(child, out, state)
    if treatment is not None:
        _wrap(out, start, properties, treatment, state)
    if state.has_tags:
        paragraph.spans.append((out, start, len(out), properties))
    if count >= 0:
        paragraph.runs.append((properties, count, len(out)))


def _putter(run: etree._Element, state: State) -> Callable[[etree._Element, Out, State], int]:
    """Return the function that puts a text of the run."""
    symbols = symbols_of_run(run, state)
    return partial(put_symbols, symbols=symbols) if symbols else put_text


def _read_special(run: etree._Element, properties: etree._Element, out: Out, state: State) -> None:
    """Read a run that is hidden, left out, or visible in a hidden paragraph."""
    treatment, start = state.env.marks.runs[properties], len(out)
    if treatment is Shown.TOGGLED:  # a toggle property (17.7.3)
        treatment = Shown.VISIBLE if state.paragraph.hides else Shown.HIDDEN
    state.paragraph.has_marks = True
    _SPECIAL_RUNS[treatment](run, out, state)
    if state.has_tags:
        state.paragraph.spans.append((out, start, len(out), properties))
    texts = [text.text or "" for text in run.iterchildren(*state.texts)]
    if texts and treatment not in _LEFT_OUT:
        count = sum(len(text) for text in texts if not text.isspace())
        state.paragraph.runs.append((properties, count, len(out)))


def _wrap(
    out: Out, start: int, properties: etree._Element | None, treatment: Shown, state: State
) -> None:
    """Put the text of a run between the tags of superscript or subscript."""
    if treatment in _SCRIPTS:
        if not _follows_larger(properties, out, start, state):
            return
        treatment = _SCRIPTS[treatment]
    text = "".join(out[start:])
    if (
        without_turns(text).strip()
        and NOTE not in text
        and OBJECT not in text
        and BREAK not in text
    ):
        out[start:] = [f"{OPEN}{treatment.value}>{text}{OPEN}/{treatment.value}>"]


def _follows_larger(properties: etree._Element | None, out: Out, start: int, state: State) -> bool:
    """Return whether a raised or lowered run (w:position, 17.3.2.24) is set like a subscript or a
    superscript: with no blank before it, and smaller than the last text that is not raised or
    lowered.
    """
    style, before = state.paragraph.style, state.paragraph.runs[-_SCRIPT_RUNS:]
    if style is None or not start or out[start - 1][-1:].isspace():
        return False
    size = look_of_run(properties, style, state).size
    return next(
        (
            size <= _SCRIPT_SIZE * look_of_run(run, style, state).size
            for run, letters, _ in reversed(before)
            if letters and (run is None or state.env.marks.runs.get(run) not in _SCRIPTS)
        ),
        False,
    )


def _read_visible(run: etree._Element, out: Out, state: State) -> None:
    """Read a run that is visible although the style of its paragraph is hidden."""
    story, muted = state.story, state.story.muted
    if muted == Dropped.HIDDEN:
        story.muted = ""
    put_piece = _putter(run, state)
    for child in run:
        if child.tag in state.texts:
            put_piece(child, out, state)
            read_inline(child, out, state)
        else:
            RUN.get(child.tag, read_unknown)(child, out, state)
    story.muted = muted


def _read_dropped(reason: str) -> Handler:
    """Return a handler for runs whose text is dropped (17.3.2.41); a field may still begin or end
    in them.
    """

    def read(run: etree._Element, out: Out, state: State) -> None:
        for child in run:
            if child.tag in (W + "fldChar", W + "instrText"):
                hides, state.paragraph.hides = state.paragraph.hides, True
                RUN[child.tag](child, out[:], state)
                state.paragraph.hides = hides
                state.mute()
            elif child.tag == _TEXT:
                state.document.dropped[state.story.muted or reason] += len(child.text or "")
            else:
                state.drop(reason, child)

    return read


def read_unknown(element: etree._Element, out: Out, state: State) -> None:
    """Read the text below an unknown element, and report it."""
    report_unknown(element, state)
    read_inline(element, out, state)


def report_unknown(element: etree._Element, state: State) -> None:
    """Report an unknown element, once for each name."""
    if element.tag not in INLINE:
        state.report_once(
            IssueCode.UNKNOWN_ELEMENT,
            f"The element {local_name(element.tag)[:60]!r} is unknown; its text is kept.",
        )


def skip(element: etree._Element, out: Out, state: State) -> None:
    """Skip properties and marks."""
    state.skip(element)


def read_text(element: etree._Element, out: Out, state: State) -> None:
    """Read text outside a run; it is invalid, but files have it."""
    put_text(element, out, state)
    read_inline(element, out, state)


def read_deleted_text(element: etree._Element, out: Out, state: State) -> None:
    """Read w:delText (17.3.3.7), the text of a tracked deletion: dropped in the final view."""
    if state.gone is DELETIONS:
        state.drop(Dropped.DELETED, element)
    else:
        read_text(element, out, state)


_LEFT_OUT = (Shown.HIDDEN, Shown.LEFT_OUT)
_SPECIAL_RUNS: dict[Shown | None, Handler] = {
    Shown.HIDDEN: _read_dropped(Dropped.HIDDEN),
    Shown.TOGGLED: _read_dropped(Dropped.HIDDEN),
    Shown.LEFT_OUT: _read_dropped(Dropped.STRUCK),
    Shown.VISIBLE: _read_visible,
}


# -- wrappers
# ------------------------------------------------------------------------------


# marks that must not be divided when long text is marked in pieces
_INDIVISIBLE = pattern(rf"{OPEN}|{NUMBER}|\{{\+\+|\{{--|\+\+\}}|--\}}")


def read_change(element: etree._Element, out: Out, state: State) -> None:
    """Read w:ins, w:del, w:moveTo or w:moveFrom (17.13.5), if it is in the view; with
    `track_changes=all`, put CriticMarkup marks around the text.
    """
    if state.drops(element):
        state.put_dropped_turns(out)
        return
    if state.gone:
        read_inline(element, out, state)
        return
    marks = ("{--", "--}") if element.tag in DELETIONS else ("{++", "++}")
    if state.env.options.everything:  # the places of tags in `out` count
        start = len(out)
        out.append("")
        read_inline(element, out, state)
        if without_turns("".join(out[start:])).strip():
            out[start] = marks[0]
            out.append(marks[1])
        return
    changed: Out = []
    read_inline(element, changed, state)
    raw = "".join(changed)
    if not without_turns(raw).strip():
        out += changed
    elif _INDIVISIBLE.search(raw):
        out += [marks[0], *changed, marks[1]]
    else:
        out.append(marked(raw, *marks))


def read_hyperlink(element: etree._Element, out: Out, state: State) -> None:
    """Read w:hyperlink (17.16.22): its text, and its target, an address or a bookmark."""
    target, bookmark = state.env.outside(element.get(R_ID)), element.get(W + "anchor")
    if target:
        state.paragraph.links.append(target)
    elif bookmark:
        state.refer_to(bookmark)
    start = len(out)
    read_inline(element, out, state)
    if state.env.options.everything:
        put_link(target, bookmark, out, start, state)


def read_bookmark(element: etree._Element, out: Out, state: State) -> None:
    """Read a bookmark in a paragraph."""
    state.begin_bookmark(element, state.document.position)


def read_sub_document(element: etree._Element, out: Out, state: State) -> None:
    """Report w:subDoc (17.17.2.2), a part of a master document in a separate file."""
    state.report(
        IssueCode.EXTERNAL_NOT_FETCHED, "A subdocument is in a separate file and was not read."
    )


def read_content_control(element: etree._Element, out: Out, state: State) -> None:
    """Read a content control inside a paragraph (17.5.2.31); an empty check box shows its box."""
    read_inline(element, out, state)
    properties = next(element.iterchildren(_CONTROL), None)
    box = None if properties is None else next(properties.iterchildren(_CHECK_BOX), None)
    if (
        box is not None
        and not state.story.muted
        and next(element.iter(_TEXT, W + "sym"), None) is None
    ):
        out.append(BOXES[is_on(box.find(W14 + "checked"), W14 + "val")])


def read_ruby(element: etree._Element, out: Out, state: State) -> None:
    """Read w:ruby (17.3.3.25): the base text, then its reading in parentheses."""
    for name, before, after in ((W + "rubyBase", "", ""), (W + "rt", "(", ")")):
        for part in element.iterchildren(name):
            inner: Out = []
            read_inline(part, inner, state)
            if "".join(inner).strip():
                out += [before, *inner, after]
    for part in element:
        if part.tag not in (W + "rubyBase", W + "rt"):
            INLINE.get(part.tag, read_unknown)(part, out, state)


def read_alternative(element: etree._Element, out: Out, state: State) -> None:
    """Read one branch of mc:AlternateContent (ECMA-376 Part 3, 9.3)."""
    for branch in read_branch(element, state):
        for child in branch:
            (INLINE.get(child.tag) or RUN.get(child.tag) or read_unknown)(child, out, state)


def read_box(element: etree._Element, out: Out, state: State) -> None:
    """Queue a story inside a paragraph, to be read after it."""
    state.paragraph.boxes.append(element)


def read_simple_field(element: etree._Element, out: Out, state: State) -> None:
    """Read w:fldSimple (17.16.19): its result, or what Word shows if it has none."""
    code, start = element.get(W + "instr", ""), len(out)
    note_code(code, state)
    is_unseen = sets_bookmark(code)
    state.story.codes += is_unseen
    state.mute()
    read_inline(element, out, state)
    state.story.codes -= is_unseen
    state.mute()
    tag_field(code, out, start, state)
    if not state.story.muted:
        if "".join(out[start:]).strip():
            note_result(code, out, (out, start), state)
        else:
            show_code(code, "", out, state)


# -- dispatch tables
# --------------------------------------------------------------------------------------------------

R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def _empty(handler: Handler) -> Handler:
    """Return a handler for elements without content. If a file has content there, the content is
    read, too.
    """

    def read(element: etree._Element, out: Out, state: State) -> None:
        handler(element, out, state)
        if len(element):
            read_inline(element, out, state)

    return read


def _table(names: Mapping[str, Handler], namespace: str = W) -> dict[str, Handler]:
    return {
        namespace + name: handler for names_, handler in names.items() for name in names_.split()
    }


RUN: dict[str, Handler] = {
    **_table(
        {
            "t": read_text,
            "delText": read_deleted_text,
            "tab ptab": _empty(put("\t")),
            "br": _empty(read_break),
            "cr": _empty(put(BREAK)),
            "lastRenderedPageBreak": _empty(read_rendered_break),
            "noBreakHyphen": _empty(put("-")),
            "softHyphen": skip,
            "sym": _empty(read_symbol),
            "fldChar": read_field_mark,
            "instrText delInstrText": read_instruction,
            "footnoteReference": _empty(reference(NoteKind.FOOTNOTE)),
            "endnoteReference": _empty(reference(NoteKind.ENDNOTE)),
            "commentReference": _empty(reference(NoteKind.COMMENT)),
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
            "ins moveTo del moveFrom": read_change,
            "p tbl": read_box,
            "pPr sdtPr sdtEndPr rubyPr smartTagPr customXmlPr fldData sectPr tblPr "
            "tblGrid trPr tcPr": skip,
            "bookmarkStart": read_bookmark,
            "bookmarkEnd proofErr permStart permEnd": skip,
            "commentRangeStart commentRangeEnd": _empty(skip),
            "moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd": skip,
            "customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart "
            "customXmlDelRangeEnd": skip,
            "customXmlMoveFromRangeStart customXmlMoveFromRangeEnd "
            "customXmlMoveToRangeStart customXmlMoveToRangeEnd": skip,
            "subDoc": _empty(read_sub_document),
        }
    ),
    **{tag: handler for tag, handler in RUN.items() if tag != MC + "AlternateContent"},
    MC + "AlternateContent": read_alternative,
    M + "oMathPara": read_inline,
    M + "oMath": read_equation,
    M + "oMathParaPr": skip,
    M + "t": read_text,  # text outside an m:oMath
    W14 + "conflictIns": read_change,
    W14 + "conflictDel": read_change,
}
RUN |= {M + "oMath": read_equation, M + "t": read_text}
