"""LG and MG of LGMGC (Liu et al. 2024): cut where a causal LM most likely ends the text, and chunks
with smaller child chunks for retrieval.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar, Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import DividingStrategy
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.strategy import Cost, Stage, costs_of, named_strategy
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.lab.strategies.boundaries import first_maximum
from docxchunk.lab.strategies.grouping import add_children
from docxchunk.lab.strategies.plain import words, words_before
from docxchunk.lab.strategies.prompts import window_end, word_windows
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits
from docxchunk.model.ports import Endings
from docxchunk.model.wording import Wording

CONTINUE: Final = Wording("Continue writing the following text.", "请续写下面的文字。")


class Refill(StrEnum):
    """How the remainder of a window is extended."""

    # as published: concatenate the next segment of theta words, up to twice theta in total
    APPEND = "append"
    CAP = "cap"  # extend it to theta words again


@dataclass(frozen=True, slots=True)
class LG(DividingStrategy):
    """Logits-guided chunking: a language model gives, for each sentence of a window, the
    probability that the text ends there. The window is cut after the likeliest sentence, the first
    one if there are several. The text after the cut starts the next window.

    - `theta`: the size of a window in words.
    - `refill`: how the next window is filled: "append" adds `theta` words to the text after the
      cut, so that a window has up to twice as many; "cap" fills it up to `theta` words.
    - `min_tail`: if less than this share of `theta` is left at the end of the text, it is the last
      chunk.
    - `glue_tail`: merge the last chunk into the one before it if both fit into the limit.
    - `instruction`: the text before each window in the prompt. If empty, it asks to continue the
      text.
    """

    name: ClassVar[str] = "LG"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    theta: int = 300
    refill: Refill = Refill.APPEND
    min_tail: float = 0.25
    glue_tail: bool = False
    instruction: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self.theta)
        if not 0 <= self.min_tail <= 1:
            raise UsageError(
                f"min_tail is {self.min_tail}; it is a share of theta and must be from 0 to 1."
            )

    @property
    def costs(self) -> tuple[Cost, ...]:
        """The scorer reads the text twice: a window is about twice as long as the chunk that is cut
        from it.
        """
        return (Cost("scorer", 2),)

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        before = words_before(sequence.texts())
        stream = [window.stop for window in word_windows(before, self.theta)]
        cuts: list[int] = []
        first = last = 0
        while first < len(sequence) and before[-1] - before[first] >= self.min_tail * self.theta:
            last = self._end(before, stream, first, last)
            if last > first + 1:
                first += first_maximum(_endings(assembler, sequence, first, last, self.instruction))
            first += 1
            cuts.append(first)
        if (
            self.glue_tail
            and cuts
            and sequence.size([0, *cuts][-2], len(sequence)) <= assembler.smallest_limit
        ):
            cuts.pop()
        return [cut for cut in cuts if cut < len(sequence)]

    def _end(self, before: Sequence[int], stream: Sequence[int], first: int, last: int) -> int:
        """Return the end of the window that starts at `first`; the previous window ended at
        `last`.
        """
        if self.refill == Refill.CAP:
            return window_end(before, first, self.theta)
        following = min(bisect_right(stream, last), len(stream) - 1)
        return min(stream[following], window_end(before, first, 2 * self.theta))


@dataclass(frozen=True, slots=True)
class LGDocument(DividingStrategy):
    """LG in a single pass, which is not in the paper: each sentence end is scored with all the
    preceding text as context.

    - `theta`: each chunk ends at the likeliest sentence end within this many words.
    - `instruction`: the text before the document in the prompt. If empty, it asks to continue the
      text.
    """

    name: ClassVar[str] = "LG-doc"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    theta: int = 300
    instruction: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self.theta)

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        before = words_before(sequence.texts())
        endings = _endings(assembler, sequence, 0, len(sequence), self.instruction)
        cuts = [0]
        while (last := window_end(before, cuts[-1], self.theta)) < len(sequence):
            cuts.append(cuts[-1] + first_maximum(endings[cuts[-1] : last]) + 1)
        return cuts


def _check(theta: int) -> None:
    if theta < 1:
        raise UsageError(f"theta is {theta}; it must be 1 word or more.")


def _endings(
    assembler: Assembler, sequence: UnitSequence, first: int, last: int, instruction: str
) -> tuple[float, ...]:
    """Return the log-probability that the text ends after each of the units [first, last)."""
    text, ends = sequence.running_text(first, last)
    return assembler.scorer.score([Endings(text, ends, instruction or CONTINUE.for_text(text))])[0]


_MOST_LEVELS: Final = 6  # halves 2000 tokens to 31


@dataclass(frozen=True, slots=True)
class MG:
    """Multi-granular chunking: the chunks of another strategy, each with children of half and a
    quarter of the size. In a search, the score of a parent is the best score of the parent and its
    children.

    - `parents`: the strategy that makes the parents, such as "R" or "LG:theta=200".
    - `levels`: how often the size is halved. A parent that is small enough has no children of that
      size.

    The halved size is the token limit. If LG makes the parents, it is `theta`, converted from words
    to tokens with the average of the parent.
    """

    name: ClassVar[str] = "MG"

    parents: str = "R"
    levels: int = 2

    def __post_init__(self) -> None:
        check_fields(self)
        if not 1 <= self.levels <= _MOST_LEVELS:
            raise UsageError(f"levels is {self.levels}; it must be from 1 to {_MOST_LEVELS}.")

    @property
    def models(self) -> tuple[str, ...]:
        return named_strategy(self.parents).models

    @property
    def costs(self) -> tuple[Cost, ...]:
        return costs_of(named_strategy(self.parents))

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:
        return (
            *named_strategy(self.parents).stages(limits, assembler),
            Stage("add_children", partial(self._with_children, assembler)),
        )

    def _with_children(self, assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
        parents = named_strategy(self.parents)
        theta = parents.theta if isinstance(parents, (LG, LGDocument)) else 0
        result: list[Piece] = []
        for piece in pieces:
            size = _size(assembler, piece, theta)
            sizes = [max(1, size >> level) for level in range(1, self.levels + 1)]
            result += add_children(assembler, sizes, [piece])
        return result


@dataclass(frozen=True, slots=True)
class LGMGC(MG):
    """MG over LG: children of half and a quarter of `theta`."""

    name: ClassVar[str] = "LGMGC"

    parents: str = "LG"


@dataclass(frozen=True, slots=True)
class PMG(MG):
    """MG whose parents are the chunks of P. A search finds a chunk by the best of the chunk and its
    children, which have half and a quarter of its size.
    """

    name: ClassVar[str] = "P+MG"

    parents: str = "P"


def _size(assembler: Assembler, piece: Piece, theta: int) -> int:
    """Return the size of a parent in tokens. It is the limit or, if `theta` is not 0, the tokens of
    `theta` words, estimated from the average of the parent.
    """
    if not theta:
        return assembler.smallest_limit
    return min(assembler.smallest_limit, theta * piece.tokens // max(1, len(words(piece.text))))
