"""What fields without a stored result refer to: the text and the number of bookmarked paragraphs.

A field may refer to text after it. So a document with such fields is read again, first to record
what they refer to, then with these records: see `reader.document`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from docxchunk.ooxml.numbering import NumberPart
from docxchunk.reader.text import (
    BREAK,
    FIELD,
    NOTE,
    OBJECT,
    OPEN,
    without_notes,
    without_turns,
)

RESULT: Final = "="
"""Begins the text of a field in raw text (`text.NUMBER`) that is its result, not its code."""

MOST_OPEN: Final = 100  # bookmarks around one place whose text is recorded
_LONGEST: Final = 1000  # characters of a text that is repeated at each field
_SHOWN: Final = re.compile(f"{OBJECT}\\d+{OBJECT}|{OPEN}[^>{OPEN}]*>")
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
    shown = _SHOWN.sub("", without_turns(without_notes(text))).strip(f" \t{BREAK}")
    return shown if len(shown) <= _LONGEST else ""


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
