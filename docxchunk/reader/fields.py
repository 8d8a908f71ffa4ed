"""Read fields (ECMA-376 Part 1, 17.16): their results, and their codes for links, captions, numbers
and fields without a result.
"""

from __future__ import annotations

import re

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.model.document import Dropped, IssueCode
from docxchunk.ooxml.field_codes import FieldCode, FieldPosition, field_code, number_field
from docxchunk.ooxml.symbols import unicode_of
from docxchunk.ooxml.xml import W, is_on, natural_number, value
from docxchunk.reader.properties import field_properties
from docxchunk.reader.state import EquationObject, Field, State
from docxchunk.reader.text import FIELD, NUMBER, RESULT, Out, without_turns

BOXES = {True: "☒", False: "☐"}  # checked, unchecked

_NAME = pattern(r"\s*([A-Za-z]+)")
# 17.16.5.34, 17.16.5.23
_BUTTON = pattern(r"\s*+(?:MACRO|GOTO)BUTTON\s++\S++\s++(.*)", re.IGNORECASE | re.DOTALL)
_SETS = pattern(r"\s*(?:ASK|SET)\b", re.IGNORECASE)  # 17.16.5.3, 17.16.5.57
_SYMBOL = pattern(r"\s*SYMBOL\s+(?:(\d{1,6})|0x([0-9a-f]{1,5}))\b", re.IGNORECASE)  # 17.16.5.62
_FONT = pattern(r'\\f\s++"?([^"\\]++)"?\s*+(?:\\|$)')
# 17.16.5.25, 17.16.5.51, 17.16.5.46, 17.16.5.43
_CROSS_REFERENCES = frozenset(("HYPERLINK", "REF", "PAGEREF", "NOTEREF"))
_OF_PAGES = frozenset(("PAGE", "NUMPAGES", "SECTION", "SECTIONPAGES"))


def _name_of(code: str) -> str:
    """Return the name at the beginning of a field code in capitals; "" if there is none."""
    name = _NAME.match(code)
    return name[1].upper() if name else ""


def read_field_mark(element: etree._Element, out: Out, state: State) -> None:
    """Read w:fldChar (17.16.18): the begin, separator or end of a complex field."""
    kind, fields = element.get(W + "fldCharType"), state.story.fields
    state.skip(element)
    if kind == "begin":
        is_form = len(element) > 0
        state.story.codes += 1
        fields.append(
            Field(
                closes=element not in state.env.marks.unclosed,
                choice=_choice(element) if is_form else "",
            )
        )
        if is_form:
            _read_form_box(element, out, state)
    elif kind == "separate" and fields:
        fields[-1].begun = (out, len(out))
        if not sets_bookmark(fields[-1].code):
            _open_result(fields[-1], state)
    elif kind == "end" and fields:
        _end_field(fields.pop(), out, state)
    state.mute()


def sets_bookmark(code: str) -> bool:
    """Return whether the result of the field is the text of a bookmark, which is not shown."""
    return _SETS.match(code) is not None


def _open_result(opened: Field, state: State) -> None:
    state.story.codes -= opened.in_code
    opened.in_code = False
    opened.is_toc = note_code(opened.code, state)
    state.document.toc += opened.is_toc


def note_code(code: str, state: State) -> bool:
    """Record captions (SEQ, 17.16.5.56), links and cross-references of a field code. Return whether
    it is a table of contents (TOC, 17.16.5.68).
    """
    name, paragraph = _name_of(code), state.paragraph
    paragraph.has_sequence = paragraph.has_sequence or name == "SEQ"
    paragraph.in_toc = paragraph.in_toc or name == "TOC"
    if name in _CROSS_REFERENCES:
        parsed = field_code(code)
        if name == "HYPERLINK" and parsed.words:
            paragraph.links.append(parsed.words[0])
        elif bookmark := parsed.switches.get("l") or next(iter(parsed.words), ""):
            state.refer_to(bookmark)
    return name == "TOC"


def _end_field(ended: Field, out: Out, state: State) -> None:
    if ended.in_code:
        _open_result(ended, state)
    state.mute()
    if not state.story.muted:
        if _has_result(ended, out):
            note_result(ended.code, out, ended.begun, state)
        else:
            show_code(ended.code, ended.choice, out, state)
    text, start = ended.begun or (out, len(out))
    if text is out:
        tag_field(ended.code, out, start, state)
    if ended.is_toc:
        state.document.toc -= 1
        state.paragraph.in_toc = state.document.toc > 0 or any(
            without_turns(piece).strip() for piece in out
        )


def _has_result(ended: Field, out: Out) -> bool:
    """Return whether there is text between separator and end. Return True if they are in different
    paragraphs.
    """
    return ended.begun is not None and (
        ended.begun[0] is not out
        or any(without_turns(out[at]).strip() for at in range(ended.begun[1], len(out)))
    )


def note_result(code: str, out: Out, begun: tuple[Out, int] | None, state: State) -> None:
    """Count a SEQ field with a stored result, which begins at `begun`."""
    if _name_of(code) == "SEQ":
        stored = "".join(out[begun[1] :]) if begun and begun[0] is out else ""
        state.document.sequences.next(field_code(code), state.document.headings, stored)


def tag_field(code: str, out: Out, start: int, state: State) -> None:
    """If everything is asked for, record the link of a HYPERLINK field (17.16.5.25), whose result
    begins at `start`. In a header or footer, replace the result of a page number field (17.16.5.44,
    17.16.5.42) by the name of the field, `{PAGE}`: it is right on one page only.
    """
    if not state.env.options.everything:
        return
    name = _name_of(code)
    if name == "HYPERLINK":
        parsed = field_code(code)
        put_link("".join(parsed.words[:1]), parsed.switches.get("l"), out, start, state)
    elif state.story.is_running and not state.story.muted and name in _OF_PAGES:
        out[start:] = [""] * (len(out) - start)
        out.append(f"{{{name}}}")


def put_link(address: str, bookmark: str | None, out: Out, start: int, state: State) -> None:
    """Record that the pieces of raw text from `start` on are a link."""
    if target := address + (f"#{bookmark}" if bookmark else ""):
        state.paragraph.spans.append((out, start, len(out), target))


def show_code(code: str, choice: str, out: Out, state: State) -> None:
    """Append what Word shows for a field without a result: a number, a part of the code, an
    equation, the choice of a form list, or a result that is computed.
    """
    if number_field(code) is not None:
        out.append(f"{NUMBER}{code}{NUMBER}")
    elif (button := _BUTTON.fullmatch(code)) is not None:
        out.append(button[1].rstrip())
    elif (symbol := _SYMBOL.match(code)) is not None:
        font = _FONT.search(code)
        out.append(
            unicode_of(
                font[1].strip() if font else "", int(symbol[1]) if symbol[1] else int(symbol[2], 16)
            )
        )
    elif _name_of(code) == "EQ":
        _show_equation(code, out, state)
    else:
        out.append(choice or _show_result(code, state))


# -- fields without a stored result that Word would store

_PAGES = ("PAGE", "SECTION", "SECTIONPAGES")
_NAMED = ("REF", "NOTEREF", "STYLEREF", "DOCPROPERTY", "DOCVARIABLE", "INCLUDETEXT")
_PROPERTIES = frozenset("TITLE AUTHOR SUBJECT KEYWORDS COMMENTS LASTSAVEDBY TEMPLATE".split())
# Word always shows something for these
_SHOWN = frozenset(
    """REF NOTEREF FTNREF PAGEREF STYLEREF SEQ NUMPAGES NUMWORDS NUMCHARS PAGE SECTION SECTIONPAGES
    DATE TIME CREATEDATE SAVEDATE PRINTDATE EDITTIME REVNUM FILENAME FILESIZE TEMPLATE DOCPROPERTY
    INFO QUOTE CITATION BIBLIOGRAPHY INDEX INCLUDETEXT = IF COMPARE DOCVARIABLE USERNAME
    USERINITIALS USERADDRESS MERGEFIELD MERGEREC MERGESEQ ADDRESSBLOCK GREETINGLINE""".split()
)


def _show_result(code: str, state: State) -> str:
    """Return the raw text of the number of a caption (SEQ), or of a document property. Report any
    other field that would show something, also the name of a bookmark alone.
    """
    name = "=" if code.lstrip().startswith("=") else "".join(code.split(None, 1)[:1])
    parsed = field_code(code)._replace(name=name.upper())
    text = _result(parsed, state)
    is_of_page = state.story.is_running and parsed.name in _PAGES
    is_bookmark = name.startswith("_") or name.lower() in state.document.bookmarks
    if text is None and (parsed.name in _SHOWN or is_bookmark) and not is_of_page:
        state.report_once(
            IssueCode.FIELD_WITHOUT_RESULT,
            f"A field {parsed.name} has no stored result, and what Word shows for it is not known"
            f"{f' ({parsed.words[0][:60]!r})' if parsed.words and parsed.name in _NAMED else ''}.",
        )
    return f"{NUMBER}{RESULT}{text}{NUMBER}" if text else ""


def _result(code: FieldCode, state: State) -> str | None:
    document = state.document
    if code.name == "SEQ":
        return document.sequences.next(code, document.headings)
    if code.name not in _PROPERTIES and code.name not in ("DOCPROPERTY", "INFO"):
        return None
    if document.properties is None:
        document.properties = field_properties(state.env.package)
    name = code.name if code.name in _PROPERTIES else " ".join(code.words)
    value = document.properties.get(name.lower())
    text = ("N", "Y")[value] if isinstance(value, bool) else value
    return None if text is None else code.cased(str(text))


def _show_equation(code: str, out: Out, state: State) -> None:
    """Append the text or the equation that Word shows for the code of an EQ field."""
    from docxchunk.reader.math.equation_field import (
        shown_by_eq,  # most documents have no such field
    )

    shown = shown_by_eq(code)
    if shown.is_latex:
        state.put_object(out, EquationObject(shown.text))
    else:
        out.append(shown.text)


def _choice(element: etree._Element) -> str:
    """Return the selected entry of a form list (17.16.9)."""
    choices = element.find(f"{W}ffData/{W}ddList")
    if choices is None:
        return ""
    entries = [entry.get(W + "val", "") for entry in choices.iterchildren(W + "listEntry")]
    chosen = natural_number(value(choices, W + "result") or value(choices, W + "default") or "0")
    return dict(enumerate(entries)).get(-1 if chosen is None else chosen, "")


def _read_form_box(element: etree._Element, out: Out, state: State) -> None:
    """Read a legacy check box (17.16.7)."""
    box = element.find(f"{W}ffData/{W}checkBox")
    if box is not None and not state.story.muted:
        checked = box.find(W + "checked")
        out.append(BOXES[is_on(checked if checked is not None else box.find(W + "default"))])


def read_instruction(element: etree._Element, out: Out, state: State) -> None:
    """Read w:instrText (17.16.23): a piece of a field code, which is never shown."""
    state.drop(Dropped.FIELD_CODE, element)
    if state.story.fields and state.story.fields[-1].in_code:
        state.story.fields[-1].code += element.text or ""


def insert_numbers(
    raw: str, label: str, depth: int, heading: int, state: State
) -> tuple[str, str, int]:
    """Return the raw text with numbers in place of field codes, the label, and the list level.
    Numbers before the text are moved to the end of the label.
    """
    text, *fields = FIELD.split(raw)
    front, level = label, None
    for code, after in zip(fields[::2], fields[1::2], strict=True):
        field, leads = number_field(code), not text.strip()
        if field is None:
            text += f"{NUMBER}{code.removeprefix(RESULT)}{NUMBER}{after}"
            continue
        number, level = state.document.field_numbers.next(
            field, FieldPosition(depth, heading, leads, level)
        )
        if leads:
            front += f"{number} " if after[:1].isspace() else number
            text = after
        else:
            text += f"{NUMBER}{number}{NUMBER}{after}"
    if not text.strip():
        return f"{NUMBER}{front.removeprefix(label).strip()}{NUMBER}", label, depth
    return text, front, level if depth < 0 and level is not None and front else depth
