"""Find the inputs that paths and patterns stand for."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from docx_builder import docx
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.batch import inputs
from docxchunk.batch.inputs import (
    Input,
    InputKind,
    PassedOver,
    Scan,
    file_id,
    find_each,
    find_inputs,
    gone,
    refuse_links,
)
from docxchunk.errors import MissingFileError, OutputError, UsageError
from docxchunk.model.options import Convert
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


def test_results_of_a_file_go_beside_it(tree):
    assert shown(["sub/a.docx"]) == ["sub/a.docx > sub/a.docx.parsed (a.docx)"]


def test_results_of_a_file_go_into_the_output_folder(tree):
    assert shown(["sub/a.docx"], tree / "out") == [
        f"sub/a.docx > {tree}/out/a.docx.parsed (a.docx)"
    ]


def test_a_folder_stands_for_its_word_files(tree):
    assert shown(["."]) == ["a.docx > a.docx.parsed (a.docx)", "b.DOCX > b.DOCX.parsed (b.DOCX)"]


def test_subfolders_are_mirrored_in_the_output_folder(tree):
    assert shown(["."], tree / "out", recursive=True) == [
        f"a.docx > {tree}/out/a.docx.parsed (a.docx)",
        f"b.DOCX > {tree}/out/b.DOCX.parsed (b.DOCX)",
        f"sub/a.docx > {tree}/out/sub/a.docx.parsed (sub/a.docx)",
        f"sub/deep/c.docm > {tree}/out/sub/deep/c.docm.parsed (sub/deep/c.docm)",
    ]


@pytest.mark.parametrize(
    ("recursive", "names"),
    [
        (False, ["notes.txt", "old.doc", "sub/a.docx"]),
        (True, ["notes.txt", "old.doc", "sub/scan.PDF"]),
    ],
)
def test_skipped_files_are_listed(tree, recursive, names):
    for name in ("old.doc", "sub/scan.PDF", "picture.png", "~$old.doc", "a.docx.html"):
        (tree / name).touch()
    (tree / "folder.pdf").mkdir()
    found = find_inputs(["."], None, Scan(recursive=recursive))
    assert [str(item.path) for item in found if isinstance(item, PassedOver)] == names


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a.doc", "--convert libreoffice reads them"),
        ("a.RTF", "--convert libreoffice reads them"),
        ("a.pdf", "save as .docx first"),
        ("a.ODT", "save as .docx first"),
        ("a.txt", "name such files, or give a pattern"),
        ("a.docx.parsed", "their documents are read"),
    ],
)
def test_the_reason_says_how_to_include_a_skipped_file(name, reason):
    assert PassedOver(Path(name)).reason == reason


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


def test_files_of_one_name_with_other_ids_keep_their_labels(tree, monkeypatch):
    """As documents with other creation dates have."""
    ids = {"old": "doc-1", "new": "doc-2", "copy": "doc-2"}
    monkeypatch.setattr(inputs, "file_id", lambda item: ids[item.source.parent.name])
    for folder in ids:
        (tree / folder).mkdir()
        (tree / folder / "c.docx").touch()

    def labels(*folders):
        found = find_inputs([f"{folder}/c.docx" for folder in folders], None, Scan())
        return [item.label for item in found if isinstance(item, Input)]

    assert labels("old", "new") == ["c.docx", "c.docx"]
    assert labels("old", "new", "copy") == ["c.docx", "new/c.docx", "copy/c.docx"]


def test_parsed_folders_with_the_same_name_keep_their_labels_because_their_ids_are_stored(tree):
    for folder in ("old", "new"):
        shutil.copytree(tree / "alone.docx.parsed", tree / folder / "alone.docx.parsed")
    items = find_inputs(["old/alone.docx.parsed", "new/alone.docx.parsed"], None, Scan())
    assert [(item.label, item.note) for item in items if isinstance(item, Input)] == [
        ("alone.docx.parsed", "")
    ] * 2


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


def test_parsed_folders_of_the_same_documents_are_not_inputs(tree):
    before = shown(["."], tree / "new", recursive=True, parsed=True)
    parsed(tree / "old" / "sub" / "a.docx.parsed", doc_id_of("sub/a.docx"))
    assert shown(["."], tree / "new", recursive=True, parsed=True) == before
    items = find_inputs(["."], tree / "new", Scan(recursive=True, parsed=True))
    passed_over = [item for item in items if isinstance(item, PassedOver)]
    assert (Path("old/sub/a.docx.parsed"), "their documents are read") in [
        (item.path, item.reason) for item in passed_over
    ]
    parsed(tree / "old" / "b.pdf.parsed", doc_id_of("b.pdf"))
    assert len(shown(["."], tree / "new", recursive=True, parsed=True)) == len(before) + 1


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
        ("id of sub/c.docx", {}, False),  # the folder "docs" was given before
        ("id of c.docx", {}, False),
        ("id of c.docx", {"document_name": "d.docx"}, True),
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
        ([], Scan(), "empty holds no Word files; --recursive searches subfolders."),
        ([], Scan(recursive=True), "empty holds no Word files."),
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
        (tree / "empty" / name).touch()
    *passed_over, error = find_inputs(["empty"], None, scan)
    assert [item.path.name for item in passed_over] == names
    assert str(error) == sentence


def test_a_parsed_folder_without_blocks_is_to_be_made_again(tree):
    (tree / "b.docx.parsed").mkdir()
    (error,) = find_inputs(["b.docx.parsed"], None, Scan(parsed=True))
    assert str(error) == "b.docx.parsed has no blocks: parse the Word file again."


def test_files_that_can_be_converted_are_inputs_on_request(tree):
    for name in ("old.doc", "old.RTF", "old.pdf"):
        (tree / name).touch()

    def sources(convert):
        items = find_inputs(["."], None, Scan(convert=convert))
        return [item.source.name for item in items if isinstance(item, Input)]

    assert sources(Convert.NONE) == ["a.docx", "b.DOCX"]
    assert sources(Convert.LIBREOFFICE) == ["a.docx", "b.DOCX", "old.RTF", "old.doc"]


def test_a_folder_that_cannot_be_listed_is_an_error_after_the_inputs(tree, monkeypatch):
    (tree / "closed").mkdir()
    listed = Path.iterdir

    def iterdir(folder):
        if folder.name == "closed":
            raise PermissionError(13, "Permission denied")
        return sorted(
            listed(folder), reverse=True
        )  # on every file system, the order is that of names

    monkeypatch.setattr(Path, "iterdir", iterdir)
    found = shown(["."], recursive=True)
    assert [line.split()[0] for line in found[:-1]] == [
        "a.docx",
        "b.DOCX",
        "sub/a.docx",
        "sub/deep/c.docm",
    ]
    assert found[-1] == "! closed cannot be read (Permission denied)."
    assert shown(["closed"]) == found[-1:]


def test_inputs_of_a_path_that_is_given_twice_come_twice(tree):
    items = find_each(["a.docx", "no.docx", "./a.docx", "sub/a.docx", "a.docx"], Scan())
    assert [item.label if isinstance(item, Input) else str(item) for item in items] == [
        "a.docx",
        "no.docx does not exist.",
        "a.docx",
        "sub/a.docx",
        "a.docx",
    ]


def test_the_id_of_a_file_that_cannot_be_read_is_that_of_its_label(tree):
    items = find_inputs(["a.docx", "notes.txt", "sub"], None, Scan())
    (tree / "a.docx").unlink()
    found = [item for item in items if isinstance(item, Input)]
    assert [file_id(item) for item in found] == [doc_id_of(item.label) for item in found]
    (tree / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    (old,) = find_inputs(["old.doc"], None, Scan())
    assert file_id(old) == doc_id_of("old.doc")
    shutil.copy(DOCUMENTS / "sample-report.docx", "dated.docx")
    (dated,) = find_inputs(["dated.docx"], None, Scan())
    assert file_id(dated) == api.parse("dated.docx").doc_id != doc_id_of("dated.docx")


@pytest.mark.parametrize("path", ["a.docx.parsed", "a.docx.parsed/x.blocks.jsonl"])
def test_chunks_of_a_parsed_folder_go_into_it_or_into_the_output_folder(tree, path):
    assert shown([path]) == [f"{path} > a.docx.parsed (a.docx.parsed)"]
    assert shown([path], tree / "out") == [f"{path} > {tree}/out/a.docx.parsed (a.docx.parsed)"]


def test_patterns(tree):
    assert shown(["s*/*.docx"]) == ["sub/a.docx > sub/a.docx.parsed (a.docx)"]
    assert shown(["**/*.docm"]) == ["sub/deep/c.docm > sub/deep/c.docm.parsed (c.docm)"]


def test_the_matches_of_a_pattern_are_sorted(tree, monkeypatch):
    monkeypatch.setattr("glob.glob", lambda *_, **__: ["sub/a.docx", "b.DOCX"])
    assert [line.split()[0] for line in shown(["*"])] == ["b.DOCX", "sub/a.docx"]


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
        "! empty holds no Word files; --recursive searches subfolders.",
    ]


def test_the_same_file_twice_is_one_input(tree):
    assert shown(["a.docx", "./a.docx", "sub/../a.docx"]) == ["a.docx > a.docx.parsed (a.docx)"]


def test_two_inputs_with_one_target_are_refused(tree):
    with pytest.raises(
        UsageError, match=r"a.docx and sub/a.docx would both be written to .*out/a.docx.parsed"
    ):
        find_inputs(["a.docx", "sub/a.docx"], tree / "out", Scan())


def test_kinds_of_inputs(tree):
    kinds = [
        item.kind
        for item in find_inputs(["a.docx", "notes.txt", "alone.docx.parsed"], None, Scan())
        if isinstance(item, Input)
    ]
    assert kinds == [InputKind.WORD, InputKind.TEXT, InputKind.PARSED]


def test_undecodable_file_names_are_escaped(tree):
    try:
        open(b"bad\xff.docx", "wb").close()  # noqa: PTH123
    except OSError:
        pytest.skip("the file system wants names in UTF-8")
    (item,) = find_inputs([os.fsdecode(b"bad\xff.docx")], None, Scan())
    assert isinstance(item, Input)
    assert (item.name, item.target.name) == ("bad\\xff.docx", "bad\\xff.docx.parsed")


def test_two_undecodable_names_have_two_targets(tree):
    try:
        for name in (b"b\xff\xe9.docx", b"b\xfe\xe8.docx"):
            open(name, "wb").close()  # noqa: PTH123
    except OSError:
        pytest.skip("the file system wants names in UTF-8")
    found = find_inputs(["."], None, Scan())
    assert {item.target.name for item in found if isinstance(item, Input)} >= {
        "b\\xff\\xe9.docx.parsed",
        "b\\xfe\\xe8.docx.parsed",
    }


def test_a_broken_link_is_an_input(tree):
    (tree / "broken.docx").symlink_to(tree / "nowhere.docx")
    assert "broken.docx" in [
        item.name for item in find_inputs(["."], None, Scan()) if isinstance(item, Input)
    ]


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["a-link", "real"], "real"),
        (["real", "z-link"], "real"),
        (["a-link", "b-link"], "a-link"),  # the file itself is not given
    ],
)
def test_a_file_takes_precedence_over_a_link_to_it_and_the_first_link_over_others(
    tree, names, chosen
):
    (tree / "sub2").mkdir()
    (tree / "sub2" / "real.docx").write_bytes(b"x")
    for link in {*names} - {"real"}:
        (tree / "sub2" / f"{link}.docx").symlink_to(tree / "sub2" / "real.docx")
    found = find_inputs([f"sub2/{name}.docx" for name in names], None, Scan())
    assert [item.name for item in found if isinstance(item, Input)] == [f"{chosen}.docx"]


@pytest.mark.parametrize("out", ["", "out"])
@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["docs"], ["old.docx.parsed"]),
        (["docs", "more"], ["old.docx.parsed"]),
        (["docs", "missing"], []),  # nothing is known of what is there
        (["docs/kept.docx"], []),
        (["alone.docx.parsed"], []),
        (["empty"], []),
    ],
)
def test_what_was_made_of_documents_that_are_gone_is_known_if_all_folders_are_read(
    tree, paths, expected, out
):
    for name in ("docs/kept.docx", "more/other.docx"):
        (tree / name).parent.mkdir()
        (tree / name).write_bytes(docx(f"<p>{name}</p>"))
    (tree / "empty").mkdir()
    place = tree / (out or "docs")
    for name in ("kept", "old"):
        shutil.copytree(tree / "alone.docx.parsed", place / f"{name}.docx.parsed")
    (place / "linked.docx.parsed").symlink_to(tree / "alone.docx.parsed")  # not made there
    scan, target = Scan(parsed=True), tree / out if out else None
    found = gone(paths, target, scan, find_inputs(paths, target, scan))
    assert [folder.name for folder in found] == expected


def test_a_document_that_is_no_input_is_not_gone(tree):
    """A text file in a folder is not read, but it can be given by itself."""
    for name in ("docs/a.docx", "docs/notes.txt", "more/b.docx"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_bytes(docx(f"<p>{name}</p>"))
    for name in ("notes.txt", "old.txt"):
        shutil.copytree(tree / "alone.docx.parsed", tree / "out" / f"{name}.parsed")
    paths, out = ["docs", "more"], tree / "out"
    found = gone(paths, out, Scan(), find_inputs(paths, out, Scan()))
    assert [folder.name for folder in found] == ["old.txt.parsed"]


def test_a_folder_may_be_gone_with_its_documents(tree):
    for name in ("docs/kept.docx", "docs/sub/kept.docx"):
        (tree / name).parent.mkdir()
        (tree / name).write_bytes(docx(f"<p>{name}</p>"))
    for name in ("kept", "sub/kept", "sub/old", "other/old"):
        shutil.copytree(tree / "alone.docx.parsed", tree / "out" / f"{name}.docx.parsed")
    scan, out = Scan(recursive=True), tree / "out"
    found = gone(["docs"], out, scan, find_inputs(["docs"], out, scan))
    assert [folder.relative_to(out).as_posix() for folder in found] == [
        "other/old.docx.parsed",
        "sub/old.docx.parsed",
    ]


def test_an_empty_path_is_refused(tree):
    with pytest.raises(UsageError, match="A path is empty"):
        find_inputs(["a.docx", ""], None, Scan())


def test_links_below_the_output_folder_are_refused(tree):
    (tree / "out").mkdir()
    (tree / "out" / "sub").symlink_to(tree / "sub")
    (tree / "linked").symlink_to(tree / "out")  # the output folder itself may be a link
    for out in ("out", "linked"):
        refuse_links(tree / out, tree / out / "other" / "a.docx.parsed")
    with pytest.raises(OutputError, match="symbolic link"):
        refuse_links(tree / "out", tree / "out" / "sub" / "a.docx.parsed")


def test_a_missing_file_is_a_missing_file_error(tree):
    assert isinstance(find_inputs(["no.docx"], None, Scan())[0], MissingFileError)
