"""Data goes to standard output, what is for people to standard error."""

from __future__ import annotations

import os
import sys

import click

from docxchunk.cli.messages import with_options


class Voice:
    """Tells people how it goes, and keeps count of what failed."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.failed = 0

    def fail(self, label: str, sentence: str) -> None:
        """Said even when quiet."""
        self.failed += 1
        _tell(f"{_coloured('failed', 'red')}  {label}{label and ': '}{with_options(sentence)}")

    def warn(self, label: str, sentence: str) -> None:
        if not self.quiet:
            _tell(f"{_coloured('note', 'yellow')}  {label}: {with_options(sentence)}")

    def say(self, sentence: str) -> None:
        if sentence and not self.quiet:
            _tell(sentence)

    def data(self, path: str) -> None:
        """A path, to standard output, unless quiet; its bytes as they are where a program reads them."""
        if self.quiet:
            return
        if sys.stdout.isatty():
            print(path)  # noqa: T201 - above the progress bar, which click.echo would run into
        else:
            _write(os.fsencode(f"{path}\n"))

    def end(self) -> None:
        """Ends the program with exit code 1 if anything failed."""
        if self.failed:
            sys.exit(1)


def _write(data: bytes) -> None:
    """To standard output; where whoever read it has had enough, the work goes on without."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for all that follows


def _tell(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - as in `data`


def _coloured(text: str, colour: str) -> str:
    return click.style(text, fg=colour) if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else text


def counted(number: int, one: str, many: str = "") -> str:
    """1 file, 2 files."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
