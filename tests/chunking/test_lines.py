"""The prices of cuts between lines."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from case_files import sections
from chunking.makers import WORDS, block

from docxchunk.chunking import lines
from docxchunk.chunking.texts import BlockText
from docxchunk.chunking.tokens import Meter
from docxchunk.markup.line_roles import roles_of_line
from docxchunk.model.blocks import Line, LineKind

KINDS = {
    "#": LineKind.HEADING,
    "-": LineKind.TEXT,
    "**": LineKind.TEXT,
    "*": LineKind.LIST,
    "T": LineKind.TABLE,
    "D": LineKind.DRAWING,
    "E": LineKind.EQUATION,
}
PRICES = {"free": (0.0, 0.12), "costly": (0.2, 1.6), "bound": (lines.BOUND, lines.NEVER)}


def line_class(line):
    mark, _, text = line.strip().partition(" ")
    record = Line(KINDS[mark], bold=mark == "**")
    text = text or {"T": "<table", "D": "<drawing", "E": "<equation"}[mark]
    return lines.line_class_of(record.kind, roles_of_line(record, text), text)


@pytest.mark.parametrize("case", sections("chunking/cut_prices.txt"), ids=lambda case: case.title)
def test_prices(case):
    low, high = PRICES[case.expected]
    assert (
        low
        <= lines.prices([*map(line_class, case.source.replace("||", "|").split(" | "))])[1]
        <= high
    )


def test_some_cuts_are_better_than_others():
    rungs = [case.source for case in sections("chunking/ladder.txt")]
    costs = [
        lines.prices([*map(line_class, rung.replace("||", "|").split(" | "))])[
            re.findall(r"\|+", rung).index("|") + 1
        ]
        for rung in rungs
    ]
    assert costs == sorted(set(costs))


def test_only_the_ends_of_a_list_are_held():
    items = [line_class(f"* {n}") for n in range(5)]
    within = [lines.LONE_ITEM, lines.ITEM, lines.ITEM, lines.LONE_ITEM]
    assert lines.prices(items)[1:] == within
    text = line_class("- Text.")
    assert lines.prices([text, *items, text])[2:-1] == within


@pytest.mark.parametrize(
    ("level", "content", "is_heading"),
    [
        (1, "# A", True),
        (7, "###### A", True),
        (0, "# A", False),
        (1, "A", False),
        (1, "#A", False),
        (1, "A # B", False),
        (1, "####### A", False),
    ],
)
def test_the_heading_line_of_a_block_of_another_parser(level, content, is_heading):
    made = replace(block("", "", 0), content=content, level=level)
    assert lines.is_heading_line(made) is is_heading


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('<equation id="e">x</equation>', LineKind.EQUATION),
        ('<drawing id="d"/>', LineKind.DRAWING),
        (' <drawing id="d"/>', LineKind.TEXT),
        ('<drawing id="d"/> and text', LineKind.TEXT),
        ("Text", LineKind.TEXT),
    ],
)
def test_the_kind_of_a_line_of_another_parser(line, kind):
    made = replace(block("", "", 0), content=f"First.\n{line}\nLast.")
    assert lines.kind_of(made, 7, ()) is kind
    alone = replace(made, content=line)
    assert lines.kind_of(alone, 0, ()) is kind
    assert lines.kind_of(alone, 0, {0}) is LineKind.TABLE


def test_a_headline_longer_than_asked_is_none():
    text = "The seasons of the year"
    record = Line(bold=True)
    roles = roles_of_line(record, text)
    for longest, is_headline in ((len(text), True), (len(text) - 1, False)):
        line_class = lines.line_class_of(LineKind.TEXT, roles, text, longest)
        assert line_class.headline is line_class.label is is_headline


def test_a_table_is_one_line_and_so_is_an_equation_of_several_lines():
    equation = '<equation format="latex">a\nb</equation>'
    table = f'<table id="t" format="html"><tr>\n<td>x {equation}</td>\n</tr></table>'
    expected = ["Text", table, equation, f"where {equation}", "  indented", table]
    text = BlockText(block("", "\n \n".join(expected), 0))
    shown = lines.Lines(text, Meter(WORDS), 100)
    assert [text.content[a:b] for a, b in zip(shown.starts, shown.ends, strict=True)] == expected
