"""Tables, equations and pictures in the forms other than JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import chunk_laws as laws
import pytest
from case_files import each_row
from chunking.makers import WORDS, block, document, html_table, table, tag, words
from chunking.section_laws import all_laws
from examples import some
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from docxchunk.chunking import ChunkLimits, P, PStaged, R, run
from docxchunk.chunking.texts import BlockRenderer, BlockText
from docxchunk.content.forms import shown_table
from docxchunk.content.tags import drawing_tag, equation_tag
from docxchunk.lab.strategies.plain import Fixed, Paragraphs
from docxchunk.model.chunks import Added, AddedRole, Slice, SliceRole, TableForm, TableRole
from docxchunk.model.document import Items
from docxchunk.model.objects import Drawing, DrawingKind
from docxchunk.records.laws import chunk_faults
from docxchunk.testing import hypothesis_strategies

READ = [TableForm.MARKDOWN, TableForm.HTML, TableForm.TEXT]
QUICK = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
PIPES = MarkdownIt("commonmark").enable("table")
ROWS = [["Item", "Price"], ["Valve", "12"], ["Pipe | bent", "7"]]
MERGED = (
    '<tr><th>Kind</th><th colspan="2">Item</th></tr><tr><td '
    'rowspan="2">Tools</td><td>Saw</td><td>a &lt; b</td></tr>'
    "<tr><td>Axe</td><td>x<br>y</td></tr><tr><td></td><td></td><td></td></tr>"
)


@pytest.mark.parametrize(
    "strategy", [P(), PStaged(), R(), Fixed()], ids=["P", "P-seed", "R", "fixed"]
)
@settings(QUICK, max_examples=some(25))
@given(
    source=hypothesis_strategies.DOCUMENTS,
    limits=st.builds(
        ChunkLimits,
        hypothesis_strategies.SIZES,
        hypothesis_strategies.OVERLAPS,
        st.booleans(),
        tables=st.sampled_from(READ),
    ),
    tokenizer=st.sampled_from([hypothesis_strategies.ADDITIVE, hypothesis_strategies.WHOLE]),
)
def test_every_law_holds_in_every_form(strategy, source, limits, tokenizer):
    result = run(source, strategy, limits, tokenizer)
    all_laws(source, result, limits, tokenizer, strategy.name)
    for chunk in result.chunks:
        assert (
            re.search(r"<equation|<drawing|<table id", chunk.content) is None
            or "&lt;" in chunk.content
            or limits.tables is TableForm.HTML
        )


@settings(QUICK, max_examples=some(30))
@given(
    source=hypothesis_strategies.DOCUMENTS,
    size=st.integers(64, 1000),
    tokenizer=st.sampled_from([hypothesis_strategies.ADDITIVE, hypothesis_strategies.WHOLE]),
)
def test_every_slice_is_a_pipe_table(source, size, tokenizer):
    for chunk in run(source, P(), ChunkLimits(size, tables=TableForm.MARKDOWN), tokenizer).chunks:
        for found in re.finditer(r"(?:(?<=\n\n)|(?<![\s\S]))(?:\|.*\|(?:\n|$))+", chunk.content):
            lines = found[0].strip("\n").split("\n")
            widths = {len(re.split(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}
            assert len(widths) == 1, found[0]
            tokens = PIPES.parse(found[0])
            assert sum(token.type == "table_open" for token in tokens) == 1
            assert sum(token.type == "tr_open" for token in tokens) == len(lines) - 1


@settings(QUICK, max_examples=some(30))
@given(source=hypothesis_strategies.DOCUMENTS, size=st.integers(64, 1000))
def test_every_slice_is_well_formed_html(source, size):
    for chunk in run(
        source, P(), ChunkLimits(size, tables=TableForm.HTML), hypothesis_strategies.ADDITIVE
    ).chunks:
        for found in re.finditer(r"<table>.*?</table>", chunk.content):
            assert {child.tag for child in ET.fromstring(found[0])} == {"tr"}  # noqa: S314 - our own text


def chunked(source, size, tables="json"):
    return run(source, P(), ChunkLimits(size, tables=tables), WORDS)


def shown(made, form, size=200):
    source = document(block("H", f"Before\n{tag(made)}\nAfter"), tables=[made])
    return [chunk.content for chunk in chunked(source, size, tables=form).chunks]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "markdown",
            (
                "# H\nBefore\n\n| Item | Price |\n|---|---|\n| Valve | 12 |\n| Pipe \\| "
                "bent | 7 |\n\nAfter"
            ),
        ),
        (
            "html",
            (
                "# H\nBefore\n<table><tr><th>Item</th><th>Price</th></tr><tr><td>Valve</td><td>12</td></tr><tr><td>Pipe "
                "| bent</td><td>7</td></tr></table>\nAfter"
            ),
        ),
        (
            "text",
            "# H\nBefore\nItem; Price\nItem: Valve; Price: 12\nItem: Pipe | bent; Price: 7\nAfter",
        ),
    ],
)
def test_a_table_that_fits(form, expected):
    assert shown(table("t", ROWS, 1), form) == [expected]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("markdown", "|  |  |\n|---|---|\n| Item | Price |\n| Valve | 12 |\n| Pipe \\| bent | 7 |"),
        ("html", "<table><tr><td>Item</td><td>Price</td></tr>"),
        ("text", "Item; Price\nValve; 12\nPipe | bent; 7"),
    ],
)
def test_a_table_without_a_header(form, expected):
    assert expected in shown(table("t", ROWS), form)[0]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "markdown",
            (
                "| Kind | Item |  |\n|---|---|---|\n| Tools | Saw | a < b |\n| Tools | "
                "Axe | x y |\n|  |  |  |"
            ),
        ),
        (
            "html",
            (
                '<tr><td rowspan="2">Tools</td><td>Saw</td><td>a &lt; '
                "b</td></tr><tr><td>Axe</td><td>x y</td></tr>"
            ),
        ),
        (
            "text",
            "Kind; Item\nKind: Tools; Item: Saw; Item: a < b\nKind: Tools; Item: Axe; Item: x y\n-",
        ),
    ],
)
def test_merged_cells(form, expected):
    assert (
        expected
        in shown(
            html_table("t", MERGED, 4, f"<thead>{MERGED[: MERGED.index('</tr>') + 5]}</thead>"),
            form,
        )[0]
    )


@pytest.mark.parametrize(
    ("form", "head"),
    [
        ("markdown", "| Item | Price |\n|---|---|\n| r"),
        ("html", "<table><tr><th>Item</th><th>Price</th></tr><tr><td>r"),
        ("text", "Item: r"),
    ],
)
def test_every_slice_has_the_header(form, head):
    rows = [ROWS[0], *([f"r{n}", words(5)] for n in range(60))]
    made = table("t", rows, 1)
    source = document(block("H", tag(made)), tables=[made])
    chunks = chunked(source, 100, tables=form).chunks
    assert len(chunks) > 3
    assert all(head in chunk.content for chunk in chunks)
    assert [chunk.tables[0].role for chunk in chunks] == [
        TableRole.FIRST,
        *[TableRole.MIDDLE] * (len(chunks) - 2),
        TableRole.LAST,
    ]
    stored = chunked(source, 100).chunks
    # tags of rows and cells cost more than JSON
    assert form == "html" or len(chunks) <= len(stored)


def test_parts_map_to_the_rows():
    made = table("t", ROWS, 1)
    source = document(block("H", tag(made)), tables=[made])
    (chunk,) = chunked(source, 200, tables="markdown").chunks
    content = source.blocks[0].content
    rows = [part for part in chunk.parts if isinstance(part, Slice) and part.shown]
    assert [content[part.start : part.end] for part in rows] == [
        '["Item","Price"]',
        '["Valve","12"]',
        '["Pipe | bent","7"]',
    ]
    assert rows[2].shown == "| Pipe \\| bent | 7 |"
    assert chunk.table_heads == (1,)
    (chunk,) = chunked(source, 200, tables="html").chunks
    assert [(part.text, part.role) for part in chunk.parts if isinstance(part, Added)] == [
        ("<table>", AddedRole.WRAPPER),
        ("</table>", AddedRole.WRAPPER),
    ]
    (chunk,) = chunked(source, 200, tables="text").chunks
    assert [(part.text, part.role) for part in chunk.parts if isinstance(part, Added)] == [
        ("\n", AddedRole.JOIN),
        ("\n", AddedRole.JOIN),
    ]


def test_equations_and_pictures():
    picture = Drawing("im-1", "b", "", (), DrawingKind.CHART, alt="Sales\nby year")
    lines = [
        f"It costs $5, and {equation_tag('x^{2} ')} is a square.",
        equation_tag("a=b", "eq-1"),
        "A price of $7",
        drawing_tag("im-1", "png", "", "a.png", ""),
        drawing_tag("im-2", "png", 'Figure 1: The "valve"', "b.png", ""),
        drawing_tag("im-3", "png", "", "c.png", ""),
        equation_tag(" "),
    ]
    source = replace(document(block("H", "\n".join(lines))), drawings=Items({"im-1": picture}))
    expected = [
        r"It costs \$5, and $x^{2}$ is a square.",
        "$$a=b$$",
        r"A price of \$7",
        "[Chart: Sales by year]",
        '[Picture: Figure 1: The "valve"]',
        "[Picture]",
        "[Equation]",
    ]
    assert chunked(source, 300, tables="markdown").chunks[0].content.split("\n")[1:] == expected
    assert chunked(source, 300, tables="text").chunks[0].content.split("\n")[1:] == [
        line.replace(r"\$", "$") for line in expected
    ]


@pytest.mark.parametrize("cell", ["a | b", "a \\| b", "\\", "| |", "\\\\|", "`|`"])
def test_pipes_are_escaped(cell):
    (content,) = shown(table("t", [["A", "B"], [cell, "end"]], 1), "markdown")
    found = PIPES.parse(content[content.index("|") : content.index("After")])
    assert [token.content for token in found if token.type == "inline"][-1] == "end"
    assert sum(token.type == "td_open" for token in found) == 2
    assert sum(token.type == "table_open" for token in found) == 1


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n \n", "\n\n\n\n"])
@pytest.mark.parametrize("size", [48, 64, 96, 2000])
def test_adjacent_tables_stay_apart(between, size):
    made = [
        table("t1", [["a", "b"], ["c", "d"]], 1),
        table("t2", [["x", "y", "z"], *([[str(n), "two", "three"] for n in range(9)])], 1),
    ]
    source = document(block("H", f"{tag(made[0])}{between}{tag(made[1])}"), tables=made)
    result = chunked(source, size, tables="markdown")
    for chunk in result.chunks:
        opened = sum(token.type == "table_open" for token in PIPES.parse(chunk.content))
        assert opened == ("| a |" in chunk.content) + ("| x |" in chunk.content)
    assert "\n\n\n" not in "".join(chunk.content for chunk in result.chunks)
    assert list(chunk_faults(source, result.chunks, size, WORDS.count)) == []


def test_a_row_over_the_limit_is_written_as_text():
    long = f"{' '.join(f'w{n}' for n in range(300))} {equation_tag('x')} end"
    made = table("t", [["Item", "Text"], ["Valve", long], ["Pipe", "short"]], 1)
    source = document(block("H", tag(made)), tables=[made])
    result = chunked(source, 200, tables="markdown")
    assert any(f"{equation_tag('x')} end" in chunk.content for chunk in result.chunks)
    assert any(
        chunk.content == "| Item | Text |\n|---|---|\n| Pipe | short |" for chunk in result.chunks
    )
    assert all(WORDS.count(chunk.content) == chunk.tokens <= 200 for chunk in result.chunks)
    assert list(chunk_faults(source, result.chunks, 200, WORDS.count)) == []
    laws.added_text_fits(result)


@pytest.mark.parametrize("form", READ)
@pytest.mark.parametrize(("size", "count"), [(2000, 1), (40, 3)])
def test_a_table_whose_rows_cannot_be_recognized_is_shown_as_it_is_stored(form, size, count):
    made = replace(table("t", [["x"]]), content=words(70, "odd"))
    source = document(block("H", f"Before\n{tag(made)}\nAfter"), tables=[made])
    result = chunked(source, size, tables=form)
    all_laws(source, result, ChunkLimits(size, tables=form), WORDS, "P")
    assert (tag(made) in result.chunks[0].content) is (count == 1)
    assert len(result.chunks) >= count


def test_a_table_without_cells_is_a_pipe_table_of_one_column():
    made = html_table("t", "<tr></tr><tr></tr>", 2)
    assert shown(made, "markdown") == ["# H\nBefore\n\n|  |\n|---|\n|  |\n|  |\n\nAfter"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("markdown", '| a | b |\n| {"x": [1]} |  |\n| c | d |'),
        ("text", 'a; b\n{"x": [1]}\nc; d'),
        ("html", '<tr><td>a</td><td>b</td></tr><tr><td>{"x": [1]}</td></tr><tr>'),
    ],
)
def test_a_row_that_is_no_list_of_texts_is_one_cell(form, expected):
    rows = '[["a","b"],{"x":\n[1]},["c","d"]]'
    source = document(block("H", f'<table id="t" format="json">{rows}</table>'))
    assert expected in chunked(source, 200, tables=form).chunks[0].content


@pytest.mark.parametrize("form", TableForm)
def test_lines_are_the_same_in_every_form(form):
    """Each line is on a page of its own."""
    tables = [table("t", ROWS, 1), table("u", ROWS, 1)]
    lines = [
        "One.",
        tag(tables[0]),
        tag(tables[1]),
        f"Two {equation_tag('a + b')} and so on.",
        f"Three {drawing_tag('d', 'png', '', '', '')}",
        "Five.",
    ]
    section = block("H", "\n".join(lines), known=True)
    pages = [line._replace(page=number) for number, line in enumerate(section.lines)]
    source = document(replace(section, lines=tuple(pages)), tables=tables)
    chunks = run(source, Paragraphs(), ChunkLimits(tables=form), WORDS).chunks
    assert [chunk.pages for chunk in chunks] == [(number,) for number in range(7)]


def test_an_equation_over_the_limit_is_cut_and_mapped_to_all_of_its_source():
    formula = " + ".join(f"x_{n}" for n in range(60))
    source = document(block("", equation_tag(formula), 0))
    result = chunked(source, 80, tables="markdown")
    all_laws(source, result, ChunkLimits(80, tables=TableForm.MARKDOWN), WORDS, "P")
    parts = [part for chunk in result.chunks for part in chunk.parts if isinstance(part, Slice)]
    own = [(part.start, part.end) for part in parts if part.role is SliceRole.TEXT]
    assert len(own) > 2
    assert (own[0][0], own[-1][1]) == (0, len(source.blocks[0].content))
    assert all(end == start for (_, end), (start, _) in pairwise(own))
    assert max(b - a for a, b in own) < 2 * len(source.blocks[0].content) / len(own)


def text_of(content, form, tables=(), **drawings):
    """Return the text of a block as it is stored or, with a form, as chunks show it."""
    source = replace(document(block("", content, 0), tables=tables), drawings=Items(drawings))
    text = BlockRenderer(source, form).text_of if form else BlockText
    return text(source.blocks[0])


@each_row("chunking")
def test_line_breaks_around_a_table(stored, markdown, text, html):
    """T is a table. A pipe table has a blank line before and after it."""
    made = table("t", [["x"]])
    for form, expected in (("markdown", markdown), ("text", text), ("html", html)):
        shown = text_of(stored.replace("T", tag(made)), TableForm(form), [made])
        rows = text_of(tag(made), TableForm(form), [made]).content
        assert shown.content == expected.replace("T", rows)
        lines = {0, *(place.end() for place in re.finditer("\n", shown.content))}
        assert {*shown.line_starts} <= lines | {*shown.tables}
        assert [*shown.tables] == [
            found.start() for found in re.finditer(re.escape(rows), shown.content)
        ]


@pytest.mark.parametrize(
    ("kind", "alt", "caption", "expected"),
    [
        (None, "", "", "[Picture]"),
        (None, "", "Figure 1", "[Picture: Figure 1]"),
        (DrawingKind.CHART, "", "", "[Chart]"),
        (DrawingKind.CHART, "", "Figure 1", "[Chart: Figure 1]"),
        (DrawingKind.CHART, "Sales", "Figure 1", "[Chart: Sales]"),
        (DrawingKind.OLE, "", "", "[Object]"),
    ],
)
def test_a_picture_is_its_description_or_else_its_caption(kind, alt, caption, expected):
    drawings = {"im1": Drawing("im1", "b", "", (), kind, alt=alt)} if kind else {}
    content = f"a {drawing_tag('im1', 'png', caption, 'a.png', '')} b"
    assert text_of(content, TableForm.TEXT, **drawings).content == f"a {expected} b"


SPANS = (
    "<tr><td>a</td><td rowspan='3'>long text</td><td>c</td>"
    '<td colspan="2" RowSpan="4">d</td><td>e</td></tr>'
    "<tr><td>a</td><td>c</td><td>e</td></tr>"
    "<tr><td>a</td><td>c</td><td>e</td></tr>"
    "<tr><td>a</td><td>b</td><td>c</td><td>e</td></tr>"
    "<tr><td>a</td></tr>"
)


@pytest.mark.parametrize("form", [None, TableForm.HTML])
@pytest.mark.parametrize(
    ("rows", "long", "short"),
    [
        ((1, 2), 2, 2),
        ((1, 3), 3, 3),
        ((1, 5), 3, 4),
        ((2, 5), 2, 3),
        ((3, 5), None, 2),
        ((0, 5), None, None),
        ((4, 5), None, None),
    ],
)
def test_merged_cells_of_rows_above_a_slice(form, rows, long, short):
    """The columns stay aligned if their texts are left out."""
    made = html_table("t", SPANS, 5)
    text = text_of(tag(made), form, [made])
    shown = shown_table(*text.tables.values())
    written = [shown.frame(0, *rows, labels=labels).header for labels in (True, False)]
    short_cell = (
        f'<td colspan="2" rowspan="{short}">%s</td>'
        if form is None
        else f'<td rowspan="{short}" colspan="2">%s</td>'
    )
    if long:
        row = f'<tr><td></td><td rowspan="{long}">%s</td><td></td>{short_cell}</tr>'
        assert written == [row % ("long text", "d"), row % ("", "")]
    elif short:
        row = f"<tr>{'<td></td>' * 3}{short_cell}</tr>"
        assert written == [row % "d", row % ""]
    else:
        assert written == ["", ""]


@pytest.mark.parametrize(
    ("long", "name"), [("x" * 60, "x" * 60), ("word " * 13 + "x", "word " * 11 + "word…")]
)
def test_a_merged_cell_names_its_other_rows(long, name):
    rows = f'<tr><td>a</td><td rowspan="2">{long}</td></tr><tr><td>b</td></tr>'
    made = html_table("t", rows, 2)
    content = text_of(tag(made), TableForm.TEXT, [made]).content
    assert content == f"a; {long}\nb; {name}"


def test_text_outside_of_the_cells_of_a_row_belongs_to_a_cell():
    rows = "<tr>t<td>a</td>u<td>b</td>v</tr><tr>w<td>c</td>x</tr>"
    made = html_table("t", rows, 2)
    assert text_of(tag(made), TableForm.TEXT, [made]).content == "t a; u b v\nw c x"
