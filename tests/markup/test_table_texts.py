"""Tables as rows, CSV and HTML."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import replace

import pytest
from chunking.makers import table
from examples import some
from hypothesis import given, settings
from lxml import html as lxml_html

from docxchunk.markup.table_texts import header_rows, labels_of
from docxchunk.model.objects import Table, TableFormat
from docxchunk.testing import hypothesis_strategies

HTML = (
    '<tr><th rowspan="2">A</th><th '
    'colspan="2">B</th></tr><tr><th>c</th><th>d</th></tr><tr><td>1</td><td colspan="2">x '
    "&lt; y<br>z</td></tr>"
)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def merged(content: str = HTML, header: str | None = None) -> Table:
    return Table("tb-1", "", "", (), 3, 3, TableFormat.HTML, content, header, caption="A & B")


def test_merged_cell_repeats_its_text():
    assert merged().rows() == [["A", "B", "B"], ["A", "c", "d"], ["1", "x < y\nz", "x < y\nz"]]
    assert merged().to_csv() == 'A,B,B\r\nA,c,d\r\n1,"x < y\nz","x < y\nz"\r\n'


def test_html_keeps_merges_and_marks_the_header():
    made = merged(
        header='<thead><tr><th rowspan="2">A</th><th '
        'colspan="2">B</th></tr><tr><th>c</th><th>d</th></tr></thead>'
    ).to_html()
    assert made == (
        '<table><caption>A &amp; B</caption><thead><tr><th rowspan="2">A</th><th '
        'colspan="2">B</th></tr><tr><th>c</th><th>d</th></tr></thead>'
        '<tbody><tr><td>1</td><td colspan="2">x &lt; y<br>z</td></tr></tbody></table>'
    )


@pytest.mark.parametrize(
    ("fmt", "content", "cell"),
    [
        ("json", '[["10<sup>6</sup> &lt;sup a < b"]]', "10<sup>6</sup> &lt;sup a &lt; b"),
        (
            "html",
            "<tr><td>H<sub>2</sub>O &lt;del> <b>x</b></td></tr>",
            "H<sub>2</sub>O &lt;del&gt; x",
        ),
        ("json", r"""[["say \"a\" & 'b'"]]""", """say "a" &amp; 'b'"""),
        ("json", '[["<del>old  fee</del> new\\nline"]]', "<del>old fee</del> new<br>line"),
        (
            "json",
            '[["<equation format=\\"latex\\">x^2</equation> <sup>1</sup>"]]',
            "x^2 <sup>1</sup>",
        ),
    ],
)
def test_html_keeps_superscripts_subscripts_and_struck_text(fmt, content, cell):
    made = Table("tb-1", "", "", (), 1, 1, TableFormat(fmt), content).to_html()
    assert made == f"<table><tbody><tr><td>{cell}</td></tr></tbody></table>"


@pytest.mark.parametrize(
    ("fmt", "content", "rows"),
    [
        ("json", '[["a","b"],["c"]]', [["a", "b"], ["c", ""]]),
        (
            "json",
            (
                '[["m<sup>2</sup> &lt;table","<equation '
                'format=\\"latex\\">x</equation>"],["\\"q\\"","<drawing id=\\"i\\" />"]]'
            ),
            [["m2 <table", "x"], ['"q"', ""]],
        ),
        ("json", '[[1,null,"x"],2]', [["1", "", "x"], ["2", "", ""]]),  # of another parser
        (
            "html",
            "<tr><td>&lt;table&gt; a</td><td><b>x</b> &amp;amp;</td></tr>",
            [["<table> a", "x &amp;"]],
        ),
        ("html", '<tr><td rowspan="9">a</td></tr><tr><td>b</td></tr>', [["a", ""], ["a", "b"]]),
        ("html", '<tr><td rowspan="10000" colspan="10000">a</td></tr>', [["a"]]),
        ("json", "[[", []),
        ("json", "", []),
        ("html", "", []),
    ],
)
def test_rows(fmt, content, rows):
    assert Table("t", "", "", (), 0, 0, TableFormat(fmt), content).rows() == rows


@settings(max_examples=some(60), deadline=None)
@given(hypothesis_strategies.DOCUMENTS)
def test_nothing_is_lost(made):
    for each in made.tables:
        rows = each.rows()
        words = words_of(" ".join(cell for row in rows for cell in row))
        cells = (
            " ".join(cell for row in json.loads(each.content) for cell in row)
            if each.format == "json"
            else each.content
        )
        assert words_of(html.unescape(re.sub(r"<[^>]*>", " ", cells))) <= words
        assert {len(row) for row in rows} <= {max(map(len, rows), default=0)}
        assert list(csv.reader(io.StringIO(each.to_csv(), newline=""))) == rows
        shown = lxml_html.fromstring(each.to_html())
        assert len(shown.findall(".//tr")) == len(rows) == each.row_count
        assert words <= words_of(" ".join(shown.itertext()))


def test_table_without_header():
    made = table("t", [["a", "b"], ["c", "d"]])
    assert made.rows() == [["a", "b"], ["c", "d"]]
    assert (
        made.to_html()
        == "<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></tbody></table>"
    )


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ('[["a","b"]]', [["a", "b"]]),
        ("<thead><tr><th>a &amp; b</th><th>c</th></tr></thead>", [["a & b", "c"]]),
        (
            f"<thead>{HTML.partition('<tr><td>')[0]}</thead>".replace("A", "a"),
            [["a", "B", "B"], ["a", "c", "d"]],
        ),
        ("<tr><th>a<br>b</th><th><sup>c</sup></th></tr>", [["a b", "<sup>c</sup>"]]),
        ("nothing", []),
        (None, []),
    ],
)
def test_header_rows(header, rows):
    assert header_rows(merged(header=header)) == rows


@pytest.mark.parametrize(
    ("confidence", "least", "used"),
    [(0.7, 0.6, True), (0.6, 0.6, True), (0.5, 0.6, False), (None, 0.6, False), (None, 0.5, True)],
)
def test_an_inferred_header_needs_confidence(confidence, least, used):
    inferred = replace(merged(), header_guess='[["a"]]', header_confidence=confidence)
    assert header_rows(inferred, least) == [["a"]] * used


@pytest.mark.parametrize(
    ("header", "longest", "labels"),
    [
        ([["All", "All"], ["Item:", "x" * 60, "x" * 61]], 60, ["Item", "x" * 60, ""]),
        ([["Item", "Cost"]], 4, ["Item", "Cost"]),
        ([["Item", "Costs"]], 4, ["Item", ""]),
        ([["x" * 61]], 99, [""]),
        ([["All"]], 60, ["All"]),  # the only column
        ([["A\n a", "B"], ["", "B"], ["C"]], 60, ["A a C", "B"]),
        ([["数量："], [" : "]], 60, ["数量"]),
        ([], 60, []),
    ],
)
def test_labels(header, longest, labels):
    assert labels_of(header, longest) == labels
