"""Generate text with a local causal LM of the transformers library (extra `llm`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from threading import Lock
from time import perf_counter
from typing import Final

import torch

from docxchunk.backends.cache import Deferred
from docxchunk.backends.causal_lm import Local, described, ends_of, local_model, positions
from docxchunk.backends.costs import Costs
from docxchunk.backends.cuda_oom import run_in_halves
from docxchunk.backends.prompted import LONGEST, ModelIdentity, PromptedModel
from docxchunk.backends.prompts import Prompts, TokenIds
from docxchunk.backends.sequences import batches
from docxchunk.errors import ModelError
from docxchunk.model.ports import Completer

_BUDGET: Final = {"cpu": 8192, "cuda": 65536}
_GREEDY: Final[Mapping[str, object]] = {
    "do_sample": False,
    "num_beams": 1,
    "temperature": None,
    "top_p": None,
    "top_k": None,
    "repetition_penalty": 1.0,  # overrides the default of some models, which prevents copying a text
    "no_repeat_ngram_size": 0,
}


class LocalCompleter(PromptedModel):
    """Complete prompts by greedy decoding without penalties. An answer has at most `longest` tokens, or as many as its prompt if that is more.

    Batches have about `budget` tokens, answers included; 0: a default for the device. The chat template of the model is used, if it has one.
    """

    def __init__(self, local: Local, longest: int = LONGEST, budget: int = 0) -> None:
        super().__init__(ModelIdentity(local.name, _fingerprint(local.fingerprint, longest)), Prompts(local.tokenizer), positions(local.model), longest)
        self._model, self._tokenizer = local.model, local.tokenizer
        self._ends = frozenset(ends_of(local))
        self._budget, self._lock = budget or _BUDGET[local.model.device.type], Lock()

    def complete(self, prompts: Sequence[str]) -> list[str]:
        with self._lock:
            start = perf_counter()
            ids = [self._prompts.question(prompt) for prompt in prompts]
            answers, tokens = [""] * len(ids), 0
            for batch in batches([len(prompt) + self._most(prompt) for prompt in ids], self._budget):
                for number, written in zip(batch, run_in_halves(self._written, [ids[number] for number in batch]), strict=True):
                    answers[number] = self._tokenizer.decode(written, skip_special_tokens=True)
                    tokens += len(ids[number]) + len(written)
            self._bill.add(Costs(1, len(ids), len(ids), tokens, perf_counter() - start))
            return answers

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def _written(self, prompts: Sequence[TokenIds]) -> list[list[int]]:
        """Return the generated tokens of each prompt, without padding and end tokens."""
        wide, held = max(map(len, prompts)), self._context
        if wide + self._longest > held:
            said = f"A prompt of {wide} tokens and an answer of up to {self._longest} exceed the context of {held} tokens of {self.name}"
            raise ModelError(f"{said}: set longest, window, theta, passage or max-tokens lower.")
        padding = self._model.generation_config.pad_token_id or self._tokenizer.pad_token_id or 0
        rows = torch.tensor([(padding,) * (wide - len(prompt)) + prompt for prompt in prompts], device=self._model.device)
        mask = torch.tensor([[0] * (wide - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=self._model.device)
        room = min(max(map(self._most, prompts)), held - wide)
        ends = {"eos_token_id": sorted(self._ends) or None, "pad_token_id": padding}
        written = self._model.generate(input_ids=rows, attention_mask=mask, max_new_tokens=room, **ends, **_GREEDY)[:, wide:].tolist()
        return [list(takewhile(lambda token: token not in self._ends, row[: self._most(prompt)])) for prompt, row in zip(prompts, written, strict=True)]

    def _most(self, prompt: TokenIds) -> int:
        """Return the token limit of the answer. A prompt may ask to repeat a text, which takes as many tokens as the prompt has."""
        return max(self._longest, len(prompt))

    def __repr__(self) -> str:
        return f"<Completer {self.name}>"


@lru_cache
def in_folder(path: str, device: str = "auto") -> Deferred[Completer]:
    """Return the completer for a model folder or .gguf file. It shares the loaded weights with the scorer for the same path."""
    name, known = described(path, device)
    return Deferred(name, _fingerprint(known, LONGEST), lambda: LocalCompleter(local_model(path, device)))


def _fingerprint(model: str, longest: int) -> str:
    return f"{model}:greedy:{longest} or as long as the prompt"
