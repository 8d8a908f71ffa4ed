"""The levels of inferred headings at the boundaries of their rules."""

from __future__ import annotations

import re

import pytest
from case_files import Section, sections
from paragraph import PARAGRAPH

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import Look, ParagraphLayout
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.headings.levels import levels_of
from docxchunk.reader.headings.lines import TextLine, line_of
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import GridTable, Item

_HEADING = re.compile(r"(#*) ?([*^_/+=]*)(?:\[(.+?)\] )?(.*)")


@pytest.mark.parametrize("case", sections("levels.txt"), ids=lambda case: case.title)
def test_levels(case):
    assert results(case) == case.results


def results(case: Section) -> dict[str, str]:
    items = [_item(line) for line in case.source.split("\n")]
    lines = [_line(index, item) for index, item in enumerate(items)]
    own = [line for line in lines if not _level(line.item)]
    others = [(line, level) for line in lines if (level := _level(line.item))]
    return {"": " ".join(map(str, levels_of(own, others)))}


def _item(text: str) -> Item:
    if text == "|":
        return GridTable(0, [], 0, first_row_styled=False, caption="", element=0, position=0)
    level, signs, label, raw = _HEADING.fullmatch(text).groups()
    return PARAGRAPH._replace(
        raw=re.sub(r"L(\d+)", lambda match: "x" * int(match[1]), raw.strip("~")),
        outline=OutlineLevel(len(level), HeadingSource.STYLE) if level else BODY,
        label=f"{label} " if label else "",
        depth=label.count(".") if label else -1,
        look=Look(
            bold="*" in signs,
            underline="_" in signs,
            italic="/" in signs,
            size=30 if "+" in signs else 29 if "=" in signs else 28,
        ),
        layout=ParagraphLayout(align="center" if "^" in signs else "left"),
    )


def _line(index: int, item: Item) -> TextLine:
    line = line_of(index, item)
    assert line is not None
    return line


def _level(item: Paragraph) -> int:
    return item.outline.level
