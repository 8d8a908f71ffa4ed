"""The units of spans: lines, sentences, words, rows of tables."""

from __future__ import annotations

from itertools import accumulate, combinations, groupby, pairwise

import pytest
from chunking.makers import WORDS, block, document, table, tag, words

from docxchunk.chunking import ChunkLimits
from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.prices import BLANK_LINE, PARAGRAPH, SENTENCE, SPACE
from docxchunk.chunking.sections import pieces_of
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer
from docxchunk.chunking.table_stages import slice_tables
from docxchunk.chunking.units import TableUnits, Units, UnitSequence, UnitType
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

TABLE = table("t", [["a", "b"], ["c", "d"], ["e", "f"]])
BODY = f"One two. Three<sup>1</sup> four.\n\n Five six.  \n{tag(TABLE)}\n一二。三"
SOURCE = document(
    block("Terms", BODY, known=True), block("More", "Text.", 2, ["Terms"]), tables=[TABLE]
)
HEADING, TEXT, ROWS = LineKind.HEADING, LineKind.TEXT, LineKind.TABLE


def assembler_of(source=SOURCE):
    return Assembler(source, ChunkLimits(100, 10), WORDS)


def sequence_of(unit_type=UnitType.LINE, source=SOURCE, limit=None):
    assembler = assembler_of(source)
    pieces = pieces_of(assembler)
    if limit:
        pieces = slice_tables(assembler, TableSizes.filling(limit), pieces)
    return UnitSequence(assembler, [span for piece in pieces for span in piece.spans], unit_type)


def part_of(start, end, unit_type=UnitType.LINE):
    """Return the units of the text of SOURCE from one text to another."""
    assembler = assembler_of()
    content = assembler.contents[0]
    span = assembler.slice(0, content.index(start), content.index(end) + len(end))
    return UnitSequence(assembler, [span], unit_type)


def shown(sequence):
    return list(map(sequence.raw, range(len(sequence))))


LINES = [
    ("# Terms", BLANK_LINE, HEADING),
    ("One two. Three<sup>1</sup> four.", PARAGRAPH, TEXT),
    (" Five six.  ", BLANK_LINE, TEXT),
    (tag(TABLE), PARAGRAPH, ROWS),
    ("一二。三", PARAGRAPH, TEXT),
    ("## More", BLANK_LINE, HEADING),
    ("Text.", PARAGRAPH, TEXT),
]
SENTENCES = [
    LINES[0],
    ("One two.", PARAGRAPH, TEXT),
    ("Three<sup>1</sup> four.", SENTENCE, TEXT),
    ("Five six.", BLANK_LINE, TEXT),
    LINES[3],
    ("一二。", PARAGRAPH, TEXT),
    ("三", SENTENCE, TEXT),
    *LINES[5:],
]
EACH_WORD = [
    LINES[0],
    ("One", PARAGRAPH, TEXT),
    ("two.", SPACE, TEXT),
    ("Three<sup>1</sup>", SPACE, TEXT),
    ("four.", SPACE, TEXT),
    ("Five", BLANK_LINE, TEXT),
    ("six.", SPACE, TEXT),
    LINES[3],
    ("一", PARAGRAPH, TEXT),
    ("二", SPACE, TEXT),
    ("。", SPACE, TEXT),
    ("三", SPACE, TEXT),
    *LINES[5:],
]
BLOCKS = [(f"# Terms\n{BODY}", BLANK_LINE, TEXT), ("## More\nText.", BLANK_LINE, TEXT)]


@pytest.mark.parametrize(
    ("unit_type", "expected"),
    [
        (UnitType.LINE, LINES),
        (UnitType.SENTENCE, SENTENCES),
        (UnitType.WORD, EACH_WORD),
    ],
)
def test_units_with_the_price_of_the_cut_before_each_and_its_kind(unit_type, expected):
    sequence = sequence_of(unit_type)
    assert [*zip(shown(sequence), sequence.prices, sequence.kinds, strict=True)] == expected
    assert len(sequence) == len(expected)
    assert sequence.total == sum(WORDS.count(text) for text, *_ in BLOCKS)


EVERY = pytest.mark.parametrize(
    ("unit_type", "limit"), [(unit_type, limit) for unit_type in UnitType for limit in (None, 30)]
)


@EVERY
def test_the_running_text_is_that_of_the_document(unit_type, limit):
    sequence = sequence_of(unit_type, limit=limit)
    count = len(sequence)
    if not limit:
        text = "\n\n".join(text for text, *_ in BLOCKS)
        assert sequence.running_text(0, count)[0].split() == text.split()
    for first, last in combinations(range(count + 1), 2):
        text, ends = sequence.running_text(first, last)
        assert len(ends) == last - first
        assert ends[-1] == len(text)
        for number, (start, end) in enumerate(pairwise([0, *ends]), first):
            assert text[start:end].lstrip() == sequence.raw(number).lstrip()


def test_repeated_text_counts():
    sequence = sequence_of(UnitType.SENTENCE)
    content = sequence.assembler.contents[0]
    for first, last in ((2, 3), (2, 4), (2, 8)):
        spans = sequence.between(first, last, lead=content.index("two"))
        assert (spans[0].text, spans[0].role) == ("two. ", SliceRole.OVERLAP)
        assert spans[1:] == sequence.between(first, last)
        size = sequence.size(first, last, content.index("two"))
        assert size == sequence.size(first, last) + 2
        assert sequence.furthest(first, size, content.index("two")) == last
        assert sequence.furthest(first, size - 1, content.index("two")) == last - 1


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("# Terms", "One two.", ["# Terms", "One two."]),
        ("two", "Five", ["two. Three<sup>1</sup> four.", " Five"]),
        ("Five", "Five", ["Five"]),
        ("Five", "三", ["Five six.  ", tag(TABLE), "一二。三"]),
    ],
)
def test_the_lines_of_a_part_of_a_block(start, end, expected):
    sequence = part_of(start, end)
    assert shown(sequence) == expected
    assert sequence.prices[0] == BLANK_LINE
    assert sequence.before[0] == 0
    assert sequence.total == WORDS.count("\n".join(expected))


def test_a_tag_that_fits_into_a_chunk_is_not_cut():
    long = f"<em>{words(60)}</em>"
    source = document(block("", f"Text {long} text.", 0))
    sequence = sequence_of(source=source)
    sequence.expand(0, 8)
    assert shown(sequence) == ["Text", long, "text."]
    sequence = sequence_of(source=document(block("", f"Text <em>{words(120)}</em> text.", 0)))
    sequence.expand(0, 8)
    assert len(sequence) > 20


# -- rows of tables


def rows_of(name, count, header_rows=0):
    return table(name, [[f"{name}{n}", "x"] for n in range(count)], header_rows)


def units_of_rows(lines, tables, groups):
    """Return units of a block: its lines, and groups of rows of tables."""
    source = document(block("", "\n".join(lines), 0), tables=tables)
    assembler = assembler_of(source)
    (piece,) = pieces_of(assembler)
    units, shown_lines = Units(assembler, piece.spans), assembler.lines(0)
    for start, end in zip(shown_lines.starts, shown_lines.ends, strict=True):
        borders, at = [start], len(units)
        if start in shown_lines.tables:
            found = shown_lines.tables[start]
            slicer = TableSlicer(assembler, 0, found, TableSizes.filling(100))
            firsts = [0, *accumulate(groups[found.id])]
            units.tables.append(TableUnits(at, slicer, firsts))
            borders += [slicer.ranges[row][0] for row in firsts[1:-1]]
        units.of += [0] * len(borders)
        units.starts += borders
        units.ends += [*borders[1:], end]
        units.prices += [0.0] * len(borders)
    return units


def told(spans):
    """Return the lines of spans; for each table, its name and rows."""
    found = []
    for span in spans:
        if span.rows:
            first, last = span.rows.rows
            found.append(f"{span.rows.id} {first}-{last}")
        else:
            found += [
                f"{line[11]}{line[12]}" if line.startswith("<table") else line
                for line in span.text.split("\n")
            ]
    return found


TABLES = [rows_of("t1", 4), rows_of("t2", 2), rows_of("t3", 3)]
LINES_AND_TABLES = ["Before.", tag(TABLES[0]), "Between.", *map(tag, TABLES[1:])]
UNITS = [
    "Before.",
    *["t1 0-0", "t1 1-2", "t1 3-3"],
    "Between.",
    *["t2 0-0", "t2 1-1"],
    *["t3 0-1", "t3 2-2"],
]


def test_rows_become_a_slice_unless_they_are_all_rows_of_their_table():
    units = units_of_rows(LINES_AND_TABLES, TABLES, {"t1": [1, 2, 1], "t2": [1, 1], "t3": [2, 1]})
    assert len(units) == len(UNITS)
    for first, last in combinations(range(len(UNITS) + 1), 2):
        expected = []
        for line, group in groupby(UNITS[first:last], key=lambda unit: unit[:2]):
            rows = [*group]
            if not line.startswith("t"):
                expected += rows
            elif rows == [unit for unit in UNITS if unit.startswith(line)]:
                expected.append(line)
            else:
                expected.append(f"{rows[0].partition('-')[0]}-{rows[-1].partition('-')[2]}")
        assert told(units.between(first, last)) == expected


def test_header_rows_are_repeated_where_there_is_room():
    tables = [rows_of("t1", 4, 1), rows_of("t2", 4, 1)]
    units = units_of_rows(
        ["Before all.", *map(tag, tables), "After it."], tables, {"t1": [2, 2], "t2": [2, 2]}
    )
    count = units.assembler.join

    def headers(first, last, room):
        return [span.heads for span in units.between(first, last, room=room) if span.rows]

    # the last rows of a table, alone and with what follows
    for first, last, others in ((2, 3, 0), (4, 6, 1), (4, 5, 0), (2, 6, 1)):
        spans = units.between(first, last, room=1000)
        total = count(spans)[1] + others
        assert headers(first, last, total)[0] == 1
        assert headers(first, last, total - 1)[0] == 0
    assert headers(0, 2, 0) == [1]  # the header itself
