"""Invariants of documents and chunks: violations are found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from docxchunk.markup.laws import chunk_faults, document_faults, order_faults
from docxchunk.model.blocks import Block, Line
from docxchunk.model.chunks import Added, AddedRole, Chunk, Slice, SliceRole
from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing, DrawingKind, Table, TableFormat

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
    assert list(chunk_faults(DOCUMENT, [WHOLE, REST], 10, None)) == []


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
        ([REST, WHOLE], "out of order"),
        ([WHOLE, WHOLE, REST], "out of order or repeated"),
        ([WHOLE, chunk(1, content=" ")], "it is empty"),
    ],
)
def test_faults_of_chunks(chunks, fault):
    assert any(fault in found for found in chunk_faults(DOCUMENT, chunks, 10, None))


@pytest.mark.parametrize("tokens", [0, 3])
def test_tokens_are_counted_with_a_known_tokenizer(tokens):
    faults = chunk_faults(DOCUMENT, [WHOLE, REST], 10, lambda text: tokens)
    assert any(f"it declares 1 tokens but has {tokens}" in fault for fault in faults)


def test_cells_are_shown_decoded():
    start = ONE.content.index('\\"b')
    cell = chunk(0, Slice("b1", start, start + 5, SliceRole.CELL), content='"b"')
    assert not any("concatenation" in fault for fault in chunk_faults(DOCUMENT, [cell], 10, None))


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        (r'[["C:\\temp"]]', "'Ctemp'"),
        (r'[["a\nb\tc\u0020d"]]', "'abcd'"),
        ('[["x < y and z > 1"]]', "'xyandz1'"),
        (r"<tr><td>C:\temp<br>a &lt; b</td></tr>", "'Ctempaltb'"),
        (r'[["", "\n", "- "]]', None),
        ("<tr><td></td><td> </td></tr>", None),
    ],
)
def test_all_letters_and_digits_of_cells_must_be_in_a_chunk(body, lost):
    opening = (
        '<table id="t" format="json">' if body.startswith("[") else '<table id="t" format="html">'
    )
    document = Document("x.docx", "docx", "doc-0", "", (Block("b", f"{opening}{body}</table>"),))
    assert [fault.rpartition(": ")[2] for fault in chunk_faults(document, (), 32, None)] == (
        [lost] if lost else []
    )


def test_chunks_out_of_order_are_not_contiguous():
    apart = chunk(0, Slice("b2", 0, 2), Slice("b2", 5, 6))
    assert list(order_faults(DOCUMENT, [WHOLE, REST])) == []
    for chunks in ([REST, WHOLE], [apart, chunk(1, Slice("b2", 2, 5))]):
        assert list(order_faults(DOCUMENT, chunks)) == ["the chunks are not contiguous"]
