"""The command `docxchunk mcp`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from docxchunk.cli import options as common
from docxchunk.errors import UsageError
from docxchunk.registry import extra_for

EXAMPLES = """\b
Example, the configuration of an MCP client:
  {"mcpServers": {"contracts":
    {"command": "docxchunk", "args": ["mcp", "/path/to/contracts"]}}}

\b
A skill for agents:
  docxchunk mcp --skill > ~/.claude/skills/docxchunk/SKILL.md

\b
Tools: list_documents, outline, read, search, find, define, references, cite.
Extra: mcp."""


@click.command(epilog=EXAMPLES)
@click.argument("folder", type=common.GivenPath(path_type=Path), metavar="FOLDER", required=False)
@click.option(
    "--skill",
    is_flag=True,
    help="Print a skill file, which tells an agent how to use the tools and commands.",
)
def command(*, folder: Path | None, skill: bool) -> None:
    """Serve the documents of a folder to language models, over MCP on standard input and output.

    A model can list, read, search and cite the Word files and parsed folders below FOLDER. Other
    paths and symbolic links are refused, and nothing is written. Documents are parsed on request
    and kept in memory. A file that changes is read again.
    """
    if skill:
        click.echo(
            resources.files("docxchunk").joinpath("server/SKILL.md").read_text("utf-8"), nl=False
        )
        return
    if folder is None:
        raise UsageError("There is no folder: give the one that contains the documents.")
    with extra_for("docxchunk mcp", "", "mcp"):
        from docxchunk.server.mcp import server
    server(folder).run()
