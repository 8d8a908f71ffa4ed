"""The commands `docxchunk strategies` and `docxchunk tokenizers`, which list what can be chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from inspect import getdoc

import click
from rich.text import Text

from docxchunk import registry
from docxchunk.chunking.strategy import (
    choices,
    costs_of,
    default_settings,
    named_strategy,
)
from docxchunk.cli.options import option_name
from docxchunk.cli.printing import DIM, STRONG, grid, heading, indented, plain
from docxchunk.errors import DocxchunkError
from docxchunk.model.options import ChunkLimits
from docxchunk.model.wording import times


@click.command()
@click.argument("name", required=False)
def command(*, name: str | None) -> None:
    """List the chunking strategies with their settings and defaults.

    With NAME, describe this strategy and its settings.
    """
    strategies = registry.entries(registry.PluginKind.STRATEGY)
    if name is not None:
        strategies = {name: registry.find(registry.PluginKind.STRATEGY, name)}
    for strategy, entry in strategies.items():
        heading(strategy)
        plain(f"  {entry.summary}")
        try:
            _describe(strategy, in_full=name is not None)
        except DocxchunkError as error:
            plain(f"  {error}", DIM)
    heading("All strategies")
    table = grid("-", "-")
    for option in fields(ChunkLimits):
        default = "off" if option.default is False else str(option.default)
        table.add_row(option_name(option), Text(default, STRONG))
    indented(table)


def _describe(name: str, *, in_full: bool) -> None:
    """Print the costs and settings of a strategy, and its documentation if wanted in full. Raise
    MissingExtraError.
    """
    strategy = named_strategy(name)
    for cost in costs_of(strategy):
        prompt = f", and {cost.prompt} characters for each sentence" if cost.prompt else ""
        plain(
            f"  Asks a model, --{cost.port}, which reads the text about "
            f"{times(cost.times)}{prompt}",
            DIM,
        )
    table = grid("-", "-", "~")
    for setting, default in default_settings(name):
        table.add_row(
            Text(f"--set {setting}="),
            Text(_value_text(default), STRONG),
            Text(" | ".join(choices(default)), DIM),
        )
    if table.row_count:
        indented(table)
    if in_full:
        for paragraph in _paragraphs(getdoc(type(strategy)) or ""):
            plain("")
            indented(Text(paragraph))


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs and lists of a docstring. Lines of a paragraph or of a list item are
    joined.
    """
    for paragraph in text.replace("`", "").split("\n\n"):
        yield "\n".join(" ".join(item.split()) for item in re.split(r"\n(?=- )", paragraph))


def _value_text(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


@click.command("tokenizers")
def tokenizers() -> None:
    """List the tokenizers."""
    plain("--tokenizer", STRONG)
    table = grid("-", "<")
    for name, entry in registry.entries(registry.PluginKind.TOKENIZER).items():
        table.add_row(name, Text(entry.summary, DIM))
    table.add_row("FILE", Text("A tokenizer.json or its folder (extra: tokenizers).", DIM))
    indented(table)
