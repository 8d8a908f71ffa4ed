"""How fast models are asked: many at once against one at a time, and as a share of what the machine computes at its best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from time import perf_counter
from typing import Final, NamedTuple, Protocol

from docxchunk.backends.costs import Costing, Costs
from docxchunk.bench.clock import least
from docxchunk.model.ports import Embedder, Endings, Losses, Scorer

_WORDS: Final = (
    *("the", "of", "system", "shall", "be", "tested", "before", "delivery", "valve", "supply", "contract"),
    *("clause", "data", "section", "boundary", "pressure", "water", "report", "table", "shown"),
)
_INSTRUCTION: Final = "Continue writing the following text."


class Computing(Costing, Protocol):
    """A model in this process."""

    @property
    def operations(self) -> int:
        """Floating-point operations of one token."""
        ...

    @property
    def peak(self) -> float:
        """Floating-point operations a second of the machine, at its best, in the numbers that the model computes in."""
        ...


class Rate(NamedTuple):
    """`gain` is how many times faster all are answered together than one by one; `share` is that of the peak; None where it is not known."""

    name: str
    tokens_a_second: float
    gain: float
    share: float | None


def sentences(number: int) -> list[str]:
    """Of 4 to 40 words, the same in every run."""
    dice = Random(number)  # noqa: S311 - a text, no secret
    return [" ".join(dice.choices(_WORDS, k=dice.randint(4, 40))).capitalize() + "." for _ in range(number)]


def embedding_rates(embedder: Embedder, number: int) -> list[Rate]:
    texts = sentences(number)
    return [_rate("sentences", embedder, lambda: embedder.embed(texts), lambda: [embedder.embed([text]) for text in texts])]


def scoring_rates(scorer: Scorer, number: int) -> list[Rate]:
    """Texts of ten sentences: losses of all texts in one call against a call a text; all endings in one pass against a pass for each."""
    every = sentences(number)
    groups = [every[start : start + 10] for start in range(0, number, 10)]
    texts = [(" ".join(group), _ends(group)) for group in groups]
    losses = [Losses(text, ends) for text, ends in texts]
    endings = [Endings(text, ends, _INSTRUCTION) for text, ends in texts]
    single = [Endings(text[:end], (end,), _INSTRUCTION) for text, ends in texts for end in ends]
    return [
        _rate("losses, together : text by text", scorer, lambda: scorer.score(losses), lambda: [scorer.score([question]) for question in losses]),
        _rate("endings, one pass : one each", scorer, lambda: scorer.score(endings), lambda: [scorer.score([question]) for question in single]),
    ]


def _ends(group: Sequence[str]) -> tuple[int, ...]:
    return tuple(end - 1 for end in accumulate(len(sentence) + 1 for sentence in group))


def _rate(name: str, model: Embedder | Scorer, together: Callable[[], object], apart: Callable[[], object]) -> Rate:
    together()  # the first call loads and compiles
    before = _costs(model)
    seconds = least(together, 1, perf_counter)
    tokens = (_costs(model) - before).tokens
    gain = least(apart, 1, perf_counter) / seconds
    operations, peak = getattr(model, "operations", None), getattr(model, "peak", None)
    return Rate(name, tokens / seconds, gain, tokens / seconds * operations / peak if operations and peak else None)


def _costs(model: Embedder | Scorer) -> Costs:
    return getattr(model, "costs", Costs())
