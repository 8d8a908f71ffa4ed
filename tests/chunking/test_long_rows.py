"""Table rows over the limit, written as text."""

from __future__ import annotations

import re
from dataclasses import replace

import lxml.html
import pytest
from chunk_laws import added_text_fits
from chunking.makers import WORDS, block, chunked, document, html_table, table, tag, words

from docxchunk.chunking import ChunkLimits, R, run
from docxchunk.chunking.long_rows import RowText, row_pieces
from docxchunk.chunking.texts import BlockText
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.content.tables import tables
from docxchunk.content.tags import equation_tag
from docxchunk.language.ranges import is_inside, outermost
from docxchunk.model.chunks import Added, AddedRole
from docxchunk.records.laws import chunk_faults
from docxchunk.testing.hypothesis_strategies import ADDITIVE, WHOLE

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


@pytest.mark.parametrize("size", range(150, 200, 15))
@pytest.mark.parametrize("cell", [LONG, "a" + "\u0301" * 204], ids=["words", "one letter"])
def test_no_piece_ends_with_a_label(size, cell):
    made = table("t", [["Left", "Right"], [words(size, "w1"), cell]], 1)
    assert not [piece for piece in pieces(made) if piece.endswith(":")]


def test_a_long_row_of_empty_cells_has_no_text():
    made = table("t", [["Item", *["x"] * 199], [""] * 200, ["Valve", *["y"] * 199]])
    assert any("Valve" in piece for piece in pieces(made))


@pytest.mark.parametrize("size", [150, 250, 400])
def test_slices_of_a_table_with_sections_have_its_header_and_rows(size):
    """Other programs write sections, such as <thead>. HTML needs no tags around them."""
    head = "<thead><tr><th>Name</th><th>Value</th></tr></thead>"
    body = "".join(f"<tr><td>a{n}</td><td>b{n}</td></tr>" for n in range(60))
    made = html_table(
        "t", f"{head}<tbody>{body}</tbody><tfoot><tr><td>sum</td><td>60</td></tr></tfoot>", 62, head
    )
    chunks = chunked(document(block("H", tag(made)), tables=[made]), size).chunks
    assert len(chunks) > 1
    rows = []
    for chunk in chunks:
        assert chunk.tokens == WORDS.count(chunk.content) <= size
        text = chunk.content.removeprefix("# H\n")
        names, *values = lxml.html.fromstring(text).xpath("//tr/*[1]/text()")
        assert names == "Name"
        rows += values
    assert rows == [*(f"a{n}" for n in range(60)), "sum"]


class Letters:
    """Counts letters; each as `weight` tokens."""

    name = fingerprint = "letters"
    additive_over_newlines = True

    def __init__(self, weight=1):
        self.weight = weight

    def count(self, text):
        return self.weight * len(text)


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


def row_of(made, labels=(), keys=None, row=0):
    source = document(block("", tag(made), 0), tables=[made])
    (stored,) = source.blocks
    text = BlockText(stored)
    grid = tables(stored.content)[0]
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
    row = row_of(made, labels)
    assert row.text == f"B: a b & {equation_tag('x')} c\nC / D: d"
    assert [row.text[start:end] for start, end in row.keep] == ["B: a", "C / D: d"]


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
