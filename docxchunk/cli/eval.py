"""The command `docxchunk eval`."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.backends.loading import models as chosen
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.options import models as model_options
from docxchunk.errors import OutputError, UsageError
from docxchunk.model.options import ParseOptions
from docxchunk.model.ports import Embedder, Models, Tokenizer
from docxchunk.model.wording import times
from docxchunk.registry import extra_for

if TYPE_CHECKING:
    from docxchunk.evaluation.chunkers import PassageChunker
    from docxchunk.evaluation.questions import Benchmark
    from docxchunk.evaluation.rendering import EvaluationReport
    from docxchunk.evaluation.retrievers import Retriever, Tell
    from docxchunk.evaluation.runs import Path as RunPath
    from docxchunk.evaluation.runs import Plan

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


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """Options of an evaluation. `others` and `pipelines` map the name in the report to
    MODULE:FUNCTION of a chunker or pipeline.
    """

    strategies: tuple[str, ...]
    others: Mapping[str, str]
    pipelines: Mapping[str, str]
    retrievers: tuple[str, ...]
    budgets: tuple[int, ...]
    paths: tuple[RunPath, ...]
    max_tokens: int
    equal_sizes: int | None
    overlap: int
    tokenizer: str
    hit_share: float
    reader: str
    models: ModelChoice


def settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of an evaluation. Pass them as `wanted`, `half` and `options` (of the reader
    of Word files), `out` (a folder) and `reporter`.
    """

    @click.option(
        "--strategies",
        default="P,R,blind",
        show_default=True,
        metavar="NAME,...",
        help="Strategies to compare; the first is the baseline.",
    )
    @click.option(
        "--chunker",
        "others",
        multiple=True,
        metavar="NAME=MODULE:FUNCTION",
        help="Your own chunker: a function that takes a text and max_tokens, and returns ranges "
        "of the text.",
    )
    @click.option(
        "--pipeline",
        "pipelines",
        multiple=True,
        metavar="NAME=MODULE:FUNCTION",
        help="Another reader with its chunker: a function that takes the path of a Word file and "
        "max_tokens, and returns the text and ranges of the text.",
    )
    @click.option(
        "--retriever",
        default="bm25",
        show_default=True,
        metavar="NAME,...",
        help="Retrievers: bm25, an embedding model (minilm, a folder, MODULE:FUNCTION), or rrf, "
        "which combines the others.",
    )
    @click.option(
        "--budget",
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
        default="none",
        show_default=True,
        metavar="WHAT,...",
        help="What the search reads before the text of a chunk: none, headings, or title (with "
        "headings). embed: it reads embed_text instead.",
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
        help="Model (as in --completer) that "
        "answers from the retrieved "
        "text; adds EM, F1, ROUGE-L, BLEU.",
    )
    @common.quiet
    @common.reading
    @model_options
    @wraps(command)
    def with_settings(
        *,
        strategies: str,
        others: tuple[str, ...],
        pipelines: tuple[str, ...],
        retriever: str,
        budget: tuple[int, ...],
        max_tokens: int,
        equal_sizes: int | None,
        overlap: int,
        tokenizer: str,
        path: str,
        hit_share: float,
        reader: str,
        models: ModelChoice,
        out: Path | None,
        quiet: bool,
        **arguments: object,
    ) -> None:
        _need_extra(page=out is not None)
        # warnings would repeat for each chunk size that is tried
        logging.getLogger("docxchunk").setLevel(logging.ERROR)
        wanted = EvalOptions(
            strategies=tuple(_strategies(strategies)),
            others=dict(_other("--chunker", text) for text in others),
            pipelines=dict(_other("--pipeline", text) for text in pipelines),
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
        command(wanted=wanted, out=out, reporter=Reporter(quiet=quiet), **arguments)

    return with_settings


def _need_extra(*, page: bool) -> None:
    with extra_for("docxchunk eval", "numpy and scipy", "eval"):
        import numpy as np  # noqa: F401 - only to check that it is installed
        import scipy  # noqa: F401
    if page:
        from docxchunk.evaluation.rendering import need_templates

        need_templates()


@click.command(epilog=EXAMPLES)
@click.option(
    "--questions",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON Lines file of questions, with their documents and answers.",
)
@settings
def command(
    *,
    questions: Path,
    wanted: EvalOptions,
    half: str,
    options: ParseOptions,
    out: Path | None,
    reporter: Reporter,
) -> None:
    """Measure how well the chunks of each strategy retrieve the answers to questions.

    Chunks and answers are compared as character ranges of the document. The main metric is the
    share of the answers in the first N characters of ranked chunks.
    """
    from docxchunk.evaluation.questions import read_questions

    evaluate(read_questions(questions, options), wanted, half, out, reporter)


def evaluate(
    benchmark: Benchmark, wanted: EvalOptions, half: str, out: Path | None, reporter: Reporter
) -> None:
    """Run an evaluation and report it. Raise UsageError if there is no question to ask."""
    from docxchunk.evaluation.report import question_scores, report_of
    from docxchunk.evaluation.runs import Half, half_of, run

    chosen_half = half_of(benchmark, Half(half))
    if not chosen_half.questions:
        left_out = chosen_half.left_out
        first = f" Of the first, {left_out[0].why}." if left_out else ""
        raise UsageError(
            "There is no question to ask: no answer of the file, or of that half "
            f"of its documents, was found in its document.{first}"
        )
    if wanted.reader and not any(question.answers for question in chosen_half.questions):
        raise UsageError("--reader: no question has an expected answer to compare with.")
    plan = plan_of(wanted, reporter.say)
    _say_costs(wanted, chosen_half, reporter)
    results = run(chosen_half, plan, reporter.say)
    reader = results.plan.reader
    facts = [
        ("half", half),
        ("tokens", api.tokenizer(wanted.tokenizer).name),
        ("overlap", f"{wanted.overlap} tokens"),
        *([("reader", reader.name)] if reader else []),
    ]
    report = report_of(results, next(iter(results.plan.chunkers)), facts)
    deliver(report, {"scores.jsonl": b"".join(question_scores(results))}, out, reporter)


# -- the words of options


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def _strategies(text: str) -> list[str]:
    """Split names at commas. A bare key=value is a setting of the name before it."""
    names: list[str] = []
    for word in map(str.strip, text.split(",")):
        if names and "=" in word.partition(":")[0]:
            names[-1] += f",{word}"
        elif word:
            names.append(word)
    return list(dict.fromkeys(names))


def _other(option: str, text: str) -> tuple[str, str]:
    name, equals, target = text.partition("=")
    if not equals or not name:
        raise UsageError(f"{option} {text}: write NAME=MODULE:FUNCTION.")
    return name, target


def _path(word: str) -> RunPath:
    from docxchunk.evaluation.runs import Path as RunPath

    try:
        return RunPath(word)
    except ValueError:
        raise UsageError(f"--path {word}: choose from {', '.join(RunPath)}.") from None


# -- plans


def plan_of(wanted: EvalOptions, tell: Tell = lambda _: None, *, brief: bool = False) -> Plan:
    """Return the plan of an evaluation. Raise UsageError for an unknown name, and MissingExtraError
    if a model or BM25 is not installed.
    """
    from docxchunk.evaluation.runs import Plan

    embedders = {
        name: _embedder(name, wanted.models)
        for name in wanted.retrievers
        if name not in ("bm25", "rrf")
    }
    models = _models_for(wanted.strategies, wanted.models)
    count = api.tokenizer(wanted.tokenizer)
    return Plan(
        chunkers=_chunkers(wanted, count, models),
        retrievers=_retrievers(wanted.retrievers, embedders, count, tell),
        max_tokens=wanted.max_tokens,
        equal_sizes=wanted.equal_sizes,
        budgets=wanted.budgets,
        paths=wanted.paths,
        models=(
            *embedders.values(),
            *(model for model in (models.embedder, models.scorer, models.completer) if model),
        ),
        reader=chosen(replace(wanted.models, completer=wanted.reader), ("completer",)).completer
        if wanted.reader
        else None,
        hit_share=wanted.hit_share,
        brief=brief,
    )


def _chunkers(wanted: EvalOptions, count: Tokenizer, models: Models) -> dict[str, PassageChunker]:
    """Return the chunkers to compare, in order, by their name in the report."""
    from docxchunk.evaluation.chunkers import (
        are_units,
        imported,
        named,
        of_function,
        of_pipeline,
    )

    chunkers = {name: named(name, count, wanted.overlap, models) for name in wanted.strategies}
    given = [*wanted.others, *wanted.pipelines]
    for name in given:
        if name in chunkers or are_units(name) or given.count(name) > 1:
            raise UsageError(f"{name}: another chunker has this name; choose a new one.")
    for name, target in wanted.others.items():
        chunkers[name] = of_function(imported(target), count)
    for name, target in wanted.pipelines.items():
        chunkers[name] = of_pipeline(imported(target), count)
    if not chunkers:
        raise UsageError("There is nothing to compare: give --strategies or --chunker.")
    return chunkers


def _retrievers(
    names: Sequence[str], models: Mapping[str, Embedder], count: Tokenizer, tell: Tell
) -> dict[str, Retriever]:
    from docxchunk.backends.bm25 import need_bm25
    from docxchunk.evaluation.retrievers import Fused, bm25, dense, read_by

    if "bm25" in names:
        need_bm25("BM25", "eval")
    single: dict[str, Retriever] = {
        name: bm25 if name == "bm25" else dense(models[name], *read_by(models[name], count), tell)
        for name in names
        if name != "rrf"
    }
    if "rrf" in names and len(single) < 2:
        raise UsageError(
            "rrf fuses the rankings of other retrievers: name at least two besides it."
        )
    if not names:
        raise UsageError("--retriever is empty.")
    return {
        name: single[name] if name != "rrf" else Fused(tuple(single.values())) for name in names
    }


def _models_for(names: Sequence[str], choice: ModelChoice) -> Models:
    """Return the models that these strategies use."""
    from docxchunk.evaluation.chunkers import strategy_of

    strategies = filter(None, map(strategy_of, names))
    return chosen(choice, sorted({port for each in strategies for port in each.models}))


def _say_costs(wanted: EvalOptions, benchmark: Benchmark, reporter: Reporter) -> None:
    """Say what the models of strategies will read, before they do."""
    from docxchunk.chunking.strategy import costs_of
    from docxchunk.evaluation.chunkers import strategy_of

    characters = sum(len(source.text) for source in benchmark.sources)
    again = ", for each size that is tried" if wanted.equal_sizes else ""
    for name in wanted.strategies:
        strategy = strategy_of(name)
        for cost in costs_of(strategy) if strategy else ():
            reporter.say(
                f"{name}: the {cost.port} reads the text, {characters:,} characters, "
                f"{times(cost.times)}{again}"
            )


def _embedder(name: str, choice: ModelChoice) -> Embedder:
    """Return the embedder of a name, a folder, or MODULE:FUNCTION."""
    from docxchunk.evaluation.chunkers import imported

    model: Embedder | None = (
        imported(name)()
        if re.fullmatch(r"[\w.]+:\w+", name)
        else chosen(replace(choice, embedder=name), ("embedder",)).embedder
    )
    assert model is not None  # noqa: S101 - it was named
    return model


# -- reports


def deliver(
    report: EvaluationReport, data: Mapping[str, bytes], out: Path | None, reporter: Reporter
) -> None:
    """Print the report as Markdown. With an output folder, write the report (Markdown, HTML) and
    the files of data to it, and print only the verdict.
    """
    from docxchunk.evaluation.rendering import html, markdown

    if out is None:
        sys.stdout.write(markdown(report))
    else:
        write(
            out,
            {"report.md": markdown(report).encode(), "report.html": html(report).encode(), **data},
            reporter,
        )
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
