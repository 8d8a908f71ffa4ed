"""Chunk ids that outlive an edit elsewhere in the document (sidecar.md, 5; p-strategy.md, law 12)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

from docxchunk.chunking.lines import line_starts
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Part, Slice, SliceRole
from docxchunk.model.document import Document

_TAG = re.compile(r"<(?:table|equation|drawing)\b[^>]*>")
_FLEETING = re.compile(r' (?:id|path)=\\?"[^"\\]*\\?"')  # quotes are escaped inside the cells of a JSON table
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,12}\]")
_HEADING_MARKS = re.compile(r"#{1,6} ")


class ChunkIds:
    """Ids from what chunks say: their text without object ids, asset paths, note numbers and automatic labels, and the heading path without labels."""

    def __init__(self, document: Document, settings_hash: str) -> None:
        self._blocks = {block.id: block for block in document.blocks}
        self._bare = {block.heading: _without(block.heading, block.number) for block in document.blocks if block.number}
        self._labels: dict[str, list[tuple[int, int]]] = {}
        self._salt = f"{document.doc_id}\x1f{settings_hash}"
        self._seen: Counter[str] = Counter()

    def of(self, path: Sequence[str], parts: Sequence[Part]) -> str:
        text = "".join(self._stable(part) for part in parts)
        key = "\x1f".join((self._salt, *(self._bare.get(name, name) for name in path), "", text))
        self._seen[digest := _hash(key)] += 1
        return digest if self._seen[digest] == 1 else _hash(f"{digest}\x1f{self._seen[digest]}")

    def _stable(self, part: Part) -> str:
        if not isinstance(part, Slice):
            return ""
        block = self._blocks[part.block]
        text, at = "", part.start
        for start, end in self._labels_of(block):
            if start >= part.end:
                break
            if end > at:
                text += block.content[at : max(start, at)]
                at = end
        text += block.content[at : part.end]
        if part.role is SliceRole.OVERLAP:
            text = f"\x1e{text}\x1e"
        if "<" in text:
            text = _TAG.sub(lambda tag: _FLEETING.sub("", tag[0]), text)
        return _NOTE_MARK.sub("", text) if "[" in text else text

    def _labels_of(self, block: Block) -> list[tuple[int, int]]:
        """Where the automatic labels of headings and list items stand in a block."""
        found = self._labels.get(block.id)
        if found is None:
            found = self._labels[block.id] = _labels(block)
        return found


def _labels(block: Block) -> list[tuple[int, int]]:
    numbered = [number for number, line in enumerate(block.lines) if line.number]
    starts = line_starts(block.content) if numbered and numbered[-1] else [0]
    found: list[tuple[int, int]] = []
    for number in numbered:
        label, start = block.lines[number].number or "", starts[number]
        if marks := _HEADING_MARKS.match(block.content, start):
            start = marks.end()
        if block.content.startswith(label, start):
            found.append((start, start + len(label)))
    return found


def _without(heading: str, number: str | None) -> str:
    return heading.removeprefix(number).lstrip() if number else heading


def _hash(text: str) -> str:
    return "chunk-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


