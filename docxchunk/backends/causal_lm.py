"""Score texts with a local causal LM of the transformers library (extra `llm`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

import numpy as np

from docxchunk.backends.cache import Deferred
from docxchunk.backends.costs import Bill, Costs
from docxchunk.backends.devices import PROBES, device_named, finite, precision
from docxchunk.backends.forward import Reader
from docxchunk.backends.gguf import is_unpacked, keep_unpacked, unpacked_folder
from docxchunk.backends.model_folders import fingerprint, language_model, loading
from docxchunk.backends.peak_flops import matmul_rate, operations_a_token
from docxchunk.backends.prompts import Prompts, TokenIds
from docxchunk.backends.sequences import ScoredSequence
from docxchunk.errors import ModelError
from docxchunk.model.ports import Choices, Endings, EvictingLosses, Losses, Question, Scorer

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

CONTEXT: Final = 16384
"""Default cap on the attention context in tokens: the cost of attention is quadratic."""

_ANSWER: Final = 16  # tokens reserved for an option of a multiple-choice question

_WINDOW: Final = {"cpu": 2048, "cuda": 16384}


class Windows(NamedTuple):
    """Window sizes in tokens, see `Reader`. `context` 0: the model's own, at most 16,384; `overlap` 0: a quarter of the context."""

    window: int = 2048
    context: int = 0
    overlap: int = 0


class Local(NamedTuple):
    """A loaded model with its tokenizer, name and fingerprint."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    fingerprint: str


class _ScoringPlan(NamedTuple):
    """The sequences to read for one question, and the function from their log-probabilities to the answer."""

    passages: list[ScoredSequence]
    answer: Callable[[Sequence[NDArray[np.float64]]], tuple[float, ...]]


class CausalScorer:
    """Answer the questions of a call in as few forward passes as possible: one pass covers all segments or ends of a text.

    - Losses: each segment is tokenized separately, so that no token spans two. All earlier text, including `before`, is context of a segment.
    - Endings: with a chat template, the text is an unfinished assistant turn; otherwise it follows the instruction. Every end-of-sequence token of the
      generation config counts. If a token spans an end, the prefix up to that end is read separately.
    - Choices: the prompt ends at the start of the assistant turn. The score of an option of several tokens is the sum of their log-probabilities.

    Scores depend on the batch in the last digits (1e-6 in float32).
    """

    def __init__(self, local: Local, windows: Windows = Windows()) -> None:  # noqa: B008 - a value
        context = windows.context or min(positions(local.model), CONTEXT)
        overlap = windows.overlap or context // 4
        self.name = local.name
        self.fingerprint = f"{local.fingerprint}:{windows.context}:{windows.overlap}"
        self._model = local.model
        self._prompts = Prompts(local.tokenizer)
        self._context = context
        self._reader = Reader(local.model, windows.window, context, overlap)
        self._ends = ends_of(local)
        self._bill, self._lock = Bill(), Lock()

    @property
    def costs(self) -> Costs:
        return self._bill.costs

    @property
    def operations(self) -> int:
        return operations_a_token(self._model)

    @property
    def peak(self) -> float:
        return float(matmul_rate(self._model.device.type, str(self._model.dtype).removeprefix("torch.")))

    @property
    def window(self) -> int:
        """The longest instruction in tokens, without the chat template and the answer."""
        return self._context - len(self._prompts.question("")) - _ANSWER

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self._prompts.ids(text))

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        with self._lock:
            start, before = perf_counter(), self._reader.tokens
            plans = [self._plan(question) for question in questions]
            found = iter(self._reader.read([passage for plan in plans for passage in plan.passages]))
            answers = [plan.answer([next(found) for _ in plan.passages]) for plan in plans]
            self._bill.add(Costs(1, len(plans), len(plans), self._reader.tokens - before, perf_counter() - start))
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
        before = self._prompts.start + (self._prompts.ids(question.before) if question.before else ())
        segments = [encoding.ids for encoding in self._prompts.encode([question.text[start:end] for start, end in pairwise((0, *question.ends))])]
        ids = (*before, *(token for segment in segments for token in segment))
        ends = list(accumulate(map(len, segments), initial=len(before)))
        first = max(1, len(before))  # the first token of a sequence has no prediction
        passage = _predicted(ids, first, kept=len(self._prompts.start))._replace(evicts=isinstance(question, EvictingLosses))
        return _ScoringPlan([passage], lambda found: _mean_losses(found[0], first, ends))

    def _endings(self, question: Endings) -> _ScoringPlan:
        if not self._ends:
            raise ModelError(f"The model {self.name} has no token that ends a sequence.")
        head = self._prompts.opening(question.instruction)
        encoding = self._prompts.encode([question.text])[0]
        counts = _whole_tokens(encoding.offsets, question.ends)
        together = [count for count in counts if count is not None]
        passages = [self._ending(head, tuple(encoding.ids), together)] if together else []
        apart = (self._prompts.ids(question.text[:end]) for end, count in zip(question.ends, counts, strict=True) if count is None)
        passages += [self._ending(head, ids, [len(ids)]) for ids in apart]

        def answer(found: Sequence[NDArray[np.float64]]) -> tuple[float, ...]:
            ended = [float(np.logaddexp.reduce(row)) for rows in found for row in rows]
            whole, rest = iter(ended[: len(together)]), iter(ended[len(together) :])
            return tuple(next(rest if count is None else whole) for count in counts)

        return _ScoringPlan(passages, answer)

    def _ending(self, head: TokenIds, ids: TokenIds, counts: list[int]) -> ScoredSequence:
        """Return a sequence that asks for the end-of-sequence tokens after each count of text tokens."""
        return ScoredSequence(head + ids, np.array(counts, np.int64) + len(head) - 1, np.tile(np.array(self._ends, np.int64), (len(counts), 1)), len(head))

    def _choices(self, question: Choices) -> _ScoringPlan:
        prompt = self._prompts.question(question.instruction)
        options = [tuple(encoding.ids) for encoding in self._prompts.encode(question.options)]
        if not all(options):
            raise ModelError("An option to choose from is empty.")
        if len(prompt) + max(map(len, options)) > self._context:
            said = f"A question of {len(prompt):,} tokens exceeds the context of {self._context:,} tokens of {self.name}"
            raise ModelError(f"{said}: set theta, window, passage or max-tokens lower.")
        if all(len(option) == 1 for option in options):
            row = np.array([[option[0] for option in options]], np.int64)
            return _ScoringPlan([ScoredSequence(prompt, np.array([len(prompt) - 1]), row)], lambda found: tuple(map(float, found[0][0])))
        return _ScoringPlan([_predicted(prompt + option, len(prompt)) for option in options], lambda found: tuple(float(rows.sum()) for rows in found))

    def __repr__(self) -> str:
        return f"<Scorer {self.name}>"


@lru_cache
def in_folder(path: str, device: str = "auto") -> Deferred[Scorer]:
    """Return the scorer for a transformers model folder or a .gguf file. Raise MissingModelError; loading raises ModelError."""
    where = device_named(device)
    windows = Windows(window=_WINDOW[where.type])
    name, known = described(path, device)
    return Deferred(name, f"{known}:{windows.context}:{windows.overlap}", lambda: CausalScorer(local_model(path, device), windows))


def described(path: str, device: str) -> tuple[str, str]:
    """Return the name and the fingerprint of the model in a folder or file, without loading it."""
    found = language_model(path)
    return found.name, fingerprint(found.path, str(precision(device_named(device))))


@lru_cache
def local_model(path: str, device: str) -> Local:
    """Load the model in a folder or .gguf file, once for each process. Nothing is downloaded and no code in the folder is run.

    GGUF weights are dequantized once and cached on disk. Raise MissingModelError, ModelError.
    """
    found, where = language_model(path), device_named(device)
    numbers = precision(where)
    folder = unpacked_folder(found.path, str(numbers).removeprefix("torch.")) if found.gguf else found.folder
    with loading(found.path):
        if not found.gguf or is_unpacked(folder):
            model, tokenizer = _opened(folder, where, numbers)
        else:
            model, tokenizer = _opened(found.folder, where, numbers, found.gguf)
            keep_unpacked(model, tokenizer, folder)
    return Local(model, tokenizer, *described(path, device))


def _opened(folder: Path, where: torch.device, numbers: torch.dtype, gguf: str = "") -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    packed = {"gguf_file": gguf} if gguf else {}
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **packed)

    def load(numbers: torch.dtype) -> PreTrainedModel:
        return AutoModelForCausalLM.from_pretrained(folder, dtype=numbers, local_files_only=True, **packed).to(where).eval()

    def probed(model: PreTrainedModel) -> torch.Tensor:
        return model(**tokenizer(" ".join(PROBES), return_tensors="pt").to(where)).logits

    return finite(load, numbers, probed), tokenizer


def positions(model: PreTrainedModel) -> int:
    """Return the context length of the model in tokens."""
    return int(getattr(model.config.get_text_config(), "max_position_embeddings", None) or CONTEXT)


def ends_of(local: Local) -> TokenIds:
    """Return all end-of-sequence tokens: chat models have one for a turn and one for a text."""
    declared = getattr(local.model.generation_config, "eos_token_id", None)
    declared = local.tokenizer.eos_token_id if declared is None else declared
    return tuple(sorted(set(declared if isinstance(declared, (list, tuple)) else [declared]) - {None}))


def _predicted(ids: TokenIds, first: int, kept: int = 0) -> ScoredSequence:
    """Return a sequence that asks for the log-probability of every token from index `first` on."""
    at = np.arange(first - 1, len(ids) - 1)
    return ScoredSequence(ids, at, np.array(ids[first:], np.int64).reshape(-1, 1), kept)


def _mean_losses(found: NDArray[np.float64], first: int, ends: Sequence[int]) -> tuple[float, ...]:
    """Return the mean loss of each segment; infinite for a segment without a predicted token."""
    scored = [found[max(start - first, 0) : max(end - first, 0), 0] for start, end in pairwise(ends)]
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
