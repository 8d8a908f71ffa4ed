"""Compute what Word shows for fields without a stored result, if the file says it (ECMA-376 Part
1, 17.16.5).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from docxchunk.model.document import IssueCode
from docxchunk.ooxml.field_codes import FieldCode, field_code, number_field
from docxchunk.ooxml.numbering import list_number
from docxchunk.reader.properties import field_properties, variables
from docxchunk.reader.text import (
    FIELD,
    NUMBER,
    RESULT,
    Target,
    common_levels,
    full_number,
    style_key,
)

if TYPE_CHECKING:
    from docxchunk.ooxml.numbering import NumberPart
    from docxchunk.reader.state import State

_NOT_NUMERIC: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]++\s++")  # "Article " of "Article IV"
_MOST_REPEATED: Final = 100_000  # characters of text that fields repeat, in a document
_PAGES: Final = ("PAGE", "SECTION", "SECTIONPAGES")
_NAMED: Final = ("REF", "NOTEREF", "STYLEREF", "DOCPROPERTY", "DOCVARIABLE", "INCLUDETEXT")
# Word always shows something for these
_SHOWN: Final = frozenset(
    """REF NOTEREF FTNREF PAGEREF STYLEREF SEQ NUMPAGES NUMWORDS NUMCHARS PAGE SECTION SECTIONPAGES
    DATE TIME CREATEDATE SAVEDATE PRINTDATE EDITTIME REVNUM FILENAME FILESIZE TEMPLATE DOCPROPERTY
    INFO QUOTE CITATION BIBLIOGRAPHY INDEX INCLUDETEXT = IF COMPARE DOCVARIABLE USERNAME
    USERINITIALS USERADDRESS MERGEFIELD MERGEREC MERGESEQ ADDRESSBLOCK GREETINGLINE""".split()
)


def show_result(code: str, state: State) -> str:
    """Return the raw text of a field without a stored result: its result or, if that depends on the
    number of the paragraph, its code, for `with_late_results`. Report a result that is not known.
    """
    name = "=" if code.lstrip().startswith("=") else "".join(code.split(None, 1)[:1])
    if not (name.upper() in _SHOWN or name.upper() in _RESULTS or _is_bookmark(name, state)):
        return ""
    parsed = field_code(code)._replace(name=name.upper())
    if parsed.name == "REF" and "r" in parsed.switches:
        return f"{NUMBER}{code}{NUMBER}"
    text = _result(parsed, state)
    is_of_page = state.story.is_running and parsed.name in _PAGES
    if text is None and parsed.name in _SHOWN and not is_of_page:
        _report_unknown(parsed, state)
    return f"{NUMBER}{RESULT}{text}{NUMBER}" if text else ""


def _is_bookmark(name: str, state: State) -> bool:
    return name.lower() in state.document.bookmarks or name.lower() in state.document.targets.known


def with_late_results(raw: str, path: tuple[NumberPart, ...], state: State) -> str:
    """Return the raw text of a paragraph with this number, with results in place of REF codes."""

    def result(field: re.Match[str]) -> str:
        if field[1].startswith(RESULT) or number_field(field[1]) is not None:
            return field[0]
        code = field_code(field[1])
        text = _reference(code, state, path)
        if text is None:
            _report_unknown(code, state)
        return f"{NUMBER}{RESULT}{text}{NUMBER}" if text else ""

    return FIELD.sub(result, raw)


def _report_unknown(code: FieldCode, state: State) -> None:
    state.report_once(
        IssueCode.FIELD_WITHOUT_RESULT,
        f"A field {code.name} has no stored result, and what Word shows for it is not known"
        f"{f' ({code.words[0][:60]!r})' if code.words and code.name in _NAMED else ''}.",
    )


def count_sequence(code: str, stored: str, state: State) -> None:
    """Count a SEQ field with a stored result."""
    parsed = field_code(code)
    if parsed.name == "SEQ":
        state.document.sequences.next(parsed, state.document.headings, stored)


def _result(code: FieldCode, state: State) -> str | None:
    compute = _RESULTS.get(code.name)
    if compute is not None:
        return compute(code, state)
    if _is_bookmark(code.name, state):  # it is a REF field
        return _reference(code._replace(words=(code.name,)), state)
    return None


def _sequence(code: FieldCode, state: State) -> str | None:
    return state.document.sequences.next(code, state.document.headings)


def _reference(code: FieldCode, state: State, own: tuple[NumberPart, ...] = ()) -> str | None:
    r"""Return the text of a bookmark, the number of its paragraph (\n, \r, \w), or whether it is
    above or below (\p).
    """
    name = code.words[0].lower() if code.words else ""
    target = state.document.targets.target(name)
    if target is None:
        return None
    number = _number(code, target, own)
    place = "above" if name in state.document.bookmarks else "below"
    if "p" in code.switches:
        return place if number is None else f"{number} {place}"
    return _repeated(code, target, state) if number is None else number


def _repeated(code: FieldCode, target: Target, state: State) -> str | None:
    """Return the text of a target for a field; None if it has none. Return "", with an issue, if
    fields have repeated too much: a small file could multiply its text.
    """
    document = state.document
    document.repeated += len(target.text)
    if document.repeated <= _MOST_REPEATED:
        return code.cased(target.text) or None
    state.report_once(
        IssueCode.FIELD_WITHOUT_RESULT,
        f"Fields without a stored result repeat over {_MOST_REPEATED:,} characters of the "
        "document; the text of later ones is left out.",
    )
    return ""


def _number(code: FieldCode, target: Target, own: tuple[NumberPart, ...]) -> str | None:
    """Return the number that a field asks for, "0" if the paragraph has none; None if it asks for
    none.
    """
    path, switches = target.path, code.switches
    if "w" in switches:
        text = full_number(path)
    elif "r" in switches:
        text = full_number(path, min(common_levels(path, own), max(len(path) - 1, 0)))
    elif "n" in switches or "s" in switches:  # Word writes STYLEREF 1 \s in captions
        text = path[-1].text.strip().rstrip(".") if path else ""
    else:
        return None
    if "t" in switches or "s" in switches:
        text = _NOT_NUMERIC.sub("", text)
    return text or "0"


def _note_reference(code: FieldCode, state: State) -> str | None:
    target = state.document.targets.target(code.words[0].lower() if code.words else "")
    return None if target is None else target.note or None


def _style_reference(code: FieldCode, state: State) -> str | None:
    """Return the text or the number of the last paragraph of a style; of the next one, if there is
    none before. In headers, it depends on the page.
    """
    if state.story.is_running or not code.words:
        return None
    style = code.words[0]
    target = state.document.targets.target(
        style_key(f"heading {style}" if style in "123456789" else style)
    )
    if target is None:
        return None
    number = _number(code, target, ())
    return _repeated(code, target, state) if number is None else number


def _property(name: str, state: State) -> str | None:
    """Return the value of a document property."""
    document = state.document
    if document.properties is None:
        document.properties = field_properties(state.env.package)
    value = document.properties.get(name.lower())
    if isinstance(value, bool):
        return "Y" if value else "N"
    return None if value is None else str(value)


def _named_property(code: FieldCode, state: State) -> str | None:
    value = _property(" ".join(code.words), state)
    return None if value is None else code.cased(value)


def _own_property(code: FieldCode, state: State) -> str | None:
    value = _property(code.name, state)
    return None if value is None else code.cased(value)


def _variable(code: FieldCode, state: State) -> str | None:
    """Return the value of a document variable (17.16.5.18)."""
    document = state.document
    if document.variables is None:
        document.variables = variables(state.env.package.xml_of("settings"))
    value = document.variables.get(" ".join(code.words).lower())
    return None if value is None else code.cased(value)


def _statistic(code: FieldCode, state: State) -> str | None:
    """Return a number that Word stored when it saved the file."""
    number = list_number(_property(code.name, state))
    return code.number(number) if number else None


def _quotation(code: FieldCode, _: State) -> str | None:
    return code.cased(" ".join(code.words)) or None


def _condition(code: FieldCode, _: State) -> str | None:
    """Return "" for an IF field (17.16.5.26) that may show nothing; None for one with two texts."""
    return None if len(code.words) > 4 and all(code.words[3:5]) else ""


_RESULTS: Final[dict[str, Callable[[FieldCode, State], str | None]]] = {
    "SEQ": _sequence,
    "REF": _reference,
    "NOTEREF": _note_reference,
    "FTNREF": _note_reference,
    "STYLEREF": _style_reference,
    "DOCPROPERTY": _named_property,
    "DOCVARIABLE": _variable,
    "INFO": _named_property,
    "QUOTE": _quotation,
    "IF": _condition,
    **dict.fromkeys(
        "TITLE AUTHOR SUBJECT KEYWORDS COMMENTS LASTSAVEDBY TEMPLATE".split(), _own_property
    ),
    **dict.fromkeys("NUMPAGES NUMWORDS NUMCHARS REVNUM EDITTIME".split(), _statistic),
}
