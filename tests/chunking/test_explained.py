"""Why a document is cut where it is."""

from __future__ import annotations

import re

import pytest
from chunking.makers import WORDS, block, document, table, tag, words
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.chunking import ChunkLimits, P, PStaged, R, run
from docxchunk.chunking.explain import TWO_SECTIONS
from docxchunk.chunking.prices import HEADLINE, PARAGRAPH, ROW, SECTION, SENTENCE
from docxchunk.lab.strategies.plain import Sentences
from docxchunk.testing import hypothesis_strategies

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


def test_a_cut_is_compared_with_the_best_other_chunks():
    [cut] = cuts(P(), block("A", LINES))
    assert (cut.piece, cut.before, cut.after) == (1, words(30, "b"), words(30, "c"))
    assert (cut.price, cut.reason, cut.left, cut.right) == (0.05, "two paragraphs", 62, 60)
    assert cut.here.costs == pytest.approx({"cuts": 0.05, "sizes": 1.0644, TWO_SECTIONS: 0})
    assert (cut.other.tokens, cut.place) == ([92, 30], f"two paragraphs: {words(30, 'd')}")
    assert cut.why == "The other costs more: sizes +0.11."


@pytest.mark.parametrize(
    ("strategy", "blocks", "why"),
    [
        (P(), [("A", 20, 2), ("B", 20, 1)], "Both fit, but chunk 2 is neither beside nor below"),
        (P(), [("A", 60, 2), ("B", 60, 1)], "Not later: chunk 2 is neither beside nor below the"),
        (P(merge_top_level=False), [("A", 20, 1), ("B", 20, 1)], "Both fit, but chapters do not"),
        (P(), [("A", 60, 1), ("B", 70, 1)], "Together 135 of 100 tokens, and a section that fits"),
        (
            P(),
            [("A", 40, 1), ("B", 50, 1), ("C", 60, 1)],
            "Together 158 of 100 tokens, and any other",
        ),
        (R(), [("A", 60, 0), ("B", 70, 0)], "One place later, a chunk would have 130 of 100"),
    ],
)
def test_what_decided(strategy, blocks, why):
    *_, cut = cuts(strategy, *(block(name, words(size), level) for name, size, level in blocks))
    assert cut.why.startswith(why)


WHY = re.compile(
    r"(Both fit, but|Not later:) (chunk \d+ is neither (?P<apart>)|a chunk has only|a longer chunk).+"
    r"|(Together|At the nearest cheaper place, a chunk would have) (?P<over>\d+) of (?P<cap>\d+) .+"
    r"|The other costs more: .+|Both cost about the same\."
)


@settings(max_examples=some(100), deadline=None)
@given(made=hypothesis_strategies.DOCUMENTS, size=st.integers(40, 400))
def test_an_explanation_is_true(made, size):
    tokenizer = hypothesis_strategies.ADDITIVE
    result = run(made, P(), ChunkLimits(size, 0), tokenizer, trace=True)
    blocks = {each.id: each for each in made.blocks}
    for cut in result.cuts:
        if cut.here is None or "sizes" not in cut.here.costs:
            continue
        assert cut.here.costs["cuts"] == cut.price
        found = WHY.fullmatch(cut.why)
        assert found, cut.why
        before, after = (
            blocks[chunk.blocks[0]] for chunk in result.chunks[cut.piece - 1 : cut.piece + 1]
        )
        path = (*before.parent_headings, before.heading)
        may_follow = (after.level, after.parent_headings) == (
            before.level,
            before.parent_headings,
        ) or after.parent_headings[: len(path)] == path
        assert found["apart"] is None or not may_follow
        assert found["over"] is None or int(found["over"]) > int(found["cap"])
        if cut.other:
            assert sum(cut.other.costs.values()) >= sum(cut.here.costs.values()) - 1e-9
            assert max(cut.other.tokens) <= size or len(cut.other.tokens) > 1


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
    assert cut.here is cut.other is None
