"""Data goes to standard output, what is for people to standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

_T = TypeVar("_T")


class Voice:
    """Tells people how it goes, and keeps count of what failed."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self.failed = 0

    def fail(self, label: str, sentence: str) -> None:
        """Said even when quiet."""
        self.failed += 1
        click.echo(f"{click.style('failed', fg='red')}  {label}: {sentence}", err=True)

    def warn(self, label: str, sentence: str) -> None:
        if not self._quiet:
            click.echo(f"{click.style('note', fg='yellow')}  {label}: {sentence}", err=True)

    def say(self, sentence: str) -> None:
        if not self._quiet:
            click.echo(sentence, err=True)

    def data(self, line: str | bytes) -> None:
        """To standard output, unless quiet."""
        if not self._quiet:
            click.echo(line)

    def watched(self, items: Iterable[_T], total: int) -> Iterator[_T]:
        """The items as they come, with a progress bar where a person is looking and there is something to wait for."""
        if self._quiet or total < 2 or not sys.stderr.isatty():
            return iter(items)
        from docxchunk.cli.progress import watched

        return watched(items, total)

    def end(self) -> None:
        """Ends the program with exit code 1 if anything failed."""
        if self.failed:
            sys.exit(1)


def counted(number: int, one: str, many: str = "") -> str:
    """1 file, 2 files."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
