"""Load the JSON Schemas of docxchunk and validate values with the subset of JSON Schema (2020-12)
that they use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

import orjson

from docxchunk.markup.records.blocks import BLOCK, DOCUMENT
from docxchunk.markup.records.chunks import CHUNK, CHUNKS, FLAT
from docxchunk.markup.records.layout import Layout
from docxchunk.markup.records.objects import DRAWINGS, EQUATIONS, NOTES, REPORT, TABLES

Schema = Mapping[str, object]

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
    "flat": FLAT,
}
"""The layouts of the records in files and on their lines."""


@cache
def schema(name: str) -> Schema:
    """Return a schema by name: that of one of the `RECORDS`, action or question."""
    if name not in RECORDS:
        found: Schema = orjson.loads((folder() / f"{name}.schema.json").read_bytes())
        return found
    dialect = "https://json-schema.org/draft/2020-12/schema"
    rules = RECORDS[name].schema()
    return {"$schema": dialect, "title": name, "description": rules.pop("description"), **rules}


def folder() -> Path:
    """Return the folder of the schemas: in the installed package, or next to it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parent / "schemas"


def faults(value: object, rule: Schema, *, closed: bool = True) -> Iterator[str]:
    """Yield one sentence per violation of a schema. With `closed`, keys that the schema does not
    name are violations, too.
    """
    yield from _faults(value, rule, "", closed)


def _faults(value: object, rule: Schema, at: str, closed: bool) -> Iterator[str]:  # noqa: FBT001 - passed down
    if not _is_of(value, rule.get("type")):
        yield f"{at or 'the record'} is not of type {rule['type']}"
        return
    if "const" in rule and value != rule["const"]:
        yield f"{at} is {value!r}, not {rule['const']!r}"
    if _is_list(allowed := rule.get("enum")) and value not in allowed:
        yield f"{at} is {value!r}; it must be one of {', '.join(map(str, allowed))}"
    if _is_list(choices := rule.get("anyOf")) and all(
        next(_faults(value, choice, at, closed), None) for choice in choices if _is_object(choice)
    ):
        yield f"{at} matches none of the alternatives"
    match value:
        case str():
            yield from _text_faults(value, rule, at)
        case int() | float():
            yield from _number_faults(value, rule, at)
        case list():
            yield from _list_faults(value, rule, at, closed)
        case dict():
            yield from _object_faults(value, rule, at, closed)


def _text_faults(value: str, rule: Schema, at: str) -> Iterator[str]:
    if len(value) < _number(rule, "minLength", 0):
        yield f"{at} is too short"
    if not re.search(str(rule.get("pattern", "")), value):
        yield f"{at} is {value[:60]!r}, which does not match {rule['pattern']}"


def _number_faults(value: float, rule: Schema, at: str) -> Iterator[str]:
    if not _number(rule, "minimum", value) <= value <= _number(rule, "maximum", value):
        yield f"{at} is {value}, out of range"


def _list_faults(value: Sequence[object], rule: Schema, at: str, closed: bool) -> Iterator[str]:  # noqa: FBT001
    if not _number(rule, "minItems", 0) <= len(value) <= _number(rule, "maxItems", len(value)):
        yield f"{at} has {len(value)} items"
    if _is_object(items := rule.get("items")):
        for number, item in enumerate(value):
            yield from _faults(item, items, f"{at}[{number}]", closed)


def _object_faults(value: Schema, rule: Schema, at: str, closed: bool) -> Iterator[str]:  # noqa: FBT001
    properties, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    required = rule.get("required", [])
    if _is_list(required):
        yield from (
            f"{at and at + ': '}{name!r} is missing" for name in required if name not in value
        )
    for name, item in value.items():
        inner = properties.get(name, others) if _is_object(properties) else others
        if _is_object(inner):
            yield from _faults(item, inner, f"{at and at + '.'}{name}", closed)
        elif closed and not inner:
            yield f"{at and at + ': '}{name!r} is an unknown key"


def _is_of(value: object, types: object) -> bool:
    """Return whether a value has one of the types. Unlike in Python, booleans are not numbers."""
    names = [types] if isinstance(types, str) else types
    if not _is_list(names):
        return True
    return any(
        isinstance(value, _TYPES[str(name)]) and isinstance(value, bool) <= (name == "boolean")
        for name in names
    )


def _number(rule: Schema, name: str, default: float) -> float:
    value = rule.get(name, default)
    return value if isinstance(value, (int, float)) else default


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _is_object(value: object) -> TypeGuard[Schema]:
    return isinstance(value, dict)
