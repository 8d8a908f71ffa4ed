"""The words of a quotation and of a document: which of them are compared, how two texts differ, and
where the words of a quotation are.

Words, numbers, and signs such as % and $ are compared. Case, accents, punctuation, kinds of
quotation marks, white space, tags as Markdown writes them, and deleted words between marks of
tracked changes are not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple

from docxchunk.content.citations import Citation, read_citation
from docxchunk.content.tags import INLINE_TAG
from docxchunk.language.folding import alike, composed, typed, without_accents
from docxchunk.language.labels import LABEL, TITLE
from docxchunk.language.limiting import limiting
from docxchunk.language.numbers import end_in_words
from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import EAST_ASIAN, FIRST_WIDE
from docxchunk.language.words import QUOTED
from docxchunk.model.caching import cached_method
from docxchunk.model.options import TrackChanges
from docxchunk.model.sequences import WordMatch, matches, runs
from docxchunk.retrieval.finding.places import Places
from docxchunk.retrieval.finding.running import NOTE_MARK, READING, Span

FEWEST_WORDS: Final = 3
_FEWEST_CHARACTERS: Final = 12  # a Chinese one counts as two
_DELETION: Final = pattern(r"\{--(?:(?!\{--|--\})[^\n])*--\}")
_INSERTION: Final = pattern(r"\{\+\+(?:(?!\{\+\+|\+\+\})[^\n])*\+\+\}")
_MARK: Final = pattern(r"\{\+\+|\+\+\}|\{--|--\}")  # of a tracked change
_WIDE_BLANK: Final = pattern(rf"(?<=[{EAST_ASIAN}]) (?=[{EAST_ASIAN}])")
_RAISED: Final = (  # the number of a note behind a word or a sign, but no exponent: m², (a+b)²
    r"(?:(?<=[^\W\d_]{3})|(?<=[.,;:!?\"'”’»、。，；：！？」』]))[¹²³⁰⁴-⁹]+"
)
_NO_SPACE: Final = pattern(
    rf"{INLINE_TAG}|{NOTE_MARK}(?:\(note\))?|{READING}|{_RAISED}", re.IGNORECASE
)
_SPACE: Final = pattern(
    r"<br\s*/?>"
    r"|\(\d[\d,]* more tokens(?:: (?:start=|--start )\d+| of the section: read [^\n]{1,500})?\)\s*$"
    r"|^[^\S\n]*+>\s",
    re.IGNORECASE | re.MULTILINE,
)
_ELLIPSIS: Final = pattern(r"[\[(]?\s?(?:[…⋯]+|\.(?:\s?\.){2,})\s?[\])]?")
_BRACKETED: Final = pattern(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_LAST_BRACKETED: Final = pattern(rf"{_BRACKETED.pattern}$")
_LONGEST_CITATION: Final = 500  # characters
_NUMBERS: Final = r"\d{1,3}(?:\s?[-–,]\s?\d{1,3})*"  # of sources, or of a clause
_ITEM: Final = r"\((?:\d{1,3}|[a-z]{1,5})\)"
PRINTED: Final = (  # 4.2, 4(a), IV(B)
    rf"(?:\d{{1,3}}|(?-i:[A-Z]|[IVXLC]{{1,6}}))(?:(?:\.\d{{1,3}})+(?:{_ITEM})*|(?:{_ITEM})+)"
)
_APART: Final = rf"[\[(（]\s*(?P<apart>{LABEL}|{PRINTED}|{_NUMBERS})(?:{TITLE})?\s*[\])）]"
_FIRST_LABEL: Final = pattern(
    rf"[^\w\[(（§]*(?:{_APART}|(?P<name>{LABEL}|{PRINTED}(?:(?<=\))|(?=\s?[:：–—])))(?!\w)"
    rf"(?:{TITLE}(?=\s*[:：–—]))?)"
    r"\.?\s*(?P<colon>[:：–—]?)\s*",
    re.IGNORECASE,
)
_LAST_LABEL: Final = pattern(rf"{_APART}[^\w\])）]*$", re.IGNORECASE)
_BEFORE: Final = pattern(rf"(?:(?<![a-z])(?:sub)?(?P<label>{LABEL})|\d)[\s)\]:-]*$", re.IGNORECASE)
_AFTER: Final = pattern(
    rf"[\s(\[]*(?:(?:\w+\s)?(?P<label>{LABEL})|(?-i:[A-Z]{{2,3}}\s?)?[$€£¥₹]?\d)", re.IGNORECASE
)
_BESIDE: Final = 40  # characters beside a quotation that may have a label
_AFTER_LABEL: Final = pattern(r"\.?\s*+([:：–—]?)\s*+")
_LAST_IN_BRACKETS: Final = pattern(r"[(\[（]([^\W\d_][^()\[\]（）]{3,58})[)\]）][^\w()\[\]（）]*$")
_CHANGED_LETTER: Final = pattern(r"(?<!\w)\[([^\W\d_])\](?=[^\W\d_])")  # "[t]he" for "The"


def words_of(text: str) -> list[str]:
    """Return the words of a text that are compared."""
    return QUOTED.findall(typed(_without_marks(text)))


def _without_marks(text: str) -> str:
    """Return a text without tags, marks of notes, and other signs that are no part of its words."""
    return _CHANGED_LETTER.sub(r"\1", _SPACE.sub(" ", _NO_SPACE.sub("", text)))


def after_changes(text: str) -> str:
    """Return a text with its marked changes accepted."""
    return _MARK.sub("", _DELETION.sub("", text))


def before_changes(text: str) -> str:
    """Return a text with its marked changes rejected."""
    return _MARK.sub("", _INSERTION.sub("", text))


def parts_of(text: str) -> list[str]:
    """Return the parts of a text between ellipses."""
    return _ELLIPSIS.split(text)


def folded(words: Iterable[str]) -> list[str]:
    """Return words in the form in which they are compared."""
    text = alike("\n".join(words))
    return text.casefold().split("\n") if text else []


@lru_cache(maxsize=1024)
def folded_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, in the form in which they are compared. A quotation is looked for
    in many documents.
    """
    return tuple(folded(words_of(text)))


def is_short(words: list[str]) -> bool:
    """Return whether folded words are too few to find their place."""
    size = sum(len(word) + (word >= FIRST_WIDE) for word in words)
    return len(words) < FEWEST_WORDS or size < min(_FEWEST_CHARACTERS, 3 * len(words))


def difference(quoted: list[str], shown: list[str]) -> str:
    """Return both texts in one, [-words that only the quotation has-] and {+words that only the
    document has+}.
    """
    pieces: list[str] = []
    for is_same, old, new in runs(folded(quoted), folded(shown)):
        if is_same:
            pieces.append(joined(shown[new.start : new.stop]))
            continue
        if old:
            pieces.append(f"[-{joined(quoted[old.start : old.stop])}-]")
        if new:
            pieces.append(f"{{+{joined(shown[new.start : new.stop])}+}}")
    return " ".join(pieces)


def joined(words: Iterable[str]) -> str:
    """Return words with blanks between them, but not between Chinese characters."""
    return _WIDE_BLANK.sub("", " ".join(words))


class Labelled(NamedTuple):
    """A quotation with the label of a clause: "clause 4.2: Either party may …".

    - `text`: the words without the label.
    - `name`: "clause 4.2".
    - `is_first`: whether the label is before the words.
    - `is_apart`: whether the label has brackets or a colon.
    """

    text: str
    name: str
    is_first: bool
    is_apart: bool

    @property
    def may_be_source(self) -> bool:
        """Whether the label may be the numbers of sources, such as "[3, 4]"."""
        return re.fullmatch(_NUMBERS, self.name) is not None

    def may_be_changed(self, beside: str) -> bool:
        """Return whether the label may be a changed part of the sentence in the document. `beside`
        is the text of the document on that side of the other words on which the label is.

        A label without brackets and colon may be one if there is any text beside the words. Another
        label may be one only if there is a label at this place in the document; for a number alone,
        a number is enough.
        """
        if not self.is_apart:
            return bool(beside)
        text = without_accents(beside)
        label_beside = _BEFORE.search(text) if self.is_first else _AFTER.match(text)
        is_number = not re.search(r"§|[^\W\d]", self.name)
        return label_beside is not None and (is_number or label_beside["label"] is not None)


def labels_of(text: str) -> Iterator[Labelled]:
    """Yield the ways to read the beginning or the end of a quotation as a label: first the label
    before its words, which may be in brackets, then a label in brackets after them.
    """
    text_read = without_accents(text)
    if end := end_in_words(text, 0):
        after = _AFTER_LABEL.match(text, end)
        yield Labelled(
            text[after.end() if after else end :], text[:end], True, bool(after and after[1])
        )
    elif first := _FIRST_LABEL.match(text_read, 0, _LONGEST_CITATION):
        is_apart = first["apart"] is not None
        name = text[slice(*first.span("apart" if is_apart else "name"))]
        yield Labelled(text[first.end() :], name, True, is_apart or bool(first["colon"]))
    if last := _LAST_LABEL.search(text_read, len(text) - _LONGEST_CITATION):
        yield Labelled(text[: last.start()], text[slice(*last.span("apart"))], False, True)
    elif (last := _LAST_IN_BRACKETS.search(text)) and end_in_words(last[1], 0) == len(last[1]):
        yield Labelled(text[: last.start()], last[1], False, True)


def divided(quote: str, source: str) -> tuple[str, Citation | None]:
    """Divide a quotation from the citation in brackets before or after it. Return both; None for
    the citation if there is none.
    """
    text = composed(quote).strip()
    for bracketed in (_BRACKETED.match(text), _LAST_BRACKETED.search(text[-_LONGEST_CITATION:])):
        if bracketed and (citation := read_citation(bracketed[1], source)):
            return text.removeprefix(bracketed[0]).removesuffix(bracketed[0]), citation
    return text, None


# -- where words are

_SHORTEST_PIECE: Final = 4  # words of a piece of a stitched quotation
_ALIKE: Final = 0.6  # least share of the words of an altered quotation that the text has, in order
_MOSTLY_ALIKE: Final = 0.75  # the same, if its pieces are in several places
_LONGER: Final = 1.4  # how long the text may be for each word of a quotation in pieces
_FAR: Final = 3  # words that the quotation does not have weigh as much as one that it has
_CANDIDATES: Final = 40  # places that are compared with an altered quotation of up to
_WORDS: Final = 100  # words; fewer with a longer one


class DocumentWords:
    """The words of a document, in order, and the places of the words of a quotation in them."""

    def __init__(self, places: Places) -> None:
        self._places = places
        options = places.document.options
        self.marks_changes = options is not None and options.track_changes is TrackChanges.ALL
        texts = self._compared(place.text for place in places.all)
        by_place = [QUOTED.findall(text) for text in texts]
        self._shown = list(chain.from_iterable(by_place))
        self._all = folded(self._shown)  # as they are compared
        # the first word of each place, and the number of all words
        self._starts = list(accumulate(map(len, by_place), initial=0))

    def _compared(self, texts: Iterable[str]) -> list[str]:
        """Return texts without what is not compared, with signs as they are typed."""
        between = "\0"  # in no text of a document
        after = map(after_changes, texts) if self.marks_changes else texts
        bare = list(map(_without_marks, after))
        return typed(between.join(bare)).split(between) if bare else []

    def folded(self, text: str) -> list[str]:
        """Return the words of a text, in the form in which they are compared."""
        return list(folded_words(after_changes(text) if self.marks_changes else text))

    def has_each(self, words: Iterable[str]) -> bool:
        """Return whether the document has each of some words anywhere."""
        return self._vocabulary.issuperset(words)

    @cached_property
    def _vocabulary(self) -> set[str]:
        return set(self._all)

    def of(self, text: str) -> list[str]:
        """Return the words of a text that are compared. If tracked changes are marked, deleted
        words are not.
        """
        return words_of(after_changes(text) if self.marks_changes else text)

    def beside(self, words: range, *, before: bool) -> str:
        """Return the text beside some words in their line, at most `_BESIDE` characters of it: the
        text after them or, with `before`, the text before them. Return "" if only the label of the
        line is before them.
        """
        at = words.start if before else words.stop - 1
        place = self._place_of(at)
        first = self._starts[place]
        if before and at <= first + self._label_size(place):
            return ""
        text, spans = self._line(place)
        start, end = spans[at - first]
        return text[max(start - _BESIDE, 0) : start] if before else text[end : end + _BESIDE]

    def text_between(self, words: range, later: range) -> str:
        """Return the text between some words and later ones in the line of the last of them."""
        place = self._place_of(words.stop - 1)
        text, spans = self._line(place)
        first = self._starts[place]
        return text[spans[words.stop - 1 - first][1] : spans[later.start - first][0]]

    @cached_method
    def _line(self, place: int) -> tuple[str, list[Span]]:
        """Return the text of a place as it is compared, and the ranges of its words."""
        (text,) = self._compared([self._places.all[place].text])
        return text, [match.span() for match in QUOTED.finditer(text)]

    def _place_of(self, number: int) -> int:
        """Return the index of the place of a word."""
        return bisect_right(self._starts, number) - 1

    def _label_size(self, place: int) -> int:
        """Return how many words at the start of a place are its label."""
        label = self._places.all[place].label
        words = words_of(label) if label else []
        start, end = self._starts[place : place + 2]
        return len(words) if self._shown[start:end][: len(words)] == words else 0

    @cached_property
    def _joined_text(self) -> tuple[str, list[int]]:
        """The words with a blank around each, and the offset of each."""
        return _joined_words(self._all)

    @cached_property
    def _unlabelled(self) -> tuple[str, list[int], list[int]]:
        """`_joined_text` without labels of places, and the number of each word in the document."""
        lines = enumerate(pairwise(self._starts))
        numbers = [
            number
            for place, (start, end) in lines
            for number in range(start + self._label_size(place), end)
        ]
        return *_joined_words(self._all[number] for number in numbers), numbers

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The numbers of the occurrences of each word."""
        numbers: dict[str, list[int]] = {}
        for number, word in enumerate(self._all):
            numbers.setdefault(word, []).append(number)
        return numbers

    def occurrences(self, words: list[str]) -> list[range]:
        """Return all occurrences of some words in the document. If there are none, return those
        without the labels of places, which are not copied with the text if they are automatic.
        """
        if ranges := _occurrences(words, *self._joined_text):
            return ranges
        text, offsets, numbers = self._unlabelled
        return [
            range(numbers[span.start], numbers[span.stop - 1] + 1)
            for span in _occurrences(words, text, offsets)
        ]

    def most_similar(self, words: list[str], cited: set[int]) -> tuple[range | None, list[range]]:
        """Return the words of the document that are most similar to these words, or None, and the
        pieces of the quotation if it may be stitched, or [].

        Similar words have at least a share of `_ALIKE` of these words in the same order. If there
        are pieces, the share is `_MOSTLY_ALIKE`.
        """
        pieces = self._pieces(words)
        windows = self._windows(words)
        least, longest = _ALIKE, len(self._all)
        if pieces:  # some of them may be in other lines by chance
            windows = chain.from_iterable(map(self._lines, windows))
            least, longest = _MOSTLY_ALIKE, int(len(words) * _LONGER)
        nearest = self._nearest(words, windows)
        alike = [
            window for window, share in nearest.items() if share >= least and len(window) <= longest
        ]
        best = max(
            alike,
            key=lambda window: (self._place_of(window.start) in cited, nearest[window]),
            default=None,
        )
        return best, pieces

    def _pieces(self, words: list[str]) -> list[range]:
        """Return the pieces of a stitched quotation: its longest beginning that occurs, then the
        longest beginning of the rest, and so on. Return [] if a piece is short or does not occur.
        """
        pieces: list[range] = []
        at = 0
        while at < len(words):
            low, high = 0, len(words) - at
            while low < high:  # a prefix of what occurs occurs
                middle = (low + high + 1) // 2
                if f" {' '.join(words[at : at + middle])} " in self._joined_text[0]:
                    low = middle
                else:
                    high = middle - 1
            if low < _SHORTEST_PIECE:
                return []
            ranges = self.occurrences(words[at : at + low])
            last = pieces[-1].stop if pieces else 0
            pieces.append(next((span for span in ranges if span.start >= last), ranges[0]))
            at += low
        return pieces

    def _lines(self, window: range) -> Iterator[range]:
        """Yield the parts of a window that are in one line each."""
        while window:
            size = self.line_of(window.start).stop - window.start
            yield window[:size]
            window = window[size:]

    def _likeness(self, words: list[str], passage: range) -> float:
        """Return the share of the words of a quotation that a passage has in the same order."""
        common = matches(words, self._all[passage.start : passage.stop])
        return sum(match.size for match in common) / len(words)

    def line_of(self, number: int) -> range:
        """Return the words of the line that contains a word."""
        place = self._place_of(number)
        return range(*self._starts[place : place + 2])

    def _nearest(self, words: list[str], windows: Iterable[range]) -> dict[range, float]:
        """Return the words of each window that are most similar to a quotation, and how similar
        they are.
        """
        likeness: dict[range, float] = {}
        for window in windows:
            together = _best_run(matches(words, self._all[window.start : window.stop]))
            if not together:
                continue
            first, last = together[0], together[-1]
            start, end = window.start + first.b, window.start + last.b + last.size
            # with as many other words as the quotation has at its ends, in the same line
            words_after = len(words) - last.a - last.size
            start = max(start - first.a, self.line_of(start).start)
            end = min(end + words_after, self.line_of(end - 1).stop)
            likeness.setdefault(range(start, end), self._likeness(words, range(start, end)))
        return likeness

    def _windows(self, words: list[str]) -> Iterator[range]:
        """Yield the parts of the document that may have a quotation, the most probable first. A
        part is probable if many of the rarest words of the quotation are in it, as far from its
        start as in the quotation. The rarer a word is, the more it counts.
        """
        in_document = [word for word in dict.fromkeys(words) if word in self._numbers]
        in_document.sort(key=lambda word: len(self._numbers[word]))
        width = max(len(words) // 2, 1)
        # for a start of the quotation, in steps of `width` words
        votes: defaultdict[int, float] = defaultdict(float)
        for word in in_document[:6]:
            positions = [number for number, quoted in enumerate(words) if quoted == word]
            for at in self._numbers[word][:200]:
                for position in positions[:2]:
                    votes[max(at - position, 0) // width] += 1 / len(self._numbers[word])
        most = max(_CANDIDATES * _WORDS // max(len(words), _WORDS), 3)
        for step in sorted(votes, key=lambda step: -votes[step])[:most]:
            first = max(step * width - width, 0)
            yield range(first, min(first + 3 * width + len(words), len(self._all)))

    def span(self, words: range) -> tuple[int, int]:
        """Return the first and last place of some words."""
        return self._place_of(words.start), self._place_of(words.stop - 1)

    def shown(self, words: range) -> list[str]:
        """Return the words in a range as the document shows them, with case and punctuation."""
        return self._shown[words.start : words.stop]

    def share(self, words: list[str]) -> float:
        """Return the share of some words that the document has anywhere."""
        return sum(word in self._vocabulary for word in words) / max(len(words), 1)

    def limiting(self, parts: list[range]) -> list[range]:
        """Return the words between some parts that limit what is said, such as "not"."""
        return [
            gap[span.start : span.stop]
            for gap in between(parts)
            for span in limiting(self._all[gap.start : gap.stop])
        ]


def _joined_words(words: Iterable[str]) -> tuple[str, list[int]]:
    """Return words with a blank around each, and the offset of each."""
    texts = list(words)
    offsets = accumulate((len(text) + 1 for text in texts), initial=0)
    return f" {' '.join(texts)} ", list(offsets)[:-1]


def _occurrences(words: list[str], text: str, offsets: list[int]) -> list[range]:
    phrase = f" {' '.join(words)} "
    ranges: list[range] = []
    at = text.find(phrase)
    while at >= 0:
        start = bisect_right(offsets, at) - 1
        ranges.append(range(start, start + len(words)))
        at = text.find(phrase, at + 1)
    return ranges


def between(parts: list[range]) -> list[range]:
    """Return the words between some parts."""
    return [range(before.stop, after.start) for before, after in pairwise(parts)]


def left_out_between(parts: list[range]) -> int:
    """Return the number of words between some parts."""
    return sum(map(len, between(parts)))


def _best_run(blocks: list[WordMatch]) -> list[WordMatch]:
    """Return those matching blocks that belong together; the others match by chance. They are the
    neighbouring blocks with the most words. Words between them that the quotation does not have
    reduce this number.
    """
    best, best_score = range(0), 0.0
    start, score = 0, 0.0
    for number, block in enumerate(blocks):
        before = blocks[number - 1] if number else block
        score -= max((block.b - before.b) - (block.a - before.a), 0) / _FAR
        if score < 0:
            start, score = number, 0.0
        score += block.size
        if score >= best_score:
            best, best_score = range(start, number + 1), score
    return blocks[best.start : best.stop]
