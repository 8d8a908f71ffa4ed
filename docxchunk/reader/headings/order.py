"""Check whether numbers run in order: 1, 1.1, 1.2, 2 …"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from docxchunk.reader.headings.lines import TextLine
from docxchunk.reader.headings.numbers import Number


def orders(lines: Sequence[TextLine]) -> list[str]:
    """Return for each line "in_order", "ascending" or "out_of_order", comparing its number with the one before of its kind; "" without a number."""
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
    """Return whether a number is the next one after another: 2.2 after 2.1, Article 2a after Article 2."""
    if number.path == before.path:
        return number.inserted > before.inserted
    return not number.inserted and number.path[:-1] == before.path[:-1] and number.path[-1] == before.path[-1] + 1


def _order(number: Number, before: Number | None, above: tuple[int, ...]) -> str:
    path = number.path
    continues = before is not None and follows(number, before)
    begins = path[-1] == 1 and (len(path) == 1 or path[:-1] == above[: len(path) - 1] or (before is not None and path[:-1] > before.path[:-1]))
    if continues or (begins and not number.inserted):
        return "in_order"
    if before is None or (path, number.inserted) > (before.path, before.inserted):
        return "ascending"
    return "ascending" if path == before.path and len(path) > 1 else "out_of_order"  # 2.1 and 2.1a have the same path
