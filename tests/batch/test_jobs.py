"""Sentences about what a run lost or found."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx_builder import docx
from make_fixtures import DOCUMENTS

from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import (
    REMADE,
    LostChunks,
    Reading,
    damage_of,
    document_of,
    each,
    left_out,
    notes_on,
    opened,
    parse_one,
    removed_chunks,
    size_of,
)
from docxchunk.batch.pool import Failed
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


ONE, TWO = docx("<p>One.</p>"), docx("<p>Two.</p>")
DATED = (DOCUMENTS / "sample-report.docx").read_bytes()  # its id does not depend on its text


def notes_on_replacing(folder, before, after, reading=Reading(), *, is_given=True, has_out=True):  # noqa: B008, PLR0913 - a value
    """Parse two files of one name, the second with `reading`, and return the notes on it."""
    for name, data, made in (("old", before, Reading()), ("new", after, reading)):
        file = folder / name / "a.docx" if has_out else folder / "a.docx"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
        out = folder / "out" if has_out else None
        (item,) = find_inputs([str(file if is_given else file.parent)], out, Scan())
        parsed = parse_one(made._replace(out=out), item)
        assert not parsed.reused
    return parsed.notes


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        (ONE, TWO, "Its id is made of its name alone"),
        (ONE, DATED, "It replaces what was made of another document"),
        (DATED, ONE, "It replaces what was made of another document"),
    ],
)
def test_it_is_said_if_the_folder_of_perhaps_another_document_is_replaced(
    tmp_path, before, after, note
):
    (found,) = notes_on_replacing(tmp_path, before, after)
    assert found.startswith(note)


def test_it_is_not_said_of_an_edited_document_or_beside_the_file(tmp_path):
    folders = (tmp_path / name for name in "abcde")

    def notes(*arguments, **others):
        folder = next(folders)
        folder.mkdir()
        return notes_on_replacing(folder, *arguments, **others)

    assert notes(DATED, DATED + b"\0") == ()
    assert notes(ONE, ONE, Reading(force=True)) == ()
    assert notes(ONE, TWO, Reading(doc_id="mine")) == ()
    assert notes(ONE, TWO, is_given=False) == ()
    assert notes(ONE, TWO, has_out=False) == ()


@pytest.mark.foreign_files
def test_an_edited_folder_is_used_and_a_broken_one_is_made_again(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>text</p>"))
    (item,) = find_inputs([str(tmp_path / "a.docx")], None, Scan())
    parse_one(Reading(), item)
    blocks = item.target / "a.blocks.jsonl"
    whole = blocks.read_bytes()
    blocks.write_bytes(whole.replace(b'"text"', b'"word"'))
    edited = parse_one(Reading(), item)
    assert (edited.reused, len(edited.notes)) == (True, 1)
    assert "was edited after it was written, and is used as it is; `docxchunk" in edited.notes[0]
    assert document_of(item).blocks[0].content == "word"  # as all commands read it
    assert document_of(item, Reading()).blocks[0].content == "text"  # with options that were chosen
    (folder,) = find_inputs([str(item.target)], None, Scan(parsed=True))
    assert document_of(folder).blocks[0].content == "word"
    assert opened(folder, keep=True).notes[0].endswith("used as it is.")
    blocks.write_bytes(whole.replace(b'"level":0', b'"level":"x"'))
    assert blocks.read_bytes() != whole
    again = parse_one(Reading(), item)
    assert (again.reused, again.notes) == (False, (REMADE,))
    assert blocks.read_bytes() == whole


def test_the_size_of_an_input_is_known_if_it_exists(tmp_path):
    (tmp_path / "a.docx").write_bytes(b"12345")
    (item,) = find_inputs([str(tmp_path / "a.docx")], None, Scan())
    assert size_of(item) == 5
    (tmp_path / "a.docx").unlink()
    assert size_of(item) == 0


def test_commands_that_only_read_use_the_parsed_folder_whatever_its_options_are(tmp_path):
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "a.docx"
    file.write_bytes(docx("<p>one <del>two</del></p>"))
    (item,) = find_inputs([str(file)], None, Scan())
    parse_one(Reading(ParseOptions(track_changes="all")), item)
    (labelled,) = find_inputs([str(tmp_path)], None, Scan(recursive=True))
    assert labelled.label != item.label
    for one in (item, labelled):
        source = opened(one)
        assert source.read().blocks[0].content == "one {--two--}"
        assert source.notes == (
            "It is read from its parsed folder, which has other parser options (track_changes all).",
        )
    assert document_of(item, Reading(as_parsed=True)).blocks[0].content == "one {--two--}"
    assert document_of(labelled, Reading(as_parsed=True)).blocks[0].content == "one"  # another id
    assert document_of(item, Reading()).blocks[0].content == "one"
    file.write_bytes(docx("<p>three</p>"))
    assert document_of(item).blocks[0].content == "three"
    assert opened(item).notes == ()
