"""Records of `.units.jsonl`."""

from __future__ import annotations

from typing import Final, NamedTuple

from docxchunk.markup.records.blocks import POSITION, SHA256
from docxchunk.markup.records.chunks import ADDED, CONTENTS_SHA256, SLICE
from docxchunk.markup.records.fields import Fields, Record
from docxchunk.markup.records.layout import (
    Constant,
    Either,
    Flag,
    Key,
    Layout,
    Several,
    Text,
    Whole,
    Word,
)
from docxchunk.model.chunks import Added, Slice
from docxchunk.model.units import Unit, UnitKind

UNIT: Final = Layout(
    Unit,
    Key(
        "unit_id",
        Text(least=1),
        "The id of the unit: a hash of the document id, the heading path and the text.",
    ),
    Key("chunk_id", Text(least=1), "The id of its chunk."),
    Key("doc_id", Text(), "The id of the document."),
    Key("section_id", Text(), "The id of its block."),
    Key("kind", Word(UnitKind, UnitKind.TEXT), "The kind of the text."),
    Key(
        "content",
        Text(),
        "The text to read. For a row: the header rows and the row, with bars between the cells.",
    ),
    Key(
        "parts",
        Several(Either({Slice: SLICE, Added: ADDED})),
        "Slices of blocks and added text, as in chunks. Their concatenation is the content.",
    ),
    Key(
        "index_text",
        Text(),
        "The text to search: heading path, caption of the table, and the text. Of a row, the text "
        'is "header: value" for each cell.',
    ),
    Key("tokens", Whole(0), "The number of tokens of the content."),
    Key("context", Text(), "The heading path: A > B > C."),
    Key("positions", Several(POSITION), "The paragraphs of the Word file that it was made from."),
    Key("pages", Several(Whole(0)), "The pages that have text of the unit."),
    Key("page_is_estimate", Flag(), "Whether some of the pages are estimates."),
    Key("citation", Text(), "Document, heading path, pages and paragraphs in one line."),
    about="A unit: every line of NAME.units.jsonl except the first.",
)


class _FirstLine(NamedTuple):
    """What the first line of `.units.jsonl` is about."""

    doc_id: str
    chunks_sha256: str
    units: int


UNITS: Final = Layout(
    _FirstLine,
    Key("type", Constant("meta"), "Always the same."),
    Key("format", Constant("docxchunk-units"), "The name of the format."),
    Key("version", Constant("1.0"), "The version of the format."),
    Key("doc_id", Text(), "The id of the document."),
    Key("chunks_sha256", SHA256, "The contents_sha256 of the chunk file."),
    Key("units", Whole(0), "The number of lines that follow."),
    CONTENTS_SHA256,
    about="Line 1 of NAME.units.jsonl.",
)


def units_record(doc_id: str, chunks_sha256: str, units: int) -> Record:
    """Return the record of the first line of `.units.jsonl`."""
    return UNITS.record(_FirstLine(doc_id, chunks_sha256, units))


def unit_record(unit: Unit) -> Record:
    """Return the record of a unit."""
    return UNIT.record(unit)


def read_unit(fields: Fields) -> Unit:
    """Return the unit of a record. Raise SidecarError for a value of a wrong type."""
    return UNIT.value(fields)
