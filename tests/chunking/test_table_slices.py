"""Slices of one table: which rows go together, and what stands around them."""

from __future__ import annotations

from itertools import combinations

import pytest
from case_files import each_number, each_row, each_text
from chunking.makers import block, document, html_table, table, tag

from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer
from docxchunk.model.chunks import AddedRole, TableForm, TableRole
from docxchunk.testing import ADDITIVE, WHOLE


class Letters:
    """A token for each letter."""

    name = fingerprint = "letters"
    additive_over_newlines = True

    def count(self, text):
        return len(text)


OPENING, CLOSING = '<table id="t" format="json">[', "]</table>"
AROUND = len(OPENING + CLOSING)


def json_rows(widths, header_rows=0):
    """Return a table whose rows have these numbers of letters, with brackets and quotes."""
    return table("t", [["x" * (width - 4)] for width in widths], header_rows)


def slicer(made, max_tokens=1000, *, tokenizer=None, form=TableForm.JSON, **sizes):
    source = document(block("", f"{tag(made)}\nEnd.", 0), tables=[made])
    assembler = Assembler(source, ChunkLimits(100_000, tables=form), tokenizer or Letters())
    given = {"ideal": max_tokens, "least_last": 1, **sizes}
    return TableSlicer(assembler, 0, *assembler.tables(0).values(), TableSizes(max_tokens, **given))


def slices(widths, max_tokens, header_rows=0, **sizes):
    """Return the rows of each slice: the first, and the one after the last."""
    found = slicer(json_rows(widths, header_rows), max_tokens, **sizes).slices()
    return [
        (spans[0].rows.rows[0], spans[-1].rows.rows[1] + 1) if len(spans) == 1 else None
        for spans in found
    ]


@pytest.mark.parametrize(
    ("widths", "max_tokens", "ranges"),
    [
        ([10], AROUND + 10, [(0, 1)]),
        ([10] * 2, AROUND + 21, [(0, 2)]),
        ([10] * 2, AROUND + 20, [(0, 1), (1, 2)]),
        ([10] * 6, AROUND + 32, [(0, 2), (2, 4), (4, 6)]),
        ([10] * 6, AROUND + 33, [(0, 3), (3, 6)]),
        ([10] * 7, AROUND + 32, [(0, 2), (2, 5), (5, 7)]),
        ([10] * 9, AROUND + 43, [(0, 3), (3, 6), (6, 9)]),
        ([10, 10, 30, 10, 10], AROUND + 41, [(0, 2), (2, 3), (3, 5)]),
        ([30, 10, 10, 10], AROUND + 32, [(0, 1), (1, 4)]),
        ([10, 10, 10, 30], AROUND + 32, [(0, 3), (3, 4)]),
    ],
)
def test_slices_have_similar_sizes(widths, max_tokens, ranges):
    assert slices(widths, max_tokens) == ranges


@pytest.mark.parametrize("size", [15, 20, 31, 32, 50])
@pytest.mark.parametrize("widths", [[10] * 9, [5, 14, 9, 8, 12, 6, 13], [14, 5, 5, 5, 14, 5, 5]])
@pytest.mark.parametrize("header_rows", [0, 1])
def test_every_row_is_in_one_slice_within_the_limit(widths, size, header_rows):
    made = slicer(json_rows(widths, header_rows), AROUND + size)
    found = [span for spans in made.slices() for span in spans]
    rows = [number for span in found for number in range(span.rows.rows[0], span.rows.rows[1] + 1)]
    assert rows == [*range(len(widths))]
    assert all(len(span.text) == span.tokens <= AROUND + size for span in found)


@pytest.mark.parametrize(
    ("least_last", "max_tokens", "joined"),
    [
        (AROUND + 10, AROUND + 32, False),
        (AROUND + 11, AROUND + 32, True),
        (AROUND + 11, AROUND + 31, False),
    ],
)
def test_a_last_slice_that_is_too_small_joins_the_one_before(least_last, max_tokens, joined):
    """Together with the one before it has 32 tokens and the tags."""
    made = slicer(json_rows([10] * 5), max_tokens, least_last=least_last)
    made._cut = lambda first, last: iter([(0, 2), (2, 4), (4, 5)])
    assert made._groups() == ([(0, 2), (2, 5)] if joined else [(0, 2), (2, 4), (4, 5)])
    made._cut = lambda first, last: iter([(2, 4), (4, 5)])
    assert made._groups() == ([(2, 5)] if joined else [(2, 4), (4, 5)])


@pytest.mark.parametrize(
    ("widths", "groups"),
    [
        ([90, 10, 10], [(0, 1), (1, 3)]),
        ([10, 90, 10], [(0, 1), (1, 2), (2, 3)]),
        ([10, 10, 90], [(0, 2), (2, 3)]),
        ([90, 90], [(0, 1), (1, 2)]),
        ([10, 90, 90, 10], [(0, 1), (1, 2), (2, 3), (3, 4)]),
    ],
)
@pytest.mark.parametrize("max_tokens", [AROUND + 60, 1000])
def test_a_row_over_the_limit_is_alone(widths, groups, max_tokens):
    """However small the last slice is, and also if the limit of slices is larger."""
    made = slicer(json_rows(widths), max_tokens, least_last=1000, longest_row=AROUND + 60)
    assert made._groups() == groups
    assert [*made.long_rows] == [row for row, width in enumerate(widths) if width == 90]


HEADED = [10, 20, 20, 20, 20]


@each_row("chunking", header_rows=int, max_tokens=int, repeated=int)
def test_the_header_is_repeated_if_it_has_at_most_half_of_the_limit(
    header_rows, max_tokens, repeated
):
    """With the commas after its rows."""
    made = slicer(json_rows(HEADED, header_rows), max_tokens, longest_row=1000)
    row = max(made.header_rows, 1)
    header = "".join(f'["{"x" * (width - 4)}"],' for width in HEADED[:repeated])
    assert made.slice(row, row + 1, 1000).text.startswith(OPENING + header)
    assert made._heads(row) == repeated
    assert made._heads(0) == 0
    other = slicer(json_rows(HEADED, header_rows), max_tokens, repeat_headers=False)
    assert other._heads(row) == 0


MERGED = (
    "<tr><td>a</td><td>b</td></tr>",
    '<tr><td rowspan="2">a</td><td>b</td></tr>',
    '<tr><td rowspan="3">a</td><td>b</td></tr>',
    "<tr><td>b</td></tr>",
)


@pytest.mark.parametrize(
    ("rows", "divided", "cut"),
    [
        ([0, 0, 0, 0, 0, 0], [], 3),
        ([0, 0, 1, 3, 0, 0], [3], 2),
        ([0, 1, 3, 0, 0, 0], [2], 3),
        ([0, 0, 0, 1, 3, 0], [4], 3),
        ([0, 2, 3, 3, 0, 0], [2, 3], 4),
        ([0, 0, 2, 3, 3, 0], [3, 4], 2),
    ],
)
def test_a_cut_through_a_merged_cell_moves_to_the_next_row(rows, divided, cut):
    """To the row before if that has none, or else to the row after."""
    made = slicer(html_table("t", "".join(MERGED[row] for row in rows), 6))
    assert [row for row, above in enumerate(made.merged_above) if above] == divided
    assert made._row_near(0, 6, made.before[3]) == cut


class Special(type(WHOLE)):
    """Counts two tokens more for each text."""

    def count(self, text):
        return super().count(text) + 2


@pytest.mark.parametrize("tokenizer", [Letters(), ADDITIVE, WHOLE, Special()])
@pytest.mark.parametrize("form", TableForm)
def test_the_tokens_of_every_slice_are_those_of_its_text(tokenizer, form):
    head = "<tr><th>Name of it</th><th>Value</th></tr>"
    rows = (
        f"<thead>{head}</thead><tbody>"
        '<tr><td rowspan="3">first group</td><td>one, two</td></tr><tr><td>x</td></tr>'
        '<tr><td>y &amp; z</td></tr><tr><td>last</td><td rowspan="2">w</td></tr>'
        "</tbody><tr><td>end</td></tr>"
    )
    for made in (
        html_table("t", rows, 6, f"<thead>{head}</thead>"),
        table("t", [["Name", "Value of it"], ["a, b", "one"], ["c", ""], ["d", "e-f"]], 1),
    ):
        built = slicer(made, 200, tokenizer=tokenizer, form=form)
        for first, last in combinations(range(len(built.ranges) + 1), 2):
            for limit in (1000, 30, 10, 1):
                span = built.slice(first, last, limit)
                assert span.tokens == tokenizer.count(span.text)
                assert span.text == "".join(
                    getattr(part, "text", None)
                    or part.shown
                    or built._assembler.stored.blocks[0].content[part.start : part.end]
                    for part in span.parts
                )


def test_a_slice_over_the_limit_leaves_out_texts_of_merged_cells_and_then_its_header():
    """The cells themselves stay: without them, the columns would not be aligned."""
    head = "<tr><th>Name</th><th>Value</th><th>Unit</th></tr>"
    rows = (
        f'{head}<tr><td rowspan="2">long group</td><td>x</td><td rowspan="2">m</td></tr>'
        "<tr><td>y</td></tr><tr><td>z</td><td>z</td><td>z</td></tr>"
    )
    made = slicer(html_table("t", rows, 4, f"<thead>{head}</thead>"))
    cells = '<tr><td rowspan="2">{}</td><td></td><td rowspan="2">{}</td></tr>'
    carried = [cells.format("long group", "m"), cells.format("", "")]
    forms = [
        f'<table id="t" format="html">{header}{merged}<tr><td>y</td></tr></table>'
        for header in (head, "")
        for merged in carried
    ]
    for limit in range(len(forms[0]) + 1):
        fitting = (form for form in forms if len(form) <= limit)
        assert made.slice(2, 3, limit).text == next(fitting, forms[-1])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x" * 60, "x" * 60),
        ("&lt;b&gt; <sup>2</sup>" + " word" * 12, "&lt;b&gt; 2" + " word" * 10 + "…"),
    ],
)
def test_a_merged_cell_names_rows_of_a_slice(text, name):
    rows = f'<tr><td rowspan="2">{text}</td><td>a</td></tr><tr><td>b</td></tr>'
    made = slicer(html_table("t", rows, 2)).slice(1, 2, 1000)
    assert made.text == written(f'<tr><td rowspan="2">{name}</td></tr><tr><td>b</td></tr>')


def written(rows):
    return f'<table id="t" format="html">{rows}</table>'


GROUPS = [
    "<tr><th>Item</th><th>Cost</th></tr>",
    '<tr><td colspan="2">Staff</td></tr>',
    '<tr><td colspan="2">Wages</td></tr>',
    "<tr><td>may</td><td>1</td></tr>",
    "<tr><td>june</td><td>2</td></tr>",
    '<tr><td colspan="2">Costs of travel</td></tr>',
    "<tr><td>july</td><td>3</td></tr>",
]


@each_row("chunking", first=int, limit=int, repeated=each_number)
def test_a_slice_begins_with_the_names_of_its_group(first, limit, repeated):
    made = slicer(html_table("t", "".join(GROUPS), len(GROUPS), f"<thead>{GROUPS[0]}</thead>"))
    rows = "".join(GROUPS[row] for row in (*repeated, first))
    assert made.slice(first, first + 1, limit).text == written(rows)


def test_a_slice_begins_with_the_name_of_its_group_beside_empty_cells():
    rows = [["Item", "2"], ["Sales"], ["oil", "1"], ["Costs"], ["oil", "2"], ["gas", "3"]]
    made = table("t", [[*row, "", ""][:3] for row in rows], 1)
    repeated = '["Item","2",""],["Costs","",""],'
    assert slicer(made).slice(5, 6, 1000).text == f'{OPENING}{repeated}["gas","3",""]{CLOSING}'


def test_a_title_in_the_header_is_no_group():
    rows = [GROUPS[1], GROUPS[0], *GROUPS[3:5]]
    made = slicer(html_table("t", "".join(rows), len(rows), f"<thead>{''.join(rows[:2])}</thead>"))
    assert made.slice(3, 4, 1000).text == written("".join((*rows[:2], rows[3])))


@pytest.mark.parametrize("strategy", [P(), R()])
@pytest.mark.parametrize("size", range(180, 420, 20))
def test_the_name_of_a_group_ends_no_slice(strategy, size):
    rows = [GROUPS[0], *([GROUPS[5], *[GROUPS[3]] * 3] * 4)]
    made = html_table("t", "".join(rows), len(rows), f"<thead>{GROUPS[0]}</thead>")
    source = document(block("Sums", tag(made)), tables=[made])
    for chunk in run(source, strategy, ChunkLimits(size, 0), Letters()).chunks:
        ((_, (_, last), _),) = chunk.tables
        assert rows[last] != GROUPS[5]


@pytest.mark.parametrize(
    "row",
    [
        '<tr><td colspan="2">No name is a sentence.</td></tr>',
        f'<tr><td colspan="2">{"x" * 101}</td></tr>',
        '<tr><td colspan="2"></td></tr>',
        '<tr><td colspan="2" rowspan="2">Staff</td></tr>',
        "<tr><td>Staff</td></tr>",
    ],
)
def test_a_row_that_names_no_group_is_not_repeated(row):
    rows = [GROUPS[0], row, GROUPS[3], GROUPS[4]]
    made = slicer(html_table("t", "".join(rows), len(rows), f"<thead>{GROUPS[0]}</thead>"))
    assert made.slice(3, 4, 1000).text == written(rows[0] + rows[3])


@pytest.mark.parametrize(
    ("rows", "role", "heads"),
    [
        ((0, 1), TableRole.FIRST, 0),
        ((0, 2), TableRole.FIRST, 2),
        ((0, 3), TableRole.FIRST, 2),
        ((1, 3), TableRole.MIDDLE, 0),
        ((2, 4), TableRole.MIDDLE, 2),
        ((4, 5), TableRole.LAST, 2),
    ],
)
def test_a_slice_knows_its_rows_and_the_header_rows_that_it_begins_with(rows, role, heads):
    made = slicer(json_rows([10] * 5, 2))
    span = made.slice(*rows, 1000)
    assert (span.rows.id, span.rows.rows, span.rows.role) == ("t", (rows[0], rows[1] - 1), role)
    assert span.heads == heads
    assert [part.role for part in span.parts if getattr(part, "text", "")] == [
        AddedRole.WRAPPER,
        *[AddedRole.HEADER] * (rows[0] >= 2),
        AddedRole.WRAPPER,
    ]
    bare = made.slice(*rows, 1)
    assert bare.heads == (heads if not rows[0] else 0)
    assert bare.text == OPENING + made._content[bare.start : bare.end] + CLOSING


@pytest.mark.parametrize(
    ("widths", "roles"),
    [
        ([10], ["none"]),
        ([10, 10], ["first", "last"]),
        ([10, 10, 10, 10], ["first", "middle", "middle", "last"]),
    ],
)
def test_the_roles_of_slices(widths, roles):
    made = slicer(json_rows(widths), AROUND + 10)
    assert [spans[0].rows.role for spans in made.slices()] == roles


@each_row("chunking", header_rows=int, slices=each_text)
def test_long_rows_are_text_and_the_first_one_follows_a_header_without_other_rows(
    rows, header_rows, slices
):
    """L is a row over the limit. The rows of each span, by slice."""
    made = table("t", [[{"L": LONG[:120]}.get(row, row)] for row in rows], header_rows)
    found = [
        " ".join(
            "".join(map(str, range(span.rows.rows[0], span.rows.rows[1] + 1))) for span in spans
        )
        for spans in slicer(made, 100).slices()
    ]
    assert found == slices


LONG = " ".join(f"w{n}" for n in range(10, 40))
