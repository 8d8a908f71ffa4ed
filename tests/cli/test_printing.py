"""Bars, leaders, and the table of speeds."""

from __future__ import annotations

import os
from io import TextIOWrapper

import click
import pytest
from cli.helpers import Terminal, run

from docxchunk.cli.bench import show
from docxchunk.cli.printing import bar, console
from docxchunk.lab.bench.speed import ChunkingRow, ReaderRow, SpeedReport


@pytest.mark.parametrize(
    ("value", "full", "shown"),
    [
        (0, 8, ""),
        (1, 8, "█"),
        (1, 64, "▏"),
        (1, 10_000, "▏"),  # a positive value is never invisible
        (15, 64, "█▉"),
        (8, 8, "████████"),
        (0, 0, ""),
        (5, 0, "▏"),
    ],
)
def test_a_bar_has_eighths_of_a_block(value, full, shown):
    assert bar(value, full, 8) == shown


def test_speeds_are_shown_in_milliseconds_and_as_ratios():
    reading = [ReaderRow("floor", 0.5, 1, 3 << 20, None, 0), ReaderRow("parse", 1.5, 3, 0, 995, 2)]
    report = SpeedReport(reading, [ChunkingRow("P", 1.2344, 2.5)], 1000)
    shown = run(click.command()(lambda: show(report))).out
    assert [line.rstrip() for line in shown.splitlines() if line] == [
        "Reading 1,000 words",
        "                CPU   ratio  memory  words kept",
        "  floor    500.0 ms  1.00 ×   3 MiB           ·",
        "  parse  1,500.0 ms  3.00 ×   0 MiB       99.5%  2 failed",
        "Chunking",
        "  P  1,234.4 ms  2.50 ×",
    ]


@pytest.mark.parametrize(
    ("columns", "on_terminal", "in_pipe"),
    [("", 200, 80), ("120", 120, 120), ("1", 1, 1), ("0", 80, 80), ("x", 80, 80)],
)
def test_a_pipe_is_eighty_columns_wide(monkeypatch, columns, on_terminal, in_pipe):
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((200, 50)))
    command = click.command()(lambda: click.echo(console().width))
    for stream, width in ((Terminal, on_terminal), (TextIOWrapper, in_pipe)):
        said = run(command, stream=stream, TERM="xterm", COLUMNS=columns)
        assert said.out == f"{width}\n"
