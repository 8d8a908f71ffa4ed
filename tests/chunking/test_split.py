"""The units of sections over the limit, between which P chooses its cuts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from case_files import each_number, each_row
from chunking.makers import WORDS, block, document, table, tag, words

from docxchunk.chunking import ChunkLimits
from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.prices import (
    CLAUSE,
    ITEM,
    LIST_START,
    NEVER,
    OBJECT,
    PARAGRAPH,
    ROW,
    ROW_AT_END,
    ROW_OF_FITTING,
    SENTENCE,
    SPACE,
)
from docxchunk.chunking.sections import pieces_of
from docxchunk.chunking.split import UnitRule, split_into_units
from docxchunk.chunking.table_splitter import TableSizes

LIMIT = 960  # units of at most 40 tokens are joined, lines over 120 may be cut
LONG = words(LIMIT + 40)


def divided(source, limit=LIMIT, overlap=0, **sizes):
    assembler = Assembler(source, ChunkLimits(limit, overlap), WORDS)
    rule = UnitRule(TableSizes.filling(limit)._replace(**sizes), 60)
    return split_into_units(assembler, rule, pieces_of(assembler))


def units_of(*lines, tables=(), **settings):
    """Return the units of these lines under no heading."""
    [piece] = divided(document(block("", "\n".join(lines), 0), tables=tables), **settings)
    return piece.units


def sentence(count):
    return f"S{words(count)}."


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # short lines together, up to a share of the limit
        ([words(10)] * 3, [(30, PARAGRAPH)]),
        ([words(10)] * 5, [(40, PARAGRAPH), (10, PARAGRAPH)]),
        ([words(50), words(2)], [(50, PARAGRAPH), (2, PARAGRAPH)]),
        ([words(38), words(8)], [(38, PARAGRAPH), (8, PARAGRAPH)]),
        # but no cut inside a unit is cheaper than the one before it
        (
            [words(45), *["- item"] * 4, "After."],
            [(45, PARAGRAPH), (4, LIST_START), (4, ITEM), (2, PARAGRAPH)],
        ),
        # a long line stays whole if it is not much longer, else its sentences are units
        ([f"{sentence(50)} {sentence(60)}"], [(112, PARAGRAPH)]),
        ([f"{sentence(60)} {sentence(70)}"], [(61, PARAGRAPH), (71, SENTENCE)]),
        (
            [f"{sentence(110)} {sentence(8)} {sentence(8)}", "After."],
            [(111, PARAGRAPH), (18, SENTENCE), (2, PARAGRAPH)],
        ),
        ([words(119), words(121)], [(119, PARAGRAPH), (121, PARAGRAPH)]),
        # an equation has no sentences
        (
            [f"<equation>{sentence(60)} {sentence(70)}</equation>"],
            [(132 + 7, PARAGRAPH)],
        ),
    ],
)
def test_lines_and_sentences(lines, expected):
    units = units_of(*lines, words(60), LONG)
    shown = [
        (WORDS.count(units.raw(number)), units.prices[number]) for number in range(len(expected))
    ]
    assert shown == expected
    assert units.raw(len(expected)) == words(60)


def test_a_heading_stays_with_its_text():
    [piece] = divided(document(block("Terms", "\n".join([words(50), LONG]))))
    assert piece.units.prices[:3] == [PARAGRAPH, NEVER, PARAGRAPH]
    assert piece.units.raw(0) == "# Terms"


# -- rows of tables

HEADER = [["a", "b"]]
TAG, TAG_AND_HEADER, END = 15, 25, 5  # tokens


def rows_of(*sizes):
    return [["x", words(size)] for size in sizes]


def row_units(made, *lines, before=(), **sizes):
    """Return the units of rows: the first row of each and the number of rows, the price of the cut
    before it, and the tokens of the tags before and after a slice.
    """
    units = units_of(*before, "Before.", tag(made), *lines, tables=[made], **sizes)
    [rows] = units.tables
    numbers = slice(rows.start, rows.start + len(rows.rows) - 1)
    assert units.raw(rows.start - 1) == "Before."
    assert units.raw(numbers.stop - 1).endswith("</table>")
    assert units.raw(numbers.stop).startswith("After.")
    return rows.rows, units.prices[numbers], units.opening[numbers], units.closing[numbers]


def test_short_rows_are_units_together():
    made = table("t", [*HEADER, *rows_of(2, 2, 2, 2, 2, 60, 2, 2, *[60] * 20)], 1)
    borders, prices, opening, closing = row_units(made, "After.")
    assert borders == (0, 2, 5, 6, 7, *range(9, 30))
    assert prices == [OBJECT, *[ROW] * 24]
    assert opening == [0, *[TAG_AND_HEADER] * 24]
    assert closing == [*[END] * 24, 0]


@pytest.mark.parametrize("before", [[], [words(100)] * 4])
def test_a_cut_near_the_ends_of_a_table_costs_more(before):
    made = table("t", rows_of(*[60] * 20))
    [_, prices, opening, _] = row_units(made, "After.", before=before, least_last=150)
    assert prices == [OBJECT, ROW_AT_END, *[ROW] * 16, *[ROW_AT_END] * 2]
    assert opening == [0, *[TAG] * 19]


def test_no_cut_between_a_header_and_the_first_row():
    made = table("t", [*HEADER, *HEADER, *rows_of(*[60] * 20)], 2)
    borders, prices, *_ = row_units(made, "After.")
    assert borders[:3] == (0, 2, 3)
    assert prices[:3] == [OBJECT, NEVER, ROW]


def test_a_cut_in_a_table_that_fits_into_a_chunk_costs_more():
    made = table("t", rows_of(*[60] * 6))
    assert row_units(made, "After.", LONG)[1] == [OBJECT, *[ROW_OF_FITTING] * 5]


# -- text that does not fit into a chunk


@each_row("chunking", overlap=int, repeated=each_number)
def test_parts_of_a_long_line_repeat_the_text_before_them(overlap, repeated):
    line = f"{sentence(20)} {words(300)}, {words(1000)} {sentence(10)}"
    units = units_of("Before.", line, "After.", overlap=overlap)
    assert units.prices == [PARAGRAPH, *[SPACE] * 10, CLAUSE, *[SPACE] * 33, PARAGRAPH]
    assert units.opening[:11] == repeated
    assert sorted(units.leads) == [number for number, size in enumerate(units.opening) if size]
    text = units.spans[0].text
    for number, start in units.leads.items():
        assert WORDS.count(text[start : units.starts[number]]) == units.opening[number]


def test_tags_in_a_long_line_are_not_cut():
    tagged = f"<em>{words(200)}</em>"
    units = units_of(f"{words(100)} {tagged} {words(700)}")
    assert any(tagged in units.raw(number) for number in range(len(units)))


# -- tables whose rows are no units


@pytest.mark.parametrize(
    ("made", "max_tokens", "expected"),
    [
        # slices smaller than a chunk
        (table("t", rows_of(*[60] * 20)), 600, [(501, OBJECT), (432, ROW), (501, ROW)]),
        # parts of a long row
        (
            table("t", rows_of(60, 60, 1000, 60)),
            LIMIT,
            [(156, OBJECT), (841, ROW), (160, ROW), (87, ROW)],
        ),
        # a header stays with the row under it
        (
            table("t", [*HEADER, *rows_of(1000, 60)], 1),
            LIMIT,
            [(28, OBJECT), (823, NEVER), (184, ROW), (97, ROW)],
        ),
    ],
)
def test_slices_are_units(made, max_tokens, expected):
    same = replace(made, id="u")
    lines = "Before.", tag(made), tag(same), "After."
    units = units_of(*lines, tables=[made, same], max_tokens=max_tokens)
    shown = [(WORDS.count(units.raw(n)), units.prices[n]) for n in range(len(units))]
    assert shown == [(2, PARAGRAPH), *expected, *expected, (2, PARAGRAPH)]
    assert sorted(units.finished) == [*range(1, len(shown) - 1)]
