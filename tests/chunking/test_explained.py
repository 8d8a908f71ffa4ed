"""Why a document is cut where it is."""

from __future__ import annotations

import pytest
from chunking.makers import WORDS, block, document, table, tag, words

from docxchunk.chunking import ChunkLimits, P, PStaged, R, run
from docxchunk.chunking.prices import HEADLINE, PARAGRAPH, ROW, SECTION, SENTENCE
from docxchunk.chunking.run import OtherCut
from docxchunk.lab.strategies.plain import Sentences

ROWS = [[words(9, f"r{n}")] for n in range(20)]
TABLE = table("t", ROWS)


def cuts(strategy, *blocks, size=100, tables=()):
    made = document(*blocks, tables=tables)
    result = run(made, strategy, ChunkLimits(size, 0), WORDS, trace=True)
    assert result.cuts is not None
    assert [(cut.left, cut.right) for cut in result.cuts] == [
        (left.tokens, right.tokens)
        for left, right in zip(result.chunks, result.chunks[1:], strict=False)
    ]
    assert run(made, strategy, ChunkLimits(size, 0), WORDS).cuts is None
    return result.cuts


LINES = "\n".join(words(30, name) for name in ("a", "b", "c", "d"))


def test_a_cut_has_its_price_and_the_nearest_other_cuts():
    [cut] = cuts(P(), block("A", LINES))
    assert (cut.piece, cut.before, cut.after) == (1, words(30, "b"), words(30, "c"))
    assert (cut.price, cut.reason, cut.left, cut.right) == (0.05, "two paragraphs", 62, 60)
    earlier = OtherCut(words(30, "a"), words(30, "b"), 0.05, "two paragraphs", 32, 90)
    later = OtherCut(words(30, "c"), words(30, "d"), 0.05, "two paragraphs", 92, 30)
    assert (cut.earlier, cut.later) == (earlier, later)


@pytest.mark.parametrize(
    ("strategy", "body", "expected"),
    [
        (P(), LINES, PARAGRAPH),
        (R(), LINES, PARAGRAPH),
        (P(), ". ".join([f"W{words(29)}"] * 6), SENTENCE),
        (P(), tag(TABLE), ROW),
        (PStaged(), tag(TABLE), ROW),
        (PStaged(), f"{words(60)}.\nPart two\n{words(60)}", HEADLINE),
        (PStaged(), ". ".join([f"W{words(29)}"] * 6), SENTENCE),
    ],
)
def test_what_a_cut_parts(strategy, body, expected):
    first, *_ = cuts(strategy, block("A", body), tables=[TABLE])
    assert first.reason == expected.reason


@pytest.mark.parametrize(("strategy", "price"), [(P(), 0.0), (PStaged(), None)])
def test_a_section_ends(strategy, price):
    [cut] = cuts(strategy, block("A", words(70)), block("B", words(70)))
    assert (cut.before, cut.after) == (words(70), "# B")
    assert (cut.price, cut.reason) == (price, SECTION.reason)


def test_a_rule_without_prices():
    cut, *_ = cuts(Sentences(), block("", "One is here. Two is here.", 0))
    assert (cut.before, cut.after) == ("One is here.", "Two is here.")
    assert (cut.price, cut.reason) == (None, "the rule of the strategy")
    assert cut.earlier is cut.later is None
