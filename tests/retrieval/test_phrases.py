"""Phrases in texts that were folded once."""

from hypothesis import given
from hypothesis import strategies as st

from docxchunk.retrieval.finding.phrases import FoldedTexts, pattern_of_phrase, spans_of_phrase

TEXTS = st.text("aÀà \n’'-–", max_size=12)


@given(st.lists(TEXTS, max_size=6), TEXTS)
def test_the_texts_that_have_a_phrase(texts, phrase):
    pattern = pattern_of_phrase(phrase)
    having = [index for index, text in enumerate(texts) if spans_of_phrase(pattern, text)]
    assert FoldedTexts(texts).having(pattern) == having
