"""Where a tokenizer divides text: its *words*, which it encodes independently of each other."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

from docxchunk.model.ports import Count

BLANKS: Final = " \n"
IDEOGRAPH: Final = "文"  # stands for all in the basic range
MARKS: Final = (
    BLANKS + IDEOGRAPH + '\t\r\xa0!"#$%&()*+,-./:;<=>?@[\\]^`{|}~–—‘“”„•…、。，；：！？（）《》「」'
)
_MOST: Final = 2**16  # words that are remembered from one document to the next
# a mark beside words, numbers, ideographs, letters that no vocabulary has, and other marks
_SAMPLES: Final = (
    "The#quick# brown#\nfox#13#5 It's#x##y (Größe#) Привет#мир",
    "第一#条#3 #𐎀𐎀#b #𐎀#\n\n1#000#\nﬁn#½ m²#É e\u0301t# “a#” b#, c#.\nend#",
)


def place_before(marks: str) -> re.Pattern[str]:
    """Return a pattern of the places between a letter or digit and one of these characters."""
    marks = re.escape(marks).replace(IDEOGRAPH, "\u4e00-\u9fff")
    return re.compile(rf"(?<=[^\W_])(?=[{marks}])")


class Division:
    """The places at which a tokenizer divides text: from a letter or digit into one of `marks`.

    The tokens of a word, the text between two places, do not depend on the words around it. Only at
    the beginning of a text it may be encoded in another way, for instance as if a space were before
    it. So the tokens of any other word are those that it adds to the text `context`.

    The counts of words are remembered: `added` by a word, and of a word `alone`.
    """

    context: Final = "a"

    def __init__(self, marks: str) -> None:
        self.marks = marks
        self._place = place_before(marks)
        self._remembered: tuple[dict[str, int], dict[str, int]] = {}, {}

    def words(self, text: str) -> list[str]:
        """Divide a text into its words; [""] for an empty text."""
        return self._place.split(text)

    def remembered(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return two dictionaries that remember counts by word, for the next document: of the
        tokens that a word adds to a text, and of the tokens of the word alone. They are new if they
        have become large.
        """
        if max(map(len, self._remembered)) > _MOST:
            self._remembered = {}, {}
        return self._remembered


def division_of(count: Count, marks: str = BLANKS) -> Division | None:
    """Return the places at which a tokenizer divides: before those `marks` with which the counts of
    the words of sample texts add up. Return None if there are none.
    """
    divides = "".join(mark for mark in marks if _adds_up(count, mark))
    return Division(divides) if divides else None


def _adds_up(count: Count, mark: str) -> bool:
    division = Division(mark)
    alone = count(division.context)
    for sample in _SAMPLES:
        words = division.words(sample.replace("#", mark))
        added = [count(division.context + word) - alone for word in words]
        for first in (0, len(words) // 2):
            sums = accumulate(added[first + 1 :], initial=count(words[first]))
            texts = accumulate(words[first:])
            if any(count(text) != tokens for text, tokens in zip(texts, sums, strict=True)):
                return False
    return True
