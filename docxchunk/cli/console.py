"""Print data to standard output and messages to standard error."""

from __future__ import annotations

import errno
import os
import sys

import click

from docxchunk.cli.messages import with_options


class Reporter:
    """Print messages and results, and count the failures."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.failed = 0

    def fail(self, label: str, sentence: str) -> None:
        """Print a failure, even if quiet, and count it."""
        self.failed += 1
        _tell(f"{_coloured('failed', 'red')}  {label}{label and ': '}{with_options(sentence)}")

    def alert(self, label: str, sentence: str) -> None:
        """Print a note, even if quiet."""
        _tell(f"{_coloured('note', 'yellow')}  {label}: {with_options(sentence)}")

    def warn(self, label: str, sentence: str) -> None:
        if not self.quiet:
            self.alert(label, sentence)

    def say(self, sentence: str) -> None:
        if sentence and not self.quiet:
            _tell(sentence)

    def data(self, path: str) -> None:
        """Print a path to standard output, unless quiet. A pipe gets the bytes of the path unchanged."""
        if self.quiet:
            return
        if sys.stdout.isatty():
            print(path)  # noqa: T201 - above the progress bar, which click.echo would run into
        else:
            _write(os.fsencode(f"{path}\n"))

    def end(self) -> None:
        """Exit with code 1 if anything failed."""
        if self.failed:
            sys.exit(1)


def _write(data: bytes) -> None:
    """Write paths to standard output. If it is closed or the reader has closed the pipe, drop this and all later output: the files are written anyway."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EBADF):
            raise
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for all later output


def _tell(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - as in `data`


def _coloured(text: str, colour: str) -> str:
    return click.style(text, fg=colour) if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else text


def counted(number: int, one: str, many: str = "") -> str:
    """Return the number with its noun: "1 file", "2 files". `many` is an irregular plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
