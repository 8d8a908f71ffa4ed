"""All scores of one question: the scores of the ranked passages, and of the answer that a model
gives from them.

The scores of an answer are from 0 to 1. With several reference answers, the best score counts.
Words are normalized as in the script of SQuAD: lower case, no punctuation, no articles. Chinese and
Japanese are compared by character.
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.backends.language_models.scoring import without_thinking
from docxchunk.lab.evaluation import metrics
from docxchunk.lab.evaluation.passages import UNSPACED, CorpusSpan, ShownPassage, holds
from docxchunk.lab.evaluation.questions import GoldQuestion
from docxchunk.lab.evaluation.retrievers import Tell, in_slices
from docxchunk.model.ports import Completer
from docxchunk.model.sequences import count_common
from docxchunk.registry import extra_for

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEU


# -- ranked passages

# Hits@2, 4, 6, 8 of MultiHop-RAG, 5 and 20 of PIC, DCG@1 to 20 of LumberChunker and LGMGC
KS: Final = tuple(range(1, 21))


EVIDENCE_KS: Final = (1, 3, 5, 10)  # "Is semantic chunking worth the computational cost?"


_DEEPEST: Final = max(KS)


class RankedPassages(NamedTuple):
    """The indices of the passages in the order in which a retriever ranks them for a question, and
    the indices of those that overlap the gold.
    """

    question: GoldQuestion
    passages: Sequence[ShownPassage]
    order: Sequence[int]
    relevant: Sequence[int]

    def first(self, budget: int) -> list[ShownPassage]:
        """Return the first passages: as many as the budget of characters holds, but at least as
        many as the measures by rank need.
        """
        first: list[ShownPassage] = []
        for number in self.order:
            if budget <= 0 and len(first) >= _DEEPEST:
                break
            first.append(self.passages[number])
            budget -= len(first[-1].text)
        return first


def recalls(ranking: RankedPassages, budgets: Sequence[int]) -> dict[str, float]:
    """Return the recall within each budget."""
    first = ranking.first(max(budgets))
    return {
        f"recall@{budget}": metrics.budgeted_recall(first, ranking.question.gold, budget)
        for budget in budgets
    }


def measured(
    ranking: RankedPassages,
    budgets: Sequence[int],
    sentences: Sequence[CorpusSpan],
    hit_share: float,
) -> dict[str, float]:
    """Return the value of each measure. `sentences` are the sentences of the corpus; `hit_share` is
    the share that `metrics.is_hit` needs.
    """
    question, first = ranking.question, ranking.first(max(budgets))
    recall = recalls(ranking, budgets)
    return {
        **recall,
        "area": metrics.area(budgets, [*recall.values()]),
        **{
            f"together@{budget}": metrics.together(first, question.gold, budget)
            for budget in budgets
        },
        "P_omega": metrics.precision_omega(
            [ranking.passages[i] for i in ranking.relevant], question.gold
        ),
        **_by_count(first[:_DEEPEST], question),
        **_by_evidence(first, question, sentences),
        **_by_rank(ranking, hit_share),
    }


def _by_count(first: Sequence[ShownPassage], question: GoldQuestion) -> dict[str, float]:
    """Return the measures that count the first k passages."""
    ranks = metrics.whole_at(first, question.gold)
    with_answer = (
        k for k, passage in enumerate(first, 1) if holds_answer(passage.text, question.answers)
    )
    answered = next(with_answer, math.inf) if question.answers else math.nan
    overlaps = [*metrics.overlaps_of(first, question.gold)] or [metrics.Overlap(0.0, 0.0, 0.0)]
    row: dict[str, float] = {}
    for k in KS:
        covered = overlaps[min(k, len(overlaps)) - 1]
        row |= {
            f"R@{k}": covered.recall,
            f"P@{k}": covered.precision,
            f"IoU@{k}": covered.iou,
            f"full@{k}": sum(rank <= k for rank in ranks) / len(ranks),
            f"hit@{k}": float(min(ranks) <= k),
            f"answer@{k}": answered if math.isnan(answered) else float(answered <= k),
        }
    return row


def _by_evidence(
    first: Sequence[ShownPassage], question: GoldQuestion, sentences: Sequence[CorpusSpan]
) -> dict[str, float]:
    """Return the precision, recall and F1 of the first k passages: of the documents that they come
    from, and of the sentences that they show.
    """
    gold_sentences = {number for span in question.gold for number in _touched(sentences, span)}
    row: dict[str, float] = {}
    for k in EVIDENCE_KS:
        top = first[:k]
        documents = metrics.matched(
            [*dict.fromkeys(passage.source for passage in top)], question.documents
        )
        evidence = metrics.matched(
            [
                number
                for passage in top
                for span in passage.spans
                for number in _inside(sentences, span)
            ],
            gold_sentences,
        )
        for name, values in (("document", documents), ("evidence", evidence)):
            row |= zip((f"{name} P@{k}", f"{name} R@{k}", f"{name} F1@{k}"), values, strict=True)
    return row


def _by_rank(ranking: RankedPassages, hit_share: float) -> dict[str, float]:
    """Return the measures by the ranks of hits. DCG is computed from the rank of the best
    passage.
    """
    question, passages, order, relevant = ranking
    hits = frozenset(i for i in relevant if metrics.is_hit(passages[i], question.gold, hit_share))
    are_hits = [number in hits for number in order[:_MOST_RANKS]]
    best = _best_passage(ranking)
    rank = 1 + order.index(best) if best is not None else None
    facts = [
        {i for i, span in enumerate(question.gold) if holds(passages[n].spans, span)}
        for n in order[:_MOST_RANKS]
    ]
    return (
        {
            "MRR@10": metrics.reciprocal_rank(are_hits),
            "MAP@10": metrics.average_precision(are_hits, len(hits)),
            "MAP@10 (MultiHop)": metrics.multihop_average_precision(facts, len(question.gold)),
        }
        | {f"DCG@{k}": metrics.gain(rank, k) for k in KS}
        | {f"relevant@{k}": float(rank is not None and rank <= k) for k in KS}
    )


_MOST_RANKS: Final = 11  # as in MultiHop-RAG


def _best_passage(ranking: RankedPassages) -> int | None:
    """Return the index of the passage with the most gold text. For gold that was located by
    ROUGE-L, it is the passage with the highest ROUGE-L recall (as in LGMGC).
    """
    question, passages, _, numbers = ranking
    if question.evidence:
        numbers = [i for i, passage in enumerate(passages) if passage.source in question.documents]
        evidence = " ".join(question.evidence)
        best = metrics.best_by_rouge([passages[i] for i in numbers], evidence)
    else:
        best = metrics.best_by_overlap([passages[i] for i in numbers], question.gold)
    return numbers[best] if best is not None else None


def _inside(sentences: Sequence[CorpusSpan], span: CorpusSpan) -> range:
    """Return the indices of the sentences that are completely inside a span."""
    last = bisect_right(sentences, span[1], key=itemgetter(1))
    return range(bisect_left(sentences, span[0], key=itemgetter(0)), last)


def _touched(sentences: Sequence[CorpusSpan], span: CorpusSpan) -> range:
    """Return the indices of the sentences that overlap a span."""
    first = bisect_right(sentences, span[0], key=itemgetter(1))
    return range(first, bisect_left(sentences, span[1], key=itemgetter(0)))


# -- answers of a model

_INSTRUCTION: Final = "Refer to the {} {} and answer the following question with just a few words."

MEASURES: Final = (
    "EM",
    "F1",
    "ROUGE-L",
    "BLEU",
    "BLEU without penalty",
    "BLEU-1",
    "BLEU-2",
    "BLEU-3",
    "BLEU-4",
)


def answered(
    reader: Completer,
    questions: Sequence[GoldQuestion],
    passages: Sequence[Sequence[str]],
    tell: Tell = lambda _: None,
) -> list[dict[str, float]]:
    """Return the scores of the model's answer to each question from its passages. A question
    without reference answers is not asked, and its scores are NaN. `tell` is called with progress
    messages.
    """
    prompts = [
        answer_prompt(question.text, texts)
        for question, texts in zip(questions, passages, strict=True)
        if question.answers
    ]
    if prompts:
        characters = sum(map(len, prompts))
        tell(f"{reader.name} answers {len(prompts):,} prompts, {characters:,} characters")
    replies = chain.from_iterable(in_slices(reader.complete, prompts, tell) if prompts else ())
    return [
        scores(next(replies), question.answers)
        if question.answers
        else dict.fromkeys(MEASURES, float("nan"))
        for question in questions
    ]


def answer_prompt(question: str, passages: Sequence[str]) -> str:
    """Return the prompt for a question and its passages (the paper of PIC, table 8)."""
    return "\n".join(
        (
            _INSTRUCTION.format("passages", "below"),
            *passages,
            _INSTRUCTION.format("context", "above"),
            f"Question: {question}",
            "The answer is",
        )
    )


def scores(answer: str, references: Sequence[str]) -> dict[str, float]:
    """Return all scores of one answer. The model's thinking before the answer is ignored."""
    text = without_thinking(answer)
    values = (
        *(score(text, references) for score in (exact_match, token_f1, rouge_l)),
        *bleu(text, references),
    )
    return dict(zip(MEASURES, values, strict=True))


def read_within(ranking: Iterable[ShownPassage], budget: int) -> list[str]:
    """Return the texts of ranked passages up to `budget` characters; the last one is truncated."""
    texts: list[str] = []
    for passage in ranking:
        if budget <= 0:
            break
        texts.append(passage.text[:budget])
        budget -= len(passage.text)
    return texts


# -- words

_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")
_NOTE: Final = re.compile(r"\[\^[^\[\]\s]+\]")
_BETWEEN_CELLS: Final = re.compile(r'<[^<>]*>|"\]?, *\[?"')
_CHARACTER: Final = re.compile(f"([{UNSPACED}])")


@lru_cache(maxsize=1 << 15)  # a passage is compared for many questions
def words(text: str) -> tuple[str, ...]:
    """Return the normalized words of a text."""
    letters = "".join(
        character for character in text.lower() if unicodedata.category(character)[0] not in "PS"
    )
    return tuple(_CHARACTER.sub(r" \1 ", _ARTICLE.sub(" ", letters)).split())


def holds_answer(text: str, references: Sequence[str]) -> bool:
    """Return whether a passage contains one of the answers verbatim (the hit of PIC). Note marks,
    tags and cell separators are ignored.
    """
    passage_words = f" {' '.join(words(_BETWEEN_CELLS.sub(' ', _NOTE.sub('', text))))} "
    return any(
        f" {' '.join(words(answer))} " in passage_words for answer in references if words(answer)
    )


def exact_match(answer: str, references: Sequence[str]) -> float:
    """Return 1 if the answer equals one of the references (SQuAD)."""
    return float(any(words(answer) == words(reference) for reference in references))


def token_f1(answer: str, references: Sequence[str]) -> float:
    """Return the F1 of the common words, counted with multiplicity (SQuAD)."""
    return _best_f1(
        answer, references, lambda left, right: (Counter(left) & Counter(right)).total()
    )


def rouge_l(answer: str, references: Sequence[str]) -> float:
    """Return the F1 of the longest common subsequence of words (Lin, 2004, with beta 1 as in
    rouge-score, which keeps articles).
    """
    return _best_f1(answer, references, count_common)


def _best_f1(
    answer: str,
    references: Sequence[str],
    common: Callable[[Sequence[str], Sequence[str]], int],
) -> float:
    """Return the best F1 over the references. It is 1 for two texts without words, as in SQuAD
    2.0's script.
    """
    left = words(answer)
    f1s = (
        2 * common(left, right) / (len(left) + len(right)) if left or right else 1.0
        for right in map(words, references)
    )
    return max(f1s)


def bleu(answer: str, references: Sequence[str]) -> tuple[float, ...]:
    """Return the sentence BLEU of an answer without smoothing, which is 0 if no 4-gram matches;
    without the brevity penalty, as in CRUD-RAG; and the precisions of 1-grams to 4-grams.

    sacrebleu computes them; its tokens keep case and punctuation. Raise MissingExtraError without
    the extra `eval`.
    """
    result = _scorer().sentence_score(answer, list(references))
    unpunished = result.score / result.bp if result.bp else 0.0
    return tuple(value / 100 for value in (result.score, unpunished, *result.precisions))


@lru_cache
def _scorer() -> BLEU:
    with extra_for("BLEU", "", "eval"):
        from sacrebleu.metrics import BLEU
    # Chinese by character, other text like "13a"
    return BLEU(smooth_method="none", effective_order=False, tokenize="zh")
