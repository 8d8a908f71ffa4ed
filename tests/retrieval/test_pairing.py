"""Which texts of two versions are the same, have moved, or replace each other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.retrieval.comparing import pairing
from docxchunk.retrieval.comparing.pairing import Group, Text, groups


def text(words, level=0, kind=""):
    return Text(words, kind, level)


TEXTS = st.lists(
    st.builds(
        text,
        st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map(" ".join),
        st.sampled_from([0, 0, 1]),
        st.sampled_from(["", "", "note"]),
    ),
    max_size=7,
)


@given(TEXTS, TEXTS)
def test_each_text_is_in_one_group(olds, news):
    found = groups(olds, news)
    assert sorted(old for group in found for old in group.olds) == list(range(len(olds)))
    assert [new for group in found for new in group.news] == list(range(len(news)))
    for group in found:
        kinds = {olds[old].kind for old in group.olds} | {news[new].kind for new in group.news}
        assert len(kinds) == 1
        if group.is_same:
            keys = [[olds[old].key for old in group.olds], [news[new].key for new in group.news]]
            assert keys[0] == keys[1]


@given(TEXTS)
def test_equal_texts_are_unmoved(texts):
    assert groups(texts, texts) == [
        Group((number,), (number,), is_same=True) for number in range(len(texts))
    ]


@given(TEXTS, TEXTS)
def test_a_text_of_both_versions_is_the_same_or_has_moved(olds, news):
    found = groups(olds, news)
    same = Counter(news[new].key for group in found if group.is_same for new in group.news)
    both = Counter((old.kind, old.key) for old in olds) & Counter(
        (new.kind, new.key) for new in news
    )
    assert same.total() == both.total()


PAIRS = Path(__file__).parents[2] / "fixtures" / "pairs.txt"


def test_groups():
    for line in filter(None, PAIRS.read_text("utf-8").splitlines()):
        texts, colon, expected = line.partition(" : ")
        if colon:
            olds, news = (list(map(text, side.split(" | "))) for side in texts.split(" => "))
            found = (
                "=".join(",".join(map(str, side)) for side in group[:2])
                for group in groups(olds, news)
            )
            assert (texts, " ".join(found)) == (texts, expected)


def test_a_form_that_was_filled_in_has_the_same_heads():
    olds, news = (
        [Text(f"{head} {rest}", head=head) for head, rest in rows]
        for rows in (
            [("Name", "a b c d"), ("Date", "e f g h")],
            [("Name", "1 2 3"), ("Age", "4"), ("Date", "e 6 7 8 9")],
        )
    )
    assert [group[:2] for group in groups(olds, news)] == [
        *(((0,), (0,)), ((), (1,))),
        ((1,), (2,)),
    ]


def test_a_renamed_heading_is_one_group():
    olds, news = ([text("x"), text(name, 2), text("y")] for name in ("Fees", "Charges"))
    assert groups(olds, news)[1] == Group((1,), (1,))


@pytest.mark.parametrize("alike", ["a b c {}", "{} a b", "{} {} {}"])
def test_the_work_grows_with_the_texts(monkeypatch, alike):
    """The pairs of texts that are compared are counted: a limit for each text."""
    compared = []
    likeness = pairing._Pairing._likeness

    def counted(self, old, new):
        compared.append((old, new))
        return likeness(self, old, new)

    monkeypatch.setattr(pairing._Pairing, "_likeness", counted)
    for number in (50, 100, 200):
        compared.clear()
        olds = [text(alike.format(*[f"o{n}"] * 3)) for n in range(number)]
        news = [text(alike.format(*[f"n{n}"] * 3)) for n in range(number)]
        groups(olds, news)
        assert len(compared) <= 17 * number
