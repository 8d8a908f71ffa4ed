"""Find the places in which two versions of a document differ.

A place is a heading, a numbered clause, a note, or the text of a section without numbers. Places
with the same text are the same place. Of the others, an old and a new one are paired if they follow
the same place and share enough words. They are compared by sentences and, inside changed sentences,
by words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from docxchunk.formats.report.cards import NAMELESS, PART
from docxchunk.formats.report.differences import (
    WORD,
    ChunkChange,
    DiffSpan,
    PlaceChange,
    compared,
    heading_in,
    text_of,
)
from docxchunk.formats.report.views import TextChange
from docxchunk.model.chunks import Chunk, Heading
from docxchunk.model.order import longest_rise
from docxchunk.retrieval.numbers import ItemNumbers, items_below

_LABEL: Final = re.compile(
    r"(?P<note>\[\^[^\]\s]{1,12}\]:)\s*"
    r"|(?:(?:§+\s?)?\d{1,3}(?:\.\d{1,3})+\.?|§+\s?\d+|\d{1,3}[.)])\s+"
    r"|第[\d零〇一二三四五六七八九十百千]{1,8}[条條]\s*"
    r"|(?:\([^\W_]{1,5}\)|[^\W\d_]\))\s+"
)
_HEADING_NUMBER: Final = re.compile(r"(?:\d{1,3}\.)*\d{1,3}[.)]?\s+")
_NOTE_MARK: Final = re.compile(r"\[\^[^\]\s]{1,12}\]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;:])\s+|(?<=[。！？；：])")
_ALIKE: Final = 0.4  # share of common words below which two places are not a pair
_NEAR: Final = 8  # places of one version that are compared with one of the other


@dataclass
class _Place:
    """A place in one version. `lines` are its text without its number. `label` is the number of a
    heading, or the full number of an item, "3.1(a)".
    """

    path: tuple[str, ...]
    label: str
    chunk: Chunk
    is_heading: bool = False
    lines: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        names = [name.rstrip(".:： ") for name in self.path] or [NAMELESS]
        return " > ".join([*names, self.label] if self.label and not self.is_heading else names)

    @cached_property
    def text(self) -> str:
        """The text with a sentence on each line, wherever the chunks are cut."""
        return _SENTENCE_END.sub("\n", " ".join(" ".join(self.lines).split()))

    @cached_property
    def key(self) -> str:
        """The text without spaces and numbers of notes. It is the same if nothing changed."""
        return "".join(_NOTE_MARK.sub("", self.text).split())

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(word for match in WORD.findall(self.text) if (word := match.strip()))

    def likeness(self, other: _Place) -> float:
        """Return the share of common words, from 0 to 1. Two headings have 1, a heading and another
        place 0.
        """
        if self.is_heading or other.is_heading:
            return float(self.is_heading and other.is_heading)
        common = (self.words & other.words).total()
        return 2 * common / max(1, self.words.total() + other.words.total())

    def changed(self, kind: str, *spans: DiffSpan) -> PlaceChange:
        if not spans:
            change = {"added": TextChange.INSERTED, "removed": TextChange.DELETED}
            spans = (DiffSpan(change.get(kind, TextChange.NONE), self.text),)
        return PlaceChange(kind, self.name, self.chunk, spans)


def changed_places(changes: Sequence[ChunkChange]) -> list[PlaceChange]:
    """Return the places that differ, in the order of the new version. A removed place comes right
    after the last place before it that both versions have.

    Text that is only cut into other chunks has not changed.
    """
    olds = _places(
        sorted((old for _, old, _ in changes if old), key=lambda chunk: chunk.chunk_order_index)
    )
    news = _places((new for _, _, new in changes if new))
    old_of = _same(olds, news)
    kept = set(old_of.values())
    unmoved = set(longest_rise(old for _, old in sorted(old_of.items())))
    common = [(old, new) for new, old in sorted(old_of.items()) if old in unmoved]
    changed: list[PlaceChange] = []
    old_start = new_start = 0
    for old_end, new_end in (*common, (len(olds), len(news))):
        removed = [olds[old] for old in range(old_start, old_end) if old not in kept]
        between = [(news[new], new in old_of) for new in range(new_start, new_end)]
        changed += _changes_between(removed, between)
        if new_end < len(news) and olds[old_end].label != news[new_end].label:
            changed.append(news[new_end].changed("renumbered"))
        old_start, new_start = old_end + 1, new_end + 1
    return changed


def _changes_between(
    removed: Sequence[_Place], news: Sequence[tuple[_Place, bool]]
) -> Iterator[PlaceChange]:
    """Yield the changes between two places that both versions have. `news` are the new places
    between them; the second value of each pair says whether the place has moved there.
    """
    pairs = _paired(removed, [place for place, has_moved in news if not has_moved])
    replaced = {id(old) for old in pairs.values()}
    yield from (old.changed("removed") for old in removed if id(old) not in replaced)
    for new, has_moved in news:
        if has_moved:
            yield new.changed("moved")
        elif old := pairs.get(id(new)):
            (spans,) = compared([old.text], [new.text])
            yield new.changed("changed", *spans)
        else:
            yield new.changed("added")


def _places(chunks: Iterable[Chunk]) -> list[_Place]:
    """Return the places in chunks of one version, in order. A place may begin in one chunk and end
    in another.
    """
    reading = _Reading()
    for chunk in chunks:
        if not chunk.children:  # these have the same text
            reading.read(chunk)
    return [place for place in reading.places if place.lines]


class _Reading:
    """Divide the lines of chunks into places."""

    def __init__(self) -> None:
        self.places: list[_Place] = []
        self._path: list[tuple[int, str]] = []  # levels and headings
        self._items: ItemNumbers  # below the last heading

    def read(self, chunk: Chunk) -> None:
        names = [*chunk.parent_headings, PART.sub("", chunk.heading)]
        names = [name for name in names if name]
        if not self.places or names != [name for _, name in self._path]:
            above = [level for level, _ in self._path if level < chunk.level]
            levels = above if len(above) == len(names) - 1 else range(1, len(names))
            self._path = list(zip((*levels, chunk.level), names, strict=False))
            self._begin(chunk)
        for line in filter(str.strip, text_of(chunk).split("\n")):
            if found := heading_in(line, chunk):
                self._head(chunk, *found)
            else:
                self._add(chunk, line)

    def _begin(self, chunk: Chunk, label: str = "", *, is_heading: bool = False) -> None:
        path = tuple(name for _, name in self._path)
        self.places.append(_Place(path, label, chunk, is_heading))
        if not label:
            self._items = items_below(path)

    def _head(self, chunk: Chunk, heading: Heading, title: str) -> None:
        while self._path and self._path[-1][0] >= heading.level:
            self._path.pop()
        self._path.append((heading.level, heading.heading))
        number = _HEADING_NUMBER.match(title)
        self._begin(chunk, number[0].strip().rstrip(".") if number else "", is_heading=True)
        self.places[-1].lines.append(title[number.end() :] if number else title)
        self._begin(chunk)

    def _add(self, chunk: Chunk, line: str) -> None:
        if mark := _LABEL.match(line):
            label = mark[0].strip()
            if mark["note"]:
                label = f"note {label[2:-2]}"
            else:
                label = self._items.number_of(label, self._items.depth_of(label))
            self._begin(chunk, label)
        self.places[-1].lines.append(line[mark.end() :] if mark else line)


def _same(olds: Sequence[_Place], news: Sequence[_Place]) -> dict[int, int]:
    """Return the places whose text is unchanged. The key is the index of the new place, the value
    is the index of the old place. If several old places have the text, one with the same name is
    preferred.
    """
    same: dict[int, int] = {}
    keys: tuple[Callable[[_Place], Hashable], ...] = (
        lambda place: (place.name, place.is_heading, place.key),
        lambda place: (place.is_heading, place.key),
    )
    for key in keys:
        waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        used = set(same.values())
        for number, old in enumerate(olds):
            if number not in used:
                waiting[key(old)].append(number)
        for number, new in enumerate(news):
            if number not in same and waiting[key(new)]:
                same[number] = waiting[key(new)].popleft()
    return same


def _paired(olds: Sequence[_Place], news: Sequence[_Place]) -> dict[int, _Place]:
    """Map `id(new)` of new places to the old places that they replace. Pairs do not cross. An old
    and a new place are a pair if, among the next places, no new place is more similar to the old
    one, and no old place to the new one.
    """
    pairs: dict[int, _Place] = {}
    start = 0
    for number, new in enumerate(news):
        near = range(start, min(start + _NEAR, len(olds)))
        best = max(near, key=lambda old: new.likeness(olds[old]), default=None)
        if best is None:
            break
        likeness = new.likeness(olds[best])
        if likeness >= _ALIKE and all(
            olds[best].likeness(other) <= likeness for other in news[number : number + _NEAR]
        ):
            pairs[id(new)] = olds[best]
            start = best + 1
    return pairs
