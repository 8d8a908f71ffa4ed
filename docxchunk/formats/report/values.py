"""What a report is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """The chunks that one strategy made of a document. `name` is that of the strategy; no two sets of a report have the same."""

    name: str
    cap: int
    tokenizer: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class BlockText:
    """A block with its number in the document, from 0, and where its lines begin."""

    number: int
    content: str
    level: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """What the text of a chunk may need to be shown. `key` is that of its set: ids in the page begin with it."""

    document: Document
    blocks: Mapping[str, BlockText]
    pictures: Mapping[str, str]  # `data:` URIs by the name of their asset
    table_numbers: Mapping[str, int]  # from 1
    key: str = ""


def setting_of(document: Document, pictures: Mapping[str, str]) -> Setting:
    numbers = {identifier: number for number, identifier in enumerate(document.tables.keys(), 1)}
    blocks = {block.id: BlockText(number, block.content, block.level, _line_starts(block.content)) for number, block in enumerate(document.blocks)}
    return Setting(document, blocks, pictures, numbers)


def key_of(number: int, chunk_set: ChunkSet) -> str:
    """What the ids of a set begin with: its name where that can stand in an address."""
    return chunk_set.name if chunk_set.name.isascii() and chunk_set.name.isalpha() else f"set{number}"


def _line_starts(content: str) -> tuple[int, ...]:
    return tuple(accumulate((len(line) + 1 for line in content.split("\n")[:-1]), initial=0))
