"""The command `docxchunk mcp`."""

from __future__ import annotations

from pathlib import Path

import click

from docxchunk.cli import options as common
from docxchunk.errors import MissingExtraError
from docxchunk.registry import missing_extra

EXAMPLES = """\b
Example, the configuration of an MCP client:
  {"mcpServers": {"contracts":
    {"command": "docxchunk", "args": ["mcp", "/path/to/contracts"]}}}

\b
Tools: list_documents, outline, read_section, search (BM25), cite.
Extra: mcp."""


@click.command(epilog=EXAMPLES)
@click.argument("folder", type=common.GivenPath(path_type=Path), metavar="FOLDER")
def command(*, folder: Path) -> None:
    """Serve the documents of a folder to language models, over MCP on standard input and output.

    A model can list, read, search and cite the Word files and parsed folders below FOLDER. Other
    paths and symbolic links are refused, and nothing is written. Documents are parsed on request
    and kept in memory; a file that changes is read again.
    """
    try:
        from docxchunk.server.mcp import server
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "docxchunk":
            raise
        raise MissingExtraError(missing_extra("docxchunk mcp", missing, "mcp")) from error
    server(folder).run()
