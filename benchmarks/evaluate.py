"""Measure with published sets of questions: `python -m benchmarks.evaluate --dataset NAME=PATH`,
with the options of `docxchunk eval`.

With `--suite FILE`, several sets are measured at several sizes, and the figures are CSV (see
`benchmarks.figures`). A suite is TOML (suite.schema.json):

    title = "What helps"
    note = ""                  # what a reader of the figures must know
    baseline = "R"             # the others are compared with it; by default, the first
    strategies = ["P", "R", "fixed:size=1000"]
    sizes = [200, 400]         # mean tokens of a chunk, equal for all but units
    equal_sizes = true         # false: the sizes are limits
    retrievers = ["bm25"]
    paths = ["none", "embed"]  # as for --path
    budgets = [1000, 2000, 4000]          # characters of ranked text
    pairs = [["P", "fixed:size=1000"]]    # compared in addition to those with the baseline

    [primary]                  # the comparison that was named before it was measured
    chunker = "P"
    than = "R"
    size = 400
    path = "embed"
    retriever = "bm25"

    [chunkers]                 # of other packages, as for --chunker; [pipelines] as for --pipeline
    langchain = "benchmarks.other_chunkers:langchain"

    [[sets]]
    name = "telco"
    loader = "telco"           # as for --dataset; `data`: another name of its folder in --dataset
    pooled = true              # whether it counts in the mean over sets
    half = "all"               # or one half of its documents, as for --half
    held_out = "test"          # the half that no default was chosen on; "all": the whole set

The file says what is compared, so the options that choose strategies, sizes and sets are not
allowed with `--suite`. A set is left out if its folder is not given. If figures are published
beside the suite (NAME.csv), the last line says whether the scores have the same hash.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets
from benchmarks.figures import figures, published
from benchmarks.suite import (
    READ,
    Measured,
    MeasuredSet,
    ScoreKey,
    Set,
    Suite,
    read_suite,
)
from docxchunk.backends.local_models import usable_cores
from docxchunk.batch.pool import Jobs
from docxchunk.cli import main
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.lab import CHUNKERS, eval_options, evaluate, write
from docxchunk.errors import UsageError
from docxchunk.lab.evaluation.plans import EvalSettings, Plan, Prefix, plan_of
from docxchunk.lab.evaluation.questions import Benchmark
from docxchunk.lab.evaluation.runs import (
    Half,
    Results,
    half_of,
    in_half,
    question_scores,
    run,
)
from docxchunk.model.options import ParseOptions

EXAMPLES = f"""\b
Examples:
  python -m benchmarks.evaluate --dataset tatqa=TAT-QA/dataset_raw --path none,headings
  python -m benchmarks.evaluate --suite benchmarks/suites/cuts.toml \\
      --dataset tatqa=TAT-QA/dataset_raw -o out

\b
--dataset: {", ".join(datasets.LOADERS)}.
The data is not included. Options of the parser apply to the Word files of all sets.

{CHUNKERS}"""


class DocumentSelection(NamedTuple):
    """Parse options, and the half of the documents to use."""

    options: ParseOptions
    half: Half


Tell = Callable[[str], None]


def measure(each: Set, benchmark: Benchmark, plans: Mapping[int, Plan], tell: Tell) -> MeasuredSet:
    """Run all plans, by size, on one set."""
    names = [source.name for source in benchmark.sources]
    return MeasuredSet(
        set=each,
        clusters=[question.cluster for question in benchmark.questions],
        held_out=np.array(
            [
                each.held_out is Half.ALL
                or all(in_half(names[i], each.held_out) for i in question.documents)
                for question in benchmark.questions
            ]
        ),
        documents=len(names),
        left_out=len(benchmark.left_out),
        sizes=[
            _measured(each, size, run(benchmark, plan, _telling(tell, f"{each.name}, {size}")))
            for size, plan in plans.items()
        ],
    )


def _telling(tell: Tell, at: str) -> Tell:
    return lambda text: tell(f"{at}: {text}")


def _measured(each: Set, size: int, results: Results) -> Measured:
    scores: dict[ScoreKey, NDArray[np.float64]] = {}
    for cell in results.cells:
        key = cell.chunker, cell.path.value, cell.retriever
        for budget in results.plan.budgets:
            scores[(*key, f"recall@{budget}")] = cell.scores[f"recall@{budget}"]
        scores[(*key, READ)] = cell.until_complete
    lines = b"".join(question_scores(results, {"set": each.name, "size": size}))
    return Measured(size, results.cuts, scores, lines)


class _Task(NamedTuple):
    """One set of a suite, measured in its own process."""

    each: Set
    place: Path
    reading: DocumentSelection
    plans: Mapping[int, EvalSettings]
    quiet: bool


def run_suite(  # noqa: PLR0917
    file: Path,
    places: Mapping[str, Path],
    reading: DocumentSelection,
    settings: EvalSettings,
    jobs: Jobs,
    out: Path | None,
    reporter: Reporter,
) -> None:
    """Measure the sets of a suite whose data is given, and report them."""
    suite = read_suite(file)
    available = _with_data(suite, places, reporter)
    settings = replace(
        settings,
        strategies=suite.strategies,
        others=suite.chunkers,
        pipelines=suite.pipelines,
        retrievers=suite.retrievers,
        paths=tuple(map(Prefix, suite.paths)),
        budgets=suite.budgets,
    )
    plan_of(settings)  # reports wrong options before any data is read
    plans = {
        size: replace(settings, equal_sizes=size if suite.equal_sizes else None, max_tokens=size)
        for size in suite.sizes
    }
    measured = _in_processes(
        [_Task(each, places[each.data], reading, plans, reporter.quiet) for each in available.sets],
        jobs,
    )
    scores = b"".join(cell.lines for each in measured for cell in each.sizes)
    digest = hashlib.sha256(scores).hexdigest()
    data = figures(suite, measured, digest)
    if out is None:
        sys.stdout.write(data)
    else:
        write(out, {"scores.jsonl": scores, "figures.csv": data.encode()}, reporter)
    reporter.say(
        published(file, digest)
        if available == suite
        else f"not compared with the published figures: of {len(suite.sets)} sets, "
        f"{len(available.sets)} were measured"
    )


def _in_processes(tasks: Sequence[_Task], jobs: Jobs) -> list[MeasuredSet]:
    processes = min(usable_cores() if jobs == "auto" else jobs, len(tasks))
    if processes == 1:
        return [*map(_of_task, tasks)]
    with ProcessPoolExecutor(
        processes, get_context("spawn"), _share_processors, (processes,)
    ) as pool:
        return [*pool.map(_of_task, tasks)]


def _share_processors(processes: int) -> None:
    """Limit the threads of models to this process's share of the cores. Must run before they are
    imported.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(max(usable_cores() // processes, 1)))


def _of_task(task: _Task) -> MeasuredSet:
    logging.getLogger("docxchunk").setLevel(logging.ERROR)  # as in `eval_options`
    tell = Reporter(quiet=task.quiet).say
    tell(f"{task.each.name}: reading")
    return measure(
        task.each,
        _loaded(task.each, task.place, task.reading),
        {size: plan_of(settings, tell, brief=True) for size, settings in task.plans.items()},
        tell,
    )


def _with_data(suite: Suite, places: Mapping[str, Path], reporter: Reporter) -> Suite:
    """Return the suite with only the sets whose data is given. Raise UsageError if there are none,
    or for data of an unknown set.
    """
    names = {each.data for each in suite.sets}
    for name in places:
        if name not in names:
            raise UsageError(
                f"--dataset {name}: the suite has no such set; it reads {', '.join(sorted(names))}."
            )
    for name in sorted(names - places.keys()):
        reporter.say(f"{name}: left out; --dataset {name}=PATH is missing")
    if not places:
        raise UsageError(
            f"The suite reads {', '.join(sorted(names))}: give the path of each "
            "with --dataset NAME=PATH."
        )
    return replace(suite, sets=tuple(each for each in suite.sets if each.data in places))


def _loaded(each: Set, place: Path, reading: DocumentSelection) -> Benchmark:
    half = each.half if reading.half is Half.ALL else reading.half
    benchmark = half_of(datasets.load(each.loader, place, reading.options), half)
    if not benchmark.questions:
        raise UsageError(
            f"{each.name}: there is no question to ask: no answer was found in its document."
        )
    return benchmark


@common.command(epilog=EXAMPLES)
@click.option(
    "--dataset",
    "places",
    multiple=True,
    metavar="NAME=PATH",
    help="Published question set in a folder or file; with --suite, repeat it for each set.",
)
@click.option(
    "--suite",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="TOML file with sets, strategies and sizes to report together.",
)
@common.jobs(1)
@eval_options
def command(
    *,
    places: tuple[str, ...],
    suite: Path | None,
    jobs: Jobs,
    settings: EvalSettings,
    half: str,
    options: ParseOptions,
    out: Path | None,
    reporter: Reporter,
) -> None:
    """Measure how well the chunks of each strategy retrieve the answers to published questions.
    --jobs is for the sets of a suite.
    """
    given = dict(map(_place, places))
    if suite is not None:
        _of_suite_alone(click.get_current_context())
        run_suite(
            suite, given, DocumentSelection(options, Half(half)), settings, jobs, out, reporter
        )
        return
    if len(given) != 1:
        raise UsageError("Give one --dataset NAME=PATH, or --suite FILE.")
    ((name, place),) = given.items()
    evaluate(datasets.load(name, place, options), settings, half, out, reporter)


def _place(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not path:
        raise UsageError(f"--dataset {text}: a data set is given as NAME=PATH.")
    return name, Path(path)


_OF_A_RUN: Final = (
    "strategies",
    "others",
    "pipelines",
    "retrievers",
    "budgets",
    "max_tokens",
    "equal_sizes",
    "paths",
    "reader",
)


def _of_suite_alone(ctx: click.Context) -> None:
    """Raise UsageError if an option is given that the suite file sets."""
    for parameter in ctx.command.params:
        if (
            parameter.name in _OF_A_RUN
            and ctx.get_parameter_source(parameter.name) is click.core.ParameterSource.COMMANDLINE
        ):
            raise UsageError(
                f"{parameter.opts[0]} cannot be used with --suite: the suite file sets it."
            )


if __name__ == "__main__":
    main(command)
