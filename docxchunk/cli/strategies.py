"""The command `docxchunk strategies`."""

from __future__ import annotations

import click
from rich.text import Text

from docxchunk import api, registry
from docxchunk.chunking.pipeline import costs_of
from docxchunk.chunking.strategy_spec import choices, default_settings, named_strategy
from docxchunk.cli.model_progress import times
from docxchunk.cli.printing import DIM, STRONG, grid, heading, indented, plain
from docxchunk.errors import DocxchunkError

COMMON = (
    ("--max-tokens", str(api.DEFAULT_MAX_TOKENS)),
    ("--overlap", str(api.DEFAULT_OVERLAP)),
    ("--contextualize", "off"),
    ("--drop-toc", "off"),
    ("--tables", api.DEFAULT_TABLES),
    ("--reserve", "0"),
)


@click.command()
def command() -> None:
    """List the chunking strategies with their settings and defaults."""
    for name, entry in registry.entries(registry.PluginKind.STRATEGY).items():
        heading(name)
        plain(f"  {entry.summary}")
        try:
            settings = default_settings(name)
            costs = costs_of(named_strategy(name))
        except DocxchunkError as error:
            plain(f"  {error}", DIM)
            continue
        for cost in costs:
            prompt = f", and {cost.prompt} characters for each sentence" if cost.prompt else ""
            plain(f"  Asks a model, --{cost.port}, which reads the text about {times(cost.times)}{prompt}", DIM)
        table = grid("-", "-", "~")
        for setting, default in settings:
            table.add_row(Text(f"--set {setting}="), Text(_shown(default), STRONG), Text(" | ".join(choices(default)), DIM))
        if settings:
            indented(table)
    heading("All strategies")
    table = grid("-", "-")
    for option, default in COMMON:
        table.add_row(option, Text(default, STRONG))
    indented(table)


def _shown(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)
