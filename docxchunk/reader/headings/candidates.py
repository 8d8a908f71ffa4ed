"""The lines that could be headings, each with its signals."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from docxchunk.reader.headings.body import Body, body_of
from docxchunk.reader.headings.contents import contents_of, listed_below
from docxchunk.reader.headings.lines import Line, line_of, width
from docxchunk.reader.headings.order import orders, parents
from docxchunk.reader.headings.signals import Key, Signals, is_prominent, key_of, signals_of, stands_out
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.story import Item

_TEXT: Final = 60  # letters that make a paragraph running text: the title page ends there
_TABLE: Final = 500  # letters that a table counts for
_TWICE: Final = 2  # the same heading may stand under two others


class Candidate(NamedTuple):
    line: Line
    key: Key
    signals: Signals


def candidates_of(items: Sequence[Item], clauses: AbstractSet[int] = frozenset()) -> list[Candidate]:
    """The lines that stand out from the body text by look, number or words; the places of `clauses` hold text."""
    body = body_of(items)
    places = [place for place, item in enumerate(items) if not isinstance(item, Paragraph) or (item.raw and not item.raw.isspace())]
    lines = {line.place: line for line in _lines(items, [place for place in places if place not in clauses], body)}
    keys = {place: key_of(line) for place, line in lines.items()}
    signals = signals_of(lines.values(), body)
    _add_neighbours(items, places, lines, keys, body, signals)
    for place in _title_page(items, places, lines) & signals.keys():
        signals[place]["title_page"] = 1.0
    _add_repetition(lines, signals)
    _add_contents(items, places, lines, signals)
    in_turn = list(lines.values())
    for line, order in zip(in_turn, orders(in_turn), strict=True):
        if order:
            signals[line.place][order] = 1.0
    for line in parents(in_turn):
        signals[line.place]["divided"] = 1.0
    _add_classes(items, places, lines, keys, signals)
    return [Candidate(line, keys[place], signals[place]) for place, line in lines.items()]


def _lines(items: Sequence[Item], places: Sequence[int], body: Body) -> Iterator[Line]:
    for place in places:
        item = items[place]
        if isinstance(item, Paragraph) and not item.outline.level:
            line = line_of(place, item)
            if line is not None and stands_out(line, body):
                yield line


def _add_neighbours(  # noqa: PLR0913, PLR0917 - one pass over the document with all that is known of it
    items: Sequence[Item], places: Sequence[int], lines: dict[int, Line], keys: dict[int, Key], body: Body, signals: dict[int, Signals]
) -> None:
    """What stands before and after a line: blank paragraphs, text, a table, or another line of the same look."""
    prominent = {place for place, line in lines.items() if is_prominent(line, body)}
    for order, place in enumerate(places):
        if place not in lines:
            continue
        found = signals[place]
        before, after = (places[order - 1] if order else None), (places[order + 1] if order + 1 < len(places) else None)
        said = {
            "blank_before": before is not None and before < place - 1,
            "first": before is None,
            "last": after is None,
            "same_before": before is not None and keys.get(before) == keys[place],
            "same_after": after is not None and keys.get(after) == keys[place],
            "table_after": after is not None and not isinstance(items[after], Paragraph),
            "text_after": after is not None and after not in lines and isinstance(items[after], Paragraph),
            "list_after": after is not None and isinstance(following := items[after], Paragraph) and following.depth >= 0 > lines[place].item.depth,
            "line_after": after is not None and after in prominent,
        }
        number = lines[place].number
        said["list"] = number is not None and len(number.path) == 1 and not number.rank and (said["same_before"] or said["same_after"])
        found.update((name, 1.0) for name, there in said.items() if there)


def _title_page(items: Sequence[Item], places: Sequence[int], lines: dict[int, Line]) -> frozenset[int]:
    """The places before the last line before the first running text; none where there is no such text."""
    for order, place in enumerate(places):
        item = items[place]
        if not isinstance(item, Paragraph) or item.depth >= 0 or (place not in lines and width(item.raw) > _TEXT):
            return frozenset(places[: max(order - 1, 0)])
    return frozenset()


def _add_repetition(lines: dict[int, Line], signals: dict[int, Signals]) -> None:
    texts = Counter(line.text for line in lines.values())
    for place, line in lines.items():
        if texts[line.text] > _TWICE:
            signals[place]["repeated"] = min(math.log2(texts[line.text] / _TWICE), 4)


def _add_contents(items: Sequence[Item], places: Sequence[int], lines: dict[int, Line], signals: dict[int, Signals]) -> None:
    entries, named = contents_of(items, places)
    more, named_by_them = listed_below(items, list(lines.values()), places)
    for name, found in (("contents", entries | more), ("in_contents", named | named_by_them)):
        for place in found & signals.keys():
            signals[place][name] = 1.0


def _add_classes(items: Sequence[Item], places: Sequence[int], lines: dict[int, Line], keys: dict[int, Key], signals: dict[int, Signals]) -> None:
    """Signals of all lines of one look together."""
    gaps = _gaps(items, places, lines)
    total = sum(len(item.raw) if isinstance(item, Paragraph) else _TABLE for item in items) or 1
    classes: dict[Key, list[int]] = defaultdict(list)
    for place, key in keys.items():
        classes[key].append(place)
    for members in classes.values():
        count = len(members)

        def share(name: str, members: list[int] = members) -> float:
            return sum(name in signals[place] for place in members) / len(members)

        said = {
            "class_same": share("same_after"),
            "class_stops": share("stops"),
            "class_colon": share("colon"),
            "class_text_after": share("text_after"),
            "class_series": min(share("in_order"), share("text_after")) if count > 1 else 0.0,
            "class_long": sum(min(lines[place].length, 120) for place in members) / count / 40,
            "class_single": float(count == 1),
            "class_size": min(math.log2(count), 5) / 5,
            "class_repeated": 1 - min(_TWICE * len({lines[place].text for place in members}) / count, 1),
            "class_letters": min(sum(lines[place].length for place in members) / total, 0.3) * 2,
            "class_gap": min(math.log2(1 + sum(min(gaps[place], 4000) for place in members) / count), 12) / 12,
        }
        for place in members:
            signals[place].update((name, value) for name, value in said.items() if value)


def _gaps(items: Sequence[Item], places: Sequence[int], lines: dict[int, Line]) -> dict[int, int]:
    """How many letters stand between a line and the next one, or the next heading."""
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
