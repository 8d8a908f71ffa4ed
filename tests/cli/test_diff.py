"""docxchunk diff"""

from __future__ import annotations

import json
import re
import shutil

import pytest
from case_files import each_row, sections
from cli.helpers import docxchunk
from docx_builder import docx
from make_fixtures import DOCUMENTS
from written import validator

from docxchunk import api


def content(edit="", moved=""):
    sections = [
        f"<p style='Heading1'>Part {n}</p>"
        + f"<p>{f'Some words of part {n} that fill a page. ' * 9}</p>" * 3
        for n in range(12)
    ]
    sections[5] += edit and f"<p>{edit}</p>"
    return docx("".join(sections) + moved)


@pytest.fixture
def versions(tmp_path):
    for name, data in (("old", content()), ("new", content("One more sentence."))):
        (tmp_path / f"{name}.docx").write_bytes(data)
    return tmp_path


def test_two_word_files_are_compared_as_versions(versions):
    said = docxchunk("diff old.docx new.docx")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "added  Part 5, about p. 2, ¶ 25: One more sentence.",
        "1 added; 3 words inserted, 0 deleted.",
        "not compared: formatting, pictures",
    ]
    docxchunk("chunk old.docx -n 300 -o out")
    said = docxchunk("diff out/old.docx.parsed new.docx --index").out
    assert said.endswith(
        "\n15 chunks: 0 added, 0 removed, 1 changed, 0 moved, 14 unchanged.\n"
        "For an index: 1 to upsert, 8 to update without embedding again, 1 to delete.\n"
    )
    assert sorted(path.name for path in versions.iterdir()) == ["new.docx", "old.docx", "out"]


def test_rules_name_the_places_of_word_files(versions):
    (versions / "house.toml").write_text('"heading 1" = "no"', "utf-8")
    said = docxchunk("diff old.docx new.docx --rules house.toml")
    assert said.out.startswith("added  about p. 2, ¶ 25: One more sentence.\n")
    docxchunk("parse old.docx")
    for command in ("diff old.docx.parsed new.docx", "diff old.docx new.docx --index"):
        said = docxchunk(f"{command} --rules house.toml")
        assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("case", sections("versions.txt"), ids=lambda case: case.title)
def test_changes_for_people(tmp_path, case):
    (tmp_path / "old.md").write_text(case.source, "utf-8")
    (tmp_path / "new.md").write_text(case.results["new"], "utf-8")
    said = docxchunk("diff old.md new.md")
    *places, last = said.out.splitlines()
    assert places == case.results["changes"].splitlines()
    assert last == "not compared: formatting, pictures"


def test_one_word_file_shows_its_tracked_changes(tmp_path):
    shutil.copy(DOCUMENTS / "tracked-changes.docx", tmp_path)
    one = docxchunk("diff tracked-changes.docx")
    for view in ("original", "final"):
        docxchunk("parse tracked-changes.docx --track-changes", view, "-o", view)
    folders = [f"{view}/tracked-changes.docx.parsed" for view in ("original", "final")]
    both = docxchunk("diff", *folders, "--stat")
    counted = docxchunk("diff tracked-changes.docx --stat")
    *changes, missing = counted.out.splitlines()
    assert (counted.code, counted.err, changes) == (0, "", both.out.splitlines()[:-1])
    assert missing == "not compared: addresses of links in tables, formatting, pictures"
    assert both.out.splitlines()[-1].startswith(
        "not compared: addresses of links in tables, comments, deleted text of tracked "
    )
    listed = docxchunk("show tracked-changes.docx --changes")
    assert (one.code, one.err, one.out) == (0, "", listed.out)
    assert docxchunk("diff", folders[1]).out == listed.out
    assert "{+200+}" in one.out
    beside = docxchunk("diff", folders[0], "tracked-changes.docx")
    assert beside.out.startswith("The words have not changed.")
    assert beside.err == (
        "note  tracked-changes.docx.parsed: tracked-changes.docx is read in the same way, with "
        "--track-changes original: `docxchunk diff tracked-changes.docx` shows its tracked "
        "changes.\n"
    )
    (tmp_path / "plain.docx").write_bytes(docx("<p>Text.</p>"))
    nothing = docxchunk("diff plain.docx")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "There are no tracked changes.\n")
    page = docxchunk("diff tracked-changes.docx --html changes.html")
    assert (page.code, page.err) == (0, "")
    title = "<title>tracked-changes.docx before its changes → after them"
    assert title in (tmp_path / "changes.html").read_text("utf-8")
    (tmp_path / "a.md").write_text("Text.")
    for path in ("a.md", "."):
        refused = docxchunk("diff", path)
        assert (refused.code, refused.out) == (2, "")
        assert "is not a Word file: give two versions, or one Word file" in refused.err


def test_changes_as_json_and_the_exit_code(versions):
    files = ("old.docx", "new.docx")
    said = docxchunk("diff", *files, "--json", "--exit-code")
    record = json.loads(said.out)
    assert (said.code, [change["kind"] for change in record["changes"]]) == (1, ["added"])
    assert record["changes"][0]["spans"] == [{"change": "ins", "text": "One more sentence."}]
    assert record["not_compared"] == ["formatting", "pictures"]
    docxchunk("chunk old.docx")
    for options in ((), ("--index",), ("--stat",)):
        files = ("old.docx.parsed", "new.docx") if "--index" in options else files
        assert docxchunk("diff", *files, *options).code == 0
        assert docxchunk("diff", *files, *options, "--exit-code").code == 1
        same = (files[0], "old.docx", *options, "--exit-code")
        assert docxchunk("diff", *same).code == 0


def test_html_page_of_the_changes(versions):
    said = docxchunk("diff old.docx new.docx --html changes.html")
    assert (said.code, said.out, said.err) == (0, "changes.html\n", "")
    page = (versions / "changes.html").read_text("utf-8")
    assert "<title>old.docx → new.docx" in page
    assert "3 words inserted, 0 deleted" in page
    assert "<ins>One more sentence.</ins>" in page
    assert docxchunk("diff old.docx new.docx --html new.docx").code == 2


def test_json_lines_update_an_index(versions):
    def index(name):
        return {
            chunk.chunk_id: chunk.content
            for chunk in api.chunk(
                api.parse(versions / name, doc_id=api.parse(versions / "old.docx").doc_id),
                max_tokens=300,
            )
        }

    docxchunk("chunk old.docx -n 300")
    held = index("old.docx")
    result = docxchunk("diff old.docx.parsed new.docx --format jsonl")
    assert "'--format' is deprecated. Use --index, with --json" in result.err
    for said in map(json.loads, result.out.splitlines()):
        validator("action").validate(said)
        if said["action"] == "delete":
            del held[said["chunk_id"]]
        elif said["action"] == "upsert":
            held[said["chunk_id"]] = said["chunk"]["content"]
    assert held == index("new.docx")


def test_json_lines_update_an_index_of_units(versions):
    """The units of one side are read, those of the other are made."""

    def index():
        out = docxchunk("export new.docx --units").out
        return {
            record["unit_id"]: record["index_text"] for record in map(json.loads, out.splitlines())
        }

    docxchunk("chunk new.docx -n 300 --units")
    held = index()
    shutil.move(versions / "old.docx", versions / "new.docx")
    said = docxchunk("diff new.docx.parsed new.docx --units --json")
    actions = list(map(json.loads, said.out.splitlines()))
    upserts = [action["unit"] for action in actions if action["action"] == "upsert"]
    assert {unit["context"] for unit in upserts} == {"Part 5"}  # the only section with an edit
    for action in actions:
        validator("action").validate(action)
        if action["action"] == "delete":
            del held[action["unit_id"]]
        else:
            validator("unit").validate(action["unit"])
            held[action["unit_id"]] = action["unit"]["index_text"]
    shown = docxchunk("diff new.docx.parsed new.docx --units").out
    assert f"{len(upserts)} to upsert" in shown
    assert f"{len(upserts)} to delete" in shown
    assert re.search(rf" 0 added, 0 removed, {len(upserts)} changed, 0 moved", shown)
    docxchunk("chunk new.docx -n 300 --units")
    assert held == index()


def test_chunks_that_cannot_be_compared_are_refused(versions):
    for name in ("old", "new"):
        docxchunk("chunk", f"{name}.docx")
    said = docxchunk("diff old.docx.parsed new.docx.parsed --index")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Error: Chunks of different documents cannot be compared (doc-")
    docxchunk("chunk old.docx -n 300 -o out")
    said = docxchunk("diff old.docx.parsed out/old.docx.parsed --index")
    assert (
        "chunked with different settings (max_tokens 2000 and 300) and cannot be compared"
    ) in said.err
    docxchunk("chunk old.docx --tables markdown -n 300 -o forms")
    assert (
        "(tables json and markdown)"
        in docxchunk("diff out/old.docx.parsed forms/old.docx.parsed --index").err
    )
    assert docxchunk("diff nowhere old.docx") == (1, "", "Error: nowhere does not exist.\n")
    docxchunk("chunk old.docx -s R")
    both = ("old.docx.parsed", "old.docx")
    assert "several chunk files" in docxchunk("diff", *both, "--index").err
    assert docxchunk("diff", *both, "--index", "-s", "R").code == 0
    assert docxchunk("diff", *both).code == 0


def test_other_parser_options_are_reported(versions):
    docxchunk("chunk old.docx --comments")
    docxchunk("chunk old.docx -o out")
    options = "note  old.docx.parsed: It was read with other parser options (comments True)."
    both = ("old.docx.parsed", "out/old.docx.parsed")
    said = docxchunk("diff", *both, "--index")
    assert (said.code, said.err.splitlines()) == (0, [options])
    assert docxchunk("diff", *both).err.splitlines() == [options]
    assert docxchunk("diff old.docx.parsed old.docx").err == ""


@each_row("cli", arguments=str.split, code=int)
def test_versions_that_cannot_be_compared(versions, arguments, code, sentence):
    assert docxchunk("diff", *arguments) == (code, "", f"Error: {sentence}\n")


@pytest.fixture
def folders(tmp_path):
    """Two folders of documents in the middle of which one has changed; the first has results."""
    for name, texts in (
        ("may", {"a": "", "sub/b": "", "gone": ""}),
        ("june", {"a": "", "sub/b": "One more sentence.", "new": ""}),
    ):
        for text, edit in texts.items():
            (tmp_path / name / text).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / f"{text}.docx").write_bytes(content(edit))
        docxchunk("chunk", name, "-r", "-o", f"out-{name}", "-n", 300)
    return tmp_path


@pytest.mark.parametrize("new", ["out-june", "june"])
def test_documents_of_two_folders_are_compared(folders, new):
    said = docxchunk("diff out-may", new, "--index")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "removed  gone.docx: 15 to delete",
        "added  new.docx: 15 to upsert",
        "changed  sub/b.docx: 1 to upsert, 8 to update, 1 to delete",
        "60 chunks: 15 added, 15 removed, 1 changed, 0 moved, 29 unchanged.",
        "For an index: 16 to upsert, 8 to update without embedding again, 16 to delete.",
    ]


@pytest.mark.parametrize("new", ["out-june", "june"])
def test_the_words_of_two_folders_are_compared(folders, new):
    said = docxchunk("diff out-may", new)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "changed  sub/b.docx: 1 added; 3 words inserted, 0 deleted.",
        "added  Part 5, about p. 2, ¶ 25: One more sentence.",
        "renamed  gone.docx → new.docx",
        "3 documents: 0 added, 0 removed, 1 renamed, 1 changed, 1 unchanged.",
        "not compared: comments, page headers and footers, formatting, pictures",
    ]
    (folders / "june/new.docx").write_bytes(content("Other words."))
    said = docxchunk("diff may june --exit-code")
    assert (said.code, said.out.splitlines()[2:5]) == (
        1,
        [
            "added  new.docx",
            "removed  gone.docx",
            "4 documents: 1 added, 1 removed, 0 renamed, 1 changed, 1 unchanged.",
        ],
    )
    records = docxchunk("diff may june --json").out.splitlines()
    kinds = [(record["label"], record["kind"]) for record in map(json.loads, records)]
    assert kinds == [
        *(("a.docx", "unchanged"), ("sub/b.docx", "changed")),
        *(("new.docx", "added"), ("gone.docx", "removed")),
    ]


def test_documents_that_cannot_be_compared_are_reported(folders):
    docxchunk("chunk june/a.docx -n 400 -o out-june")
    said = docxchunk("diff out-may out-june --index")
    assert said.code == 1
    assert said.err.startswith(
        "failed  a.docx: The two sides were chunked with different "
        "settings (max_tokens 300 and 400)"
    )
    assert "45 chunks: 15 added, 15 removed, 1 changed, 0 moved, 14 unchanged." in said.out
    (folders / "empty").mkdir()
    assert "3 removed" in docxchunk("diff out-may empty").out
    (folders / "june/a.docx").write_bytes(b"PK broken")
    said = docxchunk("diff may june")
    assert said.code == 1
    assert said.err.startswith("failed  a.docx: ")
    assert " 2 changed" in said.out
    assert docxchunk("diff empty empty").code == 2
    assert docxchunk("diff out-may nowhere") == (1, "", "Error: nowhere does not exist.\n")
    assert docxchunk("diff out-may out-june --html x.html").code == 2
