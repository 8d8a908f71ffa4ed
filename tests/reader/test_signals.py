"""The signals of lines at the boundaries of their rules, which confidences (in
fixtures/cases/inferred.txt) hardly show.
"""

from __future__ import annotations

import pytest
from case_files import Section, sections
from docx_builder import docx

from docxchunk.model.options import ParseOptions
from docxchunk.reader.document import _open_and_read
from docxchunk.reader.headings.candidates import candidates_of
from docxchunk.reader.headings.judgement import Candidate
from docxchunk.reader.headings.lines import lengths_of

TEXT = "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before."


@pytest.mark.parametrize("case", sections("signals.txt"), ids=lambda case: case.title)
def test_signals(case):
    assert results(case) == case.results


def results(case: Section) -> dict[str, str]:
    data = docx(case.source.replace("TEXT", TEXT).replace("LONG", TEXT * 50))
    _, stories = _open_and_read(data, ParseOptions())
    candidates = candidates_of(stories.body, lengths_of(stories.body))
    return {name: VALUES[name](candidates) for name in case.results}


def signals(candidates: list[Candidate]) -> str:
    """Return the text, the class, the signals and the series of each line."""
    return "\n".join(
        f"{line.text} | {number} {_show(signals)}{f' ({series})' if series else ''}"
        for line, number, signals, _, series in candidates
    )


def _show(signals: dict[str, float]) -> str:
    return ", ".join(
        name if strength == 1 else f"{name} {strength:.3g}" for name, strength in signals.items()
    )


def odds(candidates: list[Candidate]) -> str:
    """Return the first line of each class, and the log-odds that the signals of the class add."""
    first = {candidate.line_class: candidate for candidate in reversed(candidates)}
    return "\n".join(f"{each.line.text} | {each.class_odds:.4f}" for each in first.values())


VALUES = {"": signals, "odds": odds}
