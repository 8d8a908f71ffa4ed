"""The prices of cuts, and lines that read like headings."""

from __future__ import annotations

import re

import pytest
from case_files import sections
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.chunking import line_kinds
from docxchunk.model.blocks import Line, LineKind

KINDS = {
    "#": LineKind.HEADING,
    "-": LineKind.TEXT,
    "**": LineKind.TEXT,
    "*": LineKind.LIST,
    "T": LineKind.TABLE,
    "D": LineKind.DRAWING,
}
PRICES = {"free": (0.0, 0.12), "costly": (0.2, 1.6), "bound": (line_kinds.BOUND, line_kinds.NEVER)}


def line_class(line):
    mark, _, text = line.strip().partition(" ")
    return line_kinds.line_class_of(
        Line(KINDS[mark], bold=mark == "**"), text or f"<{'table' if mark == 'T' else 'drawing'}"
    )


@pytest.mark.parametrize("case", sections("chunking/cut_prices.txt"), ids=lambda case: case.title)
def test_prices(case):
    low, high = PRICES[case.expected]
    assert (
        low
        <= line_kinds.prices([*map(line_class, case.source.replace("||", "|").split(" | "))])[1]
        <= high
    )


def test_some_cuts_are_better_than_others():
    rungs = [case.source for case in sections("chunking/ladder.txt")]
    costs = [
        line_kinds.prices([*map(line_class, rung.replace("||", "|").split(" | "))])[
            re.findall(r"\|+", rung).index("|") + 1
        ]
        for rung in rungs
    ]
    assert costs == sorted(set(costs))


OPENINGS = [
    "Table",
    "TAB",
    "fig",
    "Kap",
    "\u212aapitel",
    "\u0130V",
    "ſection",
    "part",
    "Årt",
    "Graphique",
    "annex",
    "第3章",
    "附录",
    "表",
    "图",
    "iv",
    "xii",
    "mix",
]
PIECES = st.sampled_from(
    [*OPENINGS, "1", "12.3", "a", "V", "•", "-", "(", ")", ".", "、", " ", "\t", "\u3000", "Word"]
)


@given(st.lists(PIECES, max_size=6).map("".join))
def test_the_patterns_that_are_not_tried_do_not_match(text):
    bare = text.strip()
    division, item, caption = line_kinds._marks_of(text, bare)
    assert division == bool(
        line_kinds._DIVISION.match(bare) or line_kinds._NAMED_DIVISION.match(bare)
    )
    assert item == bool(not division and line_kinds._ITEM.match(text))
    assert caption == bool(line_kinds._CAPTION.match(bare))


def test_only_the_ends_of_a_list_are_held():
    items = [line_class(f"* {n}") for n in range(5)]
    assert line_kinds.prices(items)[1:] == [
        line_kinds.LONE_ITEM,
        line_kinds.ITEM,
        line_kinds.ITEM,
        line_kinds.LONE_ITEM,
    ]


@pytest.mark.parametrize("text", ["Payment", "2.1 Scope", "第三章 合同的订立", "Annex B Drawings"])
def test_labels(text):
    assert line_class(f"** {text}").label


@pytest.mark.parametrize(
    "text",
    [
        "The supplier delivers the following.",
        "all right, title and interest in:",
        "for (i = 0; i < nbytes; i++) {",
        "https://example.org/page",
        "Smith et al. (2019)",
        "of the first part",
        "2.1 Scope\t14",
        "Table 3 Pressures",
        "12",
        "and so on,",
        "x" * 101,
    ],
)
def test_lines_that_are_not_labels(text):
    assert not line_class(f"** {text}").label
