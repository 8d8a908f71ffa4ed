"""The streams of the command line: data to standard output, messages to standard error. Control
characters of documents and of file names do not reach the terminal, which would obey them.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import sys
from dataclasses import fields
from functools import cache
from io import TextIOWrapper
from typing import Final, TextIO

import click
import orjson

from docxchunk.language.patterns import pattern
from docxchunk.model.wording import one_line, printable


class Styled(str):
    """Text that may be written as it is: its only control characters are colours and cursor
    movements of the command line.
    """

    __slots__ = ()


class PrintableStream(TextIOWrapper):
    """A text stream that writes all text but `Styled` as printable text. Bytes for its `buffer`
    stay as they are.
    """

    def write(self, text: str) -> int:
        return super().write(text if isinstance(text, Styled) else printable(text))


class StyledStream:
    """A stream for rich, which writes printable text and styles it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._stream.write(Styled(text))


def make_printable() -> None:
    """Let the standard streams write printable text, with "?" for what they cannot encode.

    A closed standard error is replaced by the null device, and a closed standard output by a stream
    that cannot be written, so that data is not lost unseen. As in click, the encoding ASCII means
    that no locale is set; the text is UTF-8 then.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = os.O_RDONLY if name == "stdout" else os.O_WRONLY
            stream = PrintableStream(os.fdopen(os.open(os.devnull, mode), "wb"), "utf-8", "replace")
        elif isinstance(stream, TextIOWrapper):
            encoding = (
                "utf-8" if codecs.lookup(stream.encoding).name == "ascii" else stream.encoding
            )
            stream = PrintableStream(
                stream.buffer,
                encoding,
                "replace",
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
        setattr(sys, name, stream)


_MODELS: Final = pattern(
    r"(?:models=docxchunk\.models\()?\b(embedder|scorer|completer"
    r'|describer|device|convert)="([^"]*)"\)?'
)


def with_options(sentence: str) -> str:
    """Return the message with options in place of Python arguments: `max_tokens is 5` becomes
    `--max-tokens is 5`, `device="cpu"` becomes `--device cpu`.
    """
    sentence = _MODELS.sub(r"--\1 \2", sentence)
    return _arguments().sub(lambda name: f"--{name[0].replace('_', '-')}", sentence)


@cache
def _arguments() -> re.Pattern[str]:
    """Return the pattern that finds argument names where a message is about an argument."""
    from docxchunk.api import ChunkSettings
    from docxchunk.model.options import ParseOptions

    names = (
        "start",
        *ChunkSettings.__annotations__,
        *(option.name for option in fields(ParseOptions)),
    )
    return re.compile(rf"(?:^|(?<= and ))(?:{'|'.join(names)})(?= is | -?\d)")


def print_json(value: object) -> None:
    """Print a value as a line of JSON."""
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))


class Reporter:
    """Print messages and results, and count the failures."""

    def __init__(self, *, quiet: bool = False) -> None:
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
    """Print text to standard error, after `word`, which is coloured on a terminal."""
    styled_word = (
        click.style(word, fg=colour)
        if word and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        else word
    )
    sys.stderr.write(Styled(f"{styled_word}{word and '  '}{printable(text)}\n"))
