"""Explain the cuts of a document: what each costs, what the best other chunks of its text cost,
and what decided.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import getitem
from typing import Final, NamedTuple

from docxchunk.chunking.best_cuts import STRADDLING, Search, SizeCosts, cheapest_cuts, is_apart
from docxchunk.chunking.pieces import Cut, Piece
from docxchunk.chunking.prices import Price
from docxchunk.chunking.units import Units, UnitSequence
from docxchunk.content.pipe_tables import readable

_BY_RULE: Final = Cut(Price(0, "the rule of the strategy"))


class ExplainedCut(NamedTuple):
    """The cut before a piece: the lines before and after it, its price, what is on its two sides in
    words, and the numbers of tokens of the two chunks.

    - `here`: what these chunks cost.
    - `other`: what the best other chunks of their text cost. None if there are none, or if the
      strategy does not compare costs.
    - `place`: the first cut between these other chunks: what is on its two sides, and the line
      after it; "" if they are one chunk.
    - `why`: what decided, in words.

    `price` and `here` are None if a rule without prices made the cut.
    """

    piece: int
    before: str
    after: str
    price: float | None
    reason: str
    left: int
    right: int
    here: ChunkPlan | None = None
    other: ChunkPlan | None = None
    place: str = ""
    why: str = ""


def explained_cuts(pieces: Sequence[Piece]) -> Iterator[ExplainedCut]:
    """Yield each cut between two of the pieces of a document."""
    for number, (left, right) in enumerate(pairwise(pieces), 1):
        cut = right.cut or _BY_RULE
        explained = ExplainedCut(
            number,
            _line(left.text, -1),
            _line(right.text, 0),
            None,
            cut.price.reason,
            left.tokens,
            right.tokens,
        )
        if units := cut.units:
            here, other, place, why = (
                compared(cut.search, cut.number) if cut.search else _one_later(cut, left, right)
            )
            explained = explained._replace(
                before=_last_line(units, cut.number - 1),
                after=_first_line(units, cut.number),
                price=float(cut.price),
                here=here,
                other=other,
                place=f"{units.prices[place].reason}: {_first_line(units, place)}" if place else "",
                why=why,
            )
        yield explained


def _one_later(cut: Cut, left: Piece, right: Piece) -> CutPlans:
    """Return the plan of the two chunks around a cut. If it is a cut between units of a sequence,
    say also how large the first chunk would be with a cut one unit later.
    """
    units, place, why = cut.units, cut.number + 1, ""
    if isinstance(units, UnitSequence):
        tokens = left.tokens + [*units.before, units.total][place] - units.before[cut.number]
        price = f" (price {units.prices[place]:g})" if place < len(units) else ""
        cap = units.assembler.smallest_limit
        why = f"One place later{price}, a chunk would have {tokens:,} of {cap:,} tokens."
    return ChunkPlan([left.tokens, right.tokens], {"cuts": float(cut.price)}), None, 0, why


def _first_line(units: Units, number: int) -> str:
    return _line(units.raw(number), 0)


def _last_line(units: Units, number: int) -> str:
    spans = units.spans_of(number)
    return _line(spans[-1].text if len(spans) > 1 else units.raw(number), -1)


def _line(text: str, number: int) -> str:
    """Return a line of a text without tags."""
    lines = [line for line in readable(text).split("\n") if line.strip()]
    return " ".join(lines[number].split()) if lines else ""


TWO_SECTIONS: Final = "two sections"


class ChunkPlan(NamedTuple):
    """Consecutive chunks. `tokens` has the estimated size of each chunk. `costs` has the sums of
    three costs: the cuts between the chunks, their sizes, and `STRADDLING` for each chunk with
    parts of two sections.
    """

    tokens: list[int]
    costs: dict[str, float]


CutPlans = tuple[ChunkPlan, ChunkPlan | None, int, str]
"""The two chunks around a cut; the best other chunks of their text, if there are any; the first cut
between those, 0 if it is one chunk; and what decided, in words.
"""


# -- the cuts of P


def compared(search: Search, cut: int) -> CutPlans:
    """Compare the two chunks around a cut with all chunks of the same text without this cut."""
    number = bisect_left(search.cuts, cut)
    first, _, last = around = search.cuts[number - 1 : number + 2]
    cuts = cheapest_cuts(search.costs, search.rule.targets, first, last, cut)
    here, other = _plan(search, around), None
    if cuts is not None:
        other = _plan(search, [first, *cuts, last])
    return here, other, cuts[0] if cuts else 0, _why(search, number, here, other)


def _plan(search: Search, cuts: Sequence[int]) -> ChunkPlan:
    (_, _, prices, inside, _, caps, _), chunks = search.costs, list(pairwise(cuts))
    tokens = [_tokens(search, *chunk) for chunk in chunks]
    sizes = [SizeCosts(caps[first], search.rule.targets) for first in cuts[:-1]]
    halves = sum(-1 != inside[first] != inside[last] != -1 for first, last in chunks)
    costs = {
        "cuts": sum(map(prices.__getitem__, cuts[1:-1])),
        "sizes": sum(map(getitem, sizes, tokens)),
        TWO_SECTIONS: STRADDLING * halves,
    }
    return ChunkPlan(tokens, costs)


def _tokens(search: Search, first: int, last: int) -> int:
    return search.costs.ends[last] - search.costs.before[first] + search.costs.opening[first]


def _excess(search: Search, first: int, last: int) -> str:
    """Return the size of a chunk over the limit, in words; "" for other chunks."""
    tokens, cap = _tokens(search, first, last), search.costs.caps[first]
    return f"{tokens:,} of {cap:,} tokens" if tokens > cap else ""


def _why(search: Search, number: int, here: ChunkPlan, other: ChunkPlan | None) -> str:
    """Return what decided that chunks `number` and `number + 1`, from 1, are cut there."""
    (first, cut, last), price = search.cuts[number - 1 : number + 2], search.costs.price
    excess = _excess(search, first, last)
    if rule := _rule_against(search, number, first, cut):
        return f"{'Not later:' if excess else 'Both fit, but'} {rule}."
    places = [at for at in range(first + 1, last) if at != cut]
    if other is None:
        rule = "any other cut leaves a chunk over the limit"
        if not places:
            rule = "a section that fits is not cut"
        elif not all(_excess(search, first, at) or _excess(search, at, last) for at in places):
            rule = "other cuts leave too little text or unrelated sections"
        return f"Together {excess or 'too many tokens'}, and {rule}."
    cheaper = [at for at in places if price[at] < price[cut]]
    place = min(cheaper, key=lambda at: abs(at - cut), default=cut)
    if excess := _excess(search, *((first, place) if place > cut else (place, last))):
        return f"At the nearest cheaper place, a chunk would have {excess}."
    more = {name: round(cost - here.costs[name], 2) for name, cost in other.costs.items()}
    parts = ", ".join(f"{name} {cost:+.2f}" for name, cost in more.items() if cost)
    return f"The other costs more: {parts}." if parts else "Both cost about the same."


def _rule_against(search: Search, number: int, first: int, cut: int) -> str:
    """Return the rule, not the limit, that ends a chunk that begins with a unit at a cut."""
    costs, assembler = search.costs, search.units.assembler
    full = costs.before[first] + assembler.limits.max_tokens
    if costs.reach[first] != cut or costs.before[cut] >= full:
        return ""
    if first in search.over:
        return "a longer chunk would be over the limit, counted exactly"
    if is_apart(search.units, cut):
        return "a chunk has only one slice of a table"
    blocks = assembler.document.blocks
    if blocks[search.units.block(first)].level == 1 == blocks[search.units.block(cut)].level:
        return "chapters do not share a chunk (merge_top_level)"
    return f"chunk {number + 1} is neither beside nor below the section of chunk {number}"
