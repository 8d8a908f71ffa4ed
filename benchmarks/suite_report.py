"""Build the report of a suite, and the table of its figures: each set, and the mean over sets with
equal weights.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from benchmarks.evaluate import MEAN, MeasuredSet, Suite
from docxchunk.evaluation.rendering import (
    NOTHING,
    EvaluationReport,
    ReportTable,
    measure_title,
    percent,
)
from docxchunk.evaluation.report import left_out_of, mean_size
from docxchunk.evaluation.runs import PRIMARY, Half
from docxchunk.evaluation.statistics import (
    Estimate,
    VerdictBasis,
    estimate,
    points,
    pooled,
    verdict,
)

_IN_THE_MEAN: Final = "mean of the sets"
_MATTERS: Final = 0.01  # smallest difference to the worse that is listed

ScoreKey = tuple[int, str, str]  # size, retriever, measure


def suite_report(
    suite: Suite, found: Sequence[MeasuredSet], facts: Sequence[tuple[str, str]]
) -> EvaluationReport:
    """Return the report: means, where the baseline is worse, the sets, and chunk sizes. `figures`
    has each set, and the named pairs.
    """
    left_out = (left_out_of(each.left_out, f"Left out: {each.set.name}") for each in found)
    return EvaluationReport(
        title=suite.title,
        verdict="\n\n".join(_verdicts(suite, found)),
        facts=tuple(facts),
        tables=(*_means(suite, found), _behind(suite, found), _sets(found)),
        charts=(),
        differences=(),
        details=(
            *(_chunks(suite, found, size) for size in suite.sizes),
            *(table for table in left_out if table.rows),
        ),
    )


def figures(suite: Suite, found: Sequence[MeasuredSet]) -> str:
    """Return CSV with a row for each set and for their mean, each size, retriever and budget, and
    each chunker.

    Recall is in percent. A difference, chunker minus `than`, is in points, with its 95 % interval.
    `than` is the baseline, or the other one of a named pair.
    """
    file = io.StringIO()
    write = csv.writer(file, lineterminator="\n").writerow
    write(
        (
            "set",
            "tokens",
            "retriever",
            "characters",
            "chunker",
            "recall",
            "than",
            "difference",
            "low",
            "high",
        )
    )
    pairs = [(name, suite.baseline) for name in suite.names] + [
        pair for pair in suite.pairs if suite.baseline not in pair
    ]
    for name, members in _groups(found):
        for size, budget in itertools.product(suite.sizes, suite.budgets):
            for retriever, (chunker, than) in itertools.product(_retrievers(suite), pairs):
                key = (size, retriever, f"recall@{budget}")
                compared = (
                    (than, *map(percent, difference(members, chunker, than, key).interval()))
                    if than != chunker
                    else ("",) * 4
                )
                write(
                    (
                        name,
                        size,
                        retriever,
                        budget,
                        chunker,
                        percent(_recall(members, chunker, key)),
                        *compared,
                    )
                )
    return file.getvalue().replace(NOTHING, "")


def _retrievers(suite: Suite) -> tuple[str, ...]:
    return (*suite.retrievers, MEAN) if len(suite.retrievers) > 1 else suite.retrievers


def _sets(found: Sequence[MeasuredSet]) -> ReportTable:
    header = (
        "set",
        "documents",
        "characters",
        "questions",
        "independent documents",
        "left out",
        "placed by ROUGE-L",
        "in the mean",
        "what its documents are",
    )
    rows = tuple(
        (
            each.set.name,
            f"{each.documents:,}",
            f"{each.characters:,}",
            f"{len(each.clusters):,}",
            f"{len({*each.clusters}):,}",
            f"{len(each.left_out):,}",
            f"{each.near:,}",
            "yes" if each.set.pooled else "no",
            "; ".join(
                filter(
                    None,
                    (
                        each.note,
                        f"the {each.set.half} half of them"
                        if each.set.half is not Half.ALL
                        else "",
                    ),
                )
            ),
        )
        for each in found
    )
    return ReportTable(
        "Sets",
        "What was asked, and how much of it is independent: questions on one document are not.",
        header,
        rows,
    )


def _groups(found: Sequence[MeasuredSet]) -> list[tuple[str, list[MeasuredSet]]]:
    """Return each set by name, then the pooled sets together, if there are several."""
    mean = [each for each in found if each.set.pooled]
    return [
        *((each.set.name, [each]) for each in found),
        *([(_IN_THE_MEAN, mean)] if len(mean) > 1 else []),
    ]


def _columns(suite: Suite) -> tuple[list[tuple[int, str]], tuple[str, ...]]:
    """Return the (size, measure) columns and their titles."""
    columns = [(size, budget) for size in suite.sizes for budget in suite.budgets]
    return [(size, f"recall@{budget}") for size, budget in columns], tuple(
        f"{size} tokens, {budget:,}" for size, budget in columns
    )


def _means(suite: Suite, found: Sequence[MeasuredSet]) -> Iterator[ReportTable]:
    """Yield the summary of the pooled sets, or of the only set."""
    name, members = _groups(found)[-1]
    columns, titles = _columns(suite)
    note = (
        "Recall in percent, by tokens of a chunk and characters read; in brackets the "
        f"difference to {suite.baseline}, in points, with its 95 % interval."
    )
    for retriever in _retrievers(suite):
        rows = tuple(
            (
                chunker,
                *(
                    _share(suite, chunker, members, (size, retriever, measure))
                    for size, measure in columns
                ),
            )
            for chunker in suite.names
        )
        yield ReportTable(f"Summary, {retriever}: {name}", note, ("chunker", *titles), rows)


def _behind(suite: Suite, found: Sequence[MeasuredSet]) -> ReportTable:
    """Return every case in which the baseline is worse by more than a point, significant or not."""
    keys = [
        (size, retriever, measure)
        for retriever in _retrievers(suite)
        for size, measure in _columns(suite)[0]
    ]
    rows = tuple(
        (
            name,
            other,
            f"{size}",
            retriever,
            measure_title(measure).removeprefix("recall in "),
            points(interval),
        )
        for name, members in _groups(found)
        for other in suite.names
        if other != suite.baseline
        for size, retriever, measure in keys
        if (
            interval := difference(
                members, suite.baseline, other, (size, retriever, measure)
            ).interval()
        ).mean
        < -_MATTERS
    )
    note = (
        f"All differences of more than {_MATTERS * 100:.0f} point to the worse, in points; "
        "one whose interval holds 0 may be chance."
    )
    return ReportTable(
        f"Where {suite.baseline} finds less",
        note,
        ("set", "than", "tokens", "retriever", "characters", "difference"),
        rows,
    )


def _share(suite: Suite, name: str, members: Sequence[MeasuredSet], key: ScoreKey) -> str:
    share = percent(_recall(members, name, key))
    return (
        share
        if name == suite.baseline
        else f"{share} ({points(difference(members, name, suite.baseline, key).interval())})"
    )


def _recall(members: Sequence[MeasuredSet], name: str, key: ScoreKey) -> float:
    """Return the mean recall, with equal weights of the sets."""
    size, retriever, measure = key
    return sum(
        float(each.at(size).scores[name, retriever, measure].mean()) for each in members
    ) / len(members)


def difference(members: Sequence[MeasuredSet], left: str, right: str, key: ScoreKey) -> Estimate:
    """Return left - right, with equal weights of the sets."""
    size, retriever, measure = key
    both = [
        (
            each.at(size).scores[left, retriever, measure],
            each.at(size).scores[right, retriever, measure],
            each.clusters,
        )
        for each in members
    ]
    return pooled([estimate(mine - others, clusters) for mine, others, clusters in both])


def _verdicts(suite: Suite, found: Sequence[MeasuredSet]) -> Iterator[str]:
    """Yield the verdict for each size, by recall in 4,000 characters or the largest smaller budget,
    in the mean of the sets.
    """
    budget = max(
        (budget for budget in suite.budgets if budget <= PRIMARY), default=min(suite.budgets)
    )
    retriever, (name, members) = _retrievers(suite)[-1], _groups(found)[-1]
    asked = (
        sum(len(each.clusters) for each in members),
        sum(len({*each.clusters}) for each in members),
    )
    for size in suite.sizes:
        key = (size, retriever, f"recall@{budget}")
        differences = {
            other: difference(members, suite.baseline, other, key)
            for other in suite.names
            if other != suite.baseline
        }
        yield verdict(
            VerdictBasis(
                f"{measure_title(key[2])} characters, "
                f"chunks of {size} tokens ({retriever}, {name})",
                *asked,
            ),
            suite.baseline,
            differences,
        )


def _chunks(suite: Suite, found: Sequence[MeasuredSet], size: int) -> ReportTable:
    rows = tuple(
        (
            name,
            *(
                f"{mean_size(cuts.mean_tokens, size)} of {cuts.max_tokens:,}"
                for each in found
                for cuts in each.at(size).cuts
                if cuts.chunker == name
            ),
        )
        for name in suite.names
    )
    note = (
        "Tokens in the mean, of the limit that was asked for to have them; marked where they "
        "could not be made equal."
    )
    return ReportTable(
        f"Chunks of {size} tokens", note, ("chunker", *(each.set.name for each in found)), rows
    )
