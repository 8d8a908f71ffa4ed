"""Code that the language models in this process share: prompts as token ids, sequences to read, and
a scorer, which answers the questions of strategies with log-probabilities of tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, assert_never

import numpy as np

from docxchunk.backends.language_models.sequences import ScoredSequence
from docxchunk.backends.tokenizers import plain, readable
from docxchunk.errors import ModelError
from docxchunk.model.ports import (
    Choices,
    CostedModel,
    Endings,
    EvictingLosses,
    Losses,
    Question,
    segments_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Encoding
    from transformers import PreTrainedTokenizerBase


TokenIds = tuple[int, ...]

_TURN: Final = "the words of the user"  # placeholders, located in the rendered template
_REPLY: Final = "the words of the model"


class PromptTokenizer:
    """Tokenize texts and prompts for one tokenizer.

    Text of a document never becomes a special token. Offsets include the leading white space of a
    token. Without a chat template, a prompt is the BOS token, if the tokenizer adds one, the
    instruction and a newline.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        if not tokenizer.is_fast:
            raise ModelError(
                "The tokenizer of this model has no tokenizer.json; docxchunk needs one."
            )
        self._tokenizer = tokenizer
        self._plain = plain(tokenizer.backend_tokenizer)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode each text without special tokens."""
        encodings: list[Encoding] = self._plain.encode_batch(
            [readable(text) for text in texts], add_special_tokens=False
        )
        return encodings

    def ids(self, text: str) -> TokenIds:
        return tuple(self.encode([text])[0].ids)

    @cached_property
    def start(self) -> TokenIds:
        """The BOS token, if the tokenizer adds one, else ()."""
        first, bos = self._tokenizer("a")["input_ids"][:1], self._tokenizer.bos_token_id
        return (bos,) if first == [bos] else ()

    def question(self, instruction: str) -> TokenIds:
        """Return the prompt up to the start of the assistant turn."""
        if not self._tokenizer.chat_template:
            return self.start + self.ids(f"{instruction}\n")
        before, after = self._question
        return before + self.ids(instruction) + after

    def opening(self, instruction: str) -> TokenIds:
        """Return the prompt with the beginning of an assistant turn, to be followed by an
        unfinished text.
        """
        if not self._tokenizer.chat_template:
            return self.question(instruction)
        before, between = self._opening
        return before + self.ids(instruction) + between

    @cached_property
    def _question(self) -> tuple[TokenIds, TokenIds]:
        return self._framed([{"role": "user", "content": _TURN}], _TURN)

    @cached_property
    def _opening(self) -> tuple[TokenIds, TokenIds]:
        turns = [{"role": "user", "content": _TURN}, {"role": "assistant", "content": _REPLY}]
        return self._framed(turns, _TURN, _REPLY)

    def _framed(
        self, turns: list[dict[str, str]], words: str, reply: str = ""
    ) -> tuple[TokenIds, TokenIds]:
        """Return the prompt for a chat in two parts: the tokens before the text `words`, and those
        after it. The second part ends before the text `reply`, if there is one.
        """
        text: str = self._tokenizer.apply_chat_template(
            turns,
            tokenize=False,
            add_generation_prompt=not reply,
            continue_final_message=bool(reply),
            enable_thinking=False,
        )
        before, placeholder, after = text.partition(words)
        after, ended, left_over = after.partition(reply) if reply else (after, "", "")
        if not placeholder or ended != reply or left_over.strip():
            raise ModelError(
                "The chat template of this model does not keep messages unchanged "
                "and in order; it cannot be used."
            )
        return self._with_special_tokens(before), self._with_special_tokens(after)

    def _with_special_tokens(self, text: str) -> TokenIds:
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])


LONGEST_ANSWER: Final = 1024
"""Maximum length of an answer, in tokens. To a longer prompt, an answer can be as long as the
prompt.
"""


class ModelIdentity(NamedTuple):
    """The name of a model, and a hash of everything that its answers depend on."""

    name: str
    fingerprint: str


class PromptedModel(CostedModel):
    """A language model that reads prompts and adds up its costs. A prompt and an answer of up to
    `longest` tokens fit into `context` tokens.
    """

    def __init__(
        self, identity: ModelIdentity, prompts: PromptTokenizer, context: int, longest: int
    ) -> None:
        super().__init__(*identity)
        self._prompts, self._context, self._longest = prompts, context, longest

    @property
    def window(self) -> int:
        """The longest prompt in tokens, without the chat template and the answer."""
        return self._context - len(self._prompts.question("")) - self._longest

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self._prompts.ids(text))

    def _check_room(self, tokens: int) -> None:
        """Raise ModelError if a prompt of this many tokens and an answer of `longest` tokens exceed
        the context.
        """
        if tokens + self._longest > self._context:
            raise ModelError(
                f"A prompt of {tokens} tokens and an answer of up to {self._longest} exceed the "
                f"context of {self._context} tokens of {self.name}: set longest, window, theta, "
                "passage or max-tokens lower."
            )


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

    kind = "Scorer"

    def __init__(
        self,
        identity: ModelIdentity,
        reader: SequenceReader,
        prompts: PromptTokenizer,
        ends: TokenIds,
        context: int,
    ) -> None:
        super().__init__(identity, prompts, context, _ANSWER)
        self._reader, self._ends, self._lock = reader, ends, Lock()

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        with self._lock:
            start, before = perf_counter(), self._reader.tokens
            plans = [self._plan(question) for question in questions]
            rows = iter(self._reader.read([passage for plan in plans for passage in plan.passages]))
            answers = [plan.answer([next(rows) for _ in plan.passages]) for plan in plans]
            self._charge(len(plans), self._reader.tokens - before, start)
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
        segments = [encoding.ids for encoding in self._prompts.encode(segments_of(question))]
        ids = (*before, *(token for segment in segments for token in segment))
        ends = list(accumulate(map(len, segments), initial=len(before)))
        first = max(1, len(before))  # the first token of a sequence has no prediction
        passage = _predicted(ids, first, kept=len(self._prompts.start))._replace(
            evicts=isinstance(question, EvictingLosses)
        )
        return _ScoringPlan([passage], lambda scores: _mean_losses(scores[0], first, ends))

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

        def answer(scores: Sequence[NDArray[np.float64]]) -> tuple[float, ...]:
            ended = [float(np.logaddexp.reduce(row)) for rows in scores for row in rows]
            of_together, of_apart = iter(ended[: len(together)]), iter(ended[len(together) :])
            return tuple(next(of_apart if count is None else of_together) for count in counts)

        return _ScoringPlan(passages, answer)

    def _ending(self, head: TokenIds, ids: TokenIds, counts: list[int]) -> ScoredSequence:
        """Return the sequence with which the model scores whether the text could end. `counts` are
        the numbers of tokens after which it scores the end-of-sequence tokens.
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
            excess = (
                f"A question of {len(prompt):,} tokens exceeds the context of "
                f"{self._context:,} tokens of {self.name}"
            )
            raise ModelError(f"{excess}: set theta, window, passage or max-tokens lower.")
        if all(len(option) == 1 for option in options):
            row = np.array([[option[0] for option in options]], np.int64)
            return _ScoringPlan(
                [ScoredSequence(prompt, np.array([len(prompt) - 1]), row)],
                lambda scores: tuple(map(float, scores[0][0])),
            )
        return _ScoringPlan(
            [_predicted(prompt + option, len(prompt)) for option in options],
            lambda scores: tuple(float(rows.sum()) for rows in scores),
        )


def _predicted(ids: TokenIds, first: int, kept: int = 0) -> ScoredSequence:
    """Return a sequence that requests the log-probability of each token from index `first` on."""
    at = np.arange(first - 1, len(ids) - 1)
    return ScoredSequence(ids, at, np.array(ids[first:], np.int64).reshape(-1, 1), kept)


def _mean_losses(scores: NDArray[np.float64], first: int, ends: Sequence[int]) -> tuple[float, ...]:
    """Return the mean loss of each segment; infinite for a segment without a predicted token."""
    scored = [
        scores[max(start - first, 0) : max(end - first, 0), 0] for start, end in pairwise(ends)
    ]
    return tuple(-float(segment.mean()) if len(segment) else math.inf for segment in scored)


def _whole_tokens(offsets: Sequence[tuple[int, int]], ends: Sequence[int]) -> list[int | None]:
    """Return the number of tokens up to each end; None where a token spans the end."""
    counts: list[int | None] = []
    count = reach = 0
    for end in ends:
        while count < len(offsets) and offsets[count][0] < end:
            reach = max(reach, offsets[count][1])
            count += 1
        counts.append(None if reach > end else count)
    return counts


def without_thinking(answer: str) -> str:
    """Return an answer without the thinking that some models write before it."""
    return answer.rpartition("</think>")[2].strip()
