"""Pipes, sockets and devices among the inputs and in parsed folders: nothing waits for them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cli.helpers import REPORT, docxchunk

from docxchunk import errors, parse, read, write
from docxchunk.sidecar.names import paths_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders")


@pytest.fixture
def folder(tmp_path):
    os.mkfifo(tmp_path / "pipe.docx")
    (tmp_path / "a.docx").write_bytes(REPORT)
    return tmp_path


@pytest.mark.parametrize("pattern", [".", "*.docx"])
def test_a_pipe_among_the_inputs_is_passed_over(folder, pattern):
    said = docxchunk("parse", pattern, cwd=folder)
    assert said.code == 0
    assert "1 .docx: pipes, sockets and devices are not read" in said.err


@pytest.mark.parametrize("pattern", ["p*.docx", "pipe.docx"])
def test_a_pipe_alone_is_an_error(folder, pattern):
    said = docxchunk("parse", pattern, cwd=folder)
    assert said.code == 1
    assert "No file matches" in said.err or "nothing writes to it" in said.err


def test_a_pipe_that_is_written_is_read():
    reading, writing = os.pipe()
    os.write(writing, REPORT)
    os.close(writing)
    assert parse(f"/dev/fd/{reading}").blocks
    os.close(reading)


@pytest.mark.foreign_files
@pytest.mark.parametrize("kind", ["blocks", "report", "tables", "notes"])
def test_a_pipe_in_a_parsed_folder_is_an_error(tmp_path, kind):
    folder = Path(write(parse(REPORT, name="a.docx"), tmp_path))
    paths = paths_in(folder, "a.docx")
    file = {"blocks": paths.blocks, "report": paths.report}.get(kind) or paths.items(kind)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    with pytest.raises(errors.MissingFileError, match="it is a pipe, a socket or a device"):
        read(folder)
