"""Infer which lines are headings, and at which levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    with_text_joined,
    with_titles_apart,
)
from docxchunk.reader.headings.levels import levels_of
from docxchunk.reader.headings.lines import TextLine, line_of, width
from docxchunk.reader.headings.numbers import number_of, number_of_label
from docxchunk.reader.headings.weights import Judgement, judge
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

# least confidence of a heading: the best threshold for documents of sources that the weights were
# not fitted on
_ENOUGH: Final = 0.35
_ENOUGH_BESIDE_MARKED: Final = 0.6  # the same in a document with marked headings
_ENOUGH_IN_SHORT_SECTION: Final = 0.7  # the same in a short section of such a document
_LONG: Final = 3000  # width above which a section is long: about a page
_TABLE: Final = 500  # width that a table counts as
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
    items = list(with_titles_apart(items))
    marked = [
        place
        for place, item in enumerate(items)
        if isinstance(item, Paragraph) and item.outline.level and not item.is_toc
    ]
    found = (
        _beside_marked(items, marked)
        if headings is Headings.AUTO and marked
        else _everywhere(items)
    )
    titled = {
        heading.line.number.kind
        for heading in found
        if heading.line.number and heading.line.item.is_title
    }
    found = [
        heading._replace(length=length)
        if (length := text_begins(heading.line, titled)) is not None
        else heading
        for heading in found
    ]
    known = [
        (line, item.outline.level)
        for place in marked
        if isinstance(item := items[place], Paragraph) and (line := line_of(place, item))
    ]
    siblings = map(
        _of_clause,
        siblings_of(items, [*(heading.line for heading in found), *(line for line, _ in known)]),
    )
    found = sorted([*found, *siblings], key=lambda heading: heading.line.place)
    return list(with_text_joined(_with_headings(items, found, known) if found else items))


def _everywhere(items: Sequence[Item]) -> list[_InferredHeading]:
    clauses = clauses_of(items)
    taken = {clause.line.place for clause in clauses}
    found = [
        _InferredHeading(line, judgement)
        for line, _, judgement in judge(candidates_of(items, taken), _ENOUGH)
    ]
    return [*found, *map(_of_clause, clauses)]


def _of_clause(clause: Clause | TextLine) -> _InferredHeading:
    return (
        _InferredHeading(clause.line, _CLAUSE, clause.length)
        if isinstance(clause, Clause)
        else _InferredHeading(clause, _CLAUSE)
    )


def _beside_marked(items: Sequence[Item], marked: Sequence[int]) -> list[_InferredHeading]:
    """Return all lines of the looks that occur as headings after the first marked one, more clearly
    so in short sections; and the names of parts.
    """
    above = _above_first(items, marked)
    likely = judge(candidates_of(items, above_first=above.keys()), _ENOUGH_BESIDE_MARKED)
    long = _long_sections(items, marked)
    dividing = {
        key
        for line, key, judgement in likely
        if long[line.place]
        or (line.place > marked[0] and judgement.probability >= _ENOUGH_IN_SHORT_SECTION)
    }
    return [
        _InferredHeading(line, judgement, level=above.get(line.place))
        for line, key, judgement in likely
        if key in dividing or line.place in above
    ]


def _above_first(items: Sequence[Item], marked: Sequence[int]) -> dict[int, int]:
    """Return the places of the lines right above marked headings whose numbers begin at 1 several
    times, such as "EXHIBIT A", and their levels.

    A part is one level above its clauses, or at level 1 beside them.
    """
    above: dict[int, int] = {}
    last: dict[int, int] = {}  # level -> number of the last heading
    first: dict[int, int] = {}  # level -> place of the last heading with the number 1
    for place in marked:
        item = items[place]
        text = item.raw.lstrip() if isinstance(item, Paragraph) else ""
        if not isinstance(item, Paragraph) or not text:
            continue
        level = item.outline.level
        found = number_of_label(item.label.strip()) if item.label else number_of(text)
        number = found.path[0] if found and len(found.path) == 1 else 0
        if number == 1 and last.get(level, 0) > 1:
            for begins in (first.get(level, place), place):
                above |= dict.fromkeys(_short_lines_above(items, begins), max(level - 1, 1))
        last = {higher: value for higher, value in last.items() if higher < level} | {level: number}
        if number == 1:
            first[level] = place
    return above


def _short_lines_above(items: Sequence[Item], place: int) -> Iterator[int]:
    """Yield the places of up to `_MOST_ABOVE` lines of body text right above a place."""
    count = 0
    for before in range(place - 1, -1, -1):
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


def _long_sections(items: Sequence[Item], marked: Sequence[int]) -> list[bool]:
    """Return for each item whether it is in a long section. Items before the first heading are in
    none.
    """
    long = [False] * len(items)
    for start, end in zip(marked, [*marked[1:], len(items)], strict=True):
        if _is_long(items[start:end]):
            long[start:end] = [True] * (end - start)
    return long


def _is_long(section: Sequence[Item]) -> bool:
    """Return whether a section is wider than `_LONG`. Characters are counted first; ideographs only
    if they could change the answer.
    """
    least = sum([len(item.raw) if isinstance(item, Paragraph) else _TABLE for item in section])
    if least > _LONG or 2 * least <= _LONG:
        return least > _LONG
    return (
        sum([width(item.raw) if isinstance(item, Paragraph) else _TABLE for item in section])
        > _LONG
    )


def _with_headings(
    items: Sequence[Item], found: Sequence[_InferredHeading], known: Sequence[tuple[TextLine, int]]
) -> list[Item]:
    """Return the items with these headings marked. `known` are the headings that the author marked,
    with their levels.
    """
    levels = levels_of([heading.line for heading in found], known)
    by_place = {
        heading.line.place: (heading, heading.level or level)
        for heading, level in zip(found, levels, strict=True)
    }
    made: list[Item] = []
    for place, item in enumerate(items):
        heading = by_place.get(place)
        if heading is None or not isinstance(item, Paragraph):
            made.append(item)
        else:
            made += _split_heading(item, *heading)
    return made


def _split_heading(item: Paragraph, heading: _InferredHeading, level: int) -> Iterator[Paragraph]:
    """Yield the heading, then the rest of the paragraph if there is one."""
    outline = OutlineLevel(
        level,
        HeadingSource.GUESS,
        round(heading.judgement.probability, 2),
        heading.judgement.signals,
    )
    if heading.length is None:
        yield item._replace(outline=outline, bold=False)
    else:
        title, text = cut(item, len(item.raw) - len(item.raw.lstrip()) + heading.length)
        yield from (title._replace(outline=outline), text)
