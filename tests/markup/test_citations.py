"""Citations of chunks."""

from __future__ import annotations

import pytest

from docxchunk.markup.citations import citation
from docxchunk.model.blocks import Position
from docxchunk.model.chunks import Chunk, Heading


def chunk(context, *headings):
    """Return a chunk; a heading is its level and text, "2 Costs"."""
    found = tuple(Heading(int(text[0]), text[2:]) for text in headings)
    return Chunk(9, "text", 0, "", (), 0, "chunk-1", "doc", found, context, (), (), (Position(None, None, (3, 8), (4, 9)),), (2, 3))


@pytest.mark.parametrize(
    ("context", "headings", "sections"),
    [
        ("", [], ""),
        ("A", ["1 A"], ", A"),
        ("A > B", ["2 B"], ", A > B"),
        ("A > B", ["2 B", "2 C", "2 D"], ", A > B through D"),
        ("A", ["1 A", "2 B"], ", A through B"),
        ("A", ["1 A", "2 B", "2 C", "3 D"], ", A through C > D"),
        ("A > B", ["2 B", "1 C", "2 D", "2 E"], ", A > B through C > E"),
        ("A > B", ["2 B", "3 C", "1 D"], ", A > B through D"),
        ("", ["1 A", "2 B"], ", the beginning through A > B"),
        ("A", ["1 A", "1 A"], ", A through A"),
    ],
)
def test_several_sections(context, headings, sections):
    assert citation(chunk(context, *headings), "x.docx") == f"x.docx{sections}, p. 2-3, ¶ 4-9"
