"""What a strategy will read with models, said before it begins, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final

from docxchunk.batch.chunking import Ahead
from docxchunk.chunking.models.checks import OnAnswer, ignore_answer
from docxchunk.cli.console import Voice
from docxchunk.cli.progress import BETWEEN, clock_time

LEAST: Final = 20_000
"""Tokens that are worth a word before they are read."""


class Asking:
    """Says what is ahead of each document that will take long and, every ten seconds, how much of it is read and how long the rest will take."""

    def __init__(self, voice: Voice, clock: Callable[[], float] = monotonic) -> None:
        self._voice, self._clock = voice, clock

    def begin(self, name: str, ahead: Ahead) -> OnAnswer:
        """What is to be told of each answer."""
        if tokens_ahead(ahead) < LEAST:
            return ignore_answer
        read = " and ".join(f"{times(cost.times)} with --{cost.port}" for cost in ahead.costs)
        self._voice.say(f"{name}: {ahead.strategy} will read about {tokens_ahead(ahead):,} tokens: the text {read}.")
        return _Share(name, characters_ahead(ahead), self._voice.say, self._clock).heard


class _Share:
    """How much of it is read."""

    def __init__(self, name: str, total: float, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._name, self._total, self._say, self._clock = name, total, say, clock
        self._begun = self._said = clock()
        self._read = 0
        self._lock = Lock()

    def heard(self, port: str, characters: int) -> None:  # noqa: ARG002 - all ports together
        with self._lock:
            self._read += characters
            now = self._clock()
            share = min(self._read / self._total, 0.99)
            if now - self._said >= BETWEEN and share:
                self._said = now
                left = clock_time((now - self._begun) * (1 - share) / share)
                self._say(f"{self._name}: about {share:.0%} read, {left} left")


def characters_ahead(ahead: Ahead) -> float:
    return sum(cost.times * ahead.characters + cost.prompt * ahead.sentences for cost in ahead.costs)


def tokens_ahead(ahead: Ahead) -> int:
    """Those of prompts have as many characters each as those of the text."""
    return round(characters_ahead(ahead) * ahead.tokens / max(1, ahead.characters))


def times(number: float) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{number:g} times"
