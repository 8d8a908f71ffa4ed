"""Give levels to inferred headings.

Headings are compared two by two (`_compare`). The number decides first: "Chapter" is above
"Article", and 2.1 above 2.1.1. Then the look decides: larger, named, in capitals, bold, centred,
underlined. Headings with the same traits have the same level, and so have those of one series of
numbers. Beside headings that the author marked, levels fit theirs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cmp_to_key
from statistics import median
from string import digits
from typing import Final, NamedTuple

from docxchunk.language.clause_words import ARTICLE, PART, SECTION
from docxchunk.language.numbers import ANNEXES
from docxchunk.reader.headings.lines import LARGER, TextLine
from docxchunk.reader.headings.numbers import series_of

_DEEPEST: Final = 9


class _Traits(NamedTuple):
    """The properties that decide the level of a heading."""

    kind: str  # of the number; "" if there is none
    depth: int  # of the number: 2 for 2.1; 0 if there is none
    division: int  # rank of the named division, 1 for the largest; 0 if there is none
    size: float
    bold: bool
    caps: bool
    centred: bool
    underline: bool
    italic: bool


def levels_of(lines: Sequence[TextLine], marked: Sequence[tuple[TextLine, int]]) -> list[int]:
    """Return the level of each line, 1 to 9. `marked` are the headings that the author marked, with
    their levels.
    """
    line_traits = list(map(_traits_of, lines, _divisions(lines)))
    traits = _alike_in_series(lines, line_traits)
    if marked:
        return _levels_beside(lines, traits, marked)
    # the sort is stable: what compares equal stays in reading order
    ordered = sorted(dict.fromkeys(traits), key=cmp_to_key(_compare))
    levels: dict[_Traits, int] = {}
    level, before = 0, None
    for each in ordered:
        level += before is None or _compare(before, each) != 0
        levels[each], before = level, each
    return [min(levels[each], _DEEPEST) for each in traits]


# --- Traits


def _traits_of(line: TextLine, division: int) -> _Traits:
    number, look = line.number, line.look
    kind = "" if number is None else number.kind.rstrip(digits)
    depth = 0 if number is None else len(number.path)
    if line.is_automatic and number is not None and not number.rank:
        kind, depth = "auto", _depth_of_number(line)
    return _Traits(
        kind=kind,
        depth=depth,
        division=division,
        size=look.size,
        bold=look.bold,
        caps=line.capitals,
        centred=line.item.layout.align == "center",
        underline=look.underline,
        italic=look.italic,
    )


def _alike_in_series(lines: Sequence[TextLine], line_traits: Sequence[_Traits]) -> list[_Traits]:
    """Return the traits of the lines. If more than half of the lines of a series of numbers have
    the same traits, all lines of the series get them. `line_traits` are the traits of each line by
    itself.
    """
    traits = list(line_traits)
    numbers = {index: line.number for index, line in enumerate(lines) if line.number is not None}
    for members in series_of(numbers, dict(enumerate(line_traits))):
        common, count = Counter(line_traits[index] for index in members).most_common(1)[0]
        if 2 * count > len(members):
            for index in members:
                traits[index] = common
    return traits


def _compare(one: _Traits, other: _Traits) -> int:
    """Compare two headings. Return a negative number if the first has the higher level, 0 if both
    have the same level.
    """
    return next(((a > b) - (a < b) for a, b in _compared(one, other) if a != b), 0)


def _compared(one: _Traits, other: _Traits) -> Iterator[tuple[float, float]]:
    """Yield the values of both headings for each criterion, the strongest first. The heading with
    the smaller value has the higher level.
    """
    if one.division and other.division:
        yield one.division, other.division
        return
    if one.kind and one.kind == other.kind:
        yield one.depth, other.depth
    if max(one.size, other.size) > min(one.size, other.size) * LARGER:
        yield -one.size, -other.size
    yield not one.division, not other.division
    yield not one.caps, not other.caps
    yield not one.bold, not other.bold
    yield not one.centred, not other.centred
    yield not one.underline, not other.underline
    yield one.italic, other.italic


# --- Divisions


def _divisions(lines: Sequence[TextLine]) -> Iterator[int]:
    """Yield the rank of the named division of each line; 0 for lines without one.

    If a part after an annex begins at 1 again, it is a section of the annex. Annexes after the last
    other part have the rank of a part. Articles are above sections if they come first, and are
    fewer or of a higher level, as in American contracts.
    """
    in_annex = list(_parts_of_annexes(lines))
    ranks = [0 if line.number is None else line.number.rank for line in lines]
    if {ARTICLE, SECTION} <= {*ranks} and _are_articles_above(lines, ranks):
        ranks = [{ARTICLE: SECTION, SECTION: ARTICLE}.get(rank, rank) for rank in ranks]
    last_part = max(
        (k for k, rank in enumerate(ranks) if rank == PART and not in_annex[k]),
        default=len(lines),
    )
    for k, (line, rank) in enumerate(zip(lines, ranks, strict=True)):
        is_annex = line.number is not None and line.number.kind in ANNEXES
        yield SECTION if in_annex[k] else PART if is_annex and k > last_part else rank


def _are_articles_above(lines: Sequence[TextLine], ranks: Sequence[int]) -> bool:
    article, section = ranks.index(ARTICLE), ranks.index(SECTION)
    return article < section and (
        ranks.count(ARTICLE) < ranks.count(SECTION)
        or _depth_of_number(lines[article]) < _depth_of_number(lines[section])
    )


def _depth_of_number(line: TextLine) -> int:
    """Return the level of a line in its list, or the number of parts of its number: 2 for 1.1."""
    path = () if line.number is None else line.number.path
    return max(len(path), line.item.depth + 1)


def _parts_of_annexes(lines: Sequence[TextLine]) -> Iterator[bool]:
    """Yield for each line whether it is a part of an annex. After an annex, the part with the
    number 1 and the parts that follow it are its parts.
    """
    in_annex = is_anew = False
    for line in lines:
        number = line.number
        if number is not None and number.kind in ANNEXES:
            in_annex, is_anew = True, False
        is_part = in_annex and number is not None and number.rank == PART
        is_anew = is_anew or (is_part and number is not None and number.path == (1,))
        yield is_part and is_anew


# --- Beside marked headings


def _levels_beside(
    lines: Sequence[TextLine], traits: Sequence[_Traits], marked: Sequence[tuple[TextLine, int]]
) -> list[int]:
    """Return levels that fit the levels of the marked headings. A line has the level of marked
    headings with the same traits. Otherwise, an annex has the highest level with several marked
    headings, and another line is one below the marked headings that compare as higher.
    """
    marked_at = Counter(level for _, level in marked)
    highest = min((level for level, count in marked_at.items() if count > 1), default=0)
    # for the lines with the same traits, the level of the marked heading before each
    levels_before: dict[_Traits, list[int]] = defaultdict(list)
    in_order = sorted((line.item_index, level) for line, level in marked)
    passed, level = 0, 0
    for line, line_traits in zip(lines, traits, strict=True):
        while passed < len(in_order) and in_order[passed][0] < line.item_index:
            level, passed = in_order[passed][1], passed + 1
        levels_before[line_traits].append(level)
    traits_of_marked = {
        (_traits_of(line, line.number.rank if line.number else 0), level) for line, level in marked
    }
    levels: dict[_Traits, int] = {}
    for own, before in levels_before.items():
        compared = [(_compare(other, own), other.kind, level) for other, level in traits_of_marked]
        same = [level for sign, kind, level in compared if sign == 0 and kind == own.kind]
        higher = [level for sign, _, level in compared if sign < 0]
        if same:
            levels[own] = min(same)
        elif own.kind in ANNEXES and highest:
            levels[own] = highest
        else:
            levels[own] = min(max(higher, default=round(median(before))), max(before)) + 1
    return [min(levels[own], _DEEPEST) for own in traits]
