"""What `docxchunk eval` runs: plans made of its options, suites, and where reports go."""

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
from docxchunk.cli.console import Voice
from docxchunk.errors import OutputError, UsageError
from docxchunk.model.options import ParseOptions
from docxchunk.model.ports import Embedder, Models, Tokenizer

if TYPE_CHECKING:
    from docxchunk.evaluation.chunkers import Chunker
    from docxchunk.evaluation.display import Report
    from docxchunk.evaluation.questions import Benchmark
    from docxchunk.evaluation.retrievers import Retriever
    from docxchunk.evaluation.runs import Half, Plan
    from docxchunk.evaluation.runs import Path as RunPath
    from docxchunk.evaluation.suites import MeasuredSet, Set, Suite


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options ask for. `others` are chunkers of other packages by the name that the report shows."""

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


class Reading(NamedTuple):
    """How documents are read, and which of them are asked about."""

    options: ParseOptions
    half: Half


def plan_of(wanted: Wanted) -> Plan:
    """Raises UsageError for a name that means nothing, MissingExtraError where a model or BM25 is not installed."""
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


def _chunkers(wanted: Wanted, count: Tokenizer, models: Models) -> dict[str, Chunker]:
    """What is compared, by the name that the report shows, in order."""
    from docxchunk.evaluation.chunkers import named, of_function
    from docxchunk.evaluation.external_chunkers import cutter

    found = {name: named(name, count, wanted.overlap, models) for name in wanted.strategies}
    for name, target in wanted.others.items():
        if name in found:
            raise UsageError(f"--chunker {name}: there is a strategy of that name; give it another.")
        found[name] = of_function(cutter(target), count)
    if not found:
        raise UsageError("There is nothing to compare: --strategies and --chunker name nothing.")
    return found


def _retrievers(names: Sequence[str], models: Mapping[str, Embedder], count: Tokenizer) -> dict[str, Retriever]:
    from docxchunk.evaluation.retrievers import Fused, bm25, dense, need_bm25, read_by

    if "bm25" in names:
        need_bm25()
    single: dict[str, Retriever] = {name: bm25 if name == "bm25" else dense(models[name], *read_by(models[name], count)) for name in names if name != "rrf"}
    if "rrf" in names and len(single) < 2:
        raise UsageError("rrf puts the rankings of others together: name at least two besides it.")
    if not names:
        raise UsageError("--retriever names nothing.")
    return {name: single[name] if name != "rrf" else Fused(tuple(single.values())) for name in names}


def _models_for(names: Sequence[str], choice: ModelChoice) -> Models:
    """The models that these strategies ask."""
    from docxchunk.chunking.strategy_spec import named_strategy
    from docxchunk.evaluation.chunkers import is_control, without_form

    return chosen(choice, sorted({port for name in names if not is_control(name) for port in named_strategy(without_form(name)[0]).models}))


def _embedder(name: str, choice: ModelChoice) -> Embedder:
    """By name or folder, or as a function of another package makes it."""
    from docxchunk.evaluation.external_chunkers import embedder

    if re.fullmatch(r"[\w.]+:\w+", name):
        return embedder(name)
    found = chosen(replace(choice, embedder=name), ("embedder",)).embedder
    assert found is not None  # noqa: S101 - it was named
    return found


# -- suites


class _Task(NamedTuple):
    """One set of a suite, for a process of its own."""

    each: Set
    place: Path
    reading: Reading
    plans: Mapping[int, Wanted]
    quiet: bool


def run_suite(file: Path, places: Mapping[str, Path], reading: Reading, wanted: Wanted, jobs: Jobs, out: Path | None, voice: Voice) -> None:  # noqa: PLR0917
    """Measure all of a suite whose data the user has, and report it."""
    from docxchunk.evaluation.suite_report import suite_report
    from docxchunk.evaluation.suites import published, read_suite

    suite = read_suite(file)
    there = _with_data(suite, places, voice)
    asked = replace(wanted, strategies=suite.strategies, others=suite.chunkers, retrievers=suite.retrievers, budgets=suite.budgets)
    plan_of(asked)  # what makes no sense is said before anything is read
    plans = {size: replace(asked, equal_sizes=size) for size in suite.sizes}
    found = _in_processes([_Task(each, places[each.data], reading, plans, voice.quiet) for each in there.sets], jobs)
    scores = b"".join(cell.lines for each in found for cell in each.sizes)
    digest = hashlib.sha256(scores).hexdigest()
    facts = (
        ("suite", file.name),
        ("tokens", api.tokenizer(wanted.tokenizer).name),
        ("half", reading.half.value),
        ("SHA-256 of scores.jsonl", digest),
    )
    deliver(suite_report(suite, found, facts), scores, out, voice)
    partly = f"not compared with the published tables: of {len(suite.sets)} sets, {len(there.sets)} were measured"
    voice.say(published(file, digest) if there == suite else partly)


def _in_processes(tasks: Sequence[_Task], asked: Jobs) -> list[MeasuredSet]:
    jobs = min(usable_cores() if asked == "auto" else asked, len(tasks))
    if jobs == 1:
        return [*map(_measured, tasks)]
    with ProcessPoolExecutor(jobs, get_context("spawn"), _share_processors, (jobs,)) as pool:
        return [*pool.map(_measured, tasks)]


def _share_processors(jobs: int) -> None:
    """Models in one of several processes compute with its share of the processors, before they are imported."""
    os.environ.setdefault("OMP_NUM_THREADS", str(max(usable_cores() // jobs, 1)))


def _measured(task: _Task) -> MeasuredSet:
    from docxchunk.evaluation.suites import measure

    hush()
    tell = Voice(quiet=task.quiet).say
    tell(f"{task.each.name}: reading")
    return measure(task.each, _loaded(task.each, task.place, task.reading), {size: plan_of(wanted) for size, wanted in task.plans.items()}, tell)


def hush() -> None:
    """What P says of plain text, it would say of each size that is tried."""
    logging.getLogger("docxchunk").setLevel(logging.ERROR)


def _with_data(suite: Suite, places: Mapping[str, Path], voice: Voice) -> Suite:
    """The suite with those of its sets alone whose place is known. Raises UsageError where there are none, or a place is of none."""
    names = {each.data for each in suite.sets}
    for name in places:
        if name not in names:
            raise UsageError(f"--dataset {name}: the suite has no such set; it reads {', '.join(sorted(names))}.")
    for name in sorted(names - places.keys()):
        voice.say(f"{name}: left out, no --dataset {name}=PATH says where it is")
    if not places:
        raise UsageError(f"The suite reads {', '.join(sorted(names))}: say where they are, with --dataset NAME=PATH for each.")
    return replace(suite, sets=tuple(each for each in suite.sets if each.data in places))


def _loaded(each: Set, place: Path, reading: Reading) -> Benchmark:
    from docxchunk.evaluation import datasets
    from docxchunk.evaluation.runs import Half, half_of

    half = each.half if reading.half is Half.ALL else reading.half
    found = half_of(datasets.load(each.loader, place, reading.options), half)
    if not found.questions:
        raise UsageError(f"{each.name}: there is no question whose answer has a place.")
    return found


# -- reports


def deliver(report: Report, scores: bytes, out: Path | None, voice: Voice) -> None:
    """The report as Markdown to standard output or, with the page and the scores, into a folder; the verdict to people."""
    from docxchunk.evaluation.html import html
    from docxchunk.evaluation.markdown import markdown

    if out is None:
        sys.stdout.write(markdown(report))
    else:
        _write(out, {"report.md": markdown(report).encode(), "report.html": html(report).encode(), "scores.jsonl": scores}, voice)
        voice.say(report.verdict)


def _write(folder: Path, files: Mapping[str, bytes], voice: Voice) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
            voice.data(str(folder / name))
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror or error}.") from error
