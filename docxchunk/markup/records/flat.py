"""Chunks as records of scalars, as vector stores want their metadata."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from docxchunk.markup.citations import citation, para_id, paragraph_ranges
from docxchunk.markup.records.chunks import chunk_record
from docxchunk.markup.records.fields import Record
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Property


def flat_record(chunk: Chunk, source: str, properties: Mapping[str, Property] = {}) -> Record:
    """The fields of a chunk; lists and objects as JSON text, what is missing left out. `source` is the name of its document.

    `properties` are those of the document, to filter by; each stands in the record as a field of its own: `doc_author`, `doc_custom_Client`.
    Besides: `source`, `page` (the first), `paragraph` (the first, as a reader counts), `paraid` (w14:paraId of the first that has one) and `citation`, which
    says all of it in a line.
    """
    flat: Record = {}
    for name, value in chunk_record(chunk).items():
        if isinstance(value, (str, int, float)):
            flat[name] = value
        elif value is not None:
            flat[name] = orjson.dumps(value).decode()
    flat |= {f"doc_{name}": value for name, value in properties.items()}
    flat["source"] = source
    if chunk.pages:
        flat["page"] = chunk.pages[0]
    if ranges := paragraph_ranges(chunk):
        flat["paragraph"] = ranges[0][0]
    if found := para_id(chunk):
        flat["paraid"] = found
    flat["citation"] = citation(chunk, source)
    return flat


def flat_metadata(chunk: Chunk, source: str, properties: Mapping[str, Property] = {}) -> Record:
    """`flat_record` without the text, for a store that keeps that apart."""
    flat = flat_record(chunk, source, properties)
    del flat["content"]
    return flat
