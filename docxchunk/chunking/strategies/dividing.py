"""The base class of strategies that group the sentences of a document by a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import (
    Divide,
    Groups,
    dividing_stages,
    groups_between,
    with_headings,
)
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.units import UnitSequence
from docxchunk.model.fields import check_fields


@dataclass(frozen=True, slots=True)
class DividingStrategy:
    """A subclass implements `cuts`, or `groups` if the sentences of a group need not be adjacent.

    Tables over the limit are cut between rows before, and groups over the limit afterwards, as by
    R. P can use the rule for `inner`.
    """

    def __post_init__(self) -> None:
        check_fields(self)

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return (*dividing_stages(assembler, self.rule(assembler)), *self.later_stages(assembler))

    def later_stages(self, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - for subclasses
        """Return the stages that follow."""
        return ()

    def rule(self, assembler: Assembler) -> Divide:
        """Return the function that groups sentences."""
        return partial(self.groups, assembler)

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        """Return the sentences in groups. A heading goes with the sentence below it."""
        cuts = self.cuts(assembler, sequence) if len(sequence) > 1 else ()
        return groups_between(with_headings(sequence, cuts), len(sequence))

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        """Return the numbers of the sentences, at least two, before which a group begins. 0 is
        ignored.
        """
        raise NotImplementedError


def texts_of(sequence: UnitSequence) -> list[str]:
    """Return the text of each unit."""
    return [sequence.text(number) for number in range(len(sequence))]
