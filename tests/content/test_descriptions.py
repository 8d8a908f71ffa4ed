"""Descriptions of pictures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from case_files import each_row
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

import docxchunk
from docxchunk.content.descriptions import LONGEST, pictures, with_descriptions
from docxchunk.content.tables import attribute
from docxchunk.errors import MissingModelError, ModelError
from docxchunk.model.document import Document, Items
from docxchunk.model.objects import Drawing, DrawingKind
from docxchunk.model.ports import Models, Picture
from docxchunk.records.laws import chunk_faults, document_faults

FILES = {"media/a.png": b"\x89PNG a", "media/b.emf": b"emf"}
SOURCE = docx(
    "<p style='Heading1'>Plan</p><p>Before <pic src='a.png' alt='a plan'/> "
    "after.</p><p><pic src='b.emf'/></p>"
    "<tbl><tr><tc>a</tc><tc><p><pic src='a.png'/></p></tc></tr></tbl>",
    FILES,
)


class Seeing:
    """A describer that gives every picture the same description and records its input."""

    name = fingerprint = "eye <1>"

    def __init__(self, said='A house, "old" & <low> \\ red.'):
        self.said, self.asked = said, []

    def describe(self, pictures):
        self.asked += pictures
        return [self.said for _ in pictures]


def parsed():
    return docxchunk.parse(SOURCE, name="a.docx")


def test_descriptions_are_in_tags_and_drawings_and_name_the_model():
    describer = Seeing()
    before, after = parsed(), docxchunk.describe(parsed(), Models(describer=describer))
    assert [(picture.media_type, picture.about) for picture in describer.asked] == [
        ("image/png", "Heading: Plan\nAlternative text: a plan"),
        ("image/png", "Heading: Plan"),
    ]
    said = 'A house, "old" & <low> red.'
    assert [(each.described, each.description) for each in after.drawings] == [
        ("eye <1>", said),
        ("", ""),
        ("eye <1>", said),
    ]
    assert after.describer == "eye <1>"
    tag = after.blocks[0].content.partition("Before ")[2].partition(" after")[0]
    assert tag.endswith(
        ' description="A house, &quot;old&quot; &amp; &lt;low&gt; red." '
        'described="eye &lt;1&gt;" />'
    )
    cell = json.loads(after.tables[0].content)[0][1]
    assert attribute(cell, "described") == "eye &lt;1&gt;"
    assert after.tables[0].content in after.blocks[0].content
    assert [block.id for block in after.blocks] == [block.id for block in before.blocks]
    assert docxchunk.describe(after, Models(describer=describer)) == after


def test_descriptions_count_when_the_document_is_chunked():
    document = docxchunk.describe(parsed(), Models(describer=Seeing("Long and wide. " * 40)))
    assert not [*document_faults(document)]
    for size in (64, 200, 2000):
        chunks = docxchunk.chunk(document, max_tokens=size, overlap=0)
        assert not [*chunk_faults(document, chunks, size, docxchunk.tokenizer().count)]
    assert "eye &lt;1&gt;" in docxchunk.chunk(document)[0].content


@pytest.mark.parametrize("header", ["header", "header_guess"])
def test_pictures_in_headers_of_tables_are_described(header):
    document = parsed()
    table = replace(document.tables[0], **{header: document.tables[0].content})
    document = replace(document, tables=Items({table.id: table}))
    after = docxchunk.describe(document, Models(describer=Seeing()))
    assert getattr(after.tables[0], header) == after.tables[0].content != table.content


def test_tags_and_pictures_without_a_description_stay():
    document = parsed()
    tag = '<drawing id="im-other" format="png" caption="" path="" src="" />'
    blocks = (replace(document.blocks[0], content=f"{document.blocks[0].content}\n{tag}"),)
    first, *others = (each.id for each in document.drawings)
    texts = {first: "A house.", others[0]: " \n", "im-unknown": "Nothing."}
    after = with_descriptions(replace(document, blocks=blocks), texts, "an\neye")
    assert tag in after.blocks[0].content
    assert after.blocks[0].content.count("described=") == 1
    assert [each.described for each in after.drawings] == ["an eye", "", ""]


def test_what_the_document_says_about_a_picture():
    drawing = Drawing(
        "im-1", "b", "B", ("A",), DrawingKind.PICTURE, "WEBP", "x/a.webp", alt="alt", caption="cap"
    )
    others = [
        replace(drawing, id="im-2", kind=DrawingKind.CHART),
        replace(drawing, id="im-3", path="x/gone.webp"),
        replace(drawing, id="im-4", format="bmp"),
        replace(drawing, id="im-5", heading="", parent_headings=(), alt="", caption=""),
    ]
    drawings = {each.id: each for each in (drawing, *others)}
    document = Document("a", "docx", "d", "", (), drawings=drawings, assets={"a.webp": b"x"})
    assert list(pictures(document)) == [
        (
            "im-1",
            Picture(b"x", "image/webp", "Heading: A > B\nCaption: cap\nAlternative text: alt"),
        ),
        ("im-5", Picture(b"x", "image/webp", "")),
    ]


def test_markdown_names_the_describer():
    text = docxchunk.describe(parsed(), Models(describer=Seeing("A house."))).to_markdown()
    assert "![a plan (eye <1>: A house.)](a.blocks.assets/image1.png)" in text


@given(st.text(), st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_description_keeps_json_and_tags_valid(said, model):
    document = parsed()
    after = with_descriptions(
        document, {identifier: said for identifier, _ in pictures(document)}, model
    )
    rows = json.loads(after.tables[0].content)
    assert rows[0][0] == "a"
    assert rows[0][1].startswith("<drawing ")
    assert rows[0][1].endswith(" />")
    assert all(len(each.description) <= LONGEST for each in after.drawings)


@each_row("content", end=int)
def test_long_descriptions_are_cut_after_a_sentence(text, end):
    identifier = parsed().drawings[0].id
    after = with_descriptions(parsed(), {identifier: text}, "eye")
    assert after.drawings[0].description == text[:end]
    assert LONGEST == 800


def test_missing_or_silent_model_is_an_error():
    with pytest.raises(MissingModelError, match='describer="URL#MODEL"'):
        docxchunk.describe(parsed(), Models())
    broken = Seeing()
    broken.describe = lambda pictures: []
    with pytest.raises(ModelError, match="asked about 2 pictures, and 0 answers came back"):
        docxchunk.describe(parsed(), Models(describer=broken))
    broken.describe = None  # is not asked about no pictures
    plain = docxchunk.parse(docx("<p>a</p>"), name="x")
    assert docxchunk.describe(plain, Models(describer=broken)).describer == "eye <1>"
