"""Find the places in which two versions of a document differ, and the words.

A place is a heading, a numbered clause, a note, or the text of a section without numbers. Places
with the same text are the same place. Of the others, an old and a new one are paired if they follow
the same place and share enough words. They are compared by sentences and, inside changed sentences,
by words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple, Protocol

from docxchunk.formats.markdown import markdown
from docxchunk.formats.report.cards import NAMELESS, PART
from docxchunk.formats.report.views import TextChange
from docxchunk.markup.table_texts import row_lines
from docxchunk.markup.tables import tables
from docxchunk.markup.tags import plain
from docxchunk.model.chunks import Added, AddedRole, Chunk, Heading, SliceRole
from docxchunk.model.order import longest_rise

ChunkChange = tuple[str, Chunk | None, Chunk | None]
"""Kind (added, removed, changed, moved or unchanged), old chunk, new chunk.
`docxchunk.chunking.diff.ChunkDiff` is such a tuple.
"""

_LABEL: Final = re.compile(
    r"(?P<note>\[\^[^\]\s]{1,12}\]:)\s*"
    r"|(?:(?:§+\s?)?\d{1,3}(?:\.\d{1,3})+\.?|§+\s?\d+|\d{1,3}[.)])\s+"
    r"|第[\d零〇一二三四五六七八九十百千]{1,8}[条條]\s*"
    r"|(?:\([^\W_]{1,5}\)|[^\W\d_]\))\s+"
)
_HEADING_NUMBER: Final = re.compile(r"(?:\d{1,3}\.)*\d{1,3}[.)]?\s+")
_HEADING_MARKS: Final = re.compile(r"#{1,6} ")
_NOTE_MARK: Final = re.compile(r"\[\^[^\]\s]{1,12}\]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;:])\s+|(?<=[。！？；：])")
_ASSETS: Final = re.compile(r"\([^()\s]*\.blocks\.assets/")  # contains the name of the file
_NEAR: Final = 8  # places of one version that are compared with one of the other


class Items(Protocol):
    """The full numbers of the items of a list: see `docxchunk.retrieval.numbers.ItemNumbers`."""

    def depth_of(self, label: str) -> int: ...

    def number_of(self, label: str, depth: int) -> str: ...


ItemsBelow = Callable[[Sequence[str]], Items]
"""Returns the numbers of the items below some headings."""


class DiffSpan(NamedTuple):
    """Text that is in both versions, or only in one."""

    change: TextChange
    text: str


class PlaceChange(NamedTuple):
    """A change of a place.

    - `kind`: added, removed, changed, moved, or renumbered (the same text, another number).
    - `name`: its headings and full number, "3. Fees > 3.1(a)", in the new version; in the old one
      if it was removed.
    - `chunk`: the chunk in which it begins.
    - `spans`: its text without the number.
    """

    kind: str
    name: str
    chunk: Chunk
    spans: tuple[DiffSpan, ...]


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
        return Counter(word for match in _WORD.findall(self.text) if (word := match.strip()))

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


def changed_places(changes: Iterable[ChunkChange], items_below: ItemsBelow) -> list[PlaceChange]:
    """Return the places that differ, in the order of the new version. After each common place, the
    removed ones come first. `items_below` numbers the items.

    Text that is only cut into other chunks has not changed.
    """
    both = list(changes)
    olds = _places(
        sorted((old for _, old, _ in both if old), key=lambda chunk: chunk.chunk_order_index),
        items_below,
    )
    news = _places((new for _, _, new in both if new), items_below)
    same = _same(olds, news)
    in_order = set(longest_rise(same[number] for number in sorted(same)))
    unchanged = set(same.values())
    changed: list[PlaceChange] = []
    start = after = 0
    for number in range(len(news) + 1):
        if number < len(news) and same.get(number) not in in_order:
            continue
        end = same[number] if number < len(news) else len(olds)
        removed = [olds[old] for old in range(start, end) if old not in unchanged]
        added = [news[new] for new in range(after, number) if new not in same]
        pairs = _paired(removed, added)
        replaced = {id(old) for old in pairs.values()}
        changed += (old.changed("removed") for old in removed if id(old) not in replaced)
        for new in range(after, number):
            if new in same:
                changed.append(news[new].changed("moved"))
            elif old := pairs.get(id(news[new])):
                (spans,) = compared([old.text], [news[new].text])
                changed.append(news[new].changed("changed", *spans))
            else:
                changed.append(news[new].changed("added"))
        if number < len(news) and olds[end].label != news[number].label:
            changed.append(news[number].changed("renumbered"))
        start, after = end + 1, number + 1
    return changed


def _places(chunks: Iterable[Chunk], items_below: ItemsBelow) -> list[_Place]:
    """Return the places in chunks of one version, in order. A place may begin in one chunk and end
    in another.
    """
    reading = _Reading(items_below)
    for chunk in chunks:
        if not chunk.children:  # these have the same text
            reading.read(chunk)
    return [place for place in reading.places if place.lines]


class _Reading:
    """Divide the lines of chunks into places."""

    def __init__(self, items_below: ItemsBelow) -> None:
        self.places: list[_Place] = []
        self._path: list[tuple[int, str]] = []  # levels and headings
        self._items_below = items_below
        self._items = items_below(())

    def read(self, chunk: Chunk) -> None:
        names = [*chunk.parent_headings, PART.sub("", chunk.heading)]
        names = [name for name in names if name]
        if not self.places or names != [name for _, name in self._path]:
            above = [level for level, _ in self._path if level < chunk.level]
            levels = above if len(above) == len(names) - 1 else range(1, len(names))
            self._path = list(zip((*levels, chunk.level), names, strict=False))
            self._begin(chunk)
        for line in filter(str.strip, text_of(chunk).split("\n")):
            if heading := _heading_in(line, chunk):
                self._head(chunk, *heading)
            else:
                self._add(chunk, line)

    def _begin(self, chunk: Chunk, label: str = "", *, is_heading: bool = False) -> None:
        path = tuple(name for _, name in self._path)
        self.places.append(_Place(path, label, chunk, is_heading))
        if is_heading or not label:
            self._items = self._items_below(path)

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
            label = mark[0].strip().rstrip(".")
            if mark["note"]:
                label = f"note {label[2:-2]}"
            else:
                label = self._items.number_of(label, self._items.depth_of(label))
            self._begin(chunk, label)
        self.places[-1].lines.append(line[mark.end() :] if mark else line)


def _heading_in(line: str, chunk: Chunk) -> tuple[Heading, str] | None:
    """Return the heading that a line is, and its text without Markdown marks."""
    if not (marks := _HEADING_MARKS.match(line)):
        return None
    title = plain(line[marks.end() :])
    named = [heading for heading in chunk.headings if title.startswith(heading.heading)]
    return (max(named, key=lambda heading: len(heading.heading)), title) if named else None


def _same(olds: Sequence[_Place], news: Sequence[_Place]) -> dict[int, int]:
    """Map the index of each new place to that of an old place with the same text, preferably one
    with the same name. Other new places are left out.
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
    """Map `id(new)` of new places to the old places that they replace. Pairs do not cross. Each
    place of a pair is the most similar one to the other among the next places of its side.
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


# -- the text of a chunk

_AGAIN: Final = frozenset(
    {SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.CONTEXT}
)


def text_of(chunk: Chunk) -> str:
    """Return the text of a chunk without the text that it repeats from another chunk, as Markdown.

    If the chunk has decoded table cells, whose parts have unknown lengths, return all of the text.
    """
    if any(part.role is SliceRole.CELL for part in chunk.parts):
        return _lines(chunk.content)
    text, at = "", 0
    for part in chunk.parts:
        end = at + (len(part.text) if isinstance(part, Added) else part.end - part.start)
        text += "" if part.role in _AGAIN else chunk.content[at:end]
        at = end
    return _lines(text if at == len(chunk.content) else chunk.content)


def without_marks(chunk: Chunk) -> str:
    """Return `text_of` without the Markdown marks of headings."""
    return "\n".join(
        heading[1] if (heading := _heading_in(line, chunk)) else line
        for line in text_of(chunk).split("\n")
    )


def _lines(content: str) -> str:
    """Return the content of a chunk as Markdown. Each row of a table is a line."""
    lines, at = [], 0
    for table in tables(content):
        lines += [
            markdown(content[at : table.start], escape=False),
            *(row_lines(content, table) or [content[table.body : table.body_end]]),
        ]
        at = table.end
    lines.append(markdown(content[at:], escape=False))
    text = _ASSETS.sub("(", "\n".join(filter(None, lines)))
    return re.sub(r"\n+", "\n", text)


# -- lines and words

# a Chinese character is a word
_WORD: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef]|[^\W_]+\s*|\s+|.", re.DOTALL)
_MAX_WORDS: Final = 4000  # words on both sides: difflib takes quadratic time
_MOST_PAIRS: Final = 100_000  # of an old and a new line with the same text
_ALIKE: Final = 0.4  # similarity ratio below which a passage is replaced as a whole


def compared(old: Sequence[str], new: Sequence[str]) -> list[list[DiffSpan]]:
    """Return the spans of each text in `new`, including the text deleted from `old`.

    The texts of each side are compared as one sequence, so moving text to the next is not a change.
    If `new` is empty, all of `old` is one deleted text.
    """
    old_lines = [line for text in old for line in _with_line_ends(text)]
    new_lines = [
        (number, line) for number, text in enumerate(new) for line in _with_line_ends(text)
    ]
    texts: list[list[DiffSpan]] = [[] for _ in new or [""]]
    for tag, old_start, old_end, new_start, new_end in _line_opcodes(
        old_lines, [line for _, line in new_lines]
    ):
        added = new_lines[new_start:new_end]
        if tag == "equal":
            for number, line in added:
                texts[number].append(DiffSpan(TextChange.NONE, line))
        else:
            at = added[0][0] if added else new_lines[new_start - 1][0] if new_start else 0
            _replaced("".join(old_lines[old_start:old_end]), added, at, texts)
    return [
        [
            DiffSpan(change, "".join(span.text for span in same))
            for change, same in groupby(spans, key=lambda span: span.change)
        ]
        for spans in texts
    ]


def _line_opcodes(
    old: Sequence[str], new: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the operations that make the new lines of the old ones. If many lines are the same,
    the n-th of them is compared only with the n-th on the other side: difflib would take cubic
    time.
    """
    counts, others = Counter(old), Counter(new)
    sides: tuple[Sequence[Hashable], Sequence[Hashable]] = (old, new)
    if sum(count * others[line] for line, count in counts.items()) > _MOST_PAIRS:
        sides = (_numbered(old), _numbered(new))
    return SequenceMatcher(None, *sides, autojunk=False).get_opcodes()


def _numbered(lines: Sequence[str]) -> list[tuple[str, int]]:
    """Return each line with its occurrence: 1 for the first line with this text, 2 for the second,
    and so on.
    """
    seen = Counter[str]()
    numbered = []
    for line in lines:
        seen[line] += 1
        numbered.append((line, seen[line]))
    return numbered


def _with_line_ends(text: str) -> list[str]:
    """Split a text into lines with line ends. The last line gets a line end, too: it must equal the
    same line in the middle of another text.
    """
    return (text.rstrip("\n") + "\n").splitlines(keepends=True) if text.strip() else []


def _replaced(
    old: str, added: Sequence[tuple[int, str]], at: int, texts: list[list[DiffSpan]]
) -> None:
    """Append the spans of changed lines to `texts`. Deleted words before the first new word go to
    the text with the index `at`.
    """
    old_words = _WORD.findall(old)
    words = [(number, word) for number, line in added for word in _WORD.findall(line)]
    for tag, old_start, old_end, new_start, new_end in _opcodes(
        [word.strip() for word in old_words], [word.strip() for _, word in words]
    ):
        if tag != "equal" and old_end > old_start:
            texts[at].append(DiffSpan(TextChange.DELETED, "".join(old_words[old_start:old_end])))
        for number, word in words[new_start:new_end]:
            texts[number].append(
                DiffSpan(TextChange.NONE if tag == "equal" else TextChange.INSERTED, word)
            )
            at = number


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the operations that make the new words of the old ones. If there are too many words,
    or they differ too much, return a single operation.
    """
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    ratios = (matcher.quick_ratio, matcher.ratio)  # the first is an upper bound of the second
    if (
        old
        and new
        and (len(old) + len(new) > _MAX_WORDS or any(ratio() < _ALIKE for ratio in ratios))
    ):
        return [("replace", 0, len(old), 0, len(new))]
    return matcher.get_opcodes()
