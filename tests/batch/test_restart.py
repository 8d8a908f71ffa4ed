"""A run that is killed and started again writes the same files as an undisturbed one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.helpers import ENVIRONMENT, docxchunk, summary
from docx_builder import docx

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")

FILES = 80


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Return a folder of documents: some large, most small, two broken."""
    folder = tmp_path_factory.mktemp("documents")
    for number in range(FILES):
        place = folder / f"{number % 4}" / f"{number:02}.docx"
        place.parent.mkdir(exist_ok=True)
        rows = "<tr><tc>a</tc><tc>b</tc></tr>" * (number % 7)
        place.write_bytes(
            docx(
                f"<p style='Heading1'>{number}</p>"
                + f"<p>Some text of {number}.</p>" * (200 if number % 9 == 0 else 20)
                + f"<tbl>{rows}</tbl>"
            )
        )
    (folder / "1" / "05.docx").write_bytes(b"%PDF-1.7")
    (folder / "2" / "06.docx").write_bytes(b"")
    return folder


@pytest.fixture(autouse=True)
def _enable_ctrl_c():
    """Restore Ctrl-C, which shells disable for background jobs and their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def written(out: Path) -> dict[str, str]:
    """Return the hash of each file, including hidden ones."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in out.rglob("*")
        if path.is_file()
    }


def arguments(documents: Path, out: Path) -> tuple[object, ...]:
    return (
        "chunk",
        documents,
        "--recursive",
        "--out",
        out,
        "--jobs",
        2,
        "--max-tokens",
        64,
        "--overlap",
        8,
    )


def start(documents: Path, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "docxchunk", *map(str, arguments(documents, out))]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        start_new_session=True,
    )


def wait_for(out: Path, number: int, process: subprocess.Popen[bytes]) -> None:
    while len(list(out.glob("*/*.parsed"))) < number and process.poll() is None:
        time.sleep(0.002)


def wait_for_workers(process: subprocess.Popen[bytes]) -> None:
    """Wait until the workers, which are in the process group of their parent, have ended."""
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.killpg(process.pid, 0)
            time.sleep(0.01)


@pytest.mark.slow
def test_a_run_killed_twice_continues_with_the_same_result(documents, tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert docxchunk(*arguments(documents, whole)).code == 1
    for number in (15, 45):
        with start(documents, broken) as process:
            wait_for(broken, number, process)
            process.kill()
        assert len(list(broken.glob("*/*.parsed"))) < FILES - 2
        wait_for_workers(process)
    said = docxchunk(*arguments(documents, broken))
    assert int(summary(said)["unchanged"]) >= 40
    assert written(broken) == written(whole)


def test_two_runs_at_once_write_what_one_writes(documents, tmp_path):
    whole, shared = tmp_path / "whole", tmp_path / "shared"
    some = documents / "1"
    assert docxchunk(*arguments(some, whole)).code == 1
    with start(some, shared) as one, start(some, shared) as other:
        pass
    assert (one.returncode, other.returncode) == (1, 1)  # a file is broken
    assert written(shared) == written(whole)


def test_an_interrupted_run_finishes_started_files_and_continues(documents, tmp_path):
    """Ctrl-C reaches all processes of a terminal."""
    out = tmp_path / "out"
    with start(documents, out) as process:
        wait_for(out, 5, process)
        os.killpg(process.pid, signal.SIGINT)
    assert process.returncode == 130
    folders = list(out.glob("*/*.parsed"))
    assert 5 <= len(folders) < FILES - 2
    assert all(len(list(folder.glob("*.chunks.jsonl"))) == 1 for folder in folders)
    assert not list(out.rglob(".*"))
    said = docxchunk(*arguments(documents, out))
    assert said.code == 1
    assert summary(said) == {
        "document": "80",
        "unchanged": f"{len(folders)}",
        "failed": "2 (1 PdfError, 1 EmptyFileError)",
    } | {name: summary(said)[name] for name in ("chunk", "token")}


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.001, 0.003, 0.01])
def test_a_second_interrupt_ends_at_once_and_loses_nothing(documents, tmp_path, gap):
    """The second Ctrl-C does not wait for started files; a later run writes them again."""
    out = tmp_path / "out"
    with start(documents, out) as process:
        wait_for(out, 5, process)
        for _ in range(2):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(gap)
        process.wait(60)
    assert process.returncode == 130
    for folder in (out, tmp_path / "whole"):
        docxchunk(*arguments(documents, folder))
    assert written(out) == written(tmp_path / "whole")


def test_an_interruption_is_reported_in_one_line(documents, tmp_path):
    command = [sys.executable, "-m", "docxchunk", *map(str, arguments(documents, tmp_path / "out"))]
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
        text=True,
    ) as process:
        wait_for(tmp_path / "out", 1, process)
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        lines = [
            line
            for line in process.stderr.read().splitlines()
            if not line.startswith(("note", "failed"))
        ]
    assert len(lines) == 1
    assert lines[0].startswith("Interrupted: at least ")


def test_an_interruption_of_the_imports_is_reported_in_one_line(tmp_path):
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    command = [sys.executable, "-m", "docxchunk", "--version"]
    path = os.pathsep.join((str(tmp_path), *sys.path))
    done = subprocess.run(
        command, env=ENVIRONMENT | {"PYTHONPATH": path}, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"Interrupted.\n")
