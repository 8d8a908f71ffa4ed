"""Find the look (effective formatting) of a paragraph: the look of most of its letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lxml import etree

from docxchunk.ooxml.formatting import Look, run_signature
from docxchunk.ooxml.styles import ParagraphStyle
from docxchunk.ooxml.xml import W
from docxchunk.reader.state import RunLetters, State
from docxchunk.reader.text import Out

_TEXT, _RPR = W + "t", W + "rPr"

_START = 120  # characters that a number and a title may take


class Stretch(NamedTuple):
    """Text of one look at the start of a paragraph."""

    end: int  # number of characters of raw text up to its end
    look: Look


def look_of_runs(
    runs: Sequence[RunLetters], style: ParagraphStyle, state: State
) -> tuple[Look | None, bool]:
    """Return the look that most letters of a paragraph with these runs have, and whether all are
    bold; None and False if it has no letters.
    """
    if len(runs) == 1:
        properties, letters, _ = runs[0]
        if not letters:
            return None, False
        look = look_of_run(properties, style, state)
        return look, look.bold
    lengths: dict[etree._Element | None, int] = {}
    for properties, letters, _ in runs:
        if letters:
            lengths[properties] = lengths.get(properties, 0) + letters
    if not lengths:
        return None, False
    counts: dict[Look, int] = {}
    for properties, letters in lengths.items():
        look = look_of_run(properties, style, state)
        counts[look] = counts.get(look, 0) + letters
    if len(counts) == 1:
        return look, look.bold
    return max(counts, key=lambda look: (counts[look], look)), all(look.bold for look in counts)


def stretches_of(
    runs: Sequence[RunLetters], out: Out, style: ParagraphStyle, state: State
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
            last, before, look = properties, look, look_of_run(properties, style, state)
            if before is not None and before != look:
                stretches.append(Stretch(begin, before))
    return (*stretches, Stretch(end, look)) if stretches and look is not None else ()


def look_of_run(properties: etree._Element | None, style: ParagraphStyle, state: State) -> Look:
    """Return the look of a run with this w:rPr in a paragraph of this style."""
    if properties is None:
        return style.look
    known = state.looks.get((style.id, properties))
    if known is None:
        signature = state.signatures.get(properties)
        known = state.env.styles.look(
            style.id, run_signature(properties) if signature is None else signature
        )
        if signature is not None:
            state.looks[style.id, properties] = known
    return known


def look_of_first(
    runs: Iterable[etree._Element], style: ParagraphStyle, state: State
) -> Look | None:
    """Return the look of the first of these runs that has text; None if none has."""
    for run in runs:
        if next(run.iterchildren(_TEXT), None) is not None:
            shared = state.shared_properties(run)
            own = next(run.iterchildren(_RPR), None) if shared is None else shared
            return look_of_run(own, style, state)
    return None
