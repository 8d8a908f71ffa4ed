"""A run of text with the tags that stand in a line: equations, pictures, superscripts, marks of notes."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final

from docxchunk.formats.report.chunk_text import ChunkText, Run
from docxchunk.formats.report.equations import equation
from docxchunk.formats.report.escaping import escaped
from docxchunk.formats.report.pictures import picture
from docxchunk.formats.report.values import Setting
from docxchunk.markup.tables import attribute
from docxchunk.markup.tags import unescape_text
from docxchunk.model.chunks import AddedRole, SliceRole

_TAG: Final = re.compile(
    r"(?P<equation><equation\b[^>]*>)(?P<latex>.*?)</equation>"
    r"|(?P<drawing><drawing\b[^>]*/>)"
    r"|<(?P<script>su[bp])>(?P<raised>[^<]*)</(?P=script)>"
    r"|(?P<note>\[\^[^\]\s]{1,12}\])",
    re.DOTALL,
)
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
MARKED: Final = frozenset({SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.LABEL, AddedRole.CONTEXT})

Unescape = Callable[[str], str]


def text_html(text: ChunkText, start: int, end: int, setting: Setting) -> str:
    """Characters [start, end) of a chunk; what is shown a second time or was put in is marked."""
    return "".join(_marked(run, inline_html(text.text[run.start : run.end], unescape_text, setting)) for run in text.runs(start, end))


def json_cell_html(text: str, setting: Setting) -> str:
    """The decoded text of a cell of a JSON table."""
    return inline_html(text, unescape_text, setting)


def html_cell_html(text: str, setting: Setting) -> str:
    """What stands between `<td>` and `</td>`."""
    return "<br>".join(inline_html(part, html.unescape, setting) for part in _BREAK.split(text))


def inline_html(text: str, unescape: Unescape, setting: Setting) -> str:
    if "<" not in text and "[^" not in text:
        return escaped(unescape(text))
    return "".join(_pieces(text, unescape, setting))


def _pieces(text: str, unescape: Unescape, setting: Setting) -> Iterator[str]:
    at = 0
    for tag in _TAG.finditer(text):
        yield escaped(unescape(text[at : tag.start()]))
        yield _tag_html(tag, unescape, setting)
        at = tag.end()
    yield escaped(unescape(text[at:]))


def _tag_html(tag: re.Match[str], unescape: Unescape, setting: Setting) -> str:
    if tag["equation"]:
        return equation(tag["latex"], display=bool(attribute(tag["equation"], "id")))
    if tag["drawing"]:
        drawing = setting.document.drawings.get(attribute(tag["drawing"], "id"))
        return picture(drawing, setting.pictures) if drawing else f'<span class="no-picture">{escaped(tag[0])}</span>'
    if tag["note"]:
        return f'<span class="note-mark">{escaped(tag["note"])}</span>'
    return f"<{tag['script']}>{escaped(unescape(tag['raised']))}</{tag['script']}>"


def _marked(run: Run, content: str) -> str:
    role = run.part.role
    if role not in MARKED or not content.strip():
        return content
    inside = content.rstrip()
    return f'<mark class="{role}{" opens" if run.opens else ""}">{inside}</mark>{content[len(inside) :]}'
