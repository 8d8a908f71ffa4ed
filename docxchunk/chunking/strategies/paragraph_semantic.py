"""P: chunks that follow the document's own structure."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import ClassVar, Final, NamedTuple

from docxchunk.chunking.cuts import Aim
from docxchunk.chunking.headers import LEAST_CONFIDENCE
from docxchunk.chunking.pipeline import Cost, Dividing, Stage, costs_of
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.specification.bridge import bridge
from docxchunk.chunking.specification.merge import Merger, MergeSizes
from docxchunk.chunking.specification.number_parts import number_parts
from docxchunk.chunking.specification.split_long import AnchorRule, Anchors, split_long
from docxchunk.chunking.stages.blocks import glue_headings
from docxchunk.chunking.stages.cut import CutRule, cut
from docxchunk.chunking.stages.divide import divide_long
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.strategies.recursive import R
from docxchunk.chunking.strategy_spec import named_strategy
from docxchunk.chunking.stretches import Grain
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields

log = logging.getLogger("docxchunk.chunking")


class Sizes(StrEnum):
    """How P cuts: the values of its shares, and the stages that it runs."""

    BALANCED = "balanced"  # all cuts chosen together, and tables cut only where they do not fit
    SEED = "seed"  # the thresholds and the rules of the specification


class Shares(NamedTuple):
    """Shares of the limit N; `table_min_last` is a share of `table_max`."""

    target_ideal: float
    table_max: float
    table_ideal: float
    table_min_last: float
    small_tail: float


class Thresholds(NamedTuple):
    """In tokens: each a share of N, rounded down, at least 1."""

    target_max: int
    target_ideal: int
    table_max: int
    table_ideal: int
    table_min_last: int
    small_tail: int


@dataclass(frozen=True, slots=True)
class P:
    """Paragraph semantic chunking: follows headings, paragraphs and table rows. A document without structure is chunked by R.

    Those from `target_ideal` to `small_tail` are shares of `max_tokens`, at most 1. 0 stands for the value that `sizes` gives them: in brackets, first that of
    "balanced", then that of "seed".

    - `sizes`: "balanced" chooses all cuts of a document together; "seed" applies the thresholds and rules of the specification in stages.
    - `target_ideal`: from this size on a chunk counts as full; with "seed", neighbouring sections are merged up to it (0.75, 0.75).
    - `table_max`: a table that is larger is cut between rows (1, 0.625).
    - `table_ideal`: the size of the slices of such a table (1, 0.375).
    - `table_min_last`: smaller slices at the ends of a table are avoided; a share of `table_max` (0.2, 0.32).
    - `small_tail`: a chunk that is smaller counts as too small to stand alone (0.125, 0.125).
    - `anchor_length`: the most characters of a line that may be taken for a heading of what follows.
    - `anchors`: "nearest" makes chunks of even sizes, "furthest" full ones.
    - `repeat_table_headers`: show the header rows of a table again in each of its slices.
    - `guessed_headers`: the least confidence, 0 to 1, of an inferred header that is repeated; 1 repeats none, 0 stands for what `sizes` says (0.6, 1).
    - `merge_top_level`: let short chapters share a chunk.
    - `inner`: a strategy that divides text at sentences, such as "V" or "PPL:threshold=0.5". It splits the sections that are too long, and chunks
      documents without structure.
    """

    name: ClassVar[str] = "P"

    sizes: Sizes = Sizes.BALANCED
    target_ideal: float = 0.0
    table_max: float = 0.0
    table_ideal: float = 0.0
    table_min_last: float = 0.0
    small_tail: float = 0.0
    anchor_length: int = 100
    anchors: Anchors = Anchors.NEAREST
    repeat_table_headers: bool = True
    guessed_headers: float = 0.0
    merge_top_level: bool = True
    inner: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in (*Shares._fields, "guessed_headers"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise UsageError(f"{name} is {share}; it is a share, over 0 and at most 1, or 0 for what sizes={self.sizes} says.")
        shares = self.shares
        if shares.table_ideal > shares.table_max:
            raise UsageError(f"table_ideal is {shares.table_ideal}, which is over table_max, {shares.table_max}.")
        if self.anchor_length < 1:
            raise UsageError(f"anchor_length is {self.anchor_length}; it must be 1 or more.")
        if self.inner:
            _inside(self.inner)

    @property
    def models(self) -> tuple[str, ...]:
        return _inside(self.inner).models if self.inner else ()

    @property
    def costs(self) -> tuple[Cost, ...]:
        """At most: what another strategy divides is only what is too long."""
        return costs_of(_inside(self.inner)) if self.inner else ()

    @property
    def shares(self) -> Shares:
        """Those that were set, and those of `sizes` for the others; a table_ideal that is not set is at most table_max."""
        usual = _POLICIES[self.sizes].shares
        found = Shares(*(getattr(self, name) or share for name, share in usual._asdict().items()))
        return found if self.table_ideal else found._replace(table_ideal=min(found.table_ideal, found.table_max))

    @property
    def least_confidence(self) -> float:
        """From which confidence on a guessed header is repeated."""
        return self.guessed_headers or _POLICIES[self.sizes].guessed_headers

    def thresholds(self, max_tokens: int) -> Thresholds:
        def share(ratio: float, whole: int) -> int:
            return max(1, int(ratio * whole + 1e-9))

        shares = self.shares
        table_max = share(shares.table_max, max_tokens)
        return Thresholds(
            target_max=max_tokens,
            target_ideal=share(shares.target_ideal, max_tokens),
            table_max=table_max,
            table_ideal=share(shares.table_ideal, max_tokens),
            table_min_last=share(shares.table_min_last, table_max),
            small_tail=share(shares.small_tail, max_tokens),
        )

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:
        if not services.document.structured:
            if self.inner:
                return _inside(self.inner).stages(limits, services)
            log.warning("paragraph_semantic: %s has no structure; fallback to recursive_character", services.document.name)
            return R().stages(limits, services)
        log.info("paragraph_semantic: %s, %d blocks, at most %d tokens a chunk", services.document.name, len(services.contents), limits.max_tokens)
        return _POLICIES[self.sizes].stages(self, self.thresholds(limits.max_tokens), services)


def _balanced(strategy: P, sizes: Thresholds, services: Services) -> tuple[Stage, ...]:
    """All cuts are chosen together. Where `inner` is set, it divides the long sections first, and tables are sliced by the specification."""
    return (
        Stage("glue_headings", partial(glue_headings, services)),
        *_divided(strategy, replace(strategy, sizes=Sizes.SEED).thresholds(sizes.target_max), services),
        Stage("cut", partial(cut, services, cut_rule(strategy, sizes))),
    )


def cut_rule(strategy: P, sizes: Thresholds) -> CutRule:
    """How the stage `cut` of balanced sizes cuts."""
    grain = Grain(sizes.table_max, sizes.table_ideal, sizes.table_min_last, strategy.anchor_length, strategy.repeat_table_headers, strategy.least_confidence)
    aim = Aim(sizes.target_ideal / sizes.target_max, sizes.small_tail / sizes.target_max, _POWERS[strategy.anchors])
    return CutRule(grain, aim, strategy.merge_top_level)


def _specified(strategy: P, sizes: Thresholds, services: Services) -> tuple[Stage, ...]:
    """Stages B to E of the specification."""
    long = _divided(strategy, sizes, services) or (
        *_sliced(strategy, sizes, services),
        Stage("split_long", partial(split_long, services, AnchorRule(strategy.anchor_length, strategy.anchors))),
    )
    merging = MergeSizes(sizes.target_ideal, sizes.small_tail, strategy.merge_top_level)
    return (
        Stage("glue_headings", partial(glue_headings, services)),
        *long,
        Stage("number_parts", number_parts),
        Stage("merge", Merger(services, merging).merge),
    )


def _divided(strategy: P, sizes: Thresholds, services: Services) -> tuple[Stage, ...]:
    """What is too long, divided by another strategy; nothing where none is asked for."""
    if not strategy.inner:
        return ()
    return (*_sliced(strategy, sizes, services), Stage("divide_long", partial(divide_long, services, _inside(strategy.inner).rule(services))))


def _sliced(strategy: P, sizes: Thresholds, services: Services) -> tuple[Stage, ...]:
    most, ideal, least = sizes.table_max, sizes.table_ideal, sizes.table_min_last
    tables = TableSizes(most, ideal, least, most, services.least_cap, strategy.repeat_table_headers, strategy.least_confidence)
    return Stage("slice_tables", partial(slice_tables, services, tables)), Stage("bridge", partial(bridge, services))


_POWERS: Final[Mapping[Anchors, float]] = {Anchors.NEAREST: 2.0, Anchors.FURTHEST: 1.0}


class _Policy(NamedTuple):
    shares: Shares
    guessed_headers: float
    stages: Callable[[P, Thresholds, Services], tuple[Stage, ...]]


_POLICIES: Final[Mapping[Sizes, _Policy]] = {
    Sizes.BALANCED: _Policy(Shares(target_ideal=0.75, table_max=1.0, table_ideal=1.0, table_min_last=0.2, small_tail=0.125), LEAST_CONFIDENCE, _balanced),
    Sizes.SEED: _Policy(Shares(target_ideal=0.75, table_max=0.625, table_ideal=0.375, table_min_last=0.32, small_tail=0.125), 1.0, _specified),
}


def _inside(text: str) -> Dividing:
    """The strategy of that name and settings. Raises UsageError for one that only chunks whole documents."""
    found = named_strategy(text)
    if not isinstance(found, Dividing):
        raise UsageError(f"{text} divides no sections: it cannot be the inside of P.")
    return found
