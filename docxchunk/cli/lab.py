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

CHUNKERS = """\
Strategies, with settings as in NAME:key=value,key=value: those of docxchunk
strategies; blind (cuts after every N tokens); random (cuts at random ends of
sentences); P-flat (P that ignores headings when it merges); units (the
sentences and table rows of P's chunks; units:R: of R's)"""

EXAMPLES = f"""\b
Examples:
  docxchunk eval --questions questions.jsonl
  docxchunk eval --questions questions.jsonl --equal-sizes 400 -o out
  docxchunk eval --questions q.jsonl -s P -s P:table_max=1 -s units
  docxchunk eval --questions q.jsonl --chunker mine=my_module:cut

{CHUNKERS}"""


# -- values of options


def _names(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names in texts and between commas, each once. A bare key=value is a setting of the
    name before it. This and the next two functions are callbacks of click.
    """
    names: list[str] = []
    for word in filter(None, map(str.strip, ",".join(texts).split(","))):
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


def _prefixes(
    ctx: click.Context, option: click.Parameter, texts: Sequence[str]
) -> tuple[Prefix, ...]:
    """Return the values of --path. Equal values count once."""
    _need_extra()
    from docxchunk.lab.evaluation.plans import Prefix

    try:
        return tuple(map(Prefix, _names(ctx, option, texts) or [""]))
    except ValueError:
        raise UsageError(f"--path {','.join(texts)}: choose from {', '.join(Prefix)}.") from None


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
        "--strategy",
        "-s",
        "strategies",
        callback=_names,
        multiple=True,
        default=("P", "R", "blind"),
        metavar="NAME",
        help="Strategies to compare, the first with the others. Can be repeated.",
    )
    @click.option(
        "--chunker",
        "others",
        multiple=True,
        callback=_targets,
        metavar="NAME=MODULE:FUNCTION",
        help="Your chunker: a function of a text and max_tokens that returns ranges of the text.",
    )
    @click.option(
        "--pipeline",
        "pipelines",
        multiple=True,
        callback=_targets,
        metavar="NAME=MODULE:FUNCTION",
        help="The same with your parser: a function of the path of a Word file and max_tokens that "
        "returns a text and ranges of it.",
    )
    @click.option(
        "--retriever",
        "retrievers",
        callback=_names,
        multiple=True,
        default=("bm25",),
        metavar="NAME",
        help="How to search: bm25, an embedding model (a folder, hashing, MODULE:FUNCTION), rrf, "
        "which combines these, or pplrerank: the best of the first, ranked again by --scorer. Can "
        "be repeated.",
    )
    @click.option(
        "--budget",
        "budgets",
        multiple=True,
        default=("1000", "2000", "4000", "8000"),
        callback=common.numbers,
        metavar="N",
        help="How many characters of the ranked chunks are read. Can be repeated.",
    )
    @click.option(
        "--max-tokens",
        "-n",
        type=click.IntRange(min=32),
        default=400,
        metavar="N",
        help="Maximum tokens per chunk.",
    )
    @common.number(
        "--equal-sizes",
        None,
        "Choose limits so that chunks of all strategies have N tokens on average.",
        32,
    )
    @common.number("--overlap", 0, "Maximum tokens to repeat where a paragraph is split.", 0)
    @common.tokenizer
    @click.option(
        "--path",
        "paths",
        callback=_prefixes,
        multiple=True,
        default=("none",),
        metavar="WHAT",
        help="What is searched before the text of a chunk (none, headings, or title with "
        "headings), or in its place (embed: embed_text). Can be repeated.",
    )
    @click.option(
        "--hit-share",
        type=click.FloatRange(0, 1),
        default=0.5,
        metavar="SHARE",
        help="Share of an answer that a chunk must show to be a hit of MRR and MAP.",
    )
    @click.option(
        "--half",
        type=click.Choice(["all", "dev", "test"]),
        default="all",
        help="Half of the documents: choose settings with dev, and report with test.",
    )
    @click.option(
        "--out",
        "-o",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Folder for report.md, report.html and scores.jsonl, in place of standard output.",
    )
    @click.option(
        "--reader",
        default="",
        metavar="MODEL",
        help="Language model (as in --completer) that answers from the retrieved text.",
    )
    @common.quiet
    @model_options
    @common.reading
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


@common.command(
    epilog=EXAMPLES,
    most_used="--questions --strategy --retriever --max-tokens --equal-sizes --budget --out",
    old_names=f"{common.OLD_NAMES} --strategies:--strategy",
)
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

    The main measure is recall: the share of the answers, as characters of the document, that is in
    the first N characters of the ranked chunks.
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
  docxchunk bench models --embedder FOLDER
  docxchunk bench models --scorer FOLDER --device cuda --texts 5000"""


@click.group(epilog=BENCH_EXAMPLES)
def bench() -> None:
    """Measure the speed on this machine, relative to a lower bound."""


@bench.command(cls=common.Command)
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
    multiple=True,
    default=("2000",),
    callback=common.numbers,
    metavar="N",
    help="Maximum tokens per chunk. Can be repeated.",
)
@common.number("--rounds", 3, "Number of rounds; the fastest one counts.")
def speed(
    *, files: tuple[Path, ...], strategies: tuple[str, ...], sizes: tuple[int, ...], rounds: int
) -> None:
    """Measure the CPU time of reading and chunking all FILEs.

    Reading is compared with decompressing the files and parsing their XML, and chunking with
    encoding their text once. Also shown are the peak memory and the share of the words that are
    kept.
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


@bench.command("models", cls=common.Command)
@model_options
@common.number("--texts", 200, "Number of sentences to process.", 10)
def model_rates(*, models: ModelChoice, texts: int) -> None:
    """Measure the throughput of models. Batches are compared with single texts."""
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
    table = grid("-", "-", ">", ">")
    table.add_row("", "", Text("tokens/s", DIM), Text("batched", DIM))
    for name, rate in rates:
        gain = Text(f"{rate.gain:.1f} ×", STRONG)
        table.add_row(name, rate.name, f"{rate.tokens_a_second:,.0f}", gain)
    plain("")
    indented(table)
