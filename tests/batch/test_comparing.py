"""What is compared: existing chunks, or chunks that are made with the settings of the other side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from docx_builder import docx

from docxchunk.batch.chunk_spec import ChunkSpec
from docxchunk.batch.chunking import chunk_one
from docxchunk.batch.comparing import _side_at, index_changes
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Reading
from docxchunk.chunking.diff import DiffKind
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.model.document import Document
from docxchunk.model.options import ChunkLimits
from docxchunk.sidecar.chunks import ChunkFile, read_chunks

SMALL = ChunkSpec(limits=ChunkLimits(max_tokens=64, overlap=0))


def content(*texts):
    return docx("".join(f"<p style='Heading1'>Part {text}</p><p>{text}.</p>" for text in texts))


def chunked(path: Path, spec: ChunkSpec = SMALL, reading: Reading = Reading()) -> Path:  # noqa: B008 - a value
    (item,) = find_inputs([str(path)], reading.out, Scan())
    assert isinstance(item, Input)
    chunk_one(reading, spec, item)
    return item.target


@pytest.fixture
def versions(tmp_path, monkeypatch):
    (tmp_path / "old.docx").write_bytes(content("one", "two"))
    (tmp_path / "new.docx").write_bytes(content("one", "two words"))
    (tmp_path / "text.txt").write_text("One.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


STANDS_FOR = (
    ("old.docx.parsed", "P", "old.chunks.jsonl"),
    ("old.docx.parsed", "R", "old.R.chunks.jsonl"),
    ("old.docx.parsed", "V", Document),
    ("old.docx.parsed", "", UsageError),
    ("old.docx.parsed/old.R.chunks.jsonl", "", "old.R.chunks.jsonl"),
    ("old.docx.parsed/old.blocks.jsonl", "", Document),
    ("new.docx.parsed", "", "new.chunks.jsonl"),
    (".", "R", "old.R.chunks.jsonl"),
    (".", "P", UsageError),  # of two documents
    ("old.docx", "", Path),
    ("text.txt", "", Path),
)


def test_what_a_path_stands_for(versions):
    for name in ("P", "R"):
        chunked(Path("old.docx"), replace(SMALL, strategy=name))
    chunked(Path("new.docx"))
    for path, strategy, kind in STANDS_FOR:
        if kind is UsageError:
            with pytest.raises(UsageError):
                _side_at(Path(path), strategy)
            continue
        found = _side_at(Path(path), strategy)
        if isinstance(kind, str):
            assert isinstance(found, ChunkFile)
            assert found.path.name == kind
        else:
            assert isinstance(found, kind)


@pytest.mark.parametrize("units", [False, True])
def test_missing_chunks_are_made_with_the_settings_and_the_id_of_the_other_side(versions, units):
    Path("copy").mkdir()
    for path in (Path("old.docx"), Path("copy/old.docx")):
        path.write_bytes(content(*(str(number) * 40 for number in range(4))))
    spec = ChunkSpec("R", ChunkLimits(max_tokens=50, overlap=0), tokenizer="cl100k_base")
    folder, copy = chunked(Path("old.docx"), spec), Path("copy/old.docx")
    number = len(read_chunks(folder / "old.R.chunks.jsonl").chunks)
    for paths in ((folder, copy), (copy, folder)):
        (found,) = index_changes(*paths, "", units=units)
        assert len(found.changes.of(DiffKind.UNCHANGED)) >= number > 1
        assert (found.changes.actions, found.notes) == ((), ())


def test_units_are_read_if_they_are_current_or_made_of_the_same_blocks(versions):
    folder = chunked(Path("old.docx"))
    both = (folder, Path("new.docx"))
    made = list(index_changes(*both, "", units=True))
    chunked(Path("old.docx"), replace(SMALL, units=True))
    assert list(index_changes(*both, "", units=True)) == made
    alone = folder / "old.chunks.jsonl"
    (folder / "old.units.jsonl").unlink()
    blocks = folder / "old.blocks.jsonl"
    blocks.write_bytes(blocks.read_bytes().replace(b"two.", b"three."))
    with pytest.raises(MissingFileError, match="has no units"):
        list(index_changes(alone, Path("new.docx"), "", units=True))
