"""docxchunk report, docxchunk show --chunks"""

from __future__ import annotations

import os
import re

import pytest
from cli.helpers import REPORT, docxchunk, docxchunk_process
from docx_builder import docx


@pytest.fixture
def report(tmp_path):
    (tmp_path / "report.docx").write_bytes(REPORT)
    return tmp_path / "report.docx"


def chunks_in(page):
    return re.findall(r'<article [^>]*id="([^"]*)"', page)


def test_only_a_page_is_written_beside_the_file(report):
    said = docxchunk("report", report)
    assert (said.code, said.out, said.err) == (0, f"{report}.html\n", "")
    assert sorted(path.name for path in report.parent.iterdir()) == [
        "report.docx",
        "report.docx.html",
    ]
    page = (report.parent / "report.docx.html").read_text("utf-8")
    assert "Hello new" in page
    assert docxchunk("report", report, "-o", "-").out == page


def test_a_page_by_name_and_pages_in_a_folder(report):
    place = report.parent
    (place / "sub").mkdir()
    (place / "sub" / "other.docx").write_bytes(docx("<p>Other.</p>"))
    assert (
        docxchunk("report", report, "-o", place / "new" / "page.html").out
        == f"{place / 'new' / 'page.html'}\n"
    )
    assert docxchunk("report", place, "-r", "-o", place / "out", "-q").out == ""
    assert (place / "out" / "report.docx.html").is_file()
    assert (place / "out" / "sub" / "other.docx.html").is_file()
    assert docxchunk("report", report, "-o", place / "PAGE.HTM").out == f"{place / 'PAGE.HTM'}\n"
    said = docxchunk("report", place, "-r", "-o", place / "page.html")
    assert (said.code, said.out) == (2, "")
    assert "there are several inputs" in said.err


def test_existing_chunks_are_shown_unless_options_are_given(report):
    docxchunk("chunk", report, "-n", "32", "--overlap", "0")
    for strategy in ("R", "MG"):
        docxchunk("chunk", report, "-s", strategy)
    (report.parent / "other.docx").write_bytes(docx("<p>Another document.</p>"))
    docxchunk("chunk", report.parent / "other.docx")
    page = docxchunk("report", f"{report}.parsed", "-o", "-").out
    assert re.findall('name="set" value="([^"]*)"', page) == ["P", "MG", "R"]
    found = [key for key in chunks_in(page) if not key.startswith("MG")]
    assert {key.partition("-")[0] for key in found} == {"P", "R"}
    assert (
        len(found)
        > len(
            chunks_in(docxchunk("report", f"{report}.parsed", "-o", "-", "-s", "P", "-s", "R").out)
        )
        == 3
    )


@pytest.mark.foreign_files
def test_chunks_of_another_version_are_not_shown(report):
    docxchunk("chunk", report)
    blocks = report.with_name("report.docx.parsed") / "report.blocks.jsonl"
    blocks.write_text(blocks.read_text("utf-8").replace("Hello", "Hullo"), "utf-8")
    said = docxchunk("report", blocks)
    assert (said.code, said.out) == (1, "")
    assert "another version of the document" in said.err
    assert docxchunk("report", blocks, "-n", "2000").code == 0


def test_settings_apply_to_the_strategies_that_have_them(report):
    assert (
        docxchunk(
            "report", report, "-s", "P", "-s", "R", "--set", "anchors=furthest", "-o", "-"
        ).code
        == 0
    )
    for arguments in (
        ("--set", "nosuch=1"),
        ("-s", "R", "--set", "anchors=furthest"),
        ("-s", "nosuch"),
        ("-n", "3"),
        ("-s", "P", "-s", "R", "--set", "x=1"),
    ):
        said = docxchunk("report", report, *arguments)
        assert (said.code, said.out) == (2, ""), arguments
    assert [path.name for path in report.parent.iterdir()] == ["report.docx"]


def test_failures_are_reported_and_other_pages_written(report):
    (report.parent / "bad.docx").write_bytes(b"PK")
    said = docxchunk("report", report.parent, "nosuch.docx")
    assert said.code == 1
    assert said.out == f"{report}.html\n"
    failed = [line for line in said.err.splitlines() if line.startswith("failed ")]
    assert ["nosuch.docx" in failed[0], "bad.docx" in failed[1]] == [True, True]
    assert docxchunk("report", report, "-o", report / "x.html").code == 1


@pytest.mark.parametrize("arguments", [("report",), ("diff", "report.docx", "--html", "page.html")])
def test_without_templates_nothing_is_written(report, arguments):
    hidden = report.parent / "hidden"
    hidden.mkdir()
    (hidden / "jinja2.py").write_text("raise ModuleNotFoundError(name='jinja2')", "utf-8")
    said = docxchunk_process(
        arguments[0],
        "report.docx",
        *arguments[1:],
        cwd=report.parent,
        PYTHONPATH=os.pathsep.join([str(hidden), os.environ.get("PYTHONPATH", "")]),
    )
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        'Error: A page of HTML needs the package jinja2: pip install "docxchunk[report]"\n'
    )
    assert sorted(path.name for path in report.parent.iterdir()) == ["hidden", "report.docx"]


def test_a_missing_extra_is_named(tmp_path):
    (tmp_path / "report.docx").write_bytes(docx('<p><eq>f(num("a") den("b"))</eq></p>'))
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "math_core.py").write_text("raise ImportError", "utf-8")
    path = os.pathsep.join([str(tmp_path / "hidden"), os.environ.get("PYTHONPATH", "")])
    said = docxchunk_process("report", tmp_path / "report.docx", PYTHONPATH=path)
    assert said.code == 0
    assert said.err.endswith('needs the package math-core: pip install "docxchunk[report]"\n')
    assert r"\frac{a}{b}" in (tmp_path / "report.docx.html").read_text("utf-8")
