"""Render the page of a document and its chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from docxchunk.formats.report import overview
from docxchunk.formats.report.alignment import leaves, rows
from docxchunk.formats.report.cards import Cards, ChunkCard, ParentCard
from docxchunk.formats.report.outline import outline
from docxchunk.formats.report.pictures import data_uris
from docxchunk.formats.report.templates import page
from docxchunk.formats.report.values import ChunkSet, RenderContext, key_of, setting_of
from docxchunk.model.document import Document


class Column(NamedTuple):
    """The cards of one set in a row of the page."""

    set_key: str
    items: tuple[ChunkCard | ParentCard, ...]


def html_report(document: Document, sets: Sequence[ChunkSet]) -> str:
    """Return one HTML page with the chunks of a document, several sets side by side, with sizes,
    issues and an outline.

    The page loads nothing, which a Content Security Policy enforces. Text is escaped; equations are
    MathML if they can be converted, else LaTeX; pictures are embedded up to a limit. The output is
    deterministic. Raise MissingExtraError without the extra `report`.
    """
    setting = setting_of(document, data_uris(document, len(sets)))
    settings = [
        replace(setting, key=key_of(number, chunk_set)) for number, chunk_set in enumerate(sets)
    ]
    shown = tuple(_rows(sets, settings))
    sizes = overview.sizes_of(sets)
    return page(
        "page.html",
        "script.js",
        title=document.title or document.name,
        facts=overview.facts(document),
        sets=[
            (setting.key, chunk_set.name) for setting, chunk_set in zip(settings, sets, strict=True)
        ],
        outline=outline([card for row in shown for card in cards_in(row[0].items)], settings[0])
        if sets
        else (),
        sizes=sizes,
        measures=tuple(overview.rows_of(sizes)),
        issues=document.issues[: overview.ISSUES],
        more_issues=max(0, len(document.issues) - overview.ISSUES),
        issue_counts=overview.issue_counts(document.issues),
        losses=(overview.losses(document), *overview.missing(document, sets)),
        rows=shown,
        tracked=setting.tracked,
        count=sum(len(leaves(chunk_set)) for chunk_set in sets),
    )


def cards_in(items: Iterable[ChunkCard | ParentCard]) -> Iterator[ChunkCard]:
    """Yield the cards, including those inside frames."""
    for item in items:
        if isinstance(item, ParentCard):
            yield from cards_in(item.inside)
        else:
            yield item


def _rows(
    sets: Sequence[ChunkSet], settings: Sequence[RenderContext]
) -> Iterator[tuple[Column, ...]]:
    """Yield a single row for one set; for several sets, one row for each aligned group."""
    makers = [Cards(chunk_set, setting) for chunk_set, setting in zip(sets, settings, strict=True)]
    aligned = (
        [[leaves(sets[0])]] if len(sets) == 1 else rows(sets, settings[0].blocks) if sets else ()
    )
    for row in aligned:
        yield tuple(
            Column(setting.key, tuple(maker.of(chunks)))
            for chunks, maker, setting in zip(row, makers, settings, strict=True)
        )
