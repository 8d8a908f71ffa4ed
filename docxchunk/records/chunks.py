"""Records of `.chunks.jsonl` and `.units.jsonl`, and flat records: chunks and units as scalars, for
the metadata of vector stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from operator import attrgetter
from os import PathLike
from typing import Any, Final, NamedTuple

import orjson

from docxchunk.content.citations import citation, para_id, paragraph_ranges, source_name
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Heading,
    Relevance,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
    Unit,
    UnitKind,
)
from docxchunk.model.document import PROPERTIES, Document, Property
from docxchunk.records import (
    FLAG,
    TEXT,
    TEXTS,
    VERSION,
    ByName,
    Either,
    Fields,
    Flag,
    IfAny,
    IfKnown,
    Integer,
    Json,
    Key,
    Layout,
    Real,
    Record,
    Several,
    String,
    TextOrNull,
    Unchanged,
    Word,
    constant,
)
from docxchunk.records.blocks import (
    DOC_ID,
    LEVEL,
    META,
    PARENT_HEADINGS,
    POSITION,
    PREFIXED_SHA256,
    SHA256,
    added_later,
    document_hash,
)
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


class ChunksLine(NamedTuple):
    """The values that are stored in the first line of `.chunks.jsonl`: also the names of the models
    that were used, by port, and notes about questions that they failed to answer.
    """

    provenance: Provenance
    settings: Mapping[str, Json]
    document: Document
    chunks: Sequence[Chunk]
    models: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


CONTENTS_SHA256: Final = IfKnown(
    "contents_sha256",
    SHA256,
    "The SHA-256 of the rest of this file. It shows whether it was changed.",
    get=added_later,
)
CHUNKS: Final = Layout(
    ChunksLine,
    META,
    constant(
        "format",
        FORMAT,
        "The name of the format.",
        required=False,
    ),
    constant("version", "1.0", "The version of the format.", required=False),
    Key("strategy", TEXT, "The name of the strategy.", field="provenance.strategy"),
    Key(
        "settings",
        ByName(Unchanged(type=["string", "integer", "number", "boolean", "null"])),
        "All settings that determine the chunks.",
    ),
    Key("settings_hash", TEXT, "A hash of the settings.", field="provenance.settings_hash"),
    IfAny(
        "models",
        ByName(TEXT),
        "The names of the models that were used: embedder, scorer, completer.",
    ),
    IfAny(
        "notes",
        TEXTS,
        "Questions that models failed to answer, and what was done instead.",
    ),
    IfAny(
        "situated_by",
        TEXT,
        "The fingerprint of the model that wrote the `situation` of each chunk.",
        field="provenance.situated_by",
    ),
    Key("tokenizer", TEXT, "The name of the tokenizer.", field="provenance.tokenizer"),
    Key(
        "tokenizer_hash",
        TEXT,
        "A hash of the vocabulary of the tokenizer.",
        field="provenance.tokenizer_hash",
    ),
    Key("doc_id", TEXT, "The id of the document.", field="document.doc_id"),
    Key(
        "document_hash",
        PREFIXED_SHA256,
        "A hash of the contents of all blocks.",
        get=lambda line: document_hash(line.document.blocks),
    ),
    Key(
        "blocks_sha256",
        SHA256,
        "The SHA-256 of the blocks and tables, with the id and title of the document.",
        field="provenance.blocks_sha256",
    ),
    Key("engine_version", TEXT, "The version of docxchunk.", field="provenance.engine_version"),
    Key(
        "chunks", Integer(0), "The number of lines that follow.", get=lambda line: len(line.chunks)
    ),
    Key(
        "total_tokens",
        Integer(0),
        "The number of tokens of all chunks.",
        get=lambda line: sum(chunk.tokens for chunk in line.chunks),
    ),
    Key("structured", FLAG, "false for plain text.", field="document.structured"),
    CONTENTS_SHA256,
    about="Line 1 of NAME.chunks.jsonl.",
)

HEADING: Final = Layout(
    Heading,
    Key("level", Integer(0), "The level of `heading`, 1 to 9; 0 before the first heading."),
    Key("heading", TEXT, "The text of the heading, with its number."),
)
SLICE: Final = Layout(
    Slice,
    Key("block", TEXT, "The id of the block."),
    Key("start", Integer(0), "The offset of its first character in the content of the block."),
    Key("end", Integer(0), "The offset after its last character."),
    Key("role", Word(SliceRole, SliceRole.TEXT), "Why the part is in the chunk."),
    IfKnown(
        "shown",
        TEXT,
        "The text that the chunk shows in place of these characters, if it differs. A `cell` has "
        "none: it is decoded from JSON or HTML.",
    ),
)
ADDED: Final = Layout(
    Added,
    Key("added", TEXT, "Text that is not in the block.", field="text"),
    Key("role", Word(AddedRole, AddedRole.JOIN), "Why the part is in the chunk."),
)
TABLE_ROWS: Final = Layout(
    TableRows,
    Key("id", TEXT, "The id of the table."),
    Key("rows", Several(Integer(0), 2, (0, 0)), "The first and last row, from 0."),
    Key(
        "role",
        Word(TableRole, TableRole.NONE),
        "Which slice of the table the chunk has. `none`: the whole table.",
    ),
)


RELEVANCE: Final = Layout(
    Relevance,
    Key(
        "score",
        Real(-1, 1),
        "The mean cosine similarity of its sentences.",
    ),
    Key("threshold", Real(), "The lowest score that counts as relevant in this document."),
    Key(
        "relevant", FLAG, "Whether the score is at least the threshold.", get=attrgetter("relevant")
    ),
)
_TOKENS: Final = Key("tokens", Integer(0), "The number of tokens of the content.")
_CONTEXT: Final = Key("context", TEXT, "The heading path: A > B > C.")
_PARTS: Final = Key(
    "parts",
    Several(Either({Slice: SLICE, Added: ADDED})),
    "Slices of blocks (offsets in code points) and added text. Together, they are the content.",
)
_POSITIONS: Final = Key(
    "positions",
    Several(POSITION),
    "The paragraphs of the Word file, without those of repeated text.",
)
_PAGES: Final = Key(
    "pages",
    Several(Integer(0)),
    "The pages that have its text. For tables, the pages on which their rows begin.",
)


# the first six keys are those of docs/design/staged-chunking.md
CHUNK: Final = Layout(
    Chunk,
    _TOKENS,
    Key("content", TEXT, "The text of the chunk."),
    Key("chunk_order_index", Integer(0), "The number of the chunk in the document, from 0."),
    Key(
        "heading",
        TEXT,
        "The heading under which the chunk begins; [part n] is appended if a block was split.",
    ),
    PARENT_HEADINGS,
    LEVEL,
    Key(
        "chunk_id",
        String(least=1),
        "The id of the chunk: a hash of the document id, the text and the settings.",
    ),
    DOC_ID,
    Key("headings", Several(HEADING), "All headings in the chunk."),
    _CONTEXT,
    Key("blocks", TEXTS, "The ids of its blocks, in document order."),
    _PARTS,
    _POSITIONS,
    _PAGES,
    Key(
        "page_is_estimate",
        FLAG,
        "Whether some of the pages are estimates. Files of version 0.2 have it only if it is true.",
        required=False,
    ),
    Key("tables", Several(TABLE_ROWS), "The tables in the chunk, whole or as slices."),
    IfAny(
        "table_heads",
        Several(Integer(0)),
        "For each table in the content, its number of header rows. Absent if none has any, and for "
        "pipe tables that `embed_text` shows as they are.",
    ),
    Key("prev", TextOrNull(), "The id of the chunk before."),
    Key("next", TextOrNull(), "The id of the chunk after."),
    IfAny(
        "label",
        TEXT,
        "For a part of a section: its first line, if it reads like a heading but is none.",
    ),
    IfAny(
        "embed_header",
        TEXT,
        "The title of the document and the headings that the content does not show, and the names "
        "of columns, groups and merged cells that have no room beside their rows: the beginning of "
        "`embed_text`.",
    ),
    IfAny(
        "situation",
        TEXT,
        "A model's sentence on the place of the chunk in its document: a part of `embed_text`.",
    ),
    IfAny("parent", TEXT, "The id of the larger chunk that contains this one."),
    IfAny("children", TEXTS, "The ids of the smaller chunks to search in place of this one."),
    IfAny(
        "propositions",
        TEXTS,
        "Facts that a model extracted from the content, for an index.",
    ),
    IfAny(
        "relevance",
        RELEVANCE,
        "How similar the chunk is to the summary of the document (strategy PIC).",
    ),
    about="A chunk: every line of NAME.chunks.jsonl except the first.",
)
_REQUIRED: Final = tuple(field.name for field in fields(Chunk) if field.default is MISSING)


def chunk_from_dict(record: Mapping[str, object]) -> Chunk:
    """Return the chunk of a record. Raise SidecarError if a key is missing or a value has the wrong
    type.
    """
    return CHUNK.value(Fields(record, "The chunk").requiring(_REQUIRED))


UNIT: Final = Layout(
    Unit,
    Key(
        "unit_id",
        String(least=1),
        "The id of the unit: a hash of the document id, the heading path and the text.",
    ),
    Key("chunk_id", String(least=1), "The id of its chunk."),
    DOC_ID,
    Key("section_id", TEXT, "The id of its block."),
    Key("kind", Word(UnitKind, UnitKind.TEXT), "The kind of the text."),
    Key(
        "content",
        TEXT,
        "The text to read. For a row: the header rows and the row, with bars between the cells.",
    ),
    _PARTS,
    Key(
        "index_text",
        TEXT,
        "The text to search: heading path, caption of the table, and the text. Of a row, the text "
        'is "header: value" for each cell.',
    ),
    _TOKENS,
    _CONTEXT,
    _POSITIONS,
    _PAGES,
    Key("page_is_estimate", FLAG, "Whether some of the pages are estimates."),
    Key("citation", TEXT, "Document, heading path, pages and paragraphs in one line."),
    about="A unit: every line of NAME.units.jsonl except the first.",
)


class UnitsLine(NamedTuple):
    """The values that are stored in the first line of `.units.jsonl`."""

    doc_id: str
    chunks_sha256: str
    units: int


UNITS: Final = Layout(
    UnitsLine,
    META,
    constant("format", "docxchunk-units", "The name of the format."),
    VERSION,
    DOC_ID,
    Key("chunks_sha256", SHA256, "The contents_sha256 of the chunk file."),
    Key("units", Integer(0), "The number of lines that follow."),
    CONTENTS_SHA256,
    about="Line 1 of NAME.units.jsonl.",
)


FlatRecord = dict[str, Property]


def _flat(key: Key) -> Key:
    """Return the key for a flat record. There, lists and objects are stored as JSON text."""
    if isinstance(key.kind, TextOrNull):
        return IfKnown(key.name, TEXT, key.about)
    if isinstance(key.kind, (String, Integer, Real, Flag)):
        return key
    return Key(key.name, TEXT, "The field of a chunk, as JSON text.", required=key.required)


def flat_keys(layout: Layout[Any]) -> tuple[Key, ...]:
    """Return the keys of the flat records of chunks or units, then the keys of a document."""
    return (
        *map(_flat, layout.keys),
        *(
            Key(f"doc_{name}", TEXT, "The property of the document.", required=False)
            for name in PROPERTIES
        ),
    )


EMBED_TEXT: Final = Key(
    "embed_text",
    TEXT,
    "The text to embed: `embed_header`, `situation` and the content in a readable form.",
)


CITATION_KEYS: Final = (
    Key("source", TEXT, "The name of the document, or the path of its file."),
    Key("page", Integer(), "The first page.", required=False),
    Key(
        "paragraph",
        Integer(1),
        "The number of the first paragraph, as in `positions`.",
        required=False,
    ),
    Key(
        "paraid",
        String(least=1),
        "The w14:paraId of the first paragraph that has one.",
        required=False,
    ),
    Key("citation", TEXT, "Source, heading path, pages and paragraphs in one line."),
)


FLAT: Final[Layout[Record]] = Layout(
    dict,
    *flat_keys(CHUNK),
    EMBED_TEXT,
    *CITATION_KEYS,
    about="A chunk as scalars (`docxchunk export --flat`, docxchunk.flat_record). "
    "Lists and objects are JSON text; missing values are left out.",
    others={
        "type": ["string", "number", "boolean"],
        "description": "A custom property of the document, with `doc_custom_` before its name, or "
        "a value of its metadata, with `doc_`.",
    },
)


def flat_record(
    chunk: Chunk, source: str | PathLike[str], properties: Mapping[str, Property] = {}
) -> FlatRecord:
    """Return a chunk as a record of strings, numbers and booleans.

    Lists and objects become JSON text, and missing values are left out. `source` is the name of the
    document. Each of the `properties` becomes a field to filter by: for those of the document,
    `doc_author` or `doc_custom_Client`; for its metadata, `doc_client`. The record also has
    `embed_text`, `source`, `page` (the first page), `paragraph` (the number of the first
    paragraph), `paraid` (the first w14:paraId), and `citation`, which combines them in one line.
    Raise UsageError for a source that is neither text nor a path.
    """
    flat = scalars(CHUNK.record(chunk), properties)
    flat["embed_text"] = chunk.embed_text
    flat["source"] = source_name(source)
    if chunk.pages:
        flat["page"] = chunk.pages[0]
    if ranges := paragraph_ranges(chunk):
        flat["paragraph"] = ranges[0][0]
    if paragraph_id := para_id(chunk):
        flat["paraid"] = paragraph_id
    flat["citation"] = citation(chunk, source)
    return flat


def scalars(record: Record, properties: Mapping[str, Property]) -> FlatRecord:
    """Return a record with its lists and objects as JSON text, without missing values, and with a
    field for each of `properties`, the properties of its document.
    """
    flat: FlatRecord = {}
    for name, value in record.items():
        if isinstance(value, (str, int, float)):
            flat[name] = value
        elif value is not None:
            flat[name] = orjson.dumps(value).decode()
    return flat | {f"doc_{name}": value for name, value in properties.items()}
