"""The text of another program shows the words that it shares with the document, in order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st
from lab.evaluation.makers import source_of

from docxchunk.lab.evaluation.alignment import Alignment
from docxchunk.lab.evaluation.metrics import overlap
from docxchunk.lab.evaluation.passages import union


@each_row("lab")
def test_markup_does_not_matter(ours, theirs):
    shown = Alignment(theirs, replace(source_of("-"), text=ours)).shown(0, len(theirs))
    assert union((piece.start, piece.end) for piece in shown) == [(0, len(ours))]


@pytest.mark.parametrize(
    ("theirs", "span", "shown"),
    [
        ("one TWO x big", (0, 13), [(13, 7, 19)]),  # what is only theirs stands between them
        ("one two x three", (0, 15), [(7, 7, 15), (3, 18, 18), (5, 18, 24)]),  # "big" is not
        ("one two x three", (0, 9), [(7, 7, 15), (2, 15, 15)]),
        ("one two x three", (3, 9), [(1, 10, 10), (3, 10, 15), (2, 15, 15)]),
        ("one two x three", (1, 6), [(5, 7, 7)]),  # no word is whole
        ("one two x three", (8, 15), [(2, 18, 18), (5, 18, 24)]),
        ("one two x three", (8, 8), []),
        ("else", (0, 4), [(4, 7, 7)]),
        ("", (0, 0), []),
    ],
)
def test_a_range_shows_the_places_of_its_words_and_nothing_for_the_others(theirs, span, shown):
    source = replace(source_of("One two big three"), offset=7)
    assert [*Alignment(theirs, source).shown(*span)] == shown


OURS = "One two three. Four five six. Seven eight nine."
THEIRS = "One two three. Not ours at all. Seven eight nine, and four more."


@given(st.integers(0, len(THEIRS)), st.integers(0, len(THEIRS)))
def test_a_range_shows_its_words(one, other):
    start, end = sorted((one, other))
    shown = Alignment(THEIRS, source_of(OURS)).shown(start, end)
    assert sum(piece.length for piece in shown) == end - start
    assert all(piece.length > 0 for piece in shown)
    spans = union((piece.start, piece.end) for piece in shown)
    for word in ("One", "two", "three", "Seven", "eight", "nine"):
        at, place = THEIRS.index(word), OURS.index(word)
        is_there = start <= at and at + len(word) <= end
        assert overlap(spans, [(place, place + len(word))]) == len(word) * is_there
    assert overlap(spans, [(OURS.index("five"), OURS.index("five") + 4)]) == 0
