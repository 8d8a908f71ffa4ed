"""Find the inputs that paths and patterns stand for."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from docxchunk.batch import inputs
from docxchunk.batch.inputs import Input, PassedOver, Scan, find_each, find_inputs
from docxchunk.errors import UsageError
from docxchunk.reader.ids import doc_id_of

pytestmark = pytest.mark.foreign_files


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Return a folder with files of all kinds, which is the current folder."""
    for name in (
        "a.docx",
        "b.DOCX",
        "~$a.docx",
        ".hidden.docx",
        "notes.txt",
        "sub/a.docx",
        "sub/deep/c.docm",
        ".git/x.docx",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name in ("a.docx.parsed", "alone.docx.parsed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.blocks.jsonl").write_text(
            json.dumps({"type": "meta", "document_name": name.removesuffix(".parsed")})
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(paths, out=None, **scan):
    """Return source, target and label of each input."""
    found = find_inputs(paths, out, Scan(**scan))
    told = [item for item in found if not isinstance(item, PassedOver)]
    return [
        f"{item.source} > {item.target} ({item.label})" if isinstance(item, Input) else f"! {item}"
        for item in told
    ]


def test_results_of_a_file_go_into_the_output_folder(tree):
    assert shown(["sub/a.docx"], tree / "out") == [
        f"sub/a.docx > {tree}/out/a.docx.parsed (a.docx)"
    ]


def test_subfolders_are_mirrored_in_the_output_folder(tree):
    assert shown(["."], tree / "out", recursive=True) == [
        f"a.docx > {tree}/out/a.docx.parsed (a.docx)",
        f"b.DOCX > {tree}/out/b.DOCX.parsed (b.DOCX)",
        f"sub/a.docx > {tree}/out/sub/a.docx.parsed (sub/a.docx)",
        f"sub/deep/c.docm > {tree}/out/sub/deep/c.docm.parsed (sub/deep/c.docm)",
    ]


def test_a_name_with_brackets_is_found_by_itself_and_by_a_pattern(tree):
    (tree / "[a].docx").touch()
    assert shown(["*].docx"]) == shown(["[a].docx"]) == ["[a].docx > [a].docx.parsed ([a].docx)"]


def test_links_to_folders_are_not_followed(tree):
    before = shown(["."], recursive=True)
    (tree / "linked").symlink_to(tree / "sub")
    assert shown(["."], recursive=True) == before
    assert shown(["linked"]) == ["linked/a.docx > linked/a.docx.parsed (a.docx)"]


def test_files_that_would_share_an_id_are_labelled_by_their_paths(tree):
    assert shown(["a.docx", "sub/a.docx"]) == [
        "a.docx > a.docx.parsed (a.docx)",
        "sub/a.docx > sub/a.docx.parsed (sub/a.docx)",
    ]
    shutil.copytree(tree / "sub", tree / "new" / "sub")
    labels = [
        item.label
        for item in find_inputs([str(tree / "sub"), "new/sub"], None, Scan())
        if isinstance(item, Input)
    ]
    assert labels == ["sub/a.docx", "new/sub/a.docx"]


def test_a_parsed_folder_without_its_source_beside_it_is_an_input(tree):
    assert shown(["."], parsed=True)[1] == (
        "alone.docx.parsed > alone.docx.parsed (alone.docx.parsed)"
    )
    assert len(shown(["."], parsed=True)) == 3


def test_the_output_folder_of_an_earlier_run_is_not_an_input(tree):
    before = shown(["."], tree / "out", recursive=True, parsed=True)
    parsed(tree / "out" / "gone.docx.parsed", "doc-gone")
    assert shown(["."], tree / "out", recursive=True, parsed=True) == before
    assert len(shown(["out"], tree / "out", parsed=True)) == 1


def parsed(folder, doc_id, **others):
    folder.mkdir(parents=True)
    name = folder.name.removesuffix(".parsed")
    meta = {"type": "meta", "document_name": name, "doc_id": doc_id, **others}
    (folder / "x.blocks.jsonl").write_text(json.dumps(meta))


@pytest.mark.parametrize(
    ("doc_id", "others", "is_input"),
    [
        ("other", {}, True),
        ("id of docs/sub/c.docx", {}, False),
        (doc_id_of("docs/sub/c.docx"), {}, False),  # of an earlier version
        ("other", {"source_sha256": hashlib.sha256(b"bytes").hexdigest()}, False),
        ("other", {"source_sha256": hashlib.sha256(b"other").hexdigest()}, True),
        ("id of sub/c.docx", {}, True),
        (doc_id_of("sub/c.docx"), {}, True),  # perhaps another document
        ("", {}, True),
    ],
)
def test_a_parsed_folder_is_an_input_unless_its_document_is_one(
    tree, monkeypatch, doc_id, others, is_input
):
    monkeypatch.setattr(inputs, "file_id", lambda item: f"id of {item.label}")
    (tree / "docs" / "sub").mkdir(parents=True)
    (tree / "docs" / "sub" / "c.docx").write_bytes(b"bytes")
    parsed(tree / "old" / "c.docx.parsed", doc_id, **others)
    items = find_inputs(["."], None, Scan(recursive=True, parsed=True))
    found = {type(item) for item in items if "old" in Path(item[0]).parts}
    assert found == {Input if is_input else PassedOver}


@pytest.mark.parametrize(
    ("names", "scan", "sentence"),
    [
        ([], Scan(), "empty holds no Word files."),
        (["a.txt/"], Scan(), "empty holds no Word files; --recursive searches subfolders."),
        (["a.txt"], Scan(recursive=True), "empty holds no Word files."),
        (
            ["a.pdf", "b.txt"],
            Scan(recursive=True, parsed=True),
            "empty holds no Word files; text files need a name or pattern, such as 'empty/*.txt'.",
        ),
        (["a.pdf"], Scan(recursive=True, parsed=True), "empty holds no Word files."),
    ],
)
def test_a_folder_without_inputs_says_what_to_do(tree, names, scan, sentence):
    (tree / "empty").mkdir()
    for name in names:
        path = tree / "empty" / name
        path.mkdir() if name.endswith("/") else path.touch()
    *passed_over, error = find_inputs(["empty"], None, scan)
    assert [item.path.name for item in passed_over] == [n for n in names if n[-1] != "/"]
    assert str(error) == sentence


def test_a_parsed_folder_without_blocks_is_to_be_made_again(tree):
    (tree / "b.docx.parsed").mkdir()
    (error,) = find_inputs(["b.docx.parsed"], None, Scan(parsed=True))
    assert str(error) == "b.docx.parsed has no blocks: parse the Word file again."


def test_inputs_of_a_path_that_is_given_twice_come_twice(tree):
    items = find_each(["a.docx", "no.docx", "./a.docx", "sub/a.docx", "a.docx"], Scan())
    assert [item.label if isinstance(item, Input) else str(item) for item in items] == [
        "a.docx",
        "no.docx does not exist.",
        "a.docx",
        "sub/a.docx",
        "a.docx",
    ]


def test_an_existing_file_takes_precedence_over_a_pattern(tree):
    (tree / "[draft] a?.docx").touch()
    assert shown(["[draft] a?.docx"]) == [
        "[draft] a?.docx > [draft] a?.docx.parsed ([draft] a?.docx)"
    ]


def test_missing_paths_are_errors_in_their_place(tree):
    (tree / "empty").mkdir()
    assert shown(["no.docx", "a.docx", "*.none", "empty"]) == [
        "! no.docx does not exist.",
        "a.docx > a.docx.parsed (a.docx)",
        "! No file matches *.none.",
        "! empty holds no Word files.",
    ]


def test_the_same_file_twice_is_one_input(tree):
    assert shown(["a.docx", "./a.docx", "sub/../a.docx"]) == ["a.docx > a.docx.parsed (a.docx)"]


def test_two_inputs_with_one_target_are_refused(tree):
    with pytest.raises(
        UsageError, match=r"a.docx and sub/a.docx would both be written to .*out/a.docx.parsed"
    ):
        find_inputs(["a.docx", "sub/a.docx"], tree / "out", Scan())
