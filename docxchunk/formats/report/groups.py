"""Chunks with children: a frame with what their heading says, around the cards of the chunks that hold their text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from docxchunk.formats.report.alignment import ancestors, leaves
from docxchunk.formats.report.cards import card, path_html, size_html
from docxchunk.formats.report.escaping import escaped
from docxchunk.formats.report.values import ChunkSet, Setting
from docxchunk.model.chunks import Chunk


class Frames:
    """Draws the cards of one set in reading order; each parent is named once, and where it goes on after a break it says so."""

    def __init__(self, chunk_set: ChunkSet, setting: Setting) -> None:
        self._set, self._setting = chunk_set, setting
        self._above = {leaf.chunk_id: ancestors(leaf, {chunk.chunk_id: chunk for chunk in chunk_set.chunks}) for leaf in leaves(chunk_set)}
        self._named: set[str] = set()

    def html(self, chunks: Sequence[Chunk]) -> str:
        return "".join(self._framed(chunks, 0))

    def _framed(self, chunks: Sequence[Chunk], depth: int) -> Iterator[str]:
        for parent, group in groupby(chunks, key=lambda chunk: self._parent(chunk, depth)):
            inside = list(group)
            if parent is None:
                yield from (card(chunk, self._set, self._setting) for chunk in inside)
            else:
                yield f'<section class="parent"{self._opening(parent)}{"".join(self._framed(inside, depth + 1))}</section>\n'

    def _parent(self, chunk: Chunk, depth: int) -> Chunk | None:
        above = self._above[chunk.chunk_id]
        return above[depth] if depth < len(above) else None

    def _opening(self, parent: Chunk) -> str:
        """The attributes that are left to say, and the header."""
        number = parent.chunk_order_index + 1
        key = f"{self._setting.key}-{number}"
        name = f"{escaped(self._set.name)}&#8239;{number}"
        if parent.chunk_id in self._named:
            return f' aria-label="{name} goes on"><p class="again">{name} goes on</p>'
        self._named.add(parent.chunk_id)
        children = f"{len(parent.children)} {'child' if len(parent.children) == 1 else 'children'}"
        return (
            f' id="{key}" aria-labelledby="{key}-h"><header><h3 id="{key}-h"><a href="#{key}">{name}</a> {path_html(parent)}</h3>'
            f"{size_html(parent, self._set, children)}</header>"
        )
