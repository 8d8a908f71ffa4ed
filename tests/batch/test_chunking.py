"""When chunks are made again, what is said of it, and what is returned instead of files."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.chunk_spec import ChunkSpec, check
from docxchunk.batch.chunking import chunk_one, chunked
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import REMADE, Reading
from docxchunk.errors import MissingModelError, SidecarError, UsageError
from docxchunk.model.options import ChunkLimits, ParseOptions
from docxchunk.sidecar.chunks import are_current_units

CONTENT = (
    "<p style='Heading1'>One</p><p>Hello <ins>new</ins> world. It turns.</p>"
    "<p style='Heading1'>Two</p><p>More text.</p>"
)
PLAIN = "<p>Some text.</p>"


def item_at(path: Path) -> Input:
    (item,) = find_inputs([str(path)], None, Scan(parsed=True))
    assert isinstance(item, Input)
    return item


@pytest.fixture
def item(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx(CONTENT))
    return item_at(tmp_path / "a.docx")


def small(**others):
    return ChunkSpec(limits=ChunkLimits(max_tokens=64, overlap=0), **others)


@pytest.mark.parametrize(
    ("reading", "spec", "is_reused"),
    [
        (Reading(), ChunkSpec(), True),
        (Reading(), ChunkSpec(units=True), True),
        (Reading(force=True), ChunkSpec(), False),
        (Reading(), ChunkSpec(trace=True), False),
        (Reading(), ChunkSpec(tokenizer="cl100k_base"), False),
        (Reading(), ChunkSpec("R"), False),
        (Reading(), ChunkSpec(settings={"anchors": "furthest"}), False),
        (Reading(ParseOptions(comments=True)), ChunkSpec(), False),
    ],
)
def test_chunks_are_used_again_unless_something_else_is_asked(item, reading, spec, is_reused):
    first = chunk_one(Reading(), ChunkSpec(), item)
    again = chunk_one(reading, spec, item)
    assert (first.reused, again.reused) == (False, is_reused)
    assert (again.chunks, again.tokens > 0) == (first.chunks, True)
    assert bool(again.trace) == spec.trace
    assert again.path == str(item.target / f"a{'.R' * (spec.strategy == 'R')}.chunks.jsonl")
    assert are_current_units(item.target / "a.chunks.jsonl") == spec.units


def test_the_trace_tells_what_each_stage_changed(item):
    document = api.parse(item.source)
    trace = [json.loads(line) for line in chunked(document, small(trace=True)).trace.splitlines()]
    assert chunked(document, small()).trace == b""
    assert {step["doc_id"] for step in trace} == {document.doc_id}
    assert trace[-1]["pieces"][0]["heading"] == "One"
    for step, following in pairwise(trace):
        at = 0
        for change in following["changes"]:
            assert change["before"][0] >= at
            at = change["before"][1]
        assert at <= len(step["pieces"])
    merged = next(step for step in trace if step["stage"] == "merge")
    assert [change["before"] for change in merged["changes"]] == [[0, 2]]
    assert [change["after"] for change in merged["changes"]] == [[0, 1]]


@pytest.mark.parametrize(
    ("name", "text", "spec", "notes"),
    [
        ("a.docx", docx(CONTENT), ChunkSpec(), []),
        ("a.docx", docx(PLAIN), ChunkSpec(), []),  # one chunk
        ("a.docx", docx(PLAIN * 30), small(), ["It has no headings to follow"]),
        ("a.docx", docx(PLAIN * 30), small(strategy="R"), []),
        ("a.docx", docx(CONTENT + PLAIN * 30), small(), []),
        ("a.txt", b"Some text.\n\n" * 20, small(), ["Plain text has no structure for P"]),
        ("a.txt", b"Some text.", small(), ["Plain text has no structure for P"]),
        ("a.txt", b"Some text.", small(strategy="R"), []),
    ],
)
def test_it_is_said_if_there_is_no_structure_to_follow(tmp_path, name, text, spec, notes):
    (tmp_path / name).write_bytes(text)
    found = chunk_one(Reading(), spec, item_at(tmp_path / name)).notes
    assert [note[: len(start)] for note, start in zip(found, notes, strict=True)] == notes


@pytest.mark.parametrize(
    ("spec", "error", "sentence"),
    [
        (ChunkSpec(tokenizer="none"), UsageError, "no tokenizer named 'none'"),
        (ChunkSpec(tokenizer="none.json"), UsageError, "The tokenizer none.json cannot be read"),
        (ChunkSpec("none"), UsageError, "no strategy named 'none'"),
        (ChunkSpec(settings={"none": 1}), UsageError, "none"),
        (ChunkSpec(limits=ChunkLimits(64, 101)), UsageError, "overlap is 101"),
        (ChunkSpec("PPL"), MissingModelError, "scorer"),
        (ChunkSpec(situate=True), MissingModelError, "completer"),
        (ChunkSpec("V", models=ModelChoice(embedder="none")), UsageError, "no embedder named"),
    ],
)
def test_options_that_would_fail_on_every_document_are_refused_before(spec, error, sentence):
    with pytest.raises(error, match=sentence):
        check(spec)


@pytest.mark.foreign_files
@pytest.mark.parametrize("is_hashed", [True, False])
def test_a_damaged_folder_is_made_again_of_its_document(item, is_hashed):
    """Files of other programs have no hash of their contents."""
    chunk_one(Reading(), ChunkSpec(), item)
    blocks, tables = (item.target / f"a.{name}" for name in ("blocks.jsonl", "tables.json"))
    whole = blocks.read_bytes()
    if not is_hashed:
        first, _, others = whole.partition(b"\n")
        meta = json.loads(first)
        del meta["contents_sha256"]
        blocks.write_bytes(json.dumps(meta).encode() + b"\n" + others)
    tables.write_text("{")
    again = chunk_one(Reading(), ChunkSpec(), item)
    assert (again.reused, again.notes) == (False, (REMADE,))
    assert not tables.exists()
    assert blocks.read_bytes() == whole
    tables.write_text("{")
    with pytest.raises(SidecarError, match=r"is not JSON .*\. Parse the Word file again\.$"):
        chunk_one(Reading(), ChunkSpec(), item_at(item.target))
    with pytest.raises(SidecarError, match=r"is not JSON [^.]*\.$"):
        chunk_one(Reading(), ChunkSpec(), item_at(blocks))
