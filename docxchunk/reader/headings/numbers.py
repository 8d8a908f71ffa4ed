"""Find series of the numbers that lines begin with, such as 1, 2, 3, and their order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from docxchunk.language.numbers import Number

_SeriesEnd = tuple[str, tuple[int, ...], int]  # kind, path without its last part, last part
_MOST_OPEN: Final = 4  # the last series that end with the same number: one of them may continue


def series_of(numbers: Mapping[int, Number], keys: Mapping[int, Hashable]) -> list[list[int]]:
    """Return the series of numbers of one form: 1, 2, 3 …, "Step 1", "Step 2" …, 2.1, 2.2, 2.3 …

    `numbers` and `keys` map the index of each line to its number and its key, which lines of the
    same form share. A series is a list of indices. A number continues a series that ends with the
    number before it. A series with the same key is preferred, and one number may be missing in it.
    """
    series: list[list[int]] = []
    ends: dict[
        _SeriesEnd, list[list[int]]
    ] = {}  # the series that end with a number, the last one last
    for index, number in numbers.items():
        kind, above, value = number.kind, number.path[:-1], number.path[-1]
        continued = None
        if value > 1 or number.inserted:
            for before, any_key in (
                (value - 1, False),
                (value - 1, True),
                (value, False),
                (value - 2, False),
            ):
                candidates = ends.get((kind, above, before))
                if candidates and (
                    continued := _take(candidates, keys, None if any_key else keys[index])
                ):
                    break
        if continued is None:
            continued = []
            series.append(continued)
        continued.append(index)
        ends.setdefault((kind, above, value), []).append(continued)
    return series


def _take(
    candidates: list[list[int]], keys: Mapping[int, Hashable], key: Hashable | None
) -> list[int] | None:
    """Remove and return the last series whose end has this key (any key if `key` is None); None if
    there is no such series.
    """
    for at in range(len(candidates) - 1, max(len(candidates) - _MOST_OPEN, 0) - 1, -1):
        if key is None or keys[candidates[at][-1]] == key:
            return candidates.pop(at)
    return None


def orders(numbers: Iterable[tuple[Number | None, bool]]) -> list[str]:
    """Return for each number "in_order", "ascending" or "out_of_order", compared with the previous
    number of its kind; "" for None.

    The second value of each pair says whether the number is automatic. An automatic number that is
    out of order is skipped: the next number is compared with the number before it.
    """
    last: dict[str, Number] = {}
    last_decimal: tuple[int, ...] = ()
    result: list[str] = []
    for number, is_automatic in numbers:
        if number is None:
            result.append("")
            continue
        order = _order(number, last.get(number.kind), last_decimal)
        result.append(order)
        if order != "out_of_order" or not is_automatic:
            last[number.kind] = number
            if number.kind.startswith("decimal"):
                last_decimal = number.path
    return result


def _order(number: Number, before: Number | None, last_decimal: tuple[int, ...]) -> str:
    path = number.path
    continues = before is not None and _follows(number, before)
    begins = path[-1] == 1 and (
        len(path) == 1
        or path[:-1] == last_decimal[: len(path) - 1]
        or (before is not None and path[:-1] > before.path[:-1])
    )
    if continues or (begins and not number.inserted):
        return "in_order"
    if before is None or (path, number.inserted) > (before.path, before.inserted):
        return "ascending"
    # 2.1 and 2.1a have the same path
    return "ascending" if path == before.path and len(path) > 1 else "out_of_order"


def _follows(number: Number, before: Number) -> bool:
    """Return whether a number is the next one after `before`: 2.2 after 2.1, Article 2a after
    Article 2.
    """
    if number.path == before.path:
        return number.inserted > before.inserted
    return (
        not number.inserted
        and number.path[:-1] == before.path[:-1]
        and number.path[-1] == before.path[-1] + 1
    )


def parents(numbers: Mapping[int, Number]) -> Iterator[tuple[int, int]]:
    """Yield the index of each number that has a number below it, and the index of that one, which
    is the next number and the first one of the level below: 2 and 2.1.
    """
    for (index, number), (below, following) in pairwise(numbers.items()):
        if following.path == (*number.path, 1):
            yield index, below
