"""Sentences about what a run lost or found."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx_builder import docx

from docxchunk.batch.failures import Failed
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import (
    LostChunks,
    Reading,
    damage_of,
    each,
    left_out,
    notes_on,
    parse_one,
    removed_chunks,
)
from docxchunk.errors import NotWordError
from docxchunk.model.document import Document, Issue, IssueCode
from docxchunk.model.options import ParseOptions
from docxchunk.sidecar.files import _hidden_path

CUT = Issue(IssueCode.MAIN_PART_CUT, "word/document.xml", "The main part is cut.")
REPAIRED = Issue(IssueCode.PACKAGE_REPAIRED, "", "The directory is damaged.")
IGNORED = Issue(IssueCode.LINE_IGNORED, "a.blocks.jsonl", "line 3 is not JSON.")
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


def test_other_issues_are_no_damage():
    assert damage_of([OTHER, IGNORED]) is None


def test_notes_are_about_damage_and_about_what_a_folder_lacks():
    def notes(*issues):
        return notes_on(Document("a.docx", "docx", "doc", "", (), issues=issues))

    assert notes(OTHER) == ()
    assert notes(CUT) == (damage_of([CUT]).message,)
    assert notes(CUT, IGNORED) == (*left_out([IGNORED]), damage_of([CUT]).message)


def test_what_a_folder_lacks_is_told_once():
    assert left_out([OTHER, CUT]) == []
    (sentence,) = left_out([OTHER, IGNORED, IGNORED._replace(message="line 4 is not JSON.")])
    assert sentence.endswith("(2 faults): line 3 is not JSON.")


FILES = (Path("out/a.chunks.jsonl"), Path("out/a.R.chunks.jsonl"))


@pytest.mark.parametrize(
    ("lost", "why", "names"),
    [
        (LostChunks(FILES), "Its text has changed", "a.chunks.jsonl, a.R.chunks.jsonl"),
        (
            LostChunks(FILES[:1], "comments True", "A note."),
            "It was read with other parser options before (comments True)",
            "a.chunks.jsonl",
        ),
    ],
)
def test_chunks_that_are_gone_are_named(lost, why, names):
    *notes, sentence = removed_chunks(lost)
    assert notes == [lost.note] * bool(lost.note)
    assert sentence.startswith(f"{why}, and the chunks of the earlier text are gone ({names}): ")


def test_without_lost_chunks_there_is_at_most_the_note():
    assert removed_chunks(LostChunks(options="comments True")) == []
    assert removed_chunks(LostChunks(note="A note.")) == ["A note."]


@pytest.mark.foreign_files
def test_a_parsed_folder_is_not_parsed(tmp_path):
    (tmp_path / "a.blocks.jsonl").write_text('{"type":"meta"}')
    (item,) = find_inputs([str(tmp_path)], None, Scan())
    with pytest.raises(NotWordError, match="give the Word file"):
        parse_one(Reading(), item)


def test_unfinished_files_are_removed_if_the_process_that_wrote_them_was_killed(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>text</p>"))
    (item,) = find_inputs([str(tmp_path)], None, Scan())

    def killed(_: Input) -> None:
        _hidden_path(item.target, "new").mkdir()
        raise MemoryError

    ((_, failed),) = each(killed, [item], 1)
    assert isinstance(failed, Failed)
    assert [path.name for path in tmp_path.iterdir()] == ["a.docx"]


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
