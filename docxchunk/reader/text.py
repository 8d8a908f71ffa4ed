"""The raw text of paragraphs, and how it becomes output text: normalize line separators, escape the
author's text, write out the marks. The ranges of it that comments and fields refer to.

A field without a stored result may refer to text after it. So a document with such fields is read
again, first to record what they refer to, then with these records: see `reader.document`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from docxchunk.language.sentences import STOPS, WIDE_STOPS
from docxchunk.markup.tags import escape_text
from docxchunk.ooxml.numbering import NumberPart

Out = list[str]  # pieces of raw text

# Marks in raw text: characters that XML cannot contain (XML 1.0, 2.2). `finish` replaces them.
BREAK = "\x0b"  # a line break
OPEN = "\x01"  # "<" of an output tag
OBJECT = "\x02"  # OBJECT index OBJECT: an equation or a drawing
NOTE = "\x05"  # "[^" of a note mark
# NUMBER text NUMBER: a field that counts. The text is the field code; when the paragraph is
# complete, the number takes its place
NUMBER = "\x06"
FIELD = re.compile(f"{NUMBER}([^{NUMBER}]*){NUMBER}")
# a page begins here, until the paragraph is complete: w:lastRenderedPageBreak (17.3.3.13)
TURN = "\x07"
PAGE_BREAK = "\x0e"  # the same, for w:br of the type "page"

# characters between two marks: a chunk may end between pieces of this size, but seldom within one
LONGEST_MARKED: Final = 200

# characters that str.splitlines would break at
_SPACES = re.compile(r"[\n\r\x85\u2028\u2029\x0c\x1c-\x1e]+")
_NEIGHBOURS = re.compile(f"{OPEN}/(sup|sub)>{OPEN}\\1>")
_PIECE = re.compile(  # whole sentences up to the longest piece, else whole words
    rf"[^\s{BREAK}][^{BREAK}]{{0,{LONGEST_MARKED - 1}}}(?:(?<=[{STOPS};])(?=\s)|(?<=[{WIDE_STOPS}])"
    rf"|(?={BREAK}|\Z))"
    rf"|[^\s{BREAK}][^{BREAK}]{{0,{LONGEST_MARKED - 1}}}(?=\s)|\S+"
)
_NOTE = re.compile(f"{NOTE}[^{NOTE}\\]]*\\]")
_FLEETING = re.compile(f"{NOTE}[^{NOTE}\\]]*\\]|{NUMBER}[^{NUMBER}]*{NUMBER}")
_OBJECT = re.compile(f"{OBJECT}(\\d+){OBJECT}")

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
    """Yield the pieces of a long text that are marked separately, without the blanks between
    them.
    """
    return (piece.span() for piece in _PIECE.finditer(raw))


def finish(raw: str, show: Show) -> str:
    """Return the text for a block: one stripped line for each line that the author broke; empty
    ones are left out.
    """
    if _is_plain(raw):
        return raw.strip()
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
    text = raw if _is_plain(raw) else _written(raw, show, escape_text)
    return "\n".join(line for part in text.split(BREAK) if (line := part.rstrip()))


def finish_cell(raw: str, show: Show) -> str:
    """Return the text for a cell in a JSON row or for a heading: one line, runs of blanks
    collapsed.
    """
    return " ".join((raw if _is_plain(raw) else _written(raw, show, escape_text)).split())


def finish_html(raw: str, show: Show) -> str:
    """Return the text for a cell in an HTML row: one line, the author's `<` and `&` escaped."""
    return " ".join((raw if _is_plain(raw) else _written(raw, show, _escape_html)).split())


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
    text = escape(_SPACES.sub(" ", raw))
    if OPEN in text:
        text = _NEIGHBOURS.sub("", text).replace(OPEN, "<")
    if NOTE in text:
        text = text.replace(NOTE, "[^")
    if NUMBER in text:
        text = text.replace(NUMBER, "")
    return _OBJECT.sub(lambda m: show(int(m[1])), text) if OBJECT in text else text


@dataclass(slots=True)
class CommentRange:
    """An open range of text that a comment refers to (17.13.4.4)."""

    # the raw text of its first paragraph, and the index at which it begins there; None after that
    # paragraph
    begun: tuple[Out, int] | None
    first: int  # index in `CommentRanges.ended` of the paragraph after its first one
    head: str = ""  # its raw text in the first paragraph

    def part_of(self, out: Out) -> str:
        """Return the raw text of the range in the current paragraph, which ends here."""
        return without_turns(
            "".join(
                out[self.begun[1] :] if self.begun is not None and self.begun[0] is out else out
            )
        )


@dataclass(slots=True)
class CommentRanges:
    """The open ranges of a story, by comment id, and the raw text of the paragraphs that have ended
    while a range was open.
    """

    opened: dict[str, CommentRange] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    # those that begin in the current paragraph
    begun_here: list[CommentRange] = field(default_factory=list)

    def begin(self, key: str, out: Out) -> None:
        """Open a range that begins at the end of the raw text."""
        self.opened[key] = comment_range = CommentRange((out, len(out)), len(self.ended) + 1)
        self.begun_here.append(comment_range)

    def end(self, key: str, out: Out) -> str | None:
        """Return the raw text of a range that ends here, one paragraph per line; None if it is not
        open.
        """
        comment_range = self.opened.pop(key, None)
        if comment_range is None:
            return None
        text = comment_range.part_of(out)
        if comment_range.begun is None:
            text = BREAK.join((comment_range.head, *self.ended[comment_range.first :], text))
        return text

    def end_paragraph(self, out: Out) -> None:
        """Add the paragraph to the open ranges, which continue in the next one."""
        for comment_range in self.begun_here:
            comment_range.head, comment_range.begun = comment_range.part_of(out), None
        self.begun_here.clear()
        self.ended.append(without_turns("".join(out)))


# -- what fields refer to
# ------------------------------------------------------------------------------

RESULT: Final = "="
"""Begins the text of a field in raw text (`text.NUMBER`) that is its result, not its code."""

MOST_OPEN: Final = 100  # bookmarks around one place whose text is recorded
_LONGEST_REPEATED: Final = 1000  # characters of a text that is repeated at each field
_TAGS_AND_OBJECTS: Final = re.compile(f"{OBJECT}\\d+{OBJECT}|{OPEN}[^>{OPEN}]*>")
_NOTE_MARK: Final = re.compile(f"{NOTE}([^\\]{NOTE}]*)\\]")


class Target(NamedTuple):
    """What a field refers to."""

    text: str = ""
    note: str = ""  # the number of the note in it
    path: tuple[NumberPart, ...] = ()  # the number of the paragraph; () without one


@dataclass(slots=True)
class Bookmarks:
    """The bookmarks of a document that fields without a result refer to, by lower-case name, and
    the paragraph styles, by `style_key`.
    """

    asked: set[str] = field(default_factory=set)  # by the fields of this reading
    wanted: frozenset[str] = frozenset()  # to be recorded
    known: Mapping[str, Target] = field(default_factory=dict)  # from an earlier reading
    recorded: dict[str, Target] = field(default_factory=dict)
    opened: dict[str, str] = field(default_factory=dict)  # names by the key of the range
    here: list[str] = field(default_factory=list)  # those that begin in the open paragraph
    last: dict[str, Target] = field(default_factory=dict)  # the last paragraph of each style

    def anew(self) -> Bookmarks:
        """Return these for a reading that begins, with nothing asked and nothing recorded."""
        return Bookmarks(wanted=self.wanted, known=self.known)

    def target(self, name: str) -> Target | None:
        """Return what a field refers to, if it is known."""
        self.asked.add(name)
        return self.last.get(name) or self.known.get(name)

    def end(self, name: str, raw: str) -> None:
        """Record the text of a bookmark."""
        note = _NOTE_MARK.search(raw)
        self.recorded[name] = self.recorded.get(name, Target())._replace(
            text=plain(raw), note=note[1] if note else ""
        )

    def end_paragraph(self, raw: str, style: str, path: tuple[NumberPart, ...]) -> None:
        """Record the number of the bookmarks that began in a paragraph, and its style."""
        for name in self.here:
            self.recorded[name] = self.recorded.get(name, Target())._replace(path=path)
        self.here.clear()
        key = style_key(style)
        if key in self.wanted and (text := plain(raw)):
            self.last[key] = Target(text, path=path)
            self.recorded.setdefault(key, self.last[key])


def style_key(name: str) -> str:
    """Return the key of a paragraph style; no bookmark has a blank in its name."""
    return f"style {name.lower()}"


def is_style_key(name: str) -> bool:
    return name.startswith("style ")


def plain(raw: str) -> str:
    """Return raw text without marks, tags and objects, as a field shows it; "" if it is too
    long.
    """
    text = FIELD.sub(
        lambda code: code[1].removeprefix(RESULT) if code[1][:1] == RESULT else "", raw
    )
    shown = _TAGS_AND_OBJECTS.sub("", without_turns(without_notes(text))).strip(f" \t{BREAK}")
    return shown if len(shown) <= _LONGEST_REPEATED else ""


def full_number(path: tuple[NumberPart, ...], first: int = 0) -> str:
    """Return the number of a paragraph with those of the levels above it, from level `first` on, if
    it does not show them itself: "2.1(a)".
    """
    text, level = "", len(path) - 1
    while level >= first:
        part = path[level]
        text = part.text.strip().rstrip(".") + text
        level = min(part.shown, default=level) - 1
    return text


def common_levels(one: tuple[NumberPart, ...], other: tuple[NumberPart, ...]) -> int:
    """Return the number of levels, from the first, on which two paragraphs of a list are in the
    same part of it.
    """
    pairs = list(zip(one, other, strict=False))
    return next(
        (at for at, (a, b) in enumerate(pairs) if (a.list, a.value) != (b.list, b.value)),
        len(pairs),
    )
