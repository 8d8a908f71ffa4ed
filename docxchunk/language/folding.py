"""Fold texts, so that what a reader takes for the same is the same: signs as Word writes them and
as people type them, letters with and without accents, and characters that have several codes.

There are three degrees, each of which includes the one before it: `composed` changes only what
nobody can see, `typed` keeps the letters, `alike` is for comparing. None of them changes case.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple
from unicodedata import category, combining, is_normalized, name, normalize

_ARABIC_SIGN: Final = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd"  # of category Cf, but visible
_TATWEEL: Final = "\u0640"
_SIGNS: Final = {
    **dict.fromkeys("‘’‚‛ʼ′´`＇‹›", "'"),
    **dict.fromkeys("“”„‟″«»＂〃", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
}
_LETTER_WITH: Final = re.compile(r"LATIN (SMALL|CAPITAL) LETTER ([A-Z]) WITH ")
_LETTERS_ALIKE: Final = {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ı": "i"}  # ı of KAYDI
_POINTS: Final = range(10, 37)  # the combining classes of Hebrew and Arabic vowel points
_ACCENTS: Final = 200  # from this combining class on: marks above and below letters
# vowels and consonants of Hangul, half-width letters: they may be one with the character before
_JOINING: Final = re.compile(r"[\u1160-\u11ff\u3131-\u318e\uff9e-\uffdc]")


class _FoldingTable(dict[int, str]):
    """A table for `str.translate`, filled with the results of a function when they are needed."""

    def __init__(self, folded: Callable[[str], str]) -> None:
        super().__init__()
        self._folded = folded

    def __missing__(self, code: int) -> str:
        self[code] = result = self._folded(chr(code))
        return result


def _visible(character: str) -> str:
    """Return a character; "" for one that is not seen, such as a soft hyphen."""
    is_hidden = category(character) == "Cf" and character not in _ARABIC_SIGN
    return "" if is_hidden or "\ufe00" <= character <= "\ufe0f" else character


def _bare(character: str) -> str:
    """Return a character without its accents."""
    if character in _LETTERS_ALIKE:
        return _LETTERS_ALIKE[character]
    if letter := _LETTER_WITH.match(name(character, "")):
        return letter[2] if letter[1] == "CAPITAL" else letter[2].lower()
    letters = (
        part
        for part in normalize("NFD", character)
        if combining(part) < _ACCENTS and combining(part) not in _POINTS and part != _TATWEEL
    )
    return normalize("NFC", "".join(letters))


def _plain_letter(character: str) -> str:
    """Return a letter or digit without accent and in its usual width; others as they are."""
    plain = alike(character) if character.isalnum() else ""
    return plain if len(plain) == 1 else character


_VISIBLE: Final = _FoldingTable(_visible)
_TYPED: Final = _FoldingTable(lambda character: _SIGNS.get(character, character))
_BARE: Final = _FoldingTable(_bare)
_LETTERS: Final = _FoldingTable(_plain_letter)


def composed(text: str) -> str:
    """Return a text without characters that are not seen (soft hyphens, zero-width characters), and
    with each letter and its accents as one character (NFC).
    """
    if text.isascii():
        return text
    text = text.translate(_VISIBLE)
    return text if is_normalized("NFC", text) else normalize("NFC", text)


def typed(text: str) -> str:
    """Return a text with the quotation marks, apostrophes and dashes of a keyboard, and without
    ligatures and full-width letters (NFKC).
    """
    if text.isascii():
        return text.replace("`", "'")
    text = composed(text).translate(_TYPED)
    return text if is_normalized("NFKC", text) else normalize("NFKC", text).translate(_TYPED)


def alike(text: str) -> str:
    """Return a text as people compare it: as it is typed, and without accents and vowel points."""
    text = typed(text)
    return text if text.isascii() else text.translate(_BARE)


@cache
def _is_first(character: str) -> bool:
    """Return whether a character cannot be one with the character before it."""
    return not (
        category(character)[0] == "M" or _JOINING.match(character) or not _visible(character)
    )


def without_accents(text: str) -> str:
    """Return a text with letters without accents and in their usual width. The length is that of
    the text.
    """
    return text if text.isascii() else text.translate(_LETTERS)


class Folded(NamedTuple):
    """A folded text, and for each of its characters the offset of the one that it stands for; then
    the length of the text that was folded.
    """

    text: str
    offsets: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range in the text that was folded of characters [start, end) of this text,
        which are at least one.
        """
        first, last = self.offsets[start], self.offsets[end - 1]
        return first, next(offset for offset in self.offsets[end:] if offset > last)


def folded_by(fold: Callable[[str], str], text: str) -> Folded:
    """Return a text, folded by one of the functions of this module, with the offsets."""
    pieces: list[str] = []
    offsets: list[int] = []
    firsts = (at for at in range(1, len(text)) if _is_first(text[at]))
    for start, end in pairwise((0, *firsts, len(text))):
        pieces.append(fold(text[start:end]))
        offsets += [start] * len(pieces[-1])
    return Folded("".join(pieces), [*offsets, len(text)])
