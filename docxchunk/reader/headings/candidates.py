"""Find the lines that could be headings, and compute the signals that come from their context:
neighbours, numbers in order, repetition, and the other lines of the same look.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.reader.headings.contents import contents_of, listed_below
from docxchunk.reader.headings.lines import TextLine, body_of, prominent_lines, width
from docxchunk.reader.headings.numbers import orders, parents, series_of
from docxchunk.reader.headings.signals import Candidate, Key, Signals, keys_and_signals, log_odds
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_TEXT: Final = 60  # width from which on a paragraph is running text, which ends the title page
_NO_TITLE: Final = frozenset(("stops", "colon", "sentence", "long", "lower", "options", "odd"))
_MANY: Final = 3  # lines from which on a series is none by chance
_MOSTLY: Final = 0.5
_FIRST_CODE: Final = 10
_TWICE: Final = 2  # the same heading may occur under two others


class _Context(NamedTuple):
    """The lines of a document and what is known of them, by their indices among the items."""

    items: Sequence[Item]
    lengths: Sequence[int]  # of the items
    indices: Sequence[int]  # of the items that are not blank
    lines: Mapping[int, TextLine]
    keys: Mapping[int, Key]
    signals: dict[int, Signals]  # signals are added here


def candidates_of(
    items: Sequence[Item],
    lengths: Sequence[int],
    clauses: AbstractSet[int] = frozenset(),
    above_first: AbstractSet[int] = frozenset(),
) -> list[Candidate]:
    """Return the lines that stand out from the body text by look, number or words.

    `lengths` are those of the items (`lines.lengths_of`). `clauses` are the indices of clauses,
    which count as text. `above_first` are the indices of the items right above marked headings
    whose numbers begin again at 1.
    """
    body = body_of(items)
    indices = [
        index
        for index, item in enumerate(items)
        if not isinstance(item, Paragraph) or (item.raw and not item.raw.isspace())
    ]
    texts = [index for index in indices if index not in clauses] if clauses else indices
    lines = {line.item_index: line for line in prominent_lines(items, texts, body)}
    context = _Context(items, lengths, indices, lines, *keys_and_signals(lines.values(), body))
    _add_neighbours(context)
    _add_title_page(context)
    _add_repetition(context)
    _add_contents(context)
    series = _add_numbers(context, above_first)
    of_classes = {key: log_odds(signals) for key, signals in _class_signals(context).items()}
    series_number = {index: k for k, members in enumerate(series, 1) for index in members}
    return [
        Candidate(line, key, signals, of_classes[key], series_number.get(line.item_index, 0))
        for line, key, signals in zip(
            lines.values(), context.keys.values(), context.signals.values(), strict=True
        )
    ]


# --- Neighbours


def _add_neighbours(context: _Context) -> None:
    """Add the signals of the neighbours of each line: blank paragraphs, text, a table, or another
    line of the same look.
    """
    items, _, indices, lines, keys, all_signals = context
    for before, index, after in zip([None, *indices], indices, [*indices[1:], None], strict=False):
        signals = all_signals.get(index)
        if signals is None:
            continue
        line, key = lines[index], keys[index]
        if before is None:
            signals["first"] = 1.0
        elif before < index - 1:
            signals["blank_before"] = 1.0
        if after is None:
            signals["last"] = 1.0
        else:
            _add_signals_of_next(signals, items[after], line, lines.get(after))
        is_before = before is not None and keys.get(before) == key
        is_after = after is not None and keys.get(after) == key
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
    """Add the signal of the lines before the last line before the first running text; none if there
    is no such text.
    """
    items, _, indices, lines, _, signals = context
    texts = (
        k
        for k, index in enumerate(indices)
        if not isinstance(item := items[index], Paragraph)
        or item.depth >= 0
        or (index not in lines and width(item.raw) > _TEXT)
    )
    for index in indices[: max(next(texts, 0) - 1, 0)]:
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


def _add_numbers(context: _Context, above_first: AbstractSet[int]) -> list[list[int]]:
    """Add the signals of numbers that run in order, and return the series of at least two."""
    lines, signals = context.lines, context.signals
    numbers = {index: line.number for index, line in lines.items() if line.number}
    in_turn = orders([(line.number, line.is_automatic) for line in lines.values()])
    for index, order in zip(lines, in_turn, strict=True):
        if order:
            signals[index][order] = 1.0
    for index in parents(numbers):
        signals[index]["divided"] = 1.0
    undivided = {index: number for index, number in numbers.items() if len(number.path) == 1}
    series = [members for members in series_of(undivided, context.keys) if len(members) > 1]
    position_of = {index: position for position, index in enumerate(context.indices)}
    of_titles: list[list[int]] = []
    for members in series:
        share = _share_of_titles(members, position_of, signals)
        if share >= _MOSTLY and numbers[members[0]].path == (1,):
            of_titles.append(members)
            for index in members:
                signals[index]["series"] = share * min(len(members), _MANY) / _MANY
    first_of_kinds: dict[str, list[int]] = defaultdict(list)
    for members in of_titles:
        first_of_kinds[numbers[members[0]].kind].append(members[0])
    above = {
        context.indices[position - 1]
        for firsts in first_of_kinds.values()
        if len(firsts) > 1
        for index in firsts
        if (position := position_of[index]) > 0
    }
    for index in {*above, *above_first} & signals.keys():
        signals[index]["above_first"] = 1.0
    return series


def _share_of_titles(
    members: Sequence[int], position_of: Mapping[int, int], signals: Mapping[int, Signals]
) -> float:
    """Return the share of the lines of a series, without the last, that are titles with text
    below.

    `position_of` has the position of each index among those that are not blank.
    """
    titles = [
        position_of[following] - position_of[index] > 1 and not _NO_TITLE & signals[index].keys()
        for index, following in pairwise(members)
    ]
    return sum(titles) / len(titles)


# --- Lines of the same key


def _class_signals(context: _Context) -> dict[Key, Signals]:
    """Return the signals that all lines of one key share."""
    lines, all_signals = context.lines, context.signals
    gaps = _gaps(context)
    total = sum(context.lengths) or 1
    classes: dict[Key, list[int]] = defaultdict(list)
    for index, key in context.keys.items():
        classes[key].append(index)
    return {
        key: _signals_of_class(
            [lines[index] for index in members],
            [all_signals[index] for index in members],
            [gaps[index] for index in members],
            total,
        )
        for key, members in classes.items()
    }


def _signals_of_class(
    lines: Sequence[TextLine], signals: Sequence[Signals], gaps: Sequence[int], total: int
) -> Signals:
    """Return the signals of a class from the lines in it, their signals and gaps, and the number of
    characters of the document.
    """
    count = len(lines)
    widths = [line.width for line in lines]

    def share(name: str) -> float:
        return sum([name in own for own in signals]) / count

    text_after = share("text_after")
    mean_gap = sum([min(gap, 4000) for gap in gaps]) / count
    return {
        "class_same": share("same_after"),
        "class_stops": share("stops"),
        "class_colon": share("colon"),
        "class_text_after": text_after,
        "class_series": min(share("in_order"), text_after) if count > 1 else 0.0,
        "class_codes": float(_are_codes(lines, signals)),
        "class_long": sum([min(length, 120) for length in widths]) / count / 40,
        "class_single": float(count == 1),
        "class_size": min(math.log2(count), 5) / 5,
        "class_repeated": 1 - min(_TWICE * len({line.text for line in lines}) / count, 1),
        "class_letters": min(sum(widths) / total, 0.3) * 2,
        "class_gap": min(math.log2(1 + mean_gap), 12) / 12,
    }


def _are_codes(lines: Sequence[TextLine], signals: Sequence[Signals]) -> bool:
    """Return whether the numbers are codes: they begin far from 1, and no number is below them."""
    if len(lines) < _MANY or any("divided" in own for own in signals):
        return False
    return all(
        line.number is not None
        and line.number.kind == "decimal"
        and line.number.path[0] >= _FIRST_CODE
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
