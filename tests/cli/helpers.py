"""The command in this process, and what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from docx_builder import docx

REPORT = docx(
    "<p>Before.</p><p style='Heading1'>One</p><p>Hello <ins>new</ins> <del>old</del> world.</p>"
    "<tbl><tr header='1'><tc>a</tc><tc>b</tc></tr><tr><tc>1</tc><tc>2</tc></tr></tbl>"
    "<p style='Heading2'>Two</p><p>More text, and more of it.</p><p><pic src='a.png' alt='a picture'/></p>",
    {"media/a.png": b"\x89PNG"},
)
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "COLUMNS") and not name.startswith("CHUNK_")}
ENVIRONMENT |= {"PYTHONUTF8": "1", "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir(), "docxchunk-tests-pycache"))}  # compile once, not at every start


class Said(NamedTuple):
    code: int
    out: str
    err: str


def summary(said: Said) -> dict[str, str]:
    """The table at the end, without the row of seconds."""
    lines = said.err.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("documents "))
    rows = dict(line.split(maxsplit=1) for line in lines[start:])
    assert re.fullmatch(r"[\d,]+\.\d  [\d,]+\.\d documents a second", rows.pop("seconds"))
    return rows


def docxchunk(*arguments: object, cwd: Path | None = None, **environment: str) -> Said:
    """Runs the command as a whole process."""
    done = subprocess.run(
        [sys.executable, "-m", "docxchunk", *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=cwd,
        encoding="utf-8",
        env=ENVIRONMENT | environment,
    )
    return Said(done.returncode, done.stdout, done.stderr)
