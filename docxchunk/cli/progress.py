"""Show the progress of a run: a bar on a terminal, else a line every ten seconds."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import monotonic
from typing import Final, NamedTuple, TypeVar

from docxchunk.cli.console import Reporter

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
    """Recent files and tokens per second, and the time left. Tokens are read from the counts in
    `made`, which the caller updates.
    """

    def __init__(
        self, total: int, made: Mapping[str, int], clock: Callable[[], float] = monotonic
    ) -> None:
        self.total, self.files, self.clock = total, 0, clock
        self._made = made
        self._marks = deque([ProgressMark(clock(), 0, 0)])

    def __str__(self) -> str:
        """Return e.g. "32.6 files/s · 145,210 tokens/s · 0:01:03 left"; empty before the first
        file.
        """
        now = ProgressMark(self.clock(), self.files, self._made.get("token", 0))
        self._marks.append(now)
        while len(self._marks) > 2 and now.time - self._marks[1].time >= _WINDOW:
            self._marks.popleft()
        first = self._marks[0]
        seconds, files = now.time - first.time, now.files - first.files
        if not seconds or not files:
            return ""
        tokens = (
            (f" · {(now.tokens - first.tokens) / seconds:,.0f} tokens/s")
            if "token" in self._made
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
    last = 0.0
    for item in items:
        yield item
        pace.files += 1
        now = pace.clock()
        if not last:
            last = now
        elif now - last >= BETWEEN and pace.files < pace.total:
            last = now
            say(f"{pace.files:,} of {pace.total:,} · {pace}")


def _with_bar(items: Iterable[_T], pace: Pace) -> Iterator[_T]:
    """Yield the items and show a bar, which disappears at the end. Other output appears above
    it.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from docxchunk.cli.printing import PrintableConsole

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        console=PrintableConsole(sys.stderr),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=pace.total, pace="")
        shown = 0.0
        for item in items:
            yield item
            pace.files += 1
            if pace.clock() - shown >= 0.2:  # seconds between redraws
                shown = pace.clock()
                bar.update(task, completed=pace.files, pace=str(pace))


def clock_time(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    minutes, second = divmod(round(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}:{second:02}"
