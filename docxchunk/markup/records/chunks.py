"""Records of `.chunks.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from docxchunk.markup.records.blocks import document_hash, position_record, read_position
from docxchunk.markup.records.fields import Fields, Json, Record, present
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Heading,
    Part,
    Relevance,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
)
from docxchunk.model.document import Document
from docxchunk.version import __version__

FORMAT: Final = "docxchunk-chunks"


class Provenance(NamedTuple):
    """Settings and inputs of a chunking. If they are equal, so are the chunks."""

    strategy: str
    settings_hash: str
    tokenizer: str
    tokenizer_hash: str
    blocks_sha256: str  # of the blocks and tables, see `sidecar.reader.content_hash`
    engine_version: str = __version__
    situated_by: str = ""  # the fingerprint of the model that wrote the situations


class ModelNotes(NamedTuple):
    """The names of the models that were used, by port, and notes about questions that they failed
    to answer.
    """

    models: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


def chunks_record(
    made: Provenance,
    settings: Mapping[str, Json],
    document: Document,
    chunks: Sequence[Chunk],
    told: ModelNotes = ModelNotes(),  # noqa: B008 - a value
) -> Record:
    """Return the record of the first line of `.chunks.jsonl`."""
    return {
        "type": "meta",
        "format": FORMAT,
        "version": "1.0",
        "strategy": made.strategy,
        "settings": dict(settings),
        "settings_hash": made.settings_hash,
        **present(models=told.models, notes=told.notes, situated_by=made.situated_by),
        "tokenizer": made.tokenizer,
        "tokenizer_hash": made.tokenizer_hash,
        "doc_id": document.doc_id,
        "document_hash": document_hash(document.blocks),
        "blocks_sha256": made.blocks_sha256,
        "engine_version": made.engine_version,
        "chunks": len(chunks),
        "total_tokens": sum(chunk.tokens for chunk in chunks),
        "structured": document.structured,
    }


def chunk_record(chunk: Chunk) -> Record:
    """Return the record of a chunk: the six keys of docs/design/staged-chunking.md, then additional
    ones.
    """
    return {
        "tokens": chunk.tokens,
        "content": chunk.content,
        "chunk_order_index": chunk.chunk_order_index,
        "heading": chunk.heading,
        "parent_headings": chunk.parent_headings,
        "level": chunk.level,
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "headings": [heading._asdict() for heading in chunk.headings],
        "context": chunk.context,
        "blocks": chunk.blocks,
        "parts": [part_record(part) for part in chunk.parts],
        "positions": [position_record(position) for position in chunk.positions],
        "pages": chunk.pages,
        "page_is_estimate": chunk.page_is_estimate,
        "tables": [table._asdict() for table in chunk.tables],
        "prev": chunk.prev,
        "next": chunk.next,
        **present(
            label=chunk.label,
            embed_header=chunk.embed_header,
            situation=chunk.situation,
            parent=chunk.parent,
            children=chunk.children,
            propositions=chunk.propositions,
            relevance=_relevance_record(chunk.relevance),
        ),
    }


def read_chunk(fields: Fields) -> Chunk:
    return Chunk(
        tokens=fields.integer("tokens"),
        content=fields.text("content"),
        chunk_order_index=fields.integer("chunk_order_index"),
        heading=fields.text("heading"),
        parent_headings=fields.texts("parent_headings"),
        level=fields.integer("level"),
        chunk_id=fields.text("chunk_id"),
        doc_id=fields.text("doc_id"),
        headings=tuple(
            Heading(heading.integer("level"), heading.text("heading"))
            for heading in fields.records("headings")
        ),
        context=fields.text("context"),
        blocks=fields.texts("blocks"),
        parts=tuple(map(read_part, fields.records("parts"))),
        positions=tuple(map(read_position, fields.records("positions"))),
        pages=fields.integers("pages"),
        page_is_estimate=fields.flag("page_is_estimate"),
        tables=tuple(_read_rows(table) for table in fields.records("tables")),
        prev=fields.text_or_none("prev"),
        next=fields.text_or_none("next"),
        parent=fields.text_or_none("parent"),
        children=fields.texts("children"),
        propositions=fields.texts("propositions"),
        relevance=_read_relevance(fields.record("relevance")) if "relevance" in fields else None,
        label=fields.text("label"),
        embed_header=fields.text("embed_header"),
        situation=fields.text("situation"),
    )


def _relevance_record(relevance: Relevance | None) -> Record | None:
    return relevance and {**relevance._asdict(), "relevant": relevance.relevant}


def _read_relevance(fields: Fields) -> Relevance:
    return Relevance(fields.number("score"), fields.number("threshold"))


def part_record(part: Part) -> Record:
    if isinstance(part, Added):
        return {"added": part.text, "role": part.role}
    record = part._asdict()
    if part.shown is None:
        del record["shown"]
    return record


def read_part(fields: Fields) -> Part:
    if "added" in fields:
        return Added(fields.text("added"), fields.member("role", AddedRole, AddedRole.JOIN))
    return Slice(
        fields.text("block"),
        fields.integer("start"),
        fields.integer("end"),
        fields.member("role", SliceRole, SliceRole.TEXT),
        fields.text_or_none("shown"),
    )


def _read_rows(fields: Fields) -> TableRows:
    return TableRows(
        fields.text("id"),
        fields.pair("rows", (0, 0)),
        fields.member("role", TableRole, TableRole.NONE),
    )
