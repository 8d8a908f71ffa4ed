"""Baselines of several papers: chunks of a fixed size, sentences, and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import accumulate
from typing import ClassVar

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import DividingStrategy, Groups, dividing_stages
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.tokens import fill
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.errors import UsageError
from docxchunk.lab.strategies.grouping import repeat_ends
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits


class Counted(StrEnum):
    """The unit of the size of a chunk."""

    TOKENS = "tokens"
    WORDS = "words"
    SENTENCES = "sentences"


@dataclass(frozen=True, slots=True)
class Sentences(DividingStrategy):
    """A chunk for each sentence."""

    name: ClassVar[str] = "sentence"
    models: ClassVar[tuple[str, ...]] = ()

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:  # noqa: ARG002 - as in the base class
        return one_unit_each(sequence)


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """A chunk for each paragraph, list item, heading and table."""

    name: ClassVar[str] = "paragraph"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(assembler, one_unit_each, UnitType.LINE)


def one_unit_each(sequence: UnitSequence) -> Groups:
    return [[number] for number in range(len(sequence))]


@dataclass(frozen=True, slots=True)
class Fixed(DividingStrategy):
    """Chunks of a fixed size in tokens, words or sentences.

    - `by`: the unit of `size` and `repeated`: "tokens", "words" or "sentences".
    - `size`: the maximum size of a chunk. The SentenceSplitter of LlamaIndex has 1024 tokens in
      whole sentences; Meta-Chunking uses 154 to 330.
    - `repeated`: how much of the end of a chunk the next chunk repeats, within the limits of
      `overlap`.
    - `whole_sentences`: end chunks only after sentences, as by=sentences does, and not after any
      word. A sentence over the size is a chunk of its own.
    - `n_chunks`: with by=sentences, about how many chunks to make, instead of chunks of `size`.
      Each has n // `n_chunks` of the n sentences of the document; the rest may make more chunks.
      Chunks of one sentence have no overlap.
    """

    name: ClassVar[str] = "fixed"
    models: ClassVar[tuple[str, ...]] = ()

    by: Counted = Counted.TOKENS
    size: int = 200
    repeated: int = 0
    whole_sentences: bool = False
    n_chunks: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.n_chunks < 0 or (self.n_chunks and self.by is not Counted.SENTENCES):
            raise UsageError(
                f"n_chunks is {self.n_chunks}; it must be 0 or more, and needs by=sentences."
            )
        if self.size < 1:
            raise UsageError(f"size is {self.size}; it must be 1 or more.")
        if self.repeated < 0 or (not self.n_chunks and self.repeated >= self.size):
            raise UsageError(
                f"repeated is {self.repeated}; it must be 0 or more, and less than the size."
            )

    @property
    def unit_type(self) -> UnitType:
        """The type of the units after which a chunk may end."""
        by_sentence = self.whole_sentences or self.by is Counted.SENTENCES
        return UnitType.SENTENCE if by_sentence else UnitType.WORD

    def later_stages(self, assembler: Assembler) -> tuple[Stage, ...]:
        repeat = Stage("repeat_ends", partial(self._with_repeats, assembler))
        return (repeat,) if self.repeated else ()

    def _with_repeats(self, assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
        if self.n_chunks:
            spans = [span for piece in pieces for span in piece.spans]
            if self._size(len(UnitSequence(assembler, spans, self.unit_type))) == 1:
                return pieces
        return repeat_ends(assembler, self._repeated, self.unit_type, pieces)

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        most = max(1, self._size(len(sequence)) - self.repeated)
        if self.by is Counted.TOKENS:
            most = min(most, assembler.smallest_limit)
        size_of = self._sizes(sequence)
        groups = fill(len(sequence), lambda first, last: size_of(first, last) <= most)
        return [*map(list, groups)]

    def _size(self, count: int) -> int:
        """Return the size of a chunk of a document with `count` units."""
        return max(1, count // self.n_chunks) if self.n_chunks else self.size

    def _sizes(self, sequence: UnitSequence) -> Callable[[int, int], int]:
        """Return the function that returns the size of units [first, last)."""
        if self.by is Counted.TOKENS:
            return sequence.size
        if self.by is Counted.WORDS and self.whole_sentences:
            before = words_before(sequence.texts())
            return lambda first, last: before[last] - before[first]
        return lambda first, last: last - first

    def _repeated(self, sequence: UnitSequence) -> int:
        """Return the index of the first unit that the next chunk repeats."""
        size_of, end = self._sizes(sequence), len(sequence)
        first = end
        while first > 0 and size_of(first - 1, end) <= self.repeated:
            first -= 1
        return first


# Chinese and Japanese, with their punctuation
_SOLID = r"\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60"
_WORD = re.compile(rf"[{_SOLID}]|[^\s{_SOLID}]+")


def words(text: str) -> list[str]:
    """Return the words of a text, as papers count them."""
    return _WORD.findall(text)


def words_before(texts: Iterable[str]) -> list[int]:
    """Return the number of words before each text, then the total: n + 1 numbers for n texts."""
    return list(accumulate((len(words(text)) for text in texts), initial=0))
