"""Writing and reading parsed folders."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from examples import some
from hypothesis import HealthCheck, given, settings
from written import documents, schema_faults

from docxchunk import api
from docxchunk.errors import OutputError, SidecarError
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.records.laws import chunk_faults
from docxchunk.sidecar.atomic import _hidden_path, new_file
from docxchunk.sidecar.reader import content_hash, is_altered_folder, is_current, read
from docxchunk.sidecar.writer import remove, write

DOCUMENT = Document(
    "report.docx",
    "docx",
    "doc-1",
    "Title",
    (Block("b", "text"),),
    options=ParseOptions(),
    source_sha256="0" * 64,
    assets={"image1.png": b"x"},
)


@given(documents)
@settings(max_examples=some(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_written_document_is_read_back(tmp_path, document):
    folder = write(document, tmp_path)
    assert read(folder) == document
    assert list(schema_faults(folder)) == []


def test_document_hash_is_the_hash_of_the_contents(tmp_path):
    folder = write(replace(DOCUMENT, blocks=(Block("b", "one"), Block("c", "二"))), tmp_path)
    meta = json.loads((folder / "report.blocks.jsonl").read_text("utf-8").split("\n")[0])
    assert meta["document_hash"] == "sha256:" + hashlib.sha256("one\n\n二".encode()).hexdigest()


def test_same_document_gives_same_bytes(tmp_path):
    one, other = write(DOCUMENT, tmp_path / "1"), write(DOCUMENT, tmp_path / "2")
    assert {path.name: path.read_bytes() for path in one.iterdir() if path.is_file()} == {
        path.name: path.read_bytes() for path in other.iterdir() if path.is_file()
    }


def test_full_disk_leaves_the_old_folder(tmp_path, monkeypatch):
    write(replace(DOCUMENT, title="old"), tmp_path)
    monkeypatch.setattr(
        Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, ""))
    )
    with pytest.raises(OutputError):
        write(DOCUMENT, tmp_path)
    assert os.listdir(tmp_path) == ["report.docx.parsed"]
    assert read(tmp_path / "report.docx.parsed").title == "old"


@pytest.mark.parametrize("name", ["../evil.png", "/etc/passwd", "a/b.png"])
def test_pictures_stay_in_their_folder(tmp_path, name):
    with pytest.raises(OutputError, match="not a valid file name"):
        write(replace(DOCUMENT, assets={name: b""}), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_a_pipe_or_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="is a device or a pipe"), new_file(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()


class TestIsCurrent:
    """A parsed folder is reused only if nothing has changed."""

    known: ClassVar = Document(
        "report.docx", "", "doc-1", "", (), options=ParseOptions(), source_sha256="0" * 64
    )

    @pytest.mark.parametrize(
        "change",
        [
            {"source_sha256": "1" * 64},
            {"doc_id": "doc-2"},
            {"options": ParseOptions(comments=True)},
            {"options": None},
            {"describer": "eye"},
        ],
    )
    def test_a_changed_folder_is_not_current(self, tmp_path, change):
        assert not is_current(write(DOCUMENT, tmp_path), replace(self.known, **change))

    @pytest.mark.foreign_files
    @pytest.mark.parametrize("text", ["", "{", "[]", '{"type":"meta"}'])
    def test_a_broken_folder_is_not_current(self, tmp_path, text):
        file = write(DOCUMENT, tmp_path) / "report.blocks.jsonl"
        file.write_text(text)
        assert not is_current(file.parent, self.known)


@pytest.mark.foreign_files
@pytest.mark.parametrize(
    ("file", "data", "is_altered"),
    [
        ("report.P.chunks.jsonl", b"{}", False),
        ("report.blocks.jsonl", b"{\n", True),
        ("report.blocks.jsonl", b'{"type":"meta"}\n', False),  # of another program
        ("report.tables.json", b"{}", True),
        ("report.report.json", b"{}", True),
        ("report.blocks.assets/image1.png", b"y", True),
        ("report.blocks.assets/image2.png", b"x", True),
    ],
)
def test_a_change_of_a_file_is_known(tmp_path, file, data, is_altered):
    folder = write(DOCUMENT, tmp_path)
    assert not is_altered_folder(folder)
    (folder / file).write_bytes(data)
    assert is_altered_folder(folder) == is_altered


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({"doc_id": "doc-2"}, True),
        ({"title": "Other"}, True),
        ({"structured": False}, True),
        ({"blocks": (Block("b", "other"),)}, True),
        ({"options": None}, False),
        ({"source_sha256": "1" * 64}, False),
    ],
)
def test_chunks_depend_on_the_id_the_title_and_the_blocks(tmp_path, change, counts):
    before, after = (
        content_hash(write(document, tmp_path))
        for document in (DOCUMENT, replace(DOCUMENT, **change))
    )
    assert (after != before) == counts


@pytest.mark.foreign_files
class TestReading:
    def test_ids_that_are_missing_or_repeated(self, tmp_path):
        """LightRAG accepts duplicate and missing ids; here blocks get unique ids."""
        file = tmp_path / "notes.blocks.jsonl"
        identifiers = ["a", "a", "a-2", None, "", "block-4"]
        lines = [
            {"type": "content", "content": f"word{i} " * 20}
            | ({} if name is None else {"blockid": name})
            for i, name in enumerate(identifiers)
        ]
        file.write_text("\n".join(map(json.dumps, lines)))
        document = read(file)
        assert [
            block.id for block in document.blocks
        ] == "a a-3 a-2 block-5 block-6 block-4".split()
        chunks = api.chunk(document, max_tokens=32)
        assert not list(chunk_faults(document, chunks, 32, None))

    @pytest.mark.parametrize(
        ("version", "readable"),
        [("1.0", True), ("1.9", True), (None, True), ("9.0", False), ("10", False), (2.0, False)],
    )
    def test_a_newer_format_is_refused(self, tmp_path, version, readable):
        file = tmp_path / "a.blocks.jsonl"
        file.write_text(json.dumps({"type": "meta", "version": version, "doc_id": "doc-1"}))
        if readable:
            assert read(file).doc_id == "doc-1"
        else:
            with pytest.raises(
                SidecarError, match=r"has format version .*, but only versions 1\.x can be read"
            ):
                read(file)

    def test_the_line_that_cannot_be_read_is_named(self, tmp_path):
        file = tmp_path / "a.blocks.jsonl"
        file.write_text('{"type":"meta"}\n\n{"type":')
        (issue,) = read(file).issues
        assert (issue.place, issue.message[:18]) == ("a.blocks.jsonl", "line 3 is not JSON")

    @pytest.mark.parametrize(
        ("text", "content"),
        [
            (r"a\u0000b", "a\ufffdb"),
            (r"\u0000\u0000", "\ufffd\ufffd"),
            (r"a\\u0000b", r"a\u0000b"),
            (r"a\\\u0000b", "a\\\ufffdb"),
        ],
    )
    def test_nul_is_replaced_but_not_what_is_written_like_it(self, tmp_path, text, content):
        file = tmp_path / "a.blocks.jsonl"
        file.write_text(f'{{"type":"content","content":"{text}"}}')
        assert [block.content for block in read(file).blocks] == [content]

    def test_links_among_the_pictures_are_not_followed(self, tmp_path):
        folder = write(DOCUMENT, tmp_path)
        (folder / "report.blocks.assets" / "passwd").symlink_to("/etc/passwd")
        assert list(read(folder).assets) == ["image1.png"]


@pytest.mark.parametrize("name", ["notes.txt", "x.blocks.jsonl.old", "report.report.json.bak"])
def test_a_folder_with_other_files_is_not_removed(tmp_path, name):
    folder = write(DOCUMENT, tmp_path)
    (folder / name).touch()
    with pytest.raises(OutputError, match="which docxchunk did not write"):
        remove(folder, tmp_path)
    assert (folder / "report.blocks.jsonl").exists()
    (folder / name).rename(_hidden_path(folder / "report.chunks.jsonl", "new"))  # of a killed run
    remove(folder, tmp_path)
    assert list(tmp_path.iterdir()) == []
