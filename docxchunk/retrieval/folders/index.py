"""The index of the units of some documents, which is kept between runs.

It consists of segments, each with some documents, so that little is in memory at once, and a change
writes little. A document that has changed or is gone stays in its segment, but does not count.
Segments grow when small ones are merged.
"""

from __future__ import annotations

import shutil
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4
from zlib import crc32

import numpy as np
import orjson
from numpy.typing import NDArray

from docxchunk.backends.array_file import Array, ArrayFile, Written, write
from docxchunk.backends.bm25 import STOP_WORDS, stem, words, words_of_question
from docxchunk.language.scripts import FIRST_WIDE
from docxchunk.model.chunks import Unit
from docxchunk.retrieval.folders.indexed import Indexed, unit_of
from docxchunk.retrieval.folders.library import State
from docxchunk.retrieval.folders.listing import DocumentLine
from docxchunk.retrieval.folders.ranking import Part, Ranking, UnitIndex
from docxchunk.sidecar.atomic import is_unfinished, write_file
from docxchunk.version import __version__

_FORMAT: Final = f"docxchunk-search 14 {__version__}"
_RECORD: Final = "documents.json"
_SEGMENT: Final = ".segment"
_LARGEST: Final = 64 << 20  # bytes of a segment that is made of several
_GROWTH: Final = 2  # a segment is merged with later ones unless it is this many times as large
# The score by words has the weight 1. The weight of the similarity is larger if even the best units
# lack words of the question. Chosen on questions whose words the documents do not have.
_LEAST_WEIGHT: Final = 0.5
_MORE_WEIGHT: Final = 4.0
_ALMOST_ALL: Final = 0.8  # the share of the words from which on the weight is the least
_BEST_BY_WORDS: Final = 5  # units
_SORTED: Final = 1000  # units that are sorted at once


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Some documents of an index.

    - `words`: the words of their units.
    - `lines`, `offsets`: the units as lines of JSON (UTF-8), and where each line begins.
    - `documents`, `ends`: the documents as bytes, and where each ends, after a 0.
    - `model`, `vectors`: the fingerprint of an embedder, and its vectors of the units; zeros where
      a vector is missing.
    - `name`, `written`: the name of its file, and what was written; None if it has no file.
    """

    words: UnitIndex
    offsets: Array
    lines: Array
    ends: Array
    documents: Array
    model: str
    vectors: Array
    name: str = ""
    written: Written | None = None

    @classmethod
    def of(cls, document: Indexed) -> Segment:
        """Return a segment of a document."""
        return cls(
            document.words,
            np.array([0, *accumulate(map(len, document.lines))], dtype=np.int64),
            np.frombuffer(b"".join(document.lines), dtype=np.uint8),
            np.array([0, len(document.packed)], dtype=np.int64),
            np.frombuffer(document.packed, dtype=np.uint8),
            "",
            np.zeros((len(document.lines), 0), dtype=np.float32),
        )

    @classmethod
    def merged(cls, documents: Sequence[_Place]) -> Segment:
        """Return a segment of some documents."""
        model = max((place.segment.model for place in documents), default="")
        size = max((place.segment.vectors.shape[1] for place in documents), default=0)
        parts = [place.segment.part(place.number, model, size) for place in documents]
        sizes = [len(packed) for *_, packed in parts]
        lines, lengths, vectors, packed = map(np.concatenate, zip(*parts, strict=True))
        return cls(
            UnitIndex.merged([(place.segment.words, place.number) for place in documents]),
            np.concatenate([[0], np.cumsum(lengths)]),
            lines,
            np.array([0, *accumulate(sizes)], dtype=np.int64),
            packed,
            model,
            vectors,
        )

    def part(self, document: int, model: str, size: int) -> _Arrays:
        """Return the lines of the units of a document, their lengths, their vectors by a model, of
        `size` numbers each (zeros if the segment has none by this model), and the document as
        bytes.
        """
        first, last = self.words.starts[document : document + 2].tolist()
        offsets = self.offsets[first : last + 1]
        vectors = self.vectors[first:last]
        if self.model != model or vectors.shape[1] != size:
            vectors = np.zeros((last - first, size), dtype=np.float32)
        lines = self.lines[offsets[0] : offsets[-1]]
        return lines, np.diff(offsets), vectors, self.packed(document)

    def packed(self, document: int) -> NDArray[np.uint8]:
        """Return a document as bytes."""
        start, end = self.ends[document : document + 2].tolist()
        return self.documents[start:end]

    @property
    def count(self) -> int:
        """The number of its documents."""
        return len(self.words.starts) - 1

    @property
    def size(self) -> int:
        """About how many bytes it has."""
        return sum(array.nbytes for array in self._arrays().values())

    def line(self, number: int) -> bytes:
        """Return the line of a unit."""
        start, end = self.offsets[number : number + 2].tolist()
        return self.lines[start:end].tobytes()

    def without_vectors(self, model: str) -> NDArray[np.int32]:
        """Return the ranked units that have no vector of a model."""
        units = self.words.units[:]
        return units if self.model != model else units[~self.vectors[:][units].any(axis=1)]

    def with_vectors(
        self, model: str, units: NDArray[np.int32], vectors: Sequence[NDArray[np.float32]]
    ) -> Segment:
        """Return the segment with vectors of a model for some units. It has no file yet."""
        every = np.zeros((len(self.vectors), vectors[0].shape[1]), dtype=np.float32)
        if self.model == model:
            every[:] = self.vectors[:]
        every[units] = np.concatenate(vectors)
        return replace(self, model=model, vectors=every, name="", written=None)

    def _arrays(self) -> dict[str, Array]:
        own = {key: getattr(self, key) for key in _OWN}
        return {**own, **dict(self.words.arrays())}

    def saved(self, folder: Path) -> Segment:
        """Return the segment with its arrays in a file in a folder, which is written if there is
        none yet.
        """
        if self.written is not None:
            return self
        name = f"{uuid4().hex}{_SEGMENT}"
        return self.load(folder, name, write(folder / name, self._arrays()), self.model)

    @classmethod
    def load(cls, folder: Path, name: str, written: Written, model: str) -> Segment:
        """Return the segment in a file. Raise OSError, ValueError or KeyError if it is damaged."""
        arrays = ArrayFile(folder / name, written)
        own = {key: arrays[key] for key in _OWN}
        return cls(UnitIndex.of_arrays(arrays), **own, model=model, name=name, written=written)


_OWN: Final = ("offsets", "lines", "ends", "documents", "vectors")  # arrays of a segment
_Arrays = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]


class _Place(NamedTuple):
    """Where a document is: its number in a segment."""

    segment: Segment
    number: int

    @property
    def units(self) -> range:
        """The units of the document in the segment."""
        return range(*self.segment.words.starts[self.number : self.number + 2].tolist())


class _Scored(NamedTuple):
    """Some ranked units: their numbers, their scores by words, and their similarities to a vector,
    all 0 without one.
    """

    numbers: NDArray[np.int64]
    scores: NDArray[np.float32]
    similar: NDArray[np.float32]


@dataclass(frozen=True)
class StoredIndex:
    """The stored index. Its units are numbered in the order of the documents.

    - `documents`: what a listing says of each document, by its state when it was read. If it could
      not be read, the `note` says why.
    - `segments`: the segments, the earliest first.
    - `places`: where each document is: the index of its segment, and its number there.
    """

    documents: Mapping[State, DocumentLine]
    segments: Sequence[Segment]
    places: Sequence[tuple[int, int]]

    @classmethod
    def empty(cls) -> StoredIndex:
        """Return the index of no documents."""
        return cls({}, (), ())

    @cached_property
    def states(self) -> Sequence[State]:
        """The states of the documents."""
        return tuple(self.documents)

    @cached_property
    def _numbers(self) -> list[NDArray[np.int64]]:
        """For each segment, the index of each of its documents; -1 for one that does not count."""
        numbers = [np.full(segment.count, -1, dtype=np.int64) for segment in self.segments]
        for document, (segment, number) in enumerate(self.places):
            numbers[segment][number] = document
        return numbers

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The number of the first unit of each document, then the number of all units."""
        counts = np.zeros(len(self.places), dtype=np.int64)
        for segment, numbers in zip(self.segments, self._numbers, strict=True):
            is_live = numbers >= 0
            counts[numbers[is_live]] = np.diff(segment.words.starts[:])[is_live]
        return np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def ranking(self) -> Ranking:
        """The scores of the units."""
        return Ranking(
            [
                Part(segment.words, numbers >= 0)
                for segment, numbers in zip(self.segments, self._numbers, strict=True)
            ]
        )

    def labelled(self, label: str) -> list[int]:
        """Return the indices of the documents with a label; "" selects all."""
        return [n for n, state in enumerate(self.states) if label in ("", state.label)]

    def units_of(self, document: int) -> range:
        """Return the numbers of the units of a document."""
        return range(*self._starts[document : document + 2].tolist())

    def document_of(self, unit: int) -> int:
        """Return the index of the document of a unit."""
        return bisect_right(self._starts, unit) - 1

    def line(self, number: int) -> bytes:
        """Return the line of a unit."""
        document = self.document_of(number)
        segment, in_segment = self.places[document]
        place = _Place(self.segments[segment], in_segment)
        return place.segment.line(place.units[number - int(self._starts[document])])

    def packed(self, state: State) -> bytes:
        """Return a document as bytes, by its state; b"" if it is not here."""
        if state not in self.documents:
            return b""
        segment, number = self.places[self._indexes[state]]
        return self.segments[segment].packed(number).tobytes()

    @cached_property
    def _indexes(self) -> dict[State, int]:
        """The index of each document."""
        return {state: index for index, state in enumerate(self.states)}

    def best_first(
        self,
        question_words: Sequence[str],
        documents: Sequence[int],
        vector: NDArray[np.float32] | None = None,
    ) -> Iterator[tuple[int, float]]:
        """Yield the ranked units of some documents that have words of a question or have them
        around, with their scores, best first; with the vector of a question, all ranked units.
        """
        numbers, scores, similar = self._scored(question_words, documents, vector)
        if vector is not None and len(scores):
            best = (number for number, _ in islice(_sorted(numbers, scores), _BEST_BY_WORDS))
            texts = (unit_of(self.line(number)).index_text for number in best)
            share = self.ranking.largest_share(question_words, texts)
            weight = _LEAST_WEIGHT + _MORE_WEIGHT * max(0.0, _ALMOST_ALL - share)
            scores = _added(scores, similar, weight)
        yield from _sorted(numbers, scores)

    def _scored(
        self,
        question_words: Sequence[str],
        documents: Sequence[int],
        vector: NDArray[np.float32] | None,
    ) -> _Scored:
        is_wanted = np.zeros(len(self.places) + 1, dtype=bool)  # the last one is for -1
        is_wanted[documents] = True
        of_segment = [_Scored(self._starts[:0], np.zeros(0, np.float32), np.zeros(0, np.float32))]
        of_segments = self.ranking.scores(question_words)
        for segment, numbers, scores in zip(self.segments, self._numbers, of_segments, strict=True):
            chosen = np.flatnonzero(scores) if vector is None else np.arange(len(scores))
            starts, units = segment.words.starts[:], segment.words.units[:][chosen]
            owners = np.searchsorted(starts, units, "right") - 1
            is_in = is_wanted[numbers[owners]]
            units, owners = units[is_in], owners[is_in]
            similar = np.zeros(len(units), np.float32)
            if vector is not None and len(units):
                # row by row: the products of a matrix depend on its other rows
                similar = np.einsum("ij,j->i", segment.vectors[:][units], vector)
            global_numbers = units - starts[owners] + self._starts[numbers[owners]]
            of_segment.append(_Scored(global_numbers, scores[chosen][is_in], similar))
        return _Scored(*map(np.concatenate, zip(*of_segment, strict=True)))

    def has_word(self, word: str, documents: Sequence[int]) -> bool:
        """Return whether one of some documents has a word, in any form."""
        among = set(documents)
        return any(
            not among.isdisjoint(self._numbers[segment][matching].tolist())
            for segment, matching in self.ranking.documents_with(word)
        )

    def remarks(self, question: str, documents: Sequence[int]) -> list[tuple[int, Unit]]:
        """Return the comments and deleted texts of some documents that have two thirds of the words
        of a question, with their numbers, those with most words first.
        """
        stems, among = set(map(stem, words_of_question(question))), set(documents)
        hits: list[tuple[int, int, int, Unit]] = []
        for segment, at, remark in self.ranking.remarks_with(stems, len(stems) * 2 / 3):
            document = int(self._numbers[segment][at])
            if document not in among:
                continue
            firsts = self.segments[segment].words.levels[-1].firsts[at : at + 2].tolist()
            number = self.units_of(document).stop - (firsts[1] - firsts[0]) + remark
            unit = unit_of(self.line(number))
            shared = stems.intersection(map(stem, words(unit.content)))
            if 3 * len(shared) >= 2 * len(stems) and not shared.isdisjoint(
                map(stem, words(unit.index_text))
            ):
                hits.append((-len(shared), -document, number, unit))
        hits.sort(key=lambda hit: hit[:3])
        return [(number, unit) for _, _, number, unit in hits]

    def likely(self, text: str, share: float) -> list[State]:
        """Return the documents that may have at least this share of the words of a text, also as
        parts of longer words. A document with one of the words in a comment or deleted text is
        among them.
        """
        may_have: list[int] = []
        for segment, shares in self.ranking.shares(telling(text)):
            numbers = self._numbers[segment]
            may_have += numbers[(shares >= share) & (numbers >= 0)].tolist()
        return [self.states[number] for number in sorted(may_have)]

    def updated(self, states: Iterable[State], new: Mapping[State, Indexed]) -> StoredIndex:
        """Return the index of the documents with these states, in this order. `new` has those that
        this index does not have; a document that neither has is left out.
        """
        documents = {
            state: new[state].about if state in new else self.documents[state]
            for state in states
            if state in new or state in self.documents
        }
        places = {
            state: _Place(self.segments[segment], number)
            for state, (segment, number) in zip(self.states, self.places, strict=True)
            if state in documents and state not in new
        }
        fresh = {state: _Place(Segment.of(new[state]), 0) for state in documents if state in new}
        segments, merged = self._kept_and_merged(places, fresh)
        if merged:
            segment = Segment.merged(list(merged.values()))
            segments.append(segment)
            places |= {state: _Place(segment, number) for number, state in enumerate(merged)}
        index_of = {segment: index for index, segment in enumerate(segments)}
        at = (places[state] for state in documents)
        return StoredIndex(
            documents, segments, [(index_of[place.segment], place.number) for place in at]
        )

    def _kept_and_merged(
        self, places: Mapping[State, _Place], new: Mapping[State, _Place]
    ) -> tuple[list[Segment], dict[State, _Place]]:
        """Return the segments to keep, and the documents to merge into a new one. These are the new
        documents, those of the last segments if these are not much larger, and those of segments
        most of whose documents no longer count.
        """
        live: dict[Segment, dict[State, _Place]] = {segment: {} for segment in self.segments}
        for state, place in places.items():
            live[place.segment][state] = place
        merged, size = dict(new), sum(place.segment.size for place in new.values())
        segments: list[Segment] = []
        for segment, segment_places in reversed(live.items()):
            own_size = segment.size * len(segment_places) // segment.count
            is_sparse = 2 * len(segment_places) < segment.count
            is_small = not segments and own_size <= _GROWTH * size
            if (is_sparse or is_small) and own_size + size <= _LARGEST:
                merged, size = {**segment_places, **merged}, size + own_size
            else:
                segments.insert(0, segment)
        return segments, merged

    def saved(self, folder: Path) -> StoredIndex:
        """Write the index to a folder, and return it as it is kept there. Raise OSError or
        OutputError if that is not possible.
        """
        folder.mkdir(parents=True, exist_ok=True)
        segments = [segment.saved(folder) for segment in self.segments]
        record = {
            "format": _FORMAT,
            "made": uuid4().hex,
            "segments": [
                [segment.name, list(segment.written or ()), segment.model] for segment in segments
            ],
            "documents": [
                [list(state), about, *place]
                for (state, about), place in zip(self.documents.items(), self.places, strict=True)
            ],
        }
        data = orjson.dumps(record)
        write_file(folder / _RECORD, b"%08x\n%b" % (crc32(data), data))
        _remove_others(folder, {_RECORD, *(segment.name for segment in segments)})
        return replace(self, segments=segments)

    @staticmethod
    def remove(folder: Path) -> None:
        """Remove the kept index from a folder. Raise OSError if that is not possible."""
        (folder / _RECORD).unlink()

    @staticmethod
    def mark(folder: Path) -> bytes:
        """Return the first line of the kept index, which is another one each time it is written;
        b"" if there is no index.
        """
        try:
            with (folder / _RECORD).open("rb") as file:
                return file.readline()
        except OSError:
            return b""

    @classmethod
    def load(cls, folder: Path) -> StoredIndex | None:
        """Return the kept index; None if there is none, it is not as it was written, or another
        process replaced it meanwhile. Its arrays stay on disk until they are needed: if one is
        damaged, AlteredArrayError is raised then.
        """
        try:
            checksum, _, data = (folder / _RECORD).read_bytes().partition(b"\n")
            record = orjson.loads(data) if checksum == b"%08x" % crc32(data) else {}
            if record.get("format") != _FORMAT:
                return None
            segments = [
                Segment.load(folder, name, Written(*written), model)
                for name, written, model in record["segments"]
            ]
            documents = {
                State(*state): DocumentLine(**about) for state, about, *_ in record["documents"]
            }
            places = [(segment, number) for *_, segment, number in record["documents"]]
            return cls(documents, segments, places)
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _sorted(numbers: NDArray[np.int64], scores: NDArray[np.float32]) -> Iterator[tuple[int, float]]:
    """Yield the numbers of units with their scores, best first; of equal ones, the first number."""
    waiting = np.arange(len(scores))
    while len(waiting):
        rest = scores[waiting]
        least = np.partition(rest, -_SORTED)[-_SORTED] if len(rest) > _SORTED else rest.min()
        best, waiting = waiting[rest >= least], waiting[rest < least]
        best = best[np.lexsort((numbers[best], -scores[best]))]
        yield from zip(numbers[best].tolist(), scores[best].tolist(), strict=True)


def _added(
    words: NDArray[np.float32], similar: NDArray[np.float32], weight: float
) -> NDArray[np.float32]:
    """Return the sum of the scores by words, scaled from 0 to 1, and the similarities, scaled from
    0 to the weight.
    """
    low, high = float(similar.min()), float(similar.max())
    best = float(words.max())
    added: NDArray[np.float32] = weight * (similar - low) / ((high - low) or 1)
    return added + words / (best or 1)


def _remove_others(folder: Path, names: AbstractSet[str]) -> None:
    """Remove what is in a folder under other names, as far as possible."""
    for path in folder.iterdir():
        if path.name in names or is_unfinished(path.name):
            continue
        with suppress(OSError):  # another process may read it
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def telling(text: str) -> set[str]:
    """Return the words of a text that tell documents apart: no short words and pairs of characters,
    and no parts of words that do not count. A text with a formula has none.
    """
    return {
        word
        for word in (words(text) if "\\" not in text else ())
        if (len(word) > 2 or word >= FIRST_WIDE > word[1:])
        and not any(word in stop_word for stop_word in STOP_WORDS)
    }
