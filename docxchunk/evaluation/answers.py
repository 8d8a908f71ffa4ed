"""Measures of what a reader answers, against the answers that are known: 0 to 1, of several known ones the best.

Words are compared as SQuAD's script does: lower case, no punctuation, no articles. Writing without spaces (Chinese, Japanese) is compared by the character.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.errors import MissingExtraError
from docxchunk.evaluation.metrics import common_subsequence
from docxchunk.registry import missing_extra

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEU

_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")
_NOTE: Final = re.compile(r"\[\^[^\]\s]+\]")
_BETWEEN_CELLS: Final = re.compile(r'<[^>]*>|"\]?, *\[?"')
_UNSPACED: Final = re.compile(r"([\u3040-\u30ff\u3400-\u9fff])")


@lru_cache(maxsize=1 << 15)  # a passage is read for many questions
def words(text: str) -> tuple[str, ...]:
    """The words that count."""
    kept = "".join(character for character in text.lower() if unicodedata.category(character)[0] not in "PS")
    return tuple(_UNSPACED.sub(r" \1 ", _ARTICLE.sub(" ", kept)).split())


def holds_answer(text: str, known: Sequence[str]) -> bool:
    """Does the text of a passage hold one of the answers, word for word? (PIC's hit) Marks of notes, tags and what is between cells are no words."""
    there = f" {' '.join(words(_BETWEEN_CELLS.sub(' ', _NOTE.sub('', text))))} "
    return any(f" {' '.join(words(answer))} " in there for answer in known if words(answer))


def exact_match(answer: str, known: Sequence[str]) -> float:
    """1 where it is one of the known answers (SQuAD)."""
    return float(any(words(answer) == words(each) for each in known))


def token_f1(answer: str, known: Sequence[str]) -> float:
    """Of the words that both have, as often as both have them (SQuAD)."""
    return _best(answer, known, lambda left, right: (Counter(left) & Counter(right)).total())


def rouge_l(answer: str, known: Sequence[str]) -> float:
    """F1 of the longest common subsequence of words (Lin, 2004; beta 1, as rouge-score has it, whose words keep articles)."""
    return _best(answer, known, common_subsequence)


def _best(answer: str, known: Sequence[str], common: Callable[[Sequence[str], Sequence[str]], int]) -> float:
    return max((_f1(words(answer), words(each), common) for each in known), default=0.0)


def _f1(left: Sequence[str], right: Sequence[str], common: Callable[[Sequence[str], Sequence[str]], int]) -> float:
    """As SQuAD 2.0's script: two answers without words are alike."""
    return 2 * common(left, right) / (len(left) + len(right)) if left or right else 1.0


class Bleu(NamedTuple):
    """Of one answer, not smoothed: 0 where no four words in a row are right."""

    score: float
    unpunished: float  # without the penalty for brevity, as CRUD-RAG has it
    precisions: tuple[float, ...]  # of 1, 2, 3 and 4 words in a row


def bleu(answer: str, known: Sequence[str]) -> Bleu:
    """By sacrebleu, with its words: case and punctuation count. Raises MissingExtraError without the extra `eval`."""
    found = _scorer().sentence_score(answer, list(known))
    score, penalty = found.score / 100, found.bp
    return Bleu(score, score / penalty if penalty else 0.0, tuple(precision / 100 for precision in found.precisions))


@lru_cache
def _scorer() -> BLEU:
    try:
        from sacrebleu.metrics import BLEU
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("BLEU", "sacrebleu", "eval")) from error
    return BLEU(smooth_method="none", effective_order=False, tokenize="zh")  # characters of Chinese, all other writing as by "13a"
