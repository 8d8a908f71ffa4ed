"""Run the command line, in this process or in one of its own."""

from __future__ import annotations

import logging
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import click
from docx_builder import docx

from docxchunk import cli
from docxchunk.cli import printing

REPORT = docx(
    "<p>Before.</p><p style='Heading1'>One</p><p>Hello <ins>new</ins> <del>old</del> world.</p>"
    "<tbl><tr header='1'><tc>a</tc><tc>b</tc></tr><tr><tc>1</tc><tc>2</tc></tr></tbl>"
    "<p style='Heading2'>Two</p><p>More text, and more of it.</p><p><pic src='a.png' "
    "alt='a picture'/></p>",
    {"media/a.png": b"\x89PNG"},
)
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name != "COLUMNS" and not name.startswith("CHUNK_")
} | {"PYTHONUTF8": "1"}


class Said(NamedTuple):
    code: int
    out: str
    err: str


def summary(said: Said) -> dict[str, str]:
    """The numbers in the sentence at the end: {"documents": "2", "failed": "1 (1 PdfError)"}."""
    sentence = next(
        line
        for line in said.err.splitlines()
        if re.match(r"[\d,]+ documents?( in [\d,.]+ s)?: ", line)
    )
    counts = re.sub(r"( in [\d,.]+ s)?: ", ", ", sentence.removesuffix("."))
    parts = re.findall(r"([\d,]+) (\w+?)s?( \([^)]*\))?(?:, |$)", counts)
    return {"unchanged": "0"} | {noun: number + kinds for number, noun, kinds in parts}


class Terminal(TextIOWrapper):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def docxchunk(
    command: str,
    *arguments: object,
    cwd: Path | None = None,
    stream: type[TextIOWrapper] = TextIOWrapper,
    **environment: str,
) -> Said:
    """Run the command line in this process. The words of `command` are divided as in a shell."""
    words = (*shlex.split(command), *arguments)
    return run(cli.docxchunk, *words, cwd=cwd, stream=stream, **environment)


def run(
    command: click.Command,
    *arguments: object,
    cwd: Path | None = None,
    stream: type[TextIOWrapper] = TextIOWrapper,
    **environment: str,
) -> Said:
    """Run a command in this process. Its output goes to streams of this type."""
    out, err = (stream(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    logger = logging.getLogger("docxchunk")
    level = logger.level
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        chdir(cwd or "."),
        patch.dict(os.environ, ENVIRONMENT | environment, clear=True),
        patch.object(sys, "argv", ["docxchunk", *map(str, arguments)]),
        patch.object(
            sys.modules["__main__"], "__package__", ""
        ),  # else `python -m pytest` is named
    ):
        printing.console.cache_clear()  # its width depends on the environment
        code = cli.run(command)
    logger.setLevel(level)
    return Said(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def docxchunk_process(
    command: str, *arguments: object, cwd: Path | None = None, **environment: str
) -> Said:
    """Run the command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "docxchunk", *shlex.split(command), *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=cwd,
        encoding="utf-8",
        env=ENVIRONMENT | environment,
    )
    return Said(done.returncode, done.stdout, done.stderr)
