"""Records of `.units.jsonl`."""

from __future__ import annotations

from docxchunk.markup.records.blocks import position_record, read_position
from docxchunk.markup.records.chunks import part_record, read_part
from docxchunk.markup.records.fields import Fields, Record
from docxchunk.model.units import Unit, UnitKind


def unit_record(unit: Unit) -> Record:
    return {
        "unit_id": unit.unit_id,
        "chunk_id": unit.chunk_id,
        "doc_id": unit.doc_id,
        "section_id": unit.section_id,
        "kind": unit.kind,
        "content": unit.content,
        "parts": [part_record(part) for part in unit.parts],
        "index_text": unit.index_text,
        "tokens": unit.tokens,
        "context": unit.context,
        "positions": [position_record(position) for position in unit.positions],
        "pages": unit.pages,
        "page_is_estimate": unit.page_is_estimate,
        "citation": unit.citation,
    }


def read_unit(fields: Fields) -> Unit:
    return Unit(
        unit_id=fields.text("unit_id"),
        chunk_id=fields.text("chunk_id"),
        doc_id=fields.text("doc_id"),
        section_id=fields.text("section_id"),
        kind=fields.member("kind", UnitKind, UnitKind.TEXT),
        content=fields.text("content"),
        parts=tuple(map(read_part, fields.records("parts"))),
        index_text=fields.text("index_text"),
        tokens=fields.integer("tokens"),
        context=fields.text("context"),
        positions=tuple(map(read_position, fields.records("positions"))),
        pages=fields.integers("pages"),
        page_is_estimate=fields.flag("page_is_estimate"),
        citation=fields.text("citation"),
    )
