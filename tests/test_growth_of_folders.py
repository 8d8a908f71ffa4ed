"""The work of each command on a folder grows with the number of its files: calls are counted, which
are the same on every computer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from cli.helpers import docxchunk
from docx_builder import docx

from docxchunk.batch import pool

FEW = 12
LINEAR = 4.2  # for four times the files: some steps sort them
COMMANDS = {  # in order: later ones use what earlier ones wrote
    "parse": "parse {docs} -o {out}/parsed",
    "chunk": "chunk {docs} -o {out}/chunked",
    "chunk again": "chunk {docs} -o {out}/chunked",
    "chunk beside": "chunk {beside}",
    "validate": "validate {out}/chunked",
    "export": "export {out}/chunked -o {out}/all.jsonl",
    "stats": "stats {out}/chunked",
    "report": "report {beside}",
    "diff": "diff {docs} {edited}",
    "outline": "outline {docs}",
    "find": "find {docs} dollars",
    "define": "define {docs} party",
    "references": "references {docs} 1",
    "cite": "cite {docs} 'pays 3 dollars on the first day'",
    "show changes": "show {docs} --changes",
    "search": "search {docs} party",
    "search again": "search {docs} dollars",
    "search after a change": "search {docs} dollars",
}


def write_documents(folder: Path, number: int, more: str = "") -> None:
    folder.mkdir()
    for each in range(number):
        (folder / f"agreement-number-{each}.docx").write_bytes(
            docx(
                f"<p style='Heading1'>1. Agreement {each}</p>"
                f"<p>Party {each} pays {each} dollars on the first day of a month{more}.</p>"
            )
        )


def calls_of(command: str, **folders: Path) -> int:
    """Return the number of function calls of a command."""
    calls = 0

    def count(_: FrameType, event: str, __: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        said = docxchunk(command.format(**folders))
    finally:
        sys.setprofile(before)
    assert said.code in (0, 1), said.err
    return calls


def calls_of_all(top: Path, number: int) -> dict[str, int]:
    """Return the calls of each command on a folder with so many documents."""
    folders = {name: top / str(number) / name for name in ("docs", "edited", "beside", "out")}
    folders["out"].mkdir(parents=True)
    for name, more in (("docs", ""), ("beside", ""), ("edited", " and no more")):
        write_documents(folders[name], number, more)
    found: dict[str, int] = {}
    for name, command in COMMANDS.items():
        if name == "search after a change":
            for each in range(number):
                path = folders["docs"] / f"agreement-number-{each}.docx"
                if each % FEW == 0:
                    path.write_bytes(docx(f"<p>It is about {each} dollars.</p>"))
        found[name] = calls_of(command, **folders)
    return found


@pytest.mark.slow
def test_the_work_of_each_command_grows_with_the_files_of_a_folder(tmp_path, monkeypatch):
    pytest.importorskip("numpy", reason="numpy is not installed: no search")
    monkeypatch.setattr(pool, "usable_cores", lambda: 1)
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "cache"))
    calls_of_all(tmp_path, 1)  # fills the caches
    few, many = (calls_of_all(tmp_path, number) for number in (FEW, 4 * FEW))
    grown = {name: round(many[name] / few[name], 2) for name in COMMANDS}
    assert not {name: times for name, times in grown.items() if times > LINEAR}
