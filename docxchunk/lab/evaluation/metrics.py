"""Compute retrieval metrics over spans. G is the union of a question's gold spans, R_k the first k
passages.

Lengths are in characters. If a paper's code differs from its text, the docstring says which one is
implemented.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

from docxchunk.content.tables import TableContent, tables
from docxchunk.lab.evaluation.passages import (
    UNSPACED,
    CorpusSpan,
    PassageIndex,
    ShownPassage,
    SourceText,
    common,
    first_characters,
    holds,
    overlap,
    size,
    union,
)
from docxchunk.model.blocks import Block
from docxchunk.model.sequences import count_common

_T = TypeVar("_T")


class Overlap(NamedTuple):
    """Recall, precision and IoU of retrieved text and gold, as in chunking_evaluation."""

    recall: float  # |U(R) n G| / |G|
    precision: float  # |U(R) n G| / sum |r|: repeated text counts twice
    iou: float  # |U(R) n G| / (sum |r| + |G \\ U(R)|)


def overlaps_of(ranking: Sequence[ShownPassage], gold: Sequence[CorpusSpan]) -> Iterator[Overlap]:
    """Yield the overlap of the first passage with the gold, of the first two, and so on. Only text
    of the document counts, not added headings.
    """
    gold = union(gold)
    total = size(gold)
    covered: list[CorpusSpan] = []
    length = 0
    for passage in ranking:
        covered = union([*covered, *common(passage.spans, gold)])
        length += size(passage.spans)
        shared = size(covered)
        yield Overlap(
            _share(shared, total), _share(shared, length), _share(shared, length + total - shared)
        )


def precision_omega(passages: Sequence[ShownPassage], gold: Sequence[CorpusSpan]) -> float:
    """Return the IoU of a search that returns exactly the passages that overlap the gold. With
    these chunks, no search can have a larger IoU.

    Text that is in two passages counts once, as in the published code.
    """
    gold = union(gold)
    retrieved = union(
        span for passage in passages if overlap(passage.spans, gold) for span in passage.spans
    )
    shared = overlap(retrieved, gold)
    return _share(shared, size(retrieved) + size(gold) - shared)


def shown_within(ranking: Sequence[ShownPassage], budget: int) -> list[CorpusSpan]:
    """Return the spans in the first `budget` characters of a ranking. The last passage is
    truncated. Headings before a passage count as characters.
    """
    spans: list[CorpusSpan] = []
    for passage in ranking:
        if budget <= 0:
            break
        spans += first_characters(passage, budget)
        budget -= len(passage.text)
    return union(spans)


def budgeted_recall(
    ranking: Sequence[ShownPassage], gold: Sequence[CorpusSpan], budget: int
) -> float:
    """Return the recall within the first `budget` characters of ranked text, as a reader with a
    limited prompt sees it.
    """
    gold = union(gold)
    return _share(overlap(shown_within(ranking, budget), gold), size(gold))


COMPLETE: Final = 0.95
"""The share of an answer that counts as all of it: a cut may lose a blank or a bracket."""


def characters_until_complete(
    ranking: Iterable[tuple[int, ShownPassage]], gold: Sequence[CorpusSpan]
) -> float:
    """Return how many characters of ranked text are read until 95 % of the gold is shown; infinity
    if it never is.

    `ranking` has the passages that overlap the gold, each with the number of characters ranked
    before it.
    """
    gold = union(gold)
    needed = COMPLETE * size(gold)
    covered: list[CorpusSpan] = []
    for before, passage in ranking:
        if overlap(union([*covered, *passage.spans]), gold) >= needed:
            return before + bisect_left(
                range(len(passage.text)),
                needed,
                key=lambda count: overlap(
                    union([*covered, *first_characters(passage, count)]),
                    gold,
                ),
            )
        covered += common(passage.spans, gold)
    return math.inf


def area(budgets: Sequence[int], recalls: Sequence[float]) -> float:
    """Return the area under the recall-budget curve from (0, 0), by the trapezoidal rule, as a
    share of its maximum.
    """
    places = [(0, 0.0), *sorted(zip(budgets, recalls, strict=True))]
    total = sum(
        (right - left) * (low + high) / 2 for (left, low), (right, high) in pairwise(places)
    )
    return _share(total, places[-1][0])


def together(ranking: Sequence[ShownPassage], gold: Sequence[CorpusSpan], budget: int) -> float:
    """Return 1 if one passage within the budget contains all of the gold (such as a table row and
    its header), else 0.
    """
    for passage in ranking:
        budget -= len(passage.text)
        if budget < 0:
            break
        if all(holds(passage.spans, span) for span in gold):
            return 1.0
    return 0.0


def whole_at(ranking: Sequence[ShownPassage], gold: Sequence[CorpusSpan]) -> list[float]:
    """Return for each gold span the rank of the first passage that contains all of it; infinity if
    none does.
    """
    return [
        next(
            (float(k) for k, passage in enumerate(ranking, 1) if holds(passage.spans, span)),
            math.inf,
        )
        for span in gold
    ]


HIT_SHARE: Final = 0.5


def is_hit(passage: ShownPassage, gold: Sequence[CorpusSpan], share: float) -> bool:
    """Return whether the passage overlaps a gold span by at least this share of the shorter of the
    two. With share 0, any overlap is enough.
    """
    spans = passage.spans
    length = size(spans)
    return any(
        (shared := overlap(spans, [answer])) > 0
        and shared >= share * min(answer[1] - answer[0], length)
        for answer in gold
    )


def reciprocal_rank(relevant: Sequence[bool]) -> float:
    """Return 1 / rank of the first relevant item; 0 if it is not among the first ten."""
    return next((1 / rank for rank, hit in enumerate(relevant[:10], 1) if hit), 0.0)


def average_precision(relevant: Sequence[bool], total: int) -> float:
    """Return standard average precision: the sum of precision at each relevant rank, divided by
    min(total relevant items, 10).
    """
    ranks = (rank for rank, hit in enumerate(relevant[:10], 1) if hit)
    return _share(sum(hits / rank for hits, rank in enumerate(ranks, 1)), min(total, 10))


def multihop_average_precision(facts: Sequence[AbstractSet[int]], total: int) -> float:
    """Return average precision as MultiHop-RAG's code computes it, to compare with its tables.
    `facts` has the facts in each item.

    Only the first eleven ranks count. A rank adds the number of facts that are new at it, divided
    by the rank. Unlike average precision, the code does not add the facts of earlier ranks.
    """
    seen: set[int] = set()
    precisions = 0.0
    for rank, item_facts in enumerate(facts[:11], 1):
        precisions += len(item_facts - seen) / rank
        seen |= item_facts
    return _share(precisions, min(total, 10))


def gain(rank: int | None, max_rank: int) -> float:
    """Return DCG with a single relevant passage (LumberChunker, LGMGC): 1 / log2(rank + 1), or 0 if
    the rank is None or over `max_rank`.
    """
    return 1 / math.log2(rank + 1) if rank is not None and rank <= max_rank else 0.0


def best_by_overlap(passages: Sequence[ShownPassage], gold: Sequence[CorpusSpan]) -> int | None:
    """Return the index of the passage with the most gold text; None if no passage has any. Of equal
    passages, the shortest counts, then the first.
    """
    gold = union(gold)
    return _best([overlap(passage.spans, gold) for passage in passages], passages)


def best_by_rouge(passages: Sequence[ShownPassage], evidence: str) -> int | None:
    """Return the index of the passage with the highest ROUGE-L recall of the evidence, for evidence
    without a position. LGMGC does so, too, without naming the variant of ROUGE.
    """
    evidence_words = rouge_words(evidence)
    counts = Counter(evidence_words)
    scores: list[float] = []
    best = 1
    for passage in passages:
        words = rouge_words(passage.text)
        possible = (Counter(word for word in words if word in counts) & counts).total()
        # skip passages that cannot be the best
        common = count_common(evidence_words, words) if possible >= best else 0
        best = max(best, common)
        scores.append(_share(common, len(evidence_words)))
    return _best(scores, passages)


def _best(scores: Sequence[float], passages: Sequence[ShownPassage]) -> int | None:
    best = min(
        range(len(passages)), key=lambda i: (-scores[i], len(passages[i].text), i), default=None
    )
    return best if best is not None and scores[best] > 0 else None


_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")


def rouge_words(text: str) -> list[str]:
    """Return the words for ROUGE-L: lower case, not stemmed; Chinese and Japanese by character."""
    return _WORD.findall(text.lower())


def matched(retrieved: Sequence[_T], relevant: AbstractSet[_T]) -> tuple[float, float, float]:
    """Return precision, recall and F1. Repeated items count each time in precision, as in the code
    of "Is Semantic Chunking Worth the Computational Cost?".
    """
    hits = sum(item in relevant for item in retrieved)
    precision = _share(hits, len(retrieved))
    recall = _share(len({*retrieved} & relevant), len(relevant))
    return precision, recall, _share(2 * precision * recall, precision + recall)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# -- introductions of tables

_TAG: Final = re.compile(r"<[^<>]*>")


class Introduced(NamedTuple):
    """The introducing sentence and the first row of a table, as spans of the corpus."""

    introduction: CorpusSpan
    first_row: CorpusSpan


def introduced(source: SourceText, sentences: Sequence[CorpusSpan]) -> Iterator[Introduced]:
    """Yield the tables that directly follow a paragraph, each with the last sentence of this
    paragraph. `sentences` are the sentences of the corpus, in order.

    Tables at the start of a document, after a heading or after another table are skipped.
    """
    for start, block in zip(source.starts, source.document.blocks, strict=True):
        base = source.offset + start
        for table in tables(block.content):
            if table.format and _follows_words(block, table):
                first, last = table.rows[0]
                yield Introduced(
                    sentences[
                        bisect_right(sentences, base + table.start, key=lambda span: span[1]) - 1
                    ],
                    (base + first, base + last),
                )


def _follows_words(block: Block, table: TableContent) -> bool:
    before = block.content[: table.start].rstrip()
    start = before.rfind("\n") + 1
    is_heading = start == 0 and block.level > 0
    return (
        not is_heading
        and not before.endswith("</table>")
        and any(map(str.isalnum, _TAG.sub("", before[start:])))
    )


def kept_together(
    tables: Iterable[Introduced], passages: Sequence[ShownPassage], index: PassageIndex
) -> list[bool]:
    """Return for each table whether one passage contains both its introduction and its first
    row.
    """
    return [
        any(
            holds(passages[number].spans, table.introduction)
            and holds(passages[number].spans, table.first_row)
            for number in index.touching(table)
        )
        for table in tables
    ]
