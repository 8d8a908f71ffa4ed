"""Find the lines that could be headings, and add the signals that come from their context: the
neighbours, numbers in order, repetition, tables of contents, and the other lines of the class.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.reader.headings.contents import contents_of, listed_below
from docxchunk.reader.headings.judgement import Candidate, log_odds
from docxchunk.reader.headings.lines import TextLine, body_of, prominent_lines, width
from docxchunk.reader.headings.numbers import orders, parents, series_of
from docxchunk.reader.headings.signals import LineClass, Signals, classes_and_signals
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_RUNNING_TEXT: Final = 60  # a wider paragraph is running text, which ends the title page
# a line with one of these signals is no title
_NO_TITLE: Final = frozenset(("stops", "colon", "sentence", "long", "lower", "options", "odd"))
_MANY: Final = 3  # a series of this many lines is no coincidence
_MOSTLY: Final = 0.5  # least share of titles in a series of headings
_LEAST_CODE: Final = 10  # numbers that are codes, such as error numbers, begin here or above
_TWICE: Final = 2  # the same heading may occur under two others
# in the means of a class, wider lines and larger gaps count as these
_MOST_WIDTH: Final = 120
_MOST_GAP: Final = 4000


class _Context(NamedTuple):
    """The lines of a document, and what is known of their surroundings. The keys of the mappings
    are the indices of the lines among the items.
    """

    items: Sequence[Item]
    lengths: Sequence[int]  # of the items
    indices: Sequence[int]  # of the items that are not blank
    lines: Mapping[int, TextLine]
    classes: Mapping[int, LineClass]
    signals: dict[int, Signals]  # signals are added here


def candidates_of(
    items: Sequence[Item],
    lengths: Sequence[int],
    clauses: AbstractSet[int] = frozenset(),
    above_first: AbstractSet[int] = frozenset(),
) -> list[Candidate]:
    """Return the lines that stand out from the body text, with their signals.

    - `lengths`: the lengths of the items (`lines.lengths_of`).
    - `clauses`: the indices of clauses, which count as text.
    - `above_first`: the indices of the items right above marked headings whose numbers begin again
      at 1.
    """
    body = body_of(items)
    indices = [
        index
        for index, item in enumerate(items)
        if not isinstance(item, Paragraph) or (item.raw and not item.raw.isspace())
    ]
    texts = [index for index in indices if index not in clauses]
    lines = {line.item_index: line for line in prominent_lines(items, texts, body)}
    context = _Context(items, lengths, indices, lines, *classes_and_signals(lines.values(), body))
    _add_neighbours(context)
    _add_title_page(context)
    _add_repetition(context)
    _add_contents(context)
    _add_numbers(context)
    all_series = _add_series(context, above_first)
    class_odds = {each: log_odds(signals) for each, signals in _class_signals(context).items()}
    series_number = {index: k for k, members in enumerate(all_series, 1) for index in members}
    return [
        Candidate(line, each, signals, class_odds[each], series_number.get(line.item_index, 0))
        for line, each, signals in zip(
            lines.values(), context.classes.values(), context.signals.values(), strict=True
        )
    ]


# --- Neighbours


def _add_neighbours(context: _Context) -> None:
    """Add the signals that each line gets from its neighbours: blank paragraphs, text, a table, or
    another line of its class.
    """
    items, _, indices, lines, classes, all_signals = context
    for before, index, after in zip([-1, *indices], indices, [*indices[1:], -1], strict=False):
        signals = all_signals.get(index)
        if signals is None:
            continue
        line, line_class = lines[index], classes[index]
        if before < 0:
            signals["first"] = 1.0
        elif before < index - 1:
            signals["blank_before"] = 1.0
        if after < 0:
            signals["last"] = 1.0
        else:
            _add_signals_of_next(signals, items[after], line, lines.get(after))
        is_before, is_after = (classes.get(each) == line_class for each in (before, after))
        if is_before:
            signals["same_before"] = 1.0
        if is_after:
            signals["same_after"] = 1.0
        number = line.number
        if (is_before or is_after) and number and len(number.path) == 1 and not number.rank:
            signals["list"] = 1.0


def _add_signals_of_next(
    signals: Signals, item: Item, line: TextLine, next_line: TextLine | None
) -> None:
    """Add the signals that a line gets from the item after it, which may be a line, too."""
    if not isinstance(item, Paragraph):
        signals["table_after"] = 1.0
        return
    if next_line is None:
        signals["text_after"] = 1.0
    if item.depth >= 0 > line.item.depth:
        signals["list_after"] = 1.0
    if next_line is not None and next_line.is_prominent:
        signals["line_after"] = 1.0


def _add_title_page(context: _Context) -> None:
    """Add the signal of the lines of a title page: all lines above the first running text, except
    the last one. A document without running text has no title page.
    """
    items, _, indices, lines, _, signals = context
    running_texts = (
        position
        for position, index in enumerate(indices)
        if not isinstance(item := items[index], Paragraph)
        or item.depth >= 0
        or (index not in lines and width(item.raw) > _RUNNING_TEXT)
    )
    for index in indices[: max(next(running_texts, 0) - 1, 0)]:
        if index in lines and not ((number := lines[index].number) and number.rank):
            signals[index]["title_page"] = 1.0


def _add_repetition(context: _Context) -> None:
    counts = Counter(line.text for line in context.lines.values())
    for index, line in context.lines.items():
        if (count := counts[line.text]) > _TWICE:
            context.signals[index]["repeated"] = min(math.log2(count / _TWICE), 4)


def _add_contents(context: _Context) -> None:
    entries, named = contents_of(context.items, context.indices)
    if not entries:
        entries, named = listed_below(context.items, list(context.lines.values()), context.indices)
    for name, indices in (("contents", entries), ("in_contents", named)):
        for index in indices & context.signals.keys():
            context.signals[index][name] = 1.0


# --- Numbers


def _add_numbers(context: _Context) -> None:
    """Add the signals of numbers that run in order, and of numbers that have others below them."""
    lines, signals = context.lines, context.signals
    in_turn = orders([(line.number, line.is_automatic) for line in lines.values()])
    for index, order in zip(lines, in_turn, strict=True):
        if order:
            signals[index][order] = 1.0
    for index in parents({index: line.number for index, line in lines.items() if line.number}):
        signals[index]["divided"] = 1.0


def _add_series(context: _Context, above_first: AbstractSet[int]) -> list[list[int]]:
    """Add the signals of series of numbered titles, and of the lines above them if several series
    begin at 1. Return all series of at least two lines.
    """
    signals = context.signals
    numbers = {
        index: line.number
        for index, line in context.lines.items()
        if line.number and len(line.number.path) == 1
    }
    all_series = [members for members in series_of(numbers, context.classes) if len(members) > 1]
    position_of = {index: position for position, index in enumerate(context.indices)}
    first_titles: dict[str, list[int]] = defaultdict(list)  # by the kind of their numbers
    for members in all_series:
        share = _share_of_titles(members, position_of, signals)
        first = numbers[members[0]]
        if share < _MOSTLY or first.path != (1,):
            continue
        first_titles[first.kind].append(members[0])
        for index in members:
            signals[index]["series"] = share * min(len(members), _MANY) / _MANY
    above = set(above_first)
    for titles in first_titles.values():
        if len(titles) > 1:
            positions = (position_of[index] for index in titles)
            above.update(context.indices[position - 1] for position in positions if position > 0)
    for index in above & signals.keys():
        signals[index]["above_first"] = 1.0
    return all_series


def _share_of_titles(
    members: Sequence[int], position_of: Mapping[int, int], signals: Mapping[int, Signals]
) -> float:
    """Return the share of the lines of a series that are titles with text below them. The last line
    does not count.

    `position_of` maps the index of an item to its position among those that are not blank.
    """
    titles = [
        position_of[following] - position_of[index] > 1 and not _NO_TITLE & signals[index].keys()
        for index, following in pairwise(members)
    ]
    return sum(titles) / len(titles)


# --- Classes of lines


def _class_signals(context: _Context) -> dict[LineClass, Signals]:
    lines, all_signals = context.lines, context.signals
    gaps = _gaps(context)
    total = sum(context.lengths)
    members_of: dict[LineClass, list[int]] = defaultdict(list)
    for index, line_class in context.classes.items():
        members_of[line_class].append(index)
    return {
        line_class: _signals_of_class(
            [lines[index] for index in members],
            [all_signals[index] for index in members],
            [gaps[index] for index in members],
            total,
        )
        for line_class, members in members_of.items()
    }


def _signals_of_class(
    lines: Sequence[TextLine], signals: Sequence[Signals], gaps: Sequence[int], total: int
) -> Signals:
    """Return the signals of a class of lines. `signals` and `gaps` have a value for each line;
    `total` is the number of characters of the document.
    """
    count = len(lines)
    widths = [line.width for line in lines]

    def share(name: str) -> float:
        return sum([name in line_signals for line_signals in signals]) / count

    text_after = share("text_after")
    mean_gap = sum([min(gap, _MOST_GAP) for gap in gaps]) / count
    return {
        "class_same": share("same_after"),
        "class_stops": share("stops"),
        "class_colon": share("colon"),
        "class_text_after": text_after,
        "class_series": min(share("in_order"), text_after) if count > 1 else 0.0,
        "class_codes": float(_are_codes(lines, signals)),
        "class_long": sum([min(width, _MOST_WIDTH) for width in widths]) / count / 40,
        "class_single": float(count == 1),
        "class_size": min(math.log2(count), 5) / 5,
        "class_repeated": 1 - min(_TWICE * len({line.text for line in lines}) / count, 1),
        "class_letters": min(sum(widths) / total, 0.3) * 2,
        "class_gap": min(math.log2(1 + mean_gap), 12) / 12,
    }


def _are_codes(lines: Sequence[TextLine], signals: Sequence[Signals]) -> bool:
    """Return whether the numbers are codes. All codes are large, and no number is below one of
    them, as 2.1 is below 2.
    """
    if len(lines) < _MANY or any("divided" in line_signals for line_signals in signals):
        return False
    return all(
        line.number is not None
        and line.number.kind == "decimal"
        and line.number.path[0] >= _LEAST_CODE
        for line in lines
    )


def _gaps(context: _Context) -> dict[int, int]:
    """Return for each line the number of characters up to the next line or marked heading."""
    items, lengths, lines = context.items, context.lengths, context.lines
    gaps, length = {}, 0
    for index in reversed(context.indices):
        if index in lines:
            gaps[index], length = length, 0
        elif isinstance(item := items[index], Paragraph) and item.outline.level:
            length = 0
        else:
            length += lengths[index]
    return gaps
