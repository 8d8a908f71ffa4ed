"""Infer which lines are headings, and at which levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.model.blocks import HeadingSource
from docxchunk.model.options import Headings
from docxchunk.ooxml.styles import OutlineLevel
from docxchunk.reader.headings.candidates import candidates_of
from docxchunk.reader.headings.clauses import CLAUSE_CONFIDENCE, Clause, clauses_of, cut, siblings_of, with_text_joined, with_titles_apart
from docxchunk.reader.headings.levels import levels_of
from docxchunk.reader.headings.lines import TextLine, line_of, width
from docxchunk.reader.headings.weights import Judgement, judge
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_ENOUGH: Final = 0.35  # least confidence of a heading: the best threshold for documents of sources that the weights were not fitted on
_ENOUGH_BESIDE_MARKED: Final = 0.6  # the same in a document with marked headings
_LONG: Final = 3000  # width above which a section is searched for headings: about a page
_TABLE: Final = 500  # width that a table counts as


_CLAUSE: Final = Judgement(CLAUSE_CONFIDENCE, ("clause", "in_order"))


class _InferredHeading(NamedTuple):
    line: TextLine
    judgement: Judgement
    length: int | None = None  # characters of the paragraph that are the heading; None: all


def infer_headings(items: Sequence[Item], headings: Headings) -> list[Item]:
    """Return the items with inferred headings besides those that the author marked.

    `AUTO` infers headings in the whole document if none is marked, otherwise only in long sections. A marked heading whose text runs on after
    a title is cut behind the title.
    """
    if headings is Headings.MARKED:
        return list(items)
    items = list(with_titles_apart(items))
    marked = [place for place, item in enumerate(items) if isinstance(item, Paragraph) and item.outline.level and not item.is_toc]
    if headings is Headings.AUTO and marked:
        long = _long_sections(items, marked)
        found = _beside_marked(items, long) if any(long) else []
    else:
        found = _everywhere(items)
    known = [(line, item.outline.level) for place in marked if isinstance(item := items[place], Paragraph) and (line := line_of(place, item))]
    siblings = map(_of_clause, siblings_of(items, [*(heading.line for heading in found), *(line for line, _ in known)]))
    found = sorted([*found, *siblings], key=lambda heading: heading.line.place)
    return list(with_text_joined(_with_headings(items, found, known) if found else items))


def _everywhere(items: Sequence[Item]) -> list[_InferredHeading]:
    clauses = clauses_of(items)
    taken = {clause.line.place for clause in clauses}
    found = [_InferredHeading(line, judgement) for line, _, judgement in judge(candidates_of(items, taken), _ENOUGH)]
    return [*found, *map(_of_clause, clauses)]


def _of_clause(clause: Clause | TextLine) -> _InferredHeading:
    return _InferredHeading(clause.line, _CLAUSE, clause.length) if isinstance(clause, Clause) else _InferredHeading(clause, _CLAUSE)


def _beside_marked(items: Sequence[Item], long: Sequence[bool]) -> list[_InferredHeading]:
    """Return all lines of the looks that occur as headings in a long section."""
    likely = judge(candidates_of(items, within=long), _ENOUGH_BESIDE_MARKED)
    dividing = {key for line, key, _ in likely if long[line.place]}
    return [_InferredHeading(line, judgement) for line, key, judgement in likely if key in dividing]


def _long_sections(items: Sequence[Item], marked: Sequence[int]) -> list[bool]:
    """Return for each item whether it is in a long section. Items before the first heading are in none."""
    long = [False] * len(items)
    for start, end in zip(marked, [*marked[1:], len(items)], strict=True):
        if _is_long(items[start:end]):
            long[start:end] = [True] * (end - start)
    return long


def _is_long(section: Sequence[Item]) -> bool:
    """Return whether a section is wider than `_LONG`. Characters are counted first; ideographs only if they could change the answer."""
    least = sum([len(item.raw) if isinstance(item, Paragraph) else _TABLE for item in section])
    if least > _LONG or 2 * least <= _LONG:
        return least > _LONG
    return sum([width(item.raw) if isinstance(item, Paragraph) else _TABLE for item in section]) > _LONG


def _with_headings(items: Sequence[Item], found: Sequence[_InferredHeading], known: Sequence[tuple[TextLine, int]]) -> list[Item]:
    """Return the items with these headings marked. `known` are the headings that the author marked, with their levels."""
    levels = levels_of([heading.line for heading in found], known)
    by_place = {heading.line.place: (heading, level) for heading, level in zip(found, levels, strict=True)}
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
    outline = OutlineLevel(level, HeadingSource.GUESS, round(heading.judgement.probability, 2), heading.judgement.signals)
    if heading.length is None:
        yield item._replace(outline=outline, bold=False)
    else:
        title, text = cut(item, len(item.raw) - len(item.raw.lstrip()) + heading.length)
        yield from (title._replace(outline=outline), text)
