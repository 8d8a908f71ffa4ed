"""Find the look (effective formatting) of a paragraph: the look of most of its letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lxml import etree

from docxchunk.ooxml.formatting import Look, run_signature
from docxchunk.ooxml.styles import ParagraphStyle
from docxchunk.ooxml.xml import W
from docxchunk.reader.flow import Flow, RunLetters
from docxchunk.reader.text import Out

_RUN, _TEXT, _RPR, _PPR = W + "r", W + "t", W + "rPr", W + "pPr"

_START = 120  # characters that a number and a title may take


class Stretch(NamedTuple):
    """Text of one look at the start of a paragraph."""

    end: int  # number of characters of raw text up to its end
    look: Look


def look_of_runs(
    runs: Sequence[RunLetters], style: ParagraphStyle, flow: Flow
) -> tuple[Look | None, bool]:
    """Return the look that most letters of a paragraph with these runs have, and whether all are
    bold; None and False if it has no letters.
    """
    lengths: dict[etree._Element | None, int] = {}
    for properties, letters, _ in runs:
        if letters:
            lengths[properties] = lengths.get(properties, 0) + letters
    if len(lengths) == 1:
        look = look_of_run(next(iter(lengths)), style, flow)
        return look, look.bold
    counts: dict[Look, int] = {}
    for properties, letters in lengths.items():
        look = look_of_run(properties, style, flow)
        counts[look] = counts.get(look, 0) + letters
    return _most(counts)


def stretches_of(
    runs: Sequence[RunLetters], out: Out, style: ParagraphStyle, flow: Flow
) -> tuple[Stretch, ...]:
    """Return the stretches of different looks in the first `_START` characters of a paragraph, and
    the one after them; () if there is only one.

    `out` is the raw text of the paragraph. Blanks and text outside runs belong to the stretch
    before or after them.
    """
    stretches: list[Stretch] = []
    end = pieces = 0
    last: etree._Element | None = None
    look: Look | None = None
    for properties, letters, until in runs:
        if end > _START:
            break
        # the text of this run was put together apart, such as a reading in brackets
        if until < pieces:
            return ()
        begin, end = (
            end,
            end + (len(out[pieces]) if until == pieces + 1 else sum(map(len, out[pieces:until]))),
        )
        pieces = until
        if look is None or (letters and properties is not last):
            last, before, look = properties, look, look_of_run(properties, style, flow)
            if before is not None and before != look:
                stretches.append(Stretch(begin, before))
    return (*stretches, Stretch(end, look)) if stretches and look is not None else ()


def look_of_run(properties: etree._Element | None, style: ParagraphStyle, flow: Flow) -> Look:
    if properties is None:
        return style.look
    known = flow.looks.get((style.id, properties))
    if known is None:
        signature = flow.signatures.get(properties)
        known = flow.env.styles.look(
            style.id, run_signature(properties) if signature is None else signature
        )
        if signature is not None:
            flow.looks[style.id, properties] = known
    return known


def _properties(run: etree._Element, flow: Flow) -> etree._Element | None:
    shared = flow.shared_properties(run)
    return next(run.iterchildren(_RPR), None) if shared is None else shared


def _most(counts: Mapping[Look, int]) -> tuple[Look | None, bool]:
    """Return the look with most letters, and whether all looks are bold."""
    if not counts:
        return None, False
    if len(counts) == 1:
        look = next(iter(counts))
        return look, look.bold
    return max(counts, key=lambda look: (counts[look], look)), all(look.bold for look in counts)


def look_of_start(element: etree._Element, style: ParagraphStyle, flow: Flow) -> Look | None:
    """Return the look of the first run with text; None if no run has text."""
    for run in element.iter(_RUN):
        if next(run.iterchildren(_TEXT), None) is not None:
            return look_of_run(_properties(run, flow), style, flow)
    return None


def look_of_end(element: etree._Element, style: ParagraphStyle, flow: Flow) -> Look | None:
    """Return the look of the last run with text; None if no run has text. The first words of longer
    text often have a look of their own.
    """
    for run in element.iterchildren(_RUN, reversed=True):
        if next(run.iterchildren(_TEXT), None) is not None:
            return look_of_run(_properties(run, flow), style, flow)
    return None
