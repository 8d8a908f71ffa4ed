"""Tables as rows, CSV and HTML."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import replace
from unittest.mock import patch

import pytest
from case_files import each_row
from chunking.makers import table
from examples import some
from hypothesis import given, settings
from lxml import html as lxml_html

from docxchunk.content import table_texts
from docxchunk.content.table_texts import (
    cell_texts,
    first_rows,
    header_row_count,
    header_rows,
    key_of,
    labels_of,
    with_rows_as_lines,
)
from docxchunk.content.tables import TableContent, tables
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


@each_row("content")
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


LONG = "word " * 12 + "end"
CUT = "word " * 11 + "word…"


@pytest.mark.parametrize(
    ("header", "longest", "labels"),
    [
        ([["All", "All"], ["Item:", "x" * 60, LONG]], 60, ["Item", "x" * 60, CUT]),
        ([["Item", "Cost"]], 4, ["Item", "Cost"]),
        ([["Item", "Costs"]], 4, ["Item", ""]),
        ([[LONG]], 99, [CUT]),
        ([["Stock", "Trees"], ["1", "2"]], 60, ["Stock", "Trees"]),  # they are numbered
        ([["1", "2"]], 60, ["1", "2"]),
        ([["All"]], 60, ["All"]),  # the only column
        ([["A\n a", "B"], ["", "B"], ["C"]], 60, ["A a C", "B"]),
        ([["数量："], [" : "]], 60, ["数量"]),
        ([[":a :"]], 60, [":a"]),
        # names with empty cells for merged ones, each above as many names
        ([["", "N", "", "S", ""], ["", "a", "b", "c", "d"]], 60, ["", "N a", "N b", "S c", "S d"]),
        ([["Hill", "N", ""], ["", "a", "b"]], 60, ["Hill", "N a", "N b"]),
        ([["Hill", "N", "W", ""], ["", "", "a", "b"]], 60, ["Hill", "N", "W a", "W b"]),
        ([["", "N", "S", ""], ["", "a", "b", "c"]], 60, ["", "N a", "S b", "c"]),
        ([["", "", "N", ""], ["", "a", "b", "c"]], 60, ["", "a", "N b", "c"]),
        ([["", "N", "", ""], ["", "a", "b"]], 60, ["", "N a", "N b", ""]),
        ([], 60, []),
    ],
)
def test_labels(header, longest, labels):
    assert labels_of(header, longest) == labels


def grid_of(content: str) -> TableContent:
    (table,) = tables(content)
    return table


def test_header_rows_are_counted():
    assert header_row_count(None) == header_row_count(merged()) == 0
    assert header_row_count(merged(header=HTML)) == 3
    assert header_row_count(merged(header="nothing")) == 0
    guessed = replace(merged(), header_guess='[["a"],["b"]]', header_confidence=0.6)
    assert [header_row_count(guessed, least) for least in (0.6, 0.61)] == [2, 0]
    assert header_rows(replace(guessed, header='[["c"]]')) == [["c"]]  # the author's own


def test_the_first_rows_of_a_table():
    grid = TableContent.of_body('[["a","b"],["c"],[]]')
    assert first_rows(grid) == [["a", "b"], ["c"], []]
    assert [first_rows(grid, count) for count in (0, 1)] == [[], [["a", "b"]]]
    assert first_rows(TableContent.of_body('[["a &amp;<br>b"]]')) == [["a &amp;<br>b"]]
    grid = TableContent.of_body('<tr><td rowspan="3">a</td><td>b<br>c</td></tr><tr><td>d</td></tr>')
    assert first_rows(grid) == [["a", "b c"], ["a", "d"]]
    assert first_rows(grid, 1) == [["a", "b c"]]


@pytest.mark.parametrize(
    ("most", "rows"),
    [(5, [["a", "a", "b"], ["a", "a", ""]]), (4, [["a", "b", ""], ["", "", ""]])],
)
def test_merged_cells_of_a_huge_grid_fill_one_position(most, rows):
    body = '<tr><td rowspan="2" colspan="2">a</td><td>b</td></tr><tr></tr>'
    with patch.object(table_texts, "_MOST_POSITIONS", most):
        found = merged(body).rows()
    assert [[*row, ""][:3] for row in found] == rows


@each_row("content", longest=int)
def test_a_text_that_names_a_row_or_column_is_cut(text, longest, key):
    assert key_of(text, longest) == key


def test_rows_as_lines():
    sup = "<sup>2</sup>"
    for content, lines in (
        (f'<table>[["a\\n {sup}","b"],["&lt;table"]]</table>', "a 2 | b\n&lt;table"),
        (f"<table><tr><td>a<br> {sup}</td><td>b &amp; c</td></tr></table>", "a 2 | b & c"),
        ("<table>[[</table>", "[["),
        ("<table>text</table>", "text"),
    ):
        assert with_rows_as_lines(f"before{content}after") == f"before\n{lines}\nafter"


def test_texts_of_the_cells_of_a_row():
    grid = grid_of('<table>[["a<br>b","<em>c</em>"]]</table>')
    assert cell_texts(grid, 0) == ["a\nb", "c"]
    grid = grid_of("<table><tr><td> a <br>b</td><th><i>c</i></th></tr></table>")
    assert cell_texts(grid, 0) == ["a\nb", "c"]


def test_html_of_a_table_with_a_cell_that_spans_rows_below_the_header():
    """In HTML, no cell may span two sections, such as thead and tbody."""
    head = '<tr><th rowspan="2">a</th><th>b</th></tr>'
    made = merged(f"{head}<tr><td>c</td></tr>", header=f"<thead>{head}</thead>")
    assert replace(made, caption="").to_html() == f"<table>{head}<tr><td>c</td></tr></table>"


def test_html_of_a_table_without_merged_cells_or_rows():
    made = replace(merged('[["a","b"],["c"]]', header='[["a","b"]]'), format=TableFormat.JSON)
    assert replace(made, caption="").to_html() == (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td></tr></tbody>"
        "</table>"
    )
    assert replace(made, content="[[1,null],2]", header=None, caption="").to_html() == (
        "<table><tbody><tr><td>1</td><td></td></tr><tr><td>2</td></tr></tbody></table>"
    )
    guessed = replace(made, header=None, header_guess='[["a","b"]]', header_confidence=1.0)
    assert "<thead>" not in guessed.to_html()
    assert replace(made, content="[[", header=None).to_html() == (
        "<table><caption>A &amp; B</caption><tbody></tbody></table>"
    )
