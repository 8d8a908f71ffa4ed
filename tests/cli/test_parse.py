"""docxchunk parse"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from cli.helpers import ENVIRONMENT, REPORT, docxchunk, summary
from docx_builder import docx

from docxchunk import api


def test_results_go_beside_the_input(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    said = docxchunk("parse report.docx")
    assert said == (0, "report.docx.parsed\n", "")
    assert sorted(path.name for path in (tmp_path / "report.docx.parsed").iterdir()) == [
        "report.blocks.assets",
        "report.blocks.jsonl",
        "report.drawings.json",
        "report.report.json",
        "report.tables.json",
    ]
    assert [block.heading for block in api.read(tmp_path / "report.docx.parsed").blocks] == [
        "",
        "One",
        "Two",
    ]


def test_under_an_output_folder_the_tree_is_mirrored(tmp_path):
    for name in ("a.docx", "x/a.docx"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(REPORT)
    said = docxchunk("parse in --recursive -o out")
    assert (said.code, said.out) == (0, "out/a.docx.parsed\nout/x/a.docx.parsed\n")
    assert summary(said) == {"document": "2", "unchanged": "0", "failed": "0"}
    ids = [
        api.read(tmp_path / "out" / name).doc_id for name in ("a.docx.parsed", "x/a.docx.parsed")
    ]
    assert ids[0] == api.parse(tmp_path / "in" / "a.docx").doc_id != ids[1]


def test_unchanged_files_are_skipped(tmp_path):
    (tmp_path / "a.docx").write_bytes(REPORT)
    (tmp_path / "b.docx").write_bytes(REPORT)
    docxchunk("parse", tmp_path)
    before = (tmp_path / "a.docx.parsed").stat().st_ino
    (tmp_path / "b.docx").write_bytes(docx("<p>Other.</p>"))
    assert summary(docxchunk("parse", tmp_path))["unchanged"] == "1"
    assert (tmp_path / "a.docx.parsed").stat().st_ino == before
    assert summary(docxchunk("parse", tmp_path))["unchanged"] == "2"
    assert summary(docxchunk("parse", tmp_path, "--comments"))["unchanged"] == "0"
    assert summary(docxchunk("parse", tmp_path, "--comments", "--force"))["unchanged"] == "0"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_file_fails_alone(tmp_path, jobs):
    (tmp_path / "a.docx").write_bytes(REPORT)
    (tmp_path / "b.docx").write_bytes(b"%PDF-1.7")
    (tmp_path / "c.docx").write_bytes(REPORT)
    said = docxchunk("parse", tmp_path, tmp_path / "nowhere.docx", "--jobs", jobs)
    assert said.code == 1
    assert [line.rpartition("/")[2] for line in said.out.splitlines()] == [
        "a.docx.parsed",
        "c.docx.parsed",
    ]
    assert "b.docx: " in said.err
    assert "PDF" in said.err
    assert "nowhere.docx does not exist." in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "b.docx.parsed").exists()


@pytest.mark.parametrize(("jobs", "files"), [(2, 6), ("auto", 80)])
def test_several_jobs_write_the_same_files_as_one(tmp_path, jobs, files):
    for number in range(files):
        (tmp_path / f"{number}.docx").write_bytes(
            docx(f"<p style='Heading1'>{number}</p><p>Text.</p>")
        )
    said = docxchunk("parse", tmp_path, "-o", tmp_path / "one", "--jobs", 1)
    again = docxchunk("parse", tmp_path, "-o", tmp_path / "two", "--jobs", jobs)
    assert again.out == said.out.replace("/one/", "/two/")
    one, two = (
        {path.relative_to(root): path.read_bytes() for path in root.glob("*/*.json*")}
        for root in (tmp_path / "one", tmp_path / "two")
    )
    assert len(one) == 2 * files
    assert one == two


def test_links_in_the_output_folder_are_refused(tmp_path):
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "a.docx").write_bytes(REPORT)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").symlink_to(tmp_path / "elsewhere")
    said = docxchunk("parse in -r -o out")
    assert (said.code, said.out, os.listdir(tmp_path / "elsewhere")) == (1, "", [])
    assert "symbolic link" in said.err


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files")
def test_a_full_disk_is_one_sentence(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<p>" + "Word after word. " * 2000 + "</p>"))
    done = subprocess.run(
        [sys.executable, "-m", "docxchunk", "parse", "a.docx"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"},  # which would be cut, too
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )
    assert done.returncode == 1
    assert done.stderr == "failed  a.docx: a.docx.parsed cannot be written: File too large.\n"
    assert os.listdir(tmp_path) == ["a.docx"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["chunk", "a.docx", "-o", "-", "--quiet"],
        ["parse", "a.docx"],
        ["show", "a.docx"],
        ["cite", "a.docx", "More text, and more of that", "--json"],
    ],
)
def test_a_full_standard_output_is_one_sentence(tmp_path, arguments):
    (tmp_path / "a.docx").write_bytes(REPORT)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "docxchunk", *arguments],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        1,
        "Error: The output cannot be written: No space left on device.\n",
    )
