"""Report how much text a strategy sends to models, and its progress."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final

from docxchunk.batch.chunking import Ahead
from docxchunk.chunking.models import OnAnswer
from docxchunk.cli.console import Reporter
from docxchunk.cli.progress import BETWEEN, clock_time

LEAST: Final = 20_000
"""Tokens from which the expected usage of a document is reported."""


class ModelProgress:
    """Report the expected model usage of each long document and, every ten seconds, the progress of
    any document and the time left.
    """

    def __init__(self, reporter: Reporter, clock: Callable[[], float] = monotonic) -> None:
        self._reporter, self._clock = reporter, clock

    def begin(self, name: str, ahead: Ahead) -> OnAnswer:
        """Report the expected usage of a document; return the callback for each answer."""
        if tokens_ahead(ahead) >= LEAST:
            read = " and ".join(f"{times(cost.times)} with --{cost.port}" for cost in ahead.costs)
            self._reporter.say(
                f"{name}: {ahead.strategy} will read about "
                f"{tokens_ahead(ahead):,} tokens: the text {read}."
            )
        return _DocumentProgress(
            name, characters_ahead(ahead), self._reporter.say, self._clock
        ).heard


class _DocumentProgress:
    """Progress of one document, in characters read by models."""

    def __init__(
        self, name: str, total: float, say: Callable[[str], None], clock: Callable[[], float]
    ) -> None:
        self._name, self._total, self._say, self._clock = name, total, say, clock
        self._begun = self._said = clock()
        self._read = 0
        self._lock = Lock()

    def heard(self, port: str, characters: int) -> None:  # noqa: ARG002 - one total for all ports
        with self._lock:
            self._read += characters
            now = self._clock()
            share = min(self._read / max(1, self._total), 0.99)
            if now - self._said >= BETWEEN and share:
                self._said = now
                left = clock_time((now - self._begun) * (1 - share) / share)
                self._say(f"{self._name}: about {share:.0%} read, {left} left")


def characters_ahead(ahead: Ahead) -> float:
    return sum(
        cost.times * ahead.characters + cost.prompt * ahead.sentences for cost in ahead.costs
    )


def tokens_ahead(ahead: Ahead) -> int:
    """Return the expected number of tokens. Prompts are assumed to have as many characters per
    token as the text.
    """
    return round(characters_ahead(ahead) * ahead.tokens / max(1, ahead.characters))


def times(number: float) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{number:g} times"
