"""Give levels to inferred headings.

Headings are compared two by two (`_compare`). The number decides first: "Chapter" is above
"Article", and 2.1 above 2.1.1. Then the look decides: larger, named, in capitals, bold. Headings
with the same traits have the same level, and so have those of one series of numbers. Beside
headings that the author marked, levels fit theirs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cmp_to_key
from itertools import pairwise
from statistics import median
from string import digits
from typing import Final, NamedTuple

from docxchunk.language.clause_words import ARTICLE, CHAPTER, SECTION, SUBSECTION
from docxchunk.language.numbers import ANNEXES, Number
from docxchunk.reader.headings.lines import LARGER, Form, TextLine, series_of
from docxchunk.reader.headings.signals import is_closing_title, is_history_title

_DEEPEST: Final = 9
_SEVERAL: Final = 2


class _Traits(NamedTuple):
    """The properties that decide the level of a heading."""

    kind: str  # of the number; "" if there is none
    depth: int  # of the number: 2 for 2.1; 0 if there is none
    division: int  # rank of the named division, 1 for the largest; 0 if there is none
    size: int
    bold: bool
    caps: bool


def levels_of(lines: Sequence[TextLine], marked: Sequence[tuple[TextLine, int]]) -> list[int]:
    """Return the level of each line, 1 to 9. `marked` are the headings that the author marked, with
    their levels; lines with level 0 are above all of them.
    """
    traits = _with_histories_beside(lines, _alike_in_series(lines))
    levels = _levels_beside(lines, traits, marked) if marked else _levels(traits)
    return [min(levels[line_traits], _DEEPEST) for line_traits in traits]


def _levels(traits: Sequence[_Traits]) -> dict[_Traits, int]:
    levels: dict[_Traits, int] = {}
    level, before = 0, None
    # the sort is stable: what compares equal stays in reading order
    for line_traits in sorted(dict.fromkeys(traits), key=cmp_to_key(_compare)):
        level += before is None or _compare(before, line_traits) != 0
        levels[line_traits], before = level, line_traits
    return levels


def _levels_beside(
    lines: Sequence[TextLine], traits: Sequence[_Traits], marked: Sequence[tuple[TextLine, int]]
) -> dict[_Traits, int]:
    """Return levels that fit those of the marked headings: the level of marked headings with the
    same traits; else, for parts, chapters and annexes, the highest level with several marked
    headings; else, one below the marked headings above the lines, and 2.1 one below 2.
    """
    marked_at = Counter(level for _, level in marked)
    highest = min((level for level, count in marked_at.items() if count > 1), default=0)
    above: dict[_Traits, list[int]] = defaultdict(list)
    places: dict[_Traits, list[int]] = defaultdict(list)
    tops = [line for line, level in marked if level == 1]
    in_order = sorted((line.item_index, level) for line, level in marked)
    passed, level = 0, 0
    for line, line_traits in zip(lines, traits, strict=True):
        while passed < len(in_order) and in_order[passed][0] < line.item_index:
            level, passed = in_order[passed][1], passed + 1
        above[line_traits].append(level)
        places[line_traits].append(line.item_index)
    sizes = {
        level: median(line.look.size for line, marked_level in marked if marked_level == level)
        for level in marked_at
    }
    traits_of_marked = {(_traits_of(line), level) for line, level in marked}
    levels: dict[_Traits, int] = {}
    for line_traits, levels_above in above.items():
        equal_levels = [
            level
            for marked_traits, level in traits_of_marked
            if _compare(marked_traits, line_traits) == 0
        ]
        is_low = line_traits.depth > 1 or not _divide(places[line_traits], tops)
        smaller_levels = [
            level for level in sizes if sizes[level] * LARGER < line_traits.size and level > is_low
        ]
        if equal_levels:
            levels[line_traits] = min(equal_levels)
        elif highest and 0 < line_traits.division <= CHAPTER:
            levels[line_traits] = highest
        else:
            smaller_depths = {
                upper.depth
                for upper in above
                if upper.kind == line_traits.kind and upper.depth < line_traits.depth
            }
            # clauses are below all headings above them, but for a tenth
            clause = sorted(levels_above)[len(levels_above) * 9 // 10]
            outer = clause if line_traits.division else round(median(levels_above))
            levels[line_traits] = outer + 1 + len(smaller_depths)
        if smaller_levels and not equal_levels and line_traits.division < ARTICLE:
            levels[line_traits] = min(levels[line_traits], min(smaller_levels) - 1)
    return levels


def _divide(places: Sequence[int], marked: Sequence[TextLine]) -> bool:
    """Return whether marked headings follow several of the lines at these places, and most of them.
    Return False if a marked heading is a chapter or a larger division.
    """
    if any(line.number and 0 < line.number.rank <= CHAPTER for line in marked):
        return False
    followed = {bisect_right(places, line.item_index) for line in marked} - {0}
    return len(followed) >= _SEVERAL and 2 * len(followed) > len(places)


class _Numbered(NamedTuple):
    """A heading with a number, its place among all headings, and the headings whose numbers begin
    with this one. The level is 0 if only these are known.
    """

    level: int
    place: int
    below: dict[int, _Numbered]


class _KnownNumbers:
    """The numbers that a document has had so far, each with the last heading that has it."""

    def __init__(self) -> None:
        self._first: dict[int, _Numbered] = {}
        self._closed = [-1] * (_DEEPEST + 1)  # the last heading without a number of each level

    def path(self, number: Number | None) -> tuple[int, ...]:
        """Return the path of a number. 2.0 is 2 if there is no 2."""
        path = _path(number)
        return path[:-1] if path[-1:] == (0,) and not self._last(path[:-1]) else path

    def level(self, path: Sequence[int], marked: int) -> int:
        """Return the level of a heading that is marked at the level `marked`.

        It has the level of the number before it (2.1 for 2.2), else `marked`, but is below the
        number above it (2). Return 0 if that number is not known.
        """
        above = self._last(path[:-1])
        if above is None:
            return 0
        before = above.below.get(path[-1] - 1)
        return max((before and before.level) or marked, above.level + 1)

    def add(self, path: Sequence[int], level: int, place: int) -> None:
        """Add a heading; the numbers below its number begin anew.

        A heading is not added if it is in a list: the last heading with the same number has a
        higher level, and since then no heading without a number has been at that level or above.
        """
        same = self._last(path)
        if same and same.level < level and max(self._closed[: same.level + 1]) < same.place:
            return
        *parts, last = path
        known = self._first
        for part in parts:
            known = known.setdefault(part, _Numbered(0, 0, {})).below
        known[last] = _Numbered(level, place, {})

    def close(self, level: int, place: int) -> None:
        """Add a heading without a number."""
        self._closed[min(level, _DEEPEST)] = place

    def _last(self, path: Sequence[int]) -> _Numbered | None:
        heading, known = None, self._first
        for part in path:
            heading = known.get(part)
            if heading is None:
                return None
            known = heading.below
        return heading if heading and heading.level else None


def with_printed_levels(headings: Sequence[tuple[int, Number | None]]) -> list[int]:
    """Return the levels of the headings of a document, given with their numbers, where what is
    printed decides: 2.1 is below 2, 2.2 has the level of 2.1, (a) is below 2.2, and (b) has the
    level of (a). What is below a heading moves with it.
    """
    result: list[int] = []
    known = _KnownNumbers()
    lists: list[_LastItem] = []  # the lists that are open
    top: tuple[int, ...] = ()
    moved, by = 0, 0  # the level of the last heading that moved, and how far; `top`: its number
    # the level of the last heading with a path; 0 after one without a path that is not below it
    numbered = 0
    for place, (level, number) in enumerate(_with_divisions_above(headings)):
        path, is_item = known.path(number), number is not None and number.kind.endswith(")")
        if level < moved + (not is_item) or (path and path[: len(top)] != top):
            moved, by, top = 0, 0, ()
        new_level = level + by
        if printed := known.level(path, new_level):
            new_level = printed
        elif number and is_item:
            new_level = _level_of_item(number, new_level + (new_level == numbered), lists)
        if new_level != level + by:
            moved, by, top = level, new_level - level, path
        lists = [item for item in lists if item.level < new_level]
        if number and is_item:
            lists.append(_LastItem(new_level, number))
        elif path or new_level <= numbered:
            numbered = new_level if path else 0
        if path:
            known.add(path, new_level, place)
        elif number is None:
            known.close(new_level, place)
        result.append(min(new_level, _DEEPEST))
    return result


def _with_divisions_above(
    headings: Sequence[tuple[int, Number | None]],
) -> list[tuple[int, Number | None]]:
    """Return the headings. Divisions with a name that are marked below their own sections, as
    annexes are at level 8 in 3GPP, are above these, and so are all of their kind and level.
    """
    above: dict[tuple[str, int], int] = {}
    for (level, number), (next_level, below) in pairwise(headings):
        is_section = number and below and not below.rank and below.path[:-1] == number.path
        if number and number.rank and is_section and next_level < level:
            key = number.kind, level
            above[key] = max(min(above.get(key, level), next_level - 1), 1)
    return [
        (above.get((number.kind, level), level) if number else level, number)
        for level, number in headings
    ]


class Heading(NamedTuple):
    """A heading, marked or inferred."""

    level: int
    number: Number | None
    is_inferred: bool
    is_empty: bool  # the next heading is right below it
    size: int  # of its letters, in half points; 0 if it is not known
    has_known_title: bool  # one that sections commonly have, such as "References"


def with_nested_levels(headings: Sequence[Heading]) -> list[int]:
    """Return the levels of the headings of a document where sizes and series of numbers decide
    between headings of the same level:

    - Smaller headings below several larger ones are below these, but not "References" and the like.
    - A series that begins below another one, or begins again below a heading that is not in it, is
      below this heading: (1) and (2) are below B. So is one that begins right below a heading
      without a number, with no text between.
    - An inferred heading between two numbers of a series is below the first one.
    """
    levels = [heading.level for heading in headings]
    numbers = {index: heading.number for index, heading in enumerate(headings) if heading.number}
    inferred = [heading.is_inferred for heading in headings]
    _nest_smaller(levels, headings)
    _nest_series(levels, numbers, headings)
    _nest_between(levels, numbers, inferred)
    return levels


def _nest_smaller(levels: list[int], headings: Sequence[Heading]) -> None:
    """Put headings in smaller letters below the heading in larger letters before them, if both have
    the same level and parent. This is done only if several larger headings get smaller ones, and
    if the numbers of the larger ones have other forms than those of the smaller ones.
    """
    for level in range(1, _DEEPEST):
        at_level = [index for index, own_level in enumerate(levels) if own_level == level]
        sizes = Counter(headings[index].size for index in at_level)
        largest = max((size for size, count in sizes.items() if count >= _SEVERAL), default=0)
        larger = [index for index in at_level if headings[index].size * LARGER >= largest]
        parents = list(_parents(levels))
        above = {
            index: larger[place - 1]
            for index in at_level
            if 0 < headings[index].size * LARGER < largest
            and not headings[index].has_known_title
            and (place := bisect_right(larger, index))
            and parents[larger[place - 1]] == parents[index]
        }
        is_series = _kinds(headings, above) & _kinds(headings, larger)
        if len({*above.values()}) >= _SEVERAL and not is_series:
            for index in above:
                _move_down(levels, index)


def _kinds(headings: Sequence[Heading], indices: Iterable[int]) -> set[str]:
    return {number.kind for index in indices if (number := headings[index].number)}


def _nest_series(
    levels: list[int], numbers: Mapping[int, Number], headings: Sequence[Heading]
) -> None:
    begun: set[tuple[int, str]] = set()  # the heading above a series, and its kind of number
    parents = list(_parents(levels))
    marked = {index for index, heading in enumerate(headings) if not heading.is_inferred}
    annexes = _annexes(numbers)
    for members in series_of(numbers, dict(enumerate(levels))):
        first = members[0]
        number, level, parent = numbers[first], levels[first], parents[first]
        if number.path != (1,):
            continue
        is_again = (parent, number.kind) in begun
        begun.add((parent, number.kind))
        above = first - 1
        while above >= 0 and levels[above] > level:
            above -= 1
        if above < 0 or any(levels[index] != level for index in (above, *members)):
            continue
        number_above = numbers.get(above)
        is_in_annex = above in annexes and number.kind not in ANNEXES
        if 0 < number.rank <= CHAPTER and not is_in_annex:
            continue
        is_inferred = headings[first].is_inferred
        is_below = is_again or (
            is_inferred
            and above == first - 1
            and headings[above].is_empty
            # no other heading is between the members
            and members
            == [index for index in range(first, members[-1] + 1) if levels[index] <= level]
        )
        if number_above:
            is_below = (
                number_above.kind != number.kind
                and (is_in_annex or not number_above.rank == number.rank > 0)
                and (
                    is_again
                    or (number_above.path > (0,) and (is_inferred or headings[above].is_inferred))
                )
            )
        if is_below:
            for index in members:
                _move_down(levels, index, marked if headings[index].is_inferred else ())


def _parents(levels: Sequence[int]) -> Iterator[int]:
    """Yield the index of the last heading of a higher level before each heading; -1 without one."""
    above: list[int] = []
    for index, level in enumerate(levels):
        while above and levels[above[-1]] >= level:
            above.pop()
        yield above[-1] if above else -1
        above.append(index)


def _nest_between(
    levels: list[int], numbers: Mapping[int, Number], inferred: Sequence[bool]
) -> None:
    marked = {index for index, is_inferred in enumerate(inferred) if not is_inferred}
    fixed = marked | numbers.keys()
    for level in range(1, _DEEPEST):
        last: dict[Form, int] = {}
        candidates: list[int] = []  # the inferred headings that may be between two numbers
        for index, own_level in enumerate(levels):
            if own_level < level:
                last, candidates = {}, []
            if own_level != level:
                continue
            if number := numbers.get(index):
                form = number.kind, number.path[:-1]
                before = last.get(form, index)
                last[form] = index
                if numbers[before].path[-1] + 1 == number.path[-1]:
                    begin = bisect_right(candidates, before)
                    for between in candidates[begin:]:
                        _move_down(levels, between, marked if between in numbers else fixed)
                    del candidates[begin:]
            if inferred[index]:
                candidates.append(index)


def _move_down(levels: list[int], index: int, stays: Container[int] = ()) -> None:
    """Move a heading and the headings below it one level down. Headings from the first one in
    `stays` keep their levels.
    """
    level = levels[index]
    levels[index] += 1
    for below in range(index + 1, len(levels)):
        if levels[below] <= level or below in stays:
            break
        levels[below] += 1


class _LastItem(NamedTuple):
    """The last item of a list so far."""

    level: int
    number: Number


def _level_of_item(number: Number, level: int, lists: Sequence[_LastItem]) -> int:
    """Return the level of the list that an item such as (b) continues; without one, `level`."""
    before = number.path[-1] - 1
    levels = [
        item.level
        for item in lists
        if item.number.kind == number.kind and item.number.path[-1] == before
    ]
    return level if level in levels or not levels else levels[-1]


def _path(number: Number | None) -> tuple[int, ...]:
    """Return the path of a number that can have others below it, such as 2 or 2.1; else ()."""
    if number is None or number.inserted:
        return ()
    if not number.rank and number.kind.rstrip(digits) not in ("decimal", "letter.", "roman"):
        return ()
    return number.path


def _traits_of(line: TextLine) -> _Traits:
    number, look = line.number, line.look
    if number is None:
        return _Traits("", 0, 0, look.size, look.bold, line.capitals)
    kind, depth = number.kind.rstrip(digits), len(number.path)
    return _Traits(kind, depth, number.rank, look.size, look.bold, line.capitals)


def _with_articles_above(traits: Sequence[_Traits]) -> list[_Traits]:
    """Return the traits. Articles are above sections if an article comes first and there are at
    least as many sections as articles, as in American contracts.
    """
    ranks = [line_traits.division for line_traits in traits]
    named = [rank for rank in ranks if rank in (ARTICLE, SECTION)]
    if named[:1] != [ARTICLE] or 2 * named.count(ARTICLE) > len(named):
        return list(traits)
    swapped = {ARTICLE: SECTION, SECTION: ARTICLE}
    return [
        line_traits._replace(division=swapped.get(line_traits.division, line_traits.division))
        for line_traits in traits
    ]


def _with_histories_beside(lines: Sequence[TextLine], traits: list[_Traits]) -> list[_Traits]:
    """Return the traits of the lines. The title of a table of versions, "Revision history", is not
    above the next line: it has the level of this one.
    """
    for place, (line, (line_traits, below)) in enumerate(
        zip(lines, pairwise(traits), strict=False)
    ):
        if is_history_title(line.text) and _compare(line_traits, below) < 0:
            traits[place] = below
    return traits


def _with_annexes_outside(lines: Sequence[TextLine], traits: Sequence[_Traits]) -> list[_Traits]:
    """Return the traits of the lines. Annexes, and "References" and the like at the end, are at the
    level of the largest divisions before the first annex. Parts that only annexes have are at this
    level, too: `with_nested_levels` puts them below the annexes.
    """
    annexes = _annexes({place: line.number for place, line in enumerate(lines) if line.number})
    chapters = {
        place
        for place, line_traits in enumerate(traits)
        if 0 < line_traits.division <= CHAPTER and line_traits.kind not in ANNEXES
    }
    first = min(annexes, default=len(lines))
    before = [traits[place] for place in chapters if place < first]
    level = min((chapter.division for chapter in before), default=CHAPTER)
    kinds = {chapter.kind for chapter in before}
    end = max(chapters, default=first)
    result = list(traits)
    for place, (line, line_traits) in enumerate(zip(lines, traits, strict=True)):
        is_inside = place in chapters and place > first and line_traits.kind not in kinds
        is_closing = place > end and not line_traits.kind and is_closing_title(line.text)
        if (
            line_traits.kind in ANNEXES
            or is_closing
            or (is_inside and line_traits.division < level)
        ):
            result[place] = line_traits._replace(division=level)
    return result


def _with_ends_beside(traits: Sequence[_Traits]) -> list[_Traits]:
    """Return the traits. Headings without a number that look like the largest divisions, "Chapter
    1", are beside these if all of them are before the first or after the last one: "Introduction",
    "Conclusion".
    """
    result = list(traits)
    named = [
        place
        for place, each in enumerate(traits)
        if each.division and each.kind not in {*ANNEXES, ""}
    ]
    largest = min((traits[place].division for place in named), default=0)
    chapters = [place for place in named if traits[place].division == largest]
    for look in {_look_of(traits[place]) for place in chapters}:
        alike = [
            place for place, each in enumerate(traits) if not each.kind and _look_of(each) == look
        ]
        if len(chapters) >= _SEVERAL and not any(
            chapters[0] < place < chapters[-1] for place in alike
        ):
            for place in alike:
                result[place] = traits[place]._replace(division=largest)
    return result


def _look_of(traits: _Traits) -> tuple[int, bool, bool]:
    return traits.size, traits.bold, traits.caps


def _annexes(numbers: Mapping[int, Number]) -> set[int]:
    """Return the indices of the numbers of annexes. Those that occur again are in a list."""
    last = {
        (number.kind, number.path): index
        for index, number in numbers.items()
        if number.kind in ANNEXES
    }
    return set(last.values())


def _with_groups_above(traits: Sequence[_Traits]) -> list[_Traits]:
    """Return the traits. Lines with a number alone are above articles if an article
    follows each of them, and none is before them: "I. General", "§ 1", "§ 2", "II. Members", "§ 3".
    """
    result = list(traits)
    articles = [place for place, each in enumerate(traits) if each.division == ARTICLE]
    places_by_kind: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(traits):
        if each.depth == 1 and not each.division:
            places_by_kind[each.kind].append(place)
    for places in places_by_kind.values():
        if (
            len(places) >= _SEVERAL
            and {place + 1 for place in places} <= {*articles}
            and places[0] + 1 == articles[0]
        ):
            for place in places:
                result[place] = traits[place]._replace(division=SUBSECTION)
    return result


def _alike_in_series(lines: Sequence[TextLine]) -> list[_Traits]:
    """Return the traits of the lines. If more than half of the lines of a series of numbers have
    the same traits, all lines of the series get them. A number after words is enough.
    """
    traits = _with_groups_above(_with_articles_above(list(map(_traits_of, lines))))
    traits = _with_ends_beside(_with_annexes_outside(lines, traits))
    numbers = {index: line.number for index, line in enumerate(lines) if line.number is not None}
    for members in series_of(numbers, dict(enumerate(traits))):
        common, count = Counter(traits[index] for index in members).most_common(1)[0]
        if 2 * count > len(members) or lines[members[0]].is_worded:
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
