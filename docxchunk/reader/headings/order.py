"""Check whether numbers run in order: 1, 1.1, 1.2, 2 …"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from docxchunk.reader.headings.lines import TextLine
from docxchunk.reader.headings.numbers import Number

_Kind = tuple[str, tuple[int, ...]]  # the kind of a number, and its path without the last part
_MOST_OPEN: Final = 4  # series that end with the same number, of which one may continue


def orders(lines: Sequence[TextLine]) -> list[str]:
    """Return for each line "in_order", "ascending" or "out_of_order", comparing its number with the
    one before of its kind; "" without a number.
    """
    last: dict[str, Number] = {}
    above: tuple[int, ...] = ()  # the path of the last decimal number
    found: list[str] = []
    for line in lines:
        number = line.number
        if number is None:
            found.append("")
            continue
        order = _order(number, last.get(number.kind), above)
        found.append(order)
        if order != "out_of_order" or not line.is_automatic:
            last[number.kind] = number
            above = number.path if number.kind.startswith("decimal") else above
    return found


def parents(lines: Sequence[TextLine]) -> Iterator[TextLine]:
    """Yield the lines whose number is the parent of the next number: 2 if 2.1 follows."""
    numbered = [(line, line.number) for line in lines if line.number]
    for (line, number), (_, following) in pairwise(numbered):
        if following.path == (*number.path, 1):
            yield line


def follows(number: Number, before: Number) -> bool:
    """Return whether a number is the next one after another: 2.2 after 2.1, Article 2a after
    Article 2.
    """
    if number.path == before.path:
        return number.inserted > before.inserted
    return (
        not number.inserted
        and number.path[:-1] == before.path[:-1]
        and number.path[-1] == before.path[-1] + 1
    )


def _order(number: Number, before: Number | None, above: tuple[int, ...]) -> str:
    path = number.path
    continues = before is not None and follows(number, before)
    begins = path[-1] == 1 and (
        len(path) == 1
        or path[:-1] == above[: len(path) - 1]
        or (before is not None and path[:-1] > before.path[:-1])
    )
    if continues or (begins and not number.inserted):
        return "in_order"
    if before is None or (path, number.inserted) > (before.path, before.inserted):
        return "ascending"
    # 2.1 and 2.1a have the same path
    return "ascending" if path == before.path and len(path) > 1 else "out_of_order"


def series_of(lines: Sequence[TextLine], keys: Mapping[int, Hashable]) -> list[list[TextLine]]:
    """Return the series of numbers: 1, 2, 3 … in one form, such as "1." or "Step 1"; 2.1, 2.2, 2.3
    …

    A number continues the series that ends with the number before it, preferably one of the same
    key; `keys` are the keys of the lines by place. It may leave out one number, but not change the
    key then.
    """
    series: list[list[TextLine]] = []
    # the series that end with this number, the last one last
    ends: dict[tuple[_Kind, int], list[list[TextLine]]] = {}
    for line in lines:
        number = line.number
        if number is None:
            continue
        kind, value = (number.kind, number.path[:-1]), number.path[-1]
        found = (
            _continued(ends, kind, value, keys[line.place], keys)
            if value > 1 or number.inserted
            else None
        )
        if found is None:
            found = []
            series.append(found)
        found.append(line)
        ends.setdefault((kind, value), []).append(found)
    return series


def _continued(
    ends: Mapping[tuple[_Kind, int], list[list[TextLine]]],
    kind: _Kind,
    value: int,
    key: Hashable,
    keys: Mapping[int, Hashable],
) -> list[TextLine] | None:
    """Take out and return the series that a number continues, None if there is none."""
    for before, any_key in (
        (value - 1, False),
        (value - 1, True),
        (value, False),
        (value - 2, False),
    ):
        open_series = ends.get((kind, before), [])
        for place in range(len(open_series) - 1, max(len(open_series) - _MOST_OPEN, 0) - 1, -1):
            if any_key or keys[open_series[place][-1].place] == key:
                return open_series.pop(place)
    return None
