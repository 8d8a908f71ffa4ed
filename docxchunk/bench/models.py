"""Measure the throughput of models: batched against one by one, and as a share of the peak of the
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from time import perf_counter
from typing import Final, NamedTuple

from docxchunk.model.ports import Costs, Embedder, Endings, Losses, Scorer

_WORDS: Final = (
    "the of system shall be tested before delivery valve supply contract clause data section "
    "boundary pressure water report table shown"
).split()
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
    """Measure texts of ten sentences: losses of all texts in one call against one call per text;
    all endings in one pass against one pass each.
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
    before = _costs(model)
    seconds = _seconds(together)
    tokens = (_costs(model) - before).tokens
    gain = _seconds(apart) / seconds
    operations, peak = getattr(model, "operations", None), getattr(model, "peak", None)
    return Rate(
        name,
        tokens / seconds,
        gain,
        tokens / seconds * operations / peak if operations and peak else None,
    )


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _costs(model: Embedder | Scorer) -> Costs:
    return getattr(model, "costs", Costs())
