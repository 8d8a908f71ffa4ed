from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from case_files import each_number, each_row
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.content.tables import (
    TableContent,
    attribute,
    decoded_cell,
    html_steps,
    json_steps,
    json_text,
    row_opening,
    table_format,
    tables,
    unescaped,
)
from docxchunk.content.tags import escape_text, inline_tags, table_tag
from docxchunk.model.objects import TableFormat

NESTED = (
    "<tr><td>a<table><tr><td>in</td></tr></table></td><td>b</td></tr><tr><td "
    "colspan='2'>c</td></tr>"
)


def grid_of(content):
    (table,) = tables(content)
    return table


def merged(grid):
    """Return the cells that span several rows, as (row, column, rows)."""
    return [
        (cell.row, cell.column, cell.rows)
        for row in range(len(grid.rows))
        for cell in grid.cells(row)
        if cell.rows > 1
    ]


def test_outermost_tables_and_their_ranges():
    content = f"before {table_tag('t1', 'html', NESTED)} between\n{table_tag('t2', 'json', '[]')}"
    first, second = tables(content)
    assert (first.id, second.id) == ("t1", "t2")
    assert content[first.body : first.body_end] == NESTED
    assert content[second.start : second.end] == '<table id="t2" format="json">[]</table>'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no tables",
        "<table>never closed",
        "</table> never opened",
        "</table> first <table>",
        "&lt;table>[]&lt;/table>",
        "<tablet>x</tablet>",
        "<table><table>only the inner one is closed</table>",
    ],
)
def test_no_tables(content):
    assert tables(content) == []


def test_attributes():
    assert attribute('<table id="a b" format=\'json\' n="">', "id") == "a b"
    assert attribute("<table format='json'>", "format") == "json"
    assert attribute("<table>", "id") == ""
    assert attribute('<TABLE ID="x" id="y">', "id") == "x"
    assert attribute('<td data-rowspan="2" rowspan = "3">', "rowspan") == "3"
    assert attribute("<td rowspan=2>", "rowspan") == ""


@pytest.mark.parametrize(
    ("opening", "body", "expected"),
    [
        ('<table format="json">', "x", TableFormat.JSON),
        ('<table format="html">', "[[]]", TableFormat.HTML),
        ("<table>", ' [["a"]]', TableFormat.JSON),
        ("<table>", "<TR><td>a</td></TR>", TableFormat.HTML),
        ("<table>", "<tr><td>[1]</td></tr>", TableFormat.HTML),
        ('<table format="JSON">', "x", TableFormat.JSON),
        ("<table>", "neither", None),
        ('<table format="csv">', "a,b", None),
    ],
)
def test_formats(opening, body, expected):
    assert table_format(opening, body) is expected


@pytest.mark.parametrize(
    ("body", "declared"),
    [("text", "html"), ("", "html"), ("[", "json"), ("[1] x", "json"), ("x", "")],
)
def test_what_has_no_rows_is_one_row(body, declared):
    grid = TableContent.of_body(body, declared)
    assert (grid.format, grid.rows) == (None, [(0, len(body))])
    assert grid.cells(0) == []


@given(
    st.lists(st.lists(st.text(max_size=8).map(escape_text), max_size=4), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", ":")]),
)
def test_rows_of_json_are_the_items_of_the_array(values, ascii_only, separators):
    content = f"x{table_tag('t', 'json', json.dumps(values, ensure_ascii=ascii_only, separators=separators))}"
    grid = grid_of(content)
    assert grid.format is TableFormat.JSON
    assert [json.loads(content[start:end]) for start, end in grid.rows] == values
    for row, value in enumerate(values):
        cells = grid.cells(row)
        assert [json.loads(f'"{content[cell.start : cell.end]}"') for cell in cells] == value
        assert [json.loads(content[slice(*cell.tag)]) for cell in cells] == value
        assert grid.texts(row) == value


@pytest.mark.parametrize(
    "body", ["[]", "[[1,2]", "not json", '[["a"]] trailing', '[["a"]] ["b"]]', 'x [["a"]]']
)
def test_unparsable_rows(body):
    content = table_tag("t", "json", body)
    grid = grid_of(content)
    assert grid.format is None
    assert [content[start:end] for start, end in grid.rows] == [content]


def test_rows_and_cells_of_html():
    content = table_tag("t", "html", NESTED)
    grid = grid_of(content)
    assert [content[start:end] for start, end in grid.rows] == [
        NESTED[: NESTED.index("<tr><td colspan")],
        NESTED[NESTED.index("<tr><td colspan") :],
    ]
    assert grid.texts(0) == ["a<table><tr><td>in</td></tr></table>", "b"]
    assert grid.texts(1) == ["c"]
    assert grid.cells(1)[0].columns == 2


@pytest.mark.parametrize("name", [str.lower, str.upper])
def test_a_nested_table_is_part_of_its_cell(name):
    """With the names of tags in small letters and in capitals."""
    body = re.sub("<(/?t(?:able|r|d))", lambda tag: f"<{name(tag[1])}", NESTED)
    grid = TableContent.of_body(body)
    inner = name("<table><tr><td>") + "in" + name("</td></tr></table>")
    assert [grid.texts(row) for row in (0, 1)] == [[f"a{inner}", "b"], ["c"]]
    assert [body[slice(*cell.tag)][-5:].lower() for cell in grid.cells(0)] == ["</td>"] * 2


def test_a_cell_on_one_line():
    for body in ('[["a &amp; \\n b\\u0021"]]', "<tr><td> a &amp;amp;<br>b!</td></tr>"):
        grid = TableContent.of_body(body)
        assert grid.line(grid.cells(0)[0]) == "a &amp; b!"


def test_a_row_may_begin_with_other_text():
    body = "<caption>Cap</caption><TR><td>a</td></TR><tr><td>b</td></tr>"
    grid = TableContent.of_body(body)
    assert [row_opening(body, row) for row in grid.rows] == [body.index("<TR"), body.index("<tr")]


def test_text_outside_of_rows_belongs_to_a_row():
    content = table_tag(
        "t",
        "html",
        "<caption>Cap</caption><thead><tr><td>a</td></tr></thead><tr><td>b</td></tr>note",
    )
    grid = grid_of(content)
    assert "Cap" in content[slice(*grid.rows[0])]
    assert "note" in content[slice(*grid.rows[1])]


def test_vertical_merges_have_their_columns():
    body = (
        '<tr><td rowspan="3">A</td><td>b</td></tr><tr><td '
        'rowspan="2">C</td><td>d</td></tr><tr><td>e</td></tr>'
    )
    content = table_tag("t", "html", body)
    assert merged(grid_of(content)) == [(0, 0, 3), (1, 1, 2)]


def test_merged_cells_that_continue_in_each_row():
    """Those that begin first come first."""
    body = (
        "<TR><td ROWSPAN='2'>A</td><td>b</td><td rowspan='4'>C</td></TR>"
        "<tr><td rowspan='3'>D</td></tr><tr><td>e</td></tr><tr><td>f</td></tr><tr><td>g</td></tr>"
    )
    grid = TableContent.of_body(body, "html")
    above = [
        "".join(grid.content[cell.start : cell.end] for cell in cells)
        for cells in grid.merged_above
    ]
    assert above == ["", "AC", "CD", "CD", ""]
    places = [[(cell.column, cell.rows) for cell in grid.cells(row)] for row in range(5)]
    assert places == [[(0, 2), (1, 1), (2, 4)], [(1, 3)], [(0, 1)], [(0, 1)], [(0, 1)]]
    assert TableContent.of_body('[["rowspan=2"],["b"]]').merged_above == [(), ()]
    assert TableContent.of_body("<tr><td>a</td></tr><tr><td>b</td></tr>").merged_above == [(), ()]


def test_cell_merged_over_two_columns_covers_both_below():
    body = (
        '<tr><td rowspan="2" colspan="2">A</td><td>b</td></tr><tr><td '
        'rowspan="2">C</td></tr><tr><td>d</td><td>e</td></tr>'
    )
    content = table_tag("t", "html", body)
    assert merged(grid_of(content)) == [(0, 0, 2), (1, 2, 2)]


@given(st.text(max_size=12), st.booleans())
def test_json_steps_are_character_boundaries(text, ascii_only):
    raw = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    steps = json_steps(raw)
    assert len(steps) == len(text) + 1
    assert "".join(json.loads(f'"{raw[a:b]}"') for a, b in pairwise(steps)) == text


def test_inline_tags():
    text = (
        'a <equation format="latex">x<y</equation> b<sup>2</sup> <drawing id="i" /> '
        "note[^12]. <superb> <del>old x<sup>2</sup></del> <del>open"
    )
    assert [text[start:end] for start, end in inline_tags(text)] == [
        '<equation format="latex">x<y</equation>',
        "<sup>2</sup>",
        '<drawing id="i" />',
        "[^12]",
        "<del>old x<sup>2</sup></del>",
    ]


def test_cells_are_decoded_by_the_format_of_their_table():
    content = f"{table_tag('t1', 'json', json.dumps([['a &amp; b', 'c' + chr(10)]]))}\n{table_tag('t2', 'html', '<tr><td>a &amp; b</td></tr>')}"
    places = [cell for table in tables(content) for cell in table.cells(0)]
    assert [decoded_cell(content, cell.start, cell.end) for cell in places] == [
        "a &amp; b",
        "c\n",
        "a & b",
    ]


@each_row("content", steps=each_number)
def test_html_is_not_cut_inside_entities(text, steps):
    assert html_steps(text) == steps
    assert all(
        unescaped(text[:place]) + unescaped(text[place:]) == unescaped(text) for place in steps
    )


def called_below(frames, method, row):
    return method(row) if frames == 0 else called_below(frames - 1, method, row)


def test_a_row_that_is_nested_deep_has_no_cells_wherever_it_is_read():
    """It was found with less of the stack in use."""
    for depth in range(900, 1000):
        grid = TableContent.of_body("[" + "[" * depth + '"a"' + "]" * depth + "]")
        for frames in (0, 40):
            assert called_below(frames, grid.cells, 0) == []
            assert len(called_below(frames, grid.texts, 0)) <= 1


@each_row("content")
def test_text_that_is_not_json_stays(inside, text):
    assert json_text(inside) == text


def test_a_json_row_with_other_values_has_texts_but_no_cells():
    grid = TableContent.of_body('[["a", 1, null], ["b", "c"], "d"]')
    assert [len(grid.cells(row)) for row in range(3)] == [0, 2, 0]
    assert [grid.texts(row) for row in range(3)] == [["a", "1", ""], ["b", "c"], ["d"]]


@pytest.mark.parametrize(
    ("opening", "spans"),
    [("rowspan='0' colspan='0'", (1, 1)), ("rowspan='x' colspan='99999'", (1, 10_000))],
)
def test_spans_are_at_least_one_and_at_most_ten_thousand(opening, spans):
    (cell,) = TableContent.of_body(f"<tr><td {opening}>a</td></tr>").cells(0)
    assert (cell.rows, cell.columns) == spans


def test_what_stands_after_the_rows_is_not_json():
    assert TableContent.of_body('[["a"]] x').format is None


def test_a_cell_stands_after_the_columns_of_the_cells_before_it():
    grid = TableContent.of_body('<tr><td colspan="3">a</td><td>b</td></tr>')
    assert [(cell.column, cell.columns) for cell in grid.cells(0)] == [(0, 3), (3, 1)]


def test_an_unclosed_row_ends_with_the_next_one():
    body = "<tr><tr><td>b</td></tr>"
    assert TableContent.of_body(body).rows == [(0, len(body))]


def test_markup_after_the_rows_belongs_to_no_row():
    body = "<tbody><tr><td>a</td></tr></tbody>"
    assert TableContent.of_body(body).rows == [(len("<tbody>"), body.index("</tbody>"))]


@pytest.mark.parametrize(
    ("rows", "groups"),
    [
        ("Item|23|24; Sales||; Oil|1|2; Costs||; Oil|3|4", (1, 3)),
        ("|23|24; |EUR|EUR; Sales||; Asia||; Oil|1|2; Costs||; Oil|3|4", (2, 3, 5)),
        ("Item|low|high; Sales||; Oil|yes|; Costs||; Oil||no; Fees||", (1, 3)),
        ("Item|23|24; Sales||; Oil|1|2; Gas|3|4", ()),  # one such row
        ("Item|23|24; Oil|1|2; Gas||; Tar|1|2; Wood||; Coal|3|4", ()),  # they lack their values
        ("Item|23|24; Gas|–|–; Tar|1|2; Wood|–|–; Coal|3|4", ()),
        ("Item|23; Sales|; Oil|1; Costs|; Oil|3", ()),  # of two columns
        ("Day|A|B; 5/4||; 6/4|1|2; 7/4||; 8/4|3|4", ()),
        ("Item|A|B; Sign||; Name|Jane Roe|John Doe; Date||; Place|Oak hill|Lake", ()),
        ("Item|23|24; Sales||; Oil|1|2; Costs||; ||; Oil|3|4", ()),
    ],
)
@pytest.mark.parametrize("form", [TableFormat.JSON, TableFormat.HTML])
def test_a_name_beside_empty_cells_names_a_group_of_figures(rows, groups, form):
    texts = [row.split("|") for row in rows.split("; ")]
    html = ("".join(f"<td>{text}</td>" for text in row) for row in texts)
    body = (
        json.dumps(texts) if form is TableFormat.JSON else "".join(map("<tr>{}</tr>".format, html))
    )
    assert TableContent.of_body(body, form).groups == groups
