"""The prices of cuts, and lines that read like headings."""

from __future__ import annotations

import re

import pytest
from case_files import sections
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.chunking import cut_prices
from docxchunk.model.blocks import Line, LineKind

KINDS = {
    "#": LineKind.HEADING,
    "-": LineKind.TEXT,
    "**": LineKind.TEXT,
    "*": LineKind.LIST,
    "T": LineKind.TABLE,
    "D": LineKind.DRAWING,
}
PRICES = {"free": (0.0, 0.12), "costly": (0.2, 1.6), "bound": (cut_prices.BOUND, cut_prices.NEVER)}


def line_class(line):
    mark, _, text = line.strip().partition(" ")
    return cut_prices.line_class_of(
        Line(KINDS[mark], bold=mark == "**"), text or f"<{'table' if mark == 'T' else 'drawing'}"
    )


@pytest.mark.parametrize("case", sections("chunking/cut_prices.txt"), ids=lambda case: case.title)
def test_prices(case):
    low, high = PRICES[case.expected]
    assert (
        low
        <= cut_prices.prices([*map(line_class, case.source.replace("||", "|").split(" | "))])[1]
        <= high
    )


def test_some_cuts_are_better_than_others():
    rungs = [case.source for case in sections("chunking/ladder.txt")]
    costs = [
        cut_prices.prices([*map(line_class, rung.replace("||", "|").split(" | "))])[
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
    division, item, caption = cut_prices._marks_of(text, bare)
    assert division == bool(
        cut_prices._DIVISION.match(bare) or cut_prices._NAMED_DIVISION.match(bare)
    )
    assert item == bool(not division and cut_prices._ITEM.match(text))
    assert caption == bool(cut_prices._CAPTION.match(bare))


def test_only_the_ends_of_a_list_are_held():
    items = [line_class(f"* {n}") for n in range(5)]
    assert cut_prices.prices(items)[1:] == [
        cut_prices.LONE_ITEM,
        cut_prices.ITEM,
        cut_prices.ITEM,
        cut_prices.LONE_ITEM,
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
