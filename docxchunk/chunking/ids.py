"""Chunk ids that outlive an edit elsewhere in the document (sidecar.md, 5; p-strategy.md, law 12)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

from docxchunk.chunking.lines import line_starts
from docxchunk.model.blocks import Block, LineKind
from docxchunk.model.chunks import Part, Slice, SliceRole
from docxchunk.model.document import Document

_FLEETING = re.compile(r' (?:id|path)=\\?"[^"\\]*\\?"|\[\^[^\]\s]{1,12}\]')  # quotes are escaped inside the cells of a JSON table
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
        return _FLEETING.sub("", text) if "<" in text or "[^" in text else text

    def _labels_of(self, block: Block) -> list[tuple[int, int]]:
        """Where the automatic labels of headings and list items stand in a block."""
        found = self._labels.get(block.id)
        if found is None:
            found = self._labels[block.id] = _labels(block) if any(line.number for line in block.lines) else []
        return found


def _labels(block: Block) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    starts = line_starts(block.content)
    if len(starts) != len(block.lines):
        return found
    for start, line in zip(starts, block.lines, strict=True):
        if line.number:
            marks = _HEADING_MARKS.match(block.content, start) if line.kind is LineKind.HEADING else None
            at = marks.end() if marks else start
            if block.content.startswith(line.number, at):
                found.append((at, at + len(line.number)))
    return found


def _without(heading: str, number: str | None) -> str:
    return heading.removeprefix(number).lstrip() if number else heading


def _hash(text: str) -> str:
    return "chunk-" + hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


