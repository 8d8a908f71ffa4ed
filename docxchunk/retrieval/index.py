"""The index of the units of some documents, which is kept between runs. It ranks the units by the
words of a question.

The score of a unit is its own BM25 score, plus half of that of its chunk and a quarter of that of
its section: the text around a unit says what it is about. The unit is scored by exact words, the
text around it by stems. The heading path belongs to all three.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final
from uuid import uuid4

import numpy as np
import orjson
from numpy.typing import NDArray

from docxchunk.backends.bm25 import Numbering, WordIndex, stem, words
from docxchunk.markup.records.chunks import UNIT
from docxchunk.markup.records.fields import Fields
from docxchunk.model.chunks import Unit, UnitKind
from docxchunk.retrieval.inputs import State
from docxchunk.sidecar.files import new_folder
from docxchunk.version import __version__

_Numbers = NDArray[np.int32]

_FORMAT: Final = f"docxchunk-search 7 {__version__}"
_RECORD: Final = "documents.json"
_ARRAYS: Final = ("offsets", "lines", "vectors")
_WEIGHTS: Final = (1.0, 0.5, 0.25)  # of the levels: unit, chunk, section
_FORMS: Final = (0, 1, 1)  # of the words of each level: 0 is the word, 1 its stem


@dataclass(frozen=True, slots=True, eq=False)
class UnitIndex:
    """The scores of units for a question. Whole small tables are not ranked: their rows are.

    - `vocabulary`: the numbers of the words.
    - `levels`: the index of the words of each level (unit, chunk, section).
    - `texts_of_units`: for each level and ranked unit, the index of its text.
    - `units`: the indices of the ranked units, in the order of `build`.
    - `starts`: the index of the first unit of each document, then the number of all units.
    """

    vocabulary: Numbering[str]
    levels: Sequence[WordIndex]
    texts_of_units: _Numbers
    units: _Numbers
    starts: _Numbers

    @classmethod
    def build(
        cls, documents: Iterable[Sequence[Unit]], vocabulary: Numbering[str] | None = None
    ) -> UnitIndex:
        """Return the index of the units of some documents. A `vocabulary` is extended."""
        vocabulary = Numbering() if vocabulary is None else vocabulary
        texts: tuple[list[list[int]], ...] = tuple([] for _ in _WEIGHTS)
        texts_of_units: tuple[list[int], ...] = tuple([] for _ in _WEIGHTS)
        ranked, starts = list[int](), [0]

        def numbers(text: str) -> tuple[list[int], list[int]]:
            text_words = words(text)
            return [vocabulary[w] for w in text_words], [vocabulary[stem(w)] for w in text_words]

        for units in documents:
            path, of_path = "", numbers("")
            text_indices = tuple(dict[tuple[str, ...], int]() for _ in _WEIGHTS)
            for number, unit in enumerate(units, starts[-1]):
                if unit.kind is UnitKind.TABLE:
                    continue
                ranked.append(number)
                if unit.context != path:
                    path, of_path = unit.context, numbers(unit.context)
                of_unit = numbers(unit.index_text.removeprefix(path))
                keys = (str(number),), (unit.doc_id, unit.chunk_id), (unit.doc_id, unit.section_id)
                for level, (key, form) in enumerate(zip(keys, _FORMS, strict=True)):
                    text = text_indices[level].setdefault(key, len(texts[level]))
                    if text == len(texts[level]):
                        texts[level].append([*of_path[form]])
                    texts[level][text] += of_unit[form]
                    texts_of_units[level].append(text)
            starts.append(starts[-1] + len(units))
        return cls(
            vocabulary,
            list(map(WordIndex.build, texts)),
            np.array(texts_of_units, dtype=np.int32),
            np.array(ranked, dtype=np.int32),
            np.array(starts, dtype=np.int32),
        )

    def updated(
        self, documents: Sequence[int | None], fresh: Iterable[Sequence[Unit]]
    ) -> UnitIndex:
        """Return the index of some documents. `documents` has the index of each one that this index
        has and that stays as it is, and None for each new one. The units of the new ones are
        `fresh`, in order.
        """
        fresh_index = UnitIndex.build(fresh, self.vocabulary)
        fresh_numbers = count()
        # for each level, the new index of each text; -1 for a text that is left out
        renumbered, fresh_renumbered = (
            [np.full(len(level.lengths), -1, dtype=np.int32) for level in index.levels]
            for index in (self, fresh_index)
        )
        sizes, starts = [0] * len(_WEIGHTS), [0]  # of the new index
        units, texts_of_units = [self.units[:0]], [self.texts_of_units[:, :0]]
        for number in documents:
            if number is None:
                index, new_indices, document = fresh_index, fresh_renumbered, next(fresh_numbers)
            else:
                index, new_indices, document = self, renumbered, number
            first, last = map(int, index.starts[document : document + 2])
            ranked = slice(*np.searchsorted(index.units, (first, last)))
            units.append(index.units[ranked] - first + starts[-1])
            texts = index.texts_of_units[:, ranked].copy()
            for level in range(len(_WEIGHTS)) if texts.size else ():
                # the texts of a document follow one another
                begin, end = texts[level, 0], texts[level].max() + 1
                texts[level] += sizes[level] - begin
                new_indices[level][begin:end] = np.arange(end - begin) + sizes[level]
                sizes[level] += int(end - begin)
            texts_of_units.append(texts)
            starts.append(starts[-1] + last - first)
        return UnitIndex(
            self.vocabulary,
            [
                level.merged(fresh_level, *new_indices)
                for level, fresh_level, *new_indices in zip(
                    self.levels, fresh_index.levels, renumbered, fresh_renumbered, strict=True
                )
            ],
            np.concatenate(texts_of_units, axis=1),
            np.concatenate(units),
            np.array(starts, dtype=np.int32),
        )

    def scores(self, question_words: Sequence[str]) -> NDArray[np.float32]:
        """Return a score for each ranked unit. The score is 0 if neither the unit nor the text
        around it contains a word of the question.
        """
        forms = question_words, list(map(stem, question_words))
        scores = np.zeros(len(self.units), dtype=np.float32)
        vocabulary = self.vocabulary
        for weight, form, index, texts in zip(
            _WEIGHTS, _FORMS, self.levels, self.texts_of_units, strict=True
        ):
            numbers = [vocabulary[word] for word in forms[form] if word in vocabulary]
            scores += weight * index.scores(numbers)[texts]
        return scores

    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""
        np.save(folder / "texts_of_units.npy", self.texts_of_units)
        np.save(folder / "units.npy", self.units)
        np.save(folder / "starts.npy", self.starts)
        (folder / "vocabulary.json").write_bytes(orjson.dumps(self.vocabulary))
        for number, level in enumerate(self.levels):
            level.save(folder / str(number))

    @classmethod
    def load(cls, folder: Path) -> UnitIndex:
        """Return the index that `save` wrote. Raise OSError or ValueError if it is not whole."""
        return cls(
            Numbering(orjson.loads((folder / "vocabulary.json").read_bytes())),
            [WordIndex.load(folder / str(number)) for number in range(len(_WEIGHTS))],
            np.load(folder / "texts_of_units.npy", mmap_mode="r"),
            np.load(folder / "units.npy", mmap_mode="r"),
            np.load(folder / "starts.npy"),
        )


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """The stored index.

    - `documents`: the documents, as they were when they were read.
    - `failures`: for documents that could not be read, the reason by source.
    - `lines`, `offsets`: the units as lines of JSON (UTF-8), and where each line begins.
    - `ranking`: the scores of the units.
    - `model`, `vectors`: the fingerprint of an embedder, and its vectors of the units; zeros where
      a vector is missing.
    """

    documents: tuple[State, ...]
    failures: Mapping[str, str]
    offsets: NDArray[np.int64]
    lines: NDArray[np.uint8]
    ranking: UnitIndex
    model: str
    vectors: NDArray[np.float32]

    @classmethod
    def empty(cls) -> StoredIndex:
        """Return the index of no documents."""
        return cls(
            (),
            {},
            np.zeros(1, dtype=np.int64),
            np.zeros(0, dtype=np.uint8),
            UnitIndex.build([]),
            "",
            np.zeros((0, 0), dtype=np.float32),
        )

    def labelled(self, label: str) -> list[int]:
        """Return the indices of the documents with a label; "" selects all."""
        return [n for n, state in enumerate(self.documents) if label in ("", state.label)]

    def units_of(self, document: int) -> range:
        """Return the indices of the units of a document."""
        return range(*map(int, self.ranking.starts[document : document + 2]))

    def line(self, number: int) -> bytes:
        """Return the line of a unit."""
        return self.lines[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def save(self, folder: Path) -> None:
        """Replace the index in a folder. Raise OSError or OutputError if that is not possible."""
        with new_folder(folder) as fresh:
            self.ranking.save(fresh)
            for name in _ARRAYS:
                np.save(fresh / f"{name}.npy", getattr(self, name))
            record = {
                "format": _FORMAT,
                "made": uuid4().hex,
                "documents": list(map(list, self.documents)),
                "failures": self.failures,
                "model": self.model,
            }
            (fresh / _RECORD).write_bytes(orjson.dumps(record))

    @classmethod
    def load(cls, folder: Path) -> StoredIndex | None:
        """Return the kept index; None if there is none, it is not whole, or another process
        replaced it meanwhile. Its arrays stay on disk until they are needed.
        """
        try:
            data = (folder / _RECORD).read_bytes()
            record = orjson.loads(data)
            if record["format"] != _FORMAT:
                return None
            offsets, lines, vectors = (
                np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS
            )
            documents = tuple(State(*state) for state in record["documents"])
            ranking, model = UnitIndex.load(folder), record["model"]
            stored = cls(documents, record["failures"], offsets, lines, ranking, model, vectors)
            return stored if (folder / _RECORD).read_bytes() == data else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def unit_of(line: bytes) -> Unit:
    """Return the unit of a line of JSON."""
    return UNIT.value(Fields(orjson.loads(line), "the search index"))
