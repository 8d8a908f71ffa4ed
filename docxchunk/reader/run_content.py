"""Read the content of runs: text, breaks and symbols (ECMA-376 Part 1, 17.3.3), marks of notes and
comments (17.11, 17.13.4), equations (22.1).

As in `reader.inline`, a handler takes the element, the list to which it appends raw text, and the
state of reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from lxml import etree

from docxchunk.model.document import Dropped, IssueCode
from docxchunk.model.objects import NoteKind
from docxchunk.ooxml.symbols import symbol_of
from docxchunk.ooxml.xml import ON, W, letters
from docxchunk.reader.looks import symbols_of_run
from docxchunk.reader.prescan import SPACE, NoteKey
from docxchunk.reader.state import EquationObject, NotePlace, Restart, State
from docxchunk.reader.text import BREAK, NOTE, PAGE_BREAK, TURN, Out

Handler = Callable[["etree._Element", Out, State], None]

_TEXT = W + "t"
LONGEST_MARK = 12  # of a note, chosen by the author
_XML_BLANKS = " \t\r\n"  # XML 1.0, 2.3


def put_text(element: etree._Element, out: Out, state: State) -> int:
    """Put the text of an element. Return its length; 0 for blanks only."""
    text = element.text
    if not text:
        return 0
    count = 0 if text.isspace() else len(text)
    if text[0] <= " " or text[-1] <= " ":
        text = _trimmed(text, element, state)
    if muted := state.story.muted:
        state.document.dropped[muted] += len(text)
    else:
        state.document.emitted += len(text)
        out.append(text)
    return count


def put_symbols(element: etree._Element, out: Out, state: State, symbols: Mapping[int, str]) -> int:
    """Put the text of an element as `put_text`, with characters of symbol fonts as the Unicode
    characters that look the same.
    """
    start = len(out)
    count = put_text(element, out, state)
    out[start:] = [text.translate(symbols) for text in out[start:]]
    return count


def _trimmed(text: str, element: etree._Element, state: State) -> str:
    """Remove the blanks at the ends of a text without xml:space="preserve" (17.3.3.31), if the part
    uses the attribute (`Marks.trims`).
    """
    if element.get(SPACE) == "preserve" or not state.env.marks.trims:
        return text
    trimmed = text.strip(_XML_BLANKS)
    if len(trimmed) < len(text):  # no entry for 0 characters
        state.document.dropped[Dropped.BLANKS] += len(text) - len(trimmed)
    return trimmed


def put(text: str) -> Handler:
    """Return a handler that puts a text."""

    def handler(element: etree._Element, out: Out, state: State) -> None:
        if not state.story.muted:
            out.append(text)

    return handler


def read_break(element: etree._Element, out: Out, state: State) -> None:
    """Read w:br (17.3.3.1): a line, column or page break."""
    # Word ignores page breaks in tables
    if element.get(W + "type") == "page" and not state.story.in_cell:
        state.turn_page(out, PAGE_BREAK)
    if not state.story.muted:
        out.append(BREAK)


def read_rendered_break(element: etree._Element, out: Out, state: State) -> None:
    """Read w:lastRenderedPageBreak (17.3.3.13): when Word last laid out the document, a page began
    here.
    """
    state.turn_page(out, TURN)


def read_symbol(element: etree._Element, out: Out, state: State) -> None:
    """Read w:sym (17.3.3.30), a character of a symbol font, as the Unicode character that looks the
    same.
    """
    symbol, story = symbol_of(element), state.story
    if symbol is None:
        code = element.get(W + "char", "")
        state.report(IssueCode.VALUE_IGNORED, f"A symbol has no readable code ({code[:20]!r}).")
    elif not story.muted:
        out.append(symbol)
    elif story.fields and story.fields[-1].in_code:
        story.fields[-1].code += symbol


def reference(kind: NoteKind) -> Handler:
    """Return a handler for the references to notes of a kind (17.11.13, 17.13.4.5)."""

    def handler(element: etree._Element, out: Out, state: State) -> None:
        if kind is NoteKind.COMMENT and not state.env.options.comments:
            return
        if not state.story.muted:
            key = state.note_key(kind, element)
            out.append(f"{NOTE}{_label_of(key, element, state)}]")
            state.paragraph.notes.append(key)

    return handler


def _label_of(key: NoteKey, element: etree._Element, state: State) -> str:
    """Return the number of a note in text order, or the author's own mark (w:customMarkFollows,
    17.11.14), which takes no number.
    """
    labels, mark = state.document.note_labels, ""
    if element.get(W + "customMarkFollows") in ON:
        run = element.getparent()
        symbols = {} if run is None else symbols_of_run(run, state)
        texts = (
            (sibling.text or "").translate(symbols) if sibling.tag == _TEXT else symbol_of(sibling)
            for sibling in element.itersiblings(_TEXT, W + "sym")
        )
        mark = next(iter("".join(text or "" for text in texts).split()), "")
        state.paragraph.custom_marks.add(mark)
    if key not in labels:
        labels[key] = mark[:LONGEST_MARK] or _note_number(key.kind, state)
    return labels[key]


def _note_number(kind: NoteKind, state: State) -> str:
    document, sections = state.document, state.document.sections
    section = len(sections) - (bool(sections) and sections[-1].element == document.element)
    formats = state.env.note_formats[kind]
    form = formats[min(section, len(formats) - 1)]
    if form.restart is Restart.PAGE and not state.env.marks.rendered_breaks:
        state.report_once(
            IssueCode.NUMBER_UNKNOWN,
            "Note numbers restart on each page, and the file has "
            "no page marks of Word's layout: some numbers "
            "may be wrong.",
        )
    last = document.last_notes.get(kind)
    anew = (
        last is None
        or (form.restart is Restart.SECTION and last.section != section)
        or (form.restart is Restart.PAGE and last.turns != document.turns)
    )
    number = form.start if anew or last is None else last.number + 1
    document.last_notes[kind] = NotePlace(number, section, document.turns)
    return form.prefix + form.show(number)


def read_equation(element: etree._Element, out: Out, state: State) -> None:
    """Read m:oMath (22.1.2.77)."""
    from docxchunk.reader.math import latex_of  # most documents have no equation

    if state.story.muted:
        state.drop(state.story.muted, element)
        return
    for change in element.iter(*state.gone) if state.gone else ():
        state.drop(state.gone_reason, change)
        state.document.emitted -= letters(change)
    state.document.emitted += letters(element)
    latex = latex_of(element, state.env.options.track_changes, partial(symbols_of_run, state=state))
    if latex.broken:
        state.report(
            IssueCode.EQUATION_BROKEN,
            f"An equation is nested too deeply for LaTeX; its text is kept ({latex.text[:40]!r}).",
        )
    for name in latex.unknown:
        state.report(
            IssueCode.UNSUPPORTED_OBJECT,
            f"{name!r} inside an equation cannot be written as LaTeX; text in it is kept.",
        )
    for sign in latex.unreadable:
        state.report_once(
            IssueCode.VALUE_IGNORED,
            f"A symbol in an equation is in no known font ({sign}); it is written as \\square.",
        )
    if latex.text:
        state.put_object(out, EquationObject(latex.text))
