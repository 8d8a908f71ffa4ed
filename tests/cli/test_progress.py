"""The progress of a run, and of the models that read a document."""

from __future__ import annotations

import re
from collections import Counter
from io import TextIOWrapper

import click
import pytest
from cli.helpers import Terminal, docxchunk, run
from docx_builder import docx

from docxchunk.batch.chunk_spec import Ahead
from docxchunk.chunking.strategy import Cost
from docxchunk.cli.chunk import model_progress
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import Pace, watched, with_lines


class Clock:
    """A clock that returns the time it is set to."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_a_line_every_ten_seconds_with_speed_and_time_left():
    clock, made, said = Clock(), Counter(token=0), list[str]()
    for _ in with_lines(range(101), Pace(101, made, clock), said.append):
        clock.time += 0.5
        made.update(token=2000)
    assert said[0] == "21 of 101 · 2.0 files/s · 4,000 tokens/s · 0:00:40 left"
    assert [line.split(" · ")[0] for line in said] == [
        "21 of 101",
        "41 of 101",
        "61 of 101",
        "81 of 101",
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
def test_progress_is_shown_for_two_files_or_more_unless_quiet(stream, quiet, files, is_shown):
    clock = Clock()

    @click.command()
    def working():
        for _ in watched(range(files), Pace(files, {}, clock), Reporter(quiet=quiet)):
            clock.time += 60

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
    ahead = Ahead("MSP", (Cost("scorer", 3, 100),), tokens=10_000, characters=40_000, sentences=400)
    heard = model_progress(voice, "book.docx", ahead, clock)
    assert voice.lines == [
        "book.docx: MSP will read about 40,000 tokens: the text 3 times with --scorer."
    ]
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
    assert re.search(r"1/3\x1b\[0m [\d.]+ files/s · [\d,]+ tokens/s · \d:\d\d:\d\d left", second)
    assert "1/3" in third
    assert "\r\x1b[1A\x1b[2Kdocuments " in last
