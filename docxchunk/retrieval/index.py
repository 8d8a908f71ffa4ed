"""The index of units: which units fit a question best, by words.

The score of a unit is its own BM25 score, plus half of that of its chunk and a quarter of that of
its section: the text around a unit says what it is about. A unit has to have the very words of the
question, the text around it only their stems. The heading path belongs to all three.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from docxchunk.backends.bm25 import Numbering, WordIndex, stem, words
from docxchunk.model.chunks import Unit, UnitKind

_WEIGHTS: Final = (1.0, 0.5, 0.25)  # of the levels: unit, chunk, section
_FORMS: Final = (0, 1, 1)  # of the words of each level: 0 is the word, 1 its stem


class UnitIndex:
    """The scores of units for a question. Whole small tables are not ranked: their rows are.

    `units` are the numbers of the ranked units, in the order that was given to `build`.
    """

    def __init__(
        self,
        vocabulary: dict[str, int],
        levels: Sequence[WordIndex],
        texts_of_units: NDArray[np.int32],
        units: NDArray[np.int32],
    ) -> None:
        self._vocabulary = vocabulary
        self._levels = levels
        self._texts_of_units = texts_of_units  # for each level, the number of the text of each unit
        self.units = units

    @classmethod
    def build(cls, units: Iterable[Unit]) -> UnitIndex:
        vocabulary = Numbering[str]()
        numberings = tuple(Numbering[tuple[str, str]]() for _ in _WEIGHTS)
        texts: tuple[list[list[int]], ...] = tuple([] for _ in _WEIGHTS)
        texts_of_units: tuple[list[int], ...] = tuple([] for _ in _WEIGHTS)
        ranked: list[int] = []

        def numbers(text: str) -> tuple[list[int], list[int]]:
            found = words(text)
            return [vocabulary[w] for w in found], [vocabulary[stem(w)] for w in found]

        path, of_path = "", numbers("")
        for number, unit in enumerate(units):
            if unit.kind is UnitKind.TABLE:
                continue
            ranked.append(number)
            if unit.context != path:
                path, of_path = unit.context, numbers(unit.context)
            own = numbers(unit.index_text.removeprefix(path))
            keys = ("", str(number)), (unit.doc_id, unit.chunk_id), (unit.doc_id, unit.section_id)
            for level, (key, form) in enumerate(zip(keys, _FORMS, strict=True)):
                text = numberings[level][key]
                if text == len(texts[level]):
                    texts[level].append([*of_path[form]])
                texts[level][text] += own[form]
                texts_of_units[level].append(text)
        return cls(
            vocabulary,
            [WordIndex(level, vocabulary) for level in texts],
            np.array(texts_of_units, dtype=np.int32),
            np.array(ranked, dtype=np.int32),
        )

    def scores(self, question: str) -> NDArray[np.float32]:
        """Return the score of each ranked unit; 0 if it and the text around it have no word of the
        question.
        """
        asked = words(question)
        forms = asked, list(map(stem, asked))
        scores = np.zeros(len(self.units), dtype=np.float32)
        for weight, form, index, texts in zip(
            _WEIGHTS, _FORMS, self._levels, self._texts_of_units, strict=True
        ):
            scores += weight * index.scores(forms[form])[texts]
        return scores

    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""
        np.save(folder / "texts_of_units.npy", self._texts_of_units)
        np.save(folder / "units.npy", self.units)
        (folder / "vocabulary.json").write_bytes(orjson.dumps(self._vocabulary))
        for number, level in enumerate(self._levels):
            level.save(folder / str(number))

    @classmethod
    def load(cls, folder: Path) -> UnitIndex:
        """Return the index that `save` wrote. Raise OSError or ValueError if it is not whole."""
        vocabulary = orjson.loads((folder / "vocabulary.json").read_bytes())
        texts_of_units = np.load(folder / "texts_of_units.npy", mmap_mode="r")
        sizes = [int(texts.max()) + 1 if texts.size else 0 for texts in texts_of_units]
        return cls(
            vocabulary,
            [WordIndex.load(folder / str(n), size, vocabulary) for n, size in enumerate(sizes)],
            texts_of_units,
            np.load(folder / "units.npy", mmap_mode="r"),
        )
