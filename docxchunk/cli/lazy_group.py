"""A group whose commands are imported when they are called, so that `--help` is quick."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

import click

COMMANDS = {
    "parse": "Turn Word files into blocks.",
    "chunk": "Turn Word files, or parsed ones, into chunks.",
    "show": "Show what is in a document.",
    "report": "Write a page that shows a document and its chunks.",
    "stats": "Show how large its chunks are.",
    "eval": "Measure which way to chunk finds the answers.",
    "diff": "Show what changed between two versions, for an index to follow.",
    "export": "Write chunks in another format.",
    "mcp": "Serve the documents of a folder to language models.",
    "strategies": "List the ways to chunk, with their settings.",
    "tokenizers": "List what can count tokens.",
    "bench": "Measure how fast it is here.",
    "validate": "Check files that were written.",
}


INTERRUPTED: Final = 130  # 128 and SIGINT, as shells have it


class LazyGroup(click.Group):
    """Each command is the attribute `command` of the module of its name in this package. Ctrl-C ends in exit code 130."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"docxchunk.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
