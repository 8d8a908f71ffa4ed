"""The words of an index, and that scores do not depend on how documents are divided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy", reason="numpy is not installed: no search")

import numpy as np

from docxchunk import chunk, parse
from docxchunk.model.chunks import UnitKind
from docxchunk.retrieval.folders.ranking import Part, Ranking, UnitIndex, Vocabulary

WORDS = st.text("abcé条", min_size=1, max_size=4)


@given(st.sets(WORDS, max_size=200), WORDS)
def test_law_a_word_has_its_place_in_the_order(words, other):
    ordered = sorted(words)
    vocabulary = Vocabulary.of(ordered)
    assert vocabulary.words() == ordered
    assert [vocabulary.number(word) for word in ordered] == list(range(len(ordered)))
    assert vocabulary.number(other) == (ordered.index(other) if other in words else None)
    assert vocabulary.having(other) == [n for n, word in enumerate(ordered) if other in word]


def unit_index(text):
    """Return the index of the units of a text, and of a remark that has its first word."""
    document = parse(docx(text), name="a.docx")
    units = document.units(chunk(document))
    remark = replace(units[0], kind=UnitKind.REMARK, content=units[0].content.split()[1])
    return UnitIndex.build([*units, remark])


TEXTS = [
    f"<p style='Heading1'>{a}</p><p>{b} {a}s the {c}.</p><p>{c} {b}</p>"
    for a in ("rent", "pay")
    for b, c in ("ab", "cd")
]
INDEXES = [unit_index(text) for text in TEXTS]


@given(st.permutations(range(4)), st.integers(0, 4), st.integers(0, 4))
def test_law_scores_do_not_depend_on_the_parts(order, middle, end):
    """Documents that do not count are as if they were not there."""
    indexes = [INDEXES[number] for number in order]
    middle, end = sorted((middle, end))
    merged = UnitIndex.merged([(each, 0) for each in indexes])
    again = UnitIndex.merged([(merged, number) for number in range(middle, 4)])
    live = np.arange(4 - middle) < end - middle
    parts = [Part(each, np.ones(1, dtype=bool)) for each in indexes[:middle]]
    divided = Ranking([*parts, Part(again, live)])
    whole = Ranking(
        [Part(UnitIndex.merged([(each, 0) for each in indexes[:end]]), np.ones(end, bool))]
    )
    for question in (["rents"], ["a", "pay"], ["x"], []):
        (expected,) = whole.scores(question)
        found = np.concatenate(divided.scores(question))
        assert found[: len(expected)].tolist() == expected.tolist()
        assert not found[len(expected) :].any()
        assert divided.largest_share(question, TEXTS) == whole.largest_share(question, TEXTS)
    for search in (
        lambda ranking: (own for _, own in ranking.documents_with("rent")),
        lambda ranking: (np.flatnonzero(shares) for _, shares in ranking.shares({"pa"})),
        lambda ranking: ([number] for _, number, _ in ranking.remarks_with({"rent", "a"}, 1)),
    ):
        numbers = [sum(len(each) for each in search(ranking)) for ranking in (divided, whole)]
        assert numbers[0] == numbers[1]
