"""Reading the body while it is parsed gives the same result for any batch size."""

from __future__ import annotations

import io
import zipfile
from unittest.mock import patch

import pytest
from docx_builder import docx, zipped

from docxchunk import api
from docxchunk.model.document import Document, IssueCode
from docxchunk.ooxml import incremental
from docxchunk.ooxml.package import Package

BEGIN, SEPARATE, END = (
    f'<r><fldChar fldCharType="{kind}"/></r>' for kind in ("begin", "separate", "end")
)
CODE = "<r><instrText> REF x </instrText></r>"
GONE = "<pPr><rPr><del/></rPr></pPr>"
PAGES = '<p>one<r><br type="page"/></r></p><p>two</p>'

BODIES = {
    "a field over several paragraphs": f"<p>a</p><p>{BEGIN}{CODE}{SEPARATE}b</p><p>c</p><p>d{END}</p><p>e</p>",
    "a field without an end": f"<p>a</p><p>{BEGIN}{CODE}</p><p>b</p><p>{BEGIN}{CODE}{SEPARATE}c{END}</p><p>d</p>",
    "an end without a field": f"<p>a{END}</p><p>{BEGIN}{CODE}{SEPARATE}b{END}</p><p>c</p>",
    "a field in a text box": f"<p>a<box><p>{BEGIN}{CODE}</p></box></p><p>b</p><p>c{END}</p><p>d</p>",
    "a paragraph that runs on, "
    "with a text box": f"<p>{GONE}a<box><p><r><rPr><vanish/></rPr><t>hidden</t></r>b</p></box></p><p>c</p><p>d</p>",
    "pages as Word last laid them out": f"{PAGES}<p><r><lastRenderedPageBreak/></r>three</p>",
    "pages by their breaks": f"{PAGES}<p>lastRenderedPageBreak</p>",
    "notes numbered as the last section says": (  # known only at the end
        '<p>a<fn id="2"/></p><sectPr><footnotePr><numFmt '
        'val="upperRoman"/></footnotePr></sectPr><footnotes><footnote '
        'id="2">note</footnote></footnotes>'
    ),
    "sections": '<p>a</p><p><pPr><sectPr><type val="nextPage"/></sectPr></pPr>b</p><p>c</p>',
    "a table": "<p>a</p><tbl><tr><tc><p>b</p><p>c</p></tc></tr></tbl><p>d</p>",
    "nothing": "",
}


def whole(data: bytes) -> Document:
    with patch.object(Package, "incremental", lambda _: None):
        return api.parse(data, name="document.docx")


def fed(data: bytes, size: int) -> Document:
    with patch.object(incremental, "_PIECE", size):
        return api.parse(data, name="document.docx")


@pytest.mark.parametrize("size", [1, 40, 150, 1 << 16])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_result_does_not_depend_on_the_feed_size(body, size):
    data = docx(body)
    assert fed(data, size) == whole(data)


def test_broken_xml_is_repaired_and_read_from_the_start():
    data = changed(docx("<p>a</p><p>b</p><p>c</p>"), b"<w:t>c", b"<w:t>c</w:x>")
    found = fed(data, 40)
    assert found == whole(data)
    assert [issue.code for issue in found.issues] == [IssueCode.MAIN_PART_CUT]
    assert found.blocks[0].content == "a\nb\nc"


MARKUP = {  # besides elements and text
    "an instruction in the body": (b"<w:t>b", b"<w:t>b<?pi?>c<?docxchunk?>"),
    "an instruction before the body": (b"<w:body>", b"<?pi?><w:body>"),
    "instructions outside of the root": (b"<w:document", b"<?docxchunk?><w:document"),
    "the tag in a comment": (b"<w:body>", b"<!-- <w:body> --><w:body>"),
    "an attribute with a bracket": (b"<w:body>", b'<w:body w:x="a>b">'),
    "another prefix": (
        b"<w:body>",
        b'<w:body xmlns:v-1="http://example.com"><v-1:body>d</v-1:body>',
    ),
    "an element of that name before the body": (
        b"<w:body>",
        b"<w:background><w:body>d</w:body></w:background><w:body>",
    ),
    "two bodies": (b"</w:body>", b"</w:body><w:body><w:p><w:r><w:t>d</w:t></w:r></w:p></w:body>"),
    "blanks that do not count": (
        b"<w:t>b</w:t>",
        b'<w:t>b </w:t><w:tab/><w:t xml:space="preserve"> c</w:t>',
    ),
    "blanks that count": (b"<w:t>b</w:t>", b"<w:t>b </w:t><w:tab/><w:t> c</w:t>"),
    "an empty body before it": (b"<w:body>", b"<w:body/><w:body>"),
}


@pytest.mark.parametrize("size", [1, 40, 1 << 16])
@pytest.mark.parametrize("change", MARKUP.values(), ids=MARKUP.keys())
def test_result_does_not_depend_on_the_feed_size_with_unusual_markup(change, size):
    data = changed(docx("<p>a</p><p>b</p><p>c</p>"), *change)
    assert fed(data, size) == whole(data)
    assert "b" in "".join(block.content for block in whole(data).blocks)


def test_elements_are_freed_after_reading():
    heaviest = 0

    def watched(self, tag, ahead, partial_child=incremental.IncrementalPart.partial_child):
        nonlocal heaviest
        for partial in partial_child(self, tag, ahead):
            heaviest = max(heaviest, len(partial.element))
            yield partial

    with patch.object(incremental.IncrementalPart, "partial_child", watched):
        assert fed(docx("<p>word</p>" * 500), 200).blocks[0].content.count("word") == 500
    assert heaviest < 20


def changed(data: bytes, old: bytes, new: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        files = {name: package.read(name) for name in package.namelist()}
    assert old in files["word/document.xml"]
    return zipped(files | {"word/document.xml": files["word/document.xml"].replace(old, new)})
