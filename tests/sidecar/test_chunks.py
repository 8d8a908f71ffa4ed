"""Format and version of chunk files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.errors import MissingFileError, SidecarError
from docxchunk.markup.records.chunks import CHUNK, Provenance, chunks_record
from docxchunk.sidecar.chunks import (
    all_chunk_files,
    are_current_units,
    chunk_files,
    chunks_in,
    existing_chunks,
    is_altered_file,
    is_made_of,
    is_outdated,
    read_chunk_file,
    read_chunks,
    read_units,
    source_of,
)
from docxchunk.sidecar.files import units_beside
from docxchunk.sidecar.reader import Identity
from docxchunk.sidecar.writer import write, write_chunks, write_lines, write_units


@pytest.fixture
def written(tmp_path):
    document = api.parse(docx("<p>text</p>"), name="a.docx")
    made = run(document, P(), ChunkLimits(), api.tokenizer())
    meta = chunks_record(
        Provenance("P", made.settings_hash, "o200k_base", "", ""),
        made.settings,
        document,
        made.chunks,
    )
    return write_lines(tmp_path / "a.chunks.jsonl", [meta, *map(CHUNK.record, made.chunks)])


def changed(path, **values):
    first, *others = path.read_text().splitlines()
    meta = {
        key: value for key, value in {**json.loads(first), **values}.items() if value is not None
    }
    path.write_text("\n".join((json.dumps(meta), *others)))
    return path


def test_format_and_version_are_written(written):
    meta = json.loads(written.read_text().splitlines()[0])
    assert (meta["format"], meta["version"]) == ("docxchunk-chunks", "1.0")


@pytest.mark.parametrize("values", [{}, {"format": None, "version": None}, {"version": "1.7"}])
def test_files_of_version_1_and_without_version_are_read(written, values):
    assert len(read_chunks(changed(written, **values)).chunks) == 1


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"version": "2.0"}, "has format version 2.0"),
        ({"format": "other"}, "has the format 'other'"),
    ],
)
def test_other_formats_and_newer_versions_are_refused(written, values, fault):
    with pytest.raises(SidecarError, match=fault):
        read_chunks(changed(written, **values))


@pytest.mark.parametrize("text", ["", "\n", '{"type":"chunk"}\n'])
def test_a_file_without_a_line_of_metadata_is_refused(tmp_path, text):
    file = tmp_path / "a.chunks.jsonl"
    file.write_text(text)
    with pytest.raises(SidecarError, match="does not begin with a line of metadata"):
        read_chunks(file)


@pytest.mark.parametrize(
    ("text", "is_altered"),
    [
        (None, False),
        ("{", True),
        ('{"type":"meta"}', False),  # of an earlier version
        ('{"type":"meta","contents_sha256":"0"}', True),
    ],
)
def test_a_change_of_a_chunk_file_is_known(tmp_path, text, is_altered):
    file = tmp_path / "a.chunks.jsonl"
    if text is not None:
        file.write_text(text)
    assert is_altered_file(file) == is_altered


@pytest.mark.parametrize(
    ("parsed", "text", "expected"),
    [("text", "text", False), ("text", "other text", True), (None, "text", False)],
)
def test_a_folder_is_outdated_if_the_document_beside_it_has_changed(
    tmp_path, parsed, text, expected
):
    """Without the SHA-256 of the document that was parsed, nothing is known of a change."""
    source = tmp_path / "a.docx"
    source.write_bytes(docx(f"<p>{parsed}</p>"))
    document = api.parse(source)
    folder = write(replace(document, source_sha256="") if parsed is None else document, tmp_path)
    source.write_bytes(docx(f"<p>{text}</p>"))
    assert is_outdated(folder) is expected


PROVENANCE = Provenance("P", "1" * 64, "o200k_base", "sha256:0", "2" * 64)


@pytest.fixture
def document():
    return api.parse(docx("<p>One. Two.</p>"), name="a.docx")


@pytest.fixture
def hashed(tmp_path, document):
    """A chunk file with a hash of its contents, and the chunks in it."""
    chunks = api.chunk(document)
    path = tmp_path / "a.chunks.jsonl"
    return write_chunks(path, chunks_record(PROVENANCE, {}, document, chunks), chunks)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda meta, chunk: [meta, chunk], ""),
        (lambda meta, chunk: [meta, "", chunk, ""], ""),
        (lambda meta, chunk: [meta, chunk, chunk], "declares 1 chunk, but there are 2"),
        (lambda meta, chunk: [meta], "declares 1 chunk, but there are 0"),
        (lambda meta, chunk: [meta, chunk, meta, chunk], "Several chunk files were joined"),
        (lambda meta, chunk: [meta, chunk.replace("One", "Own")], "changed after it was written"),
    ],
)
def test_lines_that_are_missing_added_or_changed_are_a_fault(hashed, change, fault):
    hashed.write_text("\n".join(change(*hashed.read_text().splitlines())) + "\n")
    found = read_chunk_file(hashed)
    assert fault in found.fault
    assert bool(found.fault) == bool(fault)
    assert all(chunk.chunk_id for chunk in found.chunks)  # none is made of the first line
    if fault:
        with pytest.raises(SidecarError, match=fault):
            read_chunks(hashed)


@pytest.mark.parametrize(
    "changes",
    [
        {"strategy": "R"},
        {"settings_hash": "3" * 64},
        {"tokenizer": "cl100k_base"},
        {"tokenizer_hash": "x"},
        {"blocks_sha256": "3" * 64},
        {"engine_version": "0.0.1"},
        {"situated_by": "x"},
    ],
)
def test_chunks_exist_if_all_of_their_provenance_is_the_same(tmp_path, hashed, changes):
    assert existing_chunks(hashed, PROVENANCE).integer("chunks") == 1
    assert existing_chunks(hashed, PROVENANCE._replace(**changes)) is None
    assert existing_chunks(tmp_path / "none.chunks.jsonl", PROVENANCE) is None


def test_chunks_that_were_changed_or_have_no_hash_do_not_exist(hashed):
    text = hashed.read_text()
    hashed.write_text(text.replace("One", "Own"))
    assert existing_chunks(hashed, PROVENANCE) is None
    hashed.write_text(text)
    changed(hashed, contents_sha256=None)
    assert existing_chunks(hashed, PROVENANCE) is None


def test_units_are_current_until_they_or_their_chunks_change(hashed, document):
    with pytest.raises(MissingFileError, match="has no units"):
        read_units(hashed)
    assert not are_current_units(hashed)
    units = api.units(document, api.chunk(document))
    file = write_units(hashed, document.doc_id, units)
    assert file == units_beside(hashed)
    assert are_current_units(hashed)
    assert read_units(hashed) == list(units)
    whole = file.read_text()
    file.write_text(whole.replace("Two", "Too"))
    assert not are_current_units(hashed)
    with pytest.raises(SidecarError, match="was changed, or its chunks were"):
        read_units(hashed)
    file.write_text(whole)
    changed(hashed, contents_sha256="0" * 64)
    assert not are_current_units(hashed)
    hashed.unlink()
    assert not are_current_units(hashed)


def test_a_file_is_made_of_blocks_if_it_has_their_hash_and_is_no_link(tmp_path, hashed):
    assert is_made_of(hashed, "2" * 64)
    assert not is_made_of(hashed, "1" * 64)
    assert not is_made_of(tmp_path / "none.chunks.jsonl", "2" * 64)
    (tmp_path / "linked.chunks.jsonl").symlink_to(hashed)
    assert not is_made_of(tmp_path / "linked.chunks.jsonl", "2" * 64)


@pytest.fixture
def tree(tmp_path):
    """Return a folder with parsed folders, and one with a chunk file alone."""
    for name in ("a.docx.parsed/a", "a.docx.parsed/a.R", "sub/b.docx.parsed/b", "alone/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.chunks.jsonl").touch()
    for name in ("a.docx.parsed/a", "sub/b.docx.parsed/b"):
        (tmp_path / f"{name}.blocks.jsonl").write_text('{"type":"meta","doc_id":"doc-1"}')
    return tmp_path


@pytest.mark.parametrize(
    ("path", "recursive", "names"),
    [
        ("", False, ["a.R", "a"]),
        ("", True, ["a.R", "a", "c", "b"]),
        ("a.docx", False, ["a.R", "a"]),
        ("a.docx.parsed", False, ["a.R", "a"]),
        ("a.docx.parsed/a.R.chunks.jsonl", False, ["a.R"]),
        ("sub", False, ["b"]),
        ("alone", False, ["c"]),
        ("b.docx", False, []),
    ],
)
def test_chunk_files_at_a_path(tree, path, recursive, names):
    found = chunk_files(tree / path, recursive=recursive)
    assert [file.name.removesuffix(".chunks.jsonl") for file in found] == names


@pytest.fixture
def _backwards(monkeypatch):
    """A file system that lists names backwards."""
    glob = Path.glob
    monkeypatch.setattr(Path, "glob", lambda *found: sorted(glob(*found), reverse=True))


@pytest.mark.usefixtures("_backwards")
def test_chunk_files_are_in_order_on_every_file_system(tree):
    names = ["a.R.chunks.jsonl", "a.chunks.jsonl"]
    assert [file.name for file in chunks_in(tree / "a.docx.parsed")] == names
    assert [file.name for file in chunk_files(tree)] == names
    assert [file.name for file in chunk_files(tree / "a.docx.parsed")] == names


def test_chunk_files_of_several_paths_come_once_with_the_first_path(tree):
    paths = [tree / "a.docx", tree / "a.docx.parsed" / "a.chunks.jsonl", tree / "sub"]
    found = all_chunk_files(map(str, paths), recursive=False)
    assert {file.name: path for file, path in found.items()} == {
        "a.R.chunks.jsonl": paths[0],
        "a.chunks.jsonl": paths[0],
        "b.chunks.jsonl": paths[2],
    }


@pytest.mark.parametrize(
    ("path", "recursive", "is_hinted"),
    [("empty", False, True), ("empty", True, False), ("p", False, False), ("no", False, False)],
)
def test_a_path_without_chunks_is_an_error_with_a_hint_for_folders(
    tree, path, recursive, is_hinted
):
    (tree / "empty").mkdir()
    (tree / "p").mkdir()
    (tree / "p" / "x.blocks.jsonl").touch()
    with pytest.raises(MissingFileError, match="There are no chunks at") as caught:
        all_chunk_files([str(tree / "alone"), str(tree / path)], recursive=recursive)
    assert ("--recursive searches subfolders" in str(caught.value)) is is_hinted


@pytest.mark.parametrize(
    ("file", "path", "identity"),
    [
        ("a.docx.parsed/a", "", Identity("a.docx", "doc-1")),
        ("sub/b.docx.parsed/b", "", Identity("sub/b.docx", "doc-1")),
        ("sub/b.docx.parsed/b", "sub", Identity("b.docx", "doc-1")),
        ("sub/b.docx.parsed/b", "sub/b.docx.parsed", Identity("b.docx", "doc-1")),
        ("alone/c", "", Identity("alone/c")),
        ("alone/c", "alone", Identity("c")),
    ],
)
def test_the_source_of_chunks_is_the_path_of_their_document(tree, file, path, identity):
    for name in ("a", "b"):
        for blocks in tree.rglob(f"{name}.blocks.jsonl"):
            meta = {"type": "meta", "doc_id": "doc-1", "document_name": f"{name}.docx"}
            blocks.write_text(json.dumps(meta))
    assert source_of(tree / f"{file}.chunks.jsonl", tree / path) == identity


def test_a_folder_without_its_document_beside_it_is_not_outdated(tmp_path, document):
    folder = write(replace(document, source_sha256="0" * 64), tmp_path)
    assert not is_outdated(folder)
    (tmp_path / "a.docx").write_bytes(b"other")
    assert is_outdated(folder)
    assert not is_outdated(folder.rename(tmp_path / "b.docx.parsed"))
