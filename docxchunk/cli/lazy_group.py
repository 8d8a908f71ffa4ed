"""A command group that imports each command when it is called, so that `--help` is fast."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

import click

COMMANDS = {
    "parse": "Parse Word files into blocks.",
    "chunk": "Split Word files or parsed folders into chunks.",
    "show": "Show the outline, tables and issues of a document.",
    "report": "Write an HTML page that shows a document and its chunks.",
    "stats": "Show the size distribution of chunks.",
    "eval": "Compare strategies by how well they retrieve answers.",
    "diff": "Compare the chunks of two versions, to update an index.",
    "export": "Convert chunks to another format.",
    "mcp": "Serve the documents of a folder to language models (MCP).",
    "strategies": "List chunking strategies and their settings.",
    "tokenizers": "List the tokenizers.",
    "bench": "Measure the speed on this machine.",
    "search": "Find the places of documents that fit a question.",
    "validate": "Check the files of parsed folders.",
}


INTERRUPTED: Final = 130  # 128 + SIGINT, as in shells


class LazyGroup(click.Group):
    """A group whose commands are the attribute `command` of the module of the same name. Ctrl-C
    exits with code 130.
    """

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
