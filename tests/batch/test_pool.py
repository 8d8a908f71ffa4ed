"""One function over many items, whatever happens to some of them."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from docxchunk.batch.pool import Failed, run
from docxchunk.errors import DamagedError, UsageError


def work(item: str) -> str:
    """Does to itself what the item says. Imported by name in other processes, so it stands at the top of a module."""
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
        case "slow":
            time.sleep(0.3)
    return item.upper()


FAILURES = {
    "damaged": "It is broken.",
    "memory": "There is not enough memory for it.",
    "fault": "This is a fault in docxchunk, please report it (KeyError: 'x').",
    "killed": "The process that worked on it was killed; perhaps there is not enough memory for it.",
}


def shown(items, jobs):
    return [outcome.sentence if isinstance(outcome, Failed) else outcome for outcome in run(work, items, jobs)]


def wanted(items):
    return [FAILURES.get(item, item.upper()) for item in items]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_item_does_not_stop_the_others(jobs):
    items = ["a", "damaged", "b", "memory", "c", "fault", "d"]
    assert shown(items, jobs) == wanted(items)


def test_results_come_in_the_order_of_the_items():
    items = ["slow", *"abcdefgh", "slow", *"ijkl"]
    assert shown(items, 2) == wanted(items)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_process_fails_only_its_item():
    items = [*"abc", "killed", *"def", "killed", *(f"more {n}" for n in range(60)), "killed"]
    assert shown(items, 2) == wanted(items)


@pytest.mark.parametrize("jobs", [1, 2])
def test_wrong_usage_stops_all(jobs):
    with pytest.raises(UsageError, match="wrong"):
        shown(["a", "usage", "b"], jobs)


def test_one_item_needs_no_process():
    assert list(run(lambda item: os.getpid(), ["a"], 8)) == [os.getpid()]
    assert list(run(lambda item: os.getpid(), ["a", "b"], 1)) == [os.getpid()] * 2
