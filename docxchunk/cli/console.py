"""Print data to standard output and messages to standard error."""

from __future__ import annotations

import errno
import os
import sys

import click

from docxchunk.cli.messages import with_options
from docxchunk.cli.streams import Styled
from docxchunk.markup.names import one_line, printable


class Reporter:
    """Print messages and results, and count the failures."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.failed = 0

    def fail(self, label: str, sentence: str) -> None:
        """Print a failure, even if quiet, and count it."""
        self.failed += 1
        _tell(one_line(f"{label}{label and ': '}{with_options(sentence)}"), "failed", "red")

    def alert(self, label: str, sentence: str) -> None:
        """Print a note, even if quiet."""
        _tell(one_line(f"{label}: {with_options(sentence)}"), "note", "yellow")

    def warn(self, label: str, sentence: str) -> None:
        if not self.quiet:
            self.alert(label, sentence)

    def say(self, sentence: str) -> None:
        if sentence and not self.quiet:
            _tell(sentence)

    def data(self, path: str) -> None:
        """Print a path to standard output, unless quiet. A pipe gets the bytes of the path
        unchanged.
        """
        if self.quiet:
            return
        if sys.stdout.isatty():
            print(one_line(path))  # noqa: T201 - above the progress bar, which click.echo would run into
        else:
            _write(os.fsencode(f"{path}\n"))

    def end(self) -> None:
        """Exit with code 1 if anything failed."""
        if self.failed:
            sys.exit(1)


def _write(data: bytes) -> None:
    """Write paths to standard output. If it is closed or the reader has closed the pipe, drop this
    and all later output: the files are written anyway.
    """
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EBADF):
            raise
        # also for what is still in the buffer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(text: str, word: str = "", colour: str = "") -> None:
    """Print text to standard error, after a word in a colour if that is a terminal."""
    shown = (
        click.style(word, fg=colour)
        if word and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        else word
    )
    sys.stderr.write(Styled(f"{shown}{word and '  '}{printable(text)}\n"))


def counted(number: int, one: str, many: str = "") -> str:
    """Return the number with its noun: "1 file", "2 files". `many` is an irregular plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
