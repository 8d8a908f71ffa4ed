"""Stages and their rules on pieces that are made by hand."""

from __future__ import annotations

from typing import ClassVar

import pytest
from case_files import each_number, each_row
from chunking.makers import WORDS, block, document, table, tag, words

from docxchunk.chunking import ChunkLimits
from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import (
    DividingStrategy,
    capped,
    divide,
    pack_all,
    with_headings,
)
from docxchunk.chunking.sections import (
    glue_headings,
    number_parts,
    pieces_of,
)
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.table_stages import slice_tables
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.lab.strategies.grouping import (
    add_children,
    fill_up,
    fill_up_groups,
    last_unit,
    repeat_ends,
)
from docxchunk.model.chunks import Heading, Relevance, SliceRole


def assembler_of(*blocks, size=100, overlap=0, **fields):
    return Assembler(document(*blocks, **fields), ChunkLimits(size, overlap), WORDS)


def texts(pieces):
    return [piece.text for piece in pieces]


def lines_apart(assembler):
    """Return a piece for each line of the only block."""
    (whole,) = pieces_of(assembler)
    lines = assembler.lines(0)
    return [
        assembler.piece([assembler.slice(0, start, end)], whole)
        for start, end in zip(lines.starts, lines.ends, strict=True)
    ]


# -- blocks


def test_each_block_with_text_is_a_piece():
    assembler = assembler_of(
        block("", "", 0),
        block("", " \n", 0),
        block("", "Text.", 0),
        block("A", "One.\nTwo.", 2, ["X"]),
    )
    preface, section = pieces_of(assembler)
    assert (preface.text, preface.tokens, preface.block, preface.headings) == ("Text.", 2, 2, ())
    assert (section.text, section.tokens, section.block) == ("## A\nOne.\nTwo.", 7, 3)
    assert (section.heading, section.parents, section.level) == ("A", ("X",), 2)
    assert section.headings == (Heading(2, "A"),)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([("A", 1, ()), ("B", 1, ())], ["# A", "# B"]),
        ([("A", 1, ()), ("B", 2, ("A",))], ["# A\n\n## B"]),
        ([("A", 1, ()), ("B", 2, ("X",))], ["# A", "## B"]),
        ([("A", 1, ()), ("B", 2, ("A",)), ("C", 3, ("A", "B"))], ["# A\n\n## B\n\n### C"]),
        ([("A", 1, ()), ("B", 2, ("A",)), ("C", 2, ("A",))], ["# A\n\n## B", "## C"]),
        ([("A", 1, ()), ("B", 2, ("A",)), ("C", 1, ())], ["# A\n\n## B", "# C"]),
    ],
)
def test_headings_go_with_what_is_under_them(blocks, expected):
    made = [block(name, "", level, parents) for name, level, parents in blocks]
    assembler = assembler_of(*made)
    assert texts(glue_headings(assembler, pieces_of(assembler))) == expected


def test_parts_are_numbered_in_each_block_that_was_cut():
    assembler = assembler_of(
        block("A"), block("B", "b\nc", 2, ["A"]), block("C", "d", 2, ["A"]), block("D", "e\nf")
    )
    a, b, c, d = pieces_of(assembler)

    def part(block_number, piece, start, end):
        content = assembler.contents[block_number]
        span = assembler.slice(block_number, content.index(start), content.index(end) + 1)
        return assembler.piece([span], piece)

    first = assembler.merged(a, part(1, b, "#", "b"))
    second = assembler.merged(part(1, b, "c", "c"), c)
    third = part(3, d, "#", "e")
    fourth = part(3, d, "f", "f")
    numbered = number_parts(assembler, [first, second, third, fourth])
    assert [(piece.block, piece.part) for piece in numbered] == [(1, 1), (1, 2), (3, 1), (3, 2)]
    whole = number_parts(assembler, [a, assembler.merged(b, c), d])
    assert [piece.part for piece in whole] == [0, 0, 0]
    # a section with text before the one that is cut has no part
    joined = assembler.merged(c, third)
    numbered = number_parts(assembler, [joined, fourth])
    assert [(piece.block, piece.part) for piece in numbered] == [(2, 0), (3, 2)]


# -- groups of units


def test_a_cut_after_headings_is_moved_before_them():
    assembler = assembler_of(
        block("A", "One.", known=True),
        block("B", level=2, parents=["A"], known=True),
        block("C", "Two.", 3, ["A", "B"], known=True),
    )
    spans = [span for piece in pieces_of(assembler) for span in piece.spans]
    sequence = UnitSequence(assembler, spans)
    assert len(sequence) == 5
    moved = {0: [], 1: [], 2: [2], 3: [2], 4: [2], 5: [5]}
    for cut, expected in moved.items():
        assert with_headings(sequence, [cut]) == expected
    assert with_headings(sequence, [5, 4, 3, 0]) == [2, 5]
    headings = UnitSequence(assembler, [assembler.slice(1, 0, 4)])
    assert with_headings(headings, [0]) == []


class Recorded(DividingStrategy):
    """Cuts before each unit, and records the numbers of units."""

    name, models = "recorded", ()
    lengths: ClassVar[list[int]] = []

    def cuts(self, _assembler, sequence):
        self.lengths.append(len(sequence))
        return range(len(sequence))


@pytest.mark.parametrize("count", range(4))
def test_a_strategy_is_asked_for_the_cuts_of_two_or_more_units(count):
    Recorded.lengths.clear()
    assembler = assembler_of(block("", "\n".join(f"w{n}." for n in range(count)), 0))
    spans = [span for piece in pieces_of(assembler) for span in piece.spans]
    sequence = UnitSequence(assembler, spans)
    assert Recorded().groups(assembler, sequence) == [[n] for n in range(count)]
    assert Recorded.lengths == ([count] if count > 1 else [])


@each_row("chunking", share=float, expected=each_number)
def test_neighbours_are_merged_up_to_a_share_of_the_limit(share, expected):
    assembler = assembler_of(block("", "\n".join(words(n, "a") for n in (10, 10, 11, 30)), 0))
    pieces = lines_apart(assembler)
    filled = fill_up(assembler, share, pieces)
    assert [len(piece.spans) for piece in filled] == expected
    assert "\n".join(texts(filled)) == assembler.contents[0]
    sequence = UnitSequence(assembler, pieces_of(assembler)[0].spans)
    groups = fill_up_groups(assembler, share, sequence, [[0], [1], [2], [3]])
    assert [len(group) for group in groups] == expected


@pytest.mark.parametrize(
    ("scores", "mean"),
    [((0.5, 1.0), 0.8), ((1.0, 0.0), 0.4), ((0.00003, 0.0), 0.0), ((None, 0.8), None)],
)
def test_the_relevance_of_merged_pieces_is_weighted_by_tokens(scores, mean):
    assembler = assembler_of(block("", "\n".join([words(2), words(3)]), 0))
    pieces = [
        piece._replace(relevance=score if score is None else Relevance(score, 0.6))
        for piece, score in zip(lines_apart(assembler), scores, strict=True)
    ]
    for order in (pieces, pieces[::-1]) if mean is None else (pieces,):
        (filled,) = fill_up(assembler, 1.0, order)
        assert filled.relevance == (None if mean is None else Relevance(mean, 0.6))


def test_a_group_of_units_that_are_apart_is_one_piece_at_the_place_of_its_first():
    assembler = assembler_of(block("", "\n".join(f"w{n}." for n in range(5)), 0))
    grouped = divide(assembler, lambda _: [[1, 4], [0, 2, 3]], pieces_of(assembler))
    assert texts(grouped) == ["w0.\nw2.\nw3.", "w1.\nw4."]
    assert divide(assembler, lambda _: [], []) == pack_all(assembler, []) == []


def test_a_group_over_the_limit_is_packed():
    assembler = assembler_of(block("", "\n".join([words(60)] * 3), 0), size=100, overlap=20)
    spans = [*pieces_of(assembler)[0].spans]
    assert capped(assembler, spans, 180) == [spans]
    assert [len(group) for group in capped(assembler, spans, 179)] == [1, 1]
    assert [group[0].tokens for group in capped(assembler, spans, 60)] == [60, 60, 60]


# -- repeated text


def repeated(lines, size, overlap, first_repeated=last_unit):
    """Return the texts of pieces of one line each after `repeat_ends`."""
    assembler = assembler_of(block("", "\n".join(lines), 0), size=size, overlap=overlap)
    pieces = lines_apart(assembler)
    found = repeat_ends(assembler, first_repeated, UnitType.SENTENCE, pieces)
    assert all(led.tokens == WORDS.count(led.text) <= size for led in found)
    return [
        led.text.removesuffix(piece.text).strip() for led, piece in zip(found, pieces, strict=True)
    ]


LAST = f"{words(9, 'B')}."  # ten tokens


@each_row("chunking", count=int, size=int, overlap=int)
def test_the_last_sentence_is_repeated_if_it_is_short_enough(count, size, overlap, expected):
    lines = [f"A a. {LAST}", words(count, "c")]
    assert repeated(lines, size, overlap) == ["", expected]


def test_headings_tables_and_other_blocks_are_not_repeated():
    made = table("t", [["a", "b"]])
    content = [words(3), tag(made), "Some text.", words(120)]
    assembler = assembler_of(
        block("A", "\n".join(content), known=True),
        block("B", words(120)),
        size=400,
        overlap=60,
        tables=[made],
    )
    whole, following = pieces_of(assembler)
    starts = [assembler.contents[0].index(text) for text in ("# A", *content)]
    edges = [*starts, len(assembler.contents[0]) + 1]

    def part(first, last):
        return assembler.piece([assembler.slice(0, edges[first], edges[last] - 1)], whole)

    def lead(first, middle, last):
        pieces = [part(first, middle), part(middle, last)]
        led = repeat_ends(assembler, lambda _: 0, UnitType.SENTENCE, pieces)[1]
        return led.text.removesuffix(pieces[1].text).strip()

    assert lead(0, 1, 5) == ""  # a heading
    assert lead(0, 2, 5) == words(3)
    assert lead(2, 3, 5) == ""  # a table
    assert lead(0, 4, 5) == lead(2, 4, 5) == "Some text."
    pieces = [part(4, 5), following]
    assert repeat_ends(assembler, last_unit, UnitType.SENTENCE, pieces) == pieces
    led = repeat_ends(assembler, last_unit, UnitType.SENTENCE, [part(0, 4), part(4, 5)])
    assert led[1].spans[0].is_repeat
    assert repeat_ends(assembler, last_unit, UnitType.SENTENCE, led) == led  # not once more
    slices = slice_tables(assembler, TableSizes.filling(20), [part(2, 4)])
    assert repeat_ends(assembler, last_unit, UnitType.SENTENCE, slices) == slices
    assert repeat_ends(assembler, last_unit, UnitType.SENTENCE, []) == []


# -- children


def test_children_of_two_sizes():
    assembler = assembler_of(block("", "\n".join([words(20)] * 5), 0))
    (piece,) = add_children(assembler, [50, 25], pieces_of(assembler))
    assert [child.tokens for child in piece.children] == [40, 40, 20]
    assert [[own.tokens for own in child.children] for child in piece.children] == [
        [20, 20],
        [20, 20],
        [],
    ]
    (piece,) = add_children(assembler, [100, 50], pieces_of(assembler))  # none of the first size
    assert [child.tokens for child in piece.children] == [40, 40, 20]
    assert add_children(assembler, [], pieces_of(assembler)) == pieces_of(assembler)


def test_children_leave_out_repeated_text():
    assembler = assembler_of(block("", "\n".join([words(10, "a"), words(40, "b")]), 0))
    (whole,) = pieces_of(assembler)
    end = whole.text.index("b")
    lead = assembler.slice(0, 0, end, SliceRole.OVERLAP)
    led = assembler.piece([lead, assembler.slice(0, end, len(whole.text))], whole)
    (piece,) = add_children(assembler, [20], [led])
    assert " ".join(texts(piece.children)) == words(40, "b")


# -- slices of tables

SLICED, OTHER = (table(name, [[f"{name}{n}", words(20)] for n in range(3)]) for name in ("s", "o"))
SMALL = table("t", [["a", "b"]])
# as a table, its row is over 60 tokens, as text it is not
LONG_ROW = table("l", [["x", words(10), *[""] * 20]])


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["Text."], ["none: Text."]),
        ([SMALL], ["none: t"]),
        (["Before.", SLICED, "After."], ["first: Before. s0", "middle: s1", "last: s2 After."]),
        (
            [SLICED, OTHER],
            ["first: s0", "middle: s1", "last: s2", "first: o0", "middle: o1", "last: o2"],
        ),
        (
            [SLICED, "Between.", SMALL, OTHER, "After."],
            [
                *("first: s0", "middle: s1", "last: s2"),
                "none: Between. t",
                *("first: o0", "middle: o1", "last: o2 After."),
            ],
        ),
        (
            [SLICED, LONG_ROW, OTHER],
            ["first: s0", "middle: s1", "last: s2 l0", "first: o0", "middle: o1", "last: o2"],
        ),
        (["Before.", LONG_ROW, "After."], ["none: Before. l After."]),
    ],
)
def test_the_roles_of_pieces_with_slices(parts, expected):
    tables = [part for part in parts if not isinstance(part, str)]
    body = "\n".join(part if isinstance(part, str) else tag(part) for part in parts)
    assembler = assembler_of(block("", body, 0), size=400, tables=tables)

    def shown(span):
        if span.rows:
            return f"{span.rows.id}{span.rows.rows[0]}"
        lines = span.text.split("\n")
        return " ".join(line[11] if line.startswith("<table") else line for line in lines)

    pieces = slice_tables(assembler, TableSizes.filling(60), pieces_of(assembler))
    assert [f"{piece.role}: {' '.join(map(shown, piece.spans))}" for piece in pieces] == expected
