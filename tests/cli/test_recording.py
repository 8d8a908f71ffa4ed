"""The picture of a terminal in the documentation shows what the commands print."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

from make_fixtures import DOCUMENTS
from rich.console import Console
from rich.text import Text

PICTURE = DOCUMENTS.parents[1] / "docs" / "images" / "terminal.svg"
COMMANDS = ("show sample-report.docx", "chunk sample-report.docx --max-tokens 512")
WIDTH = 80


def test_recording(tmp_path: Path, request, matches):
    shutil.copy(DOCUMENTS / "sample-report.docx", tmp_path)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for command in COMMANDS:
        console.print(Text.assemble(("$ ", "green"), f"docxchunk {command}"))
        console.print(Text.from_ansi(_output(command.split(), tmp_path)))
    # the font would be fetched from the network
    svg = re.sub(
        r"\s*@font-face \{.*?\}", "", console.export_svg(title="docxchunk"), flags=re.DOTALL
    )
    if request.config.getoption("--update-goldens"):
        matches(PICTURE, svg)
    assert _words(svg) == _words(PICTURE.read_text("utf-8")), (
        "if the new text is right, run pytest with --update-goldens"
    )


def _output(arguments: list[str], here: Path) -> str:
    shown = os.environ | {
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "COLUMNS": str(WIDTH),
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "docxchunk", *arguments],
        capture_output=True,
        check=True,
        cwd=here,
        env=shown,
        encoding="utf-8",
    )
    return done.stdout + done.stderr


def _words(svg: str) -> list[str]:
    """Return the text of the picture, because versions of rich draw it differently."""
    return unescape(" ".join(re.findall(r"<text [^>]*>([^<]*)</text>", svg))).split()
