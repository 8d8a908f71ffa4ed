"""Assign levels to inferred headings: from their numbers, else from their looks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cmp_to_key
from statistics import median
from string import digits
from typing import Final, NamedTuple

from docxchunk.reader.headings.lines import TextLine
from docxchunk.reader.headings.numbers import ANNEXES, ARTICLE, PART, SECTION
from docxchunk.reader.headings.order import series_of

DEEPEST: Final = 9
_SAME_SIZE: Final = 1.04


class Rank(NamedTuple):
    """The properties that decide the level of a heading. Lines of equal rank have the same
    level.
    """

    kind: str  # of the number; "": no number
    depth: int  # of the number, from 1; 0: no number
    division: int  # rank of the named division; 0: none
    size: float
    bold: bool
    caps: bool
    centred: bool
    underline: bool
    italic: bool
    level: int  # that the author marked; 0: none


def rank_of(line: TextLine, level: int = 0) -> Rank:
    """Return the rank of a line; `level` is the level that its author marked."""
    number, look = line.number, line.look
    kind = "" if number is None else number.kind.rstrip(digits)
    depth = 0 if number is None else len(number.path)
    if line.is_automatic and number is not None and not number.rank:
        kind, depth = "auto", max(len(number.path), line.item.depth + 1)
    caps = line.capitals
    centred = line.item.layout.align == "center"
    return Rank(
        kind,
        depth,
        0 if number is None else number.rank,
        look.size,
        look.bold,
        caps,
        centred,
        look.underline,
        look.italic,
        level,
    )


def compare(one: Rank, other: Rank) -> int:
    """Compare two ranks: less than 0 if the first is the higher heading, 0 if both have the same
    level.
    """
    return next(((a > b) - (a < b) for a, b in _compared(one, other) if a != b), 0)


def _compared(one: Rank, other: Rank) -> Iterator[tuple[float, float]]:
    """Yield the pairs to compare, the strongest criterion first; the smaller value is the higher
    heading.
    """
    if one.level and other.level:
        yield one.level, other.level
    if one.division and other.division:
        yield one.division, other.division
        return
    if one.kind and one.kind == other.kind:
        yield one.depth, other.depth
    if max(one.size, other.size) > min(one.size, other.size) * _SAME_SIZE:
        yield -one.size, -other.size
    yield not one.division, not other.division
    yield not one.caps, not other.caps
    yield not one.bold, not other.bold
    yield not one.centred, not other.centred
    yield not one.underline, not other.underline
    yield one.italic, other.italic


def levels_of(lines: Sequence[TextLine], marked: Sequence[tuple[TextLine, int]]) -> list[int]:
    """Return the level of each line; `marked` are the headings that the author marked, with their
    levels.
    """
    own = {
        line.place: rank_of(line)._replace(division=division)
        for line, division in zip(lines, _divisions(lines), strict=True)
    }
    ranks = _ranks_in_series(own, lines)
    if marked:
        return _beside(lines, ranks, marked)
    # the sort is stable: equal ranks stay in reading order
    ordered = sorted(dict.fromkeys(ranks), key=cmp_to_key(compare))
    levels: dict[Rank, int] = {}
    level, before = 0, None
    for rank in ordered:
        level += before is None or compare(before, rank) != 0
        levels[rank], before = level, rank
    return [min(levels[rank], DEEPEST) for rank in ranks]


def _ranks_in_series(own: Mapping[int, Rank], lines: Sequence[TextLine]) -> list[Rank]:
    """Return the ranks of the lines; a line in a series of numbers has the rank that most of them
    have. `own` has the ranks by place.
    """
    ranks = dict(own)
    of_kind: dict[str, set[Rank]] = defaultdict(set)
    for line in lines:
        if line.number is not None:
            of_kind[line.number.kind].add(own[line.place])
    for members in series_of(
        [line for line in lines if line.number is not None and len(of_kind[line.number.kind]) > 1],
        own,
    ):
        most, count = Counter(own[line.place] for line in members).most_common(1)[0]
        if 2 * count > len(members):
            ranks.update((line.place, most) for line in members)
    return [ranks[line.place] for line in lines]


def _divisions(lines: Sequence[TextLine]) -> Iterator[int]:
    """Yield the rank of the division of each line.

    A part that is numbered anew after an annex is a section of the annex. Annexes after the last
    other part have the rank of a part. Articles are above sections if they begin first and there
    are fewer of them, as in American contracts.
    """
    in_annex = list(_parts_of_annexes(lines))
    own = [0 if line.number is None else line.number.rank for line in lines]
    if (
        {ARTICLE, SECTION} <= {*own}
        and own.index(ARTICLE) < own.index(SECTION)
        and own.count(ARTICLE) < own.count(SECTION)
    ):
        own = [{ARTICLE: SECTION, SECTION: ARTICLE}.get(rank, rank) for rank in own]
    last = max(
        (place for place, rank in enumerate(own) if rank == PART and not in_annex[place]),
        default=len(lines),
    )
    for place, line in enumerate(lines):
        is_annex = line.number is not None and line.number.kind in ANNEXES
        yield SECTION if in_annex[place] else PART if is_annex and place > last else own[place]


def _parts_of_annexes(lines: Sequence[TextLine]) -> Iterator[bool]:
    """Yield for each line whether it is a part of an annex."""
    in_annex = is_anew = False
    for line in lines:
        number = line.number
        if number is not None and number.kind in ANNEXES:
            in_annex, is_anew = True, False
        is_part = in_annex and number is not None and number.rank == PART
        is_anew = is_anew or (is_part and number is not None and number.path == (1,))
        yield is_part and is_anew


def _beside(
    lines: Sequence[TextLine], ranks: Sequence[Rank], marked: Sequence[tuple[TextLine, int]]
) -> list[int]:
    """Return levels that fit those of the marked headings around the lines."""
    known = {rank_of(line, level) for line, level in marked}
    places = sorted((line.place, level) for line, level in marked)
    around: dict[Rank, list[int]] = defaultdict(list)
    at, level = 0, 0
    for line, rank in zip(lines, ranks, strict=True):
        while at < len(places) and places[at][0] < line.place:
            level, at = places[at][1], at + 1
        around[rank].append(level)
    levels = {}
    for rank, above in around.items():
        same = [
            r.level
            for r in known
            if compare(r._replace(level=0), rank) == 0 and r.kind == rank.kind
        ]
        higher = [r.level for r in known if compare(r._replace(level=0), rank) < 0]
        inside = round(median(above))
        levels[rank] = min(same) if same else min(max(higher, default=inside), max(above)) + 1
    return [min(levels[rank], DEEPEST) for rank in ranks]
