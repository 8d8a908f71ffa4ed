"""Headings of documents that mark none: guessed from words, numbers and bold type, and recorded as guesses (`--guess-headings`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.styles import OutlineLevel
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.story import Item
from docxchunk.reader.text import finish_cell

_LONGEST = 100
_DEEPEST = 9
_ORDINAL = "[零〇一二三四五六七八九十百千两0-9０-９]+"
_ENDS_A_SENTENCE = tuple(".。;；,，、!！?？")


class _Guess(NamedTuple):
    """`rank` orders the signals from the largest division to the smallest; `length` is how much of the paragraph is the heading, None: all."""

    rank: int
    length: int | None = None


class _Words(NamedTuple):
    """A division by its name: 第三章, Article 4. `clause`: its text follows on the same line, and stays body text."""

    rank: int
    pattern: re.Pattern[str]
    clause: bool = False


_DIVISIONS = (
    _Words(1, re.compile(rf"第{_ORDINAL}(?:编|部分|篇)(?!\w)|(?:part|book|title)\s+(?:[ivxlc]+|\d+)\b", re.IGNORECASE)),
    _Words(2, re.compile(rf"第{_ORDINAL}分编(?!\w)")),
    _Words(3, re.compile(rf"第{_ORDINAL}章|chapter\s+(?:[ivxlc]+|\d+)\b|(?:appendix|annex|schedule)\s+(?:[a-z]|[ivxlc]+|\d+)\b|附录|附件|附则", re.IGNORECASE)),
    _Words(4, re.compile(rf"第{_ORDINAL}节|section\s+(?:[ivxlc]+|\d[\d.]*)\b", re.IGNORECASE)),
    _Words(5, re.compile(rf"第{_ORDINAL}条(?:之{_ORDINAL})?|article\s+(?:[ivxlc]+|\d+)\b|§+\s*\d[\d.]*", re.IGNORECASE), clause=True),
)
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?\s+\S")
_NUMBERED_RANK, _BOLD_RANK = 10, 20


def guess_headings(items: Sequence[Item]) -> list[Item]:
    """The items with headings where a reader would see some; the same items where the document marks its own."""
    if any(isinstance(item, Paragraph) and item.outline.level and not item.is_toc for item in items):
        return list(items)
    guesses = [_guess(item) if isinstance(item, Paragraph) else None for item in items]
    ranks = sorted({guess.rank for guess in guesses if guess})
    found: list[Item] = []
    for item, guess in zip(items, guesses, strict=True):
        if guess is None or not isinstance(item, Paragraph):
            found.append(item)
            continue
        level = OutlineLevel(min(ranks.index(guess.rank) + 1, _DEEPEST), HeadingSource.GUESS)
        heading, rest = _split(item.raw, guess.length)
        found.append(item._replace(raw=heading, outline=level))
        if rest:
            found.append(item._replace(raw=rest, label="", depth=-1))
    return found


def _guess(item: Paragraph) -> _Guess | None:
    if item.is_toc or item.is_caption or not item.raw.strip():
        return None
    text = finish_cell(item.raw, _nothing)
    whole = f"{item.label} {text}" if item.label else text
    return next(filter(None, (signal(item, whole) for signal in _SIGNALS)), None)


def _by_name(item: Paragraph, text: str) -> _Guess | None:
    """第三章 总则, CHAPTER IV: a short line that begins with the name of a division, or a clause and its text."""
    for words in _DIVISIONS:
        match = words.pattern.match(text)
        if match is None:
            continue
        if words.clause and not item.label:
            return _Guess(words.rank, match.end() if _is_text(text[match.end() :]) else None)
        return _Guess(words.rank) if _is_short(text) else None
    return None


def _by_number(item: Paragraph, text: str) -> _Guess | None:
    """1.2 Terms: a short line with a number, bold or of the second depth at least."""
    match = _NUMBERED.match(text)
    if match is None or not _is_short(text):
        return None
    depth = match[1].count(".") + 1
    return _Guess(_NUMBERED_RANK + depth) if item.bold else None


def _by_bold(item: Paragraph, text: str) -> _Guess | None:
    """A short bold line that ends no sentence."""
    return _Guess(_BOLD_RANK) if item.bold and item.depth < 0 and _is_short(text) else None


_SIGNALS: tuple[Callable[[Paragraph, str], _Guess | None], ...] = (_by_name, _by_number, _by_bold)


def _is_text(rest: str) -> bool:
    """Is what follows the number of a clause its text, rather than its title?"""
    return len(rest.strip()) > 0 and (len(rest) > _LONGEST // 2 or rest.rstrip().endswith((*_ENDS_A_SENTENCE, ":", "：")))


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST and not text.endswith(_ENDS_A_SENTENCE) and any(letter.isalpha() for letter in text)


def _split(raw: str, length: int | None) -> tuple[str, str]:
    """The heading and what follows it on the same line."""
    if length is None:
        return raw, ""
    text = raw.lstrip()
    return text[:length], text[length:].lstrip()


def _nothing(index: int) -> str:
    return ""
