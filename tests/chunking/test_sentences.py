"""Sentence ends: the cases in fixtures/sentences.txt, and properties for any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.chunking import cutting as module
from docxchunk.chunking.cutting import sentences

CASES = [
    line
    for line in (Path(__file__).parents[2] / "fixtures" / "sentences.txt")
    .read_text(encoding="utf-8")
    .splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    wanted = case.split(" | ")
    for text in (" ".join(wanted), "".join(wanted)) if "。" in case else (" ".join(wanted),):
        assert [text[start:end] for start, end in sentences(text, 0, len(text))] == wanted


def test_a_long_word_before_a_full_stop_is_no_abbreviation():
    known = module._LEADING | module._NUMBERED | module._TRAILING
    assert max(map(len, known)) < module._LONG
    assert not any(module._LABEL.fullmatch(f"{letter * module._LONG}.") for letter in "aivxlIVXL")


@given(
    st.text(alphabet="aB1 .!?。；…\n)”[^]", max_size=60),
    st.lists(st.integers(0, 60), min_size=2, max_size=2),
)
def test_sentences_cover_the_text_and_keep_ranges_whole(text, edges):
    low, high = sorted(min(edge, len(text)) for edge in edges)
    found = sentences(text, 0, len(text), [(low, high)])
    between = zip(
        [0, *(end for _, end in found)], [*(start for start, _ in found), len(text)], strict=True
    )
    assert not any(text[start:end].strip() for start, end in between), "lost"
    assert not any(low < end < high for _, end in found[:-1])
