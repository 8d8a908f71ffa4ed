"""Control characters of documents and of file names do not reach the terminal."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import traceback
from io import BytesIO

import pytest
from cli.helpers import ENVIRONMENT, docxchunk_process
from hypothesis import given
from hypothesis import strategies as st
from make_fixtures import DOCUMENTS

from docxchunk.cli.streams import PrintableStream, Styled
from docxchunk.markup.names import one_line, printable

NAME = "a\x1b[31m\u202eb\n.docx"
TEXT = (
    "Hello \x1b[31m\x1b]0;title\x07 \x9b2J \u202eevil\u2066 \x7f world, "
    "\u0301\u200e\u05d0\U0001f600.\n"
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
OWN = re.compile(r"\x1b\[[0-9;?]*[mKAhlJ]|\r")  # colours and cursor movements of the command line


@pytest.fixture
def folder(tmp_path):
    shutil.copy(DOCUMENTS / "sample-report.docx", tmp_path / NAME)
    shutil.copy(DOCUMENTS / "contract.docx", tmp_path / "b.docx")
    (tmp_path / "\x1b[1mbad.docx").write_bytes(b"PK")
    (tmp_path / "t.txt").write_text(TEXT, "utf-8")
    return tmp_path


MESSAGES = [
    ("show", NAME),
    ("show", "t.txt", "--blocks"),
    ("show", "t.txt", "--chunks"),
    ("show", "\x1b[1mbad.docx"),
    ("export", "--document", "\x1b[1mbad.docx"),
    ("validate", "\x1b[1mbad.docx"),
    ("diff", "\x1b[2J", NAME),
    ("parse", "--\x1b[2J", NAME),
    ("chunk", "t.txt", "-s", "\x1b[2J"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file names")
@pytest.mark.parametrize("command", MESSAGES)
def test_messages_and_texts_are_printable(folder, command):
    said = docxchunk_process(*command, cwd=folder)
    assert said.out + said.err
    assert not CONTROL.search(said.out + said.err)
    assert "Traceback" not in said.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    "command", [*MESSAGES, ("parse", "."), ("chunk", ".", "--jobs", "1"), ("report", ".")]
)
def test_a_terminal_gets_only_own_control_characters(folder, command):
    import pty

    main, terminal = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "docxchunk", *command],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=folder,
        env=environment,
    ):
        os.close(terminal)
        said = b"".join(iter(lambda: _read(main), b""))
    os.close(main)
    assert said
    text = said.decode()
    assert not CONTROL.search(OWN.sub("", text))


def _read(descriptor):
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # Linux: the other end is closed
        return b""


def test_paths_and_json_are_written_to_a_pipe_unchanged(folder):
    if sys.platform == "win32":
        pytest.skip("Windows has no such file names")
    assert docxchunk_process("parse", NAME, cwd=folder).out == f"{NAME}.parsed\n"
    assert "\\u001b[31m" in docxchunk_process("chunk", "t.txt", "-o", "-", cwd=folder).out


@given(st.text(st.characters(), max_size=40))
def test_printable_text_has_no_controls_and_is_unique(text):
    shown = printable(text)
    assert not CONTROL.search(shown)
    assert printable(shown) == shown
    assert "\n" not in one_line(text)
    assert shown == text or CONTROL.search(text) or re.search("[\ud800-\udfff]", text)


def test_tracebacks_are_printable():
    data = BytesIO()
    stream = PrintableStream(data, "utf-8", "replace", write_through=True)
    traceback.print_exception(ValueError(TEXT), file=stream)
    print(os.fsdecode(b"\xff"), Styled("styled"), file=stream)
    stream.write(Styled("\x1b[1m"))
    shown = data.getvalue().decode()
    assert "\\x1b[31m\\x1b]0;title\\x07 \\x9b2J \\u202eevil" in shown
    assert shown.endswith("\\xff styled\n\x1b[1m")
    assert not CONTROL.search(shown[:-4])
