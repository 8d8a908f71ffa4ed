"""The words of a quotation and of a document: which count, and how two texts differ.

Words, numbers, and signs such as % and $ count: case, punctuation, kinds of quotation marks, white
space, tags as Markdown writes them, and deleted words between marks of tracked changes do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from docxchunk.markup.citations import Citation, read_citation
from docxchunk.markup.tags import INLINE_TAG
from docxchunk.retrieval.numbers import LABEL_WORDS

FEWEST_WORDS: Final = 3
_FEWEST_CHARACTERS: Final = 12  # a Chinese one counts as two
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
    r"|(?:(?<![^\s(])-)?\d+(?:[.,]\d+)*"  # 1,200.50, -5
    r"|[^\W\d]\w*(?:'\w+)*|[%‰£€¥₩₹°±×÷<>≤≥=≠+]|\$(?=\s?\d)"
)
_DELETION: Final = re.compile(r"\{--(?:(?!\{--|--\})[^\n])*--\}")
_INSERTION: Final = re.compile(r"\{\+\+(?:(?!\{\+\+|\+\+\})[^\n])*\+\+\}")
_MARK: Final = re.compile(r"\{\+\+|\+\+\}|\{--|--\}")  # of a tracked change
_WIDE_BLANK: Final = re.compile(r"(?<=[\u2e80-\u9fff]) (?=[\u2e80-\u9fff])")
_NO_SPACE: Final = re.compile(rf"{INLINE_TAG}|\[\^[^\[\]\s]+\](?:\(note\))?", re.IGNORECASE)
_SPACE: Final = re.compile(
    r"<br\s*/?>|\(\d[\d,]* more tokens: start=\d+\)\s*$|^\s*>\s", re.IGNORECASE | re.MULTILINE
)
_ELLIPSIS: Final = re.compile(r"[\[(]?\s?(?:[…⋯]+|\.(?:\s?\.){2,})\s?[\])]?")
_BRACKETED: Final = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_LAST_BRACKETED: Final = re.compile(rf"{_BRACKETED.pattern}$")
_LONGEST_CITATION: Final = 500  # characters
_LABEL: Final = (
    rf"(?:(?:{'|'.join(sorted(map(re.escape, LABEL_WORDS), key=len, reverse=True))})s?\.?\s*"
    r"(?:\d+[a-z]?|(?-i:[A-Z]|[IVXLC]+)\b)(?:\.\w{1,4}\b)*(?:\s?\(\w{1,5}\))*"
    r"|[第제]\w{1,10}?[条條조](?:之[一二三四五六七八九十]+)?)"
)
_APART: Final = rf"[\[(（]\s*(?P<apart>{_LABEL})\s*[\])）]"
_FIRST_LABEL: Final = re.compile(
    rf"[^\w\[(（§]*(?:{_APART}|(?P<name>{_LABEL})(?!\w))\.?\s*(?P<colon>[:：–—]?)\s*",
    re.IGNORECASE,
)
_LAST_LABEL: Final = re.compile(rf"{_APART}[^\w\])）]*$", re.IGNORECASE)
_ALIKE_SIGNS: Final = str.maketrans("−’‘ʼ", "-'''", "\u00ad\u200b\u200c\u200d\u2060\ufeff")


def words_of(text: str) -> list[str]:
    """Return the words that count."""
    text = unicodedata.normalize("NFKC", _SPACE.sub(" ", _NO_SPACE.sub("", text)))
    return _WORD.findall(text.translate(_ALIKE_SIGNS))


def after_changes(text: str) -> str:
    """Return a text with marked changes as it is after them."""
    return _MARK.sub("", _DELETION.sub("", text))


def before_changes(text: str) -> str:
    """Return a text with marked changes as it was before them."""
    return _MARK.sub("", _INSERTION.sub("", text))


def parts_of(text: str) -> list[str]:
    """Return the parts of a text between ellipses."""
    return _ELLIPSIS.split(text)


def folded(words: Iterable[str]) -> list[str]:
    """Return words as they are compared."""
    return [word.casefold() for word in words]


def is_short(words: list[str]) -> bool:
    """Return whether folded words are too few to tell where they stand."""
    size = sum(len(word) + (word >= "\u2e80") for word in words)
    return len(words) < FEWEST_WORDS or size < min(_FEWEST_CHARACTERS, 3 * len(words))


def difference(quoted: list[str], shown: list[str]) -> str:
    """Return both texts in one, [-words that only the quotation has-] and {+words that only the
    document has+}.
    """
    matcher = SequenceMatcher(None, folded(quoted), folded(shown), autojunk=False)
    pieces: list[str] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(_joined(shown[c:d]))
            continue
        if b > a:
            pieces.append(f"[-{_joined(quoted[a:b])}-]")
        if d > c:
            pieces.append(f"{{+{_joined(shown[c:d])}+}}")
    return " ".join(pieces)


def _joined(words: Iterable[str]) -> str:
    """Return words with blanks between them, but not between Chinese characters."""
    return _WIDE_BLANK.sub("", " ".join(words))


class Labelled(NamedTuple):
    """A quotation with the label of a clause: "clause 4.2: Either party may …".

    - `text`: the words without the label. `name`: "clause 4.2".
    - `is_first`: whether the label stands before the words.
    - `is_apart`: whether brackets or a colon set it apart.
    """

    text: str
    name: str
    is_first: bool
    is_apart: bool


def labelled(text: str) -> Labelled | None:
    """Return a quotation with the label of a clause before it, or in brackets before or after it;
    None for others.
    """
    if first := _FIRST_LABEL.match(text):
        is_apart = first["apart"] is not None or bool(first["colon"])
        return Labelled(text[first.end() :], first["apart"] or first["name"], True, is_apart)
    if last := _LAST_LABEL.search(text[-_LONGEST_CITATION:]):
        return Labelled(text[: len(text) - len(last[0])], last["apart"], False, True)
    return None


def is_label_word(word: str) -> bool:
    """Return whether a folded word stands before, or in, the number of a clause."""
    return word in LABEL_WORDS or word.removesuffix("s") in LABEL_WORDS or word in "条條조"


def divided(quote: str, source: str) -> tuple[str, Citation | None]:
    """Return a quotation without the citation in brackets before or after it, and the citation,
    None without one.
    """
    text = quote.strip()
    for bracketed in (_BRACKETED.match(text), _LAST_BRACKETED.search(text[-_LONGEST_CITATION:])):
        citation = read_citation(bracketed[1], source) if bracketed else None
        if bracketed and citation:
            return text.removeprefix(bracketed[0]).removesuffix(bracketed[0]), citation
    return text, None
