"""docxchunk report, docxchunk show --chunks"""

from __future__ import annotations

import os
import re

import click
import pytest
from cli.helpers import REPORT, Terminal, docxchunk, docxchunk_process, run
from docx_builder import docx

from docxchunk.cli.chunk_view import print_chunks
from docxchunk.formats.report.views import ChunkSet
from docxchunk.model.blocks import Block, Position
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
)
from docxchunk.model.document import Document


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


def test_parsed_folders_below_a_folder_are_shown(report):
    docxchunk("chunk", report, "-n", 64, "-o", report.parent / "out")
    said = docxchunk("report", report.parent / "out")
    assert said.code == 0
    assert "at most 64" in (report.parent / "out" / "report.docx.html").read_text("utf-8")


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


def test_sizes_side_by_side(report):
    page = docxchunk("report", report, "-n", 32, "-n", 64, "--overlap", 0, "-o", "-").out
    assert {key.rpartition("-")[0] for key in chunks_in(page)} == {"P-32", "P-64"}
    assert {
        key.partition("-")[0]
        for key in chunks_in(docxchunk("report", report, "-n", 32, "--overlap", 0, "-o", "-").out)
    } == {"P"}


def test_text_and_environment(report):
    (report.parent / "notes.md").write_text("One two three. " * 100, "utf-8")
    few = chunks_in(docxchunk("report", report.parent / "notes.md", "-o", "-").out)
    many = chunks_in(
        docxchunk("report", report.parent / "notes.md", "-o", "-", CHUNK_P_SIZE="64").out
    )
    assert len(many) > len(few) == 1


def test_show_chunks(report):
    said = docxchunk("show", report, "--chunks", "-n", "32", "--overlap", "0")
    lines = said.out.splitlines()
    assert (said.code, said.err) == (0, "")
    assert "P · at most 32 tokens · o200k_base · " in said.out
    assert "\nR · at most 2,000" in docxchunk("show", report, "--chunks", "-s", "R").out
    assert any(line.startswith("1 (before the first heading)") for line in lines)
    assert re.search(r"\d+ / 32 tokens", said.out)
    assert "Hello new" in said.out
    assert "\x1b" not in said.out
    assert [path.name for path in report.parent.iterdir()] == ["report.docx"]


def test_show_chunks_draws_tables_and_wraps_words(report):
    row = "<tr><tc>Item {0}</tc><tc>" + "long words in a cell " * 9 + "</tc></tr>"
    report.write_bytes(
        docx(f"<p>{'Some words to wrap. ' * 20}</p><tbl>{''.join(map(row.format, range(3)))}</tbl>")
    )
    for width in (80, 120):
        lines = docxchunk("show", report, "--chunks", COLUMNS=str(width)).out.splitlines()
        assert max(map(len, lines)) <= width
        assert "<table" not in "".join(lines)
        assert sum("│ Item" in line for line in lines) == 3
        assert all(
            line.strip().endswith((".", "wrap", "Some", "words", "to"))
            for line in lines
            if line.startswith(("Some", "to wrap", "words to"))
        )


@pytest.mark.parametrize(("words", "colour"), [(47, "36"), (48, "32"), (64, "32")])
def test_a_chunk_of_three_quarters_of_the_limit_is_green(report, words, colour):
    report.write_bytes(docx(f"<p>{' '.join(['word'] * words)}</p>"))
    shown = docxchunk("show", report, "--chunks", "-n", 64, stream=Terminal, TERM="xterm").out
    assert re.search(rf"\x1b\[{colour}m█+.? *\x1b\[0m {words} / 64 tokens", shown)


def shown_of(tokens, *parts, cap=8, **fields):
    """Return the lines that a terminal shows of a chunk, without its heading."""
    content = "".join(part.text if isinstance(part, Added) else "x" * 9 for part in parts)
    chunk = Chunk(tokens, content, 0, "", (), 0, "c", "d", (), "", (), parts, **fields)
    document = Document("a.docx", "docx", "d", "", (Block("b", "x" * 9),))
    chunk_set = ChunkSet("P", cap, "additive", (chunk,))
    command = click.command()(lambda: print_chunks(document, chunk_set))
    said = run(command, stream=Terminal, TERM="xterm", COLUMNS="300").out
    return said.split("\n")[5:]


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (5, "\x1b[36m████████████▌       \x1b[0m 5 / 8 tokens"),
        (6, "\x1b[32m███████████████     \x1b[0m 6 / 8 tokens"),
        (8, "\x1b[32m████████████████████\x1b[0m 8 / 8 tokens"),
        (9, "\x1b[33m████████████████████\x1b[0m 9 / 8 tokens"),  # yellow: over the limit
    ],
)
def test_a_bar_shows_how_full_a_chunk_is(tokens, shown):
    assert shown_of(tokens, Slice("b", 0, 9))[0] == shown


@pytest.mark.parametrize(
    ("parts", "fields", "facts"),
    [
        ((), {}, ""),
        ((), {"label": "Payment", "pages": (3, 4)}, " · from “Payment” on · p. 3-4"),
        ((), {"positions": (Position(None, None, (0, 0), (1, 2)),)}, " · ¶ 1-2"),
        ((), {"tables": (TableRows("t", (0, 8), TableRole.NONE),)}, " · whole table"),
        (
            (),
            {
                "tables": (
                    TableRows("t", (1, 2), TableRole.LAST),
                    *(TableRows(name, (0, 8), TableRole.NONE) for name in "uv"),
                    TableRows("w", (0, 0), TableRole.FIRST),
                )
            },
            " · 2 whole tables · last slice of a table, rows 2–3 · first slice of a table, row 1",
        ),
        (
            (
                *(Slice("b", 7, 9, SliceRole.BRIDGE), Slice("b", 8, 9, SliceRole.OVERLAP)),
                *(Added("head", AddedRole.HEADER), Added("er", AddedRole.HEADER)),
                *(Added("label", AddedRole.LABEL), Slice("b", 0, 9)),
            ),
            {},
            " · overlap: 1 character · bridge: 2 characters · repeated header: 6 characters",
        ),
    ],
)
def test_facts_of_a_chunk(parts, fields, facts):
    (line, *_) = shown_of(5, *parts, **fields)
    assert line.partition(" / 8 tokens")[2] == (facts and f"\x1b[2m{facts}\x1b[0m")


def test_a_table_that_cannot_be_parsed_is_shown_as_it_is():
    table = '<table id="t" format="json">no rows</table>'
    assert shown_of(5, Added(table, AddedRole.WRAPPER))[1:] == [table, ""]


@pytest.mark.parametrize(("cell", "is_long"), [("a" * 30, False), ("a" * 31, True)])
def test_rows_with_a_long_cell_have_lines_between_them(report, cell, is_long):
    report.write_bytes(docx(f"<tbl><tr><tc>x</tc></tr><tr><tc>{cell}</tc></tr></tbl>"))
    lines = docxchunk("show", report, "--chunks").out.splitlines()
    assert any(line.startswith("├") for line in lines) is is_long


def test_show_chunks_places_merged_cells(report):
    merged = (
        "<tr><tc span='2'>top</tc><tc "
        "vMerge='restart'>side</tc></tr><tr><tc>a</tc><tc>b</tc><tc vMerge='continue'/></tr>"
    )
    report.write_bytes(docx(f"<tbl>{merged}</tbl>"))
    rows = [
        line.split("│")[1:-1]
        for line in docxchunk("show", report, "--chunks").out.splitlines()
        if line.startswith("│")
    ]
    assert [[cell.strip() for cell in row] for row in rows] == [["top", "", "side"], ["a", "b", ""]]


def test_show_chunks_marks_repeated_text(report):
    text = " ".join(f"Sentence {number} is here." for number in range(100))
    report.write_bytes(docx(f"<p>{text}</p>"))
    said = docxchunk("show", report, "--chunks", "-n", "64", "--overlap", "16").out
    assert (
        len(re.findall(r"overlap: \d+ characters", said))
        == len(re.findall(r"/ 64 tokens", said)) - 1
        > 3
    )


def test_show_takes_options_of_chunking_only_with_chunks(report):
    said = docxchunk("show", report, "-n", "64")
    assert (said.code, said.out) == (2, "")
    assert said.err == "Error: Chunking options need --chunks.\n"


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


@pytest.mark.parametrize("is_drawn", [True, False])
@pytest.mark.parametrize("equation", ['<eq>f(num("a") den("b"))</eq>', "none"])
def test_equations_that_cannot_be_drawn_are_told_of(report, monkeypatch, is_drawn, equation):
    monkeypatch.setattr("docxchunk.cli.report.can_draw", lambda: is_drawn)
    report.write_bytes(docx(f"<p>a {equation}</p>"))
    told = "math-core" in docxchunk("report", report).err
    assert told is (equation != "none" and not is_drawn)
