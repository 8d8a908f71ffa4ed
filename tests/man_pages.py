"""Manual pages (man(7) of groff) from what the commands say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from docxchunk.cli import docxchunk
from docxchunk.cli.group import COMMANDS

STATUS = (("0", "All went well."), ("1", "At least one input failed; the others are done."), ("2", "Wrong usage."), ("130", "Ctrl-C."))


def pages() -> dict[str, str]:
    """The pages by the names of their files."""
    commands = dict(_commands(docxchunk, "docxchunk", click.Context(docxchunk)))
    return {f"{name.replace(' ', '-')}.1": "".join(f"{line}\n" for line in _page(name, command, list(commands))) for name, command in commands.items()}


def _commands(group: click.Group, name: str, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    yield name, group
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {each}", context)
        else:
            yield f"{name} {each}", command


def _page(name: str, command: click.Command, names: list[str]) -> Iterator[str]:
    context = click.Context(command, info_name=name, help_option_names=["-h", "--help"])
    title = name.replace(" ", "-")
    inside, _, rest = (command.help or "").partition("\n\n")
    summary = COMMANDS.get(name.removeprefix("docxchunk "), inside)
    yield f'.TH "{title.upper()}" "1" "" "docxchunk" "docxchunk"'
    yield from (".SH NAME", f"{_escaped(title)} \\- {_text(summary).rstrip('.')}")
    yield from (".SH SYNOPSIS", f".B {_escaped(name)}", _escaped(" ".join(command.collect_usage_pieces(context))))
    yield from (".SH DESCRIPTION", _text(inside))
    for paragraph in filter(None, rest.split("\n\n")):
        yield from (".PP", _text(paragraph))
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for each in names:
            if each.startswith(f"{name} "):
                yield from (".TP", f".BR {_escaped(each.replace(' ', '-'))} (1)")
    yield from (".SH OPTIONS", *_options(command, context))
    yield from _notes(command.epilog or "")
    yield from (".SH EXIT STATUS", *(line for code, meaning in STATUS for line in (".TP", f".B {code}", meaning)))
    others = [each for each in names if each != name]
    yield from (".SH SEE ALSO", ",\n".join(f".BR {_escaped(each.replace(' ', '-'))} (1)" for each in others).replace(",\n", " ,\n"))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield from (".TP", f".B {_escaped(record[0])}", _text(record[1]))


def _notes(epilog: str) -> Iterator[str]:
    """The examples, and whatever else stands below the options; what click leaves as it is stands as it is."""
    began = False
    for block in filter(None, epilog.split("\n\n")):
        literal, text = block.startswith("\b\n"), block.removeprefix("\b\n")
        if text.startswith("Examples:"):
            yield from (".SH EXAMPLES", ".nf", *map(_escaped, text.splitlines()[1:]), ".fi")
            continue
        yield ".PP" if began else ".SH NOTES"
        began = True
        yield from (".nf", *map(_escaped, text.splitlines()), ".fi") if literal else (_text(text),)


def _text(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _escaped(line: str) -> str:
    """As roff shows it just so: hyphens that can be copied, and no line that is taken for a request."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", line)
