"""The standard streams are printable, and messages name options in place of arguments of Python."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from io import TextIOWrapper

import click
import pytest
from case_files import each_row
from cli.helpers import ENVIRONMENT, Terminal, docxchunk, docxchunk_process, run
from hypothesis import given
from hypothesis import strategies as st
from make_fixtures import DOCUMENTS

from docxchunk.cli import LazyGroup
from docxchunk.cli.console import Reporter, with_options
from docxchunk.errors import InputError, UsageError
from docxchunk.model.wording import one_line, printable

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
    said = docxchunk(*command)
    assert said.out + said.err
    assert not CONTROL.search(said.out + said.err)
    assert "Traceback" not in said.err


@pytest.mark.parametrize("command", [MESSAGES[0], MESSAGES[2], ("parse", "."), ("report", ".")])
def test_a_terminal_gets_only_own_control_characters(folder, command):
    said = docxchunk(*command, stream=Terminal, TERM="xterm")
    assert said.out + said.err
    assert not CONTROL.search(OWN.sub("", said.out + said.err))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_the_progress_of_a_run_is_shown_on_a_terminal(folder):
    import pty

    main, terminal = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "docxchunk", "chunk", ".", "--jobs", "1"],
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
    assert docxchunk_process("parse", NAME).out == f"{NAME}.parsed\n"
    assert "\\u001b[31m" in docxchunk_process("chunk t.txt -o -").out


@given(st.text(st.characters(), max_size=40))
def test_printable_text_has_no_controls_and_is_unique(text):
    shown = printable(text)
    assert not CONTROL.search(shown)
    assert printable(shown) == shown
    assert "\n" not in one_line(text)
    assert shown == text or CONTROL.search(text) or re.search("[\ud800-\udfff]", text)


@each_row("cli")
def test_sentences(sentence, shown):
    assert with_options(sentence) == shown


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (MemoryError(), 1, "Error: There is not enough memory.\n"),
        (
            PermissionError(13, "Permission denied", "a.docx"),
            1,
            "Error: a.docx: Permission denied.\n",
        ),
        (OSError(28, "No space left"), 1, "Error: The output cannot be written: No space left.\n"),
        (OSError("odd"), 1, "Error: The output cannot be written: odd.\n"),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (KeyboardInterrupt(), 130, ""),
        (InputError("It is\nbroken."), 1, "Error: It is\\nbroken.\n"),
        (UsageError("max_tokens is 5."), 2, "Error: --max-tokens is 5.\n"),
    ],
)
def test_an_error_is_a_sentence_and_an_exit_code(monkeypatch, error, code, shown):
    @click.command()
    def failing():
        raise error

    monkeypatch.setattr(LazyGroup, "get_command", lambda *_: failing)
    assert docxchunk("parse") == (code, "", shown)


@pytest.mark.parametrize(
    ("stream", "shown"), [(TextIOWrapper, f"{NAME}\n"), (Terminal, f"{one_line(NAME)}\n")]
)
def test_a_pipe_gets_a_path_unchanged_and_a_terminal_only_printable_text(stream, shown):
    @click.command()
    def printing():
        Reporter().data(NAME)
        Reporter(quiet=True).data("quiet")

    assert run(printing, stream=stream) == (0, shown, "")


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("chnk", " Did you mean `docxchunk chunk`?"),
        ("zzz", ""),
    ],
)
def test_an_unknown_command_suggests_the_one_that_is_meant(word, hint):
    said = docxchunk(word)
    assert (said.code, said.out) == (2, "")
    assert said.err.endswith(f"\nError: There is no command or file '{word}'.{hint}\n")


@pytest.mark.parametrize(("name", "command"), [("contract.docx", "show"), ("", "outline")])
def test_a_file_or_folder_without_a_command_is_shown(name, command):
    file = shlex.quote(str(DOCUMENTS / name))
    page, shown = docxchunk(file), docxchunk(f"{command} {file}")
    assert (page.code, page.out) == (0, shown.out)
    assert page.err.startswith("Next: docxchunk search ")
