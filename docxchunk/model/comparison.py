"""What changed between two versions of a document, place by place and word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.language.words import COMPARED
from docxchunk.model.sequences import WordRun, runs
from docxchunk.model.wording import NAMELESS, counted

_NO_NUMBER: Final = "(none)"
WORDS_AROUND: Final = 6  # unchanged words that are shown beside a change
_FEWEST: Final = 4  # that are left out


class TextChange(StrEnum):
    """Whether text was inserted, deleted or is in both versions of a document."""

    NONE = ""
    INSERTED = "ins"
    DELETED = "del"


@dataclass(frozen=True, slots=True)
class Span:
    """Text that is in both versions, or only in one.

    - `change`: whether the text was inserted or deleted.
    """

    change: TextChange
    text: str


class ChangeKind(StrEnum):
    """What happened to a place."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"  # its words have not changed


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """A place, or several places one after the other, that are not the same in both versions.

    - `kind`: added, removed, changed or moved.
    - `old`, `new`: where it is: "3. Fees > 3.1, p. 2, ¶ 14"; "" in the version that lacks it.
    - `section`: the headings above it in the new version; if it was removed, in the old one.
    - `spans`: its text without its number. A line break separates two paragraphs.
    - `has_moved`: whether it is at another place. Its words may have changed, too.
    - `old_number`, `new_number`: the full number of its clause in both versions, "2.1"; "" if it
      has none.
    """

    kind: ChangeKind
    old: str
    new: str
    section: str
    spans: tuple[Span, ...]
    has_moved: bool = False
    old_number: str = ""
    new_number: str = ""

    @property
    def name(self) -> str:
        """Where it is in the new version. A place that was removed has its place in the old
        version, and one that moved has both. If its numbers differ, they follow.
        """
        name = self.new or self.old or NAMELESS
        if self.kind is ChangeKind.REMOVED:
            return f"{name} (old version)"
        if self.has_moved:
            return f"{name} (from {self.old})" if self.old != name else name
        return f"{name} ({self.numbers})" if self.numbers else name

    @property
    def numbers(self) -> str:
        """The numbers of its clause in both versions, "4.3 → 4.2", if it has two that differ; else
        "".
        """
        old, new = self.old_number, self.new_number
        return f"{old} → {new}" if old and new and old != new else ""

    @property
    def is_named_by_text(self) -> bool:
        """Whether the name has all of the text: a heading that was added, removed or moved."""
        return self.kind is not ChangeKind.CHANGED and self.spans[0].text in self.name

    @property
    def inserted(self) -> int:
        """The number of words that only the new version has."""
        return _count(self.spans, TextChange.INSERTED)

    @property
    def deleted(self) -> int:
        """The number of words that only the old version has."""
        return _count(self.spans, TextChange.DELETED)


@dataclass(frozen=True, slots=True)
class Renumbered:
    """A clause with the same words and another number.

    - `old`, `new`: where it is in both versions, as in `PlaceChange`.
    - `old_number`, `new_number`: its full numbers: "2.1".
    """

    old: str
    new: str
    old_number: str
    new_number: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two versions of a document.

    - `old`, `new`: the names of the versions.
    - `changes`: the places that differ, in the order of the new version. A removed place is where
      it was in the old one.
    - `renumbered`: the places with the same words and another number.
    - `not_compared`: what the two versions have, or may have, that was not compared, such as
      "comments".
    """

    old: str
    new: str
    changes: tuple[PlaceChange, ...]
    renumbered: tuple[Renumbered, ...]
    not_compared: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether nothing differs in what was compared."""
        return not self.changes and not self.renumbered


def summary(comparison: Comparison, unchanged: str) -> list[str]:
    """Return the totals of the changes, or the sentence `unchanged` if there are none; and a
    sentence with the clauses that have another number.
    """
    sentences = [totals(comparison) if comparison.changes else unchanged]
    if renumbered := comparison.renumbered:
        numbers = ", ".join(
            f"{change.old_number or _NO_NUMBER} → {change.new_number or _NO_NUMBER}"
            for change in renumbered
        )
        clauses = counted(len(renumbered), "place")
        sentences.append(f"{clauses} with the same words and another number: {numbers}.")
    return sentences


def words_in(text: str) -> list[str]:
    """Return the words and signs of a text, with the blanks after them. Joined, they are the
    text.
    """
    return COMPARED.findall(text)


def is_word(text: str) -> bool:
    """Return whether one of `words_in` is a word or number and not a sign."""
    return text[:1].isalnum()


def spans(old: str, new: str) -> tuple[Span, ...]:
    """Compare two texts by words. Blanks are not compared: the result has those of the new text,
    and one blank where only the old text has any.
    """
    sides = words_in(old), words_in(new)
    compared: list[Span] = []
    a = b = 0
    end = WordRun(True, *(range(len(side), len(side)) for side in sides))
    for edit in (*_edits(*sides), end):
        before, after = "".join(sides[0][a : edit.old.start]), "".join(sides[1][b : edit.new.start])
        is_apart = before[-1:].isspace() and not after[-1:].isspace()
        compared += (
            Span(TextChange.NONE, f"{after} " if is_apart else after),
            Span(TextChange.DELETED, "".join(sides[0][edit.old.start : edit.old.stop])),
            Span(TextChange.INSERTED, "".join(sides[1][edit.new.start : edit.new.stop])),
        )
        a, b = edit.old.stop, edit.new.stop
    with_text = (span for span in compared if span.text)
    return tuple(
        Span(change, "".join(span.text for span in group))
        for change, group in groupby(with_text, key=attrgetter("change"))
    )


def _edits(old: Sequence[str], new: Sequence[str]) -> list[WordRun]:
    """Return the words that were replaced, inserted or deleted. Words that were only inserted or
    only deleted begin earlier or later if that is the same and reads better: after a blank, or
    together with the next change.
    """
    # blanks are not compared, but the end of a paragraph is
    bare = [["\n" if word[0] == "\n" else word.strip() for word in side] for side in (old, new)]
    changed = [run for run in runs(*bare) if not run.is_same]
    ends = [*(run.old.start for run in changed[1:]), len(old)]
    edits: list[WordRun] = []
    for edit, end in zip(changed, ends, strict=False):
        if edits and edits[-1].old.stop == edit.old.start:
            edit = _shifted(edits.pop(), 0, edit)  # noqa: PLW2901 - one edit with the last one
        start = edits[-1].old.stop if edits else 0
        if not (edit.old and edit.new):
            words, side, at = (bare[0], old, edit.old) if edit.old else (bare[1], new, edit.new)
            room = edit.old.start - start, end - edit.old.stop
            steps = _steps(words, side, at, room, is_last=end == len(old))
            edit = _shifted(edit, steps, edit)  # noqa: PLW2901 - the same edit, at another place
        edits.append(edit)
    return edits


def _shifted(first: WordRun, steps: int, last: WordRun) -> WordRun:
    """Return the edit from the first to the last one, some words later."""
    return WordRun(
        False,
        range(first.old.start + steps, last.old.stop + steps),
        range(first.new.start + steps, last.new.stop + steps),
    )


def _steps(
    bare: Sequence[str], words: Sequence[str], at: range, room: tuple[int, int], *, is_last: bool
) -> int:
    """Return by how many words an edit should begin later; negative: earlier. `at` are its words in
    `words`, and `bare` the same words without blanks. `room` is the number of equal words before
    and after it.
    """
    earlier = later = 0
    while later < room[1] and bare[at.start + later] == bare[at.stop + later]:
        later += 1
    if later == room[1] and not is_last:
        return later
    while earlier < room[0] and bare[at.start - earlier - 1] == bare[at.stop - earlier - 1]:
        earlier += 1
    begins = (step for step in (*range(later + 1), *range(-1, -earlier - 1, -1)))
    return next((step for step in begins if _begins_word(words, at.start + step)), 0)


def _begins_word(words: Sequence[str], number: int) -> bool:
    return not number or words[number - 1][-1].isspace()


def _count(spans: Iterable[Span], change: TextChange) -> int:
    return sum(sum(map(is_word, words_in(span.text))) for span in spans if span.change is change)


# -- as people read it


class ChangedPassage(NamedTuple):
    """A part of the text of a change. If `hidden` is not 0, it is unchanged text with this number
    of words that is far from any change.
    """

    change: TextChange
    text: str
    hidden: int = 0


def passages(change: PlaceChange) -> Iterator[ChangedPassage]:
    """Yield the text of a change, with the middle of long unchanged text apart."""
    last = len(change.spans) - 1
    for number, span in enumerate(change.spans):
        if span.change is not TextChange.NONE:
            yield ChangedPassage(span.change, span.text)
            continue
        words = words_in(span.text)
        start = WORDS_AROUND if number or change.kind is ChangeKind.MOVED else 0
        end = WORDS_AROUND if number < last else 0
        yield from _parted(words, _up_to(words, start), len(words) - _up_to(words[::-1], end))


def _parted(words: Sequence[str], start: int, end: int) -> Iterator[ChangedPassage]:
    """Yield unchanged words in up to three parts: words [start, end) are far from any change."""
    hidden = sum(map(is_word, words[start:end]))
    if hidden < _FEWEST:
        yield ChangedPassage(TextChange.NONE, "".join(words))
        return
    if start:
        yield ChangedPassage(TextChange.NONE, "".join(words[:start]))
    yield ChangedPassage(TextChange.NONE, "".join(words[start:end]), hidden)
    if end < len(words):
        yield ChangedPassage(TextChange.NONE, "".join(words[end:]))


def _up_to(words: Sequence[str], count: int) -> int:
    """Return how many items of `words`, signs included, come before the end of `count` words."""
    for number, word in enumerate(words):
        if not count:
            return number
        count -= is_word(word)
    return len(words)


_SIGNS: Final = {TextChange.DELETED: ("[-", "-]"), TextChange.INSERTED: ("{+", "+}")}
_CLOSING: Final = tuple(",.;:!?)]}%’”，。；：、！？）")


def marked(change: PlaceChange) -> Iterator[tuple[str, TextChange]]:
    """Yield the text of a change in one line: [-deleted-] and {+inserted+} words, "… (57 words) …"
    for unchanged text that is left out, and ¶ between two paragraphs. The text of a place that was
    added or removed as a whole has no marks.
    """
    is_blank, needs_blank = True, False  # whether a blank was written last, or is due
    for kind, text, hidden in passages(change):
        heading, _, rest = text.partition("\n")
        is_in_name = is_blank and change.kind is not ChangeKind.CHANGED and heading in change.name
        line = (rest if rest and is_in_name else text).replace("\n", " ¶ ")
        words = f"… ({hidden:,} word{'s' * (hidden > 1)}) …" if hidden else line.strip()
        if not words:
            needs_blank = True
            continue
        needs_blank |= bool(hidden) or line[:1].isspace()
        is_due = needs_blank and not is_blank and not words.startswith(_CLOSING)
        opening, closing = ("", "")
        if change.kind is ChangeKind.CHANGED and kind is not TextChange.NONE:
            opening, closing = _SIGNS[kind]
        yield f"{' ' * is_due}{opening}{words}{closing}", kind
        is_blank, needs_blank = False, bool(hidden) or line[-1:].isspace()


def totals(comparison: Comparison) -> str:
    """Return the number of changes and of their words: "1 changed, 2 added; 9 words inserted, 0
    deleted."
    """
    kinds = Counter(change.kind for change in comparison.changes)
    counts = ", ".join(f"{kinds[kind]:,} {kind}" for kind in ChangeKind if kinds[kind])
    inserted = sum(change.inserted for change in comparison.changes)
    deleted = sum(change.deleted for change in comparison.changes)
    return f"{counts}; {counted(inserted, 'word')} inserted, {deleted:,} deleted."
