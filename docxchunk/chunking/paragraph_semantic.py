"""P and P-staged: chunks that follow the structure of the document.

How P chooses a cut (docs/concepts/how-p-works.md): `split` divides what does not fit into units,
`prices` has the price of a cut before each line, and `best_cuts` takes the cheapest cuts of the
whole document. P-staged has the rules of `staged` (docs/design/staged-chunking.md).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, ClassVar, Final, Literal, cast

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.best_cuts import CutRule, SizeTargets, merge_at_best_cuts
from docxchunk.chunking.divide import R, divide_long
from docxchunk.chunking.sections import glue_headings, number_parts
from docxchunk.chunking.split import UnitRule, split_into_units
from docxchunk.chunking.staged import (
    AnchorRule,
    Anchors,
    Merger,
    MergeSizes,
    split_at_anchors,
)
from docxchunk.chunking.strategy import Cost, Dividing, Stage, costs_of, named_strategy
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.table_stages import bridge_chunks, bridge_slices, slice_tables
from docxchunk.content.table_texts import LEAST_CONFIDENCE
from docxchunk.errors import UsageError
from docxchunk.model.fields import OneOf, check_fields
from docxchunk.model.options import ChunkLimits, Setting

log = logging.getLogger("docxchunk.chunking")

_POWERS: Final[Mapping[str, float]] = {Anchors.NEAREST: 2.0, Anchors.FURTHEST: 1.0}
_AT_END: Final = 0.2  # of `table_max`: slices at the ends of a table are smaller only if necessary
_SHARES: Final = (
    *("target_ideal", "table_max", "table_ideal", "table_min_last", "small_tail"),
    "guessed_headers",
)
"""The settings that are above 0 and at most 1."""


def share_of(ratio: float, tokens: int) -> int:
    """Return a share of a number of tokens, rounded down and at least 1."""
    return max(1, int(ratio * tokens + 1e-9))


@dataclass(frozen=True, slots=True)
class _BySections:
    """The settings and stages that P and P-staged have in common."""

    name: ClassVar[str]
    older: ClassVar[Mapping[str, Setting]]

    target_ideal: float = 0.75
    table_max: float = 1.0
    anchor_length: int = 100
    anchors: OneOf[Anchors, Literal["nearest", "furthest"]] = cast("Any", Anchors.NEAREST)
    repeat_table_headers: bool = True
    guessed_headers: float = LEAST_CONFIDENCE
    merge_top_level: bool = True
    inner: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in _SHARES and not 0 < value <= 1:
                raise UsageError(f"{field.name} is {value}; it must be above 0 and at most 1.")
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
    def hashed(self) -> dict[str, Setting]:
        """The settings in the form that ids of chunks are made of, so that ids stay: that of 0.2,
        in which both strategies were P, and 0 stood for a default.
        """
        set_here = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        return {**dict.fromkeys(_SHARES, 0.0), **self.older, **set_here}

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:
        """Return the stages of the strategy, or those of R for a document without structure."""
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
        return self.own_stages(limits.max_tokens, assembler)

    def own_stages(self, max_tokens: int, assembler: Assembler) -> tuple[Stage, ...]:
        raise NotImplementedError

    def division(self, assembler: Assembler) -> Stage:
        """Return the stage in which the inner strategy divides long sections."""
        rule = _inner_strategy(self.inner).rule(assembler)
        return Stage("divide_long", partial(divide_long, assembler, rule))


@dataclass(frozen=True, slots=True)
class P(_BySections):
    """Paragraph semantic chunking: follows headings, paragraphs and table rows, and chooses all
    cuts of a document together. A document without structure is chunked by R.

    - `target_ideal`: a chunk under this share of `max_tokens` costs more.
    - `table_max`: a table above this share of `max_tokens` is cut between rows.
    - `anchor_length`: the maximum length, in characters, of a line that reads like a heading.
    - `anchors`: "nearest" makes chunks of even sizes, "furthest" makes full chunks.
    - `repeat_table_headers`: repeat the header rows of a table in each of its slices.
    - `guessed_headers`: the minimum confidence of an inferred header that is repeated. 1 repeats
      none.
    - `merge_top_level`: allow short chapters to share a chunk.
    - `inner`: another strategy, such as "V" or "PPL:threshold=0.5", for sections over the limit and
      documents without structure.
    """

    name: ClassVar[str] = "P"
    older: ClassVar[Mapping[str, Setting]] = {"sizes": "balanced"}

    def own_stages(self, max_tokens: int, assembler: Assembler) -> tuple[Stage, ...]:
        units = UnitRule(self.table_sizes(max_tokens), self.anchor_length)
        return (
            Stage("glue_headings", partial(glue_headings, assembler)),
            *(self._inner_stages(max_tokens, assembler) if self.inner else ()),
            Stage("split", partial(split_into_units, assembler, units)),
            Stage("merge", partial(merge_at_best_cuts, assembler, self.cut_rule)),
            Stage("bridge", partial(bridge_chunks, assembler, self.anchor_length)),
            Stage("number_parts", partial(number_parts, assembler)),
        )

    def _inner_stages(self, max_tokens: int, assembler: Assembler) -> tuple[Stage, ...]:
        """Return the stages in which the tables and then the sections over the limit are cut, the
        tables as by P-staged.
        """
        staged = PStaged()
        staged = replace(
            staged,
            table_max=min(self.table_max, staged.table_max),
            repeat_table_headers=self.repeat_table_headers,
            guessed_headers=self.guessed_headers,
        )
        return staged.slicing(max_tokens, assembler), self.division(assembler)

    @property
    def cut_rule(self) -> CutRule:
        """The rule of the stage `merge`."""
        return CutRule(SizeTargets(self.target_ideal, _POWERS[self.anchors]), self.merge_top_level)

    def table_sizes(self, max_tokens: int) -> TableSizes:
        """Return the sizes of slices for a limit of `max_tokens`."""
        table_max = share_of(self.table_max, max_tokens)
        return TableSizes(
            max_tokens=table_max,
            ideal=table_max,
            least_last=share_of(_AT_END, table_max),
            repeat_headers=self.repeat_table_headers,
            guessed_headers=self.guessed_headers,
        )


@dataclass(frozen=True, slots=True)
class PStaged(_BySections):
    """P in stages, with the thresholds and rules of its specification. The settings that are not
    described here are those of P.

    - `target_ideal`: neighbouring sections are merged up to this share of `max_tokens`.
    - `table_ideal`: the size of slices of tables, at most `table_max`; a share of `max_tokens`.
    - `table_min_last`: a last slice under this share of `table_max` is joined with the slice before
      it.
    - `small_tail`: a full chunk may take the sections after it if together they are under this
      share of `max_tokens`.
    """

    name: ClassVar[str] = "P-staged"
    older: ClassVar[Mapping[str, Setting]] = {"strategy": "P", "sizes": "seed"}

    table_max: float = 0.625
    guessed_headers: float = 1.0
    table_ideal: float = 0.375
    table_min_last: float = 0.32
    small_tail: float = 0.125

    def own_stages(self, max_tokens: int, assembler: Assembler) -> tuple[Stage, ...]:
        anchors = AnchorRule(self.anchor_length, Anchors(self.anchors))
        return (
            Stage("glue_headings", partial(glue_headings, assembler)),
            self.slicing(max_tokens, assembler),
            Stage("bridge", partial(bridge_slices, assembler)),
            self.division(assembler)
            if self.inner
            else Stage("split", partial(split_at_anchors, assembler, anchors)),
            Stage("number_parts", partial(number_parts, assembler)),
            Stage("merge", Merger(assembler, self.merge_sizes(max_tokens)).merge),
        )

    def slicing(self, max_tokens: int, assembler: Assembler) -> Stage:
        """Return the stage in which tables are cut."""
        sizes = self.table_sizes(max_tokens)
        return Stage("slice_tables", partial(slice_tables, assembler, sizes))

    def merge_sizes(self, max_tokens: int) -> MergeSizes:
        """Return the sizes of merged chunks for a limit of `max_tokens`."""
        return MergeSizes(
            share_of(self.target_ideal, max_tokens),
            share_of(self.small_tail, max_tokens),
            self.merge_top_level,
        )

    def table_sizes(self, max_tokens: int) -> TableSizes:
        """Return the sizes of slices for a limit of `max_tokens`."""
        table_max = share_of(self.table_max, max_tokens)
        return TableSizes(
            max_tokens=table_max,
            ideal=share_of(min(self.table_ideal, self.table_max), max_tokens),
            least_last=share_of(self.table_min_last, table_max),
            repeat_headers=self.repeat_table_headers,
            guessed_headers=self.guessed_headers,
        )


def _inner_strategy(text: str) -> Dividing:
    """Return the inner strategy. Raise UsageError if it can only chunk whole documents."""
    strategy = named_strategy(text)
    if not isinstance(strategy, Dividing):
        raise UsageError(f"{text} cannot be used as inner: it chunks whole documents only.")
    return strategy
