"""The command `docxchunk mcp`."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.errors import UsageError
from docxchunk.model.metadata import Rows
from docxchunk.model.rules import Rules
from docxchunk.registry import extra_for

if TYPE_CHECKING:
    from docxchunk.server import Server


_EXAMPLES = """\b
Examples, the configuration of an MCP client and a server over HTTP:
  {"mcpServers": {"contracts":
    {"command": "docxchunk", "args": ["mcp", "/path/to/contracts"]}}}
  docxchunk mcp contracts --http 127.0.0.1:9000
  docxchunk mcp --skill > ~/.claude/skills/docxchunk/SKILL.md

Tools: list_documents, outline, read, search, find, define, references, cite, check_quotations,
list_changes, compare. Extra: mcp."""
_LOOPBACK = "127.0.0.1:8000"
_TOKEN = "DOCXCHUNK_MCP_TOKEN"  # noqa: S105 - the name of a variable


@common.command(epilog=_EXAMPLES)
@click.argument("folder", type=common.GivenPath(path_type=Path), metavar="FOLDER", required=False)
@click.option(
    "--http",
    is_flag=False,
    flag_value=_LOOPBACK,
    metavar="[HOST:PORT]",
    help=f"Serve over HTTP, at {_LOOPBACK} by default, with the token ${_TOKEN} or a new one.",
)
@common.flag(
    "--skill",
    help="Print a skill file, which tells agents how to use this.",
)
@common.rules
@common.metadata
def command(
    *, folder: Path | None, http: str | None, skill: bool, rules: Rules, metadata: Rows | None
) -> None:
    """Start an MCP server on standard input and output. Language models read a folder through it.

    A model can list, read, search and cite the Word files and parsed folders below FOLDER. Other
    paths and symbolic links are refused, and nothing is written into FOLDER. The index is that of
    docxchunk search. Documents that are new or have changed are read beside the answers.
    """
    from importlib import resources
    from secrets import token_urlsafe

    if skill:
        click.echo(resources.files("docxchunk").joinpath("SKILL.md").read_text("utf-8"), nl=False)
        return
    if folder is None:
        raise UsageError("There is no folder: give the one that contains the documents.")
    with extra_for("docxchunk mcp", "", "mcp"):
        from docxchunk.server import server
    token = os.environ.get(_TOKEN) or token_urlsafe()
    embedder = common.embedder_of_search(None, Reporter())
    served = server(
        folder, token if http else "", embedder=embedder, rules=rules, metadata=metadata
    )
    served.collection.listing(())  # begins to read them
    try:
        if http:
            _serve_http(served, http, "" if os.environ.get(_TOKEN) else token)
        else:
            # a thread waits for input; Python would wait for it after Ctrl-C
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            served.run()
    finally:
        served.collection.close()


def _serve_http(served: Server, address: str, new_token: str) -> None:
    """Serve at an address, and say where, with the token if it is new."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        import socket

        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, int(port)), family=family)
    except (OSError, ValueError) as error:
        raise UsageError(f"--http {address} cannot be used ({error}); it is HOST:PORT.") from error
    shown = f"[{host}]" if ":" in host else host
    Reporter().say(f"MCP over HTTP: http://{shown}:{listener.getsockname()[1]}/mcp")
    if new_token:
        Reporter().say(f"Authorization: Bearer {new_token}")
    served.serve(listener, shown)
