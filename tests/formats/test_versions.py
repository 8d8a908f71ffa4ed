"""The HTML page with the changes between two versions of a document."""

from __future__ import annotations

import pytest
from docx_builder import docx
from lxml import html as lxml_html

from docxchunk import api
from docxchunk.formats.report import html_diff
from docxchunk.retrieval.comparing.changes import COMPARED, compared


def page_of(old, new, names=("old.docx", "new.docx")):
    documents = (
        api.parse(docx(content), name=name, options=COMPARED)
        for content, name in zip((old, new), names, strict=True)
    )
    return lxml_html.document_fromstring(html_diff(compared(*documents)))


def paragraphs(*texts):
    return "".join(f"<p style='Heading1'>{text[:9]}</p><p>{text}</p>" for text in texts)


def test_only_what_changed_is_shown():
    long = "Nothing of this is changed at all. " * 60
    page = page_of(
        paragraphs(f"Chapter 1 {long}", f"Chapter 2 costs 90 pounds. {long}"),
        paragraphs(f"Chapter 1 {long}", f"Chapter 2 costs 70 pounds. {long}"),
    )
    assert page.xpath("//article//del/text() | //article//ins/text()") == ["90 ", "70 "]
    facts = [each.text_content() for each in page.xpath("//p[@class='facts']")]
    assert facts[:2] == [
        "1 changed; 1 word inserted, 1 deleted.",
        "Not compared: formatting, pictures.",
    ]
    (hidden,) = page.xpath("//article//details[@class='far']/summary")
    assert hidden.text_content() == "415 words"
    whole = page.xpath("//article/div")[0].text_content().replace("415 words", "")
    assert " ".join(whole.split()) == f"Chapter 2 costs 90 70 pounds. {long.strip()}"


HOSTILE = (
    """</script><script>alert(1)</script><img src=x onerror=alert(2)> "' onmouseover=alert(3)"""
)


@pytest.mark.parametrize("name", ["a.docx", f"{HOSTILE}.docx"])
def test_hostile_text_does_nothing(name):
    text = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    page = page_of(
        *(f"<p style='Heading1'>{text}</p><p>{text} {word}</p>" for word in ("one", "two")),
        names=(name, name),
    )
    assert len(page.xpath("//script")) == 1
    assert page.xpath("//img | //*[@onerror] | //*[@onmouseover] | //*[@style] | //link") == []
    assert HOSTILE in page.xpath("string(//article)")
