"""Render content as Markdown: pipe tables, equations between dollar signs, pictures as images. HTML tables, which may have merged cells, stay HTML."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from docxchunk.markup.reading import Describe, escape_pipes
from docxchunk.markup.records.fields import Fields, Record
from docxchunk.markup.tables import TableTag, attribute, tables

_OBJECT = re.compile(r"<equation\b(?P<id> id=)?[^>]*>(?P<latex>.*?)</equation>|<drawing\b[^>]*/>", re.DOTALL)
_TYPED_TAG = re.compile(r"<(?=[A-Za-z/!?])(?!/?(?:table|thead|tbody|tr|td|th|br|equation|drawing|sup|sub|del)\b)", re.IGNORECASE)
_RULE = "\n---\n\n"
_BREAKS = re.compile(r"\n+")
_PARAGRAPHS = re.compile(r"(?<!\|)\n+|\n+(?!\|)")  # the rows of a pipe table stay together


def write(records: Iterable[Record], file: BinaryIO) -> None:
    """Write the chunks with a rule between them and a comment with id, tokens and citation, or else the heading path, before each."""
    for number, record in enumerate(records):
        fields = Fields(record, "The chunk")
        about = (fields.text("chunk_id"), f"{fields.integer('tokens')} tokens", (fields.text("citation") or fields.text("context")).replace("-->", "-- >"))
        text = f"{_RULE if number else ''}<!-- {', '.join(filter(None, about))} -->\n\n{markdown(fields.text('content'))}\n"
        file.write(text.encode("utf-8", "replace"))


def caption_of(drawing: str) -> str:
    """Return the caption of a drawing tag, with the description by a model."""
    return with_description(html.unescape(attribute(drawing, "caption")), drawing)


def with_description(text: str, drawing: str) -> str:
    """Return the text and, in parentheses, the model's name and the description of the drawing tag."""
    description, model = (html.unescape(attribute(drawing, name)) for name in ("description", "described"))
    return " ".join(filter(None, (text, f"({model}: {description})" if description else "")))


def markdown(content: str, describe: Describe = caption_of) -> str:
    """Return the content of a block or chunk as Markdown. Every line is a paragraph; Markdown characters in the text are not escaped."""
    return "\n\n".join(filter(None, _paragraphs(content, describe)))


def _paragraphs(content: str, describe: Describe) -> Iterator[str]:
    at = 0
    for table in tables(content):
        yield _text(content[at : table.start], describe)
        yield _table(content, table, describe)
        at = table.end
    yield _text(content[at:], describe)


def _text(content: str, describe: Describe) -> str:
    return _PARAGRAPHS.sub("\n\n", inline(content, describe).strip("\n"))


def without_typed_tags(text: str) -> str:
    """Escape angle brackets that the author typed, as in `<Name>`, which would be hidden as HTML tags."""
    return _TYPED_TAG.sub(r"\<", text) if "<" in text else text


def inline(content: str, describe: Describe) -> str:
    """Return text outside of tables with equations and pictures as Markdown."""
    return _OBJECT.sub(lambda found: _object(found, describe), content) if "<" in content else content


def _object(found: re.Match[str], describe: Describe) -> str:
    if found["latex"] is not None:
        return f"$${found['latex']}$$" if found["id"] else f"${found['latex']}$"
    target = html.unescape(attribute(found[0], "path") or attribute(found[0], "src"))
    text = re.sub(r"[\[\]]", r"\\\g<0>", describe(found[0]))
    return f"![{text}]({f'<{target}>' if ' ' in target else target})" if target else text


def _table(content: str, table: TableTag, describe: Describe) -> str:
    """Return a pipe table with the first row as header, which GitHub Flavored Markdown requires."""
    body = content[table.body : table.body_end]
    try:
        rows = json.loads(body)
    except (ValueError, RecursionError):
        return f"<table>{body}</table>"
    if not (isinstance(rows, list) and rows and all(isinstance(row, list) for row in rows)):
        return f"<table>{body}</table>"
    width = max(map(len, rows))
    lines = [_row(row, width, describe) for row in rows]
    return "\n".join((lines[0], "|" + " --- |" * width, *lines[1:]))


def _row(cells: Sequence[object], width: int, describe: Describe) -> str:
    texts = [_BREAKS.sub("<br>", escape_pipes(inline(without_typed_tags(str(cell)), describe))) for cell in cells]
    return "| " + " | ".join((*texts, *[""] * (width - len(texts)))) + " |"
