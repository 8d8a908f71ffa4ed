"""Sentences about what a run lost or found, and the file failures.jsonl."""

from __future__ import annotations

import json
import logging
import os

import pytest
from docx_builder import docx

from docxchunk.batch.inputs import Scan, find_inputs
from docxchunk.batch.jobs import Reading, damage_of, parse_one
from docxchunk.batch.pool import Failed, Failure, guarded
from docxchunk.cli.input_run import record_failures
from docxchunk.errors import DamagedError, MissingExtraError, OutputError, StorageError, UsageError
from docxchunk.model.document import Issue, IssueCode
from docxchunk.model.options import ParseOptions

CUT = Issue(IssueCode.MAIN_PART_CUT, "word/document.xml", "The main part is cut.")
REPAIRED = Issue(IssueCode.PACKAGE_REPAIRED, "", "The directory is damaged.")
OTHER = Issue(IssueCode.HEADING_EMPTY, "", "A heading is empty.")


@pytest.mark.parametrize(
    ("issues", "lost", "reason"),
    [
        ([OTHER, REPAIRED], "parts of it may be lost", "The directory is damaged."),
        ([CUT], "a part of its text is lost", "The main part is cut."),
        ([REPAIRED, CUT], "a part of its text is lost", "The main part is cut. (and 1 more)"),
        ([CUT, REPAIRED, REPAIRED], "a part of its text is lost", f"{CUT.message} (and 2 more)"),
    ],
)
def test_the_most_serious_damage_is_told(issues, lost, reason):
    assert damage_of(issues).message == f"The file is damaged, and {lost}: {reason}"


@pytest.mark.parametrize(
    ("other", "source"),
    [
        (Reading(doc_id="mine"), "<p>text</p>"),
        (Reading(options=ParseOptions(comments=True)), "<p>text</p>"),
        (Reading(), "<p>other text</p>"),
    ],
)
def test_a_folder_is_used_again_for_the_same_file_options_and_id(tmp_path, other, source):
    file = tmp_path / "a.docx"
    file.write_bytes(docx("<p>text</p>"))
    (item,) = find_inputs([str(file)], None, Scan())
    assert [parse_one(Reading(), item).reused for _ in range(2)] == [False, True]
    file.write_bytes(docx(source))
    again = [parse_one(other, item) for _ in range(2)]
    assert [(parsed.reused, parsed.notes) for parsed in again] == [(False, ()), (True, ())]
    assert not parse_one(other._replace(force=True), item).reused


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
