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
from docx_builder import docx
from examples import some
from hypothesis import HealthCheck, given, settings
from written import documents, schema_faults

from docxchunk import api
from docxchunk.errors import MissingFileError, OutputError, SidecarError, UsageError
from docxchunk.markup.laws import chunk_faults
from docxchunk.markup.line_roles import roles_of_line
from docxchunk.model.blocks import UNKNOWN_ROLES, Block, LineRole, SessionType
from docxchunk.model.document import Document, IssueCode
from docxchunk.model.options import ParseOptions
from docxchunk.sidecar.files import _hidden_path, new_file
from docxchunk.sidecar.reader import (
    Identity,
    content_hash,
    document_identity,
    is_altered_folder,
    is_current,
    options_in,
    read,
)
from docxchunk.sidecar.writer import remove, write, write_chunks, write_units

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


def test_the_text_tells_the_roles_of_lines_in_files_of_earlier_versions(tmp_path):
    document = api.parse(docx("<p>The foxes:</p><p>(a) one</p>"), name="report.docx")
    folder = write(document, tmp_path)
    assert read(folder).blocks == document.blocks
    path = folder / "report.blocks.jsonl"
    meta, block = map(json.loads, path.read_text("utf-8").splitlines())
    del meta["line_roles"]
    assert [line.pop("roles") for line in block["lines"]] == [["lead-in"], ["item"]]
    path.write_text(f"{json.dumps(meta)}\n{json.dumps(block)}\n", "utf-8")
    (old,) = read(folder).blocks
    assert [line.roles for line in old.lines] == [UNKNOWN_ROLES] * 2
    texts = old.content.split("\n")
    assert list(map(roles_of_line, old.lines, texts)) == [(LineRole.LEAD_IN,), (LineRole.ITEM,)]


def test_file_names(tmp_path):
    folder = write(DOCUMENT, tmp_path / "new" / "place")
    assert folder == tmp_path / "new" / "place" / "report.docx.parsed"
    assert sorted(path.name for path in folder.iterdir()) == [
        "report.blocks.assets",
        "report.blocks.jsonl",
        "report.report.json",
    ]
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_document_hash_is_the_hash_of_the_contents(tmp_path):
    folder = write(replace(DOCUMENT, blocks=(Block("b", "one"), Block("c", "二"))), tmp_path)
    meta = json.loads((folder / "report.blocks.jsonl").read_text("utf-8").split("\n")[0])
    assert meta["document_hash"] == "sha256:" + hashlib.sha256("one\n\n二".encode()).hexdigest()


def test_second_write_replaces_the_first(tmp_path):
    write(replace(DOCUMENT, title="old"), tmp_path)
    (tmp_path / "report.docx.parsed" / "report.chunks.jsonl").write_text("of the old text")
    folder = write(DOCUMENT, tmp_path)
    assert read(folder) == DOCUMENT
    assert not (folder / "report.chunks.jsonl").exists()
    assert os.listdir(tmp_path) == ["report.docx.parsed"]


def test_same_document_gives_same_bytes(tmp_path):
    one, other = write(DOCUMENT, tmp_path / "1"), write(DOCUMENT, tmp_path / "2")
    assert {path.name: path.read_bytes() for path in one.iterdir() if path.is_file()} == {
        path.name: path.read_bytes() for path in other.iterdir() if path.is_file()
    }


@pytest.mark.parametrize("epoch", ["x", "1.5", "9" * 30])
def test_a_time_that_is_no_number_of_seconds_is_refused(tmp_path, monkeypatch, epoch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(UsageError, match="it must be a whole number of seconds"):
        write(DOCUMENT, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_time_is_written_only_with_source_date_epoch(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    meta = json.loads(
        (write(DOCUMENT, tmp_path) / "report.blocks.jsonl").read_text("utf-8").split("\n")[0]
    )
    assert meta["parse_time"] == "1970-01-01T00:00:00+00:00"


def test_full_disk_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(
        Path,
        "write_bytes",
        lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
    )
    with pytest.raises(
        OutputError, match=r"report.docx.parsed cannot be written: No space left on device\."
    ):
        write(DOCUMENT, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_full_disk_leaves_the_old_folder(tmp_path, monkeypatch):
    write(replace(DOCUMENT, title="old"), tmp_path)
    monkeypatch.setattr(
        Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, ""))
    )
    with pytest.raises(OutputError):
        write(DOCUMENT, tmp_path)
    assert os.listdir(tmp_path) == ["report.docx.parsed"]
    assert read(tmp_path / "report.docx.parsed").title == "old"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_no_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="Permission denied"):
        write(DOCUMENT, tmp_path)


@pytest.mark.parametrize("name", ["../evil.png", "/etc/passwd", "a/b.png"])
def test_pictures_stay_in_their_folder(tmp_path, name):
    with pytest.raises(OutputError, match="not a valid file name"):
        write(replace(DOCUMENT, assets={name: b""}), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["n" * 243 + ".docx", "名" * 81 + ".docx"])
def test_long_name(tmp_path, name):
    assert read(write(replace(DOCUMENT, name=name), tmp_path)) == replace(DOCUMENT, name=name)
    longer = [f"{name[:-5]}{end}.docx" for end in ("nnnnnnn1", "nnnnnnn2")]
    assert [read(write(replace(DOCUMENT, name=each), tmp_path)).name for each in longer] == longer
    folders = os.listdir(tmp_path)
    assert len(folders) == 3
    assert f"{name}.parsed" in folders
    assert max(len(os.fsencode(folder)) for folder in folders) <= 255


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("a\0b.docx", r"a\x00b.docx"),
        ("a\ud800.docx", r"a\ud800.docx"),
        ("a\udcff.docx", r"a\xff.docx"),
    ],
)
def test_names_that_are_no_text(tmp_path, name, folder):
    made = api.parse(docx("<p>a</p>"), name=name, doc_id=name)
    assert (made.name, made.doc_id) == (folder, folder)
    assert read(write(made, tmp_path)) == made
    assert os.listdir(tmp_path) == [f"{folder}.parsed"]


@pytest.mark.parametrize("folder", ["a\0b", "a\ud800", "n" * 256])
def test_folders_that_cannot_be(tmp_path, folder):
    for target in (tmp_path / folder, tmp_path / "new" / folder / "deep"):
        with pytest.raises(OutputError, match=r"cannot be written: .*\.$"):
            api.write(DOCUMENT, target)
    assert os.listdir(tmp_path) == []
    with pytest.raises(MissingFileError, match=r"cannot be read \(.*\)\.$|does not exist\.$"):
        api.read(tmp_path / folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_a_pipe_or_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="is a device or a pipe"), new_file(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()


def test_nul_is_in_no_text(tmp_path):
    folder = write(replace(DOCUMENT, blocks=(Block("b1", "a\0b \\u0000"),)), tmp_path)
    assert [block.content for block in read(folder).blocks] == ["a\ufffdb \\u0000"]
    assert [chunk.content for chunk in api.chunk_text("a\0b")] == ["a\ufffdb"]


WITH_TABLE = docx("<p>Text.</p><tbl><tr><tc>a</tc></tr></tbl>")


class TestIsCurrent:
    """A parsed folder is reused only if nothing has changed."""

    known: ClassVar = Document(
        "report.docx", "", "doc-1", "", (), options=ParseOptions(), source_sha256="0" * 64
    )

    def test_an_unchanged_folder_is_current(self, tmp_path):
        assert is_current(write(DOCUMENT, tmp_path), self.known)

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

    def test_descriptions_of_pictures_stay(self, tmp_path):
        folder = write(replace(DOCUMENT, describer="eye"), tmp_path)
        assert [
            is_current(folder, replace(self.known, describer=name)) for name in ("", "eye", "other")
        ] == [True, True, False]

    def test_a_folder_of_another_version_is_not_current(self, tmp_path):
        file = write(DOCUMENT, tmp_path) / "report.blocks.jsonl"
        file.write_text(
            file.read_text("utf-8").replace('"engine_version":"', '"engine_version":"0'), "utf-8"
        )
        assert not is_current(file.parent, self.known)

    @pytest.mark.foreign_files
    @pytest.mark.parametrize("text", ["", "{", "[]", '{"type":"meta"}'])
    def test_a_broken_folder_is_not_current(self, tmp_path, text):
        file = write(DOCUMENT, tmp_path) / "report.blocks.jsonl"
        file.write_text(text)
        assert not is_current(file.parent, self.known)

    @pytest.mark.foreign_files
    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("report.blocks.jsonl", lambda data: data[: data.index(b"\n") + 1]),
            ("report.blocks.jsonl", lambda data: data + data[data.index(b"\n") + 1 :]),
            ("report.tables.json", None),
            ("report.report.json", None),
        ],
    )
    def test_a_folder_that_lacks_a_block_or_a_file_is_not_current(self, tmp_path, name, change):
        document = api.parse(WITH_TABLE, name="report.docx")
        folder = write(document, tmp_path)
        assert is_current(folder, document)
        file = folder / name
        if change is None:
            file.unlink()
        else:
            file.write_bytes(change(file.read_bytes()))
        assert not is_current(folder, document)

    def test_a_missing_folder_is_not_current(self, tmp_path):
        assert not is_current(tmp_path / "report.docx.parsed", self.known)


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


@pytest.mark.foreign_files
@pytest.mark.parametrize(
    ("file", "counts"),
    [("tables.json", True), ("notes.json", False), ("report.json", False)],
)
def test_chunks_depend_on_the_tables_of_a_folder(tmp_path, file, counts):
    folder = write(DOCUMENT, tmp_path)
    before = content_hash(folder)
    (folder / f"report.{file}").write_bytes(b"{}")
    assert (content_hash(folder) != before) == counts


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
@pytest.mark.parametrize(
    ("linked", "kept"),
    [
        ((), ["chunks", "units"]),
        (("units",), ["chunks"]),
        (("chunks",), []),  # and units without their chunks are of no use
    ],
)
def test_chunks_and_units_are_kept_unless_they_are_links(tmp_path, linked, kept):
    folder = write(DOCUMENT, tmp_path)
    chunks = folder / "report.chunks.jsonl"
    write_chunks(chunks, {"type": "meta", "blocks_sha256": content_hash(folder)}, [])
    write_units(chunks, DOCUMENT.doc_id, [])
    for name in linked:
        file = folder / f"report.{name}.jsonl"
        file.symlink_to(file.rename(tmp_path / name))
    write(DOCUMENT, tmp_path)
    assert [n for n in ("chunks", "units") if (folder / f"report.{n}.jsonl").exists()] == kept


@pytest.mark.parametrize("options", [None, ParseOptions(), ParseOptions(comments=True)])
def test_options_of_a_folder(tmp_path, options):
    assert options_in(tmp_path / "report.docx.parsed") is None
    assert options_in(write(replace(DOCUMENT, options=options), tmp_path)) == options


@pytest.mark.foreign_files
class TestReading:
    def test_folders_of_lightrag_are_read(self, tmp_path):
        folder = tmp_path / "report.docx.parsed"
        folder.mkdir()
        meta = {
            "type": "meta",
            "format": "lightrag",
            "version": "1.0",
            "document_name": "report.docx",
            "doc_id": "doc-9",
            "parse_engine": "native",
        }
        preface = {
            "type": "content",
            "blockid": "1",
            "content": "before",
            "heading": "Preface/Uncategorized",
            "level": 1,
            "session_type": "body",
        }
        chapter = {
            "type": "content",
            "blockid": "2",
            "content": "# One",
            "heading": "One",
            "level": 1,
            "positions": [{"type": "paraid", "range": ["A", None]}],
        }
        item = {
            "id": "tb",
            "blockid": "2",
            "dimension": [1, 2],
            "format": "json",
            "content": "[]",
            "table_header": "[]",
            "extras": {"x": 1},
        }
        (folder / "report.blocks.jsonl").write_text(
            "\n".join(map(json.dumps, (meta, preface, {}, chapter))) + "\n\n"
        )
        (folder / "report.tables.json").write_text(
            json.dumps({"version": "1.0", "tables": {"tb": item}}, indent=2)
        )

        document = read(folder)

        assert [(block.heading, block.level, block.session_type) for block in document.blocks] == [
            ("", 0, SessionType.PREFACE),
            ("One", 1, SessionType.BODY),
        ]
        assert document.blocks[1].position is not None
        assert document.blocks[1].position.first == "A"
        assert (document.engine, document.tables["tb"].column_count, document.options) == (
            "native",
            2,
            None,
        )
        assert read(write(document, tmp_path / "again")) == document

    def test_a_file_of_blocks_alone(self, tmp_path):
        file = tmp_path / "notes.blocks.jsonl"
        file.write_text('{"type":"content","content":"text"}\n')
        document = read(file)
        assert (
            document.name,
            [block.content for block in document.blocks],
            dict(document.assets),
        ) == ("notes", ["text"], {})

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
        assert [block.id for block in document.blocks] == [
            "a",
            "a-3",
            "a-2",
            "block-5",
            "block-6",
            "block-4",
        ]
        chunks = api.chunk(document, max_tokens=32)
        assert not list(chunk_faults(document, chunks, 32, None))

    @pytest.mark.parametrize(
        ("text", "fault"), [("{", "line 1 is not JSON"), ("[]", "holds no JSON object")]
    )
    def test_broken_files_are_errors(self, tmp_path, text, fault):
        file = tmp_path / "a.blocks.jsonl"
        file.write_text(text)
        with pytest.raises(SidecarError, match=fault):
            read(file)

    @pytest.mark.parametrize(
        ("bad", "fault", "level"),
        [
            ("{", "line 2 is not JSON", None),
            ("[]", "line 2 holds no JSON object", None),
            (
                '{"type":"content","blockid":"b","content":"bad","level":"2"}',
                'line 2: "level" must be a whole number',
                2,
            ),
            (
                '{"type":"content","blockid":"b","content":"bad","level":"x"}',
                'line 2: "level" must be a whole number',
                0,
            ),
            (
                '{"type":"content","blockid":"b","content":"bad","parent_headings":"x"}',
                'line 2: "parent_headings" must be a list',
                0,
            ),
            (
                '{"type":"content","blockid":"b","content":"bad","positions":[5]}',
                "line 2 holds no JSON object",
                0,
            ),
        ],
    )
    def test_the_valid_lines_of_a_file_are_used(self, tmp_path, bad, fault, level):
        file = tmp_path / "a.blocks.jsonl"
        file.write_text(
            "\n".join(
                (
                    '{"type":"content","blockid":"a","content":"one","level":1}',
                    bad,
                    '{"type":"content","blockid":"c","content":"three"}',
                )
            )
        )
        document = read(file)
        levels = {block.id: block.level for block in document.blocks}
        assert levels == {"a": 1, "c": 0} | ({} if level is None else {"b": level})
        assert document.structured
        (issue,) = document.issues
        assert issue.code is IssueCode.LINE_IGNORED
        assert fault in issue.message

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

    @pytest.mark.parametrize(
        ("name", "change", "faults"),
        [
            ("blocks.jsonl", lambda data: data, []),
            ("blocks.jsonl", lambda data: data[: data.index(b"\n") + 1], ["declares 1 block, but"]),
            (
                "blocks.jsonl",
                lambda data: data[data.index(b"\n") + 1 :],
                ["The first line of the blocks, with the id and the name"],
            ),
            ("tables.json", None, ["report.tables.json is missing."]),
            ("report.json", None, []),
        ],
    )
    def test_what_a_folder_lacks_is_an_issue(self, tmp_path, name, change, faults):
        folder = write(api.parse(WITH_TABLE, name="report.docx"), tmp_path)
        file = folder / f"report.{name}"
        if change is None:
            file.unlink()
        else:
            file.write_bytes(change(file.read_bytes()))
        issues = [issue for issue in read(folder).issues if issue.code is IssueCode.LINE_IGNORED]
        assert all(issue.place == "report.blocks.jsonl" for issue in issues)
        for issue, fault in zip(issues, faults, strict=True):
            assert fault in issue.message

    @pytest.mark.parametrize(
        ("lines", "identity"),
        [
            (
                ['{"type":"meta","document_name":"b.docx","doc_id":"doc-1","source_sha256":"0"}'],
                Identity("b.docx", "doc-1", {}, "0"),
            ),
            (['{"type":"meta"}'], Identity("x")),
            (["", " ", '{"doc_id":"doc-1"}'], Identity("x", "doc-1")),
            ([], Identity("a.docx")),
            (["{"], Identity("a.docx")),
            (None, Identity("a.docx")),
        ],
    )
    def test_the_identity_of_a_document_is_known_as_far_as_it_can_be_read(
        self, tmp_path, lines, identity
    ):
        folder = tmp_path / "a.docx.parsed"
        folder.mkdir()
        if lines is not None:
            (folder / "x.blocks.jsonl").write_text("\n".join(lines))
        assert document_identity(folder) == identity

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

    def test_pictures_are_read_by_name(self, tmp_path):
        files = read(write(DOCUMENT, tmp_path)).assets
        assert (len(files), files["image1.png"]) == (1, b"x")
        for name in ("image2.png", "../report.report.json"):
            with pytest.raises(KeyError):
                files[name]

    def test_pictures_of_a_linked_folder_are_ignored(self, tmp_path):
        folder = write(DOCUMENT, tmp_path)
        assets = folder / "report.blocks.assets"
        assets.symlink_to(assets.rename(tmp_path / "elsewhere"))
        assert list(read(folder).assets) == []

    @pytest.mark.parametrize(
        ("number", "sentence"),
        [(0, r"it has no .blocks.jsonl files\.$"), (2, r"it has 2 .blocks.jsonl files\.$")],
    )
    def test_a_parsed_folder_has_one_file_of_blocks(self, tmp_path, number, sentence):
        for name in "ab"[:number]:
            (tmp_path / f"{name}.blocks.jsonl").touch()
        with pytest.raises(SidecarError, match=sentence):
            read(tmp_path)

    def test_a_missing_path_is_an_error(self, tmp_path):
        with pytest.raises(MissingFileError):
            read(tmp_path / "nowhere")

    def test_links_among_the_pictures_are_not_followed(self, tmp_path):
        folder = write(DOCUMENT, tmp_path)
        (folder / "report.blocks.assets" / "passwd").symlink_to("/etc/passwd")
        assert list(read(folder).assets) == ["image1.png"]


def test_folder_with_other_files_is_not_replaced(tmp_path):
    document = api.parse(docx("<p>text</p>"), name="a.docx")
    folder = write(document, tmp_path)
    stranger = folder / "notes.txt"
    stranger.write_text("mine")
    with pytest.raises(OutputError, match=r"notes\.txt"):
        write(document, tmp_path)
    assert stranger.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


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


def test_a_folder_above_that_is_not_empty_stays(tmp_path):
    folder = write(DOCUMENT, tmp_path / "a" / "b")
    (tmp_path / "a" / "other").touch()
    remove(folder, tmp_path)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["other"]


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_removal_takes_the_empty_folders_above_it_but_not_the_top(tmp_path, depth):
    top = tmp_path / "top"
    remove(write(api.parse(docx("<p>text</p>"), name="x.docx"), top.joinpath(*"ab"[:depth])), top)
    assert list(top.iterdir()) == []
