"""The record of the first line of `.blocks.jsonl`: the document and the options of the parser."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import fields
from enum import StrEnum
from operator import not_
from typing import Any, Final

from docxchunk.markup.records import Fields
from docxchunk.markup.records.layout import (
    FLAG,
    TEXT,
    ByName,
    Constant,
    Flag,
    IfAny,
    IfKnown,
    Key,
    Kind,
    Layout,
    Scalar,
    Schema,
    Text,
    Whole,
    Word,
)
from docxchunk.model.blocks import Block
from docxchunk.model.document import PROPERTIES, Document, Property
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.version import __version__

ENGINE = "docxchunk"


SHA256: Final = Text(pattern="^[0-9a-f]{64}$")
PREFIXED_SHA256: Final = Text(pattern="^sha256:[0-9a-f]{64}$")


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
            omit=not_ if isinstance(field.default, bool) and field.metadata["newer"] else None,
        )
        for field in fields(kind)
    )
    return Layout(kind, *keys, *removed)


def _kind_of(default: object) -> Kind:
    """Return the kind of a setting. A record without the setting has its default."""
    if isinstance(default, StrEnum):
        return Word(type(default), default)
    if isinstance(default, Limits):
        kind: Kind = _settings(Limits)
    else:
        kind = Flag() if isinstance(default, bool) else Whole(0)
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


class _Properties(ByName):
    """The properties of a document by name. Values that are no string, number or boolean are left
    out.
    """

    def read(self, fields: Fields, name: str, value: object) -> dict[str, Property]:
        properties = fields.within(value or {}).scalars()
        return {key: item for key, item in properties.items() if item is not None}

    def schema(self) -> Schema:
        """Return the JSON Schema with the names of the standard properties."""
        standard = {name: Key(name, Text(least=1), about) for name, about in PROPERTIES.items()}
        custom = Key("", self.values, "A custom property, with `custom_` before its name.")
        return {
            "type": "object",
            "properties": {name: key.schema() for name, key in standard.items()},
            "additionalProperties": custom.schema(),
        }


_PROPERTIES: Final = _Properties(Scalar("string", "number", "boolean"))


DOCUMENT: Final = Layout(
    Document,
    Key("type", Constant("meta"), "Always the same."),
    Key("format", Constant("lightrag"), "Always the same."),
    Key("version", Constant("1.0"), "The version of the format."),
    Key("document_name", TEXT, "The name of the file.", field="name"),
    Key(
        "document_format",
        TEXT,
        "docx, docm, dotx or dotm; txt or md for plain text; doc or rtf for a converted file.",
        field="format",
    ),
    Key(
        "document_hash",
        PREFIXED_SHA256,
        "A hash of the contents of all blocks, joined by blank lines.",
        get=lambda document: document_hash(document.blocks),
    ),
    Key(
        "table_file",
        FLAG,
        "Whether there is a NAME.tables.json.",
        get=lambda document: bool(document.tables),
    ),
    Key(
        "equation_file",
        FLAG,
        "Whether there is a NAME.equations.json.",
        get=lambda document: bool(document.equations),
    ),
    Key(
        "drawing_file",
        FLAG,
        "Whether there is a NAME.drawings.json.",
        get=lambda document: bool(document.drawings),
    ),
    Key(
        "asset_dir",
        FLAG,
        "Whether there is a folder of pictures.",
        get=lambda document: bool(document.assets),
    ),
    Key(
        "split_option",
        Constant({"fixlevel": 0}, free=True),
        "Options of LightRAG's own parsers; always the same.",
        required=False,
    ),
    Key(
        "blocks",
        Whole(0),
        "The number of content lines that follow.",
        get=lambda document: len(document.blocks),
    ),
    Key("doc_id", TEXT, "The id of the document."),
    Key(
        "parse_engine",
        TEXT,
        "The name of the parser: docxchunk, or that of another program.",
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
        Text(pattern="^[0-9a-f]*$"),
        "The SHA-256 of the file that was parsed.",
        field="source_sha256",
        get=lambda document: document.source_sha256 if document.engine == ENGINE else None,
    ),
    IfKnown("options", OPTIONS, "The options of the parser."),
    IfKnown(
        "line_roles",
        Flag(only=True),
        "true if the lines have their `roles`. Absent in files of earlier versions.",
        get=lambda document: any(block.lines for block in document.blocks) or None,
    ),
    IfAny("describer", TEXT, "The name of the model that described the pictures."),
    Key(
        "structured",
        Flag(only=False),
        "false if the input was plain text, which is one block. Absent otherwise.",
        omit=bool,
    ),
    IfAny(
        "properties",
        _PROPERTIES,
        "The core, extended and custom properties of the document that have a value.",
    ),
    IfKnown(
        "parse_time",
        TEXT,
        "The time of parsing. Only other programs write it.",
        get=added_later,
    ),
    IfKnown(
        "contents_sha256",
        SHA256,
        "The SHA-256 of the other fields of this line, of the lines that follow, and of the other "
        "files of the folder, except chunk files. It shows whether they were changed.",
        get=added_later,
    ),
    about="Line 1 of NAME.blocks.jsonl.",
)


def document_hash(blocks: Iterable[Block]) -> str:
    """Return the hash of the merged text, as LightRAG computes it."""
    text = "\n\n".join(block.content for block in blocks)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def read_properties(fields: Fields) -> dict[str, Property]:
    """Return the document properties in the first line of `.blocks.jsonl`."""
    return _PROPERTIES.read(fields, "properties", fields.record("properties").as_record())
