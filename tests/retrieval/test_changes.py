"""The places in which two versions differ."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.formats.report.views import TextChange
from docxchunk.retrieval.changes import changed_places

SENTENCES = st.sampled_from(
    ["The rent is ten pounds.", "The rent is nine pounds.", "Pay it.", "Keep dogs out; cats, too."]
)
LABELS = st.sampled_from(["", "1.1 ", "1.2 ", "2.1 ", "(a) ", "(b) "])
CLAUSES = st.tuples(LABELS, st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)).map("".join)
SECTIONS = st.tuples(
    st.sampled_from(["1. Rent", "2. Pets", "Terms"]), st.lists(CLAUSES, max_size=4)
)
VERSIONS = st.lists(SECTIONS, min_size=1, max_size=4).map(
    lambda sections: "\n\n".join(
        "\n\n".join((f"# {heading}", *clauses)) for heading, clauses in sections
    )
)


def chunks(text, max_tokens=2000, strategy="P"):
    paragraphs = (
        f"<p style='Heading{line.index(' ')}'>{line.lstrip('# ')}</p>"
        if line.startswith("#")
        else f"<p>{line}</p>"
        for line in text.split("\n\n")
    )
    document = api.parse(docx("".join(paragraphs)), doc_id="rent")
    return api.chunk(document, max_tokens=max_tokens, overlap=0, strategy=strategy)


def places(old, new):
    return changed_places(api.diff(old, new).chunks)


def bare(text):
    """Return the words without numbers."""
    return [word for word in text.split() if word[0] not in "#(12"]


def texts(place, *kinds):
    return "".join(span.text for span in place.spans if span.change in kinds).split()


def test_a_place_is_paired_with_the_one_that_is_most_like_it():
    old = "# 1. Rent\n\n1.1 The rent is ten pounds per month, and is paid at once."
    new = (
        "# 1. Rent\n\n1.1 The rent is paid in pounds.\n\n"
        "1.2 The rent is nine pounds per month, and is paid at once."
    )
    found = places(chunks(old), chunks(new))
    assert [(place.kind, place.name) for place in found] == [
        ("added", "1. Rent > 1.1"),
        ("changed", "1. Rent > 1.2"),
    ]


LEVELS = """## 1. Rent

The rent is ten pounds and is paid each month by card.

#### 1.1 Notice

Notices are sent by post to the other party.

#### 1.2 Delay

A late payment bears interest of eight percent a year.

## 2. Law

The law of Norway applies to all of this.

#### 2.1 Courts

The courts of Norway decide all cases."""


@pytest.mark.parametrize("max_tokens", [32, 40, 56, 80, 2000])
def test_a_place_has_the_headings_above_it_wherever_the_chunks_are_cut(max_tokens):
    old, new = (
        chunks(text, max_tokens, "R") for text in (LEVELS, LEVELS.replace("Norway", "Spain"))
    )
    assert [place.name for place in places(old, new)] == ["2. Law", "2. Law > 2.1 Courts"]


def test_a_chunk_without_heading_is_not_below_the_heading_of_the_one_before_it():
    (rent,) = chunks("# .NET:\n\nPay in May.")
    more = replace(rent, content="Signed.", heading="", headings=(), parts=(), chunk_id="c2")
    below = replace(more, heading="Pets", parent_headings=(".NET:",), level=2)
    found = changed_places([("added", None, each) for each in (rent, more, below)])
    assert [place.name for place in found] == [
        *(".NET", ".NET", "(before the first heading)", ".NET > Pets")
    ]


OTHERS = [f"1.1 {letter * 3}" for letter in "abcdefgh"]


@pytest.mark.parametrize(("between", "is_paired"), [(7, True), (8, False)])
def test_a_place_is_compared_with_the_next_eight_of_the_old_version(between, is_paired):
    old = "\n\n".join(("# 1. Rent", *OTHERS[:between], "1.1 The rent is ten pounds."))
    found = places(chunks(old), chunks("# 1. Rent\n\n1.1 The rent is nine pounds."))
    assert [place.kind for place in found if place.kind != "removed"] == [
        "changed" if is_paired else "added"
    ]


@pytest.mark.parametrize(("between", "pair"), [(6, "1.8"), (7, "1.1")])
def test_a_place_is_no_pair_if_one_of_the_next_seven_is_more_like_the_old_one(between, pair):
    near, nearer = "1.1 The rent is nine pounds.", "1.8 The rent is ten or so pounds."
    new = "\n\n".join(("# 1. Rent", near, *OTHERS[:between], nearer))
    found = places(chunks("# 1. Rent\n\n1.1 The rent is ten pounds."), chunks(new))
    assert [place.name for place in found if place.kind == "changed"] == [f"1. Rent > {pair}"]


@given(text=VERSIONS, max_tokens=st.integers(32, 100))
@settings(max_examples=some(200), deadline=None)
def test_other_cuts_are_no_change(text, max_tokens):
    assert places(chunks(text), chunks(text, max_tokens)) == []


@given(old=VERSIONS, new=VERSIONS, max_tokens=st.integers(32, 100))
@settings(max_examples=some(200), deadline=None)
def test_no_place_is_changed_whose_text_is_the_same(old, new, max_tokens):
    found = places(chunks(old, max_tokens), chunks(new, max_tokens))
    assert bool(found) == (old.split() != new.split())
    for place in found:
        before = texts(place, TextChange.NONE, TextChange.DELETED)
        after = texts(place, TextChange.NONE, TextChange.INSERTED)
        assert (before != after) == (place.kind in ("added", "removed", "changed"))
        if place.kind in ("added", "changed"):
            assert " ".join(after) in " ".join(bare(new))
        if place.kind in ("removed", "changed"):
            assert " ".join(before) in " ".join(bare(old))


@given(old=VERSIONS, new=VERSIONS)
@settings(max_examples=some(200), deadline=None)
def test_every_word_that_changed_is_in_a_place(old, new):
    """Old words, without the deleted and with the inserted ones, are the new words."""

    def words(text):
        return Counter(re.findall(r"[A-Za-z]{2,}", text))

    expected = words(new) - words(old), words(old) - words(new)
    inserted, deleted = Counter[str](), Counter[str]()
    for place in places(chunks(old), chunks(new)):
        for span in place.spans:
            if span.change:
                counts = inserted if span.change is TextChange.INSERTED else deleted
                counts.update(words(span.text))
    assert (inserted - deleted, deleted - inserted) == expected
