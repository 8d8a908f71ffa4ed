"""Map the characters of a chunk to their origin."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from docxchunk.formats.report.values import NumberedBlock, RenderContext
from docxchunk.markup.laws import shown
from docxchunk.model.chunks import Added, Chunk, Part, Slice, SliceRole


class PartRun(NamedTuple):
    """Characters [start, end) of a chunk's text from one part. `opens`: the part begins here."""

    start: int
    end: int
    part: Part
    opens: bool


class BlockPosition(NamedTuple):
    """An offset in a block."""

    block: NumberedBlock
    at: int


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The text of a chunk, its parts, and the offsets in `text` where they start."""

    text: str
    parts: tuple[Part, ...]
    starts: tuple[int, ...]

    def runs(self, start: int, end: int) -> Iterator[PartRun]:
        """Yield the runs of [start, end) in order."""
        number = self._number(start)
        while start < end:
            stop = self.starts[number + 1] if number + 1 < len(self.parts) else len(self.text)
            if stop > start:
                yield PartRun(
                    start, min(stop, end), self.parts[number], start == self.starts[number]
                )
            start, number = max(start, stop), number + 1

    def part_at(self, at: int) -> Part:
        return self.parts[self._number(at)]

    def place(self, at: int, setting: RenderContext) -> BlockPosition | None:
        """Return the position of a character in its block; for text in another form, that of its
        first character.

        None for added text and for decoded text of a table cell.
        """
        number = self._number(at)
        part = self.parts[number]
        if (
            isinstance(part, Added)
            or part.role is SliceRole.CELL
            or part.block not in setting.blocks
        ):
            return None
        return BlockPosition(
            setting.blocks[part.block],
            part.start + (at - self.starts[number] if part.shown is None else 0),
        )

    def _number(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1


def chunk_text(chunk: Chunk, setting: RenderContext) -> ChunkText:
    """Return the text of a chunk by its parts; as a single part if these do not add up to the
    content.
    """
    contents = {
        part.block: setting.blocks[part.block].content
        for part in chunk.parts
        if isinstance(part, Slice) and part.block in setting.blocks
    }
    texts = [shown(part, contents) for part in chunk.parts]
    if "".join(texts) != chunk.content:
        return ChunkText(chunk.content, (Slice("", 0, len(chunk.content)),), (0,))
    filled = [(part, text) for part, text in zip(chunk.parts, texts, strict=True) if text]
    starts = accumulate((len(text) for _, text in filled), initial=0)
    return ChunkText(chunk.content, tuple(part for part, _ in filled), tuple(starts)[:-1])
