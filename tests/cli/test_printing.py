"""Bars, tables of speeds, the progress of a run, and the picture of the terminal in the README."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from io import TextIOWrapper
from itertools import count
from pathlib import Path

import click
import pytest
from case_files import each_row
from cli.helpers import Terminal, docxchunk, run
from docx_builder import docx
from make_fixtures import DOCUMENTS
from rich.console import Console
from rich.text import Text

from docxchunk.cli.chunk import model_progress
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import watched, with_lines
from docxchunk.cli.lab import show
from docxchunk.cli.printing import bar, console
from docxchunk.lab.bench.speed import ChunkingRow, ReaderRow, SpeedReport


@each_row("cli", value=int, full=int)
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


@each_row("cli", on_terminal=int, in_pipe=int)
def test_a_pipe_is_eighty_columns_wide(monkeypatch, columns, on_terminal, in_pipe):
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((200, 50)))
    command = click.command()(lambda: click.echo(console().width))
    for stream, width in ((Terminal, on_terminal), (TextIOWrapper, in_pipe)):
        said = run(command, stream=stream, TERM="xterm", COLUMNS=columns)
        assert said.out == f"{width}\n"


class Clock:
    """A clock that returns the time it is set to."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_a_line_every_ten_seconds_with_the_time_left():
    clock, said = Clock(), Said()
    for _ in with_lines(range(101), 101, said, clock):
        clock.time += 0.5
    assert said.lines[0] == "20 of 101, 0:00:40 left"
    assert [line.split(",")[0] for line in said.lines[1:]] == [
        "40 of 101",
        "60 of 101",
        "80 of 101",
        "100 of 101",
    ]


@pytest.mark.parametrize(
    ("stream", "quiet", "files", "is_shown"),
    [
        (TextIOWrapper, True, 5, False),
        (TextIOWrapper, False, 5, True),
        (Terminal, True, 5, False),
        (Terminal, False, 1, False),
        (Terminal, False, 2, True),
    ],
)
def test_progress_is_shown_for_two_files_or_more_unless_quiet(
    monkeypatch, stream, quiet, files, is_shown
):
    times = count(step=60.0)
    monkeypatch.setattr(with_lines, "__defaults__", (lambda: next(times),))

    @click.command()
    def working():
        for _ in watched(range(files), files, Reporter(quiet=quiet)):
            pass

    said = run(working, stream=stream, TERM="xterm")
    assert (said.out, bool(said.err)) == ("", is_shown)


class Said:
    """Records the messages."""

    def __init__(self):
        self.lines = []

    def say(self, text):
        self.lines.append(text)


def test_progress_is_announced_and_reported_every_ten_seconds():
    clock, voice = Clock(), Said()
    heard = model_progress(voice, "book.docx", 160_000.0, clock)
    assert voice.lines == ["book.docx: models will read about 160,000 characters."]
    for _ in range(16):
        clock.time += 5
        heard("scorer", 10_000)
    assert voice.lines[1:3] == [
        "book.docx: about 12% read, 0:01:10 left",
        "book.docx: about 25% read, 0:01:00 left",
    ]
    assert len(voice.lines) == 1 + 8
    heard("scorer", 10**9)
    clock.time += 10
    heard("scorer", 1)
    assert voice.lines[-1] == "book.docx: about 99% read, 0:00:01 left"


def test_a_terminal_shows_a_bar_below_the_results_and_removes_it(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.docx").write_bytes(docx(f"<p>{name}</p>"))
    said = docxchunk(*("chunk", ".", "-j", "1"), stream=Terminal, TERM="xterm", COLUMNS="80")
    assert (said.code, said.out) == (0, "")
    *_, first, second, third, last = said.err.split(".docx.parsed/")
    assert "0/3" in first
    assert "1/3" not in first
    assert "1/3" in second
    assert "2/3" in third
    assert "\r\x1b[1A\x1b[2K3 documents in" in last


PICTURE = DOCUMENTS.parents[1] / "docs" / "images" / "terminal.svg"
COMMANDS = ("show sample-report.docx", "chunk sample-report.docx --max-tokens 512")
WIDTH = 80


def test_recording(tmp_path: Path, request, matches):
    shutil.copy(DOCUMENTS / "sample-report.docx", tmp_path)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for command in COMMANDS:
        console.print(Text.assemble(("$ ", "green"), f"docxchunk {command}"))
        console.print(Text.from_ansi(_output(command.split(), tmp_path)))
    # the font would be fetched from the network
    svg = re.sub(
        r"\s*@font-face \{.*?\}", "", console.export_svg(title="docxchunk"), flags=re.DOTALL
    )
    if request.config.getoption("--update-goldens"):
        matches(PICTURE, svg)
    assert _words(svg) == _words(PICTURE.read_text("utf-8")), (
        "if the new text is right, run pytest with --update-goldens"
    )


def _output(arguments: list[str], here: Path) -> str:
    shown = os.environ | {
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "COLUMNS": str(WIDTH),
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "docxchunk", *arguments],
        capture_output=True,
        check=True,
        cwd=here,
        env=shown,
        encoding="utf-8",
    )
    return done.stdout + done.stderr


def _words(svg: str) -> list[str]:
    """Return the text of the picture, because versions of rich draw it differently."""
    return unescape(" ".join(re.findall(r"<text [^>]*>([^<]*)</text>", svg))).split()
