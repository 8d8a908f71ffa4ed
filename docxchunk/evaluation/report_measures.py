"""Tabulate all measures: with intervals, and at every rank."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from docxchunk.evaluation.display import ReportTable, percent, said, shown
from docxchunk.evaluation.runs import RunScores
from docxchunk.evaluation.scoring import KS
from docxchunk.evaluation.statistics import Interval, mean_interval

_RANKED: Final = re.compile(r".*[^0-9]@\d{1,2}")
_SHOWN_KS: Final = (1, 3, 5, 10, 20)


def all_measures(cells: Sequence[RunScores], clusters: Sequence[str], title: str) -> ReportTable:
    """Return a table with a row for each measure and the interval of each mean."""
    names = [name for name in _known(cells) if not _RANKED.fullmatch(name) or int(name.rpartition("@")[2]) in _SHOWN_KS]
    rows = tuple((said(name), *(shown(_interval(cell, name, clusters)) for cell in cells)) for name in names)
    note = "In percent, with 95 % intervals of each mean. F1 of the mean precision and mean recall can be computed from their rows."
    return ReportTable(f"All measures: {title}", note, ("measure", *(cell.chunker for cell in cells)), rows)


def by_rank(cells: Sequence[RunScores], title: str) -> ReportTable:
    """Return a table of means at every number of chunks that the papers use."""
    measures = [name for name in ("R", "hit", "answer", "relevant", "DCG") if f"{name}@1" in _known(cells)]
    rows = tuple((f"{cell.chunker}: {name}", *(percent(float(np.nanmean(cell.scores[f"{name}@{k}"]))) for k in KS)) for name in measures for cell in cells)
    note = (
        "In percent, by the number of chunks. R: recall; hit: a chunk contains a passage of the answer whole; answer: a chunk contains an answer"
        " verbatim (Hits@k); relevant, DCG: by the rank of the chunk with most of the answer."
    )
    return ReportTable(f"By rank: {title}", note, ("measure", *map(str, KS)), rows)


def _known(cells: Sequence[RunScores]) -> list[str]:
    """Return the measures with a value for at least one question."""
    return [name for name in (cells[0].scores if cells else ()) if not all(np.isnan(cell.scores[name]).all() for cell in cells)]


def _interval(cell: RunScores, name: str, clusters: Sequence[str]) -> Interval:
    values = cell.scores[name]
    known = ~np.isnan(values)
    return mean_interval(values[known], [cluster for cluster, there in zip(clusters, known, strict=True) if there])
