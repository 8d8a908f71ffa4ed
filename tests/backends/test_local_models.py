"""How many cores a process may use."""

from __future__ import annotations

import pytest

from docxchunk.backends import local_models
from docxchunk.backends.local_models import usable_cores


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
    monkeypatch.setattr(
        local_models.os, "sched_getaffinity", lambda _: range(affinity), raising=False
    )
    monkeypatch.setattr(local_models, "_QUOTA", tmp_path / "cpu.max")
    if quota is not None:
        (tmp_path / "cpu.max").write_text(quota)
    assert usable_cores() == expected
