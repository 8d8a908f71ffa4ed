"""Cut a whole document at once: divide sections over the limit, combine short ones, and choose all
cuts together.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from operator import add

from docxchunk.chunking import cut_prices
from docxchunk.chunking.packing import CutCosts, SizeTargets, cheapest_cuts
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.blocks import is_heading_alone, is_under
from docxchunk.chunking.units import (
    STRETCHES_PER_CHUNK,
    Stretch,
    StretchDivider,
    StretchSizes,
    breaks_after,
    sizes_of,
    spans_of,
)
from docxchunk.markup.tags import plain
from docxchunk.model.chunks import SliceRole

log = logging.getLogger("docxchunk.chunking")


@dataclass(frozen=True, slots=True)
class CutRule:
    stretch_sizes: StretchSizes
    targets: SizeTargets
    top_level: bool = True  # chapters of level 1 may share a chunk
    flat: bool = False  # ignore headings: a baseline of the evaluation


def cut(services: Services, rule: CutRule, pieces: list[Piece]) -> list[Piece]:
    """Return the chunks. Each has the heading of the section that it begins in, and may continue
    with its sibling sections and subsections.
    """
    stretches = _stretches(services, rule, pieces)
    costs = _costs(services, rule, stretches)
    while stretches:
        cuts = [0, *cheapest_cuts(costs, rule.targets), len(stretches)]
        made = [
            _piece(
                services,
                stretches[first:last],
                stretches[before].start,
                costs.caps[first],
                pieces[0],
            )
            for before, first, last in _around(cuts)
        ]
        over = [
            (first, last)
            for (first, last), piece in zip(pairwise(cuts), made, strict=True)
            if piece.tokens > costs.caps[first] and last > first + 1
        ]
        if not over:
            return _numbered(services, made)
        log.debug("cuts: %d chunks came out over the limit; they will be shorter", len(over))
        for first, last in over:
            costs.reach[first] = last - 1
    return []


def _around(cuts: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield, for each chunk, the start of the chunk before it, its own start and its end."""
    before = 0
    for first, last in pairwise(cuts):
        yield before, first, last
        before = first


# -- stretches


def _stretches(services: Services, rule: CutRule, pieces: Sequence[Piece]) -> list[Stretch]:
    """Return the stretches of a document: one for a piece that fits or for several very short ones,
    several for a piece over the limit.
    """
    found: list[Stretch] = []
    for group, fits in _together(services, rule, pieces):
        opening = group[0].spans[0]
        price = _price(services, found[-1], opening.block) if found else 0.0
        if fits:
            spans = tuple(chain.from_iterable(piece.spans for piece in group))
            found.append(
                Stretch(
                    opening.block,
                    opening.start,
                    opening.end,
                    price,
                    spans=spans,
                    apart=bool(found) and _share_table(found[-1].spans, spans),
                )
            )
        else:
            # none for a table of blanks
            divided = StretchDivider(services, rule.stretch_sizes, group[0]).stretches
            if found and divided:
                divided[0] = divided[0]._replace(
                    price=price, apart=_share_table(found[-1].spans, divided[0].spans)
                )
            found += divided
    return found


def _together(
    services: Services, rule: CutRule, pieces: Sequence[Piece]
) -> Iterator[tuple[list[Piece], bool]]:
    """Yield groups of pieces that become one stretch, and whether the group fits into a chunk. A
    piece over the limit is a group of its own.
    """
    short = services.limits.max_tokens // STRETCHES_PER_CHUNK
    group: list[Piece] = []
    tokens, group_fits = 0, False
    for piece in pieces:
        fits = piece.tokens <= services.cap(piece.parents, piece.heading)
        short_together = fits and group_fits and tokens + piece.tokens <= short
        if short_together and _goes_with(
            services, rule, group[0].spans[0].block, piece.spans[0].block
        ):
            group.append(piece)
            tokens += piece.tokens
            continue
        if group:
            yield group, group_fits
        group, group_fits, tokens = [piece], fits, piece.tokens
    if group:
        yield group, group_fits


def _goes_with(services: Services, rule: CutRule, block: int, following: int) -> bool:
    """Return whether a section may share a chunk with the section right before it: a sibling, or
    its parent.
    """
    one, other = services.document.blocks[block], services.document.blocks[following]
    if rule.flat:
        return True
    beside = (
        one.level == other.level
        and one.parent_headings == other.parent_headings
        and (one.level > 1 or (one.level == 1 and rule.top_level))
    )
    return beside or is_under(other, one)


def _price(services: Services, before: Stretch, block: int) -> float:
    """Return the price of a cut before a section."""
    blocks = services.document.blocks
    last = before.spans[-1].block if before.spans else before.block
    if last == block:
        return cut_prices.PARAGRAPH
    return (
        cut_prices.SUBSECTION
        if is_under(blocks[block], blocks[last])
        else min(cut_prices.SECTION * (blocks[block].level - 1), cut_prices.SUBSECTION)
    )


def _share_table(before: Sequence[Span], after: Sequence[Span]) -> bool:
    """Return whether both contain slices of the same table, which never share a chunk."""
    tables = {span.rows.id for span in before if span.rows}
    return bool(tables) and any(span.rows.id in tables for span in after if span.rows)


def _costs(services: Services, rule: CutRule, stretches: Sequence[Stretch]) -> CutCosts:
    blocks = services.document.blocks
    breaks = breaks_after(stretches)
    sizes = sizes_of(services, stretches)
    before = [*accumulate(map(add, sizes, breaks), initial=0)]
    caps = {
        number: services.cap(blocks[number].parent_headings, blocks[number].heading)
        for number in {stretch.block for stretch in stretches}
    }
    return CutCosts(
        before=before,
        opening=[stretch.opening for stretch in stretches],
        closing=[stretch.closing - ends for stretch, ends in zip(stretches, breaks, strict=True)],
        price=[stretch.price for stretch in stretches],
        inside=[-1, *(b.block if a.block == b.block else -1 for a, b in pairwise(stretches))],
        caps=[caps[stretch.block] for stretch in stretches],
        reach=_reach(services, rule, stretches, before),
    )


def _reach(
    services: Services, rule: CutRule, stretches: Sequence[Stretch], before: Sequence[int]
) -> list[int]:
    """Return for each stretch the furthest end of a chunk that begins with it. It may extend over
    siblings and subsections, but not into a higher section.
    """
    blocks, most = services.document.blocks, services.limits.max_tokens
    levels = [0 if rule.flat else blocks[stretch.block].level for stretch in stretches]
    kin = _kin(services, rule, stretches)
    turns = [
        number
        for number in range(1, len(stretches))
        if kin[number] != number - 1 or levels[number] < levels[number - 1]
    ]
    found: list[int] = []
    upcoming = 0  # index in `turns` of the first one after the stretch
    for first, level in enumerate(levels):
        full = bisect_left(before, before[first] + most, first + 1, len(stretches))
        while upcoming < len(turns) and turns[upcoming] <= first:
            upcoming += 1
        turn = upcoming
        while (
            turn < len(turns)
            and (place := turns[turn]) < full
            and kin[place] >= first
            and levels[place] >= level
        ):
            turn += 1
        found.append(min(full, turns[turn]) if turn < len(turns) else full)
    return found


def _kin(services: Services, rule: CutRule, stretches: Sequence[Stretch]) -> list[int]:
    """Return for each stretch the last one before it that is in the same section, a sibling or a
    parent; -1 if there is none.
    """
    if rule.flat:
        return [-1 if stretch.apart else number - 1 for number, stretch in enumerate(stretches)]
    blocks = services.document.blocks
    beside: dict[tuple[int, tuple[str, ...]], int] = {}
    above: dict[tuple[str, ...], int] = {}
    found: list[int] = []
    last = -1
    for number, stretch in enumerate(stretches):
        if stretch.apart:
            found.append(-1)
        elif stretch.block == last:
            found.append(number - 1)
        else:
            block = blocks[stretch.block]
            parents = block.parent_headings
            peer = (
                beside.get((block.level, parents), -1) if block.level > 1 or rule.top_level else -1
            )
            size = len(parents)
            # none is later than the stretch right before this one
            while size and peer < number - 1:
                peer = max(peer, above.get(parents[:size], -1))
                size -= 1
            found.append(peer)
        held = (
            list(dict.fromkeys(span.block for span in stretch.spans))
            if stretch.spans
            else [stretch.block]
        )
        last = held[-1]
        if number + 1 < len(stretches) and stretches[number + 1].block == last:
            held.pop()  # the next stretch continues this section
        for of in map(blocks.__getitem__, held):
            if of.level:
                beside[of.level, of.parent_headings] = above[*of.parent_headings, of.heading] = (
                    number
                )
    return found


# -- pieces


def _piece(
    services: Services, stretches: Sequence[Stretch], earliest: int, cap: int, like: Piece
) -> Piece:
    """Return a chunk of some stretches, under the heading of its first section; `earliest` is the
    earliest start of an overlap.
    """
    opening = stretches[0]
    spans = spans_of(services, stretches, cap)
    piece = services.opening(spans, like)
    if label := _label(services, opening):
        piece = piece._replace(label=label)
    start = max(opening.lead, earliest) if opening.lead is not None else opening.start
    if start >= opening.start:
        return piece
    lead = services.slice(opening.block, start, opening.start, SliceRole.OVERLAP)
    led = services.piece([lead, *spans], piece)
    return led if lead.tokens * 2 <= piece.tokens and led.tokens <= cap else piece


def _label(services: Services, opening: Stretch) -> str:
    """Return the first line of a part of a section if it reads like a heading, else ""."""
    if opening.line_class is None or not opening.line_class.label or not opening.start:
        return ""
    return plain(
        services.contents[opening.block][opening.start : opening.end].split("\n", 1)[0]
    ).strip()


def _numbered(services: Services, pieces: list[Piece]) -> list[Piece]:
    """Set `part`, from 1, of the pieces of each block that was cut. Headings without text right
    before it belong to its first piece.
    """
    held = [list(dict.fromkeys(span.block for span in piece.spans)) for piece in pieces]
    times = Counter(chain.from_iterable(held))
    seen = dict.fromkeys(times, 0)
    done: list[Piece] = []
    for piece, blocks in zip(pieces, held, strict=True):
        for block in blocks:
            seen[block] += 1
        opened = next(
            (a for a, b in pairwise(blocks) if times[a] > 1 or not _stands_over(services, a, b)),
            blocks[-1],
        )
        done.append(piece._replace(block=opened, part=seen[opened]) if times[opened] > 1 else piece)
    return done


def _stands_over(services: Services, block: int, below: int) -> bool:
    blocks = services.document.blocks
    return is_heading_alone(blocks[block]) and is_under(blocks[below], blocks[block])
