"""Rank the units of documents by the words of a question.

The score of a unit is its own BM25 score, plus half of the score of its chunk and a quarter of the
score of its section, because the text around a unit says what the unit is about. The unit is scored
by exact words, chunk and section by stems. The heading path belongs to all three texts. In a unit,
a common word is worth at most what it is worth in its language, and not more than any other word of
the question: "how" is rare in a contract, but says little of what a place is about.

The units are in parts, each with an index of its own. The scores do not depend on how the documents
are divided.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import inf
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docxchunk.backends.array_file import Array
from docxchunk.backends.bm25 import (
    Entries,
    KeyNumbers,
    Statistics,
    WordIndex,
    most_worth,
    stem,
    words,
    words_of_question,
)
from docxchunk.language.common_words import shares
from docxchunk.model.chunks import Unit, UnitKind

_Numbers = NDArray[np.int32]

_WEIGHTS: Final = (1.0, 0.5, 0.25)  # of the levels that are scored: unit, chunk, section
_FORMS: Final = (0, 1, 1)  # how each is scored: 0 by words, 1 by stems
_UNITS, _CHUNKS, _SECTIONS, _REMARKS = range(4)
_LEVELS: Final = ("units", "chunks", "sections", "remarks")
_GROUP: Final = 64  # words that are looked through for one

UNRANKED: Final = (UnitKind.TABLE, UnitKind.REMARK)


@dataclass(frozen=True)
class Vocabulary:
    """Words in the order of their characters, each numbered by its place.

    - `text`: the words as UTF-8, each with a line feed.
    - `groups`: where each group of 64 words begins, then the end.
    - `firsts`: the first word of each group, as in `text`.
    """

    text: Array
    groups: Array
    firsts: Array

    @classmethod
    def of(cls, ordered: Sequence[str]) -> Vocabulary:
        """Return the vocabulary of some words, which are in order."""
        groups = [ordered[at : at + _GROUP] for at in range(0, len(ordered), _GROUP)]
        texts = ["".join(f"{word}\n" for word in group).encode() for group in groups]
        return cls(
            _array(b"".join(texts)),
            np.array([0, *accumulate(map(len, texts))], dtype=np.int64),
            _array("".join(f"{group[0]}\n" for group in groups).encode()),
        )

    def words(self) -> list[str]:
        """Return the words in order."""
        return self.text[:].tobytes().decode().split("\n")[:-1]

    @cached_property
    def _firsts(self) -> list[bytes]:
        return self.firsts[:].tobytes().split(b"\n")[:-1]

    def number(self, word: str) -> int | None:
        """Return the number of a word; None if it is not there."""
        encoded = word.encode()
        group = bisect_right(self._firsts, encoded) - 1
        if group < 0:
            return None
        start, end = self.groups[group : group + 2].tolist()
        group_words = self.text[start:end].tobytes().split(b"\n")
        return _GROUP * group + group_words.index(encoded) if encoded in group_words else None

    def having(self, part: str) -> list[int]:
        """Return the numbers of the words that have a part."""
        text, encoded = self.text[:], part.encode()
        data = text.tobytes()
        hits: list[int] = []
        at = data.find(encoded)
        while at >= 0:
            hits.append(at)
            at = data.find(encoded, data.find(b"\n", at))
        return np.searchsorted(np.flatnonzero(text == ord("\n")), hits).tolist() if hits else []


def _array(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


class _LevelTexts:
    """The texts of a level (units, chunks or sections) as the numbers of their words, and for each
    ranked unit the index of its text.
    """

    def __init__(self) -> None:
        self.texts: list[list[int]] = []
        self.of_units: list[int] = []
        self._index_of: dict[Hashable, int] = {}

    def add(self, key: Hashable, of_path: Sequence[int], of_unit: Sequence[int]) -> None:
        """Add a unit to the text with this key, which begins with the words of a path."""
        text = self._index_of.setdefault(key, len(self.texts))
        if text == len(self.texts):
            self.texts.append([*of_path])
        self.texts[text] += of_unit
        self.of_units.append(text)


class Level(NamedTuple):
    """The texts of a level.

    - `words`: the index of their words.
    - `firsts`: the first text of each document, then the number of all texts.
    - `of_units`: for each ranked unit, its text. Remarks have none.
    """

    words: WordIndex
    firsts: Array
    of_units: Array


@dataclass(frozen=True, eq=False)
class UnitIndex:
    """The words of the units of some documents. Whole small tables are not ranked: their rows are.
    Nor are remarks, which are not in the text; they are the last units of a document.

    - `vocabulary`: the words.
    - `levels`: the texts of units, chunks and sections, which are scored, and of remarks, each with
      the words and their stems.
    - `units`: the indices of the ranked units.
    - `starts`: the index of the first unit of each document, then the number of all units.
    """

    vocabulary: Vocabulary
    levels: Sequence[Level]
    units: Array
    starts: Array

    @classmethod
    def build(cls, units: Sequence[Unit]) -> UnitIndex:
        """Return the index of the units of a document."""
        vocabulary = KeyNumbers[str]()
        levels = tuple(_LevelTexts() for _ in _LEVELS)
        ranked: list[int] = []

        def numbers(text: str) -> tuple[list[int], list[int]]:
            """Return the numbers of the words of a text, and of their stems."""
            text_words = words(text)
            return [vocabulary[w] for w in text_words], [vocabulary[stem(w)] for w in text_words]

        path, of_path = "", numbers("")
        for number, unit in enumerate(units):
            if unit.kind is UnitKind.REMARK:
                levels[_REMARKS].texts.append([n for form in numbers(unit.content) for n in form])
            if unit.kind in UNRANKED:
                continue
            ranked.append(number)
            if unit.context != path:
                path, of_path = unit.context, numbers(unit.context)
            of_unit = numbers(unit.index_text.removeprefix(path))
            keys = number, unit.chunk_id, unit.section_id
            for level, key, form in zip(levels, keys, _FORMS, strict=False):
                level.add(key, of_path[form], of_unit[form])
        ordered = sorted(vocabulary)
        renumbered = np.empty(len(ordered), dtype=np.int32)
        renumbered[[vocabulary[word] for word in ordered]] = np.arange(len(ordered))
        return cls(
            Vocabulary.of(ordered),
            [_level(texts, renumbered) for texts in levels],
            np.array(ranked, dtype=np.int32),
            np.array([0, len(units)], dtype=np.int32),
        )

    @classmethod
    def merged(cls, documents: Sequence[tuple[UnitIndex, int]]) -> UnitIndex:
        """Return the index of some documents. Each is given as an index and the number of the
        document in it.
        """
        copies: list[_Copy] = []
        units, starts = [np.zeros(0, dtype=np.int32)], [0]
        units_of = {source: source.units[:] for source, _ in documents}
        for source, number in documents:
            first, last = source.starts[number : number + 2].tolist()
            ranked = slice(*np.searchsorted(units_of[source], (first, last)).tolist())
            copies.append(_Copy(source, number, ranked))
            units.append(units_of[source][ranked] - first + starts[-1])
            starts.append(starts[-1] + last - first)
        words_of = {source: source.vocabulary.words() for source, _ in documents}
        ordered = sorted(set().union(*words_of.values()))
        number_of = {word: number for number, word in enumerate(ordered)}
        renumbered = {
            source: np.fromiter(
                map(number_of.__getitem__, source_words), dtype=np.int32, count=len(source_words)
            )
            for source, source_words in words_of.items()
        }
        return UnitIndex(
            Vocabulary.of(ordered),
            [_merged_level(level, renumbered, copies) for level in range(len(_LEVELS))],
            np.concatenate(units),
            np.array(starts, dtype=np.int32),
        )

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Yield the arrays with their names, for `of_arrays`."""
        words = self.vocabulary
        yield from (("text", words.text), ("groups", words.groups), ("firsts", words.firsts))
        yield from (("units", self.units), ("starts", self.starts))
        for name, level in zip(_LEVELS, self.levels, strict=True):
            yield from ((f"{name} {key}", array) for key, array in level.words.arrays().items())
            yield from ((f"{name} firsts", level.firsts), (f"{name} of units", level.of_units))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Array]) -> UnitIndex:
        """Return the index with these `arrays`. Raise KeyError if one is missing."""

        def level(name: str) -> Level:
            index = (arrays[f"{name} {key}"] for key in ("texts", "counts", "starts", "lengths"))
            return Level(WordIndex(*index), arrays[f"{name} firsts"], arrays[f"{name} of units"])

        vocabulary = Vocabulary(arrays["text"], arrays["groups"], arrays["firsts"])
        return cls(vocabulary, list(map(level, _LEVELS)), arrays["units"], arrays["starts"])


def _level(level: _LevelTexts, renumbered: _Numbers) -> Level:
    """Return the texts of a level of a document. `renumbered` has the number of each word."""
    index = WordIndex.build(level.texts)
    numbers = np.arange(len(level.texts), dtype=np.int32)
    return Level(
        WordIndex.merged([(index, numbers, renumbered)]),
        np.array([0, len(level.texts)], dtype=np.int32),
        np.array(level.of_units, dtype=np.int32),
    )


class _Copy(NamedTuple):
    """A document of an index that is merged, and the range of its ranked units."""

    source: UnitIndex
    number: int
    ranked: slice


def _merged_level(
    level: int, renumbered: Mapping[UnitIndex, _Numbers], copies: Sequence[_Copy]
) -> Level:
    """Return the texts of a level of some documents. `renumbered` has the new numbers of the words
    of each index.
    """
    # the index that each text gets; -1 for a text that is left out
    places = {
        source: np.full(len(source.levels[level].words.lengths), -1, dtype=np.int32)
        for source in renumbered
    }
    firsts, of_units = [0], [np.zeros(0, dtype=np.int32)]
    for source, number, ranked in copies:
        source_level = source.levels[level]
        first, last = source_level.firsts[number : number + 2].tolist()
        places[source][first:last] = np.arange(firsts[-1], firsts[-1] + last - first)
        of_units.append(source_level.of_units[ranked] + (firsts[-1] - first))
        firsts.append(firsts[-1] + last - first)
    parts = [
        (source.levels[level].words, places[source], numbers)
        for source, numbers in renumbered.items()
    ]
    return Level(
        WordIndex.merged(parts) if parts else WordIndex.build(()),
        np.array(firsts, dtype=np.int32),
        np.concatenate(of_units),
    )


@dataclass(frozen=True, eq=False)
class Part:
    """An index, and which of its documents count. All others are as if they were not there."""

    units: UnitIndex
    is_live: NDArray[np.bool_]

    def texts(self, level: int) -> NDArray[np.bool_] | None:
        """Return which texts of a level count; None if all do."""
        return None if self.is_live.all() else self._live_texts(level)

    def _live_texts(self, level: int) -> NDArray[np.bool_]:
        return np.repeat(self.is_live, np.diff(self.units.levels[level].firsts[:]))

    def statistics(self, level: int) -> Statistics:
        """Return how many texts of a level count, and how many words they have."""
        lengths, live = self.units.levels[level].words.lengths[:], self.texts(level)
        counted = lengths if live is None else lengths[live]
        return Statistics(len(counted), int(counted.sum()))

    def entries(self, level: int, word: str) -> Entries:
        """Return the texts of a level that have a word."""
        return self._live(level, self._numbers[word])

    def entries_having(self, level: int, part: str) -> _Numbers:
        """Return the texts of a level that have a word with a part. A text may come twice."""
        texts = (self._live(level, number).texts for number in self.units.vocabulary.having(part))
        return np.concatenate([np.zeros(0, dtype=np.int32), *texts])

    def documents(self, level: int, texts: _Numbers) -> _Numbers:
        """Return the documents of some texts of a level, each once."""
        firsts = self.units.levels[level].firsts[:]
        return np.unique(np.searchsorted(firsts, texts, "right") - 1)

    def _live(self, level: int, number: int | None) -> Entries:
        entries, live = self.units.levels[level].words.entries(number), self.texts(level)
        if live is None:
            return entries
        is_in = live[entries.texts]
        return Entries(entries.texts[is_in], entries.counts[is_in])

    @cached_property
    def _numbers(self) -> _NumberOf:
        return _NumberOf(self.units.vocabulary)


class _NumberOf(dict[str, int | None]):
    """The numbers of words in a vocabulary, each looked up once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def __missing__(self, word: str) -> int | None:
        self[word] = number = self._vocabulary.number(word)
        return number


def _limited(
    worth: Mapping[str, float], common: Mapping[str, float], mean: float
) -> dict[str, float]:
    """Return the worth of each word of a question, in texts with a mean number of words. A common
    word is worth at most what it is worth in its language, and not more than any other word.
    """
    least = min((worth[word] for word in worth.keys() - common.keys()), default=inf)
    return {
        word: min(value, least, most_worth(common[word], mean)) if word in common else value
        for word, value in worth.items()
    }


class Ranking:
    """The scores of the units in some parts."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    @classmethod
    def of(cls, units: Sequence[Unit]) -> Ranking:
        """Return the ranking of the units of a document."""
        return cls([Part(UnitIndex.build(units), np.ones(1, dtype=bool))])

    @cached_property
    def _statistics(self) -> list[Statistics]:
        """How many texts of each level that is scored count, and how many words they have."""
        by_level = (
            [part.statistics(level) for part in self._parts] for level in range(len(_WEIGHTS))
        )
        return [
            Statistics(sum(part.texts for part in of_parts), sum(part.words for part in of_parts))
            for of_parts in by_level
        ]

    def _rarity(self, level: int, of_parts: Iterable[Entries]) -> float:
        return self._statistics[level].rarity(sum(len(entries.texts) for entries in of_parts))

    def scores(self, question_words: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return for each part a score for each ranked unit. The score is 0 if neither the unit nor
        the text around it contains a word of the question, or the document does not count.
        """
        forms = question_words, list(map(stem, question_words))
        common = shares(question_words)
        scores = [np.zeros(len(part.units.units), dtype=np.float32) for part in self._parts]
        for level, (weight, form) in enumerate(zip(_WEIGHTS, _FORMS, strict=True)):
            levels = [part.units.levels[level] for part in self._parts]
            of_texts = [
                np.zeros(len(part_level.words.lengths), dtype=np.float32) for part_level in levels
            ]
            mean = self._statistics[level].mean
            entries = {
                word: [part.entries(level, word) for part in self._parts] for word in forms[form]
            }
            worth = {word: self._rarity(level, of_parts) for word, of_parts in entries.items()}
            if level == _UNITS:
                worth = _limited(worth, common, mean)
            for word, of_parts in entries.items():
                for part_level, totals, hits in zip(levels, of_texts, of_parts, strict=True):
                    part_level.words.add_scores(totals, hits, worth[word], mean)
            of_units = (
                totals[part_level.of_units[:]]
                for part_level, totals in zip(levels, of_texts, strict=True)
            )
            scores = [score + weight * more for score, more in zip(scores, of_units, strict=True)]
        return scores

    def words_of(self, question: str) -> list[str]:
        """Return the words of a question to rank by: see `words_of_question`."""
        return words_of_question(question, self._has)

    def _has(self, word: str) -> bool:
        return any(len(part.entries(_UNITS, word).texts) for part in self._parts)

    def documents_with(self, word: str) -> Iterator[tuple[int, _Numbers]]:
        """Yield for each part the documents whose text or headings have a word, in any form."""
        for number, part in enumerate(self._parts):
            texts = part.entries(_SECTIONS, stem(word)).texts
            yield number, part.documents(_SECTIONS, texts)

    def shares(self, telling: AbstractSet[str]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield, for each part, its number and a share for each document: how many of some words it
        has, also as parts of longer words. The share is 1 if a comment or deleted text has one of
        the words, or if there are no words.
        """
        for number, part in enumerate(self._parts):
            has = np.zeros(len(part.is_live))
            for word in telling:
                has[part.documents(_UNITS, part.entries_having(_UNITS, word))] += 1
            shares = has / len(telling) if telling else has + 1
            for word in telling:
                shares[part.documents(_REMARKS, part.entries_having(_REMARKS, word))] = 1
            yield number, shares

    def remarks_with(self, stems: AbstractSet[str], least: float) -> Iterator[tuple[int, int, int]]:
        """Yield the remarks that may have at least `least` of some stems: the number of the part,
        the document, and the number of the remark in the document.
        """
        for number, part in enumerate(self._parts):
            texts = [part.entries(_REMARKS, word).texts for word in stems]
            unique, counts = np.unique(np.concatenate([[], *texts]).astype(int), return_counts=True)
            firsts = part.units.levels[_REMARKS].firsts[:]
            for text in unique[counts >= least].tolist():
                document = int(np.searchsorted(firsts, text, "right")) - 1
                yield number, document, text - int(firsts[document])

    def largest_share(self, question_words: Iterable[str], texts: Iterable[str]) -> float:
        """Return the share of the words of a question that one of some texts has, in any form, 0 to
        1: the largest one. Rare words weigh more. A question without words has 0.
        """
        rarities = {
            word: self._rarity(_CHUNKS, [part.entries(_CHUNKS, word) for part in self._parts])
            for word in map(stem, question_words)
        }
        stems_of_texts = (set(map(stem, words(text))) for text in texts)
        shared = (
            sum(rarities[word] for word in rarities if word in text_stems)
            for text_stems in stems_of_texts
        )
        return max(shared, default=0.0) / (sum(rarities.values()) or 1)
