"""The command `docxchunk eval`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.job_count import Jobs
from docxchunk.cli import models as asked
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.eval_runs import DocumentSelection, EvalOptions, deliver, hush, plan_of, run_suite
from docxchunk.errors import MissingExtraError, UsageError
from docxchunk.model.options import ParseOptions
from docxchunk.registry import missing_extra

if TYPE_CHECKING:
    from docxchunk.evaluation.questions import Benchmark
    from docxchunk.evaluation.runs import Path as RunPath
    from docxchunk.evaluation.runs import Results

EXAMPLES = """\b
Examples:
  docxchunk eval --questions questions.jsonl
  docxchunk eval --questions questions.jsonl --equal-sizes 400 -o out
  docxchunk eval --questions q.jsonl --strategies P,P:table_max=1 --half dev
  docxchunk eval --questions q.jsonl --chunker mine=my_module:cut
  docxchunk eval --dataset tatqa=TAT-QA/dataset_raw --path none,headings
  docxchunk eval --suite suites/bm25.toml --dataset tatqa=TAT-QA/dataset_raw
  docxchunk eval --questions q.jsonl --reader http://localhost:8000/v1

\b
--strategies: those of docxchunk strategies, with settings as in
NAME:key=value,key=value, and controls: blind (every N tokens), random (at
ends of sentences), P-flat (P that ignores headings when it merges). The
first is the baseline of the comparison.

\b
--dataset: questions (a folder with questions.jsonl), chunking_evaluation,
wikitexts (its articles as Word files), tatqa, tatqa_stitched (ten contexts
per document), wikitablequestions, tables (any folder of Word files), telco,
stard, gutenqa, longbench, multihop_rag, crud, qasper. docxchunk does not
include them. Parser options apply to the Word files of all of them."""


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def _strategies(text: str) -> list[str]:
    """Split names at commas. A bare key=value is a setting of the name before it."""
    found: list[str] = []
    for word in text.split(","):
        if found and "=" in word.partition(":")[0]:
            found[-1] += f",{word.strip()}"
        elif word.strip():
            found.append(word.strip())
    return list(dict.fromkeys(found))


@click.command(epilog=EXAMPLES)
@click.option(
    "--questions", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="JSON Lines file of questions, with their documents and answers."
)
@click.option(
    "--dataset", "datasets", multiple=True, metavar="NAME=PATH", help="Published question set in a folder or file; with --suite, repeat it for each set."
)
@click.option("--suite", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="TOML file with sets, strategies and sizes to report together.")
@click.option("--strategies", default="P,R,blind", show_default=True, metavar="NAME,...", help="Strategies to compare; the first is the baseline.")
@click.option("--chunker", "others", multiple=True, metavar="NAME=MODULE:FUNCTION", help="Your own chunker: maps (text, max_tokens) to ranges of the text.")
@click.option(
    "--retriever",
    default="bm25",
    show_default=True,
    metavar="NAME,...",
    help="bm25, an embedder (minilm, a folder, MODULE:FUNCTION), or rrf (fuses all others).",
)
@click.option(
    "--budget", default="1000,2000,4000,8000", show_default=True, callback=common.numbers, metavar="N,...", help="Budgets of retrieved text, in characters."
)
@common.single("--max-tokens", "-n", kind=click.IntRange(min=32), default=400, metavar="N", about="Maximum tokens per chunk.")
@click.option("--equal-sizes", type=click.IntRange(min=32), metavar="N", help="Tune the limit of each strategy so that chunks have N tokens on average.")
@click.option("--overlap", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Maximum tokens of overlap within a split paragraph.")
@click.option(
    "--tokenizer", "-t", default="o200k_base", show_default=True, metavar="NAME|FILE", help="Tokenizer name (see docxchunk tokenizers) or tokenizer.json."
)
@click.option("--path", default="none", show_default=True, metavar="WHAT,...", help="Prefix of the chunk text: none, headings, title (with headings), embed.")
@click.option(
    "--hit-share",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Share of a gold span that a chunk must contain to count as a hit in MRR and MAP; 0: any part.",
)
@click.option(
    "--half",
    type=click.Choice(["all", "dev", "test"]),
    default="all",
    show_default=True,
    help="Half of the documents to use: choose settings on one, report the other.",
)
@click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for report.md, report.html, scores.jsonl and, with --suite, figures.csv; without it, the Markdown is printed.",
)
@click.option("--reader", default="", metavar="URL|FOLDER", help="Model (as in --completer) that answers from the retrieved text; adds EM, F1, ROUGE-L, BLEU.")
@common.jobs(1)
@common.quiet
@common.reading
@asked.models
@click.pass_context
def command(
    ctx: click.Context,
    *,
    questions: Path | None,
    datasets: tuple[str, ...],
    suite: Path | None,
    strategies: str,
    others: tuple[str, ...],
    retriever: str,
    budget: tuple[int, ...],
    max_tokens: int,
    equal_sizes: int | None,
    overlap: int,
    tokenizer: str,
    path: str,
    hit_share: float,
    half: str,
    out: Path | None,
    reader: str,
    jobs: Jobs,
    quiet: bool,
    options: ParseOptions,
    models: ModelChoice,
) -> None:
    """Measure how well the chunks of each strategy retrieve the answers to questions.

    Chunks and answers are compared as character ranges of the document. The main metric is the share of the answers in the first N characters of
    ranked chunks.
    """
    _need_extra()
    from docxchunk.evaluation import runs
    from docxchunk.evaluation.html import need_templates

    if out is not None:
        need_templates()

    hush()
    reporter = Reporter(quiet=quiet)
    places = dict(map(_place, datasets))
    wanted = EvalOptions(
        strategies=tuple(_strategies(strategies)),
        others=dict(map(_other, others)),
        retrievers=tuple(_words(retriever)),
        budgets=budget,
        paths=tuple(_path(word) for word in _words(path)),
        max_tokens=max_tokens,
        equal_sizes=equal_sizes,
        overlap=overlap,
        tokenizer=tokenizer,
        hit_share=hit_share,
        reader=reader,
        models=models,
    )
    if suite is not None:
        _of_suite_alone(ctx)
        run_suite(suite, places, DocumentSelection(options, runs.Half(half)), wanted, jobs, out, reporter)
        return
    found = runs.half_of(_benchmark(questions, places, options), runs.Half(half))
    if not found.questions:
        first = f" Of the first, {found.left_out[0].why}." if found.left_out else ""
        raise UsageError(f"There is no question to ask: no answer of the file, or of that half of its documents, was found in its document.{first}")
    if reader and not any(question.answers for question in found.questions):
        raise UsageError("--reader: no question has an expected answer to compare with.")
    plan = plan_of(wanted)
    results = runs.run(found, plan, reporter.say)
    _report(results, wanted, half, out, reporter)


def _report(results: Results, wanted: EvalOptions, half: str, out: Path | None, reporter: Reporter) -> None:
    from docxchunk.evaluation.question_scores import question_scores
    from docxchunk.evaluation.report import report_of

    reader = results.plan.reader
    facts = [
        ("half", half),
        ("tokens", api.tokenizer(wanted.tokenizer).name),
        ("overlap", f"{wanted.overlap} tokens"),
        *([("reader", reader.name)] if reader else []),
    ]
    report = report_of(results, next(iter(results.plan.chunkers)), facts)
    deliver(report, {"scores.jsonl": b"".join(question_scores(results))}, out, reporter)


def _need_extra() -> None:
    try:
        import numpy as np  # noqa: F401 - only to check that it is installed
        import scipy  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("docxchunk eval", "numpy and scipy", "eval")) from error


def _benchmark(questions: Path | None, places: Mapping[str, Path], options: ParseOptions) -> Benchmark:
    from docxchunk.evaluation import datasets
    from docxchunk.evaluation.questions import read_questions

    if len(places) + (questions is not None) != 1:
        raise UsageError("Give one of --questions FILE, --dataset NAME=PATH and --suite FILE.")
    if questions is not None:
        return read_questions(questions, options)
    ((name, path),) = places.items()
    return datasets.load(name, path, options)


def _place(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not path:
        raise UsageError(f"--dataset {text}: a data set is given as NAME=PATH.")
    return name, Path(path)


def _other(text: str) -> tuple[str, str]:
    name, equals, target = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--chunker {text}: a chunker is given as NAME=MODULE:FUNCTION.")
    return name, target


_OF_A_RUN: Final = ("questions", "strategies", "others", "retriever", "budget", "max_tokens", "equal_sizes", "path", "reader")


def _of_suite_alone(ctx: click.Context) -> None:
    """Raise UsageError if an option is given that the suite file sets."""
    for parameter in ctx.command.params:
        if parameter.name in _OF_A_RUN and ctx.get_parameter_source(parameter.name) is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(f"{parameter.opts[0]} cannot be used with --suite: the suite file sets it.")


def _path(word: str) -> RunPath:
    from docxchunk.evaluation.runs import Path as RunPath

    try:
        return RunPath(word)
    except ValueError:
        raise UsageError(f"--path {word}: choose from {', '.join(RunPath)}.") from None
