"""Measure the throughput of models, in batches and text by text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from time import perf_counter
from typing import Final, NamedTuple

from docxchunk.lab.bench.machine import seconds_of
from docxchunk.model.ports import Embedder, Endings, Losses, Scorer, costs_so_far

_WORDS: Final = (
    "the of system shall be tested before delivery valve supply contract clause data section "
    "boundary pressure water report table shown"
).split()
_INSTRUCTION: Final = "Continue writing the following text."


class Rate(NamedTuple):
    """Throughput of a model. `gain` is the speedup of batched requests over single ones."""

    name: str
    tokens_a_second: float
    gain: float


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
    return Rate(name, tokens / seconds, seconds_of(apart, perf_counter) / seconds)
