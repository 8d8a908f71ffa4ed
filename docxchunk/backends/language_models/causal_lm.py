"""Score and complete texts with a local causal LM of the transformers library (extra `llm`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import torch

from docxchunk.backends.cache import Deferred
from docxchunk.backends.language_models.forward import ForwardReader
from docxchunk.backends.language_models.scoring import (
    LONGEST_ANSWER,
    ModelIdentity,
    PromptedModel,
    PromptTokenizer,
    TokenIds,
    TokenScorer,
)
from docxchunk.backends.local_models import (
    PROBES,
    batches,
    device_named,
    fingerprint,
    loading,
    model_folder,
    needs,
    run_in_halves,
)
from docxchunk.model.ports import Completer, Scorer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


CONTEXT: Final = 16384
"""Default cap on the attention context in tokens: the cost of attention is quadratic."""

_WINDOW: Final = {"cpu": 2048, "cuda": 16384}


class Windows(NamedTuple):
    """Window sizes in tokens; see `ForwardReader`. If `context` is 0, it is the context of the
    model, at most 16,384. If `overlap` is 0, it is a quarter of the context.
    """

    window: int = 2048
    context: int = 0
    overlap: int = 0


class Local(NamedTuple):
    """A loaded model with its tokenizer, name and fingerprint."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    fingerprint: str


class CausalScorer(TokenScorer):
    """A scorer with a model of the transformers library."""

    def __init__(self, local: Local, windows: Windows = Windows()) -> None:  # noqa: B008 - a value
        context = windows.context or min(positions(local.model), CONTEXT)
        reader = ForwardReader(
            local.model, windows.window, context, windows.overlap or context // 4
        )
        identity = ModelIdentity(
            local.name, f"{local.fingerprint}:{windows.context}:{windows.overlap}"
        )
        super().__init__(
            identity, reader, PromptTokenizer(local.tokenizer), ends_of(local), context
        )


@lru_cache
def scorer(path: str, device: str = "auto") -> Deferred[Scorer]:
    """Return the scorer for the folder of a transformers model. Raise MissingModelError;
    loading raises ModelError.
    """
    where = device_named(device)
    windows = Windows(window=_WINDOW[where.type])
    name, model_fingerprint = described(path, device)
    return Deferred(
        name,
        f"{model_fingerprint}:{windows.context}:{windows.overlap}",
        lambda: CausalScorer(local_model(path, device), windows),
    )


def described(path: str, device: str) -> tuple[str, str]:
    """Return the name and the fingerprint of the model in a folder, without loading it."""
    folder = _folder(path)
    return folder.name, fingerprint(folder, str(precision(device_named(device))))


def _folder(path: str) -> Path:
    needs("transformers")
    return model_folder(path, "config.json", "transformers model", ", or a .gguf file")


@lru_cache
def local_model(path: str, device: str) -> Local:
    """Load the model in a folder, once for each process. Nothing is downloaded and no code in the
    folder is run. Raise MissingModelError, ModelError.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, where = _folder(path), device_named(device)

    def load(numbers: torch.dtype) -> PreTrainedModel:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=numbers, local_files_only=True)
        return model.to(where).eval()

    def probed(model: PreTrainedModel) -> torch.Tensor:
        return model(**tokenizer(" ".join(PROBES), return_tensors="pt").to(where)).logits

    with loading(folder):
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = finite(load, precision(where), probed)
    return Local(model, tokenizer, *described(path, device))


def precision(device: torch.device) -> torch.dtype:
    """Return the dtype of language models on a device: float32 on a CPU, bfloat16 on a GPU that
    supports it, else float16 (to be checked with `finite`).
    """
    if device.type == "cpu":
        return torch.float32
    return (
        torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    )


def finite(
    load: Callable[[torch.dtype], PreTrainedModel],
    numbers: torch.dtype,
    answer: Callable[[PreTrainedModel], torch.Tensor],
) -> PreTrainedModel:
    """Return the model in the dtype `numbers`, or in float32 if that is float16 and `answer`, a
    tensor that the model computes, is not finite.
    """
    model = load(numbers)
    return (
        model
        if numbers != torch.float16 or bool(torch.isfinite(answer(model)).all())
        else load(torch.float32)
    )


def positions(model: PreTrainedModel) -> int:
    """Return the context length of the model in tokens."""
    return int(getattr(model.config.get_text_config(), "max_position_embeddings", None) or CONTEXT)


def ends_of(local: Local) -> TokenIds:
    """Return all end-of-sequence tokens. Chat models have one for the end of a turn and one for the
    end of a text.
    """
    declared = getattr(local.model.generation_config, "eos_token_id", None)
    declared = local.tokenizer.eos_token_id if declared is None else declared
    return tuple(
        sorted(set(declared if isinstance(declared, (list, tuple)) else [declared]) - {None})
    )


_BUDGET: Final = {"cpu": 8192, "cuda": 65536}
_GREEDY: Final[Mapping[str, object]] = {
    "do_sample": False,
    "num_beams": 1,
    "temperature": None,
    "top_p": None,
    "top_k": None,
    # overrides the default of some models, which prevents copying a text
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
}


class LocalCompleter(PromptedModel):
    """Complete prompts by greedy decoding without penalties. An answer has at most `longest`
    tokens, or as many as its prompt if that is more.

    Batches have about `budget` tokens, answers included; 0: a default for the device. The chat
    template of the model is used, if it has one.
    """

    kind = "Completer"

    def __init__(self, local: Local, longest: int = LONGEST_ANSWER, budget: int = 0) -> None:
        super().__init__(
            ModelIdentity(local.name, _fingerprint(local.fingerprint, longest)),
            PromptTokenizer(local.tokenizer),
            positions(local.model),
            longest,
        )
        self._model, self._tokenizer = local.model, local.tokenizer
        self._ends = frozenset(ends_of(local))
        self._budget, self._lock = budget or _BUDGET[local.model.device.type], Lock()

    def complete(self, prompts: Sequence[str]) -> list[str]:
        with self._lock:
            start = perf_counter()
            ids = [self._prompts.question(prompt) for prompt in prompts]
            answers, tokens = [""] * len(ids), 0
            for batch in batches(
                [len(prompt) + self._max_answer(prompt) for prompt in ids], self._budget
            ):
                for number, written in zip(
                    batch,
                    run_in_halves(self._written, [ids[number] for number in batch]),
                    strict=True,
                ):
                    answers[number] = self._tokenizer.decode(written, skip_special_tokens=True)
                    tokens += len(ids[number]) + len(written)
            self._charge(len(ids), tokens, start)
            return answers

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def _written(self, prompts: Sequence[TokenIds]) -> list[list[int]]:
        """Return the generated tokens of each prompt, without padding and end tokens."""
        wide = max(map(len, prompts))
        self._check_room(wide)
        padding = self._model.generation_config.pad_token_id or self._tokenizer.pad_token_id or 0
        rows, mask = (
            torch.tensor(values, device=self._model.device)
            for values in (
                [(padding,) * (wide - len(prompt)) + prompt for prompt in prompts],
                [[0] * (wide - len(prompt)) + [1] * len(prompt) for prompt in prompts],
            )
        )
        room = min(max(map(self._max_answer, prompts)), self._context - wide)
        ends = {"eos_token_id": sorted(self._ends) or None, "pad_token_id": padding}
        written = self._model.generate(
            input_ids=rows, attention_mask=mask, max_new_tokens=room, **ends, **_GREEDY
        )[:, wide:].tolist()
        return [
            list(takewhile(lambda token: token not in self._ends, row[: self._max_answer(prompt)]))
            for prompt, row in zip(prompts, written, strict=True)
        ]

    def _max_answer(self, prompt: TokenIds) -> int:
        """Return the token limit of the answer. A prompt may ask to repeat a text, which takes as
        many tokens as the prompt has.
        """
        return max(self._longest, len(prompt))


@lru_cache
def completer(path: str, device: str = "auto") -> Deferred[Completer]:
    """Return the completer for a model folder. It shares the weights with the scorer
    for the same path.
    """
    name, model_fingerprint = described(path, device)
    return Deferred(
        name,
        _fingerprint(model_fingerprint, LONGEST_ANSWER),
        lambda: LocalCompleter(local_model(path, device)),
    )


def _fingerprint(model: str, longest: int) -> str:
    return f"{model}:greedy:{longest} or as long as the prompt"
