"""Answer the questions of strategies with any causal LM: as log-probabilities of tokens in
sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, assert_never

import numpy as np

from docxchunk.backends.costs import Costs
from docxchunk.backends.prompts import ModelIdentity, PromptedModel
from docxchunk.backends.sequences import ScoredSequence
from docxchunk.errors import ModelError
from docxchunk.model.ports import Choices, Endings, EvictingLosses, Losses, Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from docxchunk.backends.prompts import Prompts, TokenIds

_ANSWER: Final = 16  # tokens reserved for an option of a multiple-choice question


class SequenceReader(Protocol):
    """Reads sequences with a model."""

    @property
    def tokens(self) -> int:
        """The number of tokens read so far, without padding."""
        ...

    def read(self, passages: Sequence[ScoredSequence]) -> list[NDArray[np.float64]]:
        """Return the requested log-probabilities of each sequence in nats, shape (n, k)."""
        ...


class _ScoringPlan(NamedTuple):
    """The sequences to read for one question, and the function from their log-probabilities to the
    answer.
    """

    passages: list[ScoredSequence]
    answer: Callable[[Sequence[NDArray[np.float64]]], tuple[float, ...]]


class TokenScorer(PromptedModel):
    """Answer the questions of a call in as few forward passes as possible: one pass covers all
    segments or ends of a text.

    - Losses: each segment is tokenized separately, so that no token spans two. All earlier text,
      including `before`, is context of a segment.
    - Endings: with a chat template, the text is an unfinished assistant turn; otherwise it follows
      the instruction. Every end-of-sequence token of the generation config counts. If a token spans
      an end, the prefix up to that end is read separately.
    - Choices: the prompt ends at the start of the assistant turn. The score of an option of several
      tokens is the sum of their log-probabilities.

    Scores depend on the batch in the last digits (1e-6 in float32).
    """

    def __init__(
        self,
        identity: ModelIdentity,
        reader: SequenceReader,
        prompts: Prompts,
        ends: TokenIds,
        context: int,
    ) -> None:
        super().__init__(identity, prompts, context, _ANSWER)
        self._reader, self._ends, self._lock = reader, ends, Lock()

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        with self._lock:
            start, before = perf_counter(), self._reader.tokens
            plans = [self._plan(question) for question in questions]
            found = iter(
                self._reader.read([passage for plan in plans for passage in plan.passages])
            )
            answers = [plan.answer([next(found) for _ in plan.passages]) for plan in plans]
            self._bill.add(
                Costs(
                    1, len(plans), len(plans), self._reader.tokens - before, perf_counter() - start
                )
            )
            return answers

    def _plan(self, question: Question) -> _ScoringPlan:
        match question:
            case Losses():
                return self._losses(question)
            case Endings():
                return self._endings(question)
            case Choices():
                return self._choices(question)
            case _:
                assert_never(question)

    def _losses(self, question: Losses) -> _ScoringPlan:
        before = self._prompts.start + (
            self._prompts.ids(question.before) if question.before else ()
        )
        segments = [
            encoding.ids
            for encoding in self._prompts.encode(
                [question.text[start:end] for start, end in pairwise((0, *question.ends))]
            )
        ]
        ids = (*before, *(token for segment in segments for token in segment))
        ends = list(accumulate(map(len, segments), initial=len(before)))
        first = max(1, len(before))  # the first token of a sequence has no prediction
        passage = _predicted(ids, first, kept=len(self._prompts.start))._replace(
            evicts=isinstance(question, EvictingLosses)
        )
        return _ScoringPlan([passage], lambda found: _mean_losses(found[0], first, ends))

    def _endings(self, question: Endings) -> _ScoringPlan:
        if not self._ends:
            raise ModelError(f"The model {self.name} has no token that ends a sequence.")
        head = self._prompts.opening(question.instruction)
        encoding = self._prompts.encode([question.text])[0]
        counts = _whole_tokens(encoding.offsets, question.ends)
        together = [count for count in counts if count is not None]
        passages = [self._ending(head, tuple(encoding.ids), together)] if together else []
        apart = (
            self._prompts.ids(question.text[:end])
            for end, count in zip(question.ends, counts, strict=True)
            if count is None
        )
        passages += [self._ending(head, ids, [len(ids)]) for ids in apart]

        def answer(found: Sequence[NDArray[np.float64]]) -> tuple[float, ...]:
            ended = [float(np.logaddexp.reduce(row)) for rows in found for row in rows]
            whole, rest = iter(ended[: len(together)]), iter(ended[len(together) :])
            return tuple(next(rest if count is None else whole) for count in counts)

        return _ScoringPlan(passages, answer)

    def _ending(self, head: TokenIds, ids: TokenIds, counts: list[int]) -> ScoredSequence:
        """Return the sequence that asks for the end-of-sequence tokens after the first n tokens of
        the text, for each n in `counts`.
        """
        return ScoredSequence(
            head + ids,
            np.array(counts, np.int64) + len(head) - 1,
            np.tile(np.array(self._ends, np.int64), (len(counts), 1)),
            len(head),
        )

    def _choices(self, question: Choices) -> _ScoringPlan:
        prompt = self._prompts.question(question.instruction)
        options = [tuple(encoding.ids) for encoding in self._prompts.encode(question.options)]
        if not all(options):
            raise ModelError("An option to choose from is empty.")
        if len(prompt) + max(map(len, options)) > self._context:
            said = (
                f"A question of {len(prompt):,} tokens exceeds the context of "
                f"{self._context:,} tokens of {self.name}"
            )
            raise ModelError(f"{said}: set theta, window, passage or max-tokens lower.")
        if all(len(option) == 1 for option in options):
            row = np.array([[option[0] for option in options]], np.int64)
            return _ScoringPlan(
                [ScoredSequence(prompt, np.array([len(prompt) - 1]), row)],
                lambda found: tuple(map(float, found[0][0])),
            )
        return _ScoringPlan(
            [_predicted(prompt + option, len(prompt)) for option in options],
            lambda found: tuple(float(rows.sum()) for rows in found),
        )

    def __repr__(self) -> str:
        return f"<Scorer {self.name}>"


def _predicted(ids: TokenIds, first: int, kept: int = 0) -> ScoredSequence:
    """Return a sequence that asks for the log-probability of every token from index `first` on."""
    at = np.arange(first - 1, len(ids) - 1)
    return ScoredSequence(ids, at, np.array(ids[first:], np.int64).reshape(-1, 1), kept)


def _mean_losses(found: NDArray[np.float64], first: int, ends: Sequence[int]) -> tuple[float, ...]:
    """Return the mean loss of each segment; infinite for a segment without a predicted token."""
    scored = [
        found[max(start - first, 0) : max(end - first, 0), 0] for start, end in pairwise(ends)
    ]
    return tuple(-float(some.mean()) if len(some) else math.inf for some in scored)


def _whole_tokens(offsets: Sequence[tuple[int, int]], ends: Sequence[int]) -> list[int | None]:
    """Return the number of tokens up to each end; None where a token spans the end."""
    found: list[int | None] = []
    count = reach = 0
    for end in ends:
        while count < len(offsets) and offsets[count][0] < end:
            reach = max(reach, offsets[count][1])
            count += 1
        found.append(None if reach > end else count)
    return found
