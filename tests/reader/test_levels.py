"""The levels of inferred headings at the boundaries of their rules."""

from __future__ import annotations

import re

import pytest
from case_files import Section, sections
from paragraph import PARAGRAPH

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import Layout, Look
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.headings.infer import _long_sections, _names_of_parts
from docxchunk.reader.headings.levels import levels_of
from docxchunk.reader.headings.lines import TextLine, lengths_of, line_of
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import GridTable, Item

_HEADING = re.compile(r"(#*) ?([*^_/+=]*)(?:\[(.+?)\] )?(.*)")


@pytest.mark.parametrize("case", sections("levels.txt"), ids=lambda case: case.title)
def test_levels(case):
    assert results(case) == case.results


@pytest.mark.parametrize(
    ("texts", "is_long"),
    [
        (["x" * 3000], False),
        (["x" * 3001], True),
        (["x" * 2000, "x" * 1000], False),
        (["x" * 2000, "x" * 1001], True),
        (["狐" * 1500], False),  # an ideograph is as wide as two letters
        (["狐" * 1501], True),
        (["|"] * 6, False),  # a table counts as 500 letters
        (["|"] * 7, True),
        (["|"] * 5 + ["狐" * 250], False),
        (["|"] * 5 + ["狐" * 251], True),
    ],
)
def test_a_long_section_is_wider_than_a_page(texts, is_long):
    items = [*map(_item, ("x" * 4000, "#", *texts, "#", "x"))]
    long = _long_sections(items, lengths_of(items), [1, len(texts) + 2])
    assert long == [False, *[is_long] * (len(texts) + 1), False, False]


def results(case: Section) -> dict[str, str]:
    items = [_item(line) for line in case.source.split("\n")]
    if "parts" in case.results:
        marked = [k for k, item in enumerate(items) if isinstance(item, Paragraph) and _level(item)]
        parts = _names_of_parts(items, marked)
        return {"parts": " ".join(str(parts.get(k, "-")) for k in range(len(items)))}
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
        layout=Layout(align="center" if "^" in signs else "left"),
    )


def _line(index: int, item: Item) -> TextLine:
    line = line_of(index, item)
    assert line is not None
    return line


def _level(item: Paragraph) -> int:
    return item.outline.level
