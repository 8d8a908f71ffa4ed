"""Clauses that open with a title, at the boundaries of the rules."""

from __future__ import annotations

import re

import pytest
from case_files import Section, sections
from paragraph import PARAGRAPH

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import Look
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.headings.clauses import (
    Clause,
    clauses_of,
    with_texts_joined,
    with_titles_apart,
)
from docxchunk.reader.paragraphs import Paragraph

_NUMBERED = re.compile(r"(#*)(?:\[(.+?)\] )?(.*)")


@pytest.mark.parametrize("case", sections("clauses.txt"), ids=lambda case: case.title)
def test_titles(case):
    assert results(case) == case.results


def results(case: Section) -> dict[str, str]:
    lines = case.source.split("\n")
    if "" in case.results:
        return {"": "\n".join(_apart([paragraph(line)]) for line in lines)}
    items = list(map(paragraph, lines))
    return {name: VIEWS[name](items) for name in case.results}


def _sentences(items: list[Paragraph]) -> str:
    return "\n".join(map(_numbered, with_texts_joined(with_titles_apart(items))))


def _clauses(items: list[Paragraph]) -> str:
    return _cut(items, clauses_of(items))


def _cut(items: list[Paragraph], clauses: list[Clause]) -> str:
    ends = {
        clause.line.item_index: len(clause.line.item.raw)
        if clause.length is None
        else clause.length
        for clause in clauses
    }
    return "\n".join(
        _short(
            f"{item.raw[: ends[index]]}|{item.raw[ends[index] :]}" if index in ends else item.raw
        )
        for index, item in enumerate(items)
    )


def _numbered(item: Paragraph) -> str:
    label = f"[{item.label.strip()}] " if item.label else ""
    return f"{'#' * item.outline.level}{label}{_short(item.raw)}{'|' if item.opens_clause else ''}"


def _apart(items: list[Paragraph]) -> str:
    return "".join(
        _short(item.raw) + ("|" if item.opens_clause else "\n") for item in with_titles_apart(items)
    ).rstrip("\n")


def _short(raw: str) -> str:
    shown = re.sub(r"x{9,} x|x{9,}|X{9,}", lambda match: f"<{len(match[0])}>", raw)
    return shown.replace("\x0b", "↵")


def paragraph(text: str) -> Paragraph:
    """Return a paragraph; fixtures/clauses.txt describes the signs."""
    level, label, text = _NUMBERED.fullmatch(text).groups()
    written = re.sub(r"L(\d+)", lambda match: "x" * (int(match[1]) - 2) + " x", text)
    written = re.sub(r"([TC])(\d+)", _letters, written).replace("↵", "\x0b")
    raw, stretches, bold, italic = "", [], False, False
    for piece in re.split(r"([*/])", written):
        if piece in ("*", "/"):
            bold, italic = bold != (piece == "*"), italic != (piece == "/")
        elif piece:
            raw += piece
            stretches.append((len(raw), Look(bold=bold, italic=italic)))
    outline = OutlineLevel(len(level), HeadingSource.STYLE) if level else BODY
    looks = tuple(stretches) if len(stretches) > 1 else ()
    return PARAGRAPH._replace(
        raw=raw,
        outline=outline,
        label=f"{label} " if label else "",
        look=stretches[-1][1],
        stretches=looks,
    )


def _letters(match: re.Match[str]) -> str:
    return ("x" if match[1] == "T" else "X") * int(match[2])


VIEWS = {"apart": _apart, "sentences": _sentences, "clauses": _clauses}
