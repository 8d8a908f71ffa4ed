"""Pair the texts of two versions of a document: which are the same, which have moved, and which
replace each other.

The longest common subsequence of the texts is unmoved. Another text that both versions have has
moved. Of the rest, texts with common words are paired: a text is compared with its neighbours
between the same unmoved texts, and with the texts that share its rarest words, wherever they are.
So the work grows with the number of words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from docxchunk.model.comparison import is_word, words_in
from docxchunk.model.sequences import matches

_BEFORE_COLON: Final = re.compile(r"[^:：]{1,60}[:：]")
_NEAR: Final = 4  # texts on each side of the same position that are compared
_RARE: Final = 8  # texts that have a rare word
_MOST: Final = 8  # texts with common rare words that are compared
_TRIES: Final = 16  # comparisons of an old text by words
_MOST_PARTS: Final = 16  # texts in a group that was divided or joined
_FEWEST_FAR: Final = 4  # common words of two texts that are not between the same ones


@dataclass(frozen=True)
class Text:
    """A text of a version.

    - `kind`: only texts of one kind are paired.
    - `level`: the level of a heading; 0 for other texts.
    - `head`: the first cell of a row; "" for other texts.
    """

    text: str
    kind: str = ""
    level: int = 0
    head: str = ""

    @cached_property
    def key(self) -> str:
        """The text without blanks: equal if the texts are the same."""
        return "".join(self.text.split())

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(word.strip() for word in words_in(self.text) if is_word(word))

    @cached_property
    def name(self) -> str:
        """What names the text in a form: its first cell, or the words before a colon."""
        return self.head or (named[0] if (named := _BEFORE_COLON.match(self.text)) else "")

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.words)


class Group(NamedTuple):
    """Old texts and new texts that belong together, by their numbers: the same texts, texts that
    replace each other, or texts of one version only. `is_same` says whether they are the same,
    `has_moved` whether they are at another place.
    """

    olds: tuple[int, ...]
    news: tuple[int, ...]
    is_same: bool = False
    has_moved: bool = False


def groups(olds: Sequence[Text], news: Sequence[Text]) -> list[Group]:
    """Return all texts in groups, in the order of the new version. A text that only the old version
    has is where it was.
    """
    return _Pairing(olds, news).groups()


class _Pairing:
    """The pairs of the texts of two versions. A gap is a stretch between two unmoved texts."""

    def __init__(self, olds: Sequence[Text], news: Sequence[Text]) -> None:
        self.olds, self.news = olds, news
        keys = ([(text.kind, text.key) for text in side] for side in (olds, news))
        self.unmoved = {
            match.b + step: match.a + step for match in matches(*keys) for step in range(match.size)
        }
        self.moved = self._moved()
        self.old_gaps, self.old_gap = _gaps(
            len(olds), set(self.unmoved.values()), set(self.moved.values())
        )
        self.new_gaps, self.new_gap = _gaps(len(news), self.unmoved.keys(), self.moved.keys())
        self.changed: dict[int, int] = {}
        self._pair_alike()
        self._pair_headings()

    def _moved(self) -> dict[int, int]:
        """Return the new texts that are at another place in the old version, with their old
        numbers.
        """
        waiting: defaultdict[tuple[str, str], deque[int]] = defaultdict(deque)
        unmoved_olds = set(self.unmoved.values())
        for number, text in enumerate(self.olds):
            if number not in unmoved_olds:
                waiting[text.kind, text.key].append(number)
        return {
            number: waiting[text.kind, text.key].popleft()
            for number, text in enumerate(self.news)
            if number not in self.unmoved and waiting.get((text.kind, text.key))
        }

    def _pair_alike(self) -> None:
        """Pair texts with common words: first those with the same head, then those with the largest
        share; those with an equal share in order, such as the blanks of a form.
        """
        alike = sorted(
            (not self._has_same_name(old, new), -self._likeness(old, new), new, old)
            for new, old in self._candidates()
        )
        tries = Counter[int]()
        used = set[int]()
        for is_unnamed, _, new, old in alike:
            if new in self.changed or old in used or tries[old] == _TRIES:
                continue
            tries[old] += 1
            if not is_unnamed or self._is_changed(old, new):
                self.changed[new] = old
                used.add(old)

    def _likeness(self, old: int, new: int) -> float:
        """Return the share of common words, in any order, from 0 to 1. The same head does not
        count.
        """
        few, many = sorted((self.olds[old].counts, self.news[new].counts), key=len)
        common = sum(min(count, many[word]) for word, count in few.items() if word in many)
        if self._has_same_name(old, new):
            common -= sum(map(is_word, words_in(self.news[new].name)))
        size = len(self.olds[old].words) + len(self.news[new].words)
        return 2 * common / size if size else 0.0

    def _is_near(self, old: int, new: int) -> bool:
        return self.old_gap[old] == self.new_gap[new]

    def _has_same_name(self, old: int, new: int) -> bool:
        name = self.news[new].name
        return bool(name) and name == self.olds[old].name and self._is_near(old, new)

    def _is_changed(self, old: int, new: int) -> bool:
        """Return whether a text replaces another one. Farther away, half of their words are common.

        Between the same unmoved texts, it keeps a third of the words, or has little else. Words
        count that follow each other on both sides: any two texts have "the" and "of" in common.
        """
        old_words, new_words = self.olds[old].words, self.news[new].words
        common = matches(old_words, new_words)
        common_words = sum(match.size for match in common)
        before, after = len(old_words), len(new_words)
        if not self._is_near(old, new):
            return common_words >= _FEWEST_FAR and 4 * common_words >= before + after
        kept_words = sum(match.size for match in common if match.size > 1 or match[:2] == (0, 0))
        is_kept = kept_words > 0 and (3 * kept_words >= before or 3 * kept_words >= 2 * after)
        return is_kept or (common_words > 0 and 5 * common_words >= before + after)

    def _candidates(self) -> Iterator[tuple[int, int]]:
        """Yield the number of each new text with that of each old text that it may replace."""
        rare = self._rare_words()
        for gap, news in self.new_gaps.items():
            olds = self.old_gaps.get(gap, [])
            for position, new in enumerate(news):
                near = position * len(olds) // len(news)
                candidates = dict.fromkeys(olds[max(near - _NEAR, 0) : near + _NEAR + 1])
                text = self.news[new]
                votes = Counter(old for word in text.counts for old in rare.get(word, ()))
                candidates |= dict.fromkeys(old for old, _ in votes.most_common(_MOST))
                for old in candidates:
                    if self.olds[old].kind == text.kind:
                        yield new, old

    def _rare_words(self) -> Mapping[str, Sequence[int]]:
        """Return the words that few of the old texts have, with these texts."""
        texts: defaultdict[str, list[int]] = defaultdict(list)
        for olds in self.old_gaps.values():
            for old in olds:
                for word in self.olds[old].counts:
                    texts[word].append(old)
        return {word: olds for word, olds in texts.items() if len(olds) <= _RARE}

    def _pair_headings(self) -> None:
        """Pair the headings of a gap that have no common words, in order: these were renamed."""
        used = set(self.changed.values())
        for gap, news in self.new_gaps.items():
            waiting = defaultdict[int, deque[int]](deque)
            for old in self.old_gaps.get(gap, ()):
                if old not in used:
                    waiting[self.olds[old].level].append(old)
            for new in news:
                level = self.news[new].level
                if level and new not in self.changed and waiting[level]:
                    self.changed[new] = waiting[level].popleft()

    # -- the groups

    def groups(self) -> list[Group]:
        paired = set(self.changed.values())
        result: list[Group] = []
        news = deque(range(len(self.news)))
        for gap in range(len(self.unmoved) + 1):
            between: list[int] = []
            while news and news[0] not in self.unmoved:
                between.append(news.popleft())
            removed = deque(old for old in self.old_gaps.get(gap, ()) if old not in paired)
            result += self._joined_groups(self._in_gap(gap, between, removed))
            if news:
                new = news.popleft()
                result.append(Group((self.unmoved[new],), (new,), is_same=True))
        return result

    def _in_gap(self, gap: int, news: Sequence[int], removed: deque[int]) -> Iterator[Group]:
        """Yield the groups of a gap. A removed text is before the text that replaces the next old
        one.
        """
        of_gap = [old for new in news if self.old_gap.get(old := self.changed.get(new, -1)) == gap]
        later = deque(of_gap)
        for new in news:
            old = self.changed.get(new, -1)
            before = later[0] if later else len(self.olds)
            while removed and removed[0] < before:
                yield Group((removed.popleft(),), ())
            if later and old == later[0]:
                later.popleft()
            if new in self.moved:
                yield Group((self.moved[new],), (new,), is_same=True, has_moved=True)
            elif old >= 0:
                yield Group((old,), (new,), has_moved=self.old_gap[old] != gap)
            else:
                yield Group((), (new,))
        yield from (Group((old,), ()) for old in removed)

    def _joined_groups(self, groups: Iterator[Group]) -> Iterator[Group]:
        """Yield groups, with the parts of a text that was divided or joined as one group, and with
        texts that moved together as one.
        """
        last: Group | None = None
        for group in groups:
            if last and (joined := self._as_one_group(last, group)):
                last = joined
                continue
            if last:
                yield last
            last = group
        if last:
            yield last

    def _as_one_group(self, last: Group, group: Group) -> Group | None:
        """Return two neighbouring groups as one, if they are one text on one side or moved
        together; else None.
        """
        joined = Group(last.olds + group.olds, last.news + group.news, last.is_same, last.has_moved)
        if last.is_same or group.is_same:
            is_run = last[2:] == group[2:] and last.olds[-1] + 1 == group.olds[0]
            return joined if is_run else None
        pair, single = (last, group) if last.olds and last.news else (group, last)
        is_full = len(joined.olds) + len(joined.news) > _MOST_PARTS
        if is_full or not (pair.olds and pair.news) or (single.olds and single.news):
            return None
        if single.olds:
            part, paired = (self._words(self.olds, group.olds) for group in (single, pair))
            other_side = self._words(self.news, pair.news)
        else:
            part, paired = (self._words(self.news, group.news) for group in (single, pair))
            other_side = self._words(self.olds, pair.olds)
        if not part or not self._may_be_joined(
            joined, begins=single is last and other_side[: len(part)] == part
        ):
            return None
        common = sum(match.size for match in matches(_lacking(other_side, paired), part))
        if 3 * common < 2 * len(part):
            return None
        sides = ((self.olds, joined.olds), (self.news, joined.news))
        old, new = ("".join(texts[number].key for number in numbers) for texts, numbers in sides)
        return joined._replace(is_same=old == new, has_moved=pair.has_moved)

    def _may_be_joined(self, group: Group, *, begins: bool) -> bool:
        """Return whether texts are of one kind. A heading is joined only with a text that `begins`
        with it.
        """
        texts = [*(self.olds[old] for old in group.olds), *(self.news[new] for new in group.news)]
        has_heading = any(text.level for text in texts)
        return len({text.kind for text in texts}) == 1 and (begins or not has_heading)

    @staticmethod
    def _words(texts: Sequence[Text], numbers: Sequence[int]) -> list[str]:
        return [word for number in numbers for word in texts[number].words]


def _lacking(words: Sequence[str], other_words: Sequence[str]) -> list[str]:
    """Return the `words` that `other_words` lack, in order."""
    at, lacking = 0, list[str]()
    for match in matches(words, other_words):
        lacking += words[at : match.a]
        at = match.a + match.size
    return [*lacking, *words[at:]]


def _gaps(
    size: int, unmoved: AbstractSet[int], moved: AbstractSet[int]
) -> tuple[dict[int, list[int]], dict[int, int]]:
    """Return the numbers of the texts of each gap that have not moved, and the gap of each of
    them.
    """
    members: defaultdict[int, list[int]] = defaultdict(list)
    gap = 0
    for number in range(size):
        if number in unmoved:
            gap += 1
        elif number not in moved:
            members[gap].append(number)
    return dict(members), {number: gap for gap, numbers in members.items() for number in numbers}
