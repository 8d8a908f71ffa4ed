"""Generate sections of the documentation: commands, options, strategies and fields from the code,
figures from the suites.

A page marks such a part with `<!-- made: NAME -->` and `<!-- end -->`. `pytest tests/test_docs.py
--update-goldens` writes them anew.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import click

from benchmarks import comparison, pages, publish
from docxchunk import registry
from docxchunk.batch.validation import schema
from docxchunk.chunking.strategy import choices, default_settings, named_strategy
from docxchunk.cli import COMMANDS, docxchunk

SHARED = 4
"""Options with the same help in at least this many commands are listed once."""


def rewritten(page: str) -> str:
    """Return a page with its generated sections updated. Raise KeyError for an unknown section."""
    return pages.rewritten(page, _MAKERS)


class Row(NamedTuple):
    """An option as in the help: `name` is "-o, --out DIR"."""

    name: str
    meaning: str


def commands() -> dict[str, click.Command]:
    """Return all commands and groups by full name, in the order of the help."""
    return dict(_commands(docxchunk, "docxchunk"))


def _commands(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        yield f"{name} {each}", command
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {each}")


def _options(command: click.Command) -> list[Row]:
    context = click.Context(command)
    records = [
        option.get_help_record(context)
        for option in command.params
        if isinstance(option, click.Option)
    ]
    return [
        Row(name, " ".join(meaning.split()).replace("[", "\\["))
        for name, meaning in filter(None, records)
    ]


def _users() -> dict[Row, list[str]]:
    """Return the commands that have each option."""
    users: dict[Row, list[str]] = {}
    for name, command in commands().items():
        for option in _options(command):
            users.setdefault(option, []).append(name.removeprefix("docxchunk "))
    return users


def command_table() -> Iterator[str]:
    yield from _table(
        ("command", "what it does"),
        (
            (f"[`docxchunk {name}`](#docxchunk-{name})", summary)
            for name, summary in COMMANDS.items()
        ),
    )


def command_sections() -> Iterator[str]:
    shared = {option for option, users in _users().items() if len(users) >= SHARED}
    for name, command in commands().items():
        yield from _command(name, command, shared)


def _command(name: str, command: click.Command, shared: set[Row]) -> Iterator[str]:
    options = _options(command)
    yield from (f"### {name}", "", *_paragraphs(command.help or ""))
    yield from (
        "```text",
        f"{name} {' '.join(command.collect_usage_pieces(click.Context(command)))}",
        "```",
        "",
    )
    own = [(f"`{option.name}`", option.meaning) for option in options if option not in shared]
    if own:
        yield from (*_table(("option", "meaning"), own), "")
    others = [
        f"`{option.name.split(' ')[0].rstrip(',')}`" for option in options if option in shared
    ]
    if others:
        yield from (f"[Shared options](#shared-options): {', '.join(others)}.", "")
    yield from _paragraphs(command.epilog or "")


def _paragraphs(text: str) -> Iterator[str]:
    """Yield help as Markdown. Preformatted text becomes a code block; examples have a title
    line.
    """
    for paragraph in filter(None, inspect.cleandoc(text).split("\n\n")):
        if paragraph.startswith("\b\n"):
            title, *lines = paragraph.splitlines()[1:]
            titled = title.endswith(":")
            yield from (
                *((title, "") if titled else ()),
                "```text",
                *inspect.cleandoc("\n".join(lines if titled else (title, *lines))).splitlines(),
                "```",
                "",
            )
        else:
            yield from (" ".join(paragraph.split()), "")


def shared_options() -> Iterator[str]:
    kept = (
        (f"`{option.name}`", ", ".join(users), option.meaning)
        for option, users in _users().items()
        if len(users) >= SHARED
    )
    yield from _table(("option", "commands", "meaning"), kept)


def overview() -> Iterator[str]:
    """Yield a table of the strategies and the models they need."""
    entries = registry.ENTRIES[registry.PluginKind.STRATEGY]
    body = (
        (f"[`{name}`](#{_anchor(name)})", entry.summary, ", ".join(_asked(name)))
        for name, entry in entries.items()
    )
    yield from _table(("strategy", "what it does", "models"), body)


def strategies() -> Iterator[str]:
    """Yield a section for each strategy with its docstring and settings."""
    for name in registry.ENTRIES[registry.PluginKind.STRATEGY]:
        made = registry.load(registry.PluginKind.STRATEGY, name)
        yield from (f"### {name}", "", inspect.getdoc(made) or "", "")
        settings = [
            (f"`{setting}`", _shown(default), _values(default))
            for setting, default in default_settings(name)
        ]
        if settings:
            yield from (*_table(("setting", "default", "values"), settings), "")


def _asked(name: str) -> list[str]:
    return [f"`--{port}`" for port in named_strategy(name).models]


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _shown(default: object) -> str:
    text = str(default).lower() if isinstance(default, bool) else str(default)
    return f"`{text}`" if text else ""


def _values(default: object) -> str:
    return ", ".join(f"`{word}`" for word in choices(default)) or {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
    }.get(type(default), "text")


def fields(record: str) -> Iterator[str]:
    """Yield a table of the fields of a record, including nested ones."""
    yield from _table(("field", "type", "meaning"), _fields(schema(record), ""))


def _fields(rule: dict, path: str) -> Iterator[tuple[str, str, str]]:
    for name, inner in rule.get("properties", {}).items():
        yield f"`{path}{name}`", _type(inner), inner.get("description", "")
        yield from _inside(inner, f"{path}{name}")
    for inner in rule.get("anyOf", ()):
        yield from _fields(inner, path)


def _inside(rule: dict, path: str) -> Iterator[tuple[str, str, str]]:
    yield from _fields(rule, f"{path}.")
    for inner in (rule.get("items"), rule.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from _fields(inner, f"{path}[].")


def _type(rule: dict) -> str:
    if "const" in rule:
        return f"`{json.dumps(rule['const'])}`"
    if "enum" in rule:
        return ", ".join(f"`{word}`" if word else '`""`' for word in rule["enum"])
    kind = rule.get("type") or " or ".join(_type(inner) for inner in rule.get("anyOf", ())) or "any"
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    inner = rule.get("items")
    return f"{kind} of {_type(inner)}" if isinstance(inner, dict) else kind


def _table(head: Iterable[str], body: Iterable[Iterable[str]]) -> Iterator[str]:
    head = tuple(head)
    yield _line(head)
    yield _line("---" for _ in head)
    yield from (_line(cell.replace("|", "/") for cell in row) for row in body)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


_MAKERS: dict[str, Callable[..., Iterator[str]]] = {
    "commands": command_table,
    "sections": command_sections,
    "shared": shared_options,
    "overview": overview,
    "strategies": strategies,
    "fields": fields,
    "suites": publish.part,
    "comparison": comparison.part,
}
