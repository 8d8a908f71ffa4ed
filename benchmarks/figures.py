"""The figures of a suite as CSV, a line for each value.

- `set`: a set, "mean of the sets" (each weighs the same), or "held out": the mean over the sets of
  the questions on documents that no default was chosen on. "SET, held out": those of one set.
- `tokens`, `path`, `retriever`, `chunker`: what was measured, `tokens` being the size of the suite.
- `measure`: "recall@N" in percent, or "read", the median of the characters until 95 % of an answer
  is read. Of chunks: "limit", "mean tokens", "tokens with answers" (the mean over the chunks that
  have the most of an answer). Of a set: "documents", "questions", "questions held out", "left out".
  Of the suite: "measured with", "scores" (the SHA-256 of scores.jsonl).
- `value`: empty for "never".
- `than`, `difference`, `low`, `high`: the recall minus that of another chunker, or of the same one
  with another path ("path none"), in points, with its 95 % interval.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite import READ, MeasuredSet, ScoreKey, Suite
from docxchunk.lab.evaluation.rendering import NOTHING, percent
from docxchunk.lab.evaluation.statistics import Estimate, estimate
from docxchunk.version import __version__

MEAN: Final = "mean of the sets"
HELD_OUT: Final = "held out"
COLUMNS: Final = (
    *("set", "tokens", "path", "retriever", "chunker", "measure", "value"),
    *("than", "difference", "low", "high"),
)
MEASURED_WITH, SCORES = "measured with", "scores"

# sets with a mask of their questions
_Members = Sequence[tuple[MeasuredSet, NDArray[np.bool_]]]


def figures(suite: Suite, found: Sequence[MeasuredSet], digest: str) -> str:
    """Return the figures of a suite, with the hash of its scores."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    facts = ((MEASURED_WITH, _versions(suite)), (SCORES, digest))
    writer.writerows((*("",) * 5, *fact, *("",) * 4) for fact in facts)
    for each in found:
        writer.writerows((*row, *("",) * 4) for row in _of_set(each))
    for name, members in _groups(suite, found):
        writer.writerows(_recalls(suite, name, members))
    return file.getvalue().replace(NOTHING, "")


def published(suite: Path, digest: str) -> str:
    """Return a sentence that says whether the scores have the hash of the published ones."""
    beside = suite.with_suffix(".csv")
    if not beside.is_file():
        return f"there is no {beside.name} beside the suite: its figures are not published"
    if f",{SCORES},{digest}," in beside.read_text("utf-8"):
        return "the published figures are current: the scores are the same"
    return f"the published figures are not current: {beside.name} has the hash of other scores"


def _versions(suite: Suite) -> str:
    """Return the version of docxchunk, the day, and the versions of the other programs."""
    targets = " ".join((*suite.chunkers.values(), *suite.pipelines.values()))
    packages = [
        package
        for name, package in {
            "langchain": "langchain-text-splitters",
            "markitdown": "markitdown",
            "docling": "docling-slim",
            "semantic_text_splitter": "semantic-text-splitter",
        }.items()
        if name in targets
    ]
    others = "".join(f", {package} {_version(package)}" for package in packages)
    return f"docxchunk {__version__} of {datetime.now(UTC):%Y-%m-%d %H:%M} UTC{others}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def _of_set(each: MeasuredSet) -> Iterator[tuple[object, ...]]:
    """Yield the facts on a set, the sizes of its chunks, and how much is read."""
    name = each.set.name
    facts = {
        "documents": each.documents,
        "questions": len(each.clusters),
        "questions held out": int(each.held_out.sum()),
        "left out": each.left_out,
    }
    for measure, value in facts.items():
        yield name, "", "", "", "", measure, f"{value}"
    for at in each.sizes:
        for cuts in at.cuts:
            sizes = {
                "limit": f"{cuts.max_tokens}",
                "mean tokens": f"{cuts.mean_tokens:.0f}",
                "tokens with answers": f"{cuts.answer_tokens:.0f}",
            }
            for measure, tokens in sizes.items():
                yield name, at.size, "", "", cuts.chunker, measure, tokens
        for (chunker, path, retriever, measure), scores in at.scores.items():
            if measure == READ:
                read = float(np.median(scores))
                shown = f"{read:.0f}" if np.isfinite(read) else ""
                yield name, at.size, path, retriever, chunker, READ, shown


def _groups(suite: Suite, found: Sequence[MeasuredSet]) -> Iterator[tuple[str, _Members]]:
    """Yield each set by name and its held-out questions, then the pooled sets together if there
    are several, and their held-out questions.
    """
    whole = [(each, np.ones(len(each.clusters), dtype=bool)) for each in found]
    for each, mask in whole:
        yield each.set.name, [(each, mask)]
        if each.held_out.any():
            yield f"{each.set.name}, {HELD_OUT}", [(each, each.held_out)]
    together = [(each, mask) for each, mask in whole if each.set.pooled]
    if len(together) > 1:
        yield MEAN, together
    if suite.primary:
        yield HELD_OUT, [(each, each.held_out) for each, _ in together if each.held_out.any()]


def _recalls(suite: Suite, name: str, members: _Members) -> Iterator[Sequence[object]]:
    pairs = [
        *((chunker, suite.baseline) for chunker in suite.names),
        *(pair for pair in suite.pairs if suite.baseline not in pair),
    ]
    keys = product(suite.sizes, suite.paths, suite.retrievers, suite.budgets)
    for size, path, retriever, budget in keys:
        measure = f"recall@{budget}"
        rest = retriever, measure
        others: list[tuple[str, str, ScoreKey]] = [
            (chunker, than, (than, path, *rest)) for chunker, than in pairs
        ]
        if path != suite.paths[0]:
            first = suite.paths[0]
            others += [(each, f"path {first}", (each, first, *rest)) for each in suite.names]
        for chunker, than, other in others:
            key = chunker, path, *rest
            recall = sum(
                float(each.at(size).scores[key][mask].mean()) for each, mask in members
            ) / len(members)
            compared: tuple[str, ...] = ("",) * 4
            if key != other:
                interval = difference(members, size, key, other).interval()
                compared = than, *map(percent, interval)
            yield name, size, path, retriever, chunker, measure, percent(recall), *compared


def difference(members: _Members, size: int, key: ScoreKey, other: ScoreKey) -> Estimate:
    """Return the difference of two scores, with equal weights of the sets."""
    estimates = []
    for each, mask in members:
        scores = each.at(size).scores
        clusters = np.asarray(each.clusters)[mask]
        estimates.append(estimate((scores[key] - scores[other])[mask], clusters.tolist()))
    return pooled(estimates)


def pooled(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean over independent sets of equal weight; degrees of freedom by
    Welch-Satterthwaite. The variance is NaN if a set has no variance.
    """
    if not estimates:
        return Estimate(math.nan, math.nan, math.nan)
    variance = math.fsum(each.variance for each in estimates)
    spread = math.fsum(each.variance**2 / each.freedom for each in estimates)
    freedom = variance**2 / spread if spread else min(each.freedom for each in estimates)
    return Estimate(
        math.fsum(each.mean for each in estimates) / len(estimates),
        variance / len(estimates) ** 2,
        freedom,
    )
