"""Baselines: recursive chunking, chunks of a fixed size, paragraphs, packed sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import accumulate, pairwise
from typing import ClassVar, Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.prompts import word_windows, words_before
from docxchunk.chunking.stages.divide import (
    DividingStrategy,
    Groups,
    dividing_stages,
    groups_between,
    pack_all,
    repeat_ends,
    slicing_stages,
)
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.tokens import fill
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits
from docxchunk.registry import extra_for


@dataclass(frozen=True, slots=True)
class R:
    """Recursive chunking of the whole text, regardless of headings. Inline tags are not cut, and
    tables are cut only between rows.
    """

    name: ClassVar[str] = "R"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return (*slicing_stages(assembler), Stage("pack_all", partial(pack_all, assembler)))


class Counted(StrEnum):
    """The unit of the size of a chunk."""

    TOKENS = "tokens"
    WORDS = "words"
    SENTENCES = "sentences"


DEFAULT_SIZE = {Counted.TOKENS: 200, Counted.WORDS: 100, Counted.SENTENCES: 6}


@dataclass(frozen=True, slots=True)
class Sentences(DividingStrategy):
    """One chunk per sentence (the paper of PIC, 4.1)."""

    name: ClassVar[str] = "sentence"
    models: ClassVar[tuple[str, ...]] = ()

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:  # noqa: ARG002 - as in the base class
        return one_unit_each(sequence)


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """One chunk per paragraph, list item, heading and table (the paper of PIC, 4.1)."""

    name: ClassVar[str] = "paragraph"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(assembler, one_unit_each, UnitType.LINE)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Chunks of a fixed size in tokens, words or sentences. With "tokens" and "words", a chunk may
    end after any word; with "sentences", only after a sentence.

    - `by`: the unit of `size` and `repeated`: "tokens", "words" or "sentences".
    - `size`: the size of a chunk. 0 selects 200 tokens, 100 words or 6 sentences. No chunk is over
      the limit.
    - `repeated`: how much of the end of a chunk the next chunk repeats, within the limits of
      `overlap`.
    - `n_chunks`: about how many chunks to make, instead of `size`, with by=sentences (Qu et al.
      2024, appendix A). Each has n // `n_chunks` of the n sentences of the document; the rest
      may make more chunks. Chunks of one sentence have no overlap.
    """

    name: ClassVar[str] = "fixed"
    models: ClassVar[tuple[str, ...]] = ()

    by: Counted = Counted.TOKENS
    size: int = 0
    repeated: int = 0
    n_chunks: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.n_chunks < 0 or (self.n_chunks and (self.by is not Counted.SENTENCES or self.size)):
            raise UsageError(
                f"n_chunks is {self.n_chunks}; it must be 0 or more, and needs "
                "by=sentences and no size."
            )
        if self.size < 0:
            raise UsageError(f"size is {self.size}; it must be 1 or more, or 0 for the default.")
        if self.repeated < 0 or (
            not self.n_chunks and self.repeated >= (self.size or DEFAULT_SIZE[self.by])
        ):
            raise UsageError(
                f"repeated is {self.repeated}; it must be 0 or more, and less than the size."
            )

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        unit_type = UnitType.SENTENCE if self.by is Counted.SENTENCES else UnitType.WORD
        stages = dividing_stages(assembler, partial(self._divided, assembler), unit_type)
        return (
            (*stages, Stage("repeat_ends", partial(self._with_repeats, assembler, unit_type)))
            if self.repeated
            else stages
        )

    def _with_repeats(
        self, assembler: Assembler, unit_type: UnitType, pieces: list[Piece]
    ) -> list[Piece]:
        if (
            self.n_chunks
            and self._size(
                len(
                    UnitSequence(
                        assembler, [span for piece in pieces for span in piece.spans], unit_type
                    )
                )
            )
            == 1
        ):
            return pieces
        return repeat_ends(assembler, self._repeated, unit_type, pieces)

    def _divided(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        if self.by is not Counted.TOKENS:
            step = self._step(len(sequence))
            return groups_between(range(step, len(sequence), step), len(sequence))
        max_tokens = min(self._step(len(sequence)), assembler.smallest_limit)

        def fits(first: int, last: int) -> bool:
            return sequence.size(first, last) <= max_tokens

        return [*map(list, fill(len(sequence), fits))]

    def _step(self, count: int) -> int:
        """Return how many units each chunk adds, for a document of `count` units."""
        return max(1, self._size(count) - self.repeated)

    def _size(self, count: int) -> int:
        return (
            max(1, count // self.n_chunks) if self.n_chunks else self.size or DEFAULT_SIZE[self.by]
        )

    def _repeated(self, sequence: UnitSequence) -> int:
        """Return the index of the first unit that the next chunk repeats."""
        if self.by is not Counted.TOKENS:
            return max(0, len(sequence) - self.repeated)
        first = len(sequence)
        while first > 0 and sequence.size(first - 1, len(sequence)) <= self.repeated:
            first -= 1
        return first


@dataclass(frozen=True, slots=True)
class FixedSize(DividingStrategy):
    """Fixed-Size of the paper of PIC (4.2): whole sentences of at most `words` words in total; a
    longer sentence is a chunk of its own.
    """

    name: ClassVar[str] = "fixed-size"
    models: ClassVar[tuple[str, ...]] = ()

    words: int = 100

    def __post_init__(self) -> None:
        check_fields(self)
        if self.words < 1:
            raise UsageError(f"words is {self.words}; it must be 1 or more.")

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:  # noqa: ARG002 - as in the base class
        return [*map(list, word_windows(words_before(sequence.texts()), self.words))]


def one_unit_each(sequence: UnitSequence) -> Groups:
    return [[number] for number in range(len(sequence))]


_LEAST: Final = 16  # tokens; the library fails below this


class Engine(StrEnum):
    """The implementation that finds and packs the sentences."""

    OWN = "own"  # docxchunk, with the same result on every machine
    LIBRARY = "library"  # llama-index-core, with the sentences of NLTK


@dataclass(frozen=True, slots=True)
class LlamaIndex(DividingStrategy):
    """Add sentences to a chunk as long as the sum of their token counts is at most `size`.

    - `size`: the maximum size of a chunk in tokens. The default of the library is 1024;
      Meta-Chunking uses 154 to 330, to match the size of other chunkers.
    - `repeated`: the maximum number of tokens that the next chunk repeats, in whole sentences and
      within the limits of `overlap`. The default of the library is 200.
    - `engine`: "own" is built in, and leaves a sentence over `size` whole; "library" calls
      llama-index-core (extra `llamaindex`), which splits it.
    """

    name: ClassVar[str] = "llama-index"
    models: ClassVar[tuple[str, ...]] = ()

    size: int = 1024
    repeated: int = 0
    engine: Engine = Engine.OWN

    def __post_init__(self) -> None:
        check_fields(self)
        if self.size < _LEAST or not 0 <= self.repeated < self.size:
            raise UsageError(
                f"size is {self.size} and repeated {self.repeated}; size must be {_LEAST} "
                "tokens or more, and repeated 0 or more and less than size."
            )

    @property
    def unit_type(self) -> UnitType:
        return UnitType.WORD if self.engine == Engine.LIBRARY else UnitType.SENTENCE

    def later_stages(self, assembler: Assembler) -> tuple[Stage, ...]:
        repeat = partial(repeat_ends, assembler, self._repeated, UnitType.SENTENCE)
        return (Stage("repeat_ends", repeat),) if self.repeated else ()

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        by = self._by_library if self.engine == Engine.LIBRARY else self._by_sentences
        return by(assembler, sequence)

    def _by_sentences(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        sizes = (sequence.size(number, number + 1) for number in range(len(sequence)))
        before = [*accumulate(sizes, initial=0)]
        max_tokens = min(self.size, assembler.smallest_limit)

        def fits(first: int, last: int) -> bool:
            return before[last] - before[first] <= max_tokens

        return [*map(list, fill(len(sequence), fits))]

    def _by_library(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        text, ends = sequence.running_text(0, len(sequence))
        return groups_between(
            library_cuts(
                text, ends, min(self.size, assembler.smallest_limit), assembler.meter.count
            ),
            len(sequence),
        )

    def _repeated(self, sequence: UnitSequence) -> int:
        first, room = len(sequence), self.repeated
        while first > 0 and (room := room - sequence.size(first - 1, first)) >= 0:
            first -= 1
        return first


def library_cuts(
    text: str, ends: Sequence[int], size: int, count: Callable[[str], int]
) -> list[int]:
    """Return the cuts: the units in which the library starts its chunks. `ends` are the ends of the
    units in `text`. Raise MissingExtraError.
    """
    with extra_for("engine=library", "llama-index-core", "llamaindex"):
        from llama_index.core.node_parser import SentenceSplitter
    splitter = SentenceSplitter(
        chunk_size=size, chunk_overlap=0, tokenizer=lambda part: range(count(part))
    )
    try:
        chunks = splitter.split_text(text)
    except ValueError as error:  # a single character has more tokens than the size
        raise UsageError(
            f"LlamaIndex cannot split this text into chunks of {size} tokens ({error})."
        ) from error
    starts, at = [], 0  # the units in which chunks start
    for chunk in chunks:
        at = text.index(chunk, at)
        starts.append(bisect_right(ends, at))
        at += len(chunk)
    return [cut for before, cut in pairwise(starts) if cut > before]
