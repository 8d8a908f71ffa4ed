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
from docxchunk.chunking.strategy import Cost, costs_of, named_strategy
from docxchunk.cli.chunk import model_progress
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import Pace, clock_time, watched, with_lines


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


def test_no_lines_if_all_results_arrive_at_once():
    clock, said = Clock(), list[str]()
    for _ in with_lines(range(100), Pace(100, {}, clock), said.append):
        clock.time += 60 if not said and clock.time == 100 else 0
    assert said == []


def test_speed_is_measured_over_the_last_half_minute():
    clock = Clock()
    pace = Pace(1000, {}, clock)
    for files in range(1, 301):
        clock.time += 0.1 if files <= 100 else 1
        pace.files = files
        text = str(pace)
    assert text == "1.0 files/s · 0:11:40 left"


def test_a_change_of_speed_counts_from_the_next_half_minute_on():
    clock, shown = Clock(), []
    pace = Pace(100, {}, clock)
    for files in (20, 24, 28, 32):
        clock.time += 15
        pace.files = files
        shown.append(str(pace).split()[0])
    assert shown == ["1.3", "0.8", "0.3", "0.3"]


def test_the_speed_of_slow_files_is_that_of_the_last_one():
    clock = Clock()
    pace = Pace(3, {}, clock)
    for files, seconds in ((1, 100), (2, 40)):
        clock.time += seconds
        pace.files = files
        text = str(pace)
    assert text == "0.0 files/s · 0:00:40 left"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (59.4, "0:00:59"),
        (59.6, "0:01:00"),
        (3599, "0:59:59"),
        (3600, "1:00:00"),
        (36061, "10:01:01"),
    ],
)
def test_time_is_shown_in_hours_minutes_and_seconds(seconds, shown):
    assert clock_time(seconds) == shown


def test_the_pace_of_no_files_is_empty():
    assert str(Pace(10, {})) == ""


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


def test_a_short_document_has_no_progress_messages():
    voice = Said()
    ahead = Ahead("V", (Cost("embedder", 3),), 1000, 4000, 40)
    model_progress(voice, "note.docx", ahead)("embedder", 10)
    assert voice.lines == []


def test_a_short_document_with_a_slow_model_has_progress_messages():
    clock, voice = Clock(), Said()
    ahead = Ahead("V", (Cost("embedder", 2),), 1000, 4000, 40)
    heard = model_progress(voice, "note.docx", ahead, clock)
    clock.time += 9
    heard("embedder", 2000)
    assert voice.lines == []
    silent = Said()
    nothing = model_progress(silent, "note.docx", ahead, clock)
    clock.time += 9
    nothing("embedder", 0)
    clock.time += 9
    nothing("embedder", 0)  # nothing is read yet
    assert silent.lines == []
    clock.time -= 9
    heard("embedder", 2000)
    assert voice.lines == ["note.docx: about 50% read, 0:00:18 left"]
    model_progress(voice, "empty.docx", Ahead("V", (Cost("embedder", 2),), 0, 0, 0))("embedder", 0)


@pytest.mark.parametrize(
    ("strategy", "costs"),
    [
        ("P", ()),
        ("P:inner=V", (Cost("embedder", 3),)),
        ("V:buffer=0", (Cost("embedder", 1),)),
        ("PIC", (Cost("embedder", 1), Cost("completer", 1))),
        ("LGMGC", (Cost("scorer", 2),)),
        ("PPL", (Cost("scorer", 1),)),
        ("LumberChunker:mode=margin", (Cost("scorer", 2),)),
    ],
)
def test_costs_of_strategies(strategy, costs):
    assert costs_of(named_strategy(strategy)) == costs


def test_costs_of_msp():
    ((port, often, prompt),) = costs_of(named_strategy("MSP"))
    assert (port, often, prompt > 200) == ("scorer", 3, True)
    assert costs_of(named_strategy("MSP:prompt=published,previous=sentence"))[0].times == 6


def test_a_terminal_shows_a_bar_below_the_results_and_removes_it(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.docx").write_bytes(docx(f"<p>{name}</p>"))
    said = docxchunk(
        *("chunk", ".", "-j", "1"), cwd=tmp_path, stream=Terminal, TERM="xterm", COLUMNS="80"
    )
    assert (said.code, said.out) == (0, "")
    *_, first, second, third, last = said.err.split(".docx.parsed/")
    assert "0/3" in first
    assert "1/3" not in first
    assert re.search(r"1/3\x1b\[0m [\d.]+ files/s · [\d,]+ tokens/s · \d:\d\d:\d\d left", second)
    assert "1/3" in third
    assert "\r\x1b[1A\x1b[2Kdocuments " in last


def test_the_command(tmp_path):
    pytest.importorskip("numpy", reason="the extra semantic is not installed")
    (tmp_path / "book.docx").write_bytes(
        docx(
            "".join(
                f"<p>Paragraph {n} is about the water of the tank. It says so twice.</p>"
                for n in range(800)
            )
        )
    )
    said = docxchunk(
        "chunk", "book.docx", "-s", "V", "--embedder", "hashing", "-o", "-", cwd=tmp_path
    )
    assert re.search(
        r"book\.docx: V will read about \d\d,\d{3} tokens: the text 3 times with --embedder\.",
        said.err,
    ), said.err
    quiet = docxchunk(
        "chunk", "book.docx", "-s", "V", "--embedder", "hashing", "-o", "-", "--quiet", cwd=tmp_path
    )
    assert quiet.err == ""
    assert ("Asks a model, --scorer, which reads the text about 3 times, and") in " ".join(
        docxchunk("strategies").out.split()
    )
