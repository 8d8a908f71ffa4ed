"""Infer which lines are headings, and at which levels. This is the map of the inference.

1. A clause that opens with a title becomes two paragraphs: `clauses.with_titles_apart`.
2. The lines that stand out from the body text are candidates. `lines` finds them; `numbers` parses
   the number that a line begins with, by the names of divisions in `words`.
3. Each candidate gets signals. `signals` computes those of its look, number and words;
   `candidates` adds those of its context: neighbours, numbers in order, repetition, a typed table
   of contents (`contents`), and the other lines of its class.
4. Weights turn the signals into a probability (`judgement.judge`). The lines of a class, which have
   the same style, look and form of number, are judged together, and so are those of a series of
   numbers. The thresholds are here.
5. Two more kinds of headings come from `clauses`: the numbers of clauses, and paragraphs whose
   numbers continue those of headings.
6. `levels` gives them levels, and `_with_headings` puts them among the items.

The levels of the headings that the author marked are the outline levels of paragraphs and styles
(`reader.looks.read_properties`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.language.numbers import number_of_paragraph
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
from docxchunk.reader.headings.contents import with_contents_unmarked
from docxchunk.reader.headings.judgement import Judgement, judge
from docxchunk.reader.headings.levels import levels_of
from docxchunk.reader.headings.lines import (
    LENGTH_OF_TABLE,
    TextLine,
    lengths_of,
    line_of,
    width,
)
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

# the least probability of a heading: the best threshold for documents of authors whose documents
# were not used to fit the weights
_ENOUGH: Final = 0.35
_ENOUGH_BESIDE_MARKED: Final = 0.6  # in a document with marked headings
_ENOUGH_IN_SHORT_SECTION: Final = 0.7  # in a short section of such a document
_LONG: Final = 3000  # width above which a section is long: about a page
_LONGEST_NAME: Final = 80  # characters of the name of a part
_MOST_ABOVE: Final = 2  # lines that name one part: "EXHIBIT A", "Terms of Use"
_CLAUSE: Final = Judgement(CLAUSE_CONFIDENCE, ("clause", "in_order"))


class _InferredHeading(NamedTuple):
    line: TextLine
    judgement: Judgement
    length: int | None = None  # characters of the paragraph that are the heading; None: all
    level: int | None = None  # None: `levels_of` finds it


def infer_headings(items: Sequence[Item], headings: Headings) -> list[Item]:
    """Return the items with the inferred headings. The marked headings stay, except the entries of
    a typed table of contents; one that runs on as text after its title is cut after the title.

    `AUTO` infers all headings if the author marked none, otherwise only clear ones; `GUESS` infers
    all in any document, `MARKED` none.
    """
    if headings is Headings.MARKED:
        return list(items)
    items = with_titles_apart(with_contents_unmarked(items))
    levels = {
        index: item.outline.level
        for index, item in enumerate(items)
        if isinstance(item, Paragraph) and item.outline.level and not item.is_toc
    }
    inferred, almost = (
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
    for line in almost:
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
    """Return the headings without the texts of clauses. If other clauses with numbers of the same
    kind have titles, a heading that is the whole text of a clause keeps only its number.
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
    """Return the inferred headings of a document with marked headings, and the other lines that
    would be headings if none were marked.

    The clear lines of a class are headings in two cases: one of them is in a long section, or one
    is even clearer and follows the first marked heading. The clear names of parts are headings,
    too.
    """
    parts = _names_of_parts(items, marked)
    lengths = lengths_of(items)
    likely = judge(candidates_of(items, lengths, above_first=parts.keys()), _ENOUGH)
    long = _long_sections(items, lengths, marked) if likely else []
    dividing = {
        line_class
        for line, line_class, (probability, _) in likely
        if (probability >= _ENOUGH_BESIDE_MARKED and long[line.item_index])
        or (line.item_index > marked[0] and probability >= _ENOUGH_IN_SHORT_SECTION)
    }
    inferred: list[_InferredHeading] = []
    others: list[TextLine] = []
    for line, line_class, judgement in likely:
        if judgement.probability >= _ENOUGH_BESIDE_MARKED and (
            line_class in dividing or line.item_index in parts
        ):
            inferred.append(_InferredHeading(line, judgement, level=parts.get(line.item_index)))
        else:
            others.append(line)
    return inferred, others


def _names_of_parts(items: Sequence[Item], marked: Sequence[int]) -> dict[int, int]:
    """Return the indices of the names of parts, such as "EXHIBIT A", with their levels. They are
    the lines right above marked headings whose numbers begin at 1 several times.

    A part is one level above its clauses; above clauses of level 1, it has level 1, too.
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
    """Return for each item whether it is in a long section. The text before the first heading is in
    no section. `lengths` are the lengths of the items.
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
    levels = levels_of([heading.line for heading in inferred], marked)
    result: list[Item] = []
    done = 0
    for heading, level in zip(inferred, levels, strict=True):
        index = heading.line.item_index
        result += items[done:index]
        result += _split(heading, heading.level or level)
        done = index + 1
    return [*result, *items[done:]]


def _split(heading: _InferredHeading, level: int) -> tuple[Paragraph, ...]:
    """Return the heading, and the text after it if the paragraph has both."""
    item, (probability, signals) = heading.line.item, heading.judgement
    outline = OutlineLevel(level, HeadingSource.GUESS, round(probability, 2), signals)
    if heading.length is None:
        return (item._replace(outline=outline, bold=False),)
    end = len(item.raw) - len(item.raw.lstrip()) + heading.length
    return cut(item, end, look=item.look, outline=outline)
