"""Validate the files of a parsed folder.

The records must match their JSON Schemas (2020-12; only the keywords that these schemas use are
supported). The documents and chunks must keep the invariants of `records.laws`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from docxchunk.batch.chunk_spec import tokenizer_named
from docxchunk.errors import DocxchunkError
from docxchunk.model.blocks import SessionType
from docxchunk.model.document import Document, IssueCode
from docxchunk.model.ports import Count
from docxchunk.records import Fields, Layout
from docxchunk.records.blocks import BLOCK, DOCUMENT, ENGINE, document_hash
from docxchunk.records.chunks import CHUNK, CHUNKS, FLAT, UNIT, UNITS
from docxchunk.records.laws import chunk_faults, document_faults, repeated
from docxchunk.records.objects import DRAWINGS, EQUATIONS, NOTES, REPORT, TABLES
from docxchunk.sidecar.chunks import ChunkFile, are_current_units, chunk_files, read_chunk_file
from docxchunk.sidecar.names import FolderPaths, open_file, units_beside
from docxchunk.sidecar.reader import content_hash, find_blocks, is_altered_folder, read, read_lines

JsonSchema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


RECORDS: Mapping[str, Layout[Any]] = {
    "document": DOCUMENT,
    "block": BLOCK,
    "tables": TABLES,
    "equations": EQUATIONS,
    "drawings": DRAWINGS,
    "notes": NOTES,
    "report": REPORT,
    "chunks": CHUNKS,
    "chunk": CHUNK,
    "units": UNITS,
    "unit": UNIT,
    "flat": FLAT,
}
"""The layouts of the records in files and on their lines."""


@cache
def schema(name: str) -> JsonSchema:
    """Return a schema by name: one of the `RECORDS`, "action" or "question"."""
    if name not in RECORDS:
        stored: JsonSchema = orjson.loads((folder() / f"{name}.schema.json").read_bytes())
        return stored
    dialect = "https://json-schema.org/draft/2020-12/schema"
    rules = RECORDS[name].schema()
    return {"$schema": dialect, "title": name, "description": rules.pop("description"), **rules}


def folder() -> Path:
    """Return the folder of the schemas: in the installed package, or next to it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parent / "schemas"


_KEYWORDS: Mapping[str, Callable[[Any, Any], object]] = {
    "const": operator.eq,
    "enum": lambda value, words: value in words,
    "minLength": lambda text, least: len(text) >= least,
    "pattern": lambda text, pattern: re.search(pattern, text),
    "minimum": operator.ge,
    "maximum": operator.le,
    "minItems": lambda items, least: len(items) >= least,
    "maxItems": lambda items, most: len(items) <= most,
}
"""Whether a value keeps a rule, for each keyword about a single value."""


def faults(value: object, rule: JsonSchema, at: str = "", *, closed: bool = True) -> Iterator[str]:
    """Yield one sentence per violation of a schema. `at` is the place of the value in its record.
    With `closed`, keys that the schema does not name are violations, too.
    """
    if "type" in rule and not _is_of(value, rule["type"]):
        yield f"{at or 'the record'} is not of type {rule['type']}"
        return
    for keyword, keeps in _KEYWORDS.items():
        if keyword in rule and not keeps(value, rule[keyword]):
            yield f"{at} is {value!r:.60}, against the rule {keyword} {rule[keyword]}"
    if "anyOf" in rule and all(
        next(faults(value, choice, at, closed=closed), None) for choice in rule["anyOf"]
    ):
        yield f"{at} matches none of the alternatives"
    if isinstance(value, list) and "items" in rule:
        for number, item in enumerate(value):
            yield from faults(item, rule["items"], f"{at}[{number}]", closed=closed)
    if isinstance(value, dict):
        yield from _object_faults(value, rule, at, closed=closed)


def _object_faults(value: JsonSchema, rule: JsonSchema, at: str, *, closed: bool) -> Iterator[str]:
    properties, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    for name in rule.get("required", ()):
        if name not in value:
            yield f"{at and at + ': '}{name!r} is missing"
    for name, item in value.items():
        inner = properties.get(name, others)
        if isinstance(inner, dict):
            yield from faults(item, inner, f"{at and at + '.'}{name}", closed=closed)
        elif closed and not inner:
            yield f"{at and at + ': '}{name!r} is an unknown key"


def _is_of(value: object, types: str | Sequence[str]) -> bool:
    """Return whether a value has one of the types. Unlike in Python, booleans are not numbers."""
    return any(
        isinstance(value, _TYPES[name]) and isinstance(value, bool) <= (name == "boolean")
        for name in ([types] if isinstance(types, str) else types)
    )


class Fault(NamedTuple):
    """A violation in a file. `line` is its number from 1; 0 if it concerns the whole file."""

    file: Path
    line: int
    sentence: str


def validate(path: Path) -> Iterator[Fault]:
    """Yield the faults of a parsed folder.

    Invariants are checked only if all files match their schemas.
    """
    paths = FolderPaths(find_blocks(path))
    schema_faults = list(_schema_faults(paths))
    yield from schema_faults
    if not schema_faults:
        document, digest = read(paths.blocks), content_hash(paths.blocks)
        for sentence in _document_faults(document, paths):
            yield Fault(paths.blocks, 0, sentence)
        for file in chunk_files(paths.folder):
            for sentence in _chunk_file_faults(document, digest, read_chunk_file(file)):
                yield Fault(file, 0, sentence)


def _schema_faults(paths: FolderPaths) -> Iterator[Fault]:
    # other parsers may add keys
    closed = next(read_lines(paths.blocks), Fields({}, "")).equals("parse_engine", ENGINE)
    yield from _line_faults(paths.blocks, schema("document"), schema("block"), closed=closed)
    for file in paths.records():
        if file.is_file():
            yield from _value_faults(
                file, 0, file.read_bytes(), schema(file.name.split(".")[-2]), closed=closed
            )
    for file in chunk_files(paths.folder):
        yield from _line_faults(file, schema("chunks"), schema("chunk"), closed=True)
        units = units_beside(file)
        if units.exists():
            yield from _line_faults(units, schema("units"), schema("unit"), closed=True)
            if not are_current_units(file):
                yield Fault(units, 0, "it was changed, or its chunks were: make the units again")


def _line_faults(
    file: Path, first: JsonSchema, others: JsonSchema, *, closed: bool
) -> Iterator[Fault]:
    with open_file(file) as lines:
        for number, line in enumerate(lines, 1):
            yield from _value_faults(
                file, number, line, first if number == 1 else others, closed=closed
            )


def _value_faults(
    file: Path, line: int, data: bytes, rule: JsonSchema, *, closed: bool
) -> Iterator[Fault]:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        yield Fault(file, line, f"is not JSON ({error})")
        return
    yield from (Fault(file, line, sentence) for sentence in faults(value, rule, closed=closed))


def _document_faults(document: Document, paths: FolderPaths) -> Iterator[str]:
    meta = next(read_lines(paths.blocks))
    yield from (issue.message for issue in document.issues if issue.code is IssueCode.LINE_IGNORED)
    if is_altered_folder(paths.blocks):
        yield "files of the folder were changed or removed after they were written"
    if meta.text("document_hash") != document_hash(document.blocks):
        yield "document_hash does not match the contents"
    blocks = (line for line in read_lines(paths.blocks) if line.text("type") == "content")
    yield from repeated("blockid", (line.text("blockid") for line in blocks))
    yield from document_faults(document)


def _chunk_file_faults(document: Document, digest: str, file: ChunkFile) -> Iterator[str]:
    if file.fault:
        yield file.fault
    if file.blocks_sha256 != digest:
        yield "The chunks belong to another version of the document: chunk it again."
        return
    chunked_blocks = (
        block
        for block in document.blocks
        if not (file.settings.get("drop_toc") and block.session_type is SessionType.TOC)
    )
    yield from chunk_faults(
        replace(document, blocks=tuple(chunked_blocks)),
        file.chunks,
        file.cap,
        _counter(file.tokenizer),
    )


def _counter(tokenizer: str) -> Count | None:
    """Return the counting function of a tokenizer; None if it is unknown, so that its counts are
    not checked.
    """
    try:
        return tokenizer_named(tokenizer).count
    except DocxchunkError:
        return None
