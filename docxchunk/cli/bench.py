"""The command `docxchunk bench`."""

from __future__ import annotations

from pathlib import Path

import click
import orjson
from rich.text import Text

from docxchunk.backends.loading import ModelChoice
from docxchunk.cli import models as asked
from docxchunk.cli.console import counted
from docxchunk.cli.options import numbers
from docxchunk.cli.printing import DIM, STRONG, grid, heading, indented, plain
from docxchunk.errors import MissingExtraError, UsageError
from docxchunk.registry import missing_extra
from docxchunk.sidecar.atomic import new_file

EXAMPLES = """\b
Examples:
  docxchunk bench speed *.docx           compare with other readers
  docxchunk bench speed *.docx -s P -n 2000,400,200
  docxchunk bench models --embedder minilm
  docxchunk bench models --scorer FOLDER --device cuda --texts 5000
  docxchunk bench models --all --device cuda --texts 2000 -o card.json"""


@click.group(epilog=EXAMPLES)
def command() -> None:
    """Measure the speed on this machine, relative to a lower bound and to other readers."""


@command.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--strategy", "-s", "strategies", multiple=True, default=("P", "R"), metavar="NAME", help="Strategy to measure; repeatable.")
@click.option("--max-tokens", "-n", "sizes", default="2000", show_default=True, callback=numbers, metavar="N,...", help="Chunk sizes to measure.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True, metavar="N", help="Number of rounds; the fastest one counts.")
def speed(*, files: tuple[Path, ...], strategies: tuple[str, ...], sizes: tuple[int, ...], rounds: int) -> None:
    """Measure the CPU time of reading and chunking all FILEs.

    Reading is compared with inflating the files and parsing their XML; chunking is compared with encoding their text once. Other readers (python-docx, mammoth,
    markitdown, docling, unstructured, lightrag-hku, office-oxide, pandoc) are measured in the same rounds if they are installed. For each reader, the table
    also shows the peak memory of a process that reads the files, and the share of the words that it kept.
    """
    from docxchunk.bench.speed import speed as measure

    found = measure(files, strategies, rounds, sizes)
    heading(f"Reading {counted(found.words, 'word')}")
    table = grid("-", ">", ">", ">", ">", "-")
    table.add_row("", *(Text(title, DIM) for title in ("CPU", "ratio", "memory", "words kept", "")))
    for row in found.reading:
        failed = f"{row.failed} failed" if row.failed else ""
        kept = "·" if row.kept is None else f"{row.kept / max(1, found.words):.1%}"
        table.add_row(row.name, _milliseconds(row.seconds), _ratio(row.ratio), f"{row.memory / (1 << 20):,.0f} MiB", kept, Text(failed, DIM))
    indented(table)
    heading("Chunking")
    table = grid("-", ">", ">")
    for step in found.chunking:
        table.add_row(step.name, _milliseconds(step.seconds), _ratio(step.ratio))
    indented(table)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms"


def _ratio(ratio: float) -> Text:
    return Text(f"{ratio:.2f} ×", STRONG)


@command.command("models")
@asked.models
@click.option("--texts", type=click.IntRange(min=10), default=200, show_default=True, metavar="N", help="Number of sentences to process.")
@click.option("--all", "everything", is_flag=True, help="Run the full hardware benchmark, with random weights of real model shapes or with --scorer.")
@click.option(
    "--shape", "shapes", multiple=True, type=click.Choice(["tiny", "0.5B", "7B"]), help="With --all: shape of the random weights.  [default: 0.5B and 7B]"
)
@click.option("--minutes", type=click.FloatRange(min=0), default=8.0, show_default=True, metavar="N", help="With --all: begin no measurement after this time.")
@click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --all: write the results to FILE as JSON, and as Markdown beside it (.md), after each measurement.",
)
def answers(*, models: ModelChoice, texts: int, everything: bool, shapes: tuple[str, ...], minutes: float, out: Path | None) -> None:
    """Measure the throughput of models: batched against one by one, and as a share of the peak matrix multiplication throughput of the machine.

    --all needs no model: it uses random weights of real model shapes, or the model of --scorer, to measure throughput, all strategies that use models,
    recovery from out-of-memory, bfloat16 decisions against float32, and two processes at once. On a GPU it should take less than ten minutes. A
    measurement that fails is listed, and the others go on.
    """
    if everything:
        _all(models, shapes or ((models.scorer,) if models.scorer else ("0.5B", "7B")), texts, minutes, out)
        return
    if shapes or out:
        raise UsageError("--shape and --out are for --all.")
    from docxchunk.backends.loading import loaded
    from docxchunk.bench.models import Rate, embedding_rates, scoring_rates

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
        table.add_row(name, rate.name, f"{rate.tokens_a_second:,.0f}", Text(f"{rate.gain:.1f} ×", STRONG), share)
    plain("")
    indented(table)


def _all(models: ModelChoice, shapes: tuple[str, ...], texts: int, minutes: float, out: Path | None) -> None:
    try:
        from docxchunk.bench.hardware import markdown, record, reports

        for report in reports(models, shapes, texts, minutes * 60):
            if out is not None:
                new_text(out, orjson.dumps(record(report), option=orjson.OPT_INDENT_2).decode())
                new_text(out.with_suffix(".md"), markdown(report))
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("bench models --all", error.name or "torch", "llm")) from error
    click.echo(markdown(report), nl=False)


def new_text(path: Path, text: str) -> None:
    with new_file(path) as file:
        file.write(text.encode())
