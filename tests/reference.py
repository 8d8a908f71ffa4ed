"""Generate sections of the documentation: commands, options, strategies and fields from the code,
figures from the suites.

A page marks such a part with `<!-- made: NAME -->` and `<!-- end -->`. `pytest tests/test_docs.py
--update-goldens` writes them anew.
"""

from __future__ import annotations

import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import click

from benchmarks import comparison, pages, publish, tokenizers
from docxchunk import registry
from docxchunk.batch.validation import schema
from docxchunk.chunking.strategy import default_settings, named_strategy
from docxchunk.cli import GROUPS, docxchunk
from docxchunk.cli.options import Command

_MOST = 12
"""Values of a field are listed if they are at most this many."""


def rewritten(page: str) -> str:
    """Return a page with its generated sections updated. Raise KeyError for an unknown section."""
    return pages.rewritten(page, _MAKERS)


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


def options(command: click.Command) -> list[tuple[str, str, str]]:
    """Return the options of a command as in its `--help-all`: heading, "-o, --out DIR", meaning."""
    sections = command.sections(click.Context(command)) if isinstance(command, Command) else {}
    return [
        (heading, name, " ".join(meaning.split()).replace("[", "\\["))
        for heading, records in sections.items()
        for name, meaning in records.items()
        if "--help" not in name
    ]


def _shared() -> dict[tuple[str, str], str]:
    """Return the names and meanings of the options that several commands have, with headings."""
    every = [option for command in commands().values() for option in options(command)]
    times = Counter(each[1:] for each in every)
    last = {each[1:]: each[0] for each in reversed(every) if times[each[1:]] > 1}
    return dict(reversed(last.items()))


def command_list() -> Iterator[str]:
    for title, group in GROUPS.items():
        links = (f"[{name}](#docxchunk-{name})" for name in group)
        yield f"- {title}: {', '.join(links)}"


def command_sections() -> Iterator[str]:
    shared = _shared()
    for name, command in commands().items():
        usage = " ".join((name, *command.collect_usage_pieces(click.Context(command))[1:]))
        yield from (f"### {name}", "", *_paragraphs(command.help or ""), f"`{usage}`", "")
        also: dict[str, list[str]] = {}
        for _, option, meaning in options(command):
            if heading := shared.get((option, meaning)):
                also.setdefault(heading, []).append(f"`{re.split('[ ,]', option)[0]}`")
            else:
                yield f"- `{option}`: {meaning}"
        for heading, names in also.items():
            if heading != "Options" and names[1:]:
                names[:] = [f"[{heading}](#{_anchor(heading)})"]
        if also:
            yield f"- also {', '.join(chain(*also.values()))}"
        yield from ("", *_paragraphs(command.epilog or ""))


def _paragraphs(text: str) -> Iterator[str]:
    """Yield help as Markdown. Preformatted text, below a title, becomes a code block."""
    for paragraph in filter(None, inspect.cleandoc(text).split("\n\n")):
        if paragraph.startswith("\b\n"):
            title, *lines = paragraph.splitlines()[1:]
            yield from (title, "", "```text", *(line[2:] for line in lines), "```", "")
        else:
            yield from (" ".join(paragraph.split()), "")


def shared_options() -> Iterator[str]:
    """Yield a list for each heading."""
    shared = _shared()
    for heading in dict.fromkeys(shared.values()):
        several = (option for option in shared if shared[option] == heading)
        items = (f"- `{name}`: {meaning}" for name, meaning in several)
        yield from (f"### {heading}", "", *items, "")


def overview() -> Iterator[str]:
    """Yield a table of the strategies and the models they need."""
    entries = registry.ENTRIES[registry.PluginKind.STRATEGY]
    body = (
        (
            f"[`{name}`](#{_anchor(name)})",
            entry.summary,
            ", ".join(f"`--{port}`" for port in named_strategy(name).models),
        )
        for name, entry in entries.items()
    )
    yield from _table(("strategy", "what it does", "models"), body)


def strategies() -> Iterator[str]:
    """Yield a section for each strategy: its docstring, in which settings have their defaults, and
    the settings that are described with another strategy.
    """
    for name in registry.ENTRIES[registry.PluginKind.STRATEGY]:
        about = inspect.getdoc(registry.load(registry.PluginKind.STRATEGY, name)) or ""
        others = []
        for setting, default in default_settings(name):
            shown = f"`{setting}={default}`"
            about, described = re.subn(rf"(?m)^(- [^:\n]*)`{setting}`", rf"\1{shown}", about)
            others += [] if described else [shown]
        yield from (f"### {name}", "", about, "")
        if others:
            yield from (f"Defaults: {', '.join(others)}.", "")


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


_EARLIER = {
    "chunk": "block",
    "unit": "chunk",
    "flat": "chunk",
    "equations": "tables",
    "drawings": "tables",
}
"""Records that have fields of a record that is described before them on the page."""


def fields(record: str) -> Iterator[str]:
    """Yield a table of the fields of a record, including nested ones. Fields with the same meaning
    share a row, and so do those of the earlier record.
    """
    earlier = _EARLIER.get(record, "")
    rule = schema(earlier) if earlier else {}
    known = {(path.rpartition(".")[2], kind, meaning) for path, kind, meaning in _fields(rule, "")}
    same = "", f"As in [{earlier.title().rstrip('s')}s](#{earlier.rstrip('s')}s)."
    rows: dict[tuple[str, str], list[str]] = {}
    for path, *cells in _fields(schema(record), ""):
        is_known = (path.rpartition(".")[2], *cells) in known
        rows.setdefault(same if is_known else (*cells,), []).append(f"`{path}`")
    body = ((", ".join(paths), *cells) for cells, paths in rows.items())
    yield from _table(("field", "type", "meaning"), sorted(body, key=lambda row: not row[1]))


def _fields(rule: dict, path: str) -> Iterator[tuple[str, str, str]]:
    for name, inner in rule.get("properties", {}).items():
        about = inner.get("description", "")
        if name in ("options", "properties"):
            named = ", ".join(f"`{each}`" for each in inner["properties"])
            yield name, _type(inner), f"{about} Fields: {named}."
            continue
        yield f"{path}{name}", _type(inner), about
        yield from _fields(inner, f"{path}{name}.")
        for item in (inner.get("items"), inner.get("additionalProperties")):
            if isinstance(item, dict):
                yield from _fields(item, f"{path}{name}[].")
    for inner in rule.get("anyOf", ()):
        yield from _fields(inner, path)


def _type(rule: dict) -> str:
    if "const" in rule:
        return f"`{json.dumps(rule['const'])}`"
    if "enum" in rule:
        words = [f"`{word}`" for word in rule["enum"]]
        return "string" if words[_MOST:] else ", ".join(words)
    kinds = rule.get("type") or [*dict.fromkeys(map(_type, rule.get("anyOf", ())))]
    kind = " or ".join([kinds] if isinstance(kinds, str) else kinds)
    inner = rule.get("items")
    return f"{kind} of {_type(inner)}" if isinstance(inner, dict) else kind


def _table(head: Sequence[str], body: Iterable[Iterable[str]]) -> Iterator[str]:
    yield pages.row(*head)
    yield pages.row(*("---" for _ in head))
    yield from (pages.row(*(cell.replace("|", "/") for cell in row)) for row in body)


_MAKERS: dict[str, Callable[..., Iterator[str]]] = {
    "commands": command_list,
    "sections": command_sections,
    "shared": shared_options,
    "overview": overview,
    "strategies": strategies,
    "fields": fields,
    "suites": publish.part,
    "comparison": comparison.part,
    "tokenizers": tokenizers.part,
}
