"""Documents as a whole: sources, names, titles, and equivalent files."""

import io

import docx as python_docx
import pytest
from case_files import CASES, cases
from docx_builder import PIXEL, docx

from docxchunk import api
from docxchunk.errors import LimitError
from docxchunk.model.document import Document
from docxchunk.model.options import Limits, ParseOptions

BODY = (
    '<p style="Heading1">One</p><p>text<fn id="2"/></p><tbl><tr><tc>a</tc><tc>x</tc></tr></tbl><p><pic '
    'src="a.png"/></p><p>so <eq>"x"</eq></p><p><box>box</box></p>'
)
SOURCE = f'<footnotes><footnote id="2">note</footnote></footnotes><header>head</header>{BODY}'
PARTS = {"media/a.png": PIXEL}


def said(document: Document) -> object:
    return (
        document.blocks,
        document.tables,
        document.equations,
        document.drawings,
        document.notes,
        document.report,
    )


def test_strict_files_give_the_same_result():
    assert said(api.parse(docx(SOURCE, PARTS, strict=True), name="a.docx")) == said(
        api.parse(docx(SOURCE, PARTS), name="a.docx")
    )


@pytest.mark.parametrize("name", ["word/document2.xml", "word/odd.xml"])
def test_main_part_under_another_name(name):
    assert said(api.parse(docx(SOURCE, PARTS, main=name), name="a.docx")) == said(
        api.parse(docx(SOURCE, PARTS), name="a.docx")
    )


def test_a_template_is_read_and_named():
    assert [
        api.parse(docx(SOURCE, PARTS, template=kind), name="a.docx").format
        for kind in (False, True)
    ] == ["docx", "dotx"]


def test_path_bytes_file_and_python_docx(tmp_path):
    data = docx(SOURCE, PARTS)
    path = tmp_path / "report.docx"
    path.write_bytes(data)
    with path.open("rb") as file:
        documents = [
            api.parse(source, name="report.docx")
            for source in (path, str(path), data, bytearray(data), io.BytesIO(data), file)
        ]
    assert all(document == documents[0] for document in documents)
    assert (
        said(api.parse(python_docx.Document(io.BytesIO(data)), name="report.docx"))[:5]
        == said(documents[0])[:5]
    )


def test_document_names():
    data = docx("<p>a</p>")
    assert api.parse(data).name == "document.docx"
    assert api.parse(data, name="b.docx").name == "b.docx"


def test_title_of_the_properties_takes_precedence():
    made = python_docx.Document()
    made.add_paragraph("The title in the text", style="Title")
    assert api.parse(made).title == "The title in the text"
    made.core_properties.title = "The  title"
    assert api.parse(made).title == "The title"


def test_pictures_are_kept_as_bytes():
    document = api.parse(docx(SOURCE, PARTS), name="a.docx")
    assert document.assets == {"image1.png": PIXEL}


def test_counts():
    assert api.parse(docx(SOURCE, PARTS), name="a.docx").report.objects == {
        "blocks": 1,
        "headings": 1,
        "list_items": 0,
        "tables": 1,
        "equations": 0,
        "drawings": 1,
        "notes": 1,
        "headers_footers": 0,
    }


@pytest.mark.parametrize("file", sorted(path.stem for path in CASES.glob("*.txt")))
def test_cases_have_titles_of_their_own(file):
    titles = [param.id for param in cases(file)]
    assert len(set(titles)) == len(titles)


def test_style_cycles_are_reported_for_the_styles_part():
    styles = '<styles><style id="A" name="A" based="B"/><style id="B" name="B" based="A"/></styles>'
    document = api.parse(
        docx(
            f"{styles}<header>head</header><footnotes><footnote "
            'id="2">note</footnote></footnotes><p style="A">a<fn id="2"/></p>'
        ),
        name="a.docx",
    )
    assert [(issue.code.value, issue.place) for issue in document.issues] == [
        ("style-cycle", "word/styles.xml")
    ]


def test_the_limit_of_the_output_counts_blocks_and_tables():
    source = docx(SOURCE, PARTS)
    document = api.parse(source)
    size = sum(len(item.content) for item in (*document.blocks, *document.tables))
    assert said(api.parse(source, options=ParseOptions(limits=Limits(output=size)))) == (
        said(document)
    )
    with pytest.raises(LimitError, match="`output`"):
        api.parse(source, options=ParseOptions(limits=Limits(output=size - 1)))
