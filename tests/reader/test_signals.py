"""The signals of lines at the boundaries of their rules, which confidences (in
fixtures/cases/inferred.txt) hardly show.
"""

from __future__ import annotations

import pytest
from case_files import Section, sections
from docx_builder import docx

from docxchunk.model.options import ParseOptions
from docxchunk.reader.document import _open_and_read
from docxchunk.reader.headings.lines import body_of, prominent_lines
from docxchunk.reader.headings.signals import Signals, line_class, signals_of

TEXT = "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before."


@pytest.mark.parametrize("case", sections("signals.txt"), ids=lambda case: case.title)
def test_signals(case):
    assert results(case) == case.results


def results(case: Section) -> dict[str, str]:
    """Return the text and the signals of each line."""
    data = docx(case.source.replace("TEXT", TEXT).replace("LONG", TEXT * 50))
    _, stories = _open_and_read(data, ParseOptions())
    body = body_of(stories.body)
    lines = list(prominent_lines(stories.body, body))
    classes = [line_class(line) for line in lines]
    all_signals = signals_of(stories.body, lines, classes, body)
    shown = (
        f"{line.text} | {_show(signals)}" for line, signals in zip(lines, all_signals, strict=True)
    )
    return {"": "\n".join(shown)}


def _show(signals: Signals) -> str:
    return ", ".join(
        name if strength == 1 else f"{name} {strength:.3g}" for name, strength in signals.items()
    )
