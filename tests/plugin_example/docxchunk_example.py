"""A strategy, a tokenizer and a format for docxchunk."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, ClassVar

from docxchunk.chunking import Assembler, ChunkLimits, Stage
from docxchunk.chunking.divide import pack_all
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.table_stages import slice_tables


@dataclass(frozen=True, slots=True)
class Sections:
    """Each section by itself, and what is over the limit as R would have it. `least` is the fewest
    tokens of a section that stands alone.
    """

    name: ClassVar[str] = "sections"
    models: ClassVar[tuple[str, ...]] = ()  # it asks none

    least: int = 0

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:
        rows = TableSizes.filling(assembler.smallest_limit)
        return (
            Stage("slice_tables", partial(slice_tables, assembler, rows)),
            Stage(
                "cut_sections", partial(cut_sections, assembler, min(self.least, limits.max_tokens))
            ),
        )


def cut_sections(assembler: Assembler, least: int, pieces: list[Piece]) -> list[Piece]:
    """Neighbours of fewer than `least` tokens stay together."""
    runs: list[list[Piece]] = []
    for piece in pieces:
        if runs and sum(each.tokens for each in runs[-1]) + piece.tokens < least:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return [piece for run in runs for piece in pack_all(assembler, run)]


class Letters:
    """Four letters a token, whatever they are."""

    name = "letters"
    fingerprint = "letters:4"
    additive_over_newlines = False

    def count(self, text: str) -> int:
        return -(-len(text) // 4)


def write_tsv(records: Iterable[Mapping[str, object]], file: BinaryIO) -> None:
    """Id, heading path and text, for a spreadsheet."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text, dialect="excel-tab")
    writer.writerow(("chunk_id", "context", "content"))
    writer.writerows(
        (record["chunk_id"], record["context"], record["content"]) for record in records
    )
    text.detach()
