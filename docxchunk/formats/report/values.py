"""Value types of the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.options import TrackChanges

_KEY: Final = re.compile(r"[A-Za-z]+( \d+)?")


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """The chunks of a document by one strategy. `name` is the strategy, with the size if several
    are compared: unique in a report.
    """

    name: str
    cap: int
    tokenizer: str
    chunks: tuple[Chunk, ...]

    def label(self, chunk: Chunk) -> str:
        """Return the display name of a chunk: the name of the set and its number from 1."""
        number = chunk.chunk_order_index + 1
        return (
            f"{self.name} · {number}" if self.name[-1:].isdigit() else f"{self.name}\u202f{number}"
        )


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """A block with its number in the document from 0, and the start offsets of its lines."""

    number: int
    content: str
    level: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The context for rendering chunks of a set. `key` is the prefix of its ids in the page."""

    document: Document
    blocks: Mapping[str, NumberedBlock]
    pictures: Mapping[str, str]  # `data:` URIs by the name of their asset
    table_numbers: Mapping[str, int]  # from 1
    key: str = ""

    @property
    def tracked(self) -> bool:
        """Whether the text contains marked tracked changes."""
        return (
            self.document.options is not None
            and self.document.options.track_changes is TrackChanges.ALL
        )


def setting_of(document: Document, pictures: Mapping[str, str]) -> RenderContext:
    numbers = {identifier: number for number, identifier in enumerate(document.tables.keys(), 1)}
    blocks = {
        block.id: NumberedBlock(number, block.content, block.level, _line_starts(block.content))
        for number, block in enumerate(document.blocks)
    }
    return RenderContext(document, blocks, pictures, numbers)


def key_of(number: int, chunk_set: ChunkSet) -> str:
    """Return the id prefix of a set: its name if that is valid in a URL fragment."""
    return chunk_set.name.replace(" ", "-") if _KEY.fullmatch(chunk_set.name) else f"set{number}"


def _line_starts(content: str) -> tuple[int, ...]:
    return tuple(accumulate((len(line) + 1 for line in content.split("\n")[:-1]), initial=0))


def counted(number: int, word: str) -> str:
    """Return a count with its noun: `1 block`, `2 blocks`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
