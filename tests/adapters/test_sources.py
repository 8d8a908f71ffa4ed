"""Unreadable files and parser options, in all adapters."""

from __future__ import annotations

import pytest
from cli.helpers import REPORT

from docxchunk.adapters.sources import policy, read_all
from docxchunk.errors import InputError, UsageError
from docxchunk.model.options import ParseOptions


@pytest.fixture
def reports(tmp_path):
    for name, data in (("a.docx", REPORT), ("bad.docx", b""), ("c.docx", REPORT)):
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_the_error_names_the_file(reports):
    with pytest.raises(InputError, match=r"bad\.docx: The file is empty") as caught:
        list(read_all(reports))
    assert caught.value.path == str(reports / "bad.docx")


def test_skipping_a_file_logs_a_warning_that_names_it(reports, caplog):
    found = [source.path.name for source in read_all(reports, policy(None, "skip"))]
    assert found == ["a.docx", "c.docx"]
    assert [str(reports / "bad.docx") in message for message in caplog.messages] == [True]


def test_the_options_of_the_parser(reports):
    (source,) = read_all(
        reports / "a.docx", policy(ParseOptions(track_changes="original"), "raise")
    )
    assert "old" in "".join(block.content for block in source.document.blocks)


def test_bad_arguments_are_refused():
    with pytest.raises(UsageError, match="on_error is 'ignore'; it must be raise or skip"):
        policy(None, "ignore")
    with pytest.raises(UsageError, match="options is"):
        policy({"comments": True}, "raise")
