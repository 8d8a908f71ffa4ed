"""Small documents, and a tokenizer that counts words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from docxchunk.chunking import Chunking, ChunkLimits, P, PStaged, run
from docxchunk.content.tags import table_tag
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.document import Document
from docxchunk.model.objects import Table, TableFormat


class Words:
    """One token per word and per other character; line breaks count nothing."""

    name = "words"
    fingerprint = "test:words"
    additive_over_newlines = True

    def count(self, text: str) -> int:
        return len(re.findall(r"[^\W_]+|[^\w\s]|_", text))


WORDS = Words()


def words(count: int, word: str = "word") -> str:
    """Return sentences of ten words, `count` words in all, without punctuation."""
    return " ".join([word] * count)


def block(
    heading: str,
    body: str = "",
    level: int = 1,
    parents: Sequence[str] = (),
    *,
    known: bool = False,
) -> Block:
    head = f"{'#' * min(level, 6)} {heading}" if level else ""
    content = "\n".join(text for text in (head, body) if text)
    texts = content.split("\n")
    kinds = [
        LineKind.HEADING
        if level and not i
        else LineKind.TABLE
        if text.startswith("<table")
        else LineKind.TEXT
        for i, text in enumerate(texts)
    ]
    lines = (
        tuple(Line(kind, para_id=f"{heading}-{i}") for i, kind in enumerate(kinds)) if known else ()
    )
    return Block(
        f"id-{heading}-{'-'.join(parents)}",
        content,
        heading if level else "",
        tuple(parents),
        level,
        lines=lines,
    )


def table(identifier: str, rows: list[list[str]], header_rows: int = 0) -> Table:
    header = json.dumps(rows[:header_rows]) if header_rows else None
    body = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
    return Table(identifier, "", "", (), len(rows), len(rows[0]), TableFormat.JSON, body, header)


def html_table(identifier: str, body: str, rows: int, header: str | None = None) -> Table:
    return Table(identifier, "", "", (), rows, 2, TableFormat.HTML, body, header)


def tag(made: Table) -> str:
    return table_tag(made.id, made.format, made.content)


def document(*blocks: Block, tables: Sequence[Table] = (), structured: bool = True) -> Document:
    return Document(
        "made.docx",
        "docx",
        "doc-made",
        "",
        tuple(blocks),
        tables={made.id: made for made in tables},
        structured=structured,
    )


def chunked(made: Document, size: int = 2000, overlap: int = 100, **settings: object) -> Chunking:
    return run(made, P(**settings), ChunkLimits(size, overlap), WORDS, trace=True)


def staged(made: Document, size: int = 2000, overlap: int = 100, **settings: object) -> Chunking:
    return run(made, PStaged(**settings), ChunkLimits(size, overlap), WORDS, trace=True)
