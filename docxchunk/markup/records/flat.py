"""Convert chunks to flat records, for the metadata of vector stores."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import orjson

from docxchunk.markup.citations import citation, para_id, paragraph_ranges, source_name
from docxchunk.markup.records.chunks import chunk_record
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Property

FlatRecord = dict[str, Property]


def flat_record(
    chunk: Chunk, source: str | PathLike[str], properties: Mapping[str, Property] = {}
) -> FlatRecord:
    """Return a chunk as a record of strings, numbers and booleans.

    Lists and objects become JSON text; missing values are left out. `source` is the name of the
    document. `properties` are the properties of the document; each becomes a field to filter by:
    `doc_author`, `doc_custom_Client`. Additional fields are `source`, `page` (the first),
    `paragraph` (the number of the first, as a reader counts), `paraid` (the first w14:paraId) and
    `citation`, which combines them in one line. Raise UsageError for a source that is neither text
    nor a path.
    """
    flat: FlatRecord = {}
    for name, value in chunk_record(chunk).items():
        if isinstance(value, (str, int, float)):
            flat[name] = value
        elif value is not None:
            flat[name] = orjson.dumps(value).decode()
    flat |= {f"doc_{name}": value for name, value in properties.items()}
    flat["source"] = source_name(source)
    if chunk.pages:
        flat["page"] = chunk.pages[0]
    if ranges := paragraph_ranges(chunk):
        flat["paragraph"] = ranges[0][0]
    if found := para_id(chunk):
        flat["paraid"] = found
    flat["citation"] = citation(chunk, source)
    return flat


def flat_metadata(chunk: Chunk, source: str, properties: Mapping[str, Property] = {}) -> FlatRecord:
    """Return `flat_record` without `content`, for stores that keep the text separately."""
    flat = flat_record(chunk, source, properties)
    del flat["content"]
    return flat
