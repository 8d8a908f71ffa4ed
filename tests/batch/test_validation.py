"""Validation of parsed folders."""

from __future__ import annotations

import json

import pytest
from docx_builder import docx
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.batch.chunk_spec import ChunkSpec
from docxchunk.batch.chunking import chunk_one
from docxchunk.batch.inputs import Scan, find_inputs
from docxchunk.batch.jobs import Reading
from docxchunk.batch.validation import validate

pytestmark = pytest.mark.foreign_files
CONTENT = (
    "<p style='Heading1'>One</p><p>Hello "
    "world.</p><tbl><tr><tc>a</tc><tc>b</tc></tr></tbl><p style='Heading2'>Two</p><p>More.</p>"
)


def chunked(tmp_path, spec):
    """Return the parsed folder of a document that was chunked."""
    (tmp_path / "a.docx").write_bytes(docx(CONTENT))
    (item,) = find_inputs([str(tmp_path / "a.docx")], None, Scan())
    chunk_one(Reading(), spec, item)
    return item.target


@pytest.fixture
def folder(tmp_path):
    return chunked(tmp_path, ChunkSpec())


def found(folder):
    return [
        f"{fault.file.name} {f'line {fault.line}' if fault.line else ''} {fault.sentence}"
        for fault in validate(folder)
    ]


def edit(file, change):
    lines = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
    change(lines)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("a.blocks.jsonl", lambda lines: lines[1].pop("content"), "line 2 'content' is missing"),
        ("a.blocks.jsonl", lambda lines: lines[0].update(odd=1), "line 1 'odd' is an unknown key"),
        ("a.blocks.jsonl", lambda lines: lines.pop(), "declares 2 blocks"),
        ("a.blocks.jsonl", lambda lines: lines[1].update(content="# One\nOther"), "document_hash"),
        (
            "a.blocks.jsonl",
            lambda lines: lines[2].update(parent_headings=[]),
            "parent_headings that differ",
        ),
        (
            "a.blocks.jsonl",
            lambda lines: lines[2].update(blockid=lines[1]["blockid"]),
            "occurs 2 times",
        ),
        (
            "a.blocks.jsonl",
            lambda lines: lines[1].update(session_type="odd"),
            "line 2 session_type is 'odd', against the rule enum ['body', 'preface'",
        ),
        (
            "a.blocks.jsonl",
            lambda lines: lines[1].update(level=10),
            "level is 10, against the rule maximum 9",
        ),
        (
            "a.chunks.jsonl",
            lambda lines: lines[1]["tables"][0].update(rows=[0]),
            "line 2 tables[0].rows is [0], against the rule minItems 2",
        ),
        ("a.chunks.jsonl", lambda lines: lines[1].update(tokens=3), "it declares 3 tokens"),
        ("a.chunks.jsonl", lambda lines: lines[0].update(chunks=9), "declares 9 chunks"),
        (
            "a.chunks.jsonl",
            lambda lines: lines[0].update(blocks_sha256="0" * 64),
            "another version",
        ),
        (
            "a.report.json",
            lambda lines: lines[0]["characters"].update(emitted=1),
            "files of the folder were changed",
        ),
    ],
)
def test_faults_are_found(folder, name, change, fault):
    edit(folder / name, change)
    assert any(fault in sentence for sentence in found(folder)), found(folder)


def test_unknown_keys_of_other_parsers_are_allowed(folder):
    (folder / "a.chunks.jsonl").unlink()
    edit(
        folder / "a.blocks.jsonl",
        lambda lines: (
            lines[0].update(parse_engine="native", bbox_attributes={})
            or lines[0].pop("contents_sha256")
        ),
    )
    assert found(folder) == []


@pytest.mark.parametrize(
    "name", ["report.json", "notes.json", "equations.json", "blocks.assets/image1.png"]
)
def test_missing_files_are_found(tmp_path, name):
    folder = api.write(api.parse(DOCUMENTS / "sample-report.docx"), tmp_path)
    assert found(folder) == []
    (folder / f"sample-report.{name}").unlink()
    assert any("changed or removed" in sentence for sentence in found(folder)), found(folder)


def test_unknown_keys_of_units_are_found(tmp_path):
    folder = chunked(tmp_path, ChunkSpec(units=True))
    assert found(folder) == []
    edit(folder / "a.units.jsonl", lambda lines: lines[1].update(odd=1))
    assert found(folder) == [
        "a.units.jsonl line 2 'odd' is an unknown key",
        "a.units.jsonl  it was changed, or its chunks were: make the units again",
    ]


def test_invalid_json(folder):
    (folder / "a.tables.json").write_text("{")
    assert any("a.tables.json  is not JSON" in sentence for sentence in found(folder))
