"""What changed between two versions of a document, by words, as a page of HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from docxchunk.formats.markdown import markdown
from docxchunk.formats.report.cards import card_heading
from docxchunk.formats.report.templates import page
from docxchunk.formats.report.values import counted
from docxchunk.formats.report.views import Change
from docxchunk.formats.report.words import Span, compared
from docxchunk.model.chunks import Added, AddedRole, Chunk, SliceRole

ChunkChange = tuple[str, Chunk | None, Chunk | None]
"""added, removed, changed, moved or unchanged; the chunk as it was, and as it is. A `docxchunk.chunking.diff.ChunkDiff` is one."""

_AGAIN: Final = frozenset({SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.CONTEXT})
_AROUND: Final = 300  # characters of unchanged text that are shown beside a change
_SAID: Final = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved": "text unchanged, position moved",
    "cut": "text unchanged, chunk boundary moved",
}


class Passage(NamedTuple):
    """Text of a card; `folded`: unchanged text far from any change."""

    change: Change
    text: str
    folded: bool = False


class VersionCard(NamedTuple):
    """A chunk of the new version, or one that was removed, with what changed in it. `kind` is a key of `_SAID`."""

    kind: str
    chunk: Chunk
    passages: tuple[Passage, ...]

    @property
    def heading(self) -> str:
        return card_heading(self.chunk)

    @property
    def said(self) -> str:
        return _SAID[self.kind]

    @property
    def key(self) -> str:
        """Its id in the page. A removed chunk may have the number of another."""
        return f"{'old' if self.kind == 'removed' else 'new'}-{self.chunk.chunk_order_index + 1}"


class Same(NamedTuple):
    """Chunks in a row that were not changed."""

    chunks: tuple[Chunk, ...]

    @property
    def text(self) -> str:
        """12 chunks unchanged: from "2 Method" to "4 Discussion"."""
        first, last = (card_heading(chunk) for chunk in (self.chunks[0], self.chunks[-1]))
        return f"{counted(len(self.chunks), 'chunk')} unchanged: {first if first == last else f'{first} … {last}'}"


def html_diff(changes: Iterable[ChunkChange], old: str, new: str) -> str:
    """One page: the chunks of both versions in the order of the new one, deleted words red, inserted ones green. `old` and `new` are names of the files.

    Text that only moved from one chunk to its neighbour is no change. The page loads nothing. Raises MissingExtraError without the extra `report`.
    """
    items = tuple(_items(changes))
    cards = [item for item in items if isinstance(item, VersionCard)]
    return page("diff.html", "diff.js", title=f"{old} → {new}", old=old, new=new, items=items, cards=cards, facts=_facts(items), legend=_SAID)


def _facts(items: Sequence[VersionCard | Same]) -> str:
    kinds = Counter(item.said for item in items if isinstance(item, VersionCard))
    same = sum(len(item.chunks) for item in items if isinstance(item, Same))
    words = Counter[Change]()
    for item in items:
        if isinstance(item, VersionCard):
            for passage in item.passages:
                words[passage.change] += len(passage.text.split())
    found = [counted(number, "chunk") + f" {said}" for said, number in kinds.items()] + ([f"{counted(same, 'chunk')} unchanged"] if same else [])
    return " · ".join([f"{counted(words[Change.INSERTED], 'word')} inserted, {words[Change.DELETED]:,} deleted", *found])


def _items(changes: Iterable[ChunkChange]) -> Iterator[VersionCard | Same]:
    for same, group in groupby(changes, key=lambda change: change[0] == "unchanged"):
        if same:
            yield Same(tuple(new for _, _, new in group if new))
        else:
            yield from _stretch(list(group))


def _stretch(changes: Sequence[ChunkChange]) -> Iterator[VersionCard]:
    """Changes with no unchanged chunk between them are compared as one text each side."""
    edited = [(kind, old, new) for kind, old, new in changes if kind != "moved"]
    olds = sorted((old for _, old, _ in edited if old), key=lambda chunk: chunk.chunk_order_index)
    news = [new for _, _, new in edited if new]
    if not news:
        yield from (VersionCard("removed", chunk, (Passage(Change.DELETED, _text(chunk)),)) for chunk in olds)
        olds = []
    spans = dict(zip((chunk.chunk_id for chunk in news), compared([_text(chunk) for chunk in olds], [_text(chunk) for chunk in news]), strict=False))
    for kind, _, new in changes:
        if new is not None and kind == "moved":
            yield VersionCard(kind, new, (Passage(Change.NONE, _text(new), folded=True),))
        elif new is not None:
            yield _card(new, spans[new.chunk_id])


def _card(chunk: Chunk, spans: Sequence[Span]) -> VersionCard:
    found = {span.change for span in spans if span.text.strip()}
    kind = "cut" if found == {Change.NONE} else "added" if found == {Change.INSERTED} else "changed"
    return VersionCard(kind, chunk, tuple(_passages(spans)))


def _passages(spans: Sequence[Span]) -> Iterator[Passage]:
    """The spans, the middle of what is long and unchanged folded."""
    for number, span in enumerate(spans):
        before = _AROUND if number else 0
        after = _AROUND if number < len(spans) - 1 else 0
        if span.change is not Change.NONE or len(span.text) < 4 * _AROUND:
            yield Passage(span.change, span.text)
            continue
        start, end = _end_of_word(span.text, before), _end_of_word(span.text, len(span.text) - after)
        parts = (Passage(Change.NONE, span.text[:start]), Passage(Change.NONE, span.text[start:end], folded=True), Passage(Change.NONE, span.text[end:]))
        yield from (part for part in parts if part.text)


def _end_of_word(text: str, at: int) -> int:
    found = max(text.find(" ", at), text.find("\n", at)) if 0 < at < len(text) else at
    return found + 1 if at < found < at + 30 else at


def _text(chunk: Chunk) -> str:
    """What a chunk does not repeat from another, as Markdown. With cells that are shown decoded the parts have no known length: then all of it."""
    if any(part.role is SliceRole.CELL for part in chunk.parts):
        return _lines(chunk.content)
    own, at = "", 0
    for part in chunk.parts:
        end = at + (len(part.text) if isinstance(part, Added) else part.end - part.start)
        own += "" if part.role in _AGAIN else chunk.content[at:end]
        at = end
    return _lines(own if at == len(chunk.content) else chunk.content)


def _lines(content: str) -> str:
    return re.sub(r"\n+", "\n", markdown(content))
