"""Files that are embedded in a document."""

from __future__ import annotations

import pytest
from case_files import cases
from docx_builder import PIXEL, docx
from ooxml.test_workbook import workbook
from views import VIEWS

from docxchunk import api
from docxchunk.model.document import Dropped
from docxchunk.model.options import Limits, ParseOptions

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
    views = ("outline", "tables", "headers", "notes")  # pictures are not kept
    assert [VIEWS[view](outer) for view in views] == [VIEWS[view](inner) for view in views]


REFERENCES = '<p>{}<fn id="2"/><en id="2"/><comment-mark id="2"/></p>'
NOTES = (
    '<footnotes><footnote id="2">{0} foot</footnote><footnote id="3">unused</footnote></footnotes>'
    '<endnotes><endnote id="2">{0} end</endnote></endnotes>'
    '<comments><comment id="2"><p id="00000001">{0} comment</p></comment></comments>'
)


KINDS = ("foot", "end", "comment")


def with_notes(name: str, after: str = "", parts: dict[str, bytes] | None = None) -> bytes:
    text = REFERENCES.format(name)
    return docx(f"{NOTES.format(name)}{text}{after}{REFERENCES.format('last')}", parts)


@pytest.mark.parametrize(
    ("after", "name", "marks"),
    [
        ('<altChunk r:id="b.docx"/>', "chunks/b.docx", ["2", "ii", "c2"]),
        (f"<p>{RUN.format('b.docx')}</p>", "embeddings/b.docx", ["e1-1", "e1-i", "e1-c1"]),
    ],
)
def test_notes_of_a_word_file_in_a_word_file_are_its_own(after, name, marks):
    inner = with_notes("inner", "<sectPr/><p><pPr><sectPr/></pPr>x</p>")
    source = with_notes("outer", after, {name: inner, "media/a.png": PIXEL})
    document = api.parse(source, options=ParseOptions(comments=True, embedded="read"), name="a")
    lines = document.blocks[0].content.split("\n")
    mark = "".join(f"[^{number}]" for number in marks)
    assert [line for line in lines if "drawing" not in line] == [
        "outer[^1][^i][^c1]",
        f"inner{mark}",
        "x",
        f"last{mark}",
        "last[^1][^i][^c1]",
        *(
            f"[^{number}]: {text}"
            for number, text in zip(
                ["1", "i", "c1", *marks],
                [f"{whose} {kind}" for whose in ("outer", "inner") for kind in KINDS],
                strict=True,
            )
        ),
    ]
    assert [note.id for note in document.notes] == ["2"] * 3 + [f"word/{name}#2"] * 3
    assert document.report.dropped[Dropped.NOTE_UNUSED] == 2 * len("unused")
    assert document.issues == ()


def test_notes_after_a_word_file_continue_the_numbers_of_the_section():
    note = '<p>{}<fn id="{}"/></p>'
    text = "".join(f'<footnote id="{i}">{{0}} {i}</footnote>' for i in (2, 3))
    inner = f"{note.format('a', 2)}<p><pPr><sectPr/></pPr>x</p>{note.format('b', 3)}"
    restart = '<sectPr><footnotePr><numRestart val="{}"/></footnotePr></sectPr>'
    outer = f'{note.format("c", 2)}<altChunk r:id="b.docx"/>{note.format("d", 3)}'
    for where in ("eachSect", "eachPage", "continuous"):
        document = api.parse(
            docx(
                f"<footnotes>{text.format('outer')}</footnotes>"
                f'<p>first<r><br type="page"/></r></p>{outer}{restart.format(where)}',
                {"chunks/b.docx": docx(f"<footnotes>{text.format('inner')}</footnotes>{inner}")},
            ),
            name="a",
        )
        assert [(note.number, note.text) for note in document.notes] == [
            ("1", "outer 2"),
            ("2", "inner 2"),
            ("3", "inner 3"),
            ("4", "outer 3"),
        ]


def test_a_reply_in_a_word_file_is_to_a_comment_there():
    comments = (
        '<comments><comment id="1"><p id="00000001">q</p></comment>'
        '<comment id="2"><p id="00000002">{}</p></comment></comments>'
        '<commentsExtended><w15:commentEx w15:paraId="00000002" w15:paraIdParent="00000001"/>'
        '</commentsExtended><commentRangeStart id="1"/><p>{}</p><commentRangeEnd id="1"/>'
        '<p>x<comment-mark id="1"/><comment-mark id="2"/></p>'
    )
    outer = f'{comments.format("one", "begin")}<altChunk r:id="b.docx"/>'
    source = docx(outer, {"chunks/b.docx": docx(comments.format("two", "end"))})
    [block] = api.parse(source, options=ParseOptions(everything=True), name="a").blocks
    assert block.content.split("\n")[4:] == [
        "[^c1]: (on “begin”) q",
        "[^c2]: (reply to c1) one",
        "[^c3]: (on “end”) q",
        "[^c4]: (reply to c3) two",
    ]


def test_the_notes_of_a_word_file_count_for_the_limit():
    options = ParseOptions(limits=Limits(imported=12_000))
    for inner, is_read in ((docx(REFERENCES.format("inner")), True), (with_notes("inner"), False)):
        source = docx('<p>a</p><altChunk r:id="b.docx"/>', {"chunks/b.docx": inner})
        [block] = api.parse(source, options=options, name="a").blocks
        assert ("inner" in block.content) is is_read


def test_what_a_word_file_has_beside_its_text_is_counted():
    inner = with_notes("inner", "<header><p>top</p></header><footer><p>below</p></footer>")
    source = docx('<p>a</p><altChunk r:id="b.docx"/>', {"chunks/b.docx": inner})
    dropped = api.parse(source, name="a").report.dropped
    assert dropped[Dropped.COMMENT] == len("inner comment")
    assert dropped[Dropped.HEADER_FOOTER] == len("topbelow")
