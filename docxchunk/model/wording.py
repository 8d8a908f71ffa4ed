"""Texts for people and models: shortened and printable texts, names of files, the language of a
text, and prompts in it.
"""

from __future__ import annotations

import hashlib
import os
import re
from itertools import accumulate
from pathlib import PurePath
from typing import Final, NamedTuple

from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import FIRST_WIDE, HAN, HANGUL, KANA

NAMELESS: Final = "(before the first heading)"
"""The name of a section without heading."""

_QUOTED: Final = 46
_FIRST_WORDS: Final = 70


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes, on one line."""
    quotation = repr(" ".join(text[: 4 * _QUOTED].split()))
    return (
        quotation
        if len(quotation) <= _QUOTED and len(text) <= 4 * _QUOTED
        else f"{quotation[: _QUOTED - 2].rstrip(quotation[0])}…{quotation[0]}"
    )


def first_words(text: str) -> str:
    """Return the words in the first 70 characters, on one line, and "…" if there are more. A
    Chinese or Japanese character counts as two.
    """
    text = " ".join(text.split())
    room = next(
        (
            number
            for number, width in enumerate(accumulate(2 if c >= FIRST_WIDE else 1 for c in text))
            if width > _FIRST_WORDS
        ),
        None,
    )
    if room is None:
        return text
    words = text[:room].rpartition(" ")[0]
    return f"{words if len(words) > room / 2 else text[:room]} …"


def shortened(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters and "…", cut after a word if it has blanks."""
    if len(text) <= longest:
        return text
    end = text.rfind(" ", longest // 2, longest)
    return f"{text[: end if end > 0 else longest].rstrip()} …"


def counted(number: int, word: str) -> str:
    """Return a number with a noun: "1 block", "1,200 blocks"."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def times(number: float) -> str:
    """Return "once", "twice" or e.g. "1.5 times"."""
    return "once" if number == 1 else "twice" if number == 2 else f"{number:g} times"


# -- names and printable text

_LONGEST_NAME: Final = 255  # bytes that file systems allow
_STEM: Final = 200  # with suffixes such as ".equations.json"
_UNFIT: Final = re.compile("[\x00\ud800-\udfff]")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Python represents the byte b of an undecodable file name by the surrogate U+DC00 + b (PEP 383)
_BYTE: Final = 0xDC00


def name_of(path: PurePath) -> str:
    r"""Return the name of a file. Bytes that are not text become escapes such as `\xff`, whatever
    the locale.
    """
    try:
        return text_name(os.fsencode(path.name).decode("utf-8", "backslashreplace"))
    except UnicodeEncodeError:
        return text_name(path.name)


def text_name(name: str) -> str:
    """Return a name with escapes for NUL and lone surrogates, which neither files nor JSON can
    have.
    """
    return _UNFIT.sub(_escaped, name)


def printable(text: str) -> str:
    r"""Return the text with escapes such as `\x1b` for control characters (ISO/IEC 6429),
    bidirectional controls (UAX #9, section 2) and lone surrogates.

    Tabs and line feeds stay.
    """
    return _CONTROL.sub(_escaped, text)


def one_line(text: str) -> str:
    r"""Return printable text with `\n` for line feeds: the name of a file may contain them, and
    would look like several messages.
    """
    return printable(text).replace("\n", r"\n")


def _escaped(character: re.Match[str]) -> str:
    r"""Return the escape of a character: `\x1b`, `\u202e`."""
    code = ord(character[0])
    code -= _BYTE if _BYTE < code < _BYTE + 0x100 else 0
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def file_name(name: str, suffix: int = 0) -> str:
    """Return the name as the file system takes it. A name that is too long with a suffix of
    `suffix` bytes is cut, and ends with its hash. So different names stay different.
    """
    data = text_name(name).encode()
    if len(data) + suffix > _LONGEST_NAME:
        digest = hashlib.md5(data, usedforsecurity=False).hexdigest()[:8]
        data = f"{_cut(data, _LONGEST_NAME - suffix - 9)}~{digest}".encode()
    return os.fsdecode(data)


def stem_of(name: str) -> str:
    """Return the common stem of the files in a parsed folder: "report" for report.docx. A very long
    name is cut.
    """
    return _cut(text_name(PurePath(name).stem).encode(), _STEM)


def _cut(data: bytes, size: int) -> str:
    return data[:size].decode("utf-8", "ignore")


# -- languages

_SAMPLE: Final = 2000  # characters
_SCRIPTS: Final = [pattern(f"[{script}]") for script in (KANA, HANGUL, HAN)]


def language_of(text: str) -> str:
    """Return "ja", "ko" or "zh" if over a tenth of the beginning of a text is in that script; else
    "".

    Browsers need the language because the same Han code points have different glyphs.
    """
    start = text[:_SAMPLE]
    kana, hangul, han = (len(script.findall(start)) for script in _SCRIPTS)
    if (kana + hangul + han) * 10 <= len(start):
        return ""
    return "ko" if hangul > max(kana, han) else "ja" if kana * 10 > han else "zh"


class Wording(NamedTuple):
    """A prompt in English and in Chinese."""

    english: str
    chinese: str

    def for_text(self, text: str) -> str:
        """Return the Chinese prompt for Chinese text, the English one for any other."""
        return self.chinese if language_of(text) == "zh" else self.english
