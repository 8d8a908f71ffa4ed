"""The progress bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_T = TypeVar("_T")


def watched(items: Iterable[_T], total: int) -> Iterator[_T]:
    """The items as they come; the bar goes away at the end, and what is printed meanwhile stands above it."""
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[speed]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, speed="")
        for item in items:
            yield item
            speed = bar.tasks[0].speed
            bar.update(task, advance=1, speed=f"{speed:.1f} files/s" if speed else "")
