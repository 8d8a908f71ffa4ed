"""Measure the throughput of models, in batches and text by text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.backends.local_models import device_named
from docxchunk.lab.bench.machine import seconds_of
from docxchunk.model.ports import Embedder, Endings, Losses, Scorer, costs_so_far

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel

_WORDS: Final = (
    "the of system shall be tested before delivery valve supply contract clause data section "
    "boundary pressure water report table shown"
).split()
_MATRIX: Final = {"cpu": 1024, "cuda": 8192}  # rows of the matrices that are multiplied
_ROUNDS: Final = 5
_INSTRUCTION: Final = "Continue writing the following text."


class Rate(NamedTuple):
    """Throughput of a model. `gain` is the speedup of batched requests over single ones; `share` of
    the peak throughput is None if unknown.
    """

    name: str
    tokens_a_second: float
    gain: float
    share: float | None


def sentences(number: int) -> list[str]:
    """Return random sentences of 4 to 40 words, the same in every run."""
    dice = Random(number)  # noqa: S311 - not used for cryptography
    return [
        " ".join(dice.choices(_WORDS, k=dice.randint(4, 40))).capitalize() + "."
        for _ in range(number)
    ]


def embedding_rates(embedder: Embedder, number: int) -> list[Rate]:
    """Measure embedding of all sentences in one call against one call per sentence."""
    texts = sentences(number)
    return [
        _rate(
            "sentences",
            embedder,
            lambda: embedder.embed(texts),
            lambda: [embedder.embed([text]) for text in texts],
        )
    ]


def losses_of(texts: Sequence[str]) -> list[Losses]:
    """Join the sentences to texts of ten, and return a request for the loss of every sentence."""
    groups = [texts[start : start + 10] for start in range(0, len(texts), 10)]
    return [
        Losses(
            " ".join(group), tuple(end - 1 for end in accumulate(len(text) + 1 for text in group))
        )
        for group in groups
    ]


def scoring_rates(scorer: Scorer, number: int) -> list[Rate]:
    """Measure the scoring of texts of ten sentences. For losses, one call for all texts is compared
    with a call for each; for endings, one pass for each text with a pass for each ending.
    """
    losses = losses_of(sentences(number))
    endings = [Endings(text, ends, _INSTRUCTION) for text, ends, _ in losses]
    single = [Endings(text[:end], (end,), _INSTRUCTION) for text, ends, _ in losses for end in ends]
    return [
        _rate(
            "losses, batched : per text",
            scorer,
            lambda: scorer.score(losses),
            lambda: [scorer.score([question]) for question in losses],
        ),
        _rate(
            "endings, one pass : one pass each",
            scorer,
            lambda: scorer.score(endings),
            lambda: [scorer.score([question]) for question in single],
        ),
    ]


def _rate(
    name: str, model: Embedder | Scorer, together: Callable[[], object], apart: Callable[[], object]
) -> Rate:
    together()  # the first call loads and compiles
    before = costs_so_far(model)
    seconds = seconds_of(together, perf_counter)
    tokens = (costs_so_far(model) - before).tokens
    gain = seconds_of(apart, perf_counter) / seconds
    module = getattr(model, "module", None)
    share = module and tokens / seconds * operations_a_token(module) / peak_rate(module)
    return Rate(name, tokens / seconds, gain, share)


# -- the peak speed of a device


@lru_cache
def matmul_rate(device: str, numbers: str) -> float:
    """Return FLOP/s of a square matrix product in a dtype such as "float32", the best of several
    runs.
    """
    import torch

    where = device_named(device)
    size = _MATRIX[where.type]
    left, right = (
        torch.randn(size, size, device=where, dtype=getattr(torch, numbers)) for _ in range(2)
    )
    return float(2 * size**3 / min(_product_seconds(left, right) for _ in range(_ROUNDS)))


def peak_rate(model: PreTrainedModel | SentenceTransformer) -> float:
    """Return the peak FLOP/s of the device of a model, in the dtype of the model."""
    return matmul_rate(model.device.type, str(model.dtype).removeprefix("torch."))


def operations_a_token(model: PreTrainedModel) -> int:
    """Return the FLOPs for each token of a forward pass: two for each weight. The embedding tables
    and the attention scores are left out.
    """
    import torch

    tables = {
        id(module.weight) for module in model.modules() if isinstance(module, torch.nn.Embedding)
    }
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    tied = head.weight.numel() if head is not None and id(head.weight) in tables else 0
    multiplied: int = 2 * (
        tied + sum(weight.numel() for weight in model.parameters() if id(weight) not in tables)
    )
    return multiplied


def _product_seconds(left: torch.Tensor, right: torch.Tensor) -> float:
    import torch

    start = perf_counter()
    torch.mm(left, right)  # no gradients: neither requires them
    if left.is_cuda:
        torch.cuda.synchronize()
    return perf_counter() - start
