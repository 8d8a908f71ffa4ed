"""The JSON Schemas and the validation against them."""

from __future__ import annotations

import copy
import json
import random
import tomllib
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from written import SCHEMAS, blocks, chunks, tables, validator

from docxchunk.batch.validation import RECORDS, faults, folder, schema
from docxchunk.model.options import ParseOptions
from docxchunk.records import Fields
from docxchunk.records.blocks import BLOCK, OPTIONS
from docxchunk.records.chunks import CHUNK
from docxchunk.records.objects import TABLE

NAMES = sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.iterdir())
KNOWN = set(
    """
    type const enum anyOf properties required additionalProperties items minItems maxItems
    pattern minLength minimum maximum
""".split()
)
KNOWN |= {"$schema", "title", "description"}
records = blocks.map(lambda block: ("block", BLOCK.record(block))) | chunks.map(
    lambda chunk: ("chunk", CHUNK.record(chunk))
)
records |= tables.map(
    lambda table: ("tables", {"version": "1.0", "tables": {"tb": TABLE.record(table)}})
)


@pytest.mark.parametrize("name", RECORDS)
def test_schemas_are_those_of_the_records(name: str, matches: Callable[[Path, str], None]):
    text = json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"
    matches(SCHEMAS / f"{name}.schema.json", text)


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_valid_and_use_supported_keywords(name):
    Draft202012Validator.check_schema(validator(name).schema)
    assert schema(name) == validator(name).schema
    assert set(_keywords(schema(name))) <= KNOWN


def _keywords(rule):
    for key, value in rule.items():
        yield key
        inner = (
            list(value.values())
            if key == "properties"
            else value
            if key == "anyOf"
            else [value]
            if key in ("items", "additionalProperties")
            else []
        )
        for item in inner:
            if isinstance(item, dict):
                yield from _keywords(item)


@given(records, st.randoms(use_true_random=False))
def test_faults_agree_with_jsonschema(named, rnd):
    name, record = named
    value = orjson.loads(orjson.dumps(record))
    assert list(faults(value, schema(name))) == []
    _spoil(value, rnd)
    assert bool(list(faults(value, schema(name)))) == (not validator(name).is_valid(value))


def _spoil(value: dict | list, rnd: random.Random) -> None:
    """Change one value at a random place."""
    key = rnd.choice(list(value) if isinstance(value, dict) else range(len(value)))
    inner = value[key]
    if isinstance(inner, (dict, list)) and inner and rnd.random() < 0.7:
        _spoil(inner, rnd)
    elif rnd.random() < 0.3:
        del value[key]
    elif rnd.random() < 0.2 and isinstance(value, dict):
        value["odd"] = inner
    else:
        value[key] = copy.copy(rnd.choice([None, True, -1, 10, 0.5, "", "odd", [], [1], {}]))


def test_schemas_and_vocabularies_are_in_the_wheel():
    settings = tomllib.loads((SCHEMAS.parent / "pyproject.toml").read_text("utf-8"))
    assert settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"] == {
        "schemas": "docxchunk/schemas"
    }
    assert folder() in (SCHEMAS, Path(__import__("docxchunk").__file__).parent / "schemas")


def test_options_that_only_earlier_versions_have_are_valid_and_not_written():
    record = OPTIONS.record(ParseOptions()) | {"embedded": "read"}
    assert list(Draft202012Validator(OPTIONS.schema()).iter_errors(record)) == []
    assert OPTIONS.value(Fields(record, "options")) == ParseOptions()
    assert "embedded" not in OPTIONS.record(ParseOptions())
