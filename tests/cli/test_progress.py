"""Progress lines: files done, speed, and time left."""

from __future__ import annotations

from collections import Counter

from docxchunk.cli.console import Reporter
from docxchunk.cli.progress import Pace, watched, with_lines


class Clock:
    """A clock that returns the time it is set to."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_a_line_every_ten_seconds_with_speed_and_time_left():
    clock, made, said = Clock(), Counter(token=0), list[str]()
    for _ in with_lines(range(100), Pace(100, made, clock), said.append):
        clock.time += 0.5
        made.update(token=2000)
    assert said[0] == "21 of 100 · 2.0 files/s · 4,000 tokens/s · 0:00:40 left"
    assert [line.split(" · ")[0] for line in said] == [
        "21 of 100",
        "41 of 100",
        "61 of 100",
        "81 of 100",
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


def test_the_pace_of_no_files_is_empty():
    assert str(Pace(10, {})) == ""


def test_quiet_prints_nothing(capsys):
    clock = Clock()
    for _ in watched(range(5), Pace(5, {}, clock), Reporter(quiet=True)):
        clock.time += 60
    assert capsys.readouterr() == ("", "")
