"""Measures of a ranking, pure functions over spans. G is the union of a question's gold spans, R_k the first k passages.

Lengths are characters. Where a published formula differs from its paper's prose, the docstring says which is meant.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

from docxchunk.evaluation.passages import Passage, first_characters
from docxchunk.evaluation.spans import Span, common, holds, overlap, size, union

_T = TypeVar("_T")


class Overlap(NamedTuple):
    """How retrieved text and gold cover each other (chunking_evaluation's measures)."""

    recall: float  # |U(R) n G| / |G|
    precision: float  # |U(R) n G| / sum |r|: text shown twice counts twice
    iou: float  # |U(R) n G| / (sum |r| + |G \\ U(R)|)


def overlap_of(passages: Sequence[Passage], gold: Sequence[Span]) -> Overlap:
    """Of the passages given, in any order. Only text of the document counts, headings put in front do not."""
    return ([Overlap(0.0, 0.0, 0.0), *overlaps_of(passages, gold)])[-1]


def overlaps_of(ranking: Sequence[Passage], gold: Sequence[Span]) -> Iterator[Overlap]:
    """Of the first passage, of the first two, and so on to all."""
    wanted = union(gold)
    goal = size(wanted)
    held: list[Span] = []
    shown = 0
    for passage in ranking:
        held = union([*held, *common(passage.spans, wanted)])
        shown += size(passage.spans)
        found = size(held)
        yield Overlap(_share(found, goal), _share(found, shown), _share(found, shown + goal - found))


def precision_omega(passages: Sequence[Passage], gold: Sequence[Span]) -> float:
    """IoU where all passages that touch the gold are retrieved, and no others: the most that these cuts allow.

    Text in two of these passages counts once, as in the published code.
    """
    wanted = union(gold)
    shown = union(span for passage in passages if overlap(passage.spans, wanted) for span in passage.spans)
    found = overlap(shown, wanted)
    return _share(found, size(shown) + size(wanted) - found)


def shown_within(ranking: Sequence[Passage], budget: int) -> list[Span]:
    """What the first `budget` characters of a ranking show; the last passage is cut, and what stands before a passage's text is charged."""
    found: list[Span] = []
    left = budget
    for passage in ranking:
        if left <= 0:
            break
        found += first_characters(passage, left)
        left -= len(passage.text)
    return union(found)


def budgeted_recall(ranking: Sequence[Passage], gold: Sequence[Span], budget: int) -> float:
    """Recall within so many characters of ranked text: what a reader with a full prompt gets to see."""
    wanted = union(gold)
    return _share(overlap(shown_within(ranking, budget), wanted), size(wanted))


def area(budgets: Sequence[int], recalls: Sequence[float]) -> float:
    """The area under the curve of recall over budget, from nothing on, as a share of the most that it can be (trapezoids between the budgets)."""
    places = [(0, 0.0), *sorted(zip(budgets, recalls, strict=True))]
    total = sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairwise(places))
    return _share(total, places[-1][0])


def together(ranking: Sequence[Passage], gold: Sequence[Span], budget: int) -> float:
    """1 where one passage that begins and ends within the budget holds all of the gold: an answer's row with its header."""
    left = budget
    for passage in ranking:
        left -= len(passage.text)
        if left < 0:
            break
        if all(holds(passage.spans, span) for span in gold):
            return 1.0
    return 0.0


def whole_at(ranking: Sequence[Passage], gold: Sequence[Span]) -> list[float]:
    """For each gold span, how many passages it takes until one holds it whole; infinite where none does."""
    return [next((float(k) for k, passage in enumerate(ranking, 1) if holds(passage.spans, span)), math.inf) for span in gold]


HIT_SHARE: Final = 0.5


def is_hit(passage: Passage, gold: Sequence[Span], share: float = HIT_SHARE) -> bool:
    """Does it show at least this share of one of the places, or is that share of it such a place? With a share of 0, does it touch one?"""
    spans = passage.spans
    shown = size(spans)
    return any((there := overlap(spans, [place])) > 0 and there >= share * min(place[1] - place[0], shown) for place in gold)


def reciprocal_rank(relevant: Sequence[bool], most: int = 10) -> float:
    """1 / rank of the first relevant item, 0 where it is not among the first `most`."""
    return next((1 / rank for rank, hit in enumerate(relevant[:most], 1) if hit), 0.0)


def average_precision(relevant: Sequence[bool], total: int, most: int = 10) -> float:
    """The standard one: precision at each relevant rank, summed, over min(total, most), `total` being all that are relevant."""
    hits = 0
    found = 0.0
    for rank, hit in enumerate(relevant[:most], 1):
        if hit:
            hits += 1
            found += hits / rank
    return _share(found, min(total, most))


def multihop_average_precision(facts: Sequence[AbstractSet[int]], total: int) -> float:
    """As MultiHop-RAG's code has it, for comparison with its tables: `facts` are those that each item holds.

    Only facts not seen before count at a rank, precision is theirs over the rank (not cumulative), and eleven ranks are read.
    """
    seen: set[int] = set()
    found = 0.0
    for rank, held in enumerate(facts[:11], 1):
        found += len(held - seen) / rank
        seen |= held
    return _share(found, min(total, 10))


def gain(rank: int | None, most: int) -> float:
    """DCG with one relevant passage (LumberChunker, LGMGC): 1 / log2(rank + 1), 0 where it comes after `most` or not at all."""
    return 1 / math.log2(rank + 1) if rank is not None and rank <= most else 0.0


def best_by_overlap(passages: Sequence[Passage], gold: Sequence[Span]) -> int | None:
    """The number of the passage that holds the most of the gold; of several the shortest, then the first. None where none holds any."""
    wanted = union(gold)
    return _best([overlap(passage.spans, wanted) for passage in passages], passages)


def best_by_rouge(passages: Sequence[Passage], evidence: str) -> int | None:
    """The same by ROUGE-L recall of the evidence's words, for evidence whose place is not known (LGMGC labels so; it does not say which ROUGE)."""
    wanted = rouge_words(evidence)
    counts = Counter(wanted)
    scores: list[float] = []
    best = 1
    for passage in passages:
        there = rouge_words(passage.text)
        possible = (Counter(word for word in there if word in counts) & counts).total()
        common = common_subsequence(wanted, there) if possible >= best else 0  # a passage that cannot be the best is not compared
        best = max(best, common)
        scores.append(_share(common, len(wanted)))
    return _best(scores, passages)


def _best(scores: Sequence[float], passages: Sequence[Passage]) -> int | None:
    best = min(range(len(passages)), key=lambda i: (-scores[i], len(passages[i].text), i), default=None)
    return best if best is not None and scores[best] > 0 else None


_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def rouge_words(text: str) -> list[str]:
    """Words as ROUGE-L compares them: lower case, not stemmed; characters of Chinese and Japanese."""
    return _WORD.findall(text.lower())


def rouge_l_recall(evidence: str, text: str) -> float:
    """The longest common subsequence of words, as a share of the evidence's words (ROUGE-L recall)."""
    wanted, there = rouge_words(evidence), rouge_words(text)
    return _share(common_subsequence(wanted, there), len(wanted))


def common_subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    """Its length, with a bit a word: Hyyrö, 2004."""
    places: dict[str, int] = {}
    for i, word in enumerate(left):
        places[word] = places.get(word, 0) | 1 << i
    everything = (1 << len(left)) - 1
    state = everything
    for word in right:
        if word in places:
            matched = state & places[word]
            state = (state + matched | state - matched) & everything
    return len(left) - state.bit_count()


class Matched(NamedTuple):
    """Precision and recall of one question's set of documents, or of sentences."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return _share(2 * self.precision * self.recall, self.precision + self.recall)


def matched(found: Sequence[_T], relevant: AbstractSet[_T]) -> Matched:
    """Of what was found, one repeated counting twice (the published code of "Is semantic chunking worth it" counts sentences so)."""
    hits = sum(item in relevant for item in found)
    return Matched(_share(hits, len(found)), _share(len({*found} & relevant), len(relevant)))


def f1_of_means(all_matched: Sequence[Matched]) -> float:
    """The F1 of mean precision and mean recall, as that code reports it."""
    count = max(len(all_matched), 1)
    return Matched(sum(m.precision for m in all_matched) / count, sum(m.recall for m in all_matched) / count).f1


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
