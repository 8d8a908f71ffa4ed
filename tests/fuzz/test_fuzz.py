"""Run each fuzzing target briefly: on random bytes, and guided by coverage if atheris is installed.
run.py runs them longer.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from examples import some
from fuzz.run import FOUND, main
from fuzz.source import Source
from fuzz.targets import TARGETS, Target, fault, random_inputs, smaller

RUN = Path(__file__).parent / "run.py"


@pytest.mark.parametrize("name", TARGETS)
def test_random_bytes(name):
    assert {
        fault(TARGETS[name], data)
        for data in random_inputs(TARGETS[name], some(200, part=20), seed=3)
    } == {""}


@pytest.mark.parametrize("name", TARGETS)
def test_guided_by_coverage(name, tmp_path):
    pytest.importorskip("atheris", reason='atheris is not installed: pip install "docxchunk[fuzz]"')
    command = [
        sys.executable,
        RUN,
        name,
        "--runs",
        "150",
        "--seconds",
        "100",
        "--seed",
        "5",
        "--found",
        tmp_path / "found",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert FOUND not in done.stdout, done.stdout
    assert "Done 150 runs" in done.stderr, done.stderr
    assert done.returncode == 0


def test_a_fault_is_reported_and_minimized():
    def check(data):
        assert data.count(7) < 2, "two sevens"

    target = Target(Source.rest, check)
    assert fault(target, b"\x07") == ""
    assert fault(target, b"\x07\x07").startswith("AssertionError in test_fuzz.py:")
    assert smaller(target, bytes(range(20)) * 3) == b"\x07\x07"


def test_an_input_is_explained(tmp_path, capsys):
    file = tmp_path / "input"
    file.write_bytes(b"\x00\x01\x01")
    assert main(["equations", str(file)]) == 0
    assert "oMath" in capsys.readouterr().out
