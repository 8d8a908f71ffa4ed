"""Chunk ids that depend on the text of a chunk and its heading path, not on its position, numbers
or ids of objects.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from docxchunk.chunking.line_kinds import line_starts
from docxchunk.chunking.services import Services
from docxchunk.markup.tables import Range
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Part, Slice

_TAG = re.compile(r"<(?:table|equation|drawing)\b[^>]*>")
# quotes are escaped inside the cells of a JSON table
_FLEETING = re.compile(r' (?:id|path)=\\?"[^"\\]*\\?"')
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,12}\]")
_HEADING_MARKS = re.compile(r"#{1,6} ")


class ChunkIds:
    """Hashes of the text of chunks without object ids, asset paths, note numbers and automatic
    labels, and of the heading path without labels.
    """

    def __init__(self, services: Services, settings_hash: str) -> None:
        blocks = services.stored.blocks
        self._blocks = {block.id: block for block in blocks}
        self._bare = {
            block.heading: _without(block.heading, block.number) for block in blocks if block.number
        }
        self._labels: dict[str, list[Range]] = {}  # by the id of their block
        self._salt = f"{services.document.doc_id}\x1f{settings_hash}"
        self._seen: Counter[str] = Counter()

    def of(self, path: Sequence[str], parts: Sequence[Part]) -> str:
        said = [self._stable(part) for part in parts if isinstance(part, Slice)]
        digest = _hash(
            "\x1f".join((self._salt, *(self._bare.get(name, name) for name in path), "", *said))
        )
        self._seen[digest] += 1
        return digest if self._seen[digest] == 1 else _hash(f"{digest}\x1f{self._seen[digest]}")

    def _stable(self, part: Slice) -> str:
        """Return the text of a slice without the parts that an edit elsewhere in the document may
        change.
        """
        block = self._blocks[part.block]
        labels = self._labels.get(block.id)
        if labels is None:
            labels = self._labels[block.id] = list(_labels_of(block))
        text, at = "", part.start
        for start, end in labels[
            bisect_left(labels, (part.start, 0)) : bisect_left(labels, (part.end, 0))
        ]:
            text += block.content[at:start]
            at = end
        text += block.content[at : part.end]
        if "<" in text:
            text = without_object_ids(text)
        return _NOTE_MARK.sub("", text) if "[^" in text else text


def _labels_of(block: Block) -> Iterator[Range]:
    """Yield the ranges of the automatic labels of headings and list items in a block."""
    numbered = [(i, line.number) for i, line in enumerate(block.lines) if line.number]
    starts = line_starts(block.content) if numbered and numbered[-1][0] else [0]
    for i, label in numbered if len(starts) in (1, len(block.lines)) else ():
        marks = _HEADING_MARKS.match(block.content, starts[i])
        start = marks.end() if marks else starts[i]
        if block.content.startswith(label, start):
            yield start, start + len(label)


def without_object_ids(text: str) -> str:
    """Return the text without the ids and picture paths in its tags, which depend on the rest of
    the document and on its name.
    """
    return _TAG.sub(lambda tag: _FLEETING.sub("", tag[0]), text)


def _without(heading: str, number: str | None) -> str:
    return heading.removeprefix(number).lstrip() if number else heading


def _hash(text: str) -> str:
    return "chunk-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
