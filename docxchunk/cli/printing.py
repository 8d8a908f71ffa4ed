"""Print tables and bars to standard output: in colour on a terminal, else 80 columns wide."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import NoReturn, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from docxchunk.cli.console import StyledStream
from docxchunk.model.wording import printable

WIDTH = 80
DIM, STRONG, WARN = "dim", "bold", "yellow"


class PrintableConsole(Console):
    """A console of printable text on a standard stream. If the reader of a pipe has closed it, the
    caller gets the BrokenPipeError; `Console` would exit with code 1.
    """

    def __init__(self, stream: TextIO, width: int | None = None) -> None:
        super().__init__(
            file=cast("TextIO", StyledStream(stream)),
            width=width,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


@cache
def console() -> Console:
    """Return the console of standard output. A pipe is 80 columns wide, unless COLUMNS is set."""
    columns = os.environ.get("COLUMNS", "")
    sized = int(columns) > 0 if columns.isdigit() else sys.stdout.isatty() and not columns
    wide = None if sized else WIDTH
    return PrintableConsole(sys.stdout, wide)


def heading(text: str) -> None:
    console().print(Text(f"\n{text}", style=STRONG))


def plain(text: str, style: str = "") -> None:
    console().print(Text(text, style=style))


def prose(text: Text) -> None:
    """Print text of documents. It is wrapped on a terminal only: a pipe gets each line whole."""
    console().print(text, soft_wrap=not sys.stdout.isatty())


def grid(*columns: str) -> Table:
    """Return a table without lines. Columns: "<" (left, fills the remaining width, cut with …), "-"
    (left), "~" (left, wrapped) or ">" (right).
    """
    table = Table.grid(padding=(0, 2, 0, 0), expand="<" in columns)
    for column in columns:
        greedy = column == "<"
        table.add_column(
            justify="right" if column == ">" else "left",
            ratio=1 if greedy else None,
            no_wrap=column != "~",
            overflow="ellipsis",
        )
    return table


class Leader:
    """Text followed by dot leaders up to the next column."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        text = self._text.copy()
        text.truncate(options.max_width, overflow="ellipsis")
        text.append(
            " ".ljust(options.max_width - text.cell_len, ".")
            if text.cell_len < options.max_width - 2
            else "",
            DIM,
        )
        yield text

    def __rich_measure__(self, _console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(10, options.max_width), options.max_width)


def indented(table: Table | Text) -> None:
    """Print a table or text, indented by two columns."""
    from rich.padding import Padding

    console().print(Padding(table, (0, 0, 0, 2)))


def bar(value: float, full: float, width: int) -> str:
    """Return a bar of block characters, `width` long for `full`. A positive value gets at least one
    eighth of a block.
    """
    eighths = round(value / full * width * 8) if full else 0
    eighths = max(eighths, 1) if value > 0 else 0
    blocks, part = divmod(eighths, 8)
    return "█" * blocks + " ▏▎▍▌▋▊▉"[part].strip()
