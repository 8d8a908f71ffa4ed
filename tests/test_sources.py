"""What a document can be read from: a path, bytes, a file, a document of python-docx."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from pathlib import Path

import pytest
from docx_builder import docx

import docxchunk
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.sources import bytes_of, path_of

DATA = docx("<p>text</p>")


class Named(io.BytesIO):
    """A file with a name, which may be a file descriptor, or None."""

    def __init__(self, name, data=b"x"):
        super().__init__(data)
        self.name = name


class Made:
    """A document of python-docx."""

    def save(self, path_or_stream):
        path_or_stream.write(b"x")


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("docs/a.docx", "docs/a.docx"),
        (Path("docs/a.docx"), str(Path("docs/a.docx"))),
        (Named("docs/a.docx"), "docs/a.docx"),
        (Named(Path("docs/a.docx")), str(Path("docs/a.docx"))),
        (Named(b"docs/a.docx"), "docs/a.docx"),
        *((source, "") for source in (Named(3), Named(None), Named(""), io.BytesIO(b"x"), Made())),
        *((source, "") for source in (b"x", bytearray(b"x"), memoryview(b"x"))),
    ],
)
def test_the_path_and_bytes_of_a_source(tmp_path, monkeypatch, source, path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.docx").write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    assert path_of(source) == path
    data, name = bytes_of(source, Limits())
    assert (data, type(data), name) == (b"x", bytes, path and "a.docx")


@pytest.mark.parametrize("name", [None, "b.docx"])
def test_a_file_has_its_own_name_unless_another_is_given(name):
    document = docxchunk.parse(Named("docs/a.docx", DATA), name=name)
    assert document.name == (name or "a.docx")
    assert document.doc_id == docxchunk.parse(DATA, name=name or "a.docx").doc_id
    assert docxchunk.parse(DATA, doc_id="doc-1").doc_id == "doc-1"
    assert docxchunk.parse(DATA).name == "document.docx"


@pytest.mark.parametrize("kind", ["path", "file", "pipe"])
def test_a_file_of_the_largest_size_is_read_whole_and_a_larger_one_is_not(tmp_path, kind):
    (tmp_path / "a.docx").write_bytes(DATA)
    for limit in (len(DATA), len(DATA) - 1):
        with opened(tmp_path / "a.docx", kind) as source:
            options = ParseOptions(limits=Limits(file=limit))
            if limit == len(DATA):
                assert docxchunk.parse(source, options=options).blocks[0].content == "text"
            else:
                too_large = f"larger than {limit:,} bytes"
                with pytest.raises(docxchunk.LimitError, match=too_large) as caught:
                    docxchunk.parse(source, options=options)
                assert caught.value.limit == "file"
                assert kind != "file" or source.tell() == limit + 1


@contextmanager
def opened(path, kind):
    """Yield the path, its open file, or the path of a pipe, whose size is unknown."""
    if kind == "path":
        yield path
    elif kind == "file":
        with path.open("rb") as file:
            yield file
    else:
        if not Path("/dev/fd").exists():
            pytest.skip("this system does not name pipes")
        reading, writing = os.pipe()
        os.write(writing, path.read_bytes())
        os.close(writing)
        yield f"/dev/fd/{reading}"
        os.close(reading)
