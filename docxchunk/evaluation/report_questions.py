"""What a report says of the questions: how many, on how much, and which were left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from docxchunk.evaluation.display import Table
from docxchunk.evaluation.questions import Benchmark, LeftOut

_MOST_LISTED: Final = 200


def about_of(found: Benchmark) -> tuple[tuple[str, str], ...]:
    """What was asked, of how much, and how much of it is independent."""
    documents = f"{len(found.sources):,}, {sum(len(source.text) for source in found.sources):,} characters"
    clusters = len({question.cluster for question in found.questions})
    near = sum(bool(question.evidence) for question in found.questions)
    return (
        ("documents", f"{documents}{f'; {found.note}' if found.note else ''}"),
        ("questions", f"{len(found.questions):,} on {clusters:,} independent documents"),
        ("left out", f"{len(found.left_out):,}, their answers having no place in a document"),
        ("placed by ROUGE-L", f"{near:,}, their answers not standing there word for word"),
    )


def left_out_of(left_out: Sequence[LeftOut], title: str = "Left out") -> Table:
    """The questions that were not asked; the first of them where they are many."""
    rows = tuple(map(tuple, left_out[:_MOST_LISTED]))
    more = len(left_out) - len(rows)
    note = "Questions of the data that were not asked, and why." + (f" There are {more:,} more." if more else "")
    return Table(title, note, ("question", "document", "why"), rows)
