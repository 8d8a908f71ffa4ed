"""P: chunks that follow the structure of the document (docs/concepts/how-p-works.md).

How P chooses a cut: `stages.split` divides what does not fit into units, `lines` has the price
of a cut before each line, and `stages.best_cuts` takes the cheapest cuts of the whole document.
With `sizes=seed`, the rules are those of `stages.seed`. `stages.slice_tables` and `stages.bridge`
are for tables; `table_splitter` writes a slice and chooses its header rows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Final, Literal, NamedTuple, cast

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.stages.best_cuts import CutRule, SizeTargets, merge_at_best_cuts
from docxchunk.chunking.stages.blocks import glue_headings, number_parts
from docxchunk.chunking.stages.bridge import bridge_chunks, bridge_slices
from docxchunk.chunking.stages.divide import divide_long
from docxchunk.chunking.stages.seed import (
    AnchorRule,
    Anchors,
    Merger,
    MergeSizes,
    split_at_anchors,
)
from docxchunk.chunking.stages.slice_tables import UnitRule, slice_in_place, slice_tables
from docxchunk.chunking.stages.split import split_into_units
from docxchunk.chunking.strategies.plain import R
from docxchunk.chunking.strategy import Cost, Dividing, Stage, costs_of, named_strategy
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.errors import UsageError
from docxchunk.markup.table_texts import LEAST_CONFIDENCE
from docxchunk.model.fields import OneOf, check_fields
from docxchunk.model.options import ChunkLimits

log = logging.getLogger("docxchunk.chunking")


class Sizes(StrEnum):
    """How P chooses its cuts: the default sizes and the stages that it runs."""

    # choose all cuts together; cut a table only if it does not fit into a chunk
    BALANCED = "balanced"
    SEED = "seed"  # the thresholds and stages of the specification


class SizeDefaults(NamedTuple):
    """The settings for which 0 selects a value of `sizes`. All but the last are shares of
    `max_tokens`; `table_min_last` is a share of `table_max`.
    """

    target_ideal: float
    table_max: float
    table_ideal: float
    table_min_last: float
    small_tail: float
    guessed_headers: float


class Thresholds(NamedTuple):
    """The sizes in tokens, each rounded down and at least 1."""

    target_max: int
    target_ideal: int
    table_max: int
    table_ideal: int
    table_min_last: int
    small_tail: int


@dataclass(frozen=True, slots=True)
class P:
    """Paragraph semantic chunking: follows headings, paragraphs and table rows. A document without
    structure is chunked by R.

    The settings from `target_ideal` to `small_tail` are shares of `max_tokens`, from 0 to 1. 0
    selects the default of `sizes`. The two numbers in parentheses are the defaults of "balanced"
    and "seed".

    - `sizes`: "balanced" chooses all cuts of a document together; "seed" applies the thresholds and
      rules of the specification in stages.
    - `target_ideal`: a chunk of this size or more is full; with "seed", neighbouring sections are
      merged up to this size (0.75, 0.75).
    - `table_max`: a table above this size is cut between rows (1, 0.625).
    - `table_ideal`: the size of the slices of such a table (1, 0.375).
    - `table_min_last`: the smallest size of slices at the ends of a table, if possible; a share of
      `table_max` (0.2, 0.32).
    - `small_tail`: a chunk below this size is too small to stand alone (0.125, 0.125).
    - `anchor_length`: the maximum length, in characters, of an anchor: a line that reads like a
      heading, where a long section may be cut.
    - `anchors`: "nearest" makes chunks of even sizes, "furthest" makes full chunks.
    - `repeat_table_headers`: repeat the header rows of a table in each of its slices.
    - `guessed_headers`: the minimum confidence, 0 to 1, of an inferred header that is repeated. 1
      repeats none, 0 selects the default of `sizes` (0.6, 1).
    - `merge_top_level`: allow short chapters to share a chunk.
    - `inner`: another strategy, such as "V" or "PPL:threshold=0.5", that splits the sections over
      the limit and chunks documents without structure.
    """

    name: ClassVar[str] = "P"

    sizes: OneOf[Sizes, Literal["balanced", "seed"]] = cast("Any", Sizes.BALANCED)
    target_ideal: float = 0.0
    table_max: float = 0.0
    table_ideal: float = 0.0
    table_min_last: float = 0.0
    small_tail: float = 0.0
    anchor_length: int = 100
    anchors: OneOf[Anchors, Literal["nearest", "furthest"]] = cast("Any", Anchors.NEAREST)
    repeat_table_headers: bool = True
    guessed_headers: float = 0.0
    merge_top_level: bool = True
    inner: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in SizeDefaults._fields:
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise UsageError(
                    f"{name} is {share}; it must be from 0 to 1, where 0 selects "
                    f"the default of sizes={self.sizes}."
                )
        shares = self.with_defaults
        if shares.table_ideal > shares.table_max:
            raise UsageError(
                f"table_ideal is {shares.table_ideal}; it must not be above "
                f"table_max, {shares.table_max}."
            )
        if self.anchor_length < 1:
            raise UsageError(f"anchor_length is {self.anchor_length}; it must be 1 or more.")
        if self.inner:
            _inner_strategy(self.inner)

    @property
    def models(self) -> tuple[str, ...]:
        return _inner_strategy(self.inner).models if self.inner else ()

    @property
    def costs(self) -> tuple[Cost, ...]:
        """The costs of the inner strategy as an upper bound: it reads only the sections over the
        limit.
        """
        return costs_of(_inner_strategy(self.inner)) if self.inner else ()

    @property
    def with_defaults(self) -> SizeDefaults:
        """The settings that were set, and the defaults of `sizes` for those that are 0. A default
        table_ideal is at most table_max.
        """
        values = SizeDefaults(
            *(getattr(self, name) or value for name, value in self.selected_by_zero.items())
        )
        return (
            values
            if self.table_ideal
            else values._replace(table_ideal=min(values.table_ideal, values.table_max))
        )

    @property
    def selected_by_zero(self) -> Mapping[str, float]:
        """The values that `sizes` selects for the settings that are 0."""
        return _SIZE_POLICIES[self.sizes].defaults._asdict()

    def thresholds(self, max_tokens: int) -> Thresholds:
        """Return the sizes in tokens for a limit of `max_tokens`."""

        def share(ratio: float, whole: int) -> int:
            return max(1, int(ratio * whole + 1e-9))

        shares = self.with_defaults
        table_max = share(shares.table_max, max_tokens)
        return Thresholds(
            target_max=max_tokens,
            target_ideal=share(shares.target_ideal, max_tokens),
            table_max=table_max,
            table_ideal=share(shares.table_ideal, max_tokens),
            table_min_last=share(shares.table_min_last, table_max),
            small_tail=share(shares.small_tail, max_tokens),
        )

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:
        if not assembler.document.structured:
            if self.inner:
                return _inner_strategy(self.inner).stages(limits, assembler)
            log.warning(
                "paragraph_semantic: fallback to recursive_character: %s has no "
                "structure for P to follow, so R chunks it.",
                assembler.document.name,
            )
            return R().stages(limits, assembler)
        log.info(
            "paragraph_semantic: %s, %d blocks, at most %d tokens a chunk",
            assembler.document.name,
            len(assembler.contents),
            limits.max_tokens,
        )
        return _SIZE_POLICIES[self.sizes].stages(
            self, self.thresholds(limits.max_tokens), assembler
        )


def _balanced(strategy: P, sizes: Thresholds, assembler: Assembler) -> tuple[Stage, ...]:
    """Return the stages with the rules of `sizes=balanced`: all cuts are chosen together."""
    units = UnitRule(_table_sizes(strategy, sizes, sizes.target_max), strategy.anchor_length)
    seed = replace(strategy, sizes=Sizes.SEED).thresholds(sizes.target_max)
    return (
        Stage("glue_headings", partial(glue_headings, assembler)),
        *(
            [_slicing(strategy, seed, assembler), _division(strategy, assembler)]
            if strategy.inner
            else [Stage("slice_tables", partial(slice_in_place, assembler, units))]
        ),
        Stage("split", partial(split_into_units, assembler, units)),
        Stage("merge", partial(merge_at_best_cuts, assembler, cut_rule(strategy, sizes))),
        Stage("bridge", partial(bridge_chunks, assembler, units)),
        Stage("number_parts", partial(number_parts, assembler)),
    )


def cut_rule(strategy: P, sizes: Thresholds) -> CutRule:
    """Return the rule of the stage `merge` of `sizes=balanced`."""
    targets = SizeTargets(
        sizes.target_ideal / sizes.target_max,
        _POWERS[strategy.anchors],
    )
    return CutRule(targets, strategy.merge_top_level)


def _specified(strategy: P, sizes: Thresholds, assembler: Assembler) -> tuple[Stage, ...]:
    """Return the stages with the rules of `sizes=seed` (docs/design/staged-chunking.md)."""
    anchors = AnchorRule(strategy.anchor_length, Anchors(strategy.anchors))
    merging = MergeSizes(sizes.target_ideal, sizes.small_tail, strategy.merge_top_level)
    return (
        Stage("glue_headings", partial(glue_headings, assembler)),
        _slicing(strategy, sizes, assembler),
        Stage("bridge", partial(bridge_slices, assembler)),
        _division(strategy, assembler)
        if strategy.inner
        else Stage("split", partial(split_at_anchors, assembler, anchors)),
        Stage("number_parts", partial(number_parts, assembler)),
        Stage("merge", Merger(assembler, merging).merge),
    )


def _slicing(strategy: P, sizes: Thresholds, assembler: Assembler) -> Stage:
    tables = _table_sizes(strategy, sizes, assembler.smallest_limit)
    return Stage("slice_tables", partial(slice_tables, assembler, tables))


def _division(strategy: P, assembler: Assembler) -> Stage:
    """Return the stage in which the inner strategy divides long sections."""
    rule = _inner_strategy(strategy.inner).rule(assembler)
    return Stage("divide_long", partial(divide_long, assembler, rule))


def _table_sizes(strategy: P, sizes: Thresholds, unsliced: int) -> TableSizes:
    return TableSizes(
        max_tokens=sizes.table_max,
        ideal=sizes.table_ideal,
        least_last=sizes.table_min_last,
        longest_row=sizes.table_max,
        unsliced=unsliced,
        repeat_headers=strategy.repeat_table_headers,
        guessed_headers=strategy.with_defaults.guessed_headers,
    )


_POWERS: Final[Mapping[str, float]] = {Anchors.NEAREST: 2.0, Anchors.FURTHEST: 1.0}


class _SizePolicy(NamedTuple):
    defaults: SizeDefaults
    stages: Callable[[P, Thresholds, Assembler], tuple[Stage, ...]]


_SIZE_POLICIES: Final[Mapping[str, _SizePolicy]] = {
    Sizes.BALANCED: _SizePolicy(
        SizeDefaults(
            target_ideal=0.75,
            table_max=1.0,
            table_ideal=1.0,
            table_min_last=0.2,
            small_tail=0.125,
            guessed_headers=LEAST_CONFIDENCE,
        ),
        _balanced,
    ),
    Sizes.SEED: _SizePolicy(
        SizeDefaults(
            target_ideal=0.75,
            table_max=0.625,
            table_ideal=0.375,
            table_min_last=0.32,
            small_tail=0.125,
            guessed_headers=1.0,
        ),
        _specified,
    ),
}


def _inner_strategy(text: str) -> Dividing:
    """Return the inner strategy. Raise UsageError if it can only chunk whole documents."""
    strategy = named_strategy(text)
    if not isinstance(strategy, Dividing):
        raise UsageError(f"{text} cannot be used as inner: it chunks whole documents only.")
    return strategy
