"""Metrics compared with character sets, and with the published code, copied here."""

from __future__ import annotations

from itertools import accumulate

import pytest
from case_files import each_row, each_span, or_none, yes
from hypothesis import given
from hypothesis import strategies as st
from lab.evaluation.makers import passage

from docxchunk.lab.evaluation import metrics
from docxchunk.lab.evaluation.passages import (
    PassageIndex,
    sentences_of,
    sources,
    union,
)
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document

GOLD = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 12)).map(lambda pair: (pair[0], sum(pair))),
    min_size=1,
    max_size=4,
)
PASSAGES = st.lists(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(1, 15)).map(lambda pair: (pair[0], sum(pair))),
        min_size=1,
        max_size=2,
    ),
    max_size=6,
).map(lambda many: [passage(*union(spans)) for spans in many])


def overlap_of(passages, gold):
    nothing = metrics.Overlap(0.0, 0.0, 0.0)
    return [nothing, *metrics.overlaps_of(passages, gold)][-1]


def characters(spans) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


@given(PASSAGES, GOLD)
def test_overlap_by_sets(passages, gold):
    wanted, there = characters(gold), set().union(*(characters(p.spans) for p in passages))
    shown = sum(len(characters(p.spans)) for p in passages)
    found = overlap_of(passages, gold)
    assert found.recall == pytest.approx(len(there & wanted) / len(wanted))
    assert found.precision == pytest.approx(len(there & wanted) / shown if shown else 0)
    assert found.iou == pytest.approx(len(there & wanted) / (shown + len(wanted - there)))


@given(PASSAGES, GOLD, st.integers(0, 80))
def test_budgeted_recall_reads_character_by_character(passages, gold, budget):
    read = [
        place
        for p in passages
        for start, end in [(s.start, s.end) for s in p.shown]
        for place in range(start, end)
    ][:budget]
    assert metrics.budgeted_recall(passages, gold, budget) == pytest.approx(
        len(characters(gold) & {*read}) / len(characters(gold))
    )


@given(PASSAGES, GOLD)
def test_precision_omega_by_sets(passages, gold):
    wanted = characters(gold)
    shown = set().union(*(characters(p.spans) for p in passages if characters(p.spans) & wanted))
    assert metrics.precision_omega(passages, gold) == pytest.approx(
        len(shown & wanted) / len(shown | wanted)
    )


# -- chunking_evaluation (base_evaluation.py): one range a chunk


# -- ranks


@pytest.mark.parametrize(
    ("relevant", "total", "rank", "precision"),
    [
        ([True], 1, 1.0, 1.0),
        ([False, True], 1, 0.5, 0.5),
        ([True, False, True], 2, 1.0, (1 + 2 / 3) / 2),
        ([True, False, True], 3, 1.0, (1 + 2 / 3) / 3),
        ([False] * 9 + [True], 1, 0.1, 0.1),
        ([False] * 10 + [True], 1, 0.0, 0.0),
        ([True] * 10, 20, 1.0, 1.0),
        ([], 1, 0.0, 0.0),
    ],
)
def test_mean_reciprocal_rank_and_average_precision(relevant, total, rank, precision):
    assert metrics.reciprocal_rank(relevant) == pytest.approx(rank)
    assert metrics.average_precision(relevant, total) == pytest.approx(precision)


@each_row("lab", spans=each_span, share=float, hit=yes)
def test_a_hit_shows_a_share_of_one_place_or_is_made_of_it(spans, share, hit):
    assert metrics.is_hit(passage(*spans), [(0, 20), (90, 110)], share) is hit


@each_row("lab", gold=each_span, passages=each_span, count=float)
def test_characters_until_95_percent_of_the_answer(gold, passages, count):
    ranking = [passage(span) for span in passages]
    starts = accumulate((len(each.text) for each in ranking), initial=0)
    found = metrics.characters_until_complete(zip(starts, ranking, strict=False), gold)
    assert found == count


# -- introductions of tables

TABLE = '<table id="t" format="json">[["a b"],["c"]]</table>'


@each_row("lab", level=int, introduction=or_none)
def test_the_last_sentence_of_the_paragraph_before_a_table_introduces_it(
    before, level, introduction
):
    content = f"{before}\n{TABLE}"
    first = Block("a", "Some words before.")
    document = Document("a.docx", "docx", "doc", "", (first, Block("b", content, level=level)))
    (source,) = sources([document])
    found = [*metrics.introduced(source, sentences_of([source]))][-1:]
    if introduction is not None:
        ((introducing, first_row),) = found
        assert source.text[slice(*introducing)] == introduction
        assert source.text[slice(*first_row)] == '["a b"]'
        assert first_row[0] > len(before)
    else:
        assert [source.text[slice(*each.introduction)] for each in found] == (
            ["See below."] if before.endswith(TABLE) else []
        )


@each_row("lab", spans=each_span, is_kept=yes)
def test_a_table_is_kept_if_one_passage_has_its_introduction_and_its_first_row(spans, is_kept):
    passages = [passage(span) for span in spans]
    table = metrics.Introduced((0, 10), (12, 20))
    assert metrics.kept_together([table], passages, PassageIndex(passages)) == [is_kept]
