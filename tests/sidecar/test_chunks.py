"""Format and version of chunk files."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.errors import SidecarError
from docxchunk.markup.records.chunks import CHUNK, Provenance, chunks_record
from docxchunk.sidecar.chunks import is_altered_file, is_outdated, read_chunks
from docxchunk.sidecar.writer import write, write_lines


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
