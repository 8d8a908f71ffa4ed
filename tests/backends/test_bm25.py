"""Words and their places."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("numpy", reason="the extra search is not installed")

from docxchunk.backends.bm25 import words, words_at

TEXTS = st.lists(
    st.sampled_from(
        ["本规范", "の", "Größe", "the", "1,200", "6.13.1", "payments", " ", "-", "한국"]
    )
).map("".join)


@example("本规范の")
@given(TEXTS)
def test_the_words_at_their_places_are_those_of_the_text(text):
    assert [at.word for at in words_at(text)] == words(text)
    assert all(words(text[at.start : at.end])[-1] == at.word for at in words_at(text))
