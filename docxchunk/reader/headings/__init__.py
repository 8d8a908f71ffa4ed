"""Infer which lines are headings, and at which levels. The stages, in order:

1. A clause that opens with a title becomes two paragraphs: `clauses.with_titles_apart`. Heading
   levels that say nothing are removed: `marks`.
2. The lines that stand out from the body text, or have words and a running number (`worded`),
   without typed tables of contents: `lines`, `contents`.
3. The probability that each of them is a heading: `signals`, with the table of all weights. The
   thresholds are here.
4. The numbers of clauses that go on with text are headings, too: `clauses.clauses_of`.
5. The levels of the headings: `levels`. Printed numbers decide before marked levels.
6. The headings are put among the items, rules of the user decide about them (`rules`), titles that
   are none are joined to their text again, and titles above articles to the articles
   (`titles_above`).

The levels of the headings that the author marked are the outline levels of paragraphs and styles
(`reader.looks.read_properties`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.language.numbers import number_of_paragraph
from docxchunk.model.blocks import HeadingSource
from docxchunk.model.document import IssueCode
from docxchunk.model.options import Headings
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.headings.clauses import (
    CLAUSE_CONFIDENCE,
    clauses_of,
    cut,
    with_texts_joined,
    with_titles_apart,
)
from docxchunk.reader.headings.contents import typed_contents
from docxchunk.reader.headings.levels import (
    Heading,
    levels_of,
    with_nested_levels,
    with_printed_levels,
)
from docxchunk.reader.headings.lines import (
    TextLine,
    body_of,
    gaps,
    line_of,
    parents,
    prominent_lines,
)
from docxchunk.reader.headings.marks import STOPS, is_running_text, stray_marks
from docxchunk.reader.headings.number_titles import with_titles_above, with_titles_below
from docxchunk.reader.headings.signals import (
    MOST_REPORTED,
    JudgedLine,
    LineClass,
    is_known_title,
    judge,
    line_class,
)
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

# the least probability of a heading: the best threshold for documents of authors whose documents
# were not used to fit the weights
ENOUGH: Final = 0.38
_ENOUGH_BESIDE_MARKED: Final = 0.4  # in a document with marked headings
_LEAST_LISTS: Final = 3  # that begin below lines of one kind
_WIDEST_TITLE: Final = 60  # above a list


class _InferredHeading(NamedTuple):
    line: TextLine
    probability: float
    signals: tuple[str, ...]
    length: int | None = None  # characters of the paragraph that are the heading; None: all


def infer_headings(
    items: Sequence[Item],
    headings: Headings,
    report: Callable[[IssueCode, str], None],
    decide: Callable[[Sequence[Item]], list[Item]] = list,
) -> list[Item]:
    """Return the items with the inferred headings; the marked ones stay, except on running text.
    `decide` gets the items with both, and returns those that count.

    `AUTO` infers all headings if the author marked none, otherwise only clear ones; `GUESS` infers
    all in any document, `MARKED` none.
    """
    if headings is Headings.MARKED:
        return decide(items)
    items = with_titles_below(with_titles_apart(items))
    for index, item in (stray := stray_marks(items)).items():
        items[index] = item._replace(outline=BODY)
    if stray:
        first = next(iter(stray.values())).raw.strip()
        report(
            IssueCode.HEADING_LEVEL_IGNORED,
            f"The heading levels of {len(stray)} paragraphs, which look like running text, were "
            f"ignored ({first[:40]!r}).",
        )
    marked = {
        index: item
        for index, item in enumerate(items)
        if isinstance(item, Paragraph) and item.outline.level and not item.is_toc
    }
    clauses = clauses_of(items)
    judged_lines = _judged(items, but={clause.line.item_index for clause in clauses})
    likely = [judged for judged in judged_lines if _is_likely(judged)]
    headlines: list[TextLine] = []
    if headings is Headings.AUTO and marked:
        likely, headlines = _beside_marked(likely, min(marked))
    likely = _without_last_lines(items, likely)
    likely += _in_gaps(judged_lines, likely, marked)
    likely += list(_above_lists(items, likely))
    inferred = [
        *map(_heading, likely),
        *(
            _InferredHeading(line, CLAUSE_CONFIDENCE, ("clause", "in_order"), length)
            for line, length in clauses
        ),
    ]
    for line in headlines:
        items[line.item_index] = line.item._replace(is_headline=True)
    if inferred:
        inferred.sort(key=lambda heading: heading.line.item_index)
        items = _with_headings(items, inferred, marked)
    items = _with_printed_levels(items)
    return with_titles_above(with_texts_joined(decide(items)))


# --- Which lines are headings


def _judged(items: Sequence[Item], but: AbstractSet[int]) -> list[JudgedLine]:
    """Return the lines that could be headings, without the items with the indices `but`."""
    body = body_of(items)
    without = but | typed_contents(items)
    lines = [line for line in prominent_lines(items, body) if line.item_index not in without]
    return _with_numbers_above(judge(items, lines, body))


def _is_likely(judged: JudgedLine) -> bool:
    item = judged.line.item
    return judged.probability >= ENOUGH and (
        item.opens_clause or judged.line.look.bold or not is_running_text(item.raw)
    )


def _without_last_lines(items: Sequence[Item], likely: Sequence[JudgedLine]) -> list[JudgedLine]:
    """Return the lines that are headings, without those at the end that have no number, with
    nothing but such lines below them: the names of those who sign.
    """
    unnumbered = {judged.line.item_index for judged in likely if not judged.line.number}
    end = len(items)
    while end and (end - 1 in unnumbered or _is_blank(items[end - 1])):
        end -= 1
    return [judged for judged in likely if judged.line.item_index < end]


def _with_numbers_above(judged_lines: Sequence[JudgedLine]) -> list[JudgedLine]:
    """Return the lines. A line is at least as probable as the first one below its number, and its
    first signal says so: 2 is a heading if 2.1 is one.
    """
    lines = {judged.line.item_index: judged for judged in judged_lines}
    numbers = {index: judged.line.number for index, judged in lines.items() if judged.line.number}
    for index, below in reversed(list(parents(numbers))):
        line, probability = lines[index], lines[below].probability
        if probability > line.probability:
            signals = ("heading_below", *line.signals)[:MOST_REPORTED]
            lines[index] = line._replace(probability=probability, signals=signals)
    return list(lines.values())


def _heading(judged: JudgedLine) -> _InferredHeading:
    return _InferredHeading(judged.line, judged.probability, judged.signals)


def _beside_marked(
    likely: Sequence[JudgedLine], first_marked: int
) -> tuple[list[JudgedLine], list[TextLine]]:
    """Return which of the likely lines are headings in a document with marked headings, and the
    other lines, which would be headings if none were marked. The lines of a class are headings if
    one of them follows the first marked heading, or if several have numbers: title pages have
    headings of their own.
    """
    numbered = Counter(judged.line_class for judged in likely if judged.line.number)
    dividing = {
        judged.line_class
        for judged in likely
        if judged.probability >= _ENOUGH_BESIDE_MARKED
        and (judged.line.item_index > first_marked or numbered[judged.line_class] > 1)
    }
    chosen = [judged for judged in likely if judged.line_class in dividing]
    return chosen, [judged.line for judged in likely if judged.line_class not in dividing]


def _in_gaps(
    judged_lines: Iterable[JudgedLine],
    likely: Iterable[JudgedLine],
    marked: Mapping[int, Paragraph],
) -> Iterator[JudgedLine]:
    """Yield the lines that fill gaps between the numbers of headings, each with the probability and
    the look of the heading after the gap.
    """
    headings = {judged.line.item_index: judged for judged in likely}
    for index, item in marked.items():
        if line := line_of(index, item):
            headings[index] = JudgedLine(line, line_class(line), CLAUSE_CONFIDENCE, ())
    lines = {
        judged.line.item_index: judged.line
        for judged in (*judged_lines, *headings.values())
        if judged.line.item_index in headings or not judged.line.text.endswith(STOPS)
    }
    numbers = {
        index: number
        for index in sorted(lines)
        if (number := lines[index].number) and number.kind != "ordinal"
    }
    for gap, after in gaps(numbers, headings):
        heading = headings[after]
        look, capitals = heading.line.look, heading.line.capitals
        for index in gap:
            line = lines[index]._replace(look=look, capitals=capitals)
            yield JudgedLine(line, heading.line_class, heading.probability, ("fills_gap",))


def _above_lists(items: Sequence[Item], likely: Sequence[JudgedLine]) -> Iterator[JudgedLine]:
    """Yield the short lines above lists of headings that begin again: "Time:" right above "1. How
    is it read?", and "Files:" above another 1. At least three lists of one class have such a line,
    and these are more than half of its lists.
    """
    lists: dict[LineClass, list[JudgedLine]] = defaultdict(list)
    for judged in likely:
        number = judged.line.number
        if number and number.path == (1,) and not number.rank:
            lists[judged.line_class].append(judged)
    several = [firsts for firsts in lists.values() if len(firsts) >= _LEAST_LISTS]
    if not several:  # only for speed
        return
    headings = {judged.line.item_index for judged in likely}
    filled = [index for index, item in enumerate(items) if not _is_blank(item)]
    above = dict(pairwise(reversed(filled)))
    for firsts in several:
        titles = [
            JudgedLine(line, first.line_class, first.probability, ("above_list",))
            for first in firsts
            if (index := above.get(first.line.item_index)) is not None
            and index not in headings
            and (line := _plain_title(index, items[index]))
        ]
        if len(titles) >= _LEAST_LISTS and 2 * len(titles) > len(firsts):
            yield from titles


def _plain_title(index: int, item: Item) -> TextLine | None:
    """Return a short paragraph that could be a title, whatever it looks like, or None."""
    if not isinstance(item, Paragraph) or item.outline.level or item.depth >= 0:
        return None
    line = line_of(index, item)
    is_title = (
        line is not None
        and line.number is None
        and line.width <= _WIDEST_TITLE
        and not line.text.endswith(STOPS)
        and not line.text[0].islower()
    )
    return line if is_title else None


# --- The items with these headings


def _with_headings(
    items: Sequence[Item],
    inferred: Sequence[_InferredHeading],
    marked: Mapping[int, Paragraph],
) -> list[Item]:
    """Return the items with the inferred headings, which come in order. `marked` are the headings
    that the author marked, by their indices: they move down if others are above all of them.
    """
    marked_lines = [
        (line, item.outline.level)
        for index, item in marked.items()
        if (line := line_of(index, item))
    ]
    levels = levels_of([heading.line for heading in inferred], marked_lines)
    down = 0 if all(levels) else 1
    if down:
        items = [
            _with_level(marked[index], marked[index].outline.level + down)
            if index in marked
            else item
            for index, item in enumerate(items)
        ]
    result: list[Item] = []
    done = 0
    for heading, level in zip(inferred, levels, strict=True):
        index = heading.line.item_index
        result += items[done:index]
        result += _split(heading, level + down)
        done = index + 1
    return [*result, *items[done:]]


def _is_blank(item: Item) -> bool:
    return isinstance(item, Paragraph) and item.is_blank


def _with_level(item: Paragraph, level: int) -> Paragraph:
    return item._replace(outline=item.outline._replace(level=level))


def _with_printed_levels(items: list[Item]) -> list[Item]:
    """Return the items with the levels that the printed numbers of headings tell."""
    headings = [
        (index, item, number_of_paragraph(item.raw.strip(), item.label.strip()))
        for index, item in enumerate(items)
        if isinstance(item, Paragraph) and item.outline.level and not item.is_toc
    ]
    filled = [index for index, item in enumerate(items) if not _is_blank(item)]
    below = dict(pairwise(filled))
    indices = {index for index, _, _ in headings}
    nested = with_nested_levels(
        [
            Heading(
                item.outline.level,
                number,
                item.outline.source is HeadingSource.GUESS,
                below.get(index) in indices,
                item.look.size if item.look else 0,
                is_known_title(item.raw.strip()),
            )
            for index, item, number in headings
        ]
    )
    numbers = (number for _, _, number in headings)
    levels = with_printed_levels(list(zip(nested, numbers, strict=True)))
    for (index, item, _), level in zip(headings, levels, strict=True):
        if level != item.outline.level:
            items[index] = _with_level(item, level)
    return items


def _split(heading: _InferredHeading, level: int) -> tuple[Paragraph, ...]:
    """Return the heading, and the text after it if the paragraph has both."""
    item, probability = heading.line.item, round(heading.probability, 2)
    outline = OutlineLevel(level, HeadingSource.GUESS, probability, heading.signals)
    if heading.length is None or heading.length == len(heading.line.text):
        return (item._replace(outline=outline, bold=False),)
    end = len(item.raw) - len(item.raw.lstrip()) + heading.length
    return cut(item, end, look=item.look, outline=outline)
