"""The headings of a document as links to the chunks that they stand in."""

from __future__ import annotations

from collections.abc import Iterator

from docxchunk.formats.report.alignment import leaves
from docxchunk.formats.report.escaping import escaped
from docxchunk.formats.report.values import ChunkSet, Setting
from docxchunk.markup.tags import plain
from docxchunk.model.chunks import Chunk, Slice, SliceRole

_LONGEST = 60  # characters of a chunk's text that stand for a heading


def outline_html(chunk_set: ChunkSet, setting: Setting) -> str:
    """The headings that stand in the chunks; of a document without any, the beginnings of its chunks."""
    items = list(_headings(chunk_set, setting)) or [_beginning(chunk, setting) for chunk in leaves(chunk_set)]
    return f"<ol>{''.join(items)}</ol>" if items else "<p>There is no text.</p>"


def _headings(chunk_set: ChunkSet, setting: Setting) -> Iterator[str]:
    for chunk in leaves(chunk_set):
        for part in chunk.parts:
            if isinstance(part, Slice) and part.role is SliceRole.TEXT and part.start == 0 and part.block in setting.blocks:
                block = setting.document.blocks[setting.blocks[part.block].number]
                if block.level and block.content.startswith("#"):  # else it goes on under a heading
                    number = setting.blocks[part.block].number
                    yield _item(f"{setting.key}-b{number}", block.heading, f"level-{block.level}", chunk)


def _beginning(chunk: Chunk, setting: Setting) -> str:
    text = plain(chunk.content[: 10 * _LONGEST]).strip()
    return _item(f"{setting.key}-{chunk.chunk_order_index + 1}", f"{text[:_LONGEST]}{'…' if len(text) > _LONGEST else ''}", "beginning", chunk)


def _item(anchor: str, text: str, name: str, chunk: Chunk) -> str:
    number = chunk.chunk_order_index + 1
    return f'<li class="{name}"><a href="#{anchor}" data-chunk="{number}"><span dir="auto">{escaped(text)}</span> <small>{number}</small></a></li>'
