"""The words that differ between two texts, and how people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.comparison import (
    ChangeKind,
    PlaceChange,
    TextChange,
    marked,
    passages,
    spans,
    words_in,
)

WORDS = st.sampled_from(["one", "two ", "three", "\n", "four.", " ", "第", "条", "1,200.5 ", "5th"])
TEXTS = st.lists(WORDS, max_size=12).map("".join)


def without_blanks(text):
    return "".join(text.split(" "))


def place(old, new):
    return PlaceChange(ChangeKind.CHANGED, "1", "1", "", spans(old, new))


@given(TEXTS)
def test_words_are_the_whole_text(text):
    assert "".join(words_in(text)) == text


@given(TEXTS, TEXTS)
def test_both_texts_can_be_rebuilt_from_the_spans(old, new):
    for text, change in ((old, TextChange.DELETED), (new, TextChange.INSERTED)):
        both = [span.text for span in spans(old, new) if span.change in (change, TextChange.NONE)]
        assert without_blanks("".join(both)) == without_blanks(text)


@given(TEXTS)
def test_the_same_text_has_no_changes(text):
    assert {span.change for span in spans(text, text)} <= {TextChange.NONE}


@given(TEXTS, TEXTS)
def test_passages_are_the_spans_and_hide_no_change(old, new):
    parts = list(passages(place(old, new)))
    assert "".join(part.text for part in parts) == "".join(span.text for span in spans(old, new))
    assert all(part.change is TextChange.NONE for part in parts if part.hidden)


MARKED = [
    ("pay in May at once", "pay in June at once", "pay in [-May-] {+June+} at once"),
    ("It costs 1,200.50.", "It costs 1,300.50.", "It costs [-1,200.50-]{+1,300.50+}."),
    # an edit begins with a word, and goes on with the next one
    ("See 3.1, 3.2, 3.4.", "See 3.1, 3.4.", "See 3.1, [-3.2,-] 3.4."),
    ("Ends. [Note: one.] More", "Ends. More", "Ends. [-[Note: one.]-] More"),
    ("a b a b", "a b", "a b [-a b-]"),
    ("in {x}. Pay", "in 3 Main Street, Ely. Pay", "in [-{x}-]{+3 Main Street, Ely+}. Pay"),
    ("第一条", "第二条", "第[-一-]{+二+}条"),
    ("a", "a " + "x " * 60 + "b", "a {+" + "x " * 60 + "b+}"),
    ("a b", "a\nb", "a {+¶+} b"),
    ("w " * 40 + "old", "w " * 40 + "new", "… (34 words) … w w w w w w [-old-]{+new+}"),
    ("old " + "w " * 40, "new " + "w " * 40, "[-old-] {+new+} w w w w w w … (34 words) …"),
    ("old " + "w " * 15, "new " + "w " * 15, "[-old-] {+new+}" + " w" * 6 + " … (9 words) …"),
    ("old " + "w " * 9, "new " + "w " * 9, "[-old-] {+new+}" + " w" * 9),
]


@pytest.mark.parametrize(("old", "new", "line"), MARKED)
def test_marked(old, new, line):
    assert "".join(text for text, _ in marked(place(old, new))) == line
