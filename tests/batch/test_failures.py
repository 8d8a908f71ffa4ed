"""The file failures.jsonl."""

from __future__ import annotations

import json
import os

import pytest

from docxchunk.batch.failures import Failure, record_failures
from docxchunk.errors import OutputError


def failure(path):
    return Failure(path.name, str(path), "DamagedError", "It is broken.")


def recorded(folder):
    return [
        json.loads(line)["input"]
        for line in (folder / "failures.jsonl").read_text("utf-8").splitlines()
    ]


def test_failures_are_recorded_in_the_folder_of_the_input(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    one, two = failure(tmp_path / "a" / "x.docx"), failure(tmp_path / "b" / "y.docx")
    record_failures([tmp_path / "a", tmp_path / "b"], [one, two])
    assert (recorded(tmp_path / "a"), recorded(tmp_path / "b")) == (["x.docx"], ["y.docx"])
    record_failures([tmp_path / "a", tmp_path / "b"], [two])
    assert os.listdir(tmp_path / "a") == []
    assert recorded(tmp_path / "b") == ["y.docx"]


def test_failures_are_recorded_in_the_output_folder_if_there_is_one(tmp_path):
    record_failures(
        [tmp_path / "out"], [failure(tmp_path / "a" / "x.docx"), failure(tmp_path / "b" / "y.docx")]
    )
    assert recorded(tmp_path / "out") == ["x.docx", "y.docx"]
    assert os.listdir(tmp_path / "out") == ["failures.jsonl"]


def test_undecodable_file_names_are_escaped(tmp_path):
    record_failures([tmp_path], [failure(tmp_path / os.fsdecode(b"bad\xff.docx"))])
    assert recorded(tmp_path) == ["bad\\xff.docx"]


@pytest.mark.parametrize("content", ["mine", '{"input": "of another tool"}', ""])
def test_a_failures_file_of_another_program_is_not_changed(tmp_path, content):
    (tmp_path / "failures.jsonl").write_text(content)
    record_failures([tmp_path], [])
    with pytest.raises(OutputError, match="was not written by docxchunk"):
        record_failures([tmp_path], [failure(tmp_path / "x.docx")])
    assert (tmp_path / "failures.jsonl").read_text() == content
