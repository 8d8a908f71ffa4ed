"""What changed between two texts, by lines and, inside changed lines, by words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from docxchunk.formats.report.views import Change

_WORD: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef]|[^\W_]+\s*|\s+|.", re.DOTALL)  # a Chinese character is a word
_MOST: Final = 4000  # words on both sides: difflib takes quadratic time, and a passage that long is read as a whole
_ALIKE: Final = 0.4  # below, two passages have little in common but words like "the"


class Span(NamedTuple):
    """Text that is in both versions, or in one."""

    change: Change
    text: str


def compared(old: Sequence[str], new: Sequence[str]) -> list[list[Span]]:
    """The spans of each text in `new`, with what was deleted from `old` where it stood.

    The texts of a side follow each other: what only moved from one to the next is no change. Where `new` is empty, all of `old` comes back as one text.
    """
    old_lines = [line for text in old for line in _lines(text)]
    new_lines = [(number, line) for number, text in enumerate(new) for line in _lines(text)]
    found: list[list[Span]] = [[] for _ in new or [""]]
    matcher = SequenceMatcher(None, old_lines, [line for _, line in new_lines], autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        came = new_lines[new_start:new_end]
        if tag == "equal":
            for number, line in came:
                found[number].append(Span(Change.NONE, line))
        else:
            at = came[0][0] if came else new_lines[new_start - 1][0] if new_start else 0
            _replaced("".join(old_lines[old_start:old_end]), came, at, found)
    return [_joined(spans) for spans in found]


def _lines(text: str) -> list[str]:
    """Lines with their ends; the last has one, too, so that it equals the same line inside a text."""
    return (text.rstrip("\n") + "\n").splitlines(keepends=True) if text.strip() else []


def _replaced(old: str, came: Sequence[tuple[int, str]], at: int, found: list[list[Span]]) -> None:
    """The words of changed lines, each in the text that its line stands in; `at` is the text where deleted words go at first."""
    gone, words = _WORD.findall(old), [(number, word) for number, line in came for word in _WORD.findall(line)]
    for tag, old_start, old_end, new_start, new_end in _opcodes(gone, [word for _, word in words]):
        if tag != "equal" and old_end > old_start:
            found[at].append(Span(Change.DELETED, "".join(gone[old_start:old_end])))
        for number, word in words[new_start:new_end]:
            found[number].append(Span(Change.NONE if tag == "equal" else Change.INSERTED, word))
            at = number


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if old and new and (len(old) + len(new) > _MOST or matcher.quick_ratio() < _ALIKE or matcher.ratio() < _ALIKE):
        yield "replace", 0, len(old), 0, len(new)
    else:
        yield from matcher.get_opcodes()


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Neighbours of one kind as one."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].change is span.change:
            found[-1] = Span(span.change, found[-1].text + span.text)
        else:
            found.append(span)
    return found
