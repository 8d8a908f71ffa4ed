"""Show the progress of a run, as a bar on a terminal or else a line every ten seconds, and of the
models that read a document.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from docxchunk.cli.console import Reporter

if TYPE_CHECKING:
    from docxchunk.batch.chunking import Ahead
    from docxchunk.chunking.models import OnAnswer

_T = TypeVar("_T")
# seconds over which the speed is averaged: large files often follow each other
_WINDOW: Final = 30.0
BETWEEN: Final = 10.0  # seconds between lines


class ProgressMark(NamedTuple):
    """Files and tokens done at a point in time (seconds)."""

    time: float
    files: int
    tokens: int


class Pace:
    """The recent speed, in files and tokens per second, and the time left. The caller counts the
    tokens: it updates "token" in `counts`.
    """

    def __init__(
        self, total: int, counts: Mapping[str, int], clock: Callable[[], float] = monotonic
    ) -> None:
        self.total, self.files, self.clock = total, 0, clock
        self._counts = counts
        self._marks = deque([ProgressMark(clock(), 0, 0)])

    def __str__(self) -> str:
        """Return e.g. "32.6 files/s · 145,210 tokens/s · 0:01:03 left"; empty before the first
        file.
        """
        now = ProgressMark(self.clock(), self.files, self._counts.get("token", 0))
        self._marks.append(now)
        while len(self._marks) > 2 and now.time - self._marks[1].time >= _WINDOW:
            self._marks.popleft()
        first = self._marks[0]
        seconds, files = now.time - first.time, now.files - first.files
        if not seconds or not files:
            return ""
        tokens = (
            (f" · {(now.tokens - first.tokens) / seconds:,.0f} tokens/s")
            if "token" in self._counts
            else ""
        )
        return (
            f"{files / seconds:,.1f} files/s{tokens} · "
            f"{clock_time((self.total - now.files) * seconds / files)} left"
        )


def watched(items: Iterable[_T], pace: Pace, reporter: Reporter) -> Iterator[_T]:
    """Yield the items and show the progress, unless quiet or for fewer than two items."""
    if reporter.quiet or pace.total < 2:
        return iter(items)
    return _with_bar(items, pace) if sys.stderr.isatty() else with_lines(items, pace, reporter.say)


def with_lines(items: Iterable[_T], pace: Pace, say: Callable[[str], None]) -> Iterator[_T]:
    """Yield the items and print a line every ten seconds, starting with the first item."""

    def show() -> None:
        if 1 < pace.files < pace.total:
            say(f"{pace.files:,} of {pace.total:,} · {pace}")

    return _shown(items, pace, BETWEEN, show)


def _with_bar(items: Iterable[_T], pace: Pace) -> Iterator[_T]:
    """Yield the items, and show a progress bar below all other output. The bar is removed at the
    end.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from docxchunk.cli.printing import PrintableConsole

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        console=PrintableConsole(sys.stderr),
        transient=True,
        auto_refresh=False,  # without a thread: see `batch.pool`
    ) as bar:
        task = bar.add_task("", total=pace.total, pace="")

        def show() -> None:
            bar.update(task, completed=pace.files, pace=str(pace), refresh=True)

        yield from _shown(items, pace, 0.2, show)


def _shown(
    items: Iterable[_T], pace: Pace, seconds: float, show: Callable[[], None]
) -> Iterator[_T]:
    """Yield the items and count them. Call `show` after the first item, and then after an item if
    the last call was at least `seconds` seconds ago.
    """
    last: float | None = None
    for item in items:
        yield item
        pace.files += 1
        now = pace.clock()
        if last is None or now - last >= seconds:
            last = now
            show()


def clock_time(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}:{second:02}"


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
        ).count_answer


class _DocumentProgress:
    """Progress of one document, in characters read by models."""

    def __init__(
        self, name: str, total: float, say: Callable[[str], None], clock: Callable[[], float]
    ) -> None:
        self._name, self._total, self._say, self._clock = name, total, say, clock
        self._begun = self._said = clock()
        self._read = 0
        self._lock = Lock()

    def count_answer(self, port: str, characters: int) -> None:  # noqa: ARG002 - one total for all ports
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
