"""The comparison with other programs: what it counts, and what the page shows."""

from __future__ import annotations

import pytest
from docx_builder import docx

from benchmarks.comparison import Check, Figures, checks, kept, passed
from benchmarks.contents import Contents, Share
from benchmarks.other_readers import PROGRAMS, pins

DOCXCHUNK = PROGRAMS[0]
REPORT = """
<p style="Toc1">1<r><tab/></r><r>Rain</r><r><tab/></r><r>2</r></p>
<p style="Heading1">Rain</p><p>It rained on forty days of the first spring.</p>
<tbl><tr><tc>Month</tc><tc>Rain &lt;mm&gt;</tc></tr>
<tr><tc>October</tc><tc>104 <del>99</del></tc></tr></tbl>
<p style="Heading1">Pumps</p><p>The pump of the tank was cleaned too seldom.</p>
"""


@pytest.fixture
def report(tmp_path):
    (tmp_path / "report.docx").write_bytes(docx(REPORT))
    return tmp_path / "report.docx"


def test_contents_of_a_file(report):
    contents = Contents(report)
    assert contents.headings == {"rain": 1, "pumps": 1}
    assert contents.numbers == ["1rain"]
    assert contents.tables == [["month", "rainmm", "october", "104"]]
    assert sorted(contents.sections.values()) == [1, 2]


@pytest.mark.parametrize(
    ("said", "headings", "numbers", "cells"),
    [
        ("# 1 Rain\n# Pumps\n| Month | Rain \\<mm> |\n|---|---|\n| October | 104[^2] |", 2, 1, 4),
        ("<h2>Rain</h2><table><tr><th>Month</th><td><p>October</p></td></tr></table>", 1, 0, 2),
        ('# 2 Rain\n<table id="t">[["Month","Rain"],["1. October","1"]]</table>', 1, 0, 2),
        ("Rain\n\nPumps\n\nMonth, October", 0, 0, 0),
        ("", 0, 0, 0),
    ],
)
def test_what_is_kept(report, said, headings, numbers, cells):
    contents = Contents(report)
    assert contents.kept_headings(said) == Share(headings, 2)
    assert contents.kept_numbers(said) == Share(numbers, 1)
    assert contents.kept_cells(said) == Share(cells, 4)


def test_a_table_with_cells_in_two_chunks_is_torn(report):
    contents = Contents(report)
    rain = "It rained on forty days of the first spring."
    pump = "The pump of the tank was cleaned too seldom."
    whole = f"{rain} | Month | Rain <mm> | October | 104 |"
    assert contents.cuts([whole, pump], 100) == (Share(0, 1), 0)
    torn = contents.cuts([f"{rain} Rain (mm)", f"October 104 {pump}"], 100)
    assert torn == (Share(1, 1), 0)
    assert contents.cuts([f"{whole} {pump}"], 100) == (Share(0, 1), 1)
    assert contents.cuts([whole, pump], 10).tables == Share(0, 0)


def test_the_page_says_what_docxchunk_reads_now():
    figures = Figures()
    assert passed(DOCXCHUNK.start, DOCXCHUNK.start_all) == [
        figures.value("features", "docxchunk", check.feature) for check in checks()
    ]


def test_a_check_fails_on_what_must_not_be_there(tmp_path):
    check = Check("deletions", tmp_path, ("950",), ("900",), "")
    assert [check.passes(lambda _, said=said: said) for said in ("9**50**", "900 950", "")] == [
        True,
        False,
        False,
    ]


def start_refusing():
    def refuse(path):
        raise OSError(path)

    return refuse


def test_a_program_that_fails_keeps_nothing(report):
    assert set(passed(start_refusing)) == {"fails"}
    assert kept(start_refusing, [report]) == {
        "words": Share(0, 28),
        "headings": Share(0, 2),
        "numbers": Share(0, 1),
        "cells": Share(0, 4),
    }


def test_what_was_measured_is_what_is_pinned():
    figures, pinned = Figures(), pins()
    assert {
        each.name: pinned[each.package]
        for each in PROGRAMS
        if each.package not in ("docxchunk", "pypandoc_binary")  # has a version of pandoc
    } == {
        name: figures.value("versions", name, "version")
        for name in figures.programs("versions")
        if name not in ("docxchunk", "pandoc")
    }
