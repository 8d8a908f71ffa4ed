"""The standard streams: control characters of documents and of file names do not reach the
terminal, which would obey them.
"""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper
from typing import TextIO

from docxchunk.markup.names import printable


class Styled(str):
    """Text that is printable but for the colours and cursor movements that the command line
    adds.
    """

    __slots__ = ()


class PrintableStream(TextIOWrapper):
    """A text stream that writes all text but `Styled` as printable text. Bytes that are written to
    its `buffer` stay as they are.
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
    that cannot be written, so that data is not lost unseen. As in click, ASCII is taken for a
    locale that is not set, and the text is UTF-8.
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
