"""Format and version of chunk files."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.errors import MissingFileError, SidecarError
from docxchunk.records.chunks import ChunksLine, Provenance
from docxchunk.sidecar.chunks import (
    are_current_units,
    existing_chunks,
    is_made_of,
    is_outdated,
    read_chunks,
    read_units,
)
from docxchunk.sidecar.names import units_beside
from docxchunk.sidecar.writer import write, write_chunks, write_units


def changed(path, **values):
    first, *others = path.read_text().splitlines()
    meta = {
        key: value for key, value in {**json.loads(first), **values}.items() if value is not None
    }
    path.write_text("\n".join((json.dumps(meta), *others)))
    return path


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"version": "2.0"}, "has format version 2.0"),
        ({"format": "other"}, "has the format 'other'"),
    ],
)
def test_other_formats_and_newer_versions_are_refused(hashed, values, fault):
    with pytest.raises(SidecarError, match=fault):
        read_chunks(changed(hashed, **values))


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
    return write_chunks(path, ChunksLine(PROVENANCE, {}, document, chunks))


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
