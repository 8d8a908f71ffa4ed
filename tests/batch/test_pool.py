"""Run a function on many items, some of which fail or kill their process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from multiprocessing import connection
from pathlib import Path
from typing import NamedTuple

import pytest
from docx_builder import docx

from docxchunk.batch import pool as counting
from docxchunk.batch.pool import (
    EACH,
    WORTH,
    Failed,
    XmlBudget,
    is_single_threaded,
    job_count,
    run,
    xml_bytes,
)
from docxchunk.errors import DamagedError, UsageError


def work(item: str) -> str:
    """Fail as the item says. It is a module-level function because other processes import it by
    name.
    """
    match item:
        case "damaged":
            raise DamagedError("It is broken.")
        case "memory":
            raise MemoryError
        case "fault":
            raise KeyError("x")
        case "usage":
            raise UsageError("wrong")
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
    return item.upper()


FAILURES = {
    "damaged": Failed("It is broken.", "DamagedError"),
    "memory": Failed("There is not enough memory for it.", "MemoryError"),
    "fault": Failed("This is a fault in docxchunk, please report it (KeyError: 'x').", "KeyError"),
    "killed": Failed(
        "The process that worked on it was killed; perhaps there is not enough memory for it.",
        "Killed",
    ),
}
RUNNERS = [(1, ()), (2, ()), (2, ("embedder",))]  # in this process, in processes, in threads


def shown(items, jobs, models=()):
    return list(run(work, items, jobs, models=models))


def wanted(items):
    return [FAILURES.get(item, item.upper()) for item in items]


@pytest.mark.parametrize(("jobs", "models"), RUNNERS)
def test_a_bad_item_does_not_stop_the_others(jobs, models):
    items = "a damaged b memory c fault d".split()
    assert shown(items, jobs, models) == wanted(items)


class Slow(NamedTuple):
    """An item that is done when the one after it is done."""

    folder: Path
    number: int
    is_slow: bool

    def __call__(self) -> int:
        after = self.folder / str(self.number + 1)
        end = time.monotonic() + 20
        while self.is_slow and not after.exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        (self.folder / str(self.number)).touch()
        return self.number


@pytest.mark.parametrize("models", [(), ("scorer",)])
def test_results_come_in_the_order_of_the_items(models, tmp_path):
    items = [Slow(tmp_path, number, number in (0, 9)) for number in range(14)]
    assert list(run(Slow.__call__, items, 2, models=models)) == list(range(14))


@pytest.fixture
def other_thread():
    """A thread that runs beside the test."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    yield
    end.set()
    thread.join()


def parent_of(item: str) -> int:
    return os.getppid()


@pytest.mark.usefixtures("other_thread")
def test_processes_are_no_copies_of_a_process_with_several_threads():
    assert not is_single_threaded()
    assert shown([*"abc", "damaged", "d"], 2) == wanted([*"abc", "damaged", "d"])
    if "forkserver" in multiprocessing.get_all_start_methods():
        assert os.getpid() not in set(run(parent_of, "abcd", 2))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_process_fails_only_its_item():
    items = [*"abc", "killed", *"def", "killed", *(f"more {n}" for n in range(60)), "killed"]
    assert shown(items, 2) == wanted(items)


@pytest.mark.parametrize(("jobs", "models"), RUNNERS)
def test_a_usage_error_stops_the_run(jobs, models):
    with pytest.raises(UsageError, match="wrong"):
        shown(["a", "usage", "b"], jobs, models)


class Written(NamedTuple):
    """Create a file."""

    path: Path

    def __call__(self) -> None:
        time.sleep(0.01)
        self.path.touch()


def make(item: Written) -> None:
    item()


@pytest.mark.parametrize(("jobs", "models"), RUNNERS)
def test_after_closing_started_items_finish_and_no_other_starts(tmp_path, jobs, models):
    threads = threading.enumerate()
    outcomes = run(
        make, [Written(tmp_path / str(number)) for number in range(2000)], jobs, models=models
    )
    assert next(outcomes) is None
    outcomes.close()
    assert 1 <= len(list(tmp_path.iterdir())) < 1000
    assert (multiprocessing.active_children(), threading.enumerate()) == ([], threads)


def pause(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_ctrl_c_while_started_items_finish_kills_their_processes(monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    outcomes = run(pause, [0.0, *[60.0] * 8], 2)
    assert next(outcomes) == 0.0
    processes = multiprocessing.active_children()
    with monkeypatch.context() as patch:
        patch.setattr(futures.ProcessPoolExecutor, "shutdown", interrupted)
        with pytest.raises(KeyboardInterrupt):
            outcomes.close()
    assert len(processes) == 2
    for process in processes:  # a thread of the pool joins them, too, so join() may return early
        assert connection.wait([process.sentinel], 20)


class Counted(list[int]):
    """Items that count how many of them were taken."""

    taken = 0

    def __iter__(self) -> Iterator[int]:
        for item in super().__iter__():
            self.taken += 1
            yield item


@pytest.mark.parametrize("models", [(), ("embedder",)])
def test_the_number_of_items_started_ahead_is_limited(models):
    items = Counted(range(400))
    outcomes = run(str, items, 2, lambda _: 1 << 20, models)
    assert next(outcomes) == "0"
    assert items.taken < 100
    assert list(outcomes) == [str(number) for number in range(1, 400)]


@pytest.fixture
def cores(monkeypatch):
    return lambda number: monkeypatch.setattr(counting, "usable_cores", lambda: number)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], 1),
        ([100 * WORTH], 4),  # the caller never takes more processes than items
        ([0] * 7, 1),
        ([2 * WORTH - EACH - 1], 1),
        ([2 * WORTH - EACH], 2),
        ([WORTH] * 3, 3),
        ([WORTH] * 1000, 4),
    ],
)
def test_auto_uses_one_process_per_share_of_work(cores, sizes, expected):
    cores(4)
    assert job_count("auto", sizes, lambda size: size) == expected


def test_the_xml_budget_limits_what_is_held_at_once():
    """A file larger than the budget is processed alone."""
    budget = XmlBudget(multiprocessing.get_context("spawn"), 100)
    held, most, lock = [0], [0], threading.Lock()

    def hold(size: int) -> None:
        with budget.hold(size):
            with lock:
                held[0] += min(size, 100)
                most[0] = max(most[0], held[0])
            threading.Event().wait(0.01)
            with lock:
                held[0] -= min(size, 100)

    threads = [
        threading.Thread(target=hold, args=(size,)) for size in (60, 60, 1000, 30, 30, 30, 100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert held == [0]
    assert 60 <= most[0] <= 100


def test_xml_bytes_is_the_unpacked_size_of_the_parts(tmp_path):
    data = docx("<p>One.</p>")
    assert xml_bytes(data) > len("<p>One.</p>")
    assert xml_bytes(docx(f"<p>{'One. ' * 4000}</p>")) - xml_bytes(data) > 15_000
    assert xml_bytes(b"no zip") == 6
