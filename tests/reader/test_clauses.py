"""Clauses that open with a title, at the boundaries of the rules."""

from __future__ import annotations

import re

import pytest
from case_files import Section, sections

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import Layout, Look
from docxchunk.ooxml.styles import BODY, OutlineLevel, Styles
from docxchunk.reader.headings.clauses import with_titles_apart
from docxchunk.reader.paragraphs import Paragraph


@pytest.mark.parametrize("case", sections("clauses.txt"), ids=lambda case: case.title)
def test_titles(case):
    assert results(case) == case.results


def results(case: Section) -> dict[str, str]:
    return {"": "\n".join(map(_shown, case.source.split("\n")))}


def _shown(text: str) -> str:
    items = with_titles_apart([paragraph(text)])
    return "|".join(_short(item.raw) for item in items if isinstance(item, Paragraph))


def _short(raw: str) -> str:
    return re.sub(r"x{9,} x|x{9,}|X{9,}", lambda match: f"<{len(match[0])}>", raw)


def paragraph(text: str) -> Paragraph:
    """Return a paragraph; fixtures/clauses.txt describes the signs."""
    written = re.sub(r"L(\d+)", lambda match: "x" * (int(match[1]) - 2) + " x", text.lstrip("#"))
    written = re.sub(r"([TC])(\d+)", _letters, written).replace("↵", "\x0b")
    raw, stretches, bold, italic = "", [], False, False
    for piece in re.split(r"([*/])", written):
        if piece in ("*", "/"):
            bold, italic = bold != (piece == "*"), italic != (piece == "/")
        elif piece:
            raw += piece
            stretches.append((len(raw), Look(bold=bold, italic=italic)))
    return Paragraph(
        raw=raw,
        style=Styles(None).paragraph(None),
        outline=OutlineLevel(1, HeadingSource.STYLE) if text[0] == "#" else BODY,
        label="",
        depth=-1,
        para_id=None,
        turns=(),
        bold=False,
        look=Look(),
        layout=Layout(),
        links=(),
        notes=(),
        is_toc=False,
        is_caption=False,
        element=0,
        position=0,
        stretches=tuple(stretches) if len(stretches) > 1 else (),
    )


def _letters(match: re.Match[str]) -> str:
    return ("x" if match[1] == "T" else "X") * int(match[2])
