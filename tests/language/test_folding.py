"""Texts that a reader takes for the same are the same when they are folded."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.language.folding import alike, composed, folded_by, typed, without_accents

FOLDS = (composed, typed, alike)
# characters that are composed, decomposed, hidden, or written in several ways
TEXTS = st.text(
    st.sampled_from(
        "aeE \u00e9\u0301\u0327\u00ad\u200b\u200d\ufe0fﬁ’“–…½Ａ１ｶﾞか\u3099각ᄀ\u1161\u11a8ㄱㅏ\uffa1\uffc2\u0915\u093cłœßأـ\u064e\u05b8´"
    )
    | st.characters()
)


@pytest.mark.parametrize("fold", FOLDS)
@given(text=TEXTS)
def test_the_offsets_lead_to_what_was_folded(fold, text):
    folded = folded_by(fold, text)
    assert folded.text == fold(text)
    assert folded.offsets == sorted(folded.offsets)
    for at in range(len(folded.text)):
        start, end = folded.span(at, at + 1)
        assert folded.text[at] in fold(text[start:end])


@pytest.mark.parametrize("fold", FOLDS)
@given(text=TEXTS)
def test_how_a_text_is_composed_does_not_matter_and_folding_again_changes_nothing(fold, text):
    assert fold(normalize("NFD", text)) == fold(normalize("NFC", text))
    assert fold(fold(text)) == fold(text)


@given(text=TEXTS)
def test_letters_without_accents_are_as_many_and_alike(text):
    assert len(without_accents(text)) == len(text)
    assert alike(without_accents(text)) == alike(text)


@each_row("language")
def test_what_is_alike(shown, folded):
    assert alike(shown) == folded
