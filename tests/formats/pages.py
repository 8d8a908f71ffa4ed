"""Read the text of a report page, and of its document."""

from __future__ import annotations

import html
import json
import re

from lxml import html as lxml_html
from lxml.html import HtmlElement

from docxchunk.content.tags import unescape_text
from docxchunk.formats.report import html_report
from docxchunk.formats.report.pieces import ChunkSet
from docxchunk.model.document import Document

TABLE = re.compile(r'<table id="[^"]*" format="(json|html)">(.*?)</table>', re.DOTALL)
TAG = re.compile(r"<drawing\b[^>]*/>|</?equation\b[^>]*>|</?su[bp]>")
MARKUP = re.compile(r"</?(?:tr|td|th)\b[^>]*>|<br>")
AGAIN = ".//mark | .//tr[@class='again'] | .//caption | .//*[@class='no-picture'] | .//annotation"


def page_of(document: Document, *sets: ChunkSet) -> HtmlElement:
    return lxml_html.document_fromstring(html_report(document, sets))


def cards(page: HtmlElement, name: str = "P") -> list[HtmlElement]:
    return page.xpath("//article[@data-set=$name]", name=name)


def own_text(card: HtmlElement) -> str:
    """Return the text of a card that is not repeated."""
    body = card.xpath("./div[@class='text']")[0]
    for again in body.xpath(AGAIN):
        again.drop_tree()
    return squeezed(body.text_content())


def squeezed(text: str) -> str:
    return "".join(text.split())


def said_by(document: Document) -> str:
    """Return the visible text of a document, without the report's code."""
    return squeezed("".join(_block(block.content, block.level) for block in document.blocks))


def _block(content: str, level: int) -> str:
    text, at, said = (
        content[content.index(" ") if level and content.startswith("#") else 0 :],
        0,
        [],
    )
    for table in TABLE.finditer(text):
        said += [
            _text(text[at : table.start()]),
            *(_json(table[2]) if table[1] == "json" else _html(table[2])),
        ]
        at = table.end()
    return "".join([*said, _text(text[at:])])


def _text(text: str) -> str:
    return unescape_text(TAG.sub("", text))


def _json(body: str) -> list[str]:
    return [_text(cell) for row in json.loads(body) for cell in row]


def _html(body: str) -> list[str]:
    return [html.unescape(TAG.sub("", MARKUP.sub("", body)))]
