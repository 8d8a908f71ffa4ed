"""How many cores a process may use."""

from __future__ import annotations

from case_files import each_row, or_none

from docxchunk.backends import local_models
from docxchunk.backends.local_models import usable_cores


@each_row("backends", quota=or_none, affinity=int, expected=int)
def test_usable_cores_follow_affinity_and_quota(tmp_path, monkeypatch, quota, affinity, expected):
    monkeypatch.setattr(
        local_models.os, "sched_getaffinity", lambda _: range(affinity), raising=False
    )
    monkeypatch.setattr(local_models, "_QUOTA", tmp_path / "cpu.max")
    if quota is not None:
        (tmp_path / "cpu.max").write_text(quota)
    assert usable_cores() == expected
