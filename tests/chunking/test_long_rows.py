"""Table rows over the limit, written as text."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from chunking.makers import WORDS, block, chunked, document, html_table, table, tag, words
from lxml import etree

from docxchunk.chunking import ChunkLimits, R, run
from docxchunk.chunking.long_rows import RowText, row_pieces
from docxchunk.chunking.paragraph_semantic import P
from docxchunk.chunking.texts import BlockRenderer, BlockText
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.markup.laws import chunk_faults
from docxchunk.markup.tables import Grid, tables
from docxchunk.markup.tags import equation_tag, is_inside, outermost
from docxchunk.model.chunks import Added, AddedRole, TableForm
from docxchunk.testing.hypothesis_strategies import ADDITIVE, WHOLE
from docxchunk.testing.laws import added_text_fits, all_laws

LONG = " ".join(f"w{n}" for n in range(400))


def pieces(made, size=200):
    """Return the chunks of the only row below the header."""
    source = document(block("H", tag(made)), tables=[made])
    result = chunked(source, size)
    assert list(chunk_faults(source, result.chunks, size, WORDS.count)) == []
    added_text_fits(result)
    return [
        chunk.content.removeprefix("# H\n")
        for chunk in result.chunks
        if "w1" in chunk.content or "<table" not in chunk.content
    ]


def test_a_header_over_two_columns_names_both():
    header = '<tr><th colspan="2">Item</th><th>Unit</th><th>Price</th></tr>'
    made = html_table(
        "t",
        f"{header}<tr><td>Valve</td><td>steel</td><td>piece</td><td>{LONG}</td></tr>",
        2,
        f"<thead>{header}</thead>",
    )
    assert "Item: Valve\nItem: steel\nUnit: piece\nPrice: w0" in pieces(made)[0]


def test_a_cell_over_two_columns_has_both_names():
    header = "<tr><th>Item</th><th>Unit</th><th>Price</th></tr>"
    made = html_table(
        "t",
        f'{header}<tr><td colspan="2">Valve</td><td>{LONG}</td></tr>',
        2,
        f"<thead>{header}</thead>",
    )
    assert "Item / Unit: Valve\nPrice: w0" in pieces(made)[0]


def test_a_column_name_has_one_colon():
    header = "<tr><th>Item:</th><th>Price：</th></tr>"
    made = html_table(
        "t", f"{header}<tr><td>Valve</td><td>{LONG}</td></tr>", 2, f"<thead>{header}</thead>"
    )
    assert "Item: Valve\nPrice: w0" in pieces(made)[0]


def test_header_rows_are_combined_and_a_title_row_is_ignored():
    header = (
        '<tr><th colspan="3">All</th></tr><tr><th rowspan="2">Item</th><th '
        'colspan="2">Price</th></tr><tr><th>net</th><th>gross</th></tr>'
    )
    made = html_table(
        "t",
        f"{header}<tr><td>Valve</td><td>12</td><td>{LONG}</td></tr>",
        4,
        f"<thead>{header}</thead>",
    )
    assert "Item: Valve\nPrice net: 12\nPrice gross: w0" in pieces(made)[0]


def test_cells_merged_from_above_occupy_their_columns():
    header = "<tr><th>Kind</th><th>Item</th><th>Price</th></tr>"
    rows = f'<tr><td rowspan="2">Tools</td><td>Valve</td><td>12</td></tr><tr><td>Pipe</td><td>{LONG}</td></tr>'
    made = html_table("t", header + rows, 3, f"<thead>{header}</thead>")
    assert any("Item: Pipe\nPrice: w0" in piece for piece in pieces(made))
    named = pieces(replace(made, header_columns=2))
    assert any("Kind: Tools\nItem: Pipe\nPrice: w0" in piece for piece in named)
    assert named[-1].startswith("Kind: Tools\nItem: Pipe\nPrice: w")


@pytest.mark.parametrize(("columns", "start"), [(1, "Item: Valve\nText: w"), (0, "Text: w")])
def test_later_pieces_repeat_the_names_of_row_and_column(columns, start):
    made = replace(table("t", [["Item", "Text"], ["Valve", LONG]], 1), header_columns=columns)
    source = document(block("H", tag(made)), tables=[made])
    later = chunked(source, 200).chunks[1:]
    assert len(later) > 1
    assert all(chunk.content.startswith(start) for chunk in later)
    assert all(chunk.parts[0] == Added(start.removesuffix("w"), AddedRole.LABEL) for chunk in later)


def test_a_piece_that_begins_with_a_cell_names_its_column_once():
    made = replace(
        table("t", [["Item", "Left", "Right"], ["Valve", words(120, "w1"), words(120, "w1")]], 1),
        header_columns=1,
    )
    assert [piece.split("w1")[0] for piece in pieces(made)][-1] == "Item: Valve\nRight: "


@pytest.mark.parametrize("size", range(150, 200))
def test_a_piece_that_begins_with_a_row_label_does_not_repeat_it(size):
    made = replace(
        table("t", [["Text", "Item", "Rest"], [words(size, "w1"), "Valve", LONG]], 1),
        header_columns=2,
    )
    assert not any("Item: Valve\nItem: Valve" in piece for piece in pieces(made))


@pytest.mark.parametrize("size", range(150, 200, 15))
@pytest.mark.parametrize("cell", [LONG, "a" + "\u0301" * 204], ids=["words", "one letter"])
def test_no_piece_ends_with_a_label(size, cell):
    made = table("t", [["Left", "Right"], [words(size, "w1"), cell]], 1)
    assert not [piece for piece in pieces(made) if piece.endswith(":")]


def test_a_table_that_the_document_does_not_list_has_no_row_labels():
    made = table("t", [["Valve", LONG]])
    later = chunked(document(block("H", tag(made))), 200).chunks[1:]
    assert len(later) > 1
    assert not any("Valve" in chunk.content for chunk in later)


@pytest.mark.parametrize("size", [20, 80, 120, 160, 180])
def test_a_row_between_the_header_and_a_long_row_is_no_header(size):
    made = table("t", [["Item", "Text"], ["Valve", words(size, "v")], ["Pipe", LONG]], 1)
    assert any(piece.startswith("Item: Pipe") for piece in pieces(made))


def test_a_long_word_is_cut_and_nothing_of_it_is_lost():
    made = table("t", [["Item", "Text"], ["Valve", "w1_" * 300]], 1)
    shown = [piece.split("Text: ")[-1] for piece in pieces(made)]
    assert len(shown) > 3
    assert "".join(shown) == "w1_" * 300


def test_a_long_header_row_has_no_labels():
    made = table("t", [["Item", LONG], ["Valve", "12"]], 1)
    (first, *_) = pieces(made)
    assert first.startswith("Item\nw0 w1 ")


def test_a_long_row_of_empty_cells_has_no_text():
    made = table("t", [["Item", *["x"] * 199], [""] * 200, ["Valve", *["y"] * 199]])
    assert any("Valve" in piece for piece in pieces(made))


def test_a_key_that_is_too_long_is_not_repeated():
    made = replace(table("t", [["Item", "Text"], [f"Valve {'x' * 60}", LONG]], 1), header_columns=1)
    assert pieces(made)[-1].startswith("Text: w")


def test_html_entities_are_decoded():
    header = "<tr><th>Item</th><th>Text</th></tr>"
    made = html_table(
        "t",
        f"{header}<tr><td>Nuts &amp; &lt;bolts&gt; &unknown; "
        f"&#65;</td><td>{LONG}<br>a "
        "&amp; b</td></tr>",
        2,
        f"<thead>{header}</thead>",
    )
    shown = pieces(made)
    assert "Item: Nuts & <bolts> &unknown; A\n" in shown[0]
    assert shown[-1].endswith("a & b")


def test_entities_in_json_cells_are_not_decoded():
    made = table("t", [["Item", "Text"], ["Nuts &amp; bolts", LONG]], 1)
    assert "Item: Nuts &amp; bolts\n" in pieces(made)[0]


@pytest.mark.parametrize("size", [150, 250, 400])
def test_slices_of_a_table_with_sections_are_well_formed(size):
    head = "<thead><tr><th>Name</th><th>Value</th></tr></thead>"
    body = "".join(f"<tr><td>a{n}</td><td>b{n}</td></tr>" for n in range(60))
    made = html_table(
        "t", f"{head}<tbody>{body}</tbody><tfoot><tr><td>sum</td><td>60</td></tr></tfoot>", 62, head
    )
    chunks = chunked(document(block("H", tag(made)), tables=[made]), size).chunks
    assert len(chunks) > 1
    for chunk in chunks:
        assert chunk.tokens == WORDS.count(chunk.content) <= size
        text = chunk.content.removeprefix("# H\n")
        etree.fromstring(text)
        assert "<th>Name</th>" in text


def test_blanks_after_a_table_that_becomes_text_are_left_out():
    made = table("t", [["Item", words(190)]])
    body = f"{words(60, 'p')}\n{tag(made)}\n   after\n{words(94, 'q')}"
    last = chunked(document(block("H", body), tables=[made]), 100).chunks[-1]
    assert last.content.startswith("after\nq ")


class Letters:
    """Counts letters; each as `weight` tokens."""

    name = fingerprint = "letters"
    additive_over_newlines = True

    def __init__(self, weight=1):
        self.weight = weight

    def count(self, text):
        return self.weight * len(text)


def letter_chunks(rows, size, weight=1, **settings):
    made = table("t", rows, 1)
    source = document(block("H", tag(made)), tables=[made])
    result = run(source, P(**settings), ChunkLimits(size, 0), Letters(weight))
    all_laws(source, result, ChunkLimits(size, 0), Letters(weight), "R")
    return [chunk.content for chunk in result.chunks]


def test_a_large_header_does_not_make_the_pieces_of_the_next_row_small():
    rows = [["Name", "Notes on it"], ["Driver", " ".join(f"w{n}" for n in range(25))]]
    assert letter_chunks(rows, 64) == [
        '# H\n<table id="t" format="json">[["Name","Notes on it"]]</table>',
        "Name: Driver\nNotes on it: w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10",
        "Notes on it: w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22",
        "Notes on it: w23 w24",
    ]


def test_a_label_without_room_for_its_cell_is_no_chunk():
    rows = [["Name", "IPv4 address"], ["Driver", "192.168.1.111"]]
    assert letter_chunks(rows, 102, 3, table_max=0.2) == [
        "# H\nName",
        "IPv4 a",
        "ddress",
        "Driver",  # "Name: D" has 21 tokens, and the limit of a slice is 20
        "192.16",
        "8.1.11",
        "1",
    ]


def test_two_parts_of_a_row_in_one_chunk_are_listed_once():
    rows = [["A", "B"], [" ".join(f"w{n}" for n in range(19)), "x"], ["y", "z"]]
    made = table("t", rows, 1)
    source = document(block("H", f"{tag(made)}\nAfter"), tables=[made])
    chunks = run(source, R(), ChunkLimits(32), ADDITIVE).chunks
    assert chunks[2].content.endswith("w18\nB: x")
    assert [[part.rows for part in chunk.tables] for chunk in chunks] == [
        [(0, 0)],
        [(1, 1)],
        [(1, 1)],
        [(2, 2)],
    ]


def row_of(made, labels=(), keys=None, form=None, row=0):
    source = document(block("", tag(made), 0), tables=[made])
    (stored,) = source.blocks
    text = BlockRenderer(source, form).text_of(stored) if form else BlockText(stored)
    grid = Grid(stored.content, tables(stored.content)[0])
    return RowText(text, grid, row, labels, keys or {})


@pytest.mark.parametrize(
    ("cells", "labels", "text", "keep"),
    [
        (["a", "b c"], ["A", "B"], "A: a\nB: b c", ["A: a", "B: b"]),
        (["", "b"], ["A", "B"], "B: b", ["B: b"]),
        ([" ", "b"], ["A", "B"], "B: b", ["B: b"]),
        (["a", ""], ["A", "B"], "A: a", ["A: a"]),
        (["a", "b"], ["", "B"], "a\nB: b", ["B: b"]),
        (["a", "b"], ["A"], "A: a\nb", ["A: a"]),
        (["a\nb", "c"], [], "a\nb\nc", []),
        (["", " "], ["A", "B"], "", []),
    ],
)
def test_each_cell_is_a_line_after_the_name_of_its_column(cells, labels, text, keep):
    row = row_of(table("t", [cells]), labels)
    assert row.text == text
    assert [row.text[start:end] for start, end in row.keep] == keep


def test_the_cells_of_html_are_read():
    cells = f"<td> <br> </td><td>a<br>b &amp; {equation_tag('x')} c</td><td colspan='2'>d</td>"
    made = html_table("t", f"<tr>{cells}</tr>", 1)
    labels = ["A", "B", "C", "D"]
    row = row_of(made, labels, form=TableForm.TEXT)
    assert row.text == "B: a b & $x$ c\nC / D: d"
    assert [row.text[start:end] for start, end in row.keep] == ["B: a", "$x$", "C / D: d"]
    row = row_of(made, labels)
    assert row.text == f"B: a b & {equation_tag('x')} c\nC / D: d"
    assert [row.text[start:end] for start, end in row.keep] == ["B: a", "C / D: d"]


@pytest.mark.parametrize(
    ("start", "repeated"),
    [
        (0, "G: group\n"),
        (4, "G: group\nA: "),  # inside the first cell, which names the row
        (9, "G: group\nA: Valve\n"),  # at the second label
        (12, "G: group\nA: Valve\n"),  # at the text of the second cell
        (13, "G: group\nA: Valve\nB: "),
        (18, "G: group\nA: Valve\n"),
        (19, "G: group\nA: Valve\n"),  # a column without a name
    ],
)
def test_what_is_repeated_before_a_later_piece_of_a_row(start, repeated):
    """The names of the row, one of which is of a cell that is merged with one above."""
    made = table("t", [["Valve", "text", "end"]])
    row = row_of(made, ["A", "B", "", "G"], {3: "group", 0: "Valve"})
    assert row.text == "A: Valve\nB: text\nend"
    assert row.repeated(start) == repeated
    bare = row_of(made, keys={0: "Valve"})
    assert (bare.repeated(0), bare.repeated(6)) == ("", "Valve\n")
    later = row_of(made, keys={1: "text"})
    assert (later.repeated(0), later.repeated(1), later.repeated(6)) == ("", "text\n", "")


def test_a_row_without_cells_is_shown_as_it_is_stored():
    made = replace(table("t", [["x"]]), content="no rows")
    row = row_of(made, ["A"])
    assert row.text == tag(made)
    assert row.keep == []
    assert row.repeated(5) == ""


class Breaks(Letters):
    """A letter after a line break counts three more."""

    additive_over_newlines = False

    def count(self, text):
        return len(text) + 3 * len(re.findall(r"\n\w", text))


@pytest.mark.parametrize("tokenizer", [Letters(), ADDITIVE, WHOLE, Breaks()])
@pytest.mark.parametrize(
    ("cells", "labels", "keys"),
    [
        (["Valve", LONG[:120]], ["A", "B"], {0: "Valve"}),
        (["Valve", LONG[:120]], [], {0: "Valve"}),
        (["one", LONG[:60], "two", LONG[:70]], ["A", "B", "", "D"], {5: "group", 0: "one"}),
        (["a" * 50, "b" * 50], ["A", "B"], {0: "a"}),
        ([LONG[:100]], [], {}),
    ],
)
def test_the_pieces_of_a_row_are_within_their_limits_and_show_all_of_it(
    tokenizer, cells, labels, keys
):
    row = row_of(table("t", [cells]), labels, keys)
    meter = Meter(tokenizer)
    ruler = Ruler(meter, row.text)
    for cap in (12, 20, 33, 64, 1000):
        for first_cap in (cap // 4, cap // 2, cap):
            pieces = row_pieces(row, ruler, meter, first_cap, cap)
            assert all(
                piece.tokens == tokenizer.count(piece.before + row.text[piece.start : piece.end])
                for piece in pieces
            )
            assert pieces[0].start == 0
            assert pieces[0].tokens <= first_cap
            assert all(piece.tokens <= cap for piece in pieces)
            shown = "".join(row.text[piece.start : piece.end] for piece in pieces)
            assert "".join(shown.split()) == "".join(row.text.split())
            assert all(piece.before in ("", row.repeated(piece.start)) for piece in pieces)
            if any(piece.before for piece in pieces):
                assert not any(is_inside(piece.start, outermost(row.keep)) for piece in pieces)


@pytest.mark.parametrize(
    ("key", "first_cap", "cap", "labelled"),
    [(9, 20, 20, True), (10, 20, 20, False), (10, 21, 21, True), (11, 21, 21, False)],
)
def test_names_of_a_row_take_at_most_half_of_a_piece(key, first_cap, cap, labelled):
    """With the line break after them."""
    made = table("t", [["k" * key, LONG[:100]]])
    for columns in (0, 5):  # in the row, or merged with a cell above
        row = row_of(made, keys={columns: "k" * key})
        meter = Meter(Letters())
        pieces = row_pieces(row, Ruler(meter, row.text), meter, first_cap, cap)
        assert (pieces[-1].before == "k" * key + "\n") is labelled
    pieces = row_pieces(row, Ruler(meter, row.text), meter, first_cap, 1000)
    assert (pieces[-1].before == "k" * key + "\n") is labelled


def test_the_first_piece_of_a_row_is_full_if_nothing_is_repeated_before_it():
    row = row_of(table("t", [[LONG[:100], "kkkkk"]]), keys={1: "kkkkk"})
    meter = Meter(Letters())
    first, second, *_ = row_pieces(row, Ruler(meter, row.text), meter, 20, 24)
    assert (first.before, first.tokens) == ("", len("w0 w1 w2 w3 w4 w5 w6"))
    assert (second.before, second.tokens) == ("kkkkk\n", len("kkkkk\nw7 w8 w9 w10 w11"))


def test_a_blank_row_has_no_pieces():
    row, meter = row_of(table("t", [["", " "]]), ["A", "B"]), Meter(Letters())
    assert row_pieces(row, Ruler(meter, row.text), meter, 10, 10) == []
