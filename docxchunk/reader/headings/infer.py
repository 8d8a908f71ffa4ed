"""Infer which lines are headings, and at which levels.

1. A clause that opens with a title becomes two paragraphs (`clauses.with_titles_apart`).
2. The lines that stand out get signals (`candidates`), and from these a probability (`weights`).
3. Numbers of clauses, and paragraphs whose numbers continue those of headings, are headings, too
   (`clauses`).
4. All of them get levels (`levels`), and become headings here.
"""

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
    with_texts_joined,
    with_titles_apart,
)
from docxchunk.reader.headings.levels import levels_of
from docxchunk.reader.headings.lines import TextLine, line_of, width
from docxchunk.reader.headings.numbers import number_of_paragraph
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
    return list(with_texts_joined(_with_headings(items, inferred, marked) if inferred else items))


# --- Which lines are headings


def _everywhere(items: Sequence[Item]) -> list[_InferredHeading]:
    """Return the headings of a document whose author marked none."""
    clauses = clauses_of(items)
    candidates = candidates_of(items, {clause.line.item_index for clause in clauses})
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
    likely = judge(candidates_of(items, above_first=parts.keys()), _ENOUGH)
    long = _long_sections(items, marked) if likely else []
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


# --- The items with these headings


def _with_headings(
    items: Sequence[Item],
    inferred: Sequence[_InferredHeading],
    marked: Sequence[tuple[TextLine, int]],
) -> list[Item]:
    """Return the items with the inferred headings, which come in order. `marked` are the headings
    that the author marked, with their levels.
    """
    levels = levels_of([heading.line for heading in inferred], marked)
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
        title, text = cut(item, len(item.raw) - len(item.raw.lstrip()) + heading.length)
        yield from (title._replace(outline=outline), text)
