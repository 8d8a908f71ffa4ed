"""Run forward passes of a causal LM: batches of sequences, or one long sequence in windows, with
log-probabilities only at requested positions.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from numpy.typing import NDArray

from docxchunk.backends.language_models.sequences import (
    PrefixGroup,
    ScoredSequence,
    groups,
    restarts,
)
from docxchunk.backends.local_models import batches, run_in_halves
from docxchunk.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_LogitRows = NDArray[np.float64]

_LOGITS: Final = 1 << 26  # elements in memory at a time: 441 positions for a vocabulary of 152,000
_REPEATED_WINDOWS: Final = 8  # cap on the tokens of a repeated prefix cache, in windows


class ForwardReader:
    """Read sequences with one model.

    `window` is the number of tokens in one forward pass, with padding. A pass reads all rows of a
    batch, or a segment of one long sequence with a KV cache. `context` is the longest attention
    context. A longer sequence is read in parts, and each part begins with the last `overlap` tokens
    of the part before it. For a text of any length, memory holds at most the KV cache of `context`
    tokens and 64 million logits. A batch that does not fit is halved.
    """

    def __init__(self, model: PreTrainedModel, window: int, context: int, overlap: int) -> None:
        self._model = model
        self._body = model.base_model
        self._head = model.get_output_embeddings()
        self._cache_argument = cache_argument(self._body)
        self._window, self._context, self._overlap = window, context, overlap
        self.tokens = 0  # tokens read so far, without padding
        self._check_head()

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def read(self, passages: Sequence[ScoredSequence]) -> list[_LogitRows]:
        parts = [
            [passage] if self._evicts(passage) else restarts(passage, self._context, self._overlap)
            for passage in passages
        ]
        flat = [part for of_passage in parts for part in of_passage]
        answers = [
            self._evicting(part) if self._evicts(part) else np.empty(part.tokens.shape)
            for part in flat
        ]
        for group in groups(
            [part._replace(at=part.at[:0]) if self._evicts(part) else part for part in flat]
        ):
            for number, answer in self._group(group, flat):
                answers[number] = answer
        rows = iter(answers)
        return [np.concatenate([next(rows) for _ in of_passage]) for of_passage in parts]

    def _evicts(self, passage: ScoredSequence) -> bool:
        return passage.evicts and len(passage.ids) > self._context

    def _evicting(self, passage: ScoredSequence) -> _LogitRows:
        """Read one long sequence window by window. The oldest keys beyond the context are evicted.
        Positions are relative to the oldest key that is left.
        """
        ids, step = torch.tensor(passage.ids)[None], max(1, min(self._window, self._context // 2))
        states = [
            hidden[0, _index_tensor(at, hidden)]
            for at, hidden in self._windows(ids, passage.at, None, step)
        ]
        self.tokens += len(passage.ids)
        return self._log_probabilities(torch.cat(states), [passage.tokens])[0]

    def _group(
        self, group: PrefixGroup, passages: Sequence[ScoredSequence]
    ) -> Iterator[tuple[int, _LogitRows]]:
        cache = None
        if group.shared:
            (cache,) = run_in_halves(self._caches, [passages[group.members[0]].ids[: group.shared]])
        lengths = [len(passages[number].ids) - group.shared for number in group.members]
        for batch in batches(lengths, self._window):
            longest = group.shared + lengths[batch[0]]
            rows = max(1, _REPEATED_WINDOWS * self._window // longest)
            for start in range(0, len(batch), rows):
                numbers = [group.members[row] for row in batch[start : start + rows]]
                members = [passages[number] for number in numbers]
                scores = run_in_halves(partial(self._batch, group.shared, cache), members)
                yield from zip(numbers, scores, strict=True)

    def _batch(
        self, skipped: int, cache: object, passages: Sequence[ScoredSequence]
    ) -> list[_LogitRows]:
        """Read sequences whose shared prefix is in the cache, in one pass with padding on the
        right.
        """
        rests = [torch.tensor(passage.ids[skipped:]) for passage in passages]
        ids = torch.nn.utils.rnn.pad_sequence(rests, batch_first=True)
        at = [passage.at - skipped for passage in passages]
        hidden = self._hidden(ids, at, None if cache is None else _repeated(cache, len(passages)))
        self.tokens += sum(map(len, rests))
        return self._log_probabilities(hidden, [passage.tokens for passage in passages])

    def _hidden(
        self, ids: torch.Tensor, at: list[NDArray[np.int64]], cache: object
    ) -> torch.Tensor:
        """Return the last hidden states at the positions `at` of each row, concatenated."""
        if ids.shape[1] <= self._window:
            states = self._pass(ids, cache)
            rows = np.repeat(np.arange(len(at)), [len(places) for places in at])
            return states[_index_tensor(rows, states), _index_tensor(np.concatenate(at), states)]
        return torch.cat(
            [
                states[0, _index_tensor(places, states)]
                for places, states in self._windows(ids, at[0], cache, self._window)
            ]
        )

    def _windows(
        self, ids: torch.Tensor, at: NDArray[np.int64], cache: object, step: int
    ) -> Iterator[tuple[NDArray[np.int64], torch.Tensor]]:
        """Yield, for each window of a long row, the requested positions in it and all its hidden
        states.
        """
        cache = cache or _cache(self._model)
        for start in range(0, ids.shape[1], step):
            segment = ids[:, start : start + step]
            _evict(cache, self._context - segment.shape[1])
            yield (
                at[(at >= start) & (at < start + segment.shape[1])] - start,
                self._pass(segment, cache),
            )

    def _caches(self, beginnings: Sequence[tuple[int, ...]]) -> list[object]:
        caches = [_cache(self._model) for _ in beginnings]
        for ids, cache in zip(beginnings, caches, strict=True):
            for segment in torch.tensor([ids]).split(self._window, dim=1):
                self._pass(segment, cache)
            self.tokens += len(ids)
        return caches

    def _pass(self, ids: torch.Tensor, cache: object) -> torch.Tensor:
        ids = ids.to(self._model.device)
        states: torch.Tensor = self._body(
            input_ids=ids, use_cache=cache is not None, **{self._cache_argument: cache}
        ).last_hidden_state
        return states

    def _log_probabilities(
        self, hidden: torch.Tensor, tokens: Sequence[NDArray[np.int64]]
    ) -> list[_LogitRows]:
        """Return the log-softmax at the requested tokens, computed in blocks of positions."""
        wide = max(columns.shape[1] for columns in tokens)
        requested = torch.from_numpy(
            np.concatenate(
                [np.pad(columns, ((0, 0), (0, wide - columns.shape[1]))) for columns in tokens]
            )
        ).to(hidden.device)
        block = max(1, _LOGITS // self._head.weight.shape[0])
        rows = [
            self._block(states, columns)
            for states, columns in zip(hidden.split(block), requested.split(block), strict=True)
        ]
        scores = torch.cat(rows).double().cpu().numpy()
        ends = np.cumsum([len(columns) for columns in tokens])[:-1]
        return [
            part[:, : columns.shape[1]]
            for part, columns in zip(np.split(scores, ends), tokens, strict=True)
        ]

    def _block(self, hidden: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        logits = self._logits(hidden)
        return logits.gather(1, tokens) - logits.logsumexp(1, keepdim=True)

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the logits of hidden states in float32 or float64, with the scaling and
        soft-capping of the model's config.
        """
        config = self._model.config.get_text_config()
        logits: torch.Tensor = self._head(hidden)
        logits = logits if logits.dtype == torch.float64 else logits.float()
        scale = (getattr(config, "logit_scale", None) or 1) / (
            getattr(config, "logits_scaling", None) or 1
        )
        logits = logits if scale == 1 else logits * scale
        cap = getattr(config, "final_logit_softcapping", None)
        return torch.tanh(logits / cap) * cap if cap else logits

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def _check_head(self) -> None:
        """Raise ModelError if `_logits` differs from the model's own logits, because an unknown
        architecture may transform them in another way.
        """
        ids = torch.arange(1, 9)[None] % self._head.weight.shape[0]
        our_logits = self._logits(self._pass(ids, None)[0])
        model_logits = (
            self._model(input_ids=ids.to(self._model.device)).logits[0].to(our_logits.dtype)
        )
        if not torch.allclose(our_logits, model_logits, rtol=1e-2, atol=1e-2):
            raise ModelError(
                "This model computes its logits in an unsupported way; its scores would be wrong."
            )


def _index_tensor(indexes: NDArray[np.int64], like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(indexes).to(like.device)


def cache_argument(model: torch.nn.Module) -> str:
    """Return the name of the argument for the KV cache. It depends on the transformers release."""
    return "cache" if "cache" in signature(model.forward).parameters else "past_key_values"


def _cache(model: PreTrainedModel) -> object:
    from transformers import DynamicCache

    return DynamicCache(config=model.config)


def _evict(cache: object, max_length: int) -> None:
    """Evict the oldest keys and values of each layer beyond the latest `max_length`."""
    for layer in cache.layers:  # type: ignore[attr-defined]
        if layer.get_seq_length() > max_length:
            if layer.keys.shape[-2] != layer.get_seq_length():
                raise ModelError(
                    "This model has a sliding-window cache: its oldest keys "
                    "cannot be evicted (beyond=evict)."
                )
            layer.keys, layer.values = (
                layer.keys[..., -max_length:, :].contiguous(),
                layer.values[..., -max_length:, :].contiguous(),
            )


def _repeated(cache: object, rows: int) -> object:
    """Return a copy of the cache with that many rows. A forward pass extends the cache in place."""
    copied = copy.deepcopy(cache)
    copied.batch_repeat_interleave(rows)  # type: ignore[attr-defined]
    return copied
