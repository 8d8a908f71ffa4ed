"""The prices of cuts between lines."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from case_files import each_row, sections, yes
from chunking.makers import WORDS, block

from docxchunk.chunking import prices, texts
from docxchunk.chunking.texts import BlockText
from docxchunk.chunking.tokens import Meter
from docxchunk.content.lines import is_heading_line, kind_of
from docxchunk.content.roles import roles_of_line
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
PRICES = {"free": (0.0, 0.12), "costly": (0.2, 1.6), "bound": (prices.BOUND, prices.NEVER)}


def line_class(line):
    mark, _, text = line.strip().partition(" ")
    record = Line(KINDS[mark], bold=mark == "**")
    text = text or {"T": "<table", "D": "<drawing", "E": "<equation"}[mark]
    return prices.line_class_of(record.kind, roles_of_line(record, text), text)


@pytest.mark.parametrize("case", sections("chunking/cut_prices.txt"), ids=lambda case: case.title)
def test_prices(case):
    low, high = PRICES[case.expected]
    assert (
        low
        <= prices.prices_of_lines([*map(line_class, case.source.replace("||", "|").split(" | "))])[
            1
        ]
        <= high
    )


def test_some_cuts_are_better_than_others():
    rungs = [case.source for case in sections("chunking/ladder.txt")]
    costs = [
        prices.prices_of_lines([*map(line_class, rung.replace("||", "|").split(" | "))])[
            re.findall(r"\|+", rung).index("|") + 1
        ]
        for rung in rungs
    ]
    assert costs == sorted(set(costs))


CLASSES = {
    "#": prices.PriceClass(LineKind.HEADING),
    "-": prices.PriceClass(LineKind.TEXT),
    "*": prices.PriceClass(LineKind.LIST, item=True),
    "T": prices.PriceClass(LineKind.TABLE, thing=True),
    "E": prices.PriceClass(LineKind.EQUATION),
    "C": prices.PriceClass(LineKind.TEXT, caption=True),
    "L": prices.PriceClass(LineKind.TEXT, lead_in=True),
    "H": prices.PriceClass(LineKind.TEXT, headline=True),
}


@each_row("chunking")
def test_the_price_of_the_cut_before_each_line(marks, expected):
    named = [getattr(prices, name.upper().replace("-", "_")) for name in expected.split()]
    assert prices.prices_of_lines([CLASSES[mark] for mark in marks]) == named


@each_row("chunking", kind=LineKind, roles=str.split, fields=str.split)
def test_the_class_of_a_line(kind, roles, text, fields):
    found = prices.line_class_of(kind, (*roles,), text, longest=5)
    assert found == prices.PriceClass(kind, **dict.fromkeys(fields, True))


def lines_of(content, *stored, size=100, level=0):
    made = replace(block("", "", level), content=content, lines=tuple(stored))
    return texts.Lines(BlockText(made), Meter(WORDS), size)


TWO = (Line(LineKind.LIST, para_id="1"), Line(LineKind.NOTE, para_id="2"))


@pytest.mark.parametrize("content", ["a\n\nb", "a\nb\nc", "a"])
def test_the_records_of_lines_are_inferred_if_their_number_is_wrong(content):
    made = lines_of(content, *TWO)
    assert made.records == [Line(kind=LineKind.TEXT)] * len(made.starts)
    assert made.kinds == [LineKind.TEXT] * len(made.starts)
    heading = lines_of("# A\n<drawing id='d'/>", level=1)
    assert heading.kinds == [LineKind.HEADING, LineKind.DRAWING]


@each_row("chunking", level=int, is_heading=yes)
def test_the_heading_line_of_a_block_of_another_parser(level, content, is_heading):
    made = replace(block("", "", 0), content=content, level=level)
    assert is_heading_line(made) is is_heading


@each_row("chunking", kind=LineKind)
def test_the_kind_of_a_line_of_another_parser(line, kind):
    made = replace(block("", "", 0), content=f"First.\n{line}\nLast.\nEnd.")
    assert kind_of(made, 7, ()) is kind
    alone = replace(made, content=line)
    assert kind_of(alone, 0, ()) is kind
    assert kind_of(alone, 0, {0}) is LineKind.TABLE


EQUATION = '<equation format="latex">a\nb</equation>'
CELL = f'<table id="t" format="html"><tr>\n<td>x {EQUATION}</td>\n</tr></table>'


@pytest.mark.parametrize(
    "expected",
    [
        ["Text", CELL, EQUATION, f"where {EQUATION}", "  indented", CELL],
        [EQUATION, "Text"],
        [f"where {EQUATION}{EQUATION}"],
    ],
)
def test_a_table_is_one_line_and_so_is_an_equation_of_several_lines(expected):
    text = BlockText(block("", "\n \n".join(expected), 0))
    shown = texts.Lines(text, Meter(WORDS), 100)
    assert [text.content[a:b] for a, b in zip(shown.starts, shown.ends, strict=True)] == expected


def test_only_the_ends_of_a_list_are_held():
    items = [line_class(f"* {n}") for n in range(5)]
    within = [prices.LONE_ITEM, prices.ITEM, prices.ITEM, prices.LONE_ITEM]
    assert prices.prices_of_lines(items)[1:] == within
    text = line_class("- Text.")
    assert prices.prices_of_lines([text, *items, text])[2:-1] == within
