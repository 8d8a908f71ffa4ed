"""Sentences about what a run lost or found."""

from __future__ import annotations

import pytest
from docx_builder import docx

from docxchunk.batch.inputs import Scan, find_inputs
from docxchunk.batch.jobs import Reading, damage_of, parse_one
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
