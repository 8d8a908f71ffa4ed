"""Render the changes between two versions of a document as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from docxchunk.formats.report.templates import page
from docxchunk.model.changes import Comparison, Passage, PlaceChange, passages, summary
from docxchunk.model.wording import NAMELESS


class _Card(NamedTuple):
    """A change, with its text in passages and the id of its card in the page."""

    key: str
    change: PlaceChange
    passages: Sequence[Passage]


class _Section(NamedTuple):
    """The changes of a section."""

    heading: str
    cards: Sequence[_Card]


def html_diff(comparison: Comparison) -> str:
    """Return one HTML page with the changes by section, deleted words red, inserted ones green.
    Raise MissingExtraError without the extra `report`.
    """
    cards = (
        _Card(f"change-{number}", change, tuple(passages(change)))
        for number, change in enumerate(comparison.changes, 1)
    )
    sections = [
        _Section(heading or NAMELESS, tuple(group))
        for heading, group in groupby(cards, key=attrgetter("change.section"))
    ]
    return page(
        "diff.html",
        "diff.js",
        title=f"{comparison.old} → {comparison.new}",
        sections=sections,
        facts=" ".join(summary(comparison, "The words have not changed.")),
        missing=", ".join(comparison.not_compared),
    )
