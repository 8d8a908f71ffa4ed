"""The file failures.jsonl."""

from __future__ import annotations

import json
import logging
import os

import pytest

from docxchunk.batch.jobs import Failure, record_failures
from docxchunk.batch.pool import Failed, guarded
from docxchunk.errors import DamagedError, MissingExtraError, OutputError, StorageError, UsageError


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


@pytest.mark.parametrize("content", ["mine", '{"input": "of another tool"}', ""])
def test_a_failures_file_of_another_program_is_not_changed(tmp_path, content):
    (tmp_path / "failures.jsonl").write_text(content)
    record_failures([tmp_path], [])
    with pytest.raises(OutputError, match="was not written by docxchunk"):
        record_failures([tmp_path], [failure(tmp_path / "x.docx")])
    assert (tmp_path / "failures.jsonl").read_text() == content


def test_the_place_of_a_fault_is_logged_for_those_who_look_for_it(caplog):
    """Of known errors, the sentence says enough."""
    caplog.set_level(logging.DEBUG, "docxchunk.batch")

    def fail(error):
        raise error

    assert guarded(fail, KeyError("x")).error == "KeyError"
    assert guarded(fail, DamagedError("It is broken.")) == Failed("It is broken.", "DamagedError")
    (record,) = caplog.records
    assert record.exc_info[0] is KeyError
    assert record.getMessage() == "'x'"
    for error in (StorageError("full"), UsageError("wrong"), MissingExtraError("none")):
        with pytest.raises(type(error)):
            guarded(fail, error)
