"""The raw text of paragraphs, and how it becomes output text: normalize line separators, escape the
author's text, write out the marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from docxchunk.content.tags import escape_text
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import STOPS, WIDE_STOPS

Out = list[str]  # pieces of raw text

# Marks in raw text: characters that XML cannot contain (XML 1.0, 2.2). `finish` replaces them.
BREAK = "\x0b"  # a line break
OPEN = "\x01"  # "<" of an output tag
OBJECT = "\x02"  # OBJECT index OBJECT: an equation or a drawing
NOTE = "\x05"  # "[^" of a note mark
# NUMBER text NUMBER: a field that counts. The text is the field code; when the paragraph is
# complete, the number takes its place
NUMBER = "\x06"
FIELD = pattern(f"{NUMBER}([^{NUMBER}]*){NUMBER}")
RESULT: Final = "="  # begins the text of such a field that is its result, not its code
# a page begins here, until the paragraph is complete: w:lastRenderedPageBreak (17.3.3.13)
TURN = "\x07"
PAGE_BREAK = "\x0e"  # the same, for w:br of the type "page"

# characters between two marks: a chunk may end between pieces of this size, but seldom within one
LONGEST_MARKED: Final = 200

# characters that str.splitlines would break at
_SPACES = pattern(r"[\n\r\x85\u2028\u2029\x0c\x1c-\x1e]+")
_NEIGHBOURS = pattern(f"{OPEN}/(sup|sub)>{OPEN}\\1>")
_PIECE = pattern(  # whole sentences up to the longest piece, else whole words
    rf"[^\s{BREAK}][^{BREAK}]{{0,{LONGEST_MARKED - 1}}}(?:(?<=[{STOPS};])(?=\s)|(?<=[{WIDE_STOPS}])"
    rf"|(?={BREAK}|\Z))"
    rf"|[^\s{BREAK}][^{BREAK}]{{0,{LONGEST_MARKED - 1}}}(?=\s)|\S+"
)
_NOTE = pattern(f"{NOTE}[^{NOTE}\\]]*\\]")
_FLEETING = pattern(f"{NOTE}[^{NOTE}\\]]*\\]|{NUMBER}[^{NUMBER}]*{NUMBER}")
_OBJECT = pattern(f"{OBJECT}(\\d+){OBJECT}")

Show = Callable[[int], str]
"""Returns the tag of the embedded object with an index."""


def without_turns(raw: str) -> str:
    """Return the raw text without marks of page turns."""
    return raw.replace(TURN, "").replace(PAGE_BREAK, "")


def objects_in(raw: str) -> list[int]:
    """Return the indices of the embedded objects in a raw text, in order."""
    return [int(i) for i in _OBJECT.findall(raw)] if OBJECT in raw else []


def only_objects(raw: str) -> bool:
    """Return whether the raw text has nothing but embedded objects and blanks."""
    return not _OBJECT.sub("", raw).strip()


def _is_plain(raw: str) -> bool:
    """Return whether there is nothing to escape or write out. (These tests are much faster than a
    regular expression.)
    """
    if raw.isprintable():  # no marks, and one line
        return "<" not in raw and "&" not in raw
    return (
        not (
            "<" in raw or "&" in raw or OPEN in raw or OBJECT in raw or NOTE in raw or NUMBER in raw
        )
        and len(raw.splitlines()) < 2
    )


def marked(raw: str, opening: str, closing: str) -> str:
    """Return text between two marks. Lines, and the pieces of a long text, get marks of their own,
    so that a chunk that ends between two has whole marks.
    """
    is_short = len(raw) <= LONGEST_MARKED and BREAK not in raw
    return (
        f"{opening}{raw}{closing}"
        if is_short
        else _PIECE.sub(lambda piece: f"{opening}{piece[0]}{closing}", raw)
    )


def pieces_of(raw: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the pieces that a long text is divided into for its marks: see `marked`.
    The blanks between the pieces are left out.
    """
    return (piece.span() for piece in _PIECE.finditer(raw))


def finish(raw: str, show: Show) -> str:
    """Return the text for a block: one stripped line for each line that the author broke; empty
    ones are left out.
    """
    text = _written(raw, show, escape_text)
    return (
        "\n".join(line for part in text.split(BREAK) if (line := part.strip()))
        if BREAK in text
        else text.strip()
    )


def finish_code(raw: str, show: Show) -> str:
    """Return the text of a line of code for a block: as `finish`, but indented as the author
    indented it, by blanks or tabs.
    """
    text = _written(raw, show, escape_text)
    return "\n".join(line for part in text.split(BREAK) if (line := part.rstrip()))


def finish_cell(raw: str, show: Show) -> str:
    """Return the text for a cell in a JSON row or for a heading: one line, runs of blanks
    collapsed.
    """
    return " ".join(_written(raw, show, escape_text).split())


def finish_html(raw: str, show: Show) -> str:
    """Return the text for a cell in an HTML row: one line, the author's `<` and `&` escaped."""
    return " ".join(_written(raw, show, _escape_html).split())


def without_notes(raw: str) -> str:
    """Return the raw text without note marks."""
    return _NOTE.sub("", raw) if NOTE in raw else raw


def lasting(raw: str) -> str:
    """Return the raw text without note marks and field numbers, which an edit elsewhere may
    change.
    """
    return _FLEETING.sub("", raw) if is_fleeting(raw) else raw


def is_fleeting(raw: str) -> bool:
    """Return whether an edit elsewhere may change the text: it has note marks or field numbers."""
    return NOTE in raw or NUMBER in raw


def _escape_html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _written(raw: str, show: Show, escape: Callable[[str], str]) -> str:
    """Return the text with its marks written out, and `<` and `&` escaped."""
    if _is_plain(raw):
        return raw
    text = escape(_SPACES.sub(" ", raw))
    if OPEN in text:
        text = _NEIGHBOURS.sub("", text).replace(OPEN, "<")
    if NOTE in text:
        text = text.replace(NOTE, "[^")
    if NUMBER in text:
        text = text.replace(NUMBER, "")
    return _OBJECT.sub(lambda m: show(int(m[1])), text) if OBJECT in text else text


def shortened(text: str, longest: int) -> str:
    """Return the text. A long one is cut in the middle."""
    return (
        text
        if len(text) <= longest
        else (f"{text[: longest // 2].rstrip()} … {text[-longest // 2 :].lstrip()}")
    )
