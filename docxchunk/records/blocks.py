"""Records of `.blocks.jsonl`: LightRAG's sidecar format 1.0 with additional keys. The first line is
about the document and the options of the parser, each other line is a block.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from enum import StrEnum
from functools import partial
from operator import attrgetter, not_
from typing import Any, Final

from docxchunk.errors import SidecarError, UsageError
from docxchunk.model.blocks import (
    UNKNOWN_ROLES,
    Block,
    HeadingSource,
    Line,
    LineKind,
    LineRole,
    Position,
    SessionType,
)
from docxchunk.model.document import PROPERTIES, Document, Property
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.model.rules import Rules
from docxchunk.records import (
    FLAG,
    TEXT,
    TEXTS,
    VERSION,
    ByName,
    Fields,
    Flag,
    IfAny,
    IfKnown,
    Integer,
    Key,
    Layout,
    Real,
    Schema,
    Several,
    String,
    TextOrNull,
    Unchanged,
    ValueKind,
    Word,
    constant,
)
from docxchunk.version import __version__

META: Final = constant("type", "meta", "Always the same.")
DOC_ID: Final = Key("doc_id", TEXT, "The id of the document.")
PARENT_HEADINGS: Final = Key(
    "parent_headings",
    TEXTS,
    "The headings above, from the top level down, as in `heading` of their blocks.",
)
LEVEL: Final = Key(
    "level", Integer(0, 9), "The level of `heading`, 1 to 9; 0 before the first heading."
)
# how LightRAG's parsers mark the text before the first heading
_FOREIGN_PREFACE: Final = ("Preface/Uncategorized", 1)
_NOWHERE: Final = (-1, -1)  # no body elements: other parsers do not count them


class _IdRange(Several):
    """The first and last w14:paraId. Other programs may write fewer, or more."""

    def read(self, fields: Fields, name: str, value: object) -> Any:
        return (*super().read(fields, name, value), None, None)[:2]


POSITION: Final = Layout(
    partial(Position, elements=_NOWHERE),
    constant("type", "paraid", "Always the same.", free=True),
    Key(
        "range",
        _IdRange(TextOrNull(), empty=(None, None)),
        "The w14:paraId of the first and last paragraph; null if Word wrote none.",
        field=("first", "last"),
        required=False,
    ),
    Key(
        "index",
        Several(Integer(), 2, _NOWHERE),
        "The indices of the first and last child of w:body, from 0.",
        field="elements",
        omit=_NOWHERE.__eq__,
    ),
    IfKnown(
        "paragraph",
        Several(Integer(1), 2, empty=None),
        "The numbers of the first and last paragraph, from 1, as a reader counts: with headings "
        "and list items, and a table as one.",
        field="paragraphs",
    ),
    about="The paragraphs of the Word file.",
    others=True,
)


class _PositionInList(Several):
    """The position of a block, in a list. Other parsers also write pages and boxes of PDF files."""

    def writer(self) -> Any:
        return lambda position: [] if position is None else [POSITION.record(position)]

    def read(self, fields: Fields, name: str, value: object) -> Position | None:
        positions = (fields.within(item) for item in fields.checked(name, value, list))
        ours = (position for position in positions if position.text("type") == "paraid")
        return next(map(POSITION.value, ours), None)


def _estimate(value: Line | Block) -> bool | None:
    """Return whether a page is an estimate; None if there is no page."""
    has_page = value.page is not None or value.page_is_estimate
    return value.page_is_estimate if has_page else None


def _page_is_estimate(field: str) -> Key:
    """Return the key `page_is_estimate`. Its value is the field `field` of a line. Without a field,
    it is written for a block, from its first line.
    """
    about = "Whether the page is an estimate; present if `page` is."
    return IfKnown("page_is_estimate", FLAG, about, field=field, get=_estimate)


LINE: Final = Layout(
    partial(Line, roles=()),
    Key(
        "kind",
        Word(LineKind, LineKind.TEXT, implied=True),
        "The kind of the line; absent: text.",
        omit=LineKind.TEXT.__eq__,
    ),
    IfAny("paraid", TEXT, "The w14:paraId of the paragraph.", field="para_id"),
    IfAny("style", TEXT, "The name of the paragraph style."),
    IfAny("number", TEXT, "The automatic label, as Word prints it."),
    IfAny("depth", Integer(1), "The list level, from 0; absent: 0."),
    IfAny("bold", Flag(only=True), "Whether every visible letter is bold."),
    IfAny("page", Integer(0), "The page on which the line begins."),
    IfAny("turns", Several(Integer(1)), "The offsets in the line at which new pages begin."),
    IfAny("links", TEXTS, "The targets of the hyperlinks in the line."),
    _page_is_estimate("page_is_estimate"),
    IfKnown("index", Integer(0), "The index of the child of w:body, from 0.", field="element"),
    IfKnown("paragraph", Integer(1), "The number of the paragraph, as in `positions`."),
    IfAny(
        "roles",
        Several(Word(LineRole, LineRole.UNKNOWN)),
        "What the line looks like: an `item` of a typed list, a `lead-in` (ends with a colon), a "
        '`division` (begins like "Article 4"), a `headline` (looks like a heading, but is none), '
        "`heading-like` (a headline that is also worded like a heading).",
    ),
    about="A line of the content. Values of a plain line of text are left out.",
)


def _block(*, heading: str, level: int, session_type: SessionType, **others: Any) -> Block:
    if (heading, level) == _FOREIGN_PREFACE:
        return Block(heading="", level=0, session_type=SessionType.PREFACE, **others)
    return Block(heading=heading, level=level, session_type=session_type, **others)


BLOCK: Final = Layout(
    _block,
    constant("type", "content", "Always the same; required by LightRAG's format."),
    Key(
        "blockid",
        String(least=1),
        "The id of the block. Edits elsewhere do not change it.",
        field="id",
    ),
    constant("format", "plain_text", "Always the same."),
    Key("content", TEXT, "The text, with tables, equations and pictures as tags."),
    Key(
        "heading",
        TEXT,
        "The heading, without # marks, and without the full stop or colon after the title of a "
        "clause. Empty before the first heading.",
    ),
    PARENT_HEADINGS,
    LEVEL,
    Key(
        "session_type",
        Word(SessionType, SessionType.BODY),
        "The part of the document.",
    ),
    constant("table_slice", "none", 'Always "none".', free=True),
    Key(
        "positions",
        _PositionInList(POSITION, empty=None),
        "The paragraphs of the Word file.",
        field="position",
    ),
    IfAny("number", TEXT, "The automatic number of the heading, as Word prints it."),
    IfAny("heading_source", Word(HeadingSource), "How the heading was recognised."),
    IfAny("confidence", Real(0, 1), "The estimated probability that an inferred heading is right."),
    IfAny("page", Integer(0), "The page on which the block begins.", get=attrgetter("page")),
    IfAny("lines", Several(LINE), "A record for each line of the content."),
    IfAny("refers_to", TEXTS, "The ids of the blocks that links and cross-references point to."),
    _page_is_estimate(""),
    about="A content line of NAME.blocks.jsonl: a heading and the text below it, up to the next "
    "heading.",
)


def read_block(fields: Fields, *, has_roles: bool = True) -> Block:
    """Return the block of a content line, which docxchunk or another parser wrote. Raise
    SidecarError for a value of a wrong type.

    In files of earlier versions, lines have no roles, and only the block tells whether the pages of
    its lines are estimates.
    """
    block = BLOCK.value(fields)
    if not has_roles:
        block = replace(
            block, lines=tuple([line._replace(roles=UNKNOWN_ROLES) for line in block.lines])
        )
    if not fields.equals("page_is_estimate", value=True) or not block.lines:
        return block
    records = fields.checked("lines", fields.as_record().get("lines"), list)
    lines = tuple(
        line._replace(page_is_estimate=True)
        if "page" in record and "page_is_estimate" not in record
        else line
        for line, record in zip(block.lines, map(fields.within, records), strict=True)
    )
    return replace(block, lines=lines)


def block_from_dict(record: Mapping[str, object]) -> Block:
    """Return the block of a record. Raise SidecarError if a key is missing or a value has the wrong
    type.
    """
    return read_block(Fields(record, "The block").requiring(("blockid", "content")))


ENGINE = "docxchunk"


SHA256: Final = String(pattern="^[0-9a-f]{64}$")
PREFIXED_SHA256: Final = String(pattern="^sha256:[0-9a-f]{64}$")


def _settings(kind: type[Any], *removed: Key) -> Layout[Any]:
    """Return the layout of a dataclass of settings, which `option` declares. `removed` are the keys
    of settings that only earlier versions have.
    """
    keys = (
        Key(
            field.name,
            _kind_of(field.default),
            field.metadata["about"],
            required=not field.metadata["newer"],
            # a newer option that is off is not part of the record
            omit=not_
            if isinstance(field.default, (bool, Rules)) and field.metadata["newer"]
            else None,
        )
        for field in fields(kind)
    )
    return Layout(kind, *keys, *removed)


class _Levels(ByName):
    """The levels of headings by the names of lines."""

    def read(self, fields: Fields, name: str, value: object) -> Rules:
        try:
            return Rules(super().read(fields, name, value))
        except UsageError as error:
            raise SidecarError(str(error)) from error


def _kind_of(default: object) -> ValueKind:
    """Return the kind of a setting. A record without the setting has its default."""
    if isinstance(default, StrEnum):
        return Word(type(default), default)
    if isinstance(default, Limits):
        kind: ValueKind = _settings(Limits)
    elif isinstance(default, Rules):
        kind = _Levels(Unchanged(type=["integer", "string"]))
    else:
        kind = Flag() if isinstance(default, bool) else Integer(0)
    kind.empty = default
    return kind


def added_later(_: object) -> None:
    """Return None: the value is added when the record is written."""


OPTIONS: Final[Layout[ParseOptions]] = _settings(
    ParseOptions,
    IfKnown(
        "embedded",
        TEXT,
        "How embedded Word and Excel files were treated. Only in files of version 0.2.",
        get=added_later,
    ),
)


class _Values(ByName):
    """Values by name. Values that are not text, a number or a boolean are left out."""

    def read(self, fields: Fields, name: str, value: object) -> dict[str, Property]:
        values = fields.within(value or {}).scalars()
        return {key: item for key, item in values.items() if item is not None}


class _PropertyValues(_Values):
    """The properties of a document by name."""

    def schema(self) -> Schema:
        """Return the JSON Schema with the names of the standard properties."""
        standard = {name: Key(name, String(least=1), about) for name, about in PROPERTIES.items()}
        custom = Key("", self.values, "A custom property, with `custom_` before its name.")
        return {
            "type": "object",
            "properties": {name: key.schema() for name, key in standard.items()},
            "additionalProperties": custom.schema(),
        }


_VALUE: Final = Unchanged(type=["string", "number", "boolean"])
_PROPERTIES: Final = _PropertyValues(_VALUE)
_METADATA: Final = _Values(_VALUE)


def _has_file(kind: str) -> Key:
    """Return the key that says whether a document has tables, equations or drawings."""
    return Key(
        f"{kind}_file",
        FLAG,
        "Whether there is a file of these objects.",
        get=lambda document: bool(getattr(document, f"{kind}s")),
    )


DOCUMENT: Final = Layout(
    Document,
    META,
    constant("format", "lightrag", "Always the same."),
    VERSION,
    Key("document_name", TEXT, "The name of the file.", field="name"),
    Key(
        "document_format",
        TEXT,
        "docx, docm, dotx or dotm; txt or md for plain text; doc, rtf or odt for a converted file.",
        field="format",
    ),
    Key(
        "document_hash",
        PREFIXED_SHA256,
        "A hash of the contents of all blocks.",
        get=lambda document: document_hash(document.blocks),
    ),
    *map(_has_file, ("table", "equation", "drawing")),
    Key(
        "asset_dir",
        FLAG,
        "Whether there is a folder of pictures.",
        get=lambda document: bool(document.assets),
    ),
    constant(
        "split_option",
        {"fixlevel": 0},
        "Always the same; required by LightRAG's format.",
        free=True,
        required=False,
    ),
    Key(
        "blocks",
        Integer(0),
        "The number of lines that follow.",
        get=lambda document: len(document.blocks),
    ),
    DOC_ID,
    Key(
        "parse_engine",
        TEXT,
        "The program that parsed the file, such as docxchunk.",
        field="engine",
    ),
    Key("doc_title", TEXT, "The title of the document.", field="title"),
    IfKnown(
        "engine_version",
        TEXT,
        "The version of docxchunk.",
        get=lambda document: __version__ if document.engine == ENGINE else None,
    ),
    IfKnown(
        "source_sha256",
        String(pattern="^[0-9a-f]*$"),
        "The SHA-256 of the file that was parsed.",
        field="source_sha256",
        get=lambda document: document.source_sha256 if document.engine == ENGINE else None,
    ),
    IfKnown("options", OPTIONS, "The options of the parser."),
    IfKnown(
        "line_roles",
        Flag(only=True),
        "true if lines have `roles`. Absent in files of earlier versions.",
        get=lambda document: any(block.lines for block in document.blocks) or None,
    ),
    IfAny("describer", TEXT, "The model that described the pictures."),
    Key(
        "structured",
        Flag(only=False),
        "false for plain text, which is one block; otherwise absent.",
        omit=bool,
    ),
    IfAny(
        "properties",
        _PROPERTIES,
        "The properties of the document that have a value. Names of custom ones begin with "
        "`custom_`.",
    ),
    IfAny(
        "metadata",
        _METADATA,
        "What the user has given for the document, such as its client (`--metadata`).",
    ),
    IfKnown(
        "parse_time",
        TEXT,
        "The time of parsing, if another program wrote the file.",
        get=added_later,
    ),
    IfKnown(
        "contents_sha256",
        SHA256,
        "The SHA-256 of the rest of this file and of the other files of the folder, except chunk "
        "files. It shows whether they were changed.",
        get=added_later,
    ),
    about="Line 1 of NAME.blocks.jsonl.",
)


def text_of(blocks: Iterable[Block]) -> str:
    """Return the text of all blocks, as LightRAG stores it."""
    return "\n\n".join(block.content for block in blocks)


def document_hash(blocks: Iterable[Block]) -> str:
    """Return the hash of the text of all blocks."""
    return hash_of_text(text_of(blocks))


def hash_of_text(text: str) -> str:
    """Return the SHA-256 of the text of a document, as LightRAG computes it."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def read_properties(fields: Fields) -> dict[str, Property]:
    """Return the document properties in the first line of `.blocks.jsonl`."""
    return _PROPERTIES.read(fields, "properties", fields.record("properties").as_record())


def metadata_in(fields: Fields) -> dict[str, Property]:
    """Return the metadata of the user in the first line of `.blocks.jsonl`."""
    return _METADATA.read(fields, "metadata", fields.record("metadata").as_record())
