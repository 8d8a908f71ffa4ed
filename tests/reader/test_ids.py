"""An edit in one place keeps the ids of all other blocks (docs/design/blocks-and-files.md, Ids):
cases; the laws are in test_laws.py.
"""

import re

import pytest
from case_files import each_row
from docx_builder import PIXEL, docx

from docxchunk import api
from docxchunk.model.document import Document

BESIDE = '<numbering><list id="1"><level text="%1."/><level text="%1.%2"/></list></numbering>'
BESIDE += '<footnotes><footnote id="2">one</footnote><footnote id="3">two</footnote></footnotes>'
COUNTED = "<begin/><code>LISTNUM NumberDefault</code><end/>"
OURS = '<p style="Heading1">Ours</p>'
BEFORE = '<p style="Heading1">Before</p>'


def parse(source: str) -> Document:
    return api.parse(
        docx(BESIDE + source, {"media/a.png": PIXEL, "media/b.png": PIXEL + b"b"}), name="a.docx"
    )


KEPT = {
    "a heading before, with numbers": (
        '<p style="Heading1" num="1:0">Ours</p><p style="Heading2" num="1:1">deep</p>',
        '<p style="Heading1" num="1:0">New</p>',
    ),
    "a list before": (OURS + '<p num="1:0">item</p>', '<p num="1:0">new</p>'),
    "a list before, in a cell": (
        OURS + '<tbl><tr><tc><p num="1:0">item</p></tc></tr></tbl>',
        '<p num="1:0">new</p>',
    ),
    "a table before": (OURS + "<tbl><tr><tc>a</tc></tr></tbl>", "<tbl><tr><tc>new</tc></tr></tbl>"),
    "a merged table before": (
        OURS + '<tbl><tr><tc span="2">a</tc></tr><tr><tc>b</tc><tc>c</tc></tr></tbl>',
        "<tbl><tr><tc>new</tc></tr></tbl>",
    ),
    "an equation before": (OURS + '<p><eq>"x"</eq></p>', '<p><eq>"y"</eq></p>'),
    "a picture before": (OURS + '<p><pic src="a.png"/></p>', '<p><pic src="b.png"/></p>'),
    "a picture before, in a cell": (
        OURS + '<tbl><tr><tc><p><pic src="a.png"/></p></tc></tr></tbl>',
        '<p><pic src="b.png"/></p>',
    ),
    "a note before": (OURS + '<p>text<fn id="2"/></p>', '<p>new<fn id="3"/></p>'),
    "a note before, in a cell": (
        OURS + '<tbl><tr><tc><p>text<fn id="2"/></p></tc></tr></tbl>',
        '<p>new<fn id="3"/></p>',
    ),
    "a note before, in a heading": (
        '<p style="Heading1">Ours<fn id="2"/></p><p style="Heading2">deep</p>',
        '<p>new<fn id="3"/></p>',
    ),
    "a number of a field before": (OURS + f"<p>text {COUNTED} more</p>", f"<p>new {COUNTED}</p>"),
    "a number of a field before, in a cell": (
        OURS + f"<tbl><tr><tc>text {COUNTED}</tc></tr></tbl>",
        f"<p>new {COUNTED}</p>",
    ),
    "a number of a field before, in a heading": (
        f'<p style="Heading1">Ours {COUNTED}</p><p style="Heading2">deep</p>',
        f"<p>new {COUNTED}</p>",
    ),
    "the same section before": (
        OURS + "<p>text</p>",
        '<p style="Heading1">Ours</p><p>other text</p>',
    ),
    "a title before": (OURS, '<p style="Title">New</p>'),
}
NOT_YET = {}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            k, marks=[pytest.mark.xfail(reason=NOT_YET[k], strict=True)] if k in NOT_YET else []
        )
        for k in KEPT
    ],
)
def test_edits_elsewhere_keep_ids(case):
    ours, before = KEPT[case]
    old = [block.id for block in parse(BEFORE + ours).blocks[1:]]
    assert old == [block.id for block in parse(BEFORE + before + ours).blocks[-len(old) :]]


def test_equal_blocks_get_different_ids():
    first, second = (block.id for block in parse((OURS + "<p>text</p>") * 2).blocks)
    assert first != second
    assert first == parse(OURS + "<p>text</p>").blocks[0].id


@each_row("reader")
def test_different_content_has_a_different_id(one, other):
    assert parse(OURS + one).blocks[0].id != parse(OURS + other).blocks[0].id


def test_id_depends_on_the_heading_path():
    deep = '<p style="Heading2">deep</p><p>text</p>'
    assert (
        parse('<p style="Heading1">A</p>' + deep).blocks[1].id
        != parse('<p style="Heading1">B</p>' + deep).blocks[1].id
    )


@pytest.mark.parametrize("doc_id", ['a"b', "a\nb", "<c>", "x?a=1&b=2", "C:\\a.docx", "\u2028"])
def test_object_ids_can_be_written_into_tags(doc_id):
    document = api.parse(docx("<tbl><tr><tc>a</tc><tc>x</tc></tr></tbl>"), doc_id=doc_id)
    (table,) = document.tables
    assert document.doc_id == doc_id
    assert document.blocks[0].content == f'<table id="{table.id}" format="json">[["a","x"]]</table>'
    assert re.fullmatch("tb-[0-9a-f]{32}-0001", table.id)


def test_document_and_object_ids():
    source = docx("<tbl><tr><tc>a</tc><tc>x</tc></tr></tbl>")
    one, other = api.parse(source, name="a.docx"), api.parse(source, name="b.docx")
    assert one.doc_id != other.doc_id
    assert one.blocks[0].id != other.blocks[0].id
    assert one == api.parse(source, name="a.docx")
    assert list(api.parse(source, doc_id="doc-x").tables.keys()) == ["tb-x-0001"]
