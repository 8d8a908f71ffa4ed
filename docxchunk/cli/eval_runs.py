"""Build evaluation plans from the options of `docxchunk eval`, run suites, and write reports."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.backends.loading import models as chosen
from docxchunk.batch.job_count import Jobs, usable_cores
from docxchunk.cli.console import Reporter
from docxchunk.errors import OutputError, UsageError
from docxchunk.model.options import ParseOptions
from docxchunk.model.ports import Embedder, Models, Tokenizer

if TYPE_CHECKING:
    from docxchunk.evaluation.chunkers import PassageChunker
    from docxchunk.evaluation.display import EvaluationReport
    from docxchunk.evaluation.questions import Benchmark
    from docxchunk.evaluation.retrievers import Retriever
    from docxchunk.evaluation.runs import Half, Plan
    from docxchunk.evaluation.runs import Path as RunPath
    from docxchunk.evaluation.suites import MeasuredSet, Set, Suite


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """Options of an evaluation. `others` maps the name in the report to MODULE:FUNCTION of a chunker."""

    strategies: tuple[str, ...]
    others: Mapping[str, str]
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


class DocumentSelection(NamedTuple):
    """Parse options, and the half of the documents to use."""

    options: ParseOptions
    half: Half


def plan_of(wanted: EvalOptions) -> Plan:
    """Return the plan of an evaluation. Raise UsageError for an unknown name, and MissingExtraError if a model or BM25 is not installed."""
    from docxchunk.evaluation.runs import Plan

    embedders = {name: _embedder(name, wanted.models) for name in wanted.retrievers if name not in ("bm25", "rrf")}
    models = _models_for(wanted.strategies, wanted.models)
    count = api.tokenizer(wanted.tokenizer)
    return Plan(
        chunkers=_chunkers(wanted, count, models),
        retrievers=_retrievers(wanted.retrievers, embedders, count),
        max_tokens=wanted.max_tokens,
        equal_sizes=wanted.equal_sizes,
        budgets=wanted.budgets,
        paths=wanted.paths,
        models=(*embedders.values(), *(model for model in (models.embedder, models.scorer, models.completer) if model)),
        reader=chosen(replace(wanted.models, completer=wanted.reader), ("completer",)).completer if wanted.reader else None,
        hit_share=wanted.hit_share,
    )


def _chunkers(wanted: EvalOptions, count: Tokenizer, models: Models) -> dict[str, PassageChunker]:
    """Return the chunkers to compare, in order, by their name in the report."""
    from docxchunk.evaluation.chunkers import named, of_function
    from docxchunk.evaluation.external_chunkers import cutter

    found = {name: named(name, count, wanted.overlap, models) for name in wanted.strategies}
    for name, target in wanted.others.items():
        if name in found:
            raise UsageError(f"--chunker {name}: a strategy has that name; choose another one.")
        found[name] = of_function(cutter(target), count)
    if not found:
        raise UsageError("There is nothing to compare: give --strategies or --chunker.")
    return found


def _retrievers(names: Sequence[str], models: Mapping[str, Embedder], count: Tokenizer) -> dict[str, Retriever]:
    from docxchunk.evaluation.retrievers import Fused, bm25, dense, need_bm25, read_by

    if "bm25" in names:
        need_bm25()
    single: dict[str, Retriever] = {name: bm25 if name == "bm25" else dense(models[name], *read_by(models[name], count)) for name in names if name != "rrf"}
    if "rrf" in names and len(single) < 2:
        raise UsageError("rrf fuses the rankings of other retrievers: name at least two besides it.")
    if not names:
        raise UsageError("--retriever is empty.")
    return {name: single[name] if name != "rrf" else Fused(tuple(single.values())) for name in names}


def _models_for(names: Sequence[str], choice: ModelChoice) -> Models:
    """Return the models that these strategies use."""
    from docxchunk.chunking.strategy_spec import named_strategy
    from docxchunk.evaluation.chunkers import is_control, without_form

    return chosen(choice, sorted({port for name in names if not is_control(name) for port in named_strategy(without_form(name)[0]).models}))


def _embedder(name: str, choice: ModelChoice) -> Embedder:
    """Return the embedder of a name, a folder, or MODULE:FUNCTION."""
    from docxchunk.evaluation.external_chunkers import embedder

    if re.fullmatch(r"[\w.]+:\w+", name):
        return embedder(name)
    found = chosen(replace(choice, embedder=name), ("embedder",)).embedder
    assert found is not None  # noqa: S101 - it was named
    return found


# -- suites


class _Task(NamedTuple):
    """One set of a suite, measured in its own process."""

    each: Set
    place: Path
    reading: DocumentSelection
    plans: Mapping[int, EvalOptions]
    quiet: bool


def run_suite(  # noqa: PLR0917
    file: Path, places: Mapping[str, Path], reading: DocumentSelection, wanted: EvalOptions, jobs: Jobs, out: Path | None, reporter: Reporter
) -> None:
    """Measure the sets of a suite whose data is given, and report them."""
    from docxchunk.evaluation.suite_report import figures, suite_report
    from docxchunk.evaluation.suites import published, read_suite

    suite = read_suite(file)
    there = _with_data(suite, places, reporter)
    asked = replace(wanted, strategies=suite.strategies, others=suite.chunkers, retrievers=suite.retrievers, budgets=suite.budgets)
    plan_of(asked)  # reports wrong options before any data is read
    plans = {size: replace(asked, equal_sizes=size) for size in suite.sizes}
    found = _in_processes([_Task(each, places[each.data], reading, plans, reporter.quiet) for each in there.sets], jobs)
    scores = b"".join(cell.lines for each in found for cell in each.sizes)
    digest = hashlib.sha256(scores).hexdigest()
    facts = (
        ("suite", file.name),
        ("tokens", api.tokenizer(wanted.tokenizer).name),
        ("half", reading.half.value),
        ("SHA-256 of scores.jsonl", digest),
    )
    deliver(suite_report(suite, found, facts), {"scores.jsonl": scores, "figures.csv": figures(suite, found).encode()}, out, reporter)
    partly = f"not compared with the published tables: of {len(suite.sets)} sets, {len(there.sets)} were measured"
    reporter.say(published(file, digest) if there == suite else partly)


def _in_processes(tasks: Sequence[_Task], asked: Jobs) -> list[MeasuredSet]:
    jobs = min(usable_cores() if asked == "auto" else asked, len(tasks))
    if jobs == 1:
        return [*map(_measured, tasks)]
    with ProcessPoolExecutor(jobs, get_context("spawn"), _share_processors, (jobs,)) as pool:
        return [*pool.map(_measured, tasks)]


def _share_processors(jobs: int) -> None:
    """Limit the threads of models to this process's share of the cores. Must run before they are imported."""
    os.environ.setdefault("OMP_NUM_THREADS", str(max(usable_cores() // jobs, 1)))


def _measured(task: _Task) -> MeasuredSet:
    from docxchunk.evaluation.suites import measure

    hush()
    tell = Reporter(quiet=task.quiet).say
    tell(f"{task.each.name}: reading")
    return measure(task.each, _loaded(task.each, task.place, task.reading), {size: plan_of(wanted) for size, wanted in task.plans.items()}, tell)


def hush() -> None:
    """Silence warnings, which would repeat for each chunk size that is tried."""
    logging.getLogger("docxchunk").setLevel(logging.ERROR)


def _with_data(suite: Suite, places: Mapping[str, Path], reporter: Reporter) -> Suite:
    """Return the suite with only the sets whose data is given. Raise UsageError if there are none, or for data of an unknown set."""
    names = {each.data for each in suite.sets}
    for name in places:
        if name not in names:
            raise UsageError(f"--dataset {name}: the suite has no such set; it reads {', '.join(sorted(names))}.")
    for name in sorted(names - places.keys()):
        reporter.say(f"{name}: left out; --dataset {name}=PATH is missing")
    if not places:
        raise UsageError(f"The suite reads {', '.join(sorted(names))}: give the path of each with --dataset NAME=PATH.")
    return replace(suite, sets=tuple(each for each in suite.sets if each.data in places))


def _loaded(each: Set, place: Path, reading: DocumentSelection) -> Benchmark:
    from docxchunk.evaluation import datasets
    from docxchunk.evaluation.runs import Half, half_of

    half = each.half if reading.half is Half.ALL else reading.half
    found = half_of(datasets.load(each.loader, place, reading.options), half)
    if not found.questions:
        raise UsageError(f"{each.name}: there is no question to ask: no answer was found in its document.")
    return found


# -- reports


def deliver(report: EvaluationReport, data: Mapping[str, bytes], out: Path | None, reporter: Reporter) -> None:
    """Print the report as Markdown. With an output folder, write the report (Markdown, HTML) and the files of data to it, and print only the verdict."""
    from docxchunk.evaluation.html import html
    from docxchunk.evaluation.markdown import markdown

    if out is None:
        sys.stdout.write(markdown(report))
    else:
        _write(out, {"report.md": markdown(report).encode(), "report.html": html(report).encode(), **data}, reporter)
        reporter.say(report.verdict)


def _write(folder: Path, files: Mapping[str, bytes], reporter: Reporter) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
            reporter.data(str(folder / name))
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror or error}.") from error
