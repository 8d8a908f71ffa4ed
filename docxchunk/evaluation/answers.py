"""Let a model answer questions from retrieved passages, and compare its answers with reference
answers. A score is from 0 to 1; if there are several references, the best score counts.

Words are normalized as in the script of SQuAD: lower case, no punctuation, no articles. Chinese and
Japanese are compared by character.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.evaluation.metrics import common_subsequence
from docxchunk.evaluation.passages import UNSPACED, Passage
from docxchunk.evaluation.questions import Question
from docxchunk.evaluation.retrievers import Tell, in_slices
from docxchunk.model.ports import Completer
from docxchunk.registry import extra_for

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEU


_INSTRUCTION: Final = "Refer to the {} {} and answer the following question with just a few words."
_END_OF_THINKING: Final = "</think>"

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
    questions: Sequence[Question],
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
    text = answer.rpartition(_END_OF_THINKING)[2].strip()
    measured = bleu(text, references)
    values = (
        exact_match(text, references),
        token_f1(text, references),
        rouge_l(text, references),
        measured.score,
        measured.unpunished,
        *measured.precisions,
    )
    return dict(zip(MEASURES, values, strict=True))


def read_within(ranking: Iterable[Passage], budget: int) -> list[str]:
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
_NOTE: Final = re.compile(r"\[\^[^\]\s]+\]")
_BETWEEN_CELLS: Final = re.compile(r'<[^>]*>|"\]?, *\[?"')
_CHARACTER: Final = re.compile(f"([{UNSPACED}])")


@lru_cache(maxsize=1 << 15)  # a passage is compared for many questions
def words(text: str) -> tuple[str, ...]:
    """Return the normalized words of a text."""
    kept = "".join(
        character for character in text.lower() if unicodedata.category(character)[0] not in "PS"
    )
    return tuple(_CHARACTER.sub(r" \1 ", _ARTICLE.sub(" ", kept)).split())


def holds_answer(text: str, references: Sequence[str]) -> bool:
    """Return whether a passage contains one of the answers verbatim (the hit of PIC). Note marks,
    tags and cell separators are ignored.
    """
    shown = f" {' '.join(words(_BETWEEN_CELLS.sub(' ', _NOTE.sub('', text))))} "
    return any(f" {' '.join(words(answer))} " in shown for answer in references if words(answer))


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
    return _best_f1(answer, references, common_subsequence)


def _best_f1(
    answer: str,
    references: Sequence[str],
    common: Callable[[Sequence[str], Sequence[str]], int],
) -> float:
    """Return the best F1 over the references. Two texts without words have 1, as in SQuAD 2.0's
    script.
    """
    left = words(answer)
    f1s = (
        2 * common(left, right) / (len(left) + len(right)) if left or right else 1.0
        for right in map(words, references)
    )
    return max(f1s, default=0.0)


class Bleu(NamedTuple):
    """Sentence BLEU without smoothing: 0 if no 4-gram matches."""

    score: float
    unpunished: float  # without the brevity penalty, as in CRUD-RAG
    precisions: tuple[float, ...]  # of 1-grams to 4-grams


def bleu(answer: str, references: Sequence[str]) -> Bleu:
    """Return the BLEU of an answer by sacrebleu, whose tokens keep case and punctuation. Raise
    MissingExtraError without the extra `eval`.
    """
    result = _scorer().sentence_score(answer, list(references))
    score, penalty = result.score / 100, result.bp
    return Bleu(
        score,
        score / penalty if penalty else 0.0,
        tuple(precision / 100 for precision in result.precisions),
    )


@lru_cache
def _scorer() -> BLEU:
    with extra_for("BLEU", "", "eval"):
        from sacrebleu.metrics import BLEU
    # Chinese by character, other text like "13a"
    return BLEU(smooth_method="none", effective_order=False, tokenize="zh")
