"""Run several data sets at several sizes from one file, to reproduce published tables with one command.

A suite is TOML (schemas/suite.schema.json):

    title = "What helps"
    baseline = "R"                      # the others are compared with it; by default, the first strategy
    strategies = ["P", "R", "fixed:size=1000"]
    sizes = [200, 400]                  # mean tokens of a chunk, equal for all
    retrievers = ["bm25"]
    budgets = [1000, 2000, 4000]        # characters of ranked text
    pairs = [["P", "fixed:size=1000"]]  # compared in addition to those with the baseline

    [chunkers]                          # of other packages, as for --chunker
    langchain = "evaluation.comparators:langchain"

    [[sets]]
    name = "telco"
    loader = "telco"                    # as for --dataset; `data`: another name of its folder in --dataset
    pooled = true                       # whether it counts in the mean over sets
    half = "all"                        # or one half of its documents, as for --half
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from docxchunk.errors import MissingFileError, UsageError
from docxchunk.evaluation.question_scores import question_scores
from docxchunk.evaluation.questions import Benchmark, LeftOut
from docxchunk.evaluation.runs import Cuts, Half, Plan, Results, run
from docxchunk.sidecar.schemas import faults, schema


@dataclass(frozen=True, slots=True)
class Set:
    """A set of questions. `data` is the name under which the user gives its path."""

    name: str
    loader: str
    data: str
    pooled: bool
    half: Half = Half.ALL


@dataclass(frozen=True, slots=True)
class Suite:
    title: str
    strategies: tuple[str, ...]
    sizes: tuple[int, ...]
    sets: tuple[Set, ...]
    baseline: str
    retrievers: tuple[str, ...] = ("bm25",)
    budgets: tuple[int, ...] = (1000, 2000, 4000)
    pairs: tuple[tuple[str, str], ...] = ()
    chunkers: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all strategies and chunkers."""
        return (*self.strategies, *self.chunkers)


def read_suite(path: Path) -> Suite:
    """Read a suite file. Raise MissingFileError if it cannot be read, UsageError if it is invalid."""
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise MissingFileError(f"The file {str(path)!r} cannot be read ({error.strerror or error}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.name} is not TOML ({error}).") from None
    for fault in faults(found, schema("suite")):
        raise UsageError(f"{path.name}: {fault}.")
    suite = _suite(found)
    for name in (suite.baseline, *(name for pair in suite.pairs for name in pair)):
        if name not in suite.names:
            raise UsageError(f"{path.name}: {name!r} is compared, but it is none of the strategies or chunkers.")
    return suite


def _suite(found: Mapping[str, object]) -> Suite:
    strategies = tuple(cast("list[str]", found["strategies"]))
    sets = tuple(_set(item) for item in cast("list[dict[str, object]]", found["sets"]))
    return Suite(
        title=str(found["title"]),
        strategies=strategies,
        sizes=tuple(cast("list[int]", found["sizes"])),
        sets=sets,
        baseline=str(found.get("baseline", strategies[0])),
        retrievers=tuple(cast("list[str]", found.get("retrievers", ["bm25"]))),
        budgets=tuple(sorted(cast("list[int]", found.get("budgets", [1000, 2000, 4000])))),
        pairs=tuple((left, right) for left, right in cast("list[list[str]]", found.get("pairs", []))),
        chunkers=cast("dict[str, str]", found.get("chunkers", {})),
    )


def _set(item: Mapping[str, object]) -> Set:
    loader = str(item["loader"])
    return Set(str(item["name"]), loader, str(item.get("data", loader)), bool(item.get("pooled", True)), Half(str(item.get("half", Half.ALL))))


class Measured(NamedTuple):
    """One set at one size: chunk statistics, and the scores of the questions by chunker, retriever and measure."""

    size: int
    cuts: Sequence[Cuts]
    scores: Mapping[tuple[str, str, str], NDArray[np.float64]]
    lines: bytes  # of scores.jsonl


class MeasuredSet(NamedTuple):
    """A set of the suite at all sizes. `left_out` lists the questions that were not asked."""

    set: Set
    clusters: Sequence[str]
    documents: int
    characters: int
    near: int  # number of questions located by ROUGE-L
    note: str
    left_out: Sequence[LeftOut]
    sizes: Sequence[Measured]

    def at(self, size: int) -> Measured:
        return next(each for each in self.sizes if each.size == size)


MEAN = "mean"  # over retrievers


Tell = Callable[[str], None]


def measure(each: Set, found: Benchmark, plans: Mapping[int, Plan], tell: Tell) -> MeasuredSet:
    """Run all plans, by size, on one set."""
    return MeasuredSet(
        set=each,
        clusters=[question.cluster for question in found.questions],
        documents=len(found.sources),
        characters=sum(len(source.text) for source in found.sources),
        near=sum(bool(question.evidence) for question in found.questions),
        note=found.note,
        left_out=found.left_out,
        sizes=[_measured(each, size, run(found, plan, _telling(tell, f"{each.name}, {size}"))) for size, plan in plans.items()],
    )


def _telling(tell: Tell, at: str) -> Tell:
    return lambda text: tell(f"{at}: {text}")


def _measured(each: Set, size: int, results: Results) -> Measured:
    budgets = [f"recall@{budget}" for budget in results.plan.budgets]
    path = results.plan.paths[0]
    scores = {
        (name, retriever, budget): results.cell(name, path, retriever).scores[budget]
        for name in results.plan.chunkers
        for retriever in results.plan.retrievers
        for budget in budgets
    }
    if len(results.plan.retrievers) > 1:
        for name in results.plan.chunkers:
            for budget in budgets:
                scores[name, MEAN, budget] = np.asarray(np.mean([scores[name, retriever, budget] for retriever in results.plan.retrievers], axis=0))
    lines = b"".join(question_scores(results, {"set": each.name, "size": size}))
    return Measured(size, results.cuts, scores, lines)


def published(suite: Path, digest: str) -> str:
    """Return a sentence that says whether the SHA-256 of the scores equals the one in NAME.sha256 (sha256sum format) beside the suite."""
    beside = suite.with_suffix(".sha256")
    if not beside.is_file():
        return f"there is no {beside.name} beside the suite: its tables are not published"
    if beside.read_text("utf-8").split()[:1] == [digest]:
        return "the published tables are current: the scores are the same"
    return f"the published tables are not current: {beside.name} has another hash than these scores"
