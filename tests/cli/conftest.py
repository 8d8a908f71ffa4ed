"""Each test of the command line runs in a folder of its own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
