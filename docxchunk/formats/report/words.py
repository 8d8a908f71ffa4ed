"""Compare texts by lines and, inside changed lines, by words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from docxchunk.formats.report.views import TextChange

# a Chinese character is a word
_WORD: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef]|[^\W_]+\s*|\s+|.", re.DOTALL)
_MOST: Final = 4000  # words on both sides: difflib takes quadratic time
_ALIKE: Final = 0.4  # similarity ratio below which a passage is replaced as a whole


class DiffSpan(NamedTuple):
    """Text that is in both versions, or only in one."""

    change: TextChange
    text: str


def compared(old: Sequence[str], new: Sequence[str]) -> list[list[DiffSpan]]:
    """Return the spans of each text in `new`, including the text deleted from `old`.

    The texts of each side are compared as one sequence, so moving text to the next is not a change.
    If `new` is empty, all of `old` is one deleted text.
    """
    old_lines = [line for text in old for line in _lines(text)]
    new_lines = [(number, line) for number, text in enumerate(new) for line in _lines(text)]
    found: list[list[DiffSpan]] = [[] for _ in new or [""]]
    matcher = SequenceMatcher(None, old_lines, [line for _, line in new_lines], autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        came = new_lines[new_start:new_end]
        if tag == "equal":
            for number, line in came:
                found[number].append(DiffSpan(TextChange.NONE, line))
        else:
            at = came[0][0] if came else new_lines[new_start - 1][0] if new_start else 0
            _replaced("".join(old_lines[old_start:old_end]), came, at, found)
    return [_joined(spans) for spans in found]


def _lines(text: str) -> list[str]:
    """Split into lines with line ends. The last line gets one as well, to equal the same line
    inside a text.
    """
    return (text.rstrip("\n") + "\n").splitlines(keepends=True) if text.strip() else []


def _replaced(
    old: str, came: Sequence[tuple[int, str]], at: int, found: list[list[DiffSpan]]
) -> None:
    """Append the spans of changed lines to the texts in `found`. `at` is the text for deleted words
    before the first new word.
    """
    gone, words = (
        _WORD.findall(old),
        [(number, word) for number, line in came for word in _WORD.findall(line)],
    )
    for tag, old_start, old_end, new_start, new_end in _opcodes(gone, [word for _, word in words]):
        if tag != "equal" and old_end > old_start:
            found[at].append(DiffSpan(TextChange.DELETED, "".join(gone[old_start:old_end])))
        for number, word in words[new_start:new_end]:
            found[number].append(
                DiffSpan(TextChange.NONE if tag == "equal" else TextChange.INSERTED, word)
            )
            at = number


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if (
        old
        and new
        and (
            len(old) + len(new) > _MOST
            or matcher.quick_ratio() < _ALIKE
            or matcher.ratio() < _ALIKE
        )
    ):
        yield "replace", 0, len(old), 0, len(new)
    else:
        yield from matcher.get_opcodes()


def _joined(spans: Sequence[DiffSpan]) -> list[DiffSpan]:
    """Merge neighbouring spans of one kind."""
    found: list[DiffSpan] = []
    for span in spans:
        if found and found[-1].change is span.change:
            found[-1] = DiffSpan(span.change, found[-1].text + span.text)
        else:
            found.append(span)
    return found
