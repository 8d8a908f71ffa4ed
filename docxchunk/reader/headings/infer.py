"""Infer which lines are headings, and at which levels.

1. A clause that opens with a title becomes two paragraphs (`clauses.with_titles_apart`).
2. The lines that stand out (`lines`) get signals: their own (`signals`) and those of their context
   (`candidates`). Weights turn signals into a probability (`signals.judge`). Lines that look alike
   are accepted or rejected together.
3. Numbers of clauses, and paragraphs whose numbers continue those of headings, are headings, too
   (`clauses`).
4. All of them get levels here. The number decides first ("Chapter" is above "Article", 2.1 above
   2.1.1), then the look: larger, named, in capitals, bold, centred, underlined. Lines with the same
   traits get the same level, and so does a series of numbers. Beside headings that the author
   marked, levels fit theirs.

The levels of marked headings come from the outline levels of paragraphs and styles
(`reader.paragraphs.read_properties`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cmp_to_key
from statistics import median
from string import digits
from typing import Final, NamedTuple

from docxchunk.model.blocks import HeadingSource
from docxchunk.model.options import Headings
from docxchunk.ooxml.styles import OutlineLevel
from docxchunk.reader.headings.candidates import candidates_of
from docxchunk.reader.headings.clauses import (
    CLAUSE_CONFIDENCE,
    Clause,
    clauses_of,
    cut,
    siblings_of,
    text_begins,
    with_texts_joined,
    with_titles_apart,
)
from docxchunk.reader.headings.lines import (
    LARGER,
    LENGTH_OF_TABLE,
    TextLine,
    lengths_of,
    line_of,
    width,
)
from docxchunk.reader.headings.numbers import ANNEXES, number_of_paragraph, series_of
from docxchunk.reader.headings.signals import Judgement, judge
from docxchunk.reader.headings.words import ARTICLE, PART, SECTION
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

# least confidence of a heading: the best threshold for documents of sources that the weights were
# not fitted on
_ENOUGH: Final = 0.35
_ENOUGH_BESIDE_MARKED: Final = 0.6  # the same in a document with marked headings
_ENOUGH_IN_SHORT_SECTION: Final = 0.7  # the same in a short section of such a document
_LONG: Final = 3000  # width above which a section is long: about a page
_LONGEST_NAME: Final = 80  # characters of the name of a part
_MOST_ABOVE: Final = 2  # lines that name a part: "EXHIBIT A", "Terms of Use"
_CLAUSE: Final = Judgement(CLAUSE_CONFIDENCE, ("clause", "in_order"))


class _InferredHeading(NamedTuple):
    line: TextLine
    judgement: Judgement
    length: int | None = None  # characters of the paragraph that are the heading; None: all
    level: int | None = None  # None: from its number or look


def infer_headings(items: Sequence[Item], headings: Headings) -> list[Item]:
    """Return the items with inferred headings besides those that the author marked.

    `AUTO` infers headings in the whole document if none is marked, otherwise only clear ones after
    the first marked heading. A marked heading whose text runs on after a title is cut behind the
    title.
    """
    if headings is Headings.MARKED:
        return list(items)
    items = with_titles_apart(items)
    levels = {
        index: item.outline.level
        for index, item in enumerate(items)
        if isinstance(item, Paragraph) and item.outline.level and not item.is_toc
    }
    inferred, others = (
        _beside_marked(items, list(levels))
        if headings is Headings.AUTO and levels
        else (_everywhere(items), ())
    )
    inferred = _without_texts(inferred)
    marked = [
        (line, level)
        for index, level in levels.items()
        if isinstance(item := items[index], Paragraph) and (line := line_of(index, item))
    ]
    lines = [*(heading.line for heading in inferred), *(line for line, _ in marked)]
    inferred += map(_of_clause, siblings_of(items, lines))
    inferred.sort(key=lambda heading: heading.line.item_index)
    for line in others:
        items[line.item_index] = line.item._replace(is_headline=True)
    return with_texts_joined(_with_headings(items, inferred, marked) if inferred else items)


# --- Which lines are headings


def _everywhere(items: Sequence[Item]) -> list[_InferredHeading]:
    """Return the headings of a document whose author marked none."""
    clauses = clauses_of(items)
    numbered = {clause.line.item_index for clause in clauses}
    candidates = candidates_of(items, lengths_of(items), clauses=numbered)
    return [
        *(_InferredHeading(line, judgement) for line, _, judgement in judge(candidates, _ENOUGH)),
        *map(_of_clause, clauses),
    ]


def _of_clause(clause: Clause) -> _InferredHeading:
    return _InferredHeading(clause.line, _CLAUSE, clause.length)


def _without_texts(headings: Sequence[_InferredHeading]) -> list[_InferredHeading]:
    """Return the headings; where clauses of the same kind have titles, of one that is the text of a
    clause only the number.
    """
    titled = {
        heading.line.number.kind
        for heading in headings
        if heading.line.number and heading.line.item.is_title
    }
    return [
        heading
        if (length := text_begins(heading.line, titled)) is None
        else heading._replace(length=length)
        for heading in headings
    ]


def _beside_marked(
    items: Sequence[Item], marked: Sequence[int]
) -> tuple[list[_InferredHeading], list[TextLine]]:
    """Return all lines of the looks that occur as headings after the first marked one, more clearly
    so in short sections, and the names of parts; and the other lines that would be headings if none
    were marked.
    """
    parts = _names_of_parts(items, marked)
    lengths = lengths_of(items)
    likely = judge(candidates_of(items, lengths, above_first=parts.keys()), _ENOUGH)
    long = _long_sections(items, lengths, marked) if likely else []
    dividing = {
        key
        for line, key, (probability, _) in likely
        if (probability >= _ENOUGH_BESIDE_MARKED and long[line.item_index])
        or (line.item_index > marked[0] and probability >= _ENOUGH_IN_SHORT_SECTION)
    }
    inferred: list[_InferredHeading] = []
    others: list[TextLine] = []
    for line, key, judgement in likely:
        if judgement.probability >= _ENOUGH_BESIDE_MARKED and (
            key in dividing or line.item_index in parts
        ):
            inferred.append(_InferredHeading(line, judgement, level=parts.get(line.item_index)))
        else:
            others.append(line)
    return inferred, others


def _names_of_parts(items: Sequence[Item], marked: Sequence[int]) -> dict[int, int]:
    """Return the indices and levels of the lines right above marked headings whose numbers begin at
    1 several times, such as "EXHIBIT A".

    A part is one level above its clauses, or at level 1 beside them.
    """
    names: dict[int, int] = {}
    last: dict[int, int] = {}  # level -> number of the last heading
    first: dict[int, int] = {}  # level -> index of the last heading with the number 1
    for index in marked:
        item = items[index]
        if not isinstance(item, Paragraph) or not (text := item.raw.lstrip()):
            continue
        level = item.outline.level
        parsed = number_of_paragraph(text, item.label.strip())
        number = parsed.path[0] if parsed and len(parsed.path) == 1 else 0
        if number == 1 and last.get(level, 0) > 1:
            for begins in (first.get(level, index), index):
                names |= dict.fromkeys(_short_lines_above(items, begins), max(level - 1, 1))
        last = {higher: value for higher, value in last.items() if higher < level} | {level: number}
        if number == 1:
            first[level] = index
    return names


def _short_lines_above(items: Sequence[Item], index: int) -> Iterator[int]:
    """Yield the indices of up to `_MOST_ABOVE` lines of body text right above an item."""
    count = 0
    for before in range(index - 1, -1, -1):
        item = items[before]
        if (
            not isinstance(item, Paragraph)
            or item.outline.level
            or len(item.raw) > _LONGEST_NAME
            or count == _MOST_ABOVE
        ):
            return
        if item.raw and not item.raw.isspace():
            count += 1
            yield before


def _long_sections(
    items: Sequence[Item], lengths: Sequence[int], marked: Sequence[int]
) -> list[bool]:
    """Return for each item whether it is in a long section. Items before the first heading are in
    none.
    """
    long = [False] * len(items)
    for start, end in zip(marked, [*marked[1:], len(items)], strict=True):
        length = sum(lengths[start:end])
        if length <= _LONG < 2 * length:  # ideographs, which are wide, could change the answer
            length = sum(
                width(item.raw) if isinstance(item, Paragraph) else LENGTH_OF_TABLE
                for item in items[start:end]
            )
        if length > _LONG:
            long[start:end] = [True] * (end - start)
    return long


# --- The items with these headings


def _with_headings(
    items: Sequence[Item],
    inferred: Sequence[_InferredHeading],
    marked: Sequence[tuple[TextLine, int]],
) -> list[Item]:
    """Return the items with the inferred headings, which come in order. `marked` are the headings
    that the author marked, with their levels.
    """
    levels = _levels_of([heading.line for heading in inferred], marked)
    result: list[Item] = []
    done = 0
    for heading, level in zip(inferred, levels, strict=True):
        index = heading.line.item_index
        result += items[done:index]
        result += _split_heading(heading, heading.level or level)
        done = index + 1
    return [*result, *items[done:]]


def _split_heading(heading: _InferredHeading, level: int) -> Iterator[Paragraph]:
    """Yield the heading, then the rest of the paragraph if there is one."""
    item, (probability, signals) = heading.line.item, heading.judgement
    outline = OutlineLevel(level, HeadingSource.GUESS, round(probability, 2), signals)
    if heading.length is None:
        yield item._replace(outline=outline, bold=False)
    else:
        end = len(item.raw) - len(item.raw.lstrip()) + heading.length
        yield from cut(item, end, look=item.look, outline=outline)


# --- Levels

_DEEPEST: Final = 9


class _Traits(NamedTuple):
    """The properties that decide the level of a heading."""

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


def _levels_of(lines: Sequence[TextLine], marked: Sequence[tuple[TextLine, int]]) -> list[int]:
    """Return the level of each line. `marked` are the headings that the author marked, with their
    levels.
    """
    own = list(map(_traits_of, lines, _divisions(lines)))
    traits = _alike_in_series(lines, own)
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


def _traits_of(line: TextLine, division: int, level: int = 0) -> _Traits:
    """Return the traits of a line, with the rank of its division and the level that its author
    marked.
    """
    number, look = line.number, line.look
    kind = "" if number is None else number.kind.rstrip(digits)
    depth = 0 if number is None else len(number.path)
    if line.is_automatic and number is not None and not number.rank:
        kind, depth = "auto", max(len(number.path), line.item.depth + 1)
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
        level=level,
    )


def _alike_in_series(lines: Sequence[TextLine], own: Sequence[_Traits]) -> list[_Traits]:
    """Return the traits of the lines; a line in a series of numbers has the traits that most of
    them have.
    """
    traits = list(own)
    of_kind: dict[str, set[_Traits]] = defaultdict(set)
    for line, each in zip(lines, own, strict=True):
        if line.number is not None:
            of_kind[line.number.kind].add(each)
    numbers = {
        index: line.number
        for index, line in enumerate(lines)
        if line.number is not None and len(of_kind[line.number.kind]) > 1
    }
    for members in series_of(numbers, dict(enumerate(own))):
        most, count = Counter(own[index] for index in members).most_common(1)[0]
        if 2 * count > len(members):
            for index in members:
                traits[index] = most
    return traits


def _compare(one: _Traits, other: _Traits) -> int:
    """Compare two lines: less than 0 if the first is the higher heading, 0 if both have the same
    level.
    """
    return next(((a > b) - (a < b) for a, b in _compared(one, other) if a != b), 0)


def _compared(one: _Traits, other: _Traits) -> Iterator[tuple[float, float]]:
    """Yield a pair of values for each criterion, the strongest first. The line with the smaller
    value is the higher heading.
    """
    if one.level and other.level:
        yield one.level, other.level
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
    """Yield the rank of the named division of each line, 0 for others.

    A part that is numbered anew after an annex is a section of the annex. Annexes after the last
    other part have the rank of a part. Articles are above sections if they begin first and there
    are fewer of them, as in American contracts.
    """
    in_annex = list(_parts_of_annexes(lines))
    ranks = [0 if line.number is None else line.number.rank for line in lines]
    if (
        {ARTICLE, SECTION} <= {*ranks}
        and ranks.index(ARTICLE) < ranks.index(SECTION)
        and ranks.count(ARTICLE) < ranks.count(SECTION)
    ):
        ranks = [{ARTICLE: SECTION, SECTION: ARTICLE}.get(rank, rank) for rank in ranks]
    last_part = max(
        (k for k, rank in enumerate(ranks) if rank == PART and not in_annex[k]),
        default=len(lines),
    )
    for k, (line, rank) in enumerate(zip(lines, ranks, strict=True)):
        is_annex = line.number is not None and line.number.kind in ANNEXES
        yield SECTION if in_annex[k] else PART if is_annex and k > last_part else rank


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


# --- Beside marked headings


def _levels_beside(
    lines: Sequence[TextLine], traits: Sequence[_Traits], marked: Sequence[tuple[TextLine, int]]
) -> list[int]:
    """Return levels that fit those of the marked headings: the level of those that look the same,
    else one below those that look higher.
    """
    of_marked = {
        _traits_of(line, line.number.rank if line.number else 0, level) for line, level in marked
    }
    in_turn = sorted((line.item_index, level) for line, level in marked)
    around: dict[_Traits, list[int]] = defaultdict(list)  # levels of the headings before the lines
    passed, level = 0, 0
    for line, each in zip(lines, traits, strict=True):
        while passed < len(in_turn) and in_turn[passed][0] < line.item_index:
            level, passed = in_turn[passed][1], passed + 1
        around[each].append(level)
    levels = {}
    for each, above in around.items():
        order = [(_compare(known._replace(level=0), each), known) for known in of_marked]
        same = [known.level for sign, known in order if sign == 0 and known.kind == each.kind]
        higher = [known.level for sign, known in order if sign < 0]
        inside = round(median(above))
        levels[each] = min(same) if same else min(max(higher, default=inside), max(above)) + 1
    return [min(levels[each], _DEEPEST) for each in traits]
