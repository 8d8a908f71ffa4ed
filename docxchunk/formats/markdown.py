"""Render content as Markdown: pipe tables, equations between dollar signs, pictures as images. HTML
tables, which may have merged cells, stay HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import BinaryIO
from urllib.parse import quote

from docxchunk.markup.records.fields import Fields, Record
from docxchunk.markup.tables import Grid, TableTag, attribute, tables
from docxchunk.markup.tags import OBJECT, Describe, escape_pipes
from docxchunk.model.blocks import TableFormat

_TYPED = re.compile(
    r"""(?<!\\)(?P<slashes>\\*+)<(?=[A-Za-z/!?])  # HTML
      (?!/?(?:table|thead|tbody|tr|td|th|br|sup|sub|del|strong|em|u|mark|a)
         (?:[ ](?:id|format|rowspan|colspan|color|href)="[^"<>]*")*>)
    | (?P<note>\[\^[^\[\]\s]+\]:)  # a footnote, of one word that may be an address
      (?P<target>[ \t]*+(?!<?https?:)(?=[^\s:&\\]*+[:&\\])(?=\S*+[ \t]*$)\S++)?
    | \](?=[(:])  # a link, a picture, a link reference definition""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_COMMENT_END = re.compile(r"--(?=!?>)")  # HTML, 13.2.5.51 and 13.2.5.52
_MARKDOWN = (".md", ".markdown")
_RULE = "\n---\n\n"
_BREAKS = re.compile(r"\n+")
_PARAGRAPHS = re.compile(r"(?<!\|)\n+|\n+(?!\|)")  # the rows of a pipe table stay together


def write(records: Iterable[Record], file: BinaryIO) -> None:
    """Write chunks or units with a rule between them and a comment with id, tokens and citation, or
    else the heading path, before each.

    Those of a Markdown file are not escaped.
    """
    for number, record in enumerate(records):
        fields = Fields(record, "The chunk")
        place = _COMMENT_END.sub("-- ", fields.text("citation") or fields.text("context"))
        name = fields.text("unit_id") or fields.text("chunk_id")
        about = (name, f"{fields.integer('tokens')} tokens", place)
        shown = markdown(
            fields.text("content"),
            escape=PurePath(fields.text("source")).suffix.lower() not in _MARKDOWN,
        )
        text = f"{_RULE if number else ''}<!-- {', '.join(filter(None, about))} -->\n\n{shown}\n"
        file.write(text.encode("utf-8", "replace"))


def caption_of(drawing: str) -> str:
    """Return the caption of a drawing tag, with the description by a model."""
    return with_description(html.unescape(attribute(drawing, "caption")), drawing)


def with_description(text: str, drawing: str) -> str:
    """Return the text and, in parentheses, the model's name and the description of the drawing
    tag.
    """
    description, model = (
        html.unescape(attribute(drawing, name)) for name in ("description", "described")
    )
    return " ".join(filter(None, (text, f"({model}: {description})" if description else "")))


def markdown(content: str, describe: Describe = caption_of, *, escape: bool = True) -> str:
    r"""Return the content of a block or chunk as Markdown. Every line is a paragraph.

    With `escape`, what the author typed does not become a link, a picture or HTML: `[x](y)` is
    written as `[x]\(y)`, `<b>` as `\<b>`. Other Markdown characters are not escaped.
    """
    return "\n\n".join(filter(None, _paragraphs(content, describe, escape=escape)))


def _paragraphs(content: str, describe: Describe, *, escape: bool) -> Iterator[str]:
    at = 0
    for table in tables(content):
        yield _text(content[at : table.start], describe, escape=escape)
        yield _table(content, table, describe)
        at = table.end
    yield _text(content[at:], describe, escape=escape)


def _text(content: str, describe: Describe, *, escape: bool) -> str:
    return _PARAGRAPHS.sub("\n\n", inline(content, describe, escape=escape).strip("\n"))


def inline(content: str, describe: Describe, *, escape: bool = True) -> str:
    """Return text outside of tables with equations and pictures as Markdown, and with `escape` what
    the author typed as text.
    """
    shown: list[str] = []
    at = 0
    for tag in OBJECT.finditer(content) if "<" in content else ():
        shown += (
            _escaped(content[at : tag.start()]) if escape else content[at : tag.start()],
            _object(tag, describe),
        )
        at = tag.end()
    return "".join((*shown, _escaped(content[at:]) if escape else content[at:]))


def _escaped(text: str) -> str:
    return _TYPED.sub(_typed, text) if "<" in text or "]" in text else text


def _typed(typed: re.Match[str]) -> str:
    """Return what the author typed with an escape (CommonMark 0.31.2, 2.4). Backslashes before it
    are escaped, too: they would cancel the escape.

    For renderers without footnotes, `[^1]: a:b` would define the address of `[^1]` (4.7), unless
    more follows.
    """
    if typed["note"]:
        return (
            (f"{typed['note']}{_escaped(typed['target'])} <!-- -->")
            if typed["target"]
            else typed["note"]
        )
    return "]\\" if typed["slashes"] is None else f"{typed['slashes'] * 2}\\<"


def _object(tag: re.Match[str], describe: Describe) -> str:
    """Return an equation or a picture. Blanks, which mean nothing in LaTeX, keep renderers without
    mathematics from seeing links and HTML in an equation.
    """
    if tag["latex"] is not None:
        latex = re.sub(r"\](?=\()|<(?=[A-Za-z/!?])", r"\g<0> ", tag["latex"])
        return f"$${latex}$$" if tag["id"] else f"${latex}$"
    target = html.unescape(attribute(tag[0], "path") or attribute(tag[0], "src"))
    text = re.sub(r"[\\\[\]]|<(?=[A-Za-z/!?])", r"\\\g<0>", describe(tag[0]))
    if not target:
        return text
    return f"![{text}]({_target(target)})"


def _target(path: str) -> str:
    """Return a link destination (CommonMark 0.31.2, 6.3): in angle brackets if it has blanks or
    parentheses, and without characters that end it there.
    """
    shown = re.sub(r"[^\S ]|[<>\\]", lambda sign: quote(sign[0]), path)
    return f"<{shown}>" if re.search("[ ()]", shown) else shown


def _table(content: str, table: TableTag, describe: Describe) -> str:
    """Return a pipe table with the first row as header, which GitHub Flavored Markdown requires."""
    grid = Grid(content, table)
    if grid.format is not TableFormat.JSON:
        return f"<table>{content[table.body : table.body_end]}</table>"
    rows = [grid.texts(row) for row in range(len(grid.rows))]
    width = max(map(len, rows))
    lines = [_row(row, width, describe) for row in rows]
    return "\n".join((lines[0], "|" + " --- |" * width, *lines[1:]))


def _row(cells: Sequence[str], width: int, describe: Describe) -> str:
    texts = [_BREAKS.sub("<br>", escape_pipes(inline(cell, describe))) for cell in cells]
    return "| " + " | ".join((*texts, *[""] * (width - len(texts)))) + " |"
