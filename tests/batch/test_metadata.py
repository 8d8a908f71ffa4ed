"""Metadata of documents: given by path, kept in parsed folders, and in flat records."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from cli.helpers import REPORT, docxchunk
from docx_builder import docx

from docxchunk import api
from docxchunk.adapters import ChunkLoader
from docxchunk.batch.inputs import Scan, find_inputs
from docxchunk.batch.metadata import with_metadata
from docxchunk.errors import InputError

OTHER = docx("<p>Other text.</p>")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs" / "2024").mkdir(parents=True)
    (tmp_path / "docs" / "a.docx").write_bytes(REPORT)
    (tmp_path / "docs" / "2024" / "a.docx").write_bytes(OTHER)
    return tmp_path


def chunked(rows: str, *options: str) -> str:
    """What `docxchunk chunk docs` says with a file of metadata; "" for none."""
    given = ("--metadata", "m.csv") if rows else ()
    if rows:
        Path("m.csv").write_text(rows, "utf-8")
    said = docxchunk("chunk", "docs", "-r", *given, *options)
    assert said.code == 0, said
    return said.err


def stored(path: str) -> dict[str, object]:
    return dict(api.read(Path("docs", f"{path}.parsed")).metadata)


def flat() -> list[dict[str, object]]:
    return [orjson.loads(each) for each in docxchunk("export docs -r --flat").out.splitlines()]


def without(names: str, records: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{n: v for n, v in record.items() if n not in names.split()} for record in records]


def test_rows_go_to_documents_by_the_longest_end_of_their_paths(folder):
    items = find_inputs(["docs"], None, Scan(recursive=True))
    rows = {"a.docx": {"no": 1}, "2024/a.docx": {"no": 2}, "c/a.docx": {}, "b.docx": {}}
    told: list[str] = []
    assert [each.metadata for each in with_metadata(items, rows, told.append)] == [
        {"no": 2},
        {"no": 1},
    ]
    assert told == ["2 rows without a document here: c/a.docx, b.docx."]
    whole = (folder / "docs" / "a.docx").as_posix()
    assert [each.metadata for each in with_metadata(items, {whole: {"no": 1}}, told.append)] == [
        {},
        {"no": 1},
    ]
    assert told[1:] == ["1 document without a row."]
    with pytest.raises(InputError, match=r"of a.docx may be those of .*2024.*: give more"):
        with_metadata(items, {"a.docx": {}}, told.append)


def test_law_metadata_change_nothing_else(folder):
    chunked("")
    before = flat()
    chunked("path,client,status\ndocs/a.docx,Acme,signed\n2024/a.docx,Beta,\n")
    after = flat()
    assert without("doc_client doc_status", after) == before
    assert {each["source"]: each["doc_client"] for each in after} == {
        "2024/a.docx": "Beta",
        "a.docx": "Acme",
    }


def test_changed_rows_are_stored_and_nothing_is_made_again(folder):
    chunked("path,client\ndocs/a.docx,Acme\n2024/a.docx,Beta\n")
    files = {path: path.stat().st_mtime_ns for path in folder.rglob("*.blocks.jsonl")}
    chunks = [path.read_bytes() for path in sorted(folder.rglob("*.chunks.jsonl"))]
    assert "2 unchanged" in chunked("path,client\n2024/a.docx,Gamma\n")
    assert (stored("a.docx"), stored("2024/a.docx")) == ({}, {"client": "Gamma"})
    assert [path.read_bytes() for path in sorted(folder.rglob("*.chunks.jsonl"))] == chunks
    changed = {path: path.stat().st_mtime_ns for path in files}
    assert all(changed[path] != files[path] for path in files)
    chunked("path,client\n2024/a.docx,Gamma\n")
    assert {path: path.stat().st_mtime_ns for path in files} == changed
    assert docxchunk("validate docs -r").code == 0


def test_metadata_stay_until_others_are_given(folder):
    chunked("path,client\ndocs/a.docx,Acme\n2024/a.docx,Beta\n")
    Path("docs/a.docx").write_bytes(docx("<p>New text.</p>"))
    chunked("")
    assert stored("a.docx") == {"client": "Acme"}
    chunked("", "--force", "--comments")
    docxchunk("chunk docs/a.docx --doc-id other")
    assert stored("a.docx") == {"client": "Acme"}
    for path, client in (("docs/a.docx", "Acme"), ("docs/2024/a.docx", None)):
        metadata = ("--metadata", "m.csv") if client else ()
        docxchunk("chunk", path, "--doc-id", path, "-o", "out", *metadata)
        assert api.read("out/a.docx.parsed").metadata.get("client") == client


def test_parsed_folders_get_metadata_here_and_in_a_copy(folder):
    chunked("")
    Path("m.csv").write_text("path,client\ndocs/a.docx,Acme\n", "utf-8")
    docxchunk("chunk docs/a.docx.parsed --metadata m.csv --out out")
    assert (api.read("out/a.docx.parsed").metadata, stored("a.docx")) == ({"client": "Acme"}, {})
    docxchunk("chunk docs/a.docx.parsed --metadata m.csv")
    assert stored("a.docx") == {"client": "Acme"}


def test_loaders_of_frameworks_have_the_stored_metadata(folder):
    chunked("path,client,author\ndocs/a.docx,Acme,Ann\n")
    loader = ChunkLoader(None, "raise", "content", {})
    records = [record for _, _, record in loader.chunks_at("docs")]
    assert [
        (Path(each["source"]).as_posix(), each.get("doc_client"), each.get("doc_author"))
        for each in records
    ] == [("docs/2024/a.docx", None, None), *[("docs/a.docx", "Acme", "Ann")] * (len(records) - 1)]


def test_metadata_from_python_are_written_and_read(folder):
    source = Path("docs/a.docx")
    document = api.parse(source, metadata={"no": 7, "signed": True, "gone": None})
    written = api.read(api.write(document, folder / "out"))
    assert written.metadata == document.metadata == {"no": 7, "signed": True}
    assert written.chunks() == api.chunk(source)
