"""Faults that fuzzing found: one test for each, with its minimized input."""

from __future__ import annotations

import pytest
from compact_xml import NAMESPACES
from docx_builder import PIXEL, docx
from fuzz import laws
from omml import omath

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.errors import LimitError
from docxchunk.markup.laws import chunk_faults, document_faults
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.reader.math.equation import latex_of
from docxchunk.testing.hypothesis_strategies import ADDITIVE, WHOLE

FALLBACK = (
    '<mc:Fallback><drawing><wp:inline><wp:docPr id="1" name="shown" '
    'descr="shown"/><a:graphic><a:graphicData><pic:pic><pic:blipFill>'
    '<a:blip r:embed="a.png"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></drawing></mc:Fallback>'
)
INK = '<w14:contentPart r:id="ink"/>'
MODEL = (
    '<junk:model3d r:embed="horse"><junk:raster><junk:blip '
    'r:embed="a.png"/></junk:raster></junk:model3d>'
)
MODEL_NAMESPACE = "http://schemas.microsoft.com/office/drawing/2017/model3d"


@pytest.mark.parametrize("text", [r"}\u0302", r"{\u20d7", r"\\u0301", r"%\u0302", r"#\u0338"])
def test_upright_text_with_an_accent_on_a_latex_sign(text):
    latex = latex_of(omath(f'nor"{text}"')).text
    laws.latex_holds(latex)
    assert "\\\u0301" not in latex
    assert not set("%#") & set(latex.replace(r"\%", "").replace(r"\#", ""))


def test_an_html_cell_that_ends_with_a_backslash_is_not_lost():
    document = api.parse(
        docx(
            "<tbl><tr><tc "
            'span="2"><p>C:\\</p></tc></tr><tr><tc><p>a</p></tc><tc><p>b</p></tc></tr></tbl>'
        )
    )
    chunks = run(document, P(), ChunkLimits(64, 0), ADDITIVE).chunks
    assert not list(chunk_faults(document, chunks, 64, ADDITIVE.count))


@pytest.mark.parametrize("most", range(32, 37))
def test_slices_of_empty_rows_fit(most):
    for count in range(12, 18):
        document = api.parse(
            docx(f"<p>Between.</p><tbl><tblGrid/>{'<tr/>' * count}</tbl><p>Between.</p>")
        )
        chunks = run(document, P(), ChunkLimits(most, 0), ADDITIVE).chunks
        assert not list(chunk_faults(document, chunks, most, ADDITIVE.count))


def test_equal_headings_on_two_levels_are_valid():
    levels = "".join(f'<p style="Heading{level}">x</p>' for level in (3, 2, 3))
    assert not list(document_faults(api.parse(docx(levels))))


@pytest.mark.parametrize(("requires", "inside"), [("wpi", INK), ("am3d", MODEL)])
def test_ink_and_models_leave_the_picture_that_word_shows(requires, inside):
    choice = (
        "<mc:Choice "
        f'Requires="{requires}"><drawing><wp:inline><a:graphic><a:graphicData>{inside}</a:graphicData></a:graphic></wp:inline></drawing></mc:Choice>'
    )
    data = docx(
        f"<p>x<r><mc:AlternateContent>{choice}{FALLBACK}</mc:AlternateContent></r></p>",
        {"media/a.png": PIXEL},
    )
    document = api.parse(data.replace(NAMESPACES["junk"].encode(), MODEL_NAMESPACE.encode()))
    assert [drawing.path for drawing in document.drawings.values()] == [
        "document.blocks.assets/image1.png"
    ]


def test_the_limit_of_the_output_holds():
    with pytest.raises(LimitError):
        api.parse(
            docx("<p>more than ten characters</p>"), options=ParseOptions(limits=Limits(output=10))
        )


def test_a_table_inside_a_tag_of_another_writer():
    text = (
        ('<equation><table id="t" format="json">[["a"]]</table>')
        + "w " * 40
        + "v" * 50
        + "\n</equation>"
    )
    document = Document("x.docx", "docx", "doc-0", "", (Block("b", text, "H", (), 1),))
    chunks = run(document, P(), ChunkLimits(32, 0), ADDITIVE).chunks
    assert not list(chunk_faults(document, chunks, 32, ADDITIVE.count))


@pytest.mark.parametrize("before", [(), (Block("a", "words " * 20, "H", (), 1),)])
def test_an_escaped_blank_in_a_cell_may_be_lost(before):
    # whose tag alone is over the cap
    text = f'<table id="{"t" * 80}" format="json">[["\\u2028"]]</table>'
    document = Document("x.docx", "docx", "doc-0", "", (*before, Block("b", text)))
    chunks = run(document, P(), ChunkLimits(32, 0), WHOLE).chunks
    assert not list(chunk_faults(document, chunks, 32, WHOLE.count))


def test_a_word_that_looks_like_an_escaped_blank_must_not_be_lost():
    text = '<table id="t" format="json">[["\\\\u2028"]]</table>'  # a backslash, and then u2028
    document = Document("x.docx", "docx", "doc-0", "", (Block("b", text),))
    assert ["2028" in fault for fault in chunk_faults(document, (), 32, WHOLE.count)] == [True]
