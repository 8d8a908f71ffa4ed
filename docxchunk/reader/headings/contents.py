"""Find tables of contents that were typed by hand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from docxchunk.reader.headings.lines import TextLine
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

# a leader, from its first character on, and a page number; or a page such as 3-12 right after a
# word
_PAGE: Final = re.compile(
    r"(?<![\s.…·_])(?=[\s.…·_]*?(?:\t|\s\s|[.…·_]{2}))[\s.…·_]++(?:\d{1,3}-)?\d{1,4}\s*$"
    r"|(?<=[^\W\d])\d{1,3}-\d{1,3}\s*$"
)
_WORDS: Final = re.compile(r"\w+")
_NO_WORD: Final = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "_"}
_LONGEST: Final = 200  # characters of an entry
_APART: Final = 3  # greatest distance between two neighbouring entries, in paragraphs
_LEAST: Final = 4
_TITLE: Final = re.compile(  # without blanks
    "(?:tableof)?contents|inhalt(?:sverzeichnis|sübersicht)?|sommaire|tabledesmatières|índice|sumário|indice|содержание|оглавление|目[录錄次]|목차|차례",
    re.IGNORECASE,
)
_FIRST_LETTERS: Final = frozenset("tcisíсо目목차")  # of such a title
_LONGEST_TITLE: Final = 40
_SHORTEST: Final = 3


def contents_of(
    items: Sequence[Item], places: Sequence[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the places of the entries of a typed table of contents, and of the lines that they
    name.

    A table of contents is a run of lines of which at least half end in a page number, and at least
    a third occur in the document again.
    """
    texts = {
        place: item.raw.strip()
        for place in places
        if isinstance(item := items[place], Paragraph) and len(item.raw) <= _LONGEST
    }
    if (
        sum(text[-1:].isdigit() and _PAGE.search(text) is not None for text in texts.values())
        < _LEAST
    ):
        return frozenset(), frozenset()
    keys, paged = _keys(texts)
    last = {key: place for place, key in keys.items()}
    order = {place: number for number, place in enumerate(places)}
    named = {place for place, key in keys.items() if order[last[key]] - order[place] > _APART}
    entries: set[int] = set()
    for run in _runs([place for place in places if place in paged or place in named], order):
        while run and run[-1] not in paged:
            run.pop()
        if (
            len({keys[place] for place in run}) >= _LEAST
            and 2 * len(paged.intersection(run)) >= len(run)
            and 3 * len(named.intersection(run)) >= len(run)
        ):
            entries.update(range(run[0], run[-1] + 1))
    targets = {last[keys[place]] for place in entries if place in keys}
    return frozenset(entries), frozenset(targets - entries)


def listed_below(
    items: Sequence[Item], lines: Sequence[TextLine], places: Sequence[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the places of the entries of a table of contents without page numbers, and of the
    lines that they name.

    Such a table is a run of lines below the title of a table of contents. The lines occur in the
    document again, in the same order. Between them, and between the title and the first of them,
    there may be up to two other lines.
    """
    titles = {
        number
        for number, place in enumerate(places)
        if isinstance(item := items[place], Paragraph) and _names_contents(item.raw)
    }
    if not titles:
        return frozenset(), frozenset()
    found: dict[str, list[int]] = defaultdict(list)
    keys = {line.place: "".join(line.text.split()).casefold() for line in lines}
    for place, key in keys.items():
        found[key].append(place)
    if len(found) == len(keys):
        return frozenset(), frozenset()
    order = {place: number for number, place in enumerate(places, 1)}
    entries: set[int] = set()
    named: set[int] = set()
    for run in _runs([place for place, key in keys.items() if found[key][-1] > place], order):
        first = order[run[0]] - 1
        if not titles.isdisjoint(range(first - _APART, first)):
            targets = _next_occurrences([found[keys[place]] for place in run], run[0])
            if len(targets) >= _LEAST and run[len(targets) - 1] < targets[0]:
                entries.update(range(run[0], run[len(targets) - 1] + 1))
                named.update(targets)
    return frozenset(entries), frozenset(named)


def is_contents(title: str, lines: Sequence[str]) -> bool:
    """Return whether a section is a table of contents: it has the title of one, the last line and
    at least half of all end in a page number, none is long.
    """
    if len(lines) < _LEAST or not _names_contents(title) or max(map(len, lines)) > _LONGEST:
        return False
    paged = [line[-1:].isdigit() and _PAGE.search(line) is not None for line in lines]
    return paged[-1] and 2 * sum(paged) >= len(paged)


def _next_occurrences(found: Iterable[Sequence[int]], after: int) -> list[int]:
    """Match the lines in order: return for each its first occurrence after the match of the
    previous line. Stop at the first line without one.

    `found` has the occurrences of each line in ascending order; matches come after the place
    `after`.
    """
    targets: list[int] = []
    for occurrences in found:
        later = bisect_right(occurrences, after)
        if later == len(occurrences):
            break
        after = occurrences[later]
        targets.append(after)
    return targets


def _names_contents(text: str) -> bool:
    return (
        len(text) <= _LONGEST_TITLE
        and text.lstrip()[:1].lower() in _FIRST_LETTERS
        and _TITLE.fullmatch("".join(text.split())) is not None
    )


def _keys(texts: Mapping[int, str]) -> tuple[dict[int, str], set[int]]:
    """Return the words of each line without its page number, and the places of lines that have
    one.
    """
    keys: dict[int, str] = {}
    paged: set[int] = set()
    for place, text in texts.items():
        bare = _PAGE.sub("", text) if text[-1:].isdigit() else text
        key = " ".join(
            bare.translate(_NO_WORD).split() if bare.isascii() else _WORDS.findall(bare)
        ).casefold()
        if len(key) > _SHORTEST:
            keys[place] = key
            if bare != text:
                paged.add(place)
    return keys, paged


def _runs(places: Sequence[int], order: dict[int, int]) -> list[list[int]]:
    """Split the places into runs whose neighbours are at most `_APART` paragraphs apart."""
    runs: list[list[int]] = []
    for place in places:
        if runs and order[place] - order[runs[-1][-1]] <= _APART:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
