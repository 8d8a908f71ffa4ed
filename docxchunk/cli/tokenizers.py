"""The command `docxchunk tokenizers`."""

from __future__ import annotations

import click
from rich.text import Text

from docxchunk import registry
from docxchunk.cli.printing import DIM, STRONG, grid, indented, plain


@click.command()
def command() -> None:
    """List the tokenizers."""
    plain("--tokenizer", STRONG)
    table = grid("-", "<")
    for name, entry in registry.entries(registry.PluginKind.TOKENIZER).items():
        table.add_row(name, Text(entry.summary, DIM))
    table.add_row("FILE", Text("A tokenizer.json or its folder (extra: tokenizers).", DIM))
    indented(table)
