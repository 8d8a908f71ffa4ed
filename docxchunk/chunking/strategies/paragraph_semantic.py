"""P: chunks that follow the document's own structure (seed 002)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

from docxchunk.chunking.named import named_strategy
from docxchunk.chunking.pipeline import Dividing, Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.blocks import glue_headings
from docxchunk.chunking.stages.bridge import bridge
from docxchunk.chunking.stages.merge import Merger, MergeSizes
from docxchunk.chunking.stages.number_parts import number_parts
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.stages.split_long import AnchorRule, Anchors, divide_long, split_long
from docxchunk.chunking.strategies.recursive import R
from docxchunk.chunking.table_slices import TableSizes
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields

log = logging.getLogger("docxchunk.chunking")


class Thresholds(NamedTuple):
    """In tokens (seed 002, 4): each a share of N, rounded down, at least 1."""

    target_max: int
    target_ideal: int
    table_max: int
    table_ideal: int
    table_min_last: int
    small_tail: int


@dataclass(frozen=True, slots=True)
class P:
    """Paragraph semantic chunking: follows headings, paragraphs and table rows. A document without structure is chunked by R.

    Shares are those of `max_tokens`, over 0 and at most 1, unless something else is said.

    - `target_ideal`: the size up to which neighbouring sections are merged.
    - `table_max`: a table that is larger is cut between rows.
    - `table_ideal`: the size of the slices that it is cut into.
    - `table_min_last`: a last slice that is smaller joins the one before it; a share of `table_max`.
    - `small_tail`: a rest of a section that is smaller joins the part before it.
    - `anchor_length`: the most characters of a short paragraph that reads like a heading, at which a long section may be split.
    - `anchors`: at which of these paragraphs it is split: "nearest" or "furthest".
    - `repeat_table_headers`: show the header rows that the author marked again in each slice of a table.
    - `guessed_headers`: repeat also a first row that only looks like a header (`header_guess` of tables.json).
    - `merge_top_level`: let short chapters share a chunk.
    - `inner`: a strategy that divides sentences, such as "V" or "PPL:threshold=0.5": it splits the sections that are too long, in place of anchors, and
      chunks what has no structure.
    """

    name: ClassVar[str] = "P"

    target_ideal: float = 0.75
    table_max: float = 0.625
    table_ideal: float = 0.375
    table_min_last: float = 0.32
    small_tail: float = 0.125
    anchor_length: int = 100
    anchors: Anchors = Anchors.NEAREST
    repeat_table_headers: bool = True
    guessed_headers: bool = False
    merge_top_level: bool = True
    inner: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("target_ideal", "table_max", "table_ideal", "table_min_last", "small_tail"):
            share = getattr(self, name)
            if not 0 < share <= 1:
                raise UsageError(f"{name} is {share}; it is a share, over 0 and at most 1.")
        if self.table_ideal > self.table_max:
            raise UsageError(f"table_ideal is {self.table_ideal}, which is over table_max, {self.table_max}.")
        if self.anchor_length < 1:
            raise UsageError(f"anchor_length is {self.anchor_length}; it must be 1 or more.")
        if self.inner:
            _inside(self.inner)

    @property
    def models(self) -> tuple[str, ...]:
        return _inside(self.inner).models if self.inner else ()

    def thresholds(self, max_tokens: int) -> Thresholds:
        def share(ratio: float, whole: int) -> int:
            return max(1, int(ratio * whole + 1e-9))

        table_max = share(self.table_max, max_tokens)
        return Thresholds(
            target_max=max_tokens,
            target_ideal=share(self.target_ideal, max_tokens),
            table_max=table_max,
            table_ideal=share(self.table_ideal, max_tokens),
            table_min_last=share(self.table_min_last, table_max),
            small_tail=share(self.small_tail, max_tokens),
        )

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:
        if not services.document.structured:
            if self.inner:
                return _inside(self.inner).stages(limits, services)
            log.warning("paragraph_semantic: %s has no structure; fallback to recursive_character", services.document.name)
            return R().stages(limits, services)
        sizes = self.thresholds(limits.max_tokens)
        log.info("paragraph_semantic: %s, %d blocks, at most %d tokens a chunk", services.document.name, len(services.contents), limits.max_tokens)
        tables = TableSizes(
            sizes.table_max, sizes.table_ideal, sizes.table_min_last, sizes.table_max, services.least_cap, self.repeat_table_headers, self.guessed_headers
        )
        merging = MergeSizes(sizes.target_ideal, sizes.small_tail, self.merge_top_level)
        return (
            Stage("glue_headings", partial(glue_headings, services)),
            Stage("slice_tables", partial(slice_tables, services, tables)),
            Stage("bridge", partial(bridge, services)),
            self._splitting(services),
            Stage("number_parts", number_parts),
            Stage("merge", Merger(services, merging).merge),
        )

    def _splitting(self, services: Services) -> Stage:
        if not self.inner:
            return Stage("split_long", partial(split_long, services, AnchorRule(self.anchor_length, self.anchors)))
        return Stage("divide_long", partial(divide_long, services, _inside(self.inner).rule(services)))


def _inside(text: str) -> Dividing:
    """The strategy of that name and settings. Raises UsageError for one that only chunks whole documents."""
    found = named_strategy(text)
    if not isinstance(found, Dividing):
        raise UsageError(f"{text} divides no sections: it cannot be the inside of P.")
    return found
