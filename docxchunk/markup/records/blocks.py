"""Records of `.blocks.jsonl`: LightRAG's sidecar format 1.0 with additional keys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict

from docxchunk.markup.records.fields import Fields, Record, present
from docxchunk.model.blocks import Block, HeadingSource, Line, LineKind, Position, SessionType
from docxchunk.model.document import Document, Property
from docxchunk.model.options import (
    Convert,
    Embedded,
    Footnotes,
    HeadersFooters,
    Headings,
    Limits,
    ParseOptions,
    Strikethrough,
    TrackChanges,
)
from docxchunk.version import __version__

ENGINE = "docxchunk"
# how LightRAG's parsers mark the text before the first heading
_FOREIGN_PREFACE = ("Preface/Uncategorized", 1)
_NOWHERE = (-1, -1)  # no body elements: other parsers do not count them


def document_record(document: Document) -> Record:
    """Return the record of the first line of `.blocks.jsonl`."""
    record: Record = {
        "type": "meta",
        "format": "lightrag",
        "version": "1.0",
        "document_name": document.name,
        "document_format": document.format,
        "document_hash": document_hash(document.blocks),
        "table_file": bool(document.tables),
        "equation_file": bool(document.equations),
        "drawing_file": bool(document.drawings),
        "asset_dir": bool(document.assets),
        "split_option": {"fixlevel": 0},
        "blocks": len(document.blocks),
        "doc_id": document.doc_id,
        "parse_engine": document.engine,
        "doc_title": document.title,
    }
    if document.engine == ENGINE:
        record |= {"engine_version": __version__, "source_sha256": document.source_sha256}
    if document.options is not None:
        record["options"] = asdict(document.options)
    if document.describer:
        record["describer"] = document.describer
    if not document.structured:
        record["structured"] = False
    if document.properties:
        record["properties"] = dict(document.properties)
    return record


def document_hash(blocks: Iterable[Block]) -> str:
    """Return the hash of the merged text, as LightRAG computes it."""
    text = "\n\n".join(block.content for block in blocks)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def block_record(block: Block) -> Record:
    """Return the record of a content line."""
    return {
        "type": "content",
        "blockid": block.id,
        "format": "plain_text",
        "content": block.content,
        "heading": block.heading,
        "parent_headings": block.parent_headings,
        "level": block.level,
        "session_type": block.session_type,
        "table_slice": "none",
        "positions": [] if block.position is None else [position_record(block.position)],
        **present(
            number=block.number,
            heading_source=block.heading_source,
            confidence=block.confidence,
            page=block.page,
            lines=[line_record(line) for line in block.lines],
            refers_to=block.refers_to,
        ),
        **(
            {"page_is_estimate": block.page_is_estimate}
            if block.page is not None or block.page_is_estimate
            else {}
        ),
    }


def read_block(fields: Fields) -> Block:
    """Return the block of a content line, which docxchunk or another parser wrote. Raise
    SidecarError for a value of a wrong type.
    """
    heading, level = fields.text("heading"), fields.integer("level")
    preface = (heading, level) == _FOREIGN_PREFACE
    estimate = fields.flag("page_is_estimate")
    return Block(
        id=fields.text("blockid"),
        content=fields.text("content"),
        heading="" if preface else heading,
        parent_headings=fields.texts("parent_headings"),
        level=0 if preface else level,
        session_type=SessionType.PREFACE
        if preface
        else fields.member("session_type", SessionType, SessionType.BODY),
        number=fields.text_or_none("number"),
        heading_source=fields.member_or_none("heading_source", HeadingSource),
        confidence=fields.number_or_none("confidence"),
        page=fields.integer_or_none("page"),
        page_is_estimate=estimate,
        lines=tuple(read_line(line, estimate=estimate) for line in fields.records("lines")),
        position=next(map(read_position, _paragraph_positions(fields)), None),
        refers_to=fields.texts("refers_to"),
    )


def line_record(line: Line) -> Record:
    """Return the values of a line that differ from the defaults; {} for a plain line of text."""
    if line == _PLAIN:
        return {}
    kind = None if line.kind is LineKind.TEXT else line.kind
    record = present(
        kind=kind,
        paraid=line.para_id,
        style=line.style,
        number=line.number,
        depth=line.depth or None,
        bold=line.bold,
        page=line.page,
        turns=line.turns,
        links=line.links,
    )
    if line.page is not None or line.page_is_estimate:
        record["page_is_estimate"] = line.page_is_estimate
    if line.element is not None:
        record["index"] = line.element
    if line.paragraph is not None:
        record["paragraph"] = line.paragraph
    return record


_PLAIN = Line()


def read_line(fields: Fields, *, estimate: bool = False) -> Line:
    """Return the line. `estimate` tells whether its page is an estimate if the line does not: in
    files of earlier versions, only the block does.
    """
    return Line(
        kind=fields.member("kind", LineKind, LineKind.TEXT),
        para_id=fields.text_or_none("paraid"),
        style=fields.text_or_none("style"),
        number=fields.text_or_none("number"),
        depth=fields.integer("depth"),
        bold=fields.flag("bold"),
        page=fields.integer_or_none("page"),
        links=fields.texts("links"),
        element=fields.integer_or_none("index"),
        paragraph=fields.integer_or_none("paragraph"),
        page_is_estimate=fields.flag("page_is_estimate", default=estimate and "page" in fields),
        turns=fields.integers("turns"),
    )


def position_record(position: Position) -> Record:
    record: Record = {"type": "paraid", "range": [position.first, position.last]}
    if position.elements != _NOWHERE:
        record["index"] = position.elements
    if position.paragraphs is not None:
        record["paragraph"] = position.paragraphs
    return record


def read_position(fields: Fields) -> Position:
    first, last = (
        item if isinstance(item, str) else None for item in (*fields.items("range"), None, None)[:2]
    )
    return Position(
        first,
        last,
        fields.pair("index", _NOWHERE),
        fields.pair("paragraph", _NOWHERE) if "paragraph" in fields else None,
    )


def read_options(fields: Fields) -> ParseOptions:
    limits, normal = fields.record("limits"), asdict(Limits())
    return ParseOptions(
        track_changes=fields.member("track_changes", TrackChanges, TrackChanges.FINAL),
        comments=fields.flag("comments"),
        headers_footers=fields.member("headers_footers", HeadersFooters, HeadersFooters.NONE),
        hidden_text=fields.flag("hidden_text"),
        footnotes=fields.member("footnotes", Footnotes, Footnotes.INLINE),
        headings=fields.member("headings", Headings, Headings.AUTO),
        headings_in_tables=fields.flag("headings_in_tables"),
        embedded=fields.member("embedded", Embedded, Embedded.LIST),
        strikethrough=fields.member("strikethrough", Strikethrough, Strikethrough.KEEP),
        assets=fields.flag("assets", default=True),
        convert=fields.member("convert", Convert, Convert.NONE),
        limits=Limits(**{name: limits.integer(name, default) for name, default in normal.items()}),
    )


def read_properties(fields: Fields) -> dict[str, Property]:
    """Return the document properties in the first line of `.blocks.jsonl`."""
    return {
        name: value
        for name, value in fields.record("properties").scalars().items()
        if value is not None
    }


def _paragraph_positions(fields: Fields) -> list[Fields]:
    """Return the positions that are paragraphs. Other parsers also write pages and boxes of PDF
    files.
    """
    return [
        position for position in fields.records("positions") if position.text("type") == "paraid"
    ]
