"""The tracked changes and comments of a document, with their places."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from docxchunk.model.caching import cached_method
from docxchunk.model.objects import Change, ChangedPart, Comment, RevisionKind, Signed, Spot
from docxchunk.model.options import TrackChanges
from docxchunk.model.wording import counted, first_words
from docxchunk.retrieval.finding.passages import CitedPlaces, Passage
from docxchunk.retrieval.finding.phrases import Match, spans
from docxchunk.retrieval.finding.running import Span

_T = TypeVar("_T", Change, Comment)
_MOST_LINES: Final = 50  # of a paragraph, in which a change is looked for
_MOST_AUTHORS: Final = 5  # that are named
_BESIDE: Final = 40  # characters beside a change that are shown
_MARKS: Final = {
    RevisionKind.DELETED: "[-{}-]",
    RevisionKind.MOVED_FROM: "[-{}-]",
    RevisionKind.INSERTED: "{{+{}+}}",
    RevisionKind.MOVED_TO: "{{+{}+}}",
}
_GONE: Final = (RevisionKind.DELETED, RevisionKind.MOVED_FROM)
_NEW: Final = (RevisionKind.INSERTED, RevisionKind.MOVED_TO)
_VERBS: Final = {
    RevisionKind.MOVED_FROM: "moved away",
    RevisionKind.MOVED_TO: "moved here",
}
_OTHER_END: Final = {
    RevisionKind.MOVED_FROM: RevisionKind.MOVED_TO,
    RevisionKind.MOVED_TO: RevisionKind.MOVED_FROM,
}


@dataclass(frozen=True, slots=True)
class TrackedChange(Signed):
    """A tracked change with its place.

    - `kind`, `part`, `author`, `date`, `text`, `before`, `after`: those of `Change`.
    - `place`: "3. Term > 3(a), p. 1, ¶ 20", or "3. Term, p. 1, ¶ 20, footnote 2"; "header" and the
      like for what is not in the main text.
    - `number`: the full number of the clause: "8.2(a)"; "" if it has none.
    - `page`: its page; None if unknown.
    - `paragraph`: the number of its paragraph; 0 if it is not in the main text.
    - `moved`: for moved text, its other place; "" for other changes.
    """

    kind: RevisionKind
    part: ChangedPart
    author: str
    date: str
    text: str
    before: str
    after: str
    place: str
    number: str
    page: int | None
    paragraph: int
    moved: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the line that shows the change."""
        yield str(self)

    def __str__(self) -> str:
        part = "" if self.part is ChangedPart.TEXT else f"{self.part} "
        moved = ""
        if self.moved:
            moved = f" ({'to' if self.kind is RevisionKind.MOVED_FROM else 'from'} {self.moved})"
        return f"{part}{_VERBS.get(self.kind, self.kind)} by {self.by}{moved}{self._words()}"

    def _words(self) -> str:
        """Return the words of the change, with some words beside them; "" if it has none."""
        if self.kind is RevisionKind.FORMATTED:
            return f": {first_words(self.text)}" if self.text.strip() else ""
        if not self.text and self.part not in (ChangedPart.TEXT, ChangedPart.MARK):
            return ""
        before, after = (" ".join(text.split("\n")) for text in (self.before, self.after))
        if len(before) > _BESIDE:
            before = f"… {before[-_BESIDE:].partition(' ')[2]}"
        if len(after) > _BESIDE:
            after = f"{after[:_BESIDE].rpartition(' ')[0]} …"
        words = self.text or "¶"
        return f": {before}{_MARKS[self.kind].format(words)}{after}".replace("\n", " ")


@dataclass(frozen=True, slots=True)
class PlacedComment(Signed):
    """A comment with its place and its replies.

    - `id`, `author`, `date`, `text`, `anchor`, `done`: those of `Comment`.
    - `place`, `number`, `page`, `paragraph`: those of `TrackedChange`.
    - `replies`: the comments that reply to it, in order.
    """

    id: str
    author: str
    date: str
    text: str
    anchor: str
    done: bool
    place: str
    number: str
    page: int | None
    paragraph: int
    replies: tuple[PlacedComment, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the lines that show the comment and its replies."""
        about = f" on “{first_words(self.anchor)}”" if self.anchor else ""
        mark = " (resolved)" if self.done else ""
        yield f"{self.by}{about}{mark}: {' '.join(self.text.split())}"
        for reply in self.replies:
            for line in reply.lines():
                yield f"  reply by {line}"


def counted_revisions(items: Sequence[TrackedChange | PlacedComment | Change | Comment]) -> str:
    """Return how many changes and comments there are, of which kinds, and by whom: "3 tracked
    changes (2 deleted, 1 inserted), by A. Lee".
    """
    changes = [item for item in items if isinstance(item, TrackedChange | Change)]
    comments = [item for item in items if isinstance(item, PlacedComment | Comment)]
    kinds = Counter(_VERBS.get(change.kind, str(change.kind)) for change in changes)
    resolved = sum(comment.done for comment in comments)
    replies = sum(
        len(comment.replies) if isinstance(comment, PlacedComment) else bool(comment.parent)
        for comment in comments
    )
    facts = [f"{resolved:,} resolved"] * bool(resolved)
    facts += [f"{replies:,} {'reply' if replies == 1 else 'replies'}"] * bool(replies)
    parts = []
    if changes:
        of_kinds = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
        parts.append(f"{counted(len(changes), 'tracked change')} ({of_kinds})")
    if comments:
        about = f" ({', '.join(facts)})" if facts else ""
        parts.append(f"{counted(len(comments), 'comment')}{about}")
    authors = list(dict.fromkeys(item.author or "an unknown author" for item in items))
    more = f" and {counted(len(authors) - _MOST_AUTHORS, 'other')}"
    named = ", ".join(authors[:_MOST_AUTHORS]) + (more if len(authors) > _MOST_AUTHORS else "")
    return f"{', '.join(parts)}, by {named}"


class Revisions:
    """The tracked changes and comments of a document, placed when they are asked for."""

    def __init__(self, places: CitedPlaces) -> None:
        self._places = places
        self._document = places.document

    def _index_at(self, spot: Spot, *texts: str) -> int | None:
        """Return the index of the place at a spot; None if it is in no block. In a paragraph of
        several lines, it is the first line that has one of the texts.
        """
        places = self._places
        block = places.numbers_by_id.get(spot.block_id)
        if block is None or not places.all:
            return None
        indexes, of_row = self._places_of(spot.paragraph)
        if not indexes:
            return min(places.heads.get(block, 0), len(places.all) - 1)
        if spot.row is not None and of_row:
            at = bisect_left(of_row, spot.row, key=lambda index: places.all[index].row)
            return of_row[min(at, len(of_row) - 1)]
        for text in filter(None, map(str.strip, texts)):
            for index in indexes[:_MOST_LINES]:
                if text in places.all[index].text:
                    return index
        return indexes[0]

    @cached_method
    def _places_of(self, paragraph: int) -> tuple[list[int], list[int]]:
        """Return the places of a paragraph, and those of them that are rows of a table."""
        places = self._places
        indexes = places.in_paragraphs([(paragraph, paragraph)])
        return indexes, [index for index in indexes if places.all[index].table]

    def changes(self) -> list[TrackedChange]:
        """Return the tracked changes, those of the main text first."""
        pairs = self._sorted(self._document.changes)
        located = [self._located(index, change.spot) for index, change in pairs]
        ends: dict[tuple[RevisionKind, str], str] = {}  # the first place of each end of a move
        for (_, change), (place, *_) in zip(pairs, located, strict=True):
            ends.setdefault((change.kind, _move_of(change)), place)
        return [
            TrackedChange(
                change.kind,
                change.part,
                change.author,
                change.date,
                change.text,
                change.before,
                change.after,
                *at,
                ends.get((_OTHER_END[change.kind], _move_of(change)), "")
                if change.kind in _OTHER_END
                else "",
            )
            for (_, change), at in zip(pairs, located, strict=True)
        ]

    def comments(self) -> list[PlacedComment]:
        """Return the comments, each with its replies, those of the main text first."""
        top: dict[str, str] = {}  # the comment that each one replies to, itself if to none
        for comment in self._document.comments:
            top[comment.id] = top.get(comment.parent, comment.id)
        threads: dict[str, list[PlacedComment]] = {head: [] for head in top.values()}
        heads: list[PlacedComment] = []
        for index, comment in self._sorted(self._document.comments):
            placed = PlacedComment(
                comment.id,
                comment.author,
                comment.date,
                comment.text,
                comment.anchor,
                comment.done,
                *self._located(index, comment.spot),
            )
            (heads if top[comment.id] == comment.id else threads[top[comment.id]]).append(placed)
        return [replace(head, replies=tuple(threads[head.id])) for head in heads]

    def _located(self, index: int | None, spot: Spot) -> tuple[str, str, int | None, int]:
        """Return the place of a spot, the number of its clause, its page and paragraph."""
        passage = self._passage(index, spot)
        page = None if index is None else self._places.page(index)
        return passage.place, passage.number, page, spot.paragraph

    def index_of(self, item: Change | Comment) -> int | None:
        """Return the index of the place of a change or comment; None if it is in no block."""
        if isinstance(item, Comment):
            return self._index_at(item.spot, item.anchor)
        around = (item.before.rpartition("\n")[2], item.after.partition("\n")[0])
        return self._index_at(item.spot, *([] if item.kind in _GONE else [item.text]), *around)

    def _sorted(self, items: Iterable[_T]) -> list[tuple[int | None, _T]]:
        pairs = [(self.index_of(item), item) for item in items]
        return sorted(pairs, key=lambda pair: (pair[0] is None, pair[0] or 0))

    def _passage(self, index: int | None, spot: Spot) -> Passage:
        """Return a passage without text, with the place and number of a spot."""
        if index is None:
            return Passage("", "", spot.within)
        passage = self._places.passage(index, index)
        place = f"{passage.place}, {spot.within}" if spot.within else passage.place
        return replace(passage, place=place)

    def page_of(self, item: Change | Comment) -> int | None:
        """Return the page of a change or comment; None if unknown."""
        index = self.index_of(item)
        return None if index is None else self._places.page(index)

    def within(self, region: range) -> list[Change | Comment]:
        """Return the changes and comments at some places."""
        items: list[Change | Comment] = [*self._document.changes, *self._document.comments]
        return [item for item in items if self.index_of(item) in region]

    # -- words that are not in the text

    def unread(self) -> list[Change]:
        """Return the changes whose words are not in the view, or are marked as deleted in it."""
        options = self._document.options
        is_original = options is not None and options.track_changes is TrackChanges.ORIGINAL
        kinds = _NEW if is_original else _GONE
        return [change for change in self._document.changes if change.kind in kinds and change.text]

    def mentions(self, phrase: str, match: Match) -> list[Passage]:
        """Return where a phrase or regular expression occurs in comments, and in text that is not
        in the view because of tracked changes: a passage each, whose place says so.
        """
        items: list[Change | Comment] = [*self._document.comments, *self.unread()]
        spans_of_texts = spans(map(_text_of, items), phrase, match)
        touching = (
            (item, span)
            for item, ranges in zip(items, spans_of_texts, strict=True)
            for span in [span for span in ranges if _is_of(item, span)][:1]
        )
        return [self.mention(*pair) for pair in touching]

    def mention(self, item: Comment | Change, match: Span | None = None) -> Passage:
        """Return a passage with the words of a comment or change. Its place is "in a comment on
        3.2, p. 4, ¶ 31, by A. Lee, 2024-05-01", or "in text deleted by A. Lee, 2024-05-01, 3.2, …".
        """
        passage = self._passage(self.index_of(item), item.spot)
        if isinstance(item, Comment):
            on = f" on {passage.place}," if passage.place else ""
            place = f"in a comment{on} by {item.by}"
        else:
            verb = _VERBS.get(item.kind, item.kind)
            place = ", ".join(filter(None, (f"in text {verb} by {item.by}", passage.place)))
        citation = f"{self._document.name}, {place}"
        return replace(passage, text=_text_of(item), place=place, citation=citation, match=match)


def _text_of(item: Comment | Change) -> str:
    """Return the text of a comment, or of a change with the words beside it."""
    return item.text if isinstance(item, Comment) else f"{item.before}{item.text}{item.after}"


def _move_of(change: Change) -> str:
    """Return what both places of a move have: its name or, without one, its words."""
    return change.move or f"{change.author} {change.date} {change.text}"


def _is_of(item: Comment | Change, span: Span) -> bool:
    """Return whether a range of text has words of a comment or of a change. The words beside a
    change do not count.
    """
    start = 0 if isinstance(item, Comment) else len(item.before)
    return span[0] < start + len(item.text) and start < span[1]
