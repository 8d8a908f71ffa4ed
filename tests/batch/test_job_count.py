"""The number of processes for "auto", and the limit on XML that is parsed at once."""

from __future__ import annotations

import multiprocessing
import threading

import pytest
from docx_builder import docx

from docxchunk.batch import pool as counting
from docxchunk.batch.pool import EACH, WORTH, XmlBudget, job_count, usable_cores, xml_bytes


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


@pytest.mark.parametrize(
    ("quota", "affinity", "expected"),
    [
        ("max 100000", 8, 8),
        ("200000 100000", 8, 2),
        ("150000 100000", 8, 2),
        ("50000 100000", 8, 1),
        ("900000 100000", 8, 8),
        ("nonsense", 8, 8),
        (None, 3, 3),
    ],
)
def test_usable_cores_follow_affinity_and_quota(tmp_path, monkeypatch, quota, affinity, expected):
    monkeypatch.setattr(counting.os, "sched_getaffinity", lambda _: range(affinity), raising=False)
    if quota is not None:
        (tmp_path / "cpu.max").write_text(quota)
    assert usable_cores(tmp_path / "cpu.max") == expected


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
