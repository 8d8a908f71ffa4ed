"""Split a run of text into pieces: plain text, equations, pictures, superscripts, note marks and
tracked changes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final

from docxchunk.formats.report.chunk_text import ChunkText
from docxchunk.formats.report.pictures import asset_of, picture_text
from docxchunk.formats.report.tracked import coloured
from docxchunk.formats.report.values import RenderContext
from docxchunk.formats.report.views import PieceKind, RoleRun, TextPiece
from docxchunk.markup.tables import attribute
from docxchunk.markup.tags import unescape_text
from docxchunk.model.chunks import AddedRole, SliceRole

_TAG: Final = re.compile(
    r"(?P<equation><equation\b[^>]*>)(?P<latex>.*?)</equation>"
    r"|(?P<drawing><drawing\b[^>]*/>)"
    r"|<(?P<script>su[bp]|del)>(?P<raised>[^<]*)</(?P=script)>"
    r"|(?P<struck></?del>)"
    r"|(?P<note>\[\^[^\]\s]{1,12}\])",
    re.DOTALL,
)
_SCRIPTS: Final = {
    "sup": PieceKind.SUPERSCRIPT,
    "sub": PieceKind.SUBSCRIPT,
    "del": PieceKind.STRUCK,
}
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
MARKED: Final = frozenset(
    {SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.LABEL, AddedRole.CONTEXT}
)

Unescape = Callable[[str], str]


def text_runs(text: ChunkText, start: int, end: int, setting: RenderContext) -> tuple[RoleRun, ...]:
    """Return the runs of characters [start, end) of a chunk. Repeated and added text has a role."""
    runs = (
        _run(run.part.role, text.text[run.start : run.end], setting, opens=run.opens)
        for run in text.runs(start, end)
    )
    return coloured(runs) if setting.tracked else tuple(runs)


def json_cell_pieces(text: str, setting: RenderContext) -> tuple[TextPiece, ...]:
    """Return the pieces of the decoded text of a JSON table cell."""
    return _cell(tuple(pieces(text, unescape_text, setting)), setting)


def html_cell_pieces(text: str, setting: RenderContext) -> tuple[TextPiece, ...]:
    """Return the pieces of the HTML between `<td>` and `</td>`."""
    found: list[TextPiece] = []
    for part in _BREAK.split(text):
        found += [TextPiece(PieceKind.BREAK, "\n")] if found else []
        found += pieces(part, html.unescape, setting)
    return _cell(tuple(found), setting)


def pieces(text: str, unescape: Unescape, setting: RenderContext) -> Iterator[TextPiece]:
    """Yield the pieces of a text with tags. `unescape` decodes the text between the tags."""
    at = 0
    if "<" in text or "[^" in text:
        for tag in _TAG.finditer(text):
            if tag.start() > at:
                yield TextPiece(PieceKind.TEXT, unescape(text[at : tag.start()]))
            if not tag["struck"]:  # unpaired, or around other tags
                yield _piece(tag, unescape, setting)
            at = tag.end()
    if at < len(text):
        yield TextPiece(PieceKind.TEXT, unescape(text[at:]))


def _piece(tag: re.Match[str], unescape: Unescape, setting: RenderContext) -> TextPiece:
    if tag["equation"]:
        return TextPiece(
            PieceKind.DISPLAY if attribute(tag["equation"], "id") else PieceKind.EQUATION,
            tag["latex"],
        )
    if tag["drawing"]:
        drawing = setting.document.drawings.get(attribute(tag["drawing"], "id"))
        if drawing is None:
            return TextPiece(PieceKind.PICTURE, tag[0])
        source = setting.pictures.get(asset_of(drawing), "")
        return TextPiece(PieceKind.PICTURE, picture_text(drawing, shown=bool(source)), source)
    if tag["note"]:
        return TextPiece(PieceKind.NOTE, tag["note"])
    return TextPiece(_SCRIPTS[tag["script"]], unescape(tag["raised"]))


def _run(role: SliceRole | AddedRole, text: str, setting: RenderContext, *, opens: bool) -> RoleRun:
    return RoleRun(
        role if role in MARKED and not text.isspace() else "",
        opens,
        tuple(pieces(text, unescape_text, setting)),
    )


def _cell(found: tuple[TextPiece, ...], setting: RenderContext) -> tuple[TextPiece, ...]:
    return coloured([RoleRun("", False, found)])[0].pieces if setting.tracked else found
