"""The commands that need the lab: `docxchunk eval` and `docxchunk bench`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.options import models as model_options
from docxchunk.cli.printing import DIM, STRONG, grid, heading, indented, plain
from docxchunk.errors import OutputError, UsageError
from docxchunk.model.options import ParseOptions
from docxchunk.model.wording import counted
from docxchunk.registry import extra_for

if TYPE_CHECKING:
    from docxchunk.lab.bench.speed import SpeedReport
    from docxchunk.lab.evaluation.plans import EvalSettings, Prefix
    from docxchunk.lab.evaluation.questions import Benchmark

CHUNKERS = """\b
Strategies, each with settings as in NAME:key=value,key=value:
  those that docxchunk strategies lists
  blind   cuts after every N tokens
  random  cuts at random ends of sentences
  P-flat  P that ignores headings when it merges
  units   the sentences and table rows of P's chunks, which docxchunk search
          ranks; units:R are those of R's chunks"""

EXAMPLES = f"""\b
Examples:
  docxchunk eval --questions questions.jsonl
  docxchunk eval --questions questions.jsonl --equal-sizes 400 -o out
  docxchunk eval --questions q.jsonl --strategies P,P:table_max=1 --half dev
  docxchunk eval --questions q.jsonl --strategies units,P --path embed
  docxchunk eval --questions q.jsonl --chunker mine=my_module:cut
  docxchunk eval --questions q.jsonl --pipeline other=my_module:read_and_cut
  docxchunk eval --questions q.jsonl --path none,headings
  docxchunk eval --questions q.jsonl --reader http://localhost:8000/v1

{CHUNKERS}"""


# -- values of options


def _names(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    """Return the names between commas, each once. A bare key=value is a setting of the name before
    it. This and the next two functions are callbacks of click.
    """
    names: list[str] = []
    for word in filter(None, map(str.strip, text.split(","))):
        if names and "=" in word.partition(":")[0]:
            names[-1] += f",{word}"
        else:
            names.append(word)
    return tuple(dict.fromkeys(names))


def _targets(_: click.Context, option: click.Parameter, texts: Sequence[str]) -> dict[str, str]:
    """Return MODULE:FUNCTION by name."""
    targets: dict[str, str] = {}
    for text in texts:
        name, equals, target = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{option.opts[0]} {text}: write NAME=MODULE:FUNCTION.")
        if name in targets:
            raise UsageError(f"{name}: another chunker has this name; choose a new one.")
        targets[name] = target
    return targets


def _prefixes(ctx: click.Context, option: click.Parameter, text: str) -> tuple[Prefix, ...]:
    """Return the values of --path, which commas separate. Equal values count once."""
    _need_extra()
    from docxchunk.lab.evaluation.plans import Prefix

    try:
        return tuple(map(Prefix, _names(ctx, option, text) or [""]))
    except ValueError:
        raise UsageError(f"--path {text}: choose from {', '.join(Prefix)}.") from None


def _need_extra() -> None:
    with extra_for("docxchunk eval", "numpy and scipy", "eval"):
        import numpy as np  # noqa: F401 - only to check that it is installed
        import scipy  # noqa: F401


# -- options


def eval_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of an evaluation. Pass them as `settings` (EvalSettings), `half` and
    `options` (of the parser), `out` (a folder) and `reporter`.
    """

    @click.option(
        "--strategies",
        callback=_names,
        default="P,R,blind",
        show_default=True,
        metavar="NAME,...",
        help="Strategies to compare; the first is the baseline.",
    )
    @click.option(
        "--chunker",
        "others",
        multiple=True,
        callback=_targets,
        metavar="NAME=MODULE:FUNCTION",
        help="Your own chunker: a function that takes a text and max_tokens, and returns ranges "
        "of the text.",
    )
    @click.option(
        "--pipeline",
        "pipelines",
        multiple=True,
        callback=_targets,
        metavar="NAME=MODULE:FUNCTION",
        help="Another reader with its chunker: a function that takes the path of a Word file and "
        "max_tokens, and returns the text and ranges of the text.",
    )
    @click.option(
        "--retriever",
        "retrievers",
        callback=_names,
        default="bm25",
        show_default=True,
        metavar="NAME,...",
        help="Retrievers: bm25, an embedding model (a folder, hashing, MODULE:FUNCTION), rrf, "
        "which combines these, or pplrerank: the best passages of the first, ranked again by "
        "--scorer.",
    )
    @click.option(
        "--budget",
        "budgets",
        default="1000,2000,4000,8000",
        show_default=True,
        callback=common.numbers,
        metavar="N,...",
        help="How many characters of the retrieved text are read. Recall is measured for each "
        "number.",
    )
    @common.single(
        "--max-tokens",
        "-n",
        kind=click.IntRange(min=32),
        default=400,
        metavar="N",
        about="Maximum tokens per chunk.",
    )
    @click.option(
        "--equal-sizes",
        type=click.IntRange(min=32),
        metavar="N",
        help="Choose the limit of each strategy so that its chunks have N tokens on average.",
    )
    @click.option(
        "--overlap",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Maximum tokens to repeat where a paragraph is split.",
    )
    @click.option(
        "--tokenizer",
        "-t",
        default="o200k_base",
        show_default=True,
        metavar="NAME|FILE",
        help="Tokenizer name (see docxchunk tokenizers) or tokenizer.json.",
    )
    @click.option(
        "--path",
        "paths",
        callback=_prefixes,
        default="none",
        show_default=True,
        metavar="WHAT,...",
        help="What the search reads before the text of a chunk: none, headings, or title (with "
        "headings). With embed, it reads embed_text in place of the chunk.",
    )
    @click.option(
        "--hit-share",
        type=click.FloatRange(0, 1),
        default=0.5,
        show_default=True,
        metavar="SHARE",
        help="Share of an answer passage that a chunk must show to be a hit for MRR and MAP. 0: "
        "any part.",
    )
    @click.option(
        "--half",
        type=click.Choice(["all", "dev", "test"]),
        default="all",
        show_default=True,
        help="Half of the documents to use. Choose settings with dev, and report the result with "
        "test.",
    )
    @click.option(
        "--out",
        "-o",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write report.md, report.html and scores.jsonl into this folder. By default, print "
        "the Markdown.",
    )
    @click.option(
        "--reader",
        default="",
        metavar="URL|FOLDER",
        help="Let a model (as in --completer) answer the questions from the retrieved text. Adds "
        "EM, F1, ROUGE-L and BLEU.",
    )
    @common.quiet
    @common.reading
    @model_options
    @wraps(command)
    def with_settings(*, out: Path | None, quiet: bool, **arguments: Any) -> None:
        from docxchunk.lab.evaluation.plans import EvalSettings

        if out is not None:
            from docxchunk.lab.evaluation.rendering import template

            template()  # raises MissingExtraError before the work
        # warnings would repeat for each chunk size that is tried
        logging.getLogger("docxchunk").setLevel(logging.ERROR)
        settings = EvalSettings(
            **{field.name: arguments.pop(field.name) for field in fields(EvalSettings)}
        )
        command(settings=settings, out=out, reporter=Reporter(quiet=quiet), **arguments)

    return with_settings


@click.command("eval", epilog=EXAMPLES)
@click.option(
    "--questions",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Questions with their documents and answers, as JSON lines.",
)
@eval_options
def eval(  # noqa: A001 - the name of the command
    *,
    questions: Path,
    settings: EvalSettings,
    half: str,
    options: ParseOptions,
    out: Path | None,
    reporter: Reporter,
) -> None:
    """Measure how well a search over the chunks of each strategy finds the answers to questions.

    Chunks and answers are compared as character ranges of the document. The main measure is recall,
    the share of the answers that is in the first N characters of the ranked chunks.
    """
    from docxchunk.lab.evaluation.questions import read_questions

    evaluate(read_questions(questions, options), settings, half, out, reporter)


def evaluate(
    benchmark: Benchmark, settings: EvalSettings, half: str, out: Path | None, reporter: Reporter
) -> None:
    """Run an evaluation, and print the report as Markdown. With an output folder, write the report
    (Markdown, HTML) and the scores to it, and print only the verdict.

    Raise UsageError if there is no question to ask.
    """
    from docxchunk.lab.evaluation.plans import plan_of
    from docxchunk.lab.evaluation.rendering import html, markdown
    from docxchunk.lab.evaluation.report import report_of
    from docxchunk.lab.evaluation.runs import Half, half_of, question_scores, run

    chosen_half = half_of(benchmark, Half(half))
    if not chosen_half.questions:
        left_out = chosen_half.left_out
        first = f" Of the first, {left_out[0].why}." if left_out else ""
        raise UsageError(
            "There is no question to ask: no answer of the file, or of that half "
            f"of its documents, was found in its document.{first}"
        )
    if settings.reader and not any(question.answers for question in chosen_half.questions):
        raise UsageError("--reader: no question has an expected answer to compare with.")
    plan = plan_of(settings, reporter.say)
    results = run(chosen_half, plan, reporter.say)
    reader = results.plan.reader
    facts = [
        ("half", half),
        ("tokens", api.tokenizer(settings.tokenizer).name),
        ("overlap", f"{settings.overlap} tokens"),
        *([("reader", reader.name)] if reader else []),
    ]
    report = report_of(results, facts)
    if out is None:
        sys.stdout.write(markdown(report))
    else:
        files = {
            "report.md": markdown(report).encode(),
            "report.html": html(report).encode(),
            "scores.jsonl": b"".join(question_scores(results)),
        }
        write(out, files, reporter)
        reporter.say(report.verdict)
    for note in report.notes:
        reporter.say(note)


def write(folder: Path, files: Mapping[str, bytes], reporter: Reporter) -> None:
    """Write files into a folder. Raise OutputError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
            reporter.data(str(folder / name))
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror or error}.") from error


# -- bench

BENCH_EXAMPLES = """\b
Examples:
  docxchunk bench speed *.docx
  docxchunk bench speed *.docx -s P -n 2000,400,200
  docxchunk bench models --embedder FOLDER
  docxchunk bench models --scorer FOLDER --device cuda --texts 5000"""


@click.group(epilog=BENCH_EXAMPLES)
def bench() -> None:
    """Measure the speed on this machine, relative to a lower bound."""


@bench.command()
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
    callback=common.numbers,
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


@bench.command("models")
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
