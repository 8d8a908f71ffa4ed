import pytest
from case_files import cases
from docx_builder import docx
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.markup.laws import document_faults


@pytest.mark.parametrize("case", cases("html"))
def test_case(case):
    case.check()


def text_of(page):
    return [block.content for block in api.parse(docx('<altChunk r:id="a.html"/>', {"chunks/a.html": page}), name="a").blocks]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>é</p>".encode("cp1252"), "é"),
        ("<p>é</p>".encode(), "é"),
        ("<p>é</p>".encode("utf-8-sig"), "é"),
        ("<p>é</p>".encode("utf-16"), "é"),
        ('<meta charset="koi8-r"><p>Ж</p>'.encode("koi8-r"), "Ж"),
        ("<meta http-equiv='content-type' content='text/html; charset=koi8-r'><p>Ж</p>".encode("koi8-r"), "Ж"),
        ('<meta charset="nonsense"><p>é</p>'.encode(), "é"),
        (b"<p>\x00\xc3\xa9&#1;</p>", "é"),
    ],
)
def test_encodings(page, text):
    assert text_of(page) == [text]


@pytest.mark.parametrize("tag", ["div", "b", "table><tr><td", "ul><li"])
def test_deeply_nested(tag):
    page = b"<p>first</p>" + f"<{tag}>".encode() * 3000 + b"deep"
    document = api.parse(docx('<p>a</p><altChunk r:id="a.html"/>', {"chunks/a.html": page}), name="a")
    assert document.blocks[0].content.startswith("a\nfirst")
    assert [issue.code for issue in document.issues] == ["part-broken"]


TAGS = ["p", "b", "div", "ul", "li", "ol", "table", "tr", "td", "th", "thead", "h1", "a", "pre", "br", "script", "sup", "caption", "img", "!--", "/p", "/table"]
pages = st.lists(st.one_of(st.sampled_from(TAGS).map("<{}>".format), st.sampled_from(TAGS).map("</{}>".format), st.text(max_size=5)), max_size=20)


@given(pages.map("".join))
@settings(max_examples=150, deadline=None)
def test_any_page_is_read(page):
    source = docx('<p>a</p><altChunk r:id="a.html"/>', {"chunks/a.html": page.encode("utf-8", "replace")})
    assert list(document_faults(api.parse(source, name="a"))) == []
