"""Files that are embedded in a document."""

from __future__ import annotations

import pytest
from case_files import cases
from docx_builder import PIXEL, docx
from ooxml.test_workbook import workbook
from views import VIEWS

from docxchunk import api
from docxchunk.model.options import ParseOptions

RUN = (
    '<r><object><v:shape><v:imagedata r:id="a.png"/></v:shape><o:OLEObject '
    'Type="Embed" ProgID="X" r:id="{}"/></object></r>'
)
OBJECT = f"<p>before{RUN}</p><p>after</p>"
SHEET = workbook("<row><c><v>1</v></c><c><v>2</v></c></row>")
WORD = docx('<p style="Heading1">Inner</p><tbl><tr><tc>cell</tc></tr></tbl>')


def parsed(name: str, data: bytes, embedded: str) -> api.Document:
    source = docx(
        f'<p style="Heading1">Outer</p>{OBJECT.format(name)}',
        {"media/a.png": PIXEL, f"embeddings/{name}": data},
    )
    return api.parse(source, options=ParseOptions(embedded=embedded), name="a.docx")


@pytest.mark.parametrize(("name", "data"), [("b.docx", WORD), ("b.xlsx", SHEET)])
def test_embedded_files_are_named(name, data):
    document = parsed(name, data, "list")
    [drawing] = document.drawings
    assert (drawing.kind, drawing.embedded) == ("ole", name)
    assert [issue.code for issue in document.issues] == ["unsupported-object"]
    assert document.blocks[0].content.split("\n")[2:] == ["after"]


def test_a_word_file_is_read_as_body_text():
    document = parsed("b.docx", WORD, "read")
    [block] = document.blocks
    assert block.content.split("\n")[2] == "Inner"
    assert '[["cell"]]' in block.content.split("\n")[3]
    assert block.content.endswith("\nafter")
    assert document.issues == ()


@pytest.mark.parametrize(
    ("name", "is_read"), [("b.DOCX", True), ("b.docm", True), ("b.bin", False)]
)
def test_the_ending_says_what_is_read(name, is_read):
    assert ("Inner" in parsed(name, WORD, "read").blocks[0].content) is is_read


def test_a_workbook_is_read_as_tables():
    document = parsed("b.xlsx", SHEET, "read")
    [table] = document.tables
    assert (table.caption, table.content) == ("S1", '[["1","2"]]')
    assert document.issues == ()


@pytest.mark.parametrize(
    ("around", "is_read"),
    [("<ins>{}</ins>", True), ("<del>{}</del>", False), ("<begin/>{}<end/>", False)],
)
def test_a_deleted_file_and_one_in_a_field_code_are_not_read(around, is_read):
    source = docx(
        f"<p>a{around.format(RUN.format('b.docx'))}</p>",
        {"media/a.png": PIXEL, "embeddings/b.docx": WORD},
    )
    document = api.parse(source, options=ParseOptions(embedded="read"), name="a.docx")
    assert ("Inner" in document.blocks[0].content) is is_read


def test_a_file_in_an_embedded_file_is_not_read():
    inner = docx(OBJECT.format("c.docx"), {"media/a.png": PIXEL, "embeddings/c.docx": WORD})
    document = parsed("b.docx", inner, "read")
    assert "Inner" not in document.blocks[0].content
    assert [issue.message for issue in document.issues] == [
        "An embedded object (X) is kept as its preview picture only."
    ]


@pytest.mark.parametrize("name", ["b.docx", "b.xlsx", "b.bin"])
def test_unreadable_files_are_reported(name):
    document = parsed(name, b"nothing", "read")
    assert document.blocks[0].content.endswith("\nafter")
    assert [issue.code for issue in document.issues] == [
        "unsupported-object" if name != "b.xlsx" else "part-broken"
    ]


@pytest.mark.parametrize("case", cases("table_headers") + cases("headings"))
def test_a_word_file_in_a_word_file_is_read_as_by_itself(case):
    inner = case.document()
    outer = api.parse(
        docx('<altChunk r:id="a.docx"/>', {"chunks/a.docx": docx(case.source, case.parts)}),
        options=case.options,
        name="document.docx",
    )
    views = ("outline", "tables", "headers")  # notes and pictures are not kept
    assert [VIEWS[view](outer) for view in views] == [VIEWS[view](inner) for view in views]
