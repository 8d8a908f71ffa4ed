"""Chunks of an input, written into its parsed folder or given as lines."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from docxchunk import api
from docxchunk.backends import is_file
from docxchunk.batch.inputs import Input
from docxchunk.batch.pool import Failed, run
from docxchunk.batch.traces import trace_records
from docxchunk.batch.work import ParseJob, Reading, document_of
from docxchunk.markup.records.blocks import document_hash
from docxchunk.markup.records.chunks import chunk_record
from docxchunk.markup.records.fields import Record, line
from docxchunk.model.document import Document
from docxchunk.model.ports import Tokenizer
from docxchunk.registry import Kind, find
from docxchunk.sidecar.paths import places_in
from docxchunk.sidecar.writer import write_lines

if TYPE_CHECKING:
    from docxchunk.chunking import Chunking


@dataclass(frozen=True, slots=True)
class Making:
    """How documents are chunked. `keep`: the result is written; else its lines come back."""

    strategy: str = "P"
    max_tokens: int = api.DEFAULT_MAX_TOKENS
    overlap: int = api.DEFAULT_OVERLAP
    tokenizer: str = api.DEFAULT_TOKENIZER
    contextualize: bool = False
    drop_toc: bool = False
    settings: dict[str, api.Setting] = field(default_factory=dict)
    trace: bool = False
    keep: bool = True


@dataclass(frozen=True, slots=True)
class ChunkJob:
    """An input to be chunked."""

    item: Input
    reading: Reading
    making: Making


@dataclass(frozen=True, slots=True)
class Chunked:
    """What became of an input. `path` is the file of chunks; `lines` and `trace` are JSON lines, where they were asked for."""

    path: str
    chunks: int
    tokens: int
    notes: tuple[str, ...] = ()
    lines: bytes = b""
    trace: bytes = b""


def check(making: Making) -> None:
    """Raises UsageError or MissingExtraError for what would be wrong with every input."""
    from docxchunk.chunking import Limits

    Limits(making.max_tokens, making.overlap, making.contextualize)
    api.named_strategy(making.strategy, making.settings)
    if not is_file(making.tokenizer):
        find(Kind.TOKENIZER, making.tokenizer)


def chunk_all(items: Sequence[Input], reading: Reading, making: Making, jobs: int) -> Iterator[tuple[Input, Chunked | Failed]]:
    """Chunks inputs, in order."""
    outcomes = run(chunk_one, [ChunkJob(item, reading, making) for item in items], jobs)
    return zip(items, outcomes, strict=True)


def chunk_one(job: ChunkJob) -> Chunked:
    logging.getLogger("docxchunk").addHandler(logging.NullHandler())  # what it warns of is told as a note
    making, document = job.making, document_of(ParseJob(job.item, job.reading), keep=job.making.keep)
    tokenizer = api.tokenizer(making.tokenizer)
    result = made(document, making, tokenizer)
    records = [chunk_record(chunk) for chunk in result.chunks]
    path = ""
    if making.keep:
        places = places_in(job.item.target, document.name)
        path = str(write_lines(places.chunks(making.strategy), [chunking_record(document, result, making.strategy, tokenizer), *records]))
    return Chunked(
        path=path,
        chunks=len(records),
        tokens=sum(chunk.tokens for chunk in result.chunks),
        notes=tuple(_notes(document, result, making)),
        lines=b"" if making.keep else b"".join(map(line, records)),
        trace=b"".join(map(line, trace_records(document, result.trace or ()))),
    )


def made(document: Document, making: Making, tokenizer: Tokenizer) -> Chunking:
    """The chunks of a document, and what they were made with."""
    return api.chunking(
        document,
        making.strategy,
        making.max_tokens,
        making.overlap,
        tokenizer,
        contextualize=making.contextualize,
        drop_toc=making.drop_toc,
        settings=making.settings,
        trace=making.trace,
    )


def chunking_record(document: Document, result: Chunking, strategy: str, tokenizer: Tokenizer) -> Record:
    """The first line of `.chunks.jsonl`."""
    return {
        "type": "meta",
        "strategy": strategy,
        "settings": dict(result.settings),
        "settings_hash": result.settings_hash,
        "tokenizer": tokenizer.name,
        "tokenizer_hash": tokenizer.fingerprint,
        "doc_id": document.doc_id,
        "document_hash": document_hash(document.blocks),
        "chunks": len(result.chunks),
        "structured": result.structured,
    }


def _notes(document: Document, result: Chunking, making: Making) -> Iterator[str]:
    """What a person should know of it."""
    if making.strategy == "P" and not result.structured:
        yield "Plain text has no structure that P could follow: chunked by R."
    elif making.strategy == "P" and len(result.chunks) > 1 and not any(block.level for block in document.blocks):
        yield "It has no headings to follow; --guess-headings may find some."
