"""The documentation names everything that can be set, read or met: options, fields, issues, errors, limits, strategies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

import click
import pytest
from pages import PAGES, ROOT, all_text, fences, rows, section, text
from written import SCHEMAS

import docxchunk as package
from docxchunk import errors
from docxchunk.chunking import P
from docxchunk.cli import docxchunk
from docxchunk.model.issues import IssueCode
from docxchunk.model.options import Limits
from docxchunk.reader.flow import Dropped

PACKAGE = Path(package.__file__).parent
GROUP = click.Context(docxchunk)
COMMANDS = {name: docxchunk.get_command(GROUP, name) for name in docxchunk.list_commands(GROUP)}
OF_OTHERS = {"--no-deps", "--quiet", "--editable", "--numprocesses", "--out", "--slow"}  # options of pip and pytest


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_and_options(name: str):
    assert any(f"`docxchunk {name}" in row[0] for row in rows(section("reference/cli.md", "## Commands")))
    options = rows(section("reference/cli.md", "## Options"))
    for option in (parameter for parameter in COMMANDS[name].params if isinstance(parameter, click.Option)):
        named = [row for row in options if all(re.search(rf"(?<![\w-]){re.escape(form)}(?![\w-])", row[0]) for form in option.opts)]
        assert named, f"{name} {option.opts}"
        assert re.search(rf"\b{name}\b|with PATH\.\.\.", named[0][1]), f"{option.opts} is not said to be an option of {name}"


def test_no_option_is_named_that_does_not_exist():
    there = {form for command in COMMANDS.values() for parameter in command.params for form in parameter.opts} | {"--help"} | OF_OTHERS
    groups = [command for command in COMMANDS.values() if isinstance(command, click.Group)]
    there |= {form for group in groups for command in group.commands.values() for parameter in command.params for form in parameter.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", all_text())) <= there


@pytest.mark.parametrize("code", ["0", "1", "2"])
def test_exit_codes(code: str):
    assert re.search(rf"\*\*{code}\*\*", text("reference/cli.md"))


def test_issue_codes():
    assert [row[0] for row in rows(text("reference/issues.md"))][1:] == [f"`{code}`" for code in IssueCode]


def test_limits_and_defaults():
    units = {"MiB": 1 << 20, "Mi": 1 << 20, "GiB": 1 << 30, "": 1}
    said = {}
    for name, default, _ in rows(section("reference/errors.md", "## Limits"))[1:]:
        number, _, unit = default.partition(" ")
        said[name.strip("`")] = int(number.replace(",", "")) * units[unit]
    assert said == asdict(Limits())


def test_errors():
    names = {name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == errors.__name__}
    assert {row[0].strip("`") for row in rows(section("reference/errors.md", "## Errors"))[1:]} == names


def test_settings_of_p():
    said = [row[0].strip("`") for row in rows(section("reference/strategies.md", "## P"))][1:]
    assert set(said) == {field.name for field in fields(P)}


def test_reasons_for_what_is_left_out():
    reasons = {value for name, value in vars(Dropped).items() if name.isupper()}
    assert {reason for reason in reasons if reason in " ".join(section("reference/files.md", "## Report").split())} == reasons


@pytest.mark.parametrize(("schema", "heading"), [("block", "## Blocks"), ("chunk", "## Chunks")])
def test_fields(schema: str, heading: str):
    rule = json.loads((SCHEMAS / f"{schema}.schema.json").read_text("utf-8"))
    said = section("reference/files.md", heading)
    assert [name for name in rule["properties"] if not re.search(rf"\b{name}\b", said)] == []


def test_the_words_of_fields():
    said = text("reference/files.md")
    for schema, *path in (("block", "session_type"), ("block", "heading_source"), ("block", "lines", "items"), ("chunk", "parts", "items")):
        rule = json.loads((SCHEMAS / f"{schema}.schema.json").read_text("utf-8"))
        for step in path:
            rule = rule["properties"][step] if step != "items" else rule["items"]
        words = [*rule.get("enum", ()), *_names(rule)]
        assert [word for word in words if not re.search(rf"\b{word}\b", said)] == []


def _names(rule: dict) -> Iterator[str]:
    yield from rule.get("properties", ())
    for inner in rule.get("anyOf", ()):
        yield from inner["properties"]
        yield from inner["properties"]["role"]["enum"]


def test_names_of_the_library():
    modules = {"adapters", "chunking", "testing"}
    code = "".join(code for page in PAGES for code in fences(page, "python")) + "".join(re.findall(r"`docxchunk\.[A-Z]\w+`", all_text()))
    names = set(re.findall(r"\bdocxchunk\.(\w+)", code))
    assert {"parse", "chunk", "write", "read", "tokenizer", "Limits"} <= names <= set(package.__all__) | modules


def test_places_of_the_code():
    said = re.findall(r"`((?:reader|chunking)/[\w/]+(?:\.py)?)/?`", all_text())
    assert said
    assert all((PACKAGE / path).exists() for path in said)


def test_the_example_of_an_element():
    """Each of its lines stands in the file that it is said to be in."""
    lines: set[str] = set()
    example = next(code for page in PAGES for code in fences(page, "text") if code.startswith("fixtures/cases/"))
    for line in example.splitlines():
        if line.startswith("    "):
            assert line.strip() in lines
        else:
            path = PACKAGE.parent / line if line.startswith("docxchunk/") else ROOT / line
            lines = {each.strip() for each in path.read_text("utf-8").splitlines()}
