"""Invariants of documents and chunks: violations are found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from case_files import each_row, each_text, or_none

from docxchunk.model.blocks import Block, Line, Position
from docxchunk.model.chunks import Added, AddedRole, Chunk, Slice, SliceRole
from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing, DrawingKind, Table, TableFormat
from docxchunk.records.laws import chunk_faults, document_faults, order_faults, shown

TAG = '<table id="tb-1" format="json">[["a","\\"b\\""]]</table>'
ONE = Block("b1", f"# One\n{TAG}", "One", level=1)
TWO = Block("b2", "## Two\nSome text", "Two", ("One",), 2, lines=(Line(), Line()))
TABLE = Table("tb-1", "b1", "One", (), 1, 2, TableFormat.JSON, '[["a","\\"b\\""]]')
DOCUMENT = Document("a.docx", "docx", "doc-1", "", (ONE, TWO), {"tb-1": TABLE})


def chunk(number, *parts, content="", tokens=1):
    return Chunk(tokens, content, number, "", (), 1, f"c{number}", "doc-1", (), "", (), parts)


WHOLE = chunk(0, Slice("b1", 0, len(ONE.content)), content=ONE.content)
REST = chunk(
    1, Slice("b2", 0, 6), Added(" ", AddedRole.JOIN), Slice("b2", 7, 16), content="## Two Some text"
)


def test_valid_document_has_no_faults():
    assert list(document_faults(DOCUMENT)) == []
    for tokens in (1, 10):
        chunks = [replace(WHOLE, tokens=tokens), REST]
        assert list(chunk_faults(DOCUMENT, chunks, 10, None)) == []


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (replace(DOCUMENT, blocks=(ONE, ONE)), "'b1' occurs 2 times"),
        (
            replace(DOCUMENT, blocks=(ONE, replace(TWO, parent_headings=("Other",)))),
            "parent_headings that differ",
        ),
        (
            replace(DOCUMENT, blocks=(ONE, replace(TWO, content="Two\nSome text"))),
            "does not begin with its heading",
        ),
        (replace(DOCUMENT, blocks=(ONE, replace(TWO, lines=(Line(),)))), "1 lines for 2"),
        (replace(DOCUMENT, tables={}), "which has no item"),
        (
            replace(
                DOCUMENT, blocks=(replace(ONE, content=f'{ONE.content}<equation id="e">x'), TWO)
            ),
            "block b1 contains the equation e, which has no item",
        ),
        (
            replace(
                DOCUMENT, blocks=(replace(ONE, content=f'{ONE.content}<drawing id="d" />'), TWO)
            ),
            "block b1 contains the drawing d, which has no item",
        ),
        (replace(DOCUMENT, tables={"tb-1": replace(TABLE, block_id="b9")}), "belongs to block b9"),
        (
            replace(
                DOCUMENT,
                drawings={
                    "im-1": Drawing(
                        "im-1", "b1", "", (), DrawingKind.PICTURE, path="a.blocks.assets/image1.png"
                    )
                },
            ),
            "which does not exist",
        ),
    ],
)
def test_faults_of_documents(document, fault):
    assert any(fault in found for found in document_faults(document))


@pytest.mark.parametrize(
    ("chunks", "fault"),
    [
        ([WHOLE, replace(REST, chunk_order_index=7)], "chunk_order_index is 7"),
        ([WHOLE, replace(REST, chunk_id="c0")], "'c0' occurs 2 times"),
        ([WHOLE, replace(REST, tokens=11)], "exceed the limit of 10"),
        ([WHOLE, replace(REST, content="## Two  Some text")], "not the concatenation"),
        ([replace(WHOLE, parts=(Slice("b9", 0, 4),)), REST], "do not exist (b9)"),
        ([WHOLE, chunk(1, Slice("b2", 0, 6), content="## Two")], "are in no chunk: 'Sometext'"),
        (
            [WHOLE, chunk(1, Slice("b2", 0, 2), Slice("b2", 7, 11), content="##Some")],
            "7 characters of block b2 are in no chunk: 'Twotext'",
        ),
        ([REST, WHOLE], "out of order"),
        ([WHOLE, WHOLE, REST], "out of order or repeated"),
        ([WHOLE, chunk(1, content=" ")], "it is empty"),
    ],
)
def test_faults_of_chunks(chunks, fault):
    assert any(fault in found for found in chunk_faults(DOCUMENT, chunks, 10, None))


@pytest.mark.parametrize(
    ("parts", "is_fault"),
    [
        ([[(0, 6)], [(6, 16)]], False),
        ([[(0, 6), (6, 16)]], False),
        ([[(0, 7)], [(6, 16)]], True),
        ([[(0, 7), (6, 16)]], True),
        ([[(6, 16), (0, 6)]], True),
        ([[(6, 16)], [(0, 6)]], True),
        ([[(0, 6), (7, 16)], [(6, 7)]], False),  # separate passages, as of clusters
        ([[(6, 6), (0, 6)], [(6, 16)]], False),  # an empty slice shows nothing
    ],
)
def test_text_is_shown_once_and_in_order(parts, is_fault):
    chunks = [
        chunk(
            n,
            *(Slice("b2", *part) for part in own),
            content="".join(TWO.content[slice(*part)] for part in own),
        )
        for n, own in enumerate(parts, 1)
    ]
    faults = list(chunk_faults(DOCUMENT, [WHOLE, *chunks], 10, None))
    assert any("out of order or repeated" in fault for fault in faults) == is_fault


@pytest.mark.parametrize(
    ("start", "end", "is_fault"),
    [
        (0, 16, False),
        (16, 16, False),
        (0, 17, True),
        (0, 2**62, True),
        (2**62, 2**63 - 1, True),
        (-16, 16, True),
        (6, 5, True),
    ],
)
def test_parts_are_within_their_blocks(start, end, is_fault):
    written = chunk(1, Slice("b2", 0, 6), Slice("b2", start, end), content=TWO.content)
    faults = list(chunk_faults(DOCUMENT, [WHOLE, written], 10, None))
    assert ("chunk 1: one of its parts is not within its block" in faults) == is_fault


@pytest.mark.parametrize("role", [SliceRole.OVERLAP, SliceRole.BRIDGE])
def test_repeated_text_is_not_shown_for_the_first_time(role):
    again = Slice("b1", 0, 5, role)
    chunks = [WHOLE, replace(REST, parts=(again, *REST.parts), content=f"# One{REST.content}")]
    assert list(chunk_faults(DOCUMENT, chunks, 10, None)) == []
    assert list(order_faults(DOCUMENT, chunks)) == []
    lost = [chunk(0, Slice("b1", 0, 5, role), content="# One")]
    assert any("of block b1" in fault for fault in chunk_faults(DOCUMENT, lost, 10, None))


PLACE, BARE = Position("A", "A", (0, 0), (1, 1)), Position("A", "A", (0, 0))


@pytest.mark.parametrize(
    ("of_block", "of_chunk", "fault"),
    [
        (None, (), ""),
        (PLACE, (PLACE,), ""),
        (PLACE, (BARE, PLACE), ""),
        (PLACE, (), "chunk 0: it has no position"),
        (PLACE, (BARE,), "chunk 0: its positions name no paragraph"),
        (BARE, (BARE,), ""),
        (BARE, (), "chunk 0: it has no position"),
    ],
)
def test_chunks_have_the_positions_of_their_blocks(of_block, of_chunk, fault):
    document = replace(DOCUMENT, blocks=(replace(ONE, position=of_block), TWO))
    chunks = [replace(WHOLE, blocks=("b1",), positions=of_chunk), replace(REST, blocks=("b2",))]
    assert list(chunk_faults(document, chunks, 10, None)) == ([fault] if fault else [])


def outline(*headings):
    """Return a document with these headings: "2 B < A" is of level 2, below A."""
    blocks = []
    for number, text in enumerate(headings):
        level, heading, *parents = text.replace(" < ", " ").split()
        content = f"{'#' * min(int(level), 6)} {heading}"
        blocks.append(Block(f"b{number}", content, heading, tuple(parents), int(level)))
    return Document("a.docx", "docx", "doc-1", "", tuple(blocks))


@each_row("records", headings=each_text, wrong=each_text)
def test_parents_of_headings(headings, wrong):
    found = list(document_faults(outline(*headings)))
    assert [fault.split()[1] for fault in found] == wrong


def test_the_rest_of_a_section_has_no_heading_of_its_own():
    """As after a table of contents."""
    first, last = Block("b0", "# A", "A", level=1), Block("b2", "B", "B", ("A",), 2)
    document = Document("x.docx", "docx", "d", "", (first, Block("b1", "text", "A", level=1), last))
    assert [fault.split()[1] for fault in document_faults(document)] == ["b2"]


def test_a_chunk_of_added_text_alone_shows_nothing():
    added = chunk(1, Added("# One", AddedRole.HEADER), content="# One")
    chunks = [WHOLE, added, replace(REST, chunk_order_index=2, chunk_id="c2")]
    assert list(chunk_faults(DOCUMENT, chunks, 10, None)) == []


@pytest.mark.parametrize("tokens", [0, 3])
def test_tokens_are_counted_with_a_known_tokenizer(tokens):
    faults = chunk_faults(DOCUMENT, [WHOLE, REST], 10, lambda text: tokens)
    assert any(f"it declares 1 tokens but has {tokens}" in fault for fault in faults)


QUOTED = ONE.content.index('\\"b')


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Added("new", AddedRole.LABEL), "new"),
        (Slice("b2", 3, 6), "Two"),
        (Slice("b2", 3, 6, SliceRole.OVERLAP), "Two"),
        (Slice("b2", 3, 6, shown="2"), "2"),
        (Slice("b2", 3, 6, shown=""), ""),
        (Slice("b9", 3, 6), ""),
        (Slice("b1", QUOTED, QUOTED + 5), '\\"b\\"'),
        (Slice("b1", QUOTED, QUOTED + 5, SliceRole.CELL), '"b"'),
    ],
)
def test_the_text_that_a_part_shows(part, text):
    assert shown(part, {block.id: block.content for block in (ONE, TWO)}) == text


def test_objects_of_no_block_and_pictures_that_exist_are_no_faults():
    picture = Drawing("im-1", "", "", (), DrawingKind.PICTURE, path="a.blocks.assets/1.png")
    document = replace(
        DOCUMENT,
        tables={"tb-1": replace(TABLE, block_id="")},
        drawings={"im-1": picture, "im-2": replace(picture, id="im-2", path="")},
        assets={"1.png": b"x"},
    )
    assert list(document_faults(document)) == []


@each_row("records", lost=or_none)
def test_all_letters_and_digits_of_cells_must_be_in_a_chunk(body, lost):
    opening = (
        '<table id="t" format="json">' if body.startswith("[") else '<table id="t" format="html">'
    )
    document = Document("x.docx", "docx", "doc-0", "", (Block("b", f"{opening}{body}</table>"),))
    assert [fault.rpartition(": ")[2] for fault in chunk_faults(document, (), 32, None)] == (
        [lost] if lost else []
    )


def test_text_around_tables_must_be_in_a_chunk():
    table = '<table id="t" format="json">[["a-b"]]</table>'
    block = Block("b", f"x, {table} y.\n{table}z!")
    document = Document("x.docx", "docx", "doc-0", "", (block,))
    (fault,) = chunk_faults(document, (), 32, None)
    assert fault.endswith("10 characters of block b are in no chunk: 'x,aby.abz!'")


def test_larger_chunks_repeat_the_text_of_smaller_ones():
    parent = replace(
        WHOLE, children=("c0", "c1"), chunk_id="c2", chunk_order_index=2, content="# All"
    )
    assert list(order_faults(DOCUMENT, [WHOLE, REST, parent])) == []
    assert list(chunk_faults(DOCUMENT, [WHOLE, REST, parent], 10, None)) == []


def test_chunks_out_of_order_are_not_contiguous():
    apart = chunk(0, Slice("b2", 0, 2), Slice("b2", 5, 6))
    assert list(order_faults(DOCUMENT, [WHOLE, REST])) == []
    assert list(order_faults(DOCUMENT, [chunk(0, Slice("b9", 0, 4)), WHOLE])) == []
    for chunks in ([REST, WHOLE], [apart, chunk(1, Slice("b2", 2, 5))]):
        assert list(order_faults(DOCUMENT, chunks)) == ["the chunks are not contiguous"]
