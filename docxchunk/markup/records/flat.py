"""Flat records: chunks and units as scalars, for the metadata of vector stores."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Final

import orjson

from docxchunk.markup.citations import citation, para_id, paragraph_ranges, source_name
from docxchunk.markup.records import Record
from docxchunk.markup.records.chunks import CHUNK
from docxchunk.markup.records.layout import (
    TEXT,
    Flag,
    IfKnown,
    Key,
    Layout,
    Text,
    TextOrNull,
    Whole,
)
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import PROPERTIES, Property

FlatRecord = dict[str, Property]


def _flat(key: Key) -> Key:
    """Return the key for a flat record. There, lists and objects are stored as JSON text."""
    if isinstance(key.kind, TextOrNull):
        return IfKnown(key.name, TEXT, key.about)
    if isinstance(key.kind, (Text, Whole, Flag)):
        return key
    return Key(key.name, TEXT, f"JSON text: `{key.name}` of a chunk.", required=key.required)


def flat_keys(layout: Layout[Any]) -> tuple[Key, ...]:
    """Return the keys of the flat records of chunks or units, then the keys of a document."""
    return (
        *map(_flat, layout.keys),
        *(
            Key(f"doc_{name}", TEXT, f"The property `{name}` of the document.", required=False)
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
    Key("page", Whole(), "The first page.", required=False),
    Key(
        "paragraph",
        Whole(1),
        "The number of the first paragraph, as a reader counts; see `positions` of a chunk.",
        required=False,
    ),
    Key(
        "paraid",
        Text(least=1),
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
        "description": "A custom property of the document, with `doc_custom_` before its name.",
    },
)


def flat_record(
    chunk: Chunk, source: str | PathLike[str], properties: Mapping[str, Property] = {}
) -> FlatRecord:
    """Return a chunk as a record of strings, numbers and booleans.

    Lists and objects become JSON text, and missing values are left out. `source` is the name of the
    document. Each of the `properties` of the document becomes a field to filter by, such as
    `doc_author` or `doc_custom_Client`. The record also has `embed_text`, `source`, `page` (the
    first page), `paragraph` (the number of the first paragraph), `paraid` (the first w14:paraId),
    and `citation`, which combines them in one line. Raise UsageError for a source that is neither
    text nor a path.
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


def flat_metadata(chunk: Chunk, source: str, properties: Mapping[str, Property] = {}) -> FlatRecord:
    """Return `flat_record` without its texts, for stores that keep them separately."""
    flat = flat_record(chunk, source, properties)
    del flat["content"], flat["embed_text"]
    return flat
