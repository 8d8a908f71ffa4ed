"""Find the lines that could be headings, and compute the signals of each."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.ooxml.formatting import Look
from docxchunk.reader.headings.body import Body, body_of
from docxchunk.reader.headings.contents import contents_of, listed_below
from docxchunk.reader.headings.lines import LONGEST, TextLine, is_plain_text, line_of, width
from docxchunk.reader.headings.order import orders, parents, series_of
from docxchunk.reader.headings.signals import (
    Key,
    Signals,
    is_code,
    is_prominent,
    key_of,
    looks_apart,
    signals_of,
)
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_TEXT: Final = 60  # width from which on a paragraph is running text, which ends the title page
_TABLE: Final = 500  # characters that a table counts as
_NO_TITLE: Final = frozenset(("stops", "colon", "sentence", "long", "lower", "options", "odd"))
_MANY: Final = 3  # lines from which on a series is none by chance
_MOSTLY: Final = 0.5
_FIRST_CODE: Final = 10
_TWICE: Final = 2  # the same heading may occur under two others


class Candidate(NamedTuple):
    """A line that could be a heading, with its features."""

    line: TextLine
    key: Key
    signals: Signals
    series: int = 0  # the series of numbers that the line belongs to, from 1; 0: none


def candidates_of(
    items: Sequence[Item],
    clauses: AbstractSet[int] = frozenset(),
    above_first: AbstractSet[int] = frozenset(),
) -> list[Candidate]:
    """Return the lines that stand out from the body text by look, number or words.

    `clauses` are the places of clauses: they count as text. `above_first` are the places above
    marked headings whose numbers begin again at 1.
    """
    body = body_of(items)
    places = [
        place
        for place, item in enumerate(items)
        if not isinstance(item, Paragraph) or (item.raw and not item.raw.isspace())
    ]
    lines = {
        line.place: line
        for line in _lines(items, [place for place in places if place not in clauses], body)
    }
    keys: dict[int, Key] = {}
    one: dict[Key, Key] = {}  # equal keys become one object, as they are compared often
    for place, line in lines.items():
        key = key_of(line)
        keys[place] = one.setdefault(key, key)
    signals = signals_of(lines.values(), body)
    _add_neighbours(items, places, lines, keys, body, signals)
    for place in _title_page(items, places, lines) & signals.keys():
        if not ((number := lines[place].number) and number.rank):
            signals[place]["title_page"] = 1.0
    _add_repetition(lines, signals)
    _add_contents(items, places, lines, signals)
    in_turn = list(lines.values())
    for line, order in zip(in_turn, orders(in_turn), strict=True):
        if order:
            signals[line.place][order] = 1.0
    for line in parents(in_turn):
        signals[line.place]["divided"] = 1.0
    series = [
        members
        for members in series_of(
            [line for line in in_turn if line.number and len(line.number.path) == 1], keys
        )
        if len(members) > 1
    ]
    titles = _add_series(series, dict(pairwise(places)), signals)
    for place in {*_above(titles, dict(pairwise(reversed(places)))), *above_first} & signals.keys():
        signals[place]["above_first"] = 1.0
    _add_classes(items, places, lines, keys, signals)
    numbered = {line.place: number for number, members in enumerate(series, 1) for line in members}
    return [
        Candidate(lines[place], keys[place], found, numbered.get(place, 0))
        for place, found in signals.items()
    ]


def _lines(items: Sequence[Item], places: Sequence[int], body: Body) -> Iterator[TextLine]:
    """Yield the lines that stand out. Looks are tested first, once for all paragraphs that share
    one; texts last, as they cost most.
    """
    apart: dict[tuple[Look, str, str], bool] = {}
    code: dict[Look, bool] = {}
    for place in places:
        item = items[place]
        if (
            not isinstance(item, Paragraph)
            or item.outline.level
            or (look := item.look) is None
            or len(item.raw) > LONGEST
        ):
            continue
        if look not in code:
            code[look] = is_code(look, body)
        if code[look]:
            continue
        kind = (look, item.layout.align, item.style.id)
        if kind not in apart:
            apart[kind] = looks_apart(item, look, body)
        if not apart[kind] and is_plain_text(item):
            continue
        line = line_of(place, item)
        if line is not None and (apart[kind] or is_prominent(line, body)):
            yield line


def _add_neighbours(  # noqa: PLR0913, PLR0917 - one pass over all data of the document
    items: Sequence[Item],
    places: Sequence[int],
    lines: dict[int, TextLine],
    keys: dict[int, Key],
    body: Body,
    signals: dict[int, Signals],
) -> None:
    """Add the signals of the neighbours of each line: blank paragraphs, text, a table, or another
    line of the same look.
    """
    prominent = {place for place, line in lines.items() if is_prominent(line, body)}
    for before, place, after in zip([None, *places], places, [*places[1:], None], strict=False):
        found = signals.get(place)
        if found is None:
            continue
        line, key = lines[place], keys[place]
        if before is None:
            found["first"] = 1.0
        elif before < place - 1:
            found["blank_before"] = 1.0
        if after is None:
            found["last"] = 1.0
        else:
            found.update(_signals_of_next(items[after], line, is_line=after in lines))
            if after in prominent:
                found["line_after"] = 1.0
        is_before, is_after = (
            before in lines and keys[before] is key,
            after in lines and keys[after] is key,
        )
        if is_before:
            found["same_before"] = 1.0
        if is_after:
            found["same_after"] = 1.0
        if (
            (is_before or is_after)
            and line.number is not None
            and len(line.number.path) == 1
            and not line.number.rank
        ):
            found["list"] = 1.0


def _signals_of_next(item: Item, line: TextLine, *, is_line: bool) -> Signals:
    """Return the signals that a line gets from the item after it."""
    if not isinstance(item, Paragraph):
        return {"table_after": 1.0}
    said = {} if is_line else {"text_after": 1.0}
    if item.depth >= 0 > line.item.depth:
        said["list_after"] = 1.0
    return said


def _title_page(
    items: Sequence[Item], places: Sequence[int], lines: dict[int, TextLine]
) -> frozenset[int]:
    """Return the places before the last line before the first running text; empty if there is no
    such text.
    """
    for order, place in enumerate(places):
        item = items[place]
        if (
            not isinstance(item, Paragraph)
            or item.depth >= 0
            or (place not in lines and width(item.raw) > _TEXT)
        ):
            return frozenset(places[: max(order - 1, 0)])
    return frozenset()


def _add_repetition(lines: dict[int, TextLine], signals: dict[int, Signals]) -> None:
    texts = Counter(line.text for line in lines.values())
    for place, found in signals.items():
        count = texts[lines[place].text]
        if count > _TWICE:
            found["repeated"] = min(math.log2(count / _TWICE), 4)


def _add_contents(
    items: Sequence[Item],
    places: Sequence[int],
    lines: dict[int, TextLine],
    signals: dict[int, Signals],
) -> None:
    entries, named = contents_of(items, places)
    if not entries:
        entries, named = listed_below(items, list(lines.values()), places)
    for name, found in (("contents", entries), ("in_contents", named)):
        for place in found & signals.keys():
            signals[place][name] = 1.0


def _add_series(
    series: Iterable[Sequence[TextLine]], after: Mapping[int, int], signals: dict[int, Signals]
) -> list[Sequence[TextLine]]:
    """Add the signal of the series that begin at 1 and whose lines mostly are titles with text
    below; return these series.

    `after` has the next place that is not blank.
    """
    of_titles = []
    for members in series:
        share = _share_of_titles(members, after, signals)
        if share >= _MOSTLY and members[0].number is not None and members[0].number.path == (1,):
            of_titles.append(members)
            for line in members:
                signals[line.place]["series"] = share * min(len(members), _MANY) / _MANY
    return of_titles


def _share_of_titles(
    members: Sequence[TextLine], after: Mapping[int, int], signals: Mapping[int, Signals]
) -> float:
    titles = [
        after[line.place] != following.place and not _NO_TITLE & signals[line.place].keys()
        for line, following in pairwise(members)
    ]
    return sum(titles) / len(titles)


def _above(series: Iterable[Sequence[TextLine]], before: Mapping[int, int]) -> Iterator[int]:
    """Yield the places right above the first lines of series, if there are several of the kind: the
    places of what they are parts of.
    """
    first: dict[str, list[int]] = defaultdict(list)
    for members in series:
        if members[0].number is not None:
            first[members[0].number.kind].append(members[0].place)
    for found in first.values():
        if len(found) > 1:
            yield from (before[place] for place in found if place in before)


def _add_classes(
    items: Sequence[Item],
    places: Sequence[int],
    lines: dict[int, TextLine],
    keys: dict[int, Key],
    signals: dict[int, Signals],
) -> None:
    """Add the signals that all lines of one key share."""
    gaps = _gaps(items, places, lines)
    total = sum([len(item.raw) if isinstance(item, Paragraph) else _TABLE for item in items]) or 1
    classes: dict[Key, list[int]] = defaultdict(list)
    for place in signals:
        classes[keys[place]].append(place)
    for members in classes.values():
        count = len(members)

        def share(name: str, members: list[int] = members) -> float:
            return sum([name in signals[place] for place in members]) / len(members)

        said = {
            "class_same": share("same_after"),
            "class_stops": share("stops"),
            "class_colon": share("colon"),
            "class_text_after": share("text_after"),
            "class_series": min(share("in_order"), share("text_after")) if count > 1 else 0.0,
            "class_codes": float(_are_codes([lines[place] for place in members], signals)),
            "class_long": sum([min(lines[place].length, 120) for place in members]) / count / 40,
            "class_single": float(count == 1),
            "class_size": min(math.log2(count), 5) / 5,
            "class_repeated": 1
            - min(_TWICE * len({lines[place].text for place in members}) / count, 1),
            "class_letters": min(sum([lines[place].length for place in members]) / total, 0.3) * 2,
            "class_gap": min(
                math.log2(1 + sum([min(gaps[place], 4000) for place in members]) / count), 12
            )
            / 12,
        }
        there = {name: value for name, value in said.items() if value}
        for place in members:
            signals[place].update(there)


def _are_codes(lines: Sequence[TextLine], signals: Mapping[int, Signals]) -> bool:
    """Return whether the numbers are codes: they begin far from 1, and no number is below them."""
    if len(lines) < _MANY or any("divided" in signals[line.place] for line in lines):
        return False
    return all(
        line.number is not None
        and line.number.kind == "decimal"
        and line.number.path[0] >= _FIRST_CODE
        for line in lines
    )


def _gaps(
    items: Sequence[Item], places: Sequence[int], lines: dict[int, TextLine]
) -> dict[int, int]:
    """Return for each line the number of characters up to the next line or marked heading."""
    gaps, letters = {}, 0
    for place in reversed(places):
        item = items[place]
        if place in lines:
            gaps[place], letters = letters, 0
        elif isinstance(item, Paragraph):
            letters = 0 if item.outline.level else letters + len(item.raw)
        else:
            letters += _TABLE
    return gaps
