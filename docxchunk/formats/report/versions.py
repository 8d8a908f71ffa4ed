"""Render the word-level differences between two versions of a document as an HTML page.

Chunks are compared by lines and, inside changed lines, by words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from docxchunk.formats.report.cards import card_heading
from docxchunk.formats.report.differences import (
    ChunkChange,
    DiffSpan,
    PlaceChange,
    compared,
    without_marks,
)
from docxchunk.formats.report.templates import page
from docxchunk.formats.report.views import TextChange
from docxchunk.model.chunks import Chunk
from docxchunk.model.wording import counted

_AROUND: Final = 300  # characters of unchanged text that are shown beside a change
_SPACE: Final = re.compile(r"\s")
_EFFECTS: Final = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved": "text unchanged, position moved",
    "cut": "text unchanged, chunk boundary moved",
}


class DiffPassage(NamedTuple):
    """Text of a card. `folded` says whether it is unchanged and far from any change."""

    change: TextChange
    text: str
    folded: bool = False


class VersionCard(NamedTuple):
    """A chunk of the new version, or a removed one, with its changes. `kind` is a key of
    `_EFFECTS`.
    """

    kind: str
    chunk: Chunk
    passages: tuple[DiffPassage, ...]

    @property
    def heading(self) -> str:
        return card_heading(self.chunk)

    @property
    def effect(self) -> str:
        return _EFFECTS[self.kind]

    @property
    def key(self) -> str:
        """The id in the page. It says whether the chunk is removed, because a removed chunk and
        another one may have the same number.
        """
        return f"{'old' if self.kind == 'removed' else 'new'}-{self.chunk.chunk_order_index + 1}"


class UnchangedChunks(NamedTuple):
    """Consecutive unchanged chunks."""

    chunks: tuple[Chunk, ...]

    @property
    def text(self) -> str:
        """One line, such as `12 chunks unchanged: 2 Method … 4 Discussion`."""
        first, last = (card_heading(chunk) for chunk in (self.chunks[0], self.chunks[-1]))
        return (
            f"{counted(len(self.chunks), 'chunk')} unchanged: "
            f"{first if first == last else f'{first} … {last}'}"
        )


def html_diff(
    changes: Sequence[ChunkChange], places: Iterable[PlaceChange], old: str, new: str
) -> str:
    """Return one HTML page with the chunks in the order of the new version, deleted words red,
    inserted ones green, below a list of the changed places. `old` and `new` are file names.

    Text that only moved to a neighbouring chunk is not a change. Raise MissingExtraError without
    the extra `report`.
    """
    items = tuple(_items(changes))
    keys = {item.chunk.chunk_id: item.key for item in items if isinstance(item, VersionCard)}
    for _, before, after in changes:
        if before and after and after.chunk_id in keys:
            keys[before.chunk_id] = keys[after.chunk_id]
    return page(
        "diff.html",
        "diff.js",
        title=f"{old} → {new}",
        items=items,
        places=[
            (place, keys.get(place.chunk.chunk_id, "chunks"))
            for place in places
            if place.kind != "renumbered"
        ],
        facts=_facts(items),
    )


def _facts(items: Sequence[VersionCard | UnchangedChunks]) -> str:
    cards = [item for item in items if isinstance(item, VersionCard)]
    words = Counter[TextChange]()
    for passage in (passage for card in cards for passage in card.passages):
        words[passage.change] += len(passage.text.split())
    counts = Counter(card.effect for card in cards)
    counts["unchanged"] = sum(len(x.chunks) for x in items if isinstance(x, UnchangedChunks))
    inserted, deleted = words[TextChange.INSERTED], words[TextChange.DELETED]
    chunks = [f"{counted(n, 'chunk')} {effect}" for effect, n in counts.items() if n]
    return " · ".join((f"{counted(inserted, 'word')} inserted, {deleted:,} deleted", *chunks))


def _items(changes: Iterable[ChunkChange]) -> Iterator[VersionCard | UnchangedChunks]:
    for same, group in groupby(changes, key=lambda change: change[0] == "unchanged"):
        if same:
            yield UnchangedChunks(tuple(new for _, _, new in group if new))
        else:
            yield from _compared_cards(list(group))


def _compared_cards(changes: Sequence[ChunkChange]) -> Iterator[VersionCard]:
    """Compare consecutive changed chunks as one text on each side."""
    edited = [(kind, old, new) for kind, old, new in changes if kind != "moved"]
    olds = sorted((old for _, old, _ in edited if old), key=lambda chunk: chunk.chunk_order_index)
    news = [new for _, _, new in edited if new]
    if not news:
        yield from (
            VersionCard("removed", chunk, (DiffPassage(TextChange.DELETED, without_marks(chunk)),))
            for chunk in olds
        )
        olds = []
    spans = dict(
        zip(
            (chunk.chunk_id for chunk in news),
            compared(
                [without_marks(chunk) for chunk in olds], [without_marks(chunk) for chunk in news]
            ),
            strict=False,
        )
    )
    for kind, _, new in changes:
        if new is not None and kind == "moved":
            yield VersionCard(
                kind, new, (DiffPassage(TextChange.NONE, without_marks(new), folded=True),)
            )
        elif new is not None:
            yield _card(new, spans[new.chunk_id])


def _card(chunk: Chunk, spans: Sequence[DiffSpan]) -> VersionCard:
    changes = {span.change for span in spans if span.text.strip()}
    kind = "cut" if changes == {TextChange.NONE} else "changed"
    if changes == {TextChange.INSERTED}:
        kind = "added"
    return VersionCard(kind, chunk, tuple(passages(spans)))


def passages(spans: Sequence[DiffSpan]) -> Iterator[DiffPassage]:
    """Yield the spans as passages, with the middle of long unchanged text folded."""
    for number, span in enumerate(spans):
        before = _AROUND if number else 0
        after = _AROUND if number < len(spans) - 1 else 0
        if span.change is not TextChange.NONE or len(span.text) < 4 * _AROUND:
            yield DiffPassage(span.change, span.text)
            continue
        start, end = (
            _end_of_word(span.text, before),
            _end_of_word(span.text, len(span.text) - after),
        )
        parts = (
            DiffPassage(TextChange.NONE, span.text[:start]),
            DiffPassage(TextChange.NONE, span.text[start:end], folded=True),
            DiffPassage(TextChange.NONE, span.text[end:]),
        )
        yield from (part for part in parts if part.text)


def _end_of_word(text: str, at: int) -> int:
    """Return the position after the next space, at most 30 characters from `at`. Return `at` if
    there is none, or if `at` is an end of the text.
    """
    space = _SPACE.search(text, at, at + 30) if at else None
    return space.end() if space else at
