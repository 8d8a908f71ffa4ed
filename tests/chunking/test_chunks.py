"""The fields of finished chunks and their positions in the source, and the runner of stages."""

from __future__ import annotations

import re
import subprocess
import sys
from bisect import bisect_right
from dataclasses import replace

import pytest
from chunking.makers import (
    WORDS,
    Words,
    block,
    chunked,
    document,
    html_table,
    table,
    tag,
    words,
)
from docx_builder import docx
from hypothesis import example, given
from hypothesis import strategies as st

from docxchunk import ParseOptions, api
from docxchunk.chunking import Anchors, ChunkLimits, P, PStaged, R, run
from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.chunks import sources_of
from docxchunk.chunking.pieces import Span
from docxchunk.chunking.run import StageChange
from docxchunk.chunking.search_units import units_of
from docxchunk.errors import UsageError
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.chunks import Added, AddedRole, TableRole, TableRows


def test_headings_context_and_blocks():
    made = document(
        block("A", words(9)), block("B", words(9), 2, ["A"]), block("C", words(9), 3, ["A", "B"])
    )
    (chunk,) = chunked(made).chunks
    assert [tuple(heading) for heading in chunk.headings] == [(1, "A"), (2, "B"), (3, "C")]
    assert chunk.context == "A"
    assert chunk.blocks == tuple(each.id for each in made.blocks)
    assert chunk.content == "\n\n".join(each.content for each in made.blocks)


PLACED_LINES = st.lists(  # the number of words of each line, and after which of them a page ends
    st.tuples(
        st.integers(1, 80),
        st.lists(st.one_of(st.integers(1, 80), st.sampled_from([32, 50, 64])), unique=True),
    ),
    min_size=1,
    max_size=4,
)


@given(PLACED_LINES, st.sampled_from([32, 50]), st.sampled_from([P(), R()]))
@example([(32, []), (64, [16, 48])], 32, R())  # chunks begin and end inside the second line
@example([(64, [32])], 32, R())  # a page ends where a chunk ends
def test_the_pages_of_chunks_and_units_are_those_of_their_characters(placed, size, strategy):
    texts = [" ".join(f"w{n:02}" for n in range(count)) for count, _ in placed]
    lines, page = [], 1
    for text, (_, turns) in zip(texts, placed, strict=True):
        within = tuple(sorted(4 * turn - 1 for turn in turns if 4 * turn < len(text)))
        lines.append(Line(page=page, turns=within))
        page += len(within)
    content = "\n".join(texts)
    page_of = [
        line.page + bisect_right(line.turns, offset)
        for line, text in zip(lines, texts, strict=True)
        for offset in range(len(text) + 1)  # with the line break
    ]
    made = document(Block("b", content, lines=tuple(lines)))
    chunks = run(made, strategy, ChunkLimits(size, 0), WORDS).chunks
    for shown in (*chunks, *units_of(made, chunks, WORDS, longest=4 * size // 3)):
        (part,) = shown.parts
        assert shown.pages == tuple(sorted(set(page_of[part.start : part.end])))


@pytest.mark.parametrize(
    ("line", "of_first"),
    [
        (lambda n: Line(para_id=f"p{n}", page=1 + n // 10), Position("p0", "p19", (4, 43))),
        # a line of unknown place leaves the elements of the block
        (
            lambda n: Line(
                para_id=f"p{n}",
                paragraph=None if n == 30 else n + 1,
                element=n + 4,
                page=1 + n // 10,
            ),
            Position("p0", "p19", (4, 23), (1, 20)),
        ),
    ],
)
def test_positions_of_part_of_a_block(line, of_first):
    content = "\n".join(words(100, f"w{n}") for n in range(40))
    whole = Position("p0", "p39", (4, 43))
    made = document(Block("b", content, lines=tuple(map(line, range(40))), position=whole))
    first, second = chunked(made, overlap=0).chunks
    assert first.positions == (of_first,)
    assert second.positions == (Position("p20", "p39", (4, 43)),)
    assert (first.pages, second.pages) == ((1, 2), (3, 4))


def test_a_context_line_is_inside_the_cap():
    made = document(block("A", words(3000), 2, ["Chapter one"]))
    result = run(made, P(), ChunkLimits(500, contextualize=True), WORDS)
    for chunk in result.chunks:
        assert chunk.content.startswith("Chapter one > A\n\n")
        assert chunk.parts[0] == Added("Chapter one > A", AddedRole.CONTEXT)
        assert chunk.tokens <= 500


def test_the_trace_records_the_changes_of_each_stage():
    made = document(
        block("A"), block("B", words(3000), 2, ["A"]), block("C", words(10)), block("D", words(10))
    )
    steps = {step.stage: step for step in chunked(made).trace}
    assert [*steps] == [
        "glue_headings",
        "split",
        "merge",
        "bridge",
        "number_parts",
    ]
    assert steps["bridge"].differences == ()
    assert [(d.change, d.before, d.after) for d in steps["glue_headings"].differences] == [
        (StageChange.MERGED, range(2), range(1))
    ]
    assert [(d.change, d.before, d.after) for d in steps["split"].differences] == [
        (StageChange.CHANGED, range(1), range(1))
    ]
    assert [(d.change, d.before, d.after) for d in steps["merge"].differences] == [
        (StageChange.CHANGED, range(3), range(3))
    ]
    assert steps["merge"].pieces[-1].text.endswith("# D\n" + words(10))


def test_settings_and_their_hash():
    one, two = (
        run(document(), strategy, ChunkLimits(), WORDS) for strategy in (P(), P(target_ideal=0.5))
    )
    assert (one.settings["target_ideal"], two.settings["target_ideal"]) == (0.75, 0.5)
    assert one.settings["strategy"] == "P"
    assert one.settings_hash != two.settings_hash
    others = {run(document(), it, ChunkLimits(), WORDS).settings_hash for it in (R(), PStaged())}
    assert len({one.settings_hash, *others}) == 3


@pytest.mark.parametrize(
    ("strategy", "expected"), [(P(), "a761d348b53445d9"), (PStaged(), "2c0346f95a623de4")]
)
def test_ids_stay_those_of_0_2(strategy, expected):
    assert run(document(), strategy, ChunkLimits(), WORDS).settings_hash == expected


def test_a_table_of_contents_is_left_out_only_when_asked():
    from docxchunk.model.blocks import SessionType

    toc = Block("toc", "One\t1", session_type=SessionType.TOC)
    made = document(toc, block("One", words(5)))
    assert len(run(made, P(), ChunkLimits(), WORDS).chunks) == 2
    assert len(run(made, P(), ChunkLimits(drop_toc=True), WORDS).chunks) == 1


def test_chunking_does_not_import_the_parser():
    code = (
        "import sys; sys.modules['lxml'] = None; import docxchunk.chunking; assert "
        "'docxchunk.ooxml' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def calls(made, size=2000):
    """Return the number of function calls to chunk a document, which is the same in every run."""
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        run(made, P(), ChunkLimits(size), WORDS)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "shape", ["blocks", "rows", "empty rows", "long line", "tail", "no breaks"]
)
def test_work_grows_linearly_with_the_document(shape):
    def made(n):
        match shape:
            case "blocks":
                return document(
                    *(block(f"H{k}", words(5), 1 + k % 3, known=True) for k in range(5 * n))
                )
            case "rows":
                big = table("t", [["some words", "and more", str(k)] for k in range(5 * n)], 1)
                return document(block("H", tag(big)), tables=[big])
            case "empty rows":
                big = table("t", [["", ""] for _ in range(5 * n)])
                return document(block("H", tag(big)), tables=[big])
            case "long line":
                return document(
                    block("H", " ".join(f"Sentence {k} is here." for k in range(5 * n)))
                )
            case "tail":
                return document(
                    block("H", words(1600)),
                    *(Block(f"i{k}", "-", f"i{k}", (), 1) for k in range(5 * n)),
                )
            case _:
                return document(block("H", "x" * 20 * n))

    calls(made(10))  # what is imported on first use
    assert calls(made(400)) < calls(made(100)) * 4 * 1.25


def test_an_enumeration_setting_may_be_a_string():
    made = document(block("A", "\n".join(f"Part {n}\n{words(50)}" for n in range(9))))
    by_word, by_member, usual = (
        api.chunk(made, max_tokens=300, strategy="P-staged", settings=s)
        for s in ({"anchors": "furthest"}, {"anchors": Anchors.FURTHEST}, {})
    )
    assert by_word == by_member
    assert [chunk.content for chunk in by_word] != [chunk.content for chunk in usual]
    with pytest.raises(UsageError, match=r"anchors is 'far'; it must be nearest or furthest\."):
        api.chunk(made, settings={"anchors": "far"})


def test_embed_text_adds_the_title_and_missing_headings():
    made = replace(
        document(block("A", words(3)), block("B", words(150), 2, ("A",))), title="Report"
    )
    first, *later = run(made, P(), ChunkLimits(100), WORDS).chunks
    assert (first.embed_header, first.embed_text) == ("Report", f"Report\n\n{first.content}")
    assert [chunk.embed_header for chunk in later] == ["Report > A > B"] * len(later)
    assert all(chunk.embed_header not in chunk.content for chunk in later)
    assert {
        chunk.embed_header
        for chunk in run(made, P(), ChunkLimits(100, contextualize=True), WORDS).chunks
    } == {"Report"}
    assert all(
        chunk.embed_text == chunk.content
        for chunk in run(document(block("A", words(3))), P(), ChunkLimits(100), WORDS).chunks
    )


def test_reserved_tokens_are_free_for_the_header():
    parents = ("One", "Two", "Three")
    made = replace(
        document(block("Four", words(300), 4, parents)),
        title="A very long title of a report that nobody ever reads",
    )
    for reserve in (1, 4, 10, 40):
        chunks = run(made, P(), ChunkLimits(100, 0, reserve=reserve), WORDS).chunks
        assert all(
            chunk.tokens <= 100 - reserve and WORDS.count(chunk.embed_text) <= 100
            for chunk in chunks
        )
    assert chunks[-1].embed_header == (
        "A very long title of a report that nobody ever reads > One > Two > Three > Four"
    )
    with pytest.raises(UsageError, match="reserve is 90"):
        ChunkLimits(100, reserve=90)


@pytest.mark.parametrize("strategy", ["P", "R"])
@pytest.mark.parametrize(
    "words", ["A repealed clause; it is not law. ", "失效的条款，不再适用。", "repealed "]
)
@pytest.mark.parametrize(
    ("options", "run", "marked"),
    [
        (ParseOptions(strikethrough="mark"), "<r strike='1'>{}</r>", "<del>.*?</del>"),
        (ParseOptions(track_changes="all"), "<del>{}</del>", r"\{--.*?--\}"),
        (ParseOptions(track_changes="all"), "<ins>{}</ins>", r"\{\+\+.*?\+\+\}"),
    ],
)
def test_marked_text_longer_than_a_chunk_is_marked_in_each(strategy, words, options, run, marked):
    document = api.parse(docx(f"<p>In force. {run.format(words * 300)}</p>"), options=options)
    chunks = document.chunks(strategy=strategy, max_tokens=256)
    assert len(chunks) > 2
    for chunk in chunks:
        assert set(re.sub(marked, "", chunk.content).strip()) <= set("In force.")


PARAGRAPHS = "".join(
    f"<p>Paragraph {number} says something about the number {number}.</p>" for number in range(40)
)
TABLE = (
    "<tbl>"
    + "".join(
        f'<tr><tc><p id="{row:08X}">row {row}</p></tc><tc>value {row}</tc></tr>'
        for row in range(16, 76)
    )
    + "</tbl>"
)


@pytest.mark.parametrize("strategy", ["P", "R", "fixed", "sentence", "paragraph", "MG"])
def test_every_chunk_has_a_place_under_every_strategy(strategy):
    source = docx(
        '<footnotes><footnote id="2">a note</footnote></footnotes><p '
        f'style="Heading1">A</p>{PARAGRAPHS}{TABLE}<p>end<fn id="2"/></p>'
    )
    for chunk in api.chunk(source, strategy=strategy, max_tokens=100, overlap=20):
        assert chunk.positions
        assert all(position.paragraphs for position in chunk.positions)
        assert chunk.pages
        assert chunk.page_is_estimate


class Marks(Words):
    """A mark is five tokens, so that the readable form of a table is longer than the stored one."""

    name, fingerprint, additive_over_newlines = "marks", "test:marks", False

    def count(self, text):
        return super().count(text) + 20 * text.count(";")


def test_with_reserve_the_readable_form_is_within_the_limit_too():
    made = table("t", [["a", "b"]] * 30)
    source = document(
        block("A", f"1 < 2.\n{words(150)}"),
        block("B", f"{tag(made)}\n{words(100)}"),
        tables=[made],
    )
    stored, chunks = (
        run(source, P(), ChunkLimits(200, 0, reserve=reserve), Marks()).chunks for reserve in (0, 9)
    )
    assert max(Marks().count(chunk.embed_text) for chunk in stored) > 200
    assert max(Marks().count(chunk.embed_text) for chunk in chunks) <= 200
    assert [chunk.tokens for chunk in chunks] == [Marks().count(chunk.content) for chunk in chunks]


def placed(paragraph, para_id=None, element=None):
    """Return a line of a paragraph. By default, its element is the one of this number."""
    return Line(
        para_id=para_id, paragraph=paragraph, element=paragraph if element is None else element
    )


def source_of(made, *spans):
    sources = sources_of(Assembler(made, ChunkLimits(), WORDS), spans)
    return sources.positions, sources.pages, sources.page_is_estimate


def part_of(made, number, start=0, end=None, rows=None):
    content = made.blocks[number].content
    end = len(content) if end is None else end
    return Span(content[start:end], 1, number, start, end, None if rows else "text", rows=rows)


def at(*paragraphs):
    """Return the position of paragraphs of a document without paraIds and tables."""
    first, last = paragraphs[0], paragraphs[-1]
    return Position(None, None, (first - 1, last - 1), (first, last))


def test_the_sources_of_whole_blocks_and_of_parts():
    texts = ["one two", "three", "six", "ten"]
    pages = [
        Line(page=2, turns=(3, 6)),
        Line(page=8, turns=(2, 4)),
        Line(page=None, turns=(1,), page_is_estimate=True),
        Line(page=12, page_is_estimate=True),
    ]
    lines = tuple(
        line._replace(paragraph=number, element=number - 1) for number, line in enumerate(pages, 1)
    )
    made = document(
        Block("a", "\n".join(texts), lines=lines, position=at(1, 4)),
        Block("b", "other", lines=(Line(page=16),), position=at(8)),
        Block("c", "unknown", position=at(9)),
        Block("d", "nowhere"),
    )
    whole = [part_of(made, number) for number in range(4)]
    assert source_of(made, whole[0]) == ((at(1, 4),), (2, 3, 4, 8, 9, 10, 12), True)
    assert source_of(made, *whole[1:]) == ((at(8), at(9)), (16,), False)
    assert source_of(made, *whole[2:]) == ((at(9),), (), False)
    assert source_of(made, whole[3]) == ((), (), False)

    def sources(*ranges):
        return source_of(made, *(part_of(made, 0, *each) for each in ranges))

    assert sources((0, 3)) == ((at(1),), (2,), False)
    assert sources((4, 10)) == ((at(1, 2),), (3, 4, 8), False)
    assert sources((10, 13)) == ((at(2),), (9, 10), False)
    assert sources((8, 13)) == ((at(2),), (8, 9, 10), False)  # as many as the block has, together
    assert sources((14, 17)) == ((at(3),), (), False)
    assert sources((14, 21)) == ((at(3, 4),), (12,), True)
    assert sources((0, 3), (18, 21)) == ((at(1), at(4)), (2, 12), True)
    assert sources((0, 3), (4, 7)) == ((at(1),), (2, 3, 4), False)
    part = part_of(made, 0, 4, 7)
    assert source_of(made, whole[1], part) == ((at(8), at(1)), (3, 4, 16), False)
    assert source_of(made, part, whole[1]) == ((at(1), at(8)), (3, 4, 16), False)
    assert source_of(made, part_of(made, 2, 0, 3)) == ((at(9),), (), False)


IDS = ("a", None, "c", None)


@pytest.mark.parametrize(
    ("rows", "ids", "pages", "shown"),
    [
        ((0, 3), IDS, (4, 5, 5, 6), ("a", "c", (4, 5, 6), True)),
        ((0, 0), IDS, (4, 5, 5, 6), ("a", "a", (4,), True)),
        ((0, 1), IDS, (4, 5, 5, 6), ("a", "a", (4, 5), True)),
        ((1, 2), IDS, (4, 5, 5, 6), ("c", "c", (5,), True)),
        ((2, 3), IDS, (4, 5, 5, 6), ("c", "c", (5, 6), True)),
        ((3, 3), IDS, (4, 5, 5, 6), ("line", "line", (6,), True)),
        ((1, 2), (), (), ("line", "line", (4,), False)),
        ((0, 3), IDS, (), ("a", "c", (4,), False)),
        (None, IDS, (4, 5, 5, 6), ("a", "c", (4, 5, 6), True)),
        (None, (), (), ("line", "line", (4,), False)),
    ],
)
def test_the_sources_of_the_rows_of_a_table(rows, ids, pages, shown):
    """Ranges of rows include the last; None is the whole table, beside a line of text."""
    made = replace(
        table("t", [[str(row)] for row in range(4)]),
        para_ids=ids,
        pages=pages,
        page_is_estimate=True,
    )
    lines = (
        Line(LineKind.TABLE, para_id="line", page=4, paragraph=7, element=3),
        Line(page=4, paragraph=8, element=4),
    )
    position = Position(None, None, (3, 4), (7, 8))
    source = document(
        Block("a", f"{tag(made)}\nEnd", lines=lines, position=position), tables=[made]
    )
    end = len(tag(made))
    span = part_of(source, 0, 0, end, rows and TableRows("t", rows, TableRole.MIDDLE))
    first, last, on_pages, estimated = shown
    assert source_of(source, span) == (
        (Position(first, last, (3, 3), (7, 7)),),
        on_pages,
        estimated,
    )
    whole = part_of(source, 0)
    both = position._replace(first=first, last=last)
    if rows in (None, (0, 3)):
        assert source_of(source, whole) == ((both,), tuple(sorted({4, *pages})), bool(pages))


def test_tables_of_a_chunk():
    """A table without header rows, one with two, an empty one, and one that is not listed."""
    made = [
        table("t0", [["a"], ["b"]]),
        table("t1", [["a"], ["b"], ["c"]], 2),
        replace(html_table("t2", "", 0), row_count=0),
    ]
    unlisted = table("t3", [["x"]])
    body = "\n".join(map(tag, (*made, unlisted)))
    (chunk,) = chunked(document(block("H", body), tables=made)).chunks
    assert chunk.tables == tuple(
        TableRows(f"t{number}", (0, last), TableRole.NONE) for number, last in enumerate((1, 2, 0))
    )
    assert chunk.table_heads == (0, 2, 0, 0)
    (chunk,) = chunked(document(block("H", tag(made[0])), tables=made)).chunks
    assert chunk.table_heads == ()


@pytest.mark.parametrize(
    ("lines", "header"),
    [(["# A", words(60), words(60)], ["", "A"]), ([words(60), words(60)], ["A", "A"])],
)
def test_the_header_names_the_heading_unless_the_chunk_shows_it(lines, header):
    made = document(Block("b", "\n".join(lines), "A", (), 1))
    assert [chunk.embed_header for chunk in chunked(made, 100, 0).chunks] == header


def test_chunks_are_linked_to_their_neighbours():
    chunks = chunked(document(block("A", words(250))), 100, 0).chunks
    ids = [chunk.chunk_id for chunk in chunks]
    assert [chunk.prev for chunk in chunks] == [None, *ids[:-1]]
    assert [chunk.next for chunk in chunks] == [*ids[1:], None]
    assert {(chunk.parent, chunk.children) for chunk in chunks} == {(None, ())}
    assert [chunk.chunk_order_index for chunk in chunks] == [0, 1, 2]
