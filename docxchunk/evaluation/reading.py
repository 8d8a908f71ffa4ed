"""A model reads what was found, and answers: what chunks are worth to who asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from docxchunk.evaluation.answers import bleu, exact_match, rouge_l, token_f1
from docxchunk.evaluation.passages import BETWEEN, Passage
from docxchunk.evaluation.questions import Question
from docxchunk.model.ports import Completer

_PROMPT: Final = (
    "Answer the question from the text. Write the answer alone, in as few words as will do and in the language of the question: "
    "no sentence around it, no reasons.\n\nText:\n{text}\n\nQuestion: {question}\nAnswer:"
)
_THOUGHT: Final = "</think>"

MEASURES: Final = ("EM", "F1", "ROUGE-L", "BLEU", "BLEU without penalty", "BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")


def answered(reader: Completer, questions: Sequence[Question], texts: Sequence[str]) -> list[dict[str, float]]:
    """What the answers are worth, the model having read a text for each question; NaN where no answer is known: there it is not asked."""
    prompts = [_PROMPT.format(text=text, question=question.text) for question, text in zip(questions, texts, strict=True) if question.answers]
    said = iter(reader.complete(prompts) if prompts else ())
    return [scores(next(said), question.answers) if question.answers else dict.fromkeys(MEASURES, float("nan")) for question in questions]


def scores(answer: str, known: Sequence[str]) -> dict[str, float]:
    """All measures of one answer; what a model thinks aloud before it is left out."""
    text = answer.rpartition(_THOUGHT)[2].strip()
    measured = bleu(text, known)
    values = (exact_match(text, known), token_f1(text, known), rouge_l(text, known), measured.score, measured.unpunished, *measured.precisions)
    return dict(zip(MEASURES, values, strict=True))


def read_within(ranking: Iterable[Passage], budget: int) -> str:
    """The first `budget` characters of ranked text. Blank lines between passages are not charged."""
    return BETWEEN.join(_cut(ranking, budget))


def _cut(ranking: Iterable[Passage], budget: int) -> Iterator[str]:
    for passage in ranking:
        if budget <= 0:
            return
        yield passage.text[:budget]
        budget -= len(passage.text)
