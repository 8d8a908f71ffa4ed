"""docxchunk report, docxchunk show --chunks"""

from __future__ import annotations

import os
import re

import pytest
from cli.helpers import REPORT, docxchunk
from docx_builder import docx


@pytest.fixture
def report(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    return tmp_path / "report.docx"


def chunks_in(page):
    return re.findall(r'<article [^>]*id="([^"]*)"', page)


def test_a_page_beside_the_file_and_nothing_else(report):
    said = docxchunk("report", report)
    assert (said.code, said.out, said.err) == (0, f"{report}.html\n", "")
    assert sorted(path.name for path in report.parent.iterdir()) == ["report.docx", "report.docx.html"]
    page = (report.parent / "report.docx.html").read_text("utf-8")
    assert "Hello new" in page
    assert docxchunk("report", report, "-o", "-").out == page


def test_a_page_by_name_and_pages_in_a_folder(report):
    place = report.parent
    (place / "sub").mkdir()
    (place / "sub" / "other.docx").write_bytes(docx("<p>Other.</p>"))
    assert docxchunk("report", report, "-o", place / "new" / "page.html").out == f"{place / 'new' / 'page.html'}\n"
    assert docxchunk("report", place, "-r", "-o", place / "out", "-q").out == ""
    assert (place / "out" / "report.docx.html").is_file()
    assert (place / "out" / "sub" / "other.docx.html").is_file()
    said = docxchunk("report", place, "-r", "-o", place / "page.html")
    assert (said.code, said.out) == (2, "")
    assert "there are several inputs" in said.err


def test_the_chunks_beside_what_is_parsed_unless_it_is_said_how_to_chunk(report):
    docxchunk("chunk", report, "-n", "32", "--overlap", "0")
    docxchunk("chunk", report, "-s", "R")
    found = chunks_in(docxchunk("report", f"{report}.parsed", "-o", "-").out)
    assert {key.partition("-")[0] for key in found} == {"P", "R"}
    assert len(found) > len(chunks_in(docxchunk("report", f"{report}.parsed", "-o", "-", "-s", "P", "-s", "R").out)) == 3


@pytest.mark.foreign_files
def test_chunks_of_another_version_are_not_shown(report):
    docxchunk("chunk", report)
    blocks = report.with_name("report.docx.parsed") / "report.blocks.jsonl"
    blocks.write_text(blocks.read_text("utf-8").replace("Hello", "Hullo"), "utf-8")
    said = docxchunk("report", blocks)
    assert (said.code, said.out) == (1, "")
    assert "another version of the document" in said.err
    assert docxchunk("report", blocks, "-n", "2000").code == 0


def test_settings_are_for_the_strategies_that_have_them(report):
    assert docxchunk("report", report, "-s", "P", "-s", "R", "--set", "anchors=furthest", "-o", "-").code == 0
    for arguments in (("--set", "nosuch=1"), ("-s", "R", "--set", "anchors=furthest"), ("-s", "nosuch"), ("-n", "3"), ("-s", "P", "-s", "R", "--set", "x=1")):
        said = docxchunk("report", report, *arguments)
        assert (said.code, said.out) == (2, ""), arguments
    assert [path.name for path in report.parent.iterdir()] == ["report.docx"]


def test_what_fails_is_told_and_the_others_are_done(report):
    (report.parent / "bad.docx").write_bytes(b"PK")
    said = docxchunk("report", report.parent, "nosuch.docx")
    assert said.code == 1
    assert said.out == f"{report}.html\n"
    failed = [line for line in said.err.splitlines() if line.startswith("failed ")]
    assert ["nosuch.docx" in failed[0], "bad.docx" in failed[1]] == [True, True]
    assert docxchunk("report", report, "-o", report / "x.html").code == 1


def test_text_and_environment(report):
    (report.parent / "notes.md").write_text("One two three. " * 100, "utf-8")
    few = chunks_in(docxchunk("report", report.parent / "notes.md", "-o", "-").out)
    many = chunks_in(docxchunk("report", report.parent / "notes.md", "-o", "-", CHUNK_P_SIZE="64").out)
    assert len(many) > len(few) == 1


def test_show_chunks(report):
    said = docxchunk("show", report, "--chunks", "-n", "32", "--overlap", "0")
    lines = said.out.splitlines()
    assert (said.code, said.err) == (0, "")
    assert "P · at most 32 tokens · o200k_base · " in said.out
    assert any(line.startswith("1 (before the first heading)") for line in lines)
    assert re.search(r"\d+ / 32 tokens", said.out)
    assert "Hello new" in said.out
    assert "\x1b" not in said.out
    assert [path.name for path in report.parent.iterdir()] == ["report.docx"]


def test_show_chunks_says_what_is_shown_again(report):
    text = " ".join(f"Sentence {number} is here." for number in range(100))
    report.write_bytes(docx(f"<p>{text}</p>"))
    said = docxchunk("show", report, "--chunks", "-n", "64", "--overlap", "16").out
    assert len(re.findall(r"overlap: \d+ characters", said)) == len(re.findall(r"/ 64 tokens", said)) - 1 > 3


def test_show_takes_options_of_chunking_only_with_chunks(report):
    said = docxchunk("show", report, "-n", "64")
    assert (said.code, said.out) == (2, "")
    assert said.err == "Error: How to chunk is a question only with --chunks.\n"


def test_where_the_extra_is_missing_it_is_told_how_to_get_it(tmp_path):
    (tmp_path / "report.docx").write_bytes(docx('<p><eq>f(num("a") den("b"))</eq></p>'))
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "math_core.py").write_text("raise ImportError", "utf-8")
    path = os.pathsep.join([str(tmp_path / "hidden"), os.environ.get("PYTHONPATH", "")])
    said = docxchunk("report", tmp_path / "report.docx", PYTHONPATH=path)
    assert said.code == 0
    assert said.err.endswith('needs the package math-core: pip install "docxchunk[report]"\n')
    assert r"\frac{a}{b}" in (tmp_path / "report.docx.html").read_text("utf-8")
