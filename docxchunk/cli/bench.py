"""The command `docxchunk bench`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from docxchunk.backends.loading import ModelChoice
from docxchunk.cli.options import models as model_options
from docxchunk.cli.options import numbers
from docxchunk.cli.printing import DIM, STRONG, grid, heading, indented, plain
from docxchunk.errors import UsageError
from docxchunk.model.wording import counted

if TYPE_CHECKING:
    from docxchunk.lab.bench.speed import SpeedReport

EXAMPLES = """\b
Examples:
  docxchunk bench speed *.docx
  docxchunk bench speed *.docx -s P -n 2000,400,200
  docxchunk bench models --embedder FOLDER
  docxchunk bench models --scorer FOLDER --device cuda --texts 5000"""


@click.group(epilog=EXAMPLES)
def command() -> None:
    """Measure the speed on this machine, relative to a lower bound."""


@command.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    default=("P", "R"),
    metavar="NAME",
    help="Strategy to measure. Can be repeated.",
)
@click.option(
    "--max-tokens",
    "-n",
    "sizes",
    default="2000",
    show_default=True,
    callback=numbers,
    metavar="N,...",
    help="Chunk sizes to measure.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Number of rounds; the fastest one counts.",
)
def speed(
    *, files: tuple[Path, ...], strategies: tuple[str, ...], sizes: tuple[int, ...], rounds: int
) -> None:
    """Measure the CPU time of reading and chunking all FILEs.

    Reading is compared with decompressing the files and parsing their XML. Chunking is compared
    with encoding their text once. The table also shows the peak memory of a process that reads the
    files, and the share of their words that it kept.
    """
    from docxchunk.lab.bench.speed import speed as measure

    show(measure(files, strategies, rounds, sizes))


def show(report: SpeedReport) -> None:
    heading(f"Reading {counted(report.words, 'word')}")
    table = grid("-", ">", ">", ">", ">", "-")
    table.add_row("", *(Text(title, DIM) for title in ("CPU", "ratio", "memory", "words kept", "")))
    for row in report.reading:
        failed = f"{row.failed} failed" if row.failed else ""
        share_kept = "·" if row.kept is None else f"{row.kept / max(1, report.words):.1%}"
        table.add_row(
            row.name,
            _milliseconds(row.seconds),
            _ratio(row.ratio),
            f"{row.memory / (1 << 20):,.0f} MiB",
            share_kept,
            Text(failed, DIM),
        )
    indented(table)
    heading("Chunking")
    table = grid("-", ">", ">")
    for step in report.chunking:
        table.add_row(step.name, _milliseconds(step.seconds), _ratio(step.ratio))
    indented(table)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms"


def _ratio(ratio: float) -> Text:
    return Text(f"{ratio:.2f} ×", STRONG)


texts_option = click.option(
    "--texts",
    type=click.IntRange(min=10),
    default=200,
    show_default=True,
    metavar="N",
    help="Number of sentences to process.",
)


@command.command("models")
@model_options
@texts_option
def model_rates(*, models: ModelChoice, texts: int) -> None:
    """Measure the throughput of models. Batches are compared with single texts, and with the speed
    of the machine in matrix multiplication.
    """
    from docxchunk.backends.loading import loaded
    from docxchunk.lab.bench.models import Rate, embedding_rates, scoring_rates

    rates: list[tuple[str, Rate]] = []
    embedder, scorer = loaded(models)
    if embedder is not None:
        rates += [(embedder.name, rate) for rate in embedding_rates(embedder, texts)]
    if scorer is not None:
        rates += [(scorer.name, rate) for rate in scoring_rates(scorer, texts)]
    if not rates:
        raise UsageError("There is nothing to measure: give --embedder or --scorer.")
    table = grid("-", "-", ">", ">", ">")
    table.add_row("", "", Text("tokens/s", DIM), Text("batched", DIM), Text("of peak", DIM))
    for name, rate in rates:
        share = f"{rate.share:.1%}" if rate.share is not None else "·"
        table.add_row(
            name,
            rate.name,
            f"{rate.tokens_a_second:,.0f}",
            Text(f"{rate.gain:.1f} ×", STRONG),
            share,
        )
    plain("")
    indented(table)
