"""Locating gold text: copied from Word, or paraphrased."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evaluation.makers import source_of
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.evaluation.answers import rouge_l
from docxchunk.evaluation.passages import SourceText, sentences
from docxchunk.evaluation.questions import UnplacedQuestion, benchmark, nearest, place


def written(text: str) -> SourceText:
    """Return a source with this text, including tags."""
    return replace(source_of("-"), text=text)


@pytest.mark.parametrize(
    ("text", "gold", "found"),
    [
        ("On the 3<sup>rd</sup> day it rained.", "the 3rd day", "the 3<sup>rd</sup> day"),
        ("Water is H<sub>2</sub>O.", "H2O.", "H<sub>2</sub>O."),
        ("It rained[^1] all day.\n\n[^1]: In May.", "It rained all day.", "It rained[^1] all day."),
        ("Five\u00a0kilometres  of\nroad.", "Five kilometres of road", "Five\u00a0kilometres  of\nroad"),
        ('<table id="t" format="json">[["Valve","12 EUR"],["Pump","9"]]</table>', "Valve\t12 EUR", 'Valve","12 EUR'),
        ('<table id="t" format="json">[["one\\ntwo","3"]]</table>', "one two", "one\\ntwo"),
        ("He said \u201cno\u201d at once.", 'said "no" at once.', "said \u201cno\u201d at once."),
        ("A non\u2011breaking hyphen", "non-breaking", "non\u2011breaking"),
        ("Author typed &lt;table here", "typed <table here", "typed &lt;table here"),
        ("桥由\n村民修建。", "桥由村民修建", "桥由\n村民修建"),
    ],
)
def test_marks_and_white_space_are_ignored(text, gold, found):
    start, end = place(written(text), gold)
    assert text[start:end] == found


@pytest.mark.parametrize("gold", ["zebra", "...", " ", "Book", "(-) ="])
def test_missing_text_is_not_located(gold):
    assert place(source_of("A book. Two books."), gold) is None


def test_part_of_a_word_is_found_only_as_it_is_written():
    assert place(written("A book<sup>1</sup> or two."), "ook1 or") is None


@given(st.text(alphabet="ab 1.,中\n", min_size=1, max_size=60), st.data())
def test_every_part_of_a_text_is_found_with_its_own_letters(text, data):
    """A part that begins and ends between words is found at its place, even with marks inserted."""
    marked = "".join(f"{c}<sup></sup>" if c.isalnum() else c for c in text)
    words = [match for match in text.split() if any(map(str.isalnum, match))]
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    gold = " ".join(words[first : data.draw(st.integers(first + 1, len(words)))])
    source = written(marked)
    found = place(source, gold)
    assert found is not None
    letters = "".join(filter(str.isalnum, source.text[slice(*found)].replace("<sup>", "").replace("</sup>", "")))
    assert letters == "".join(filter(str.isalnum, gold))


TEXT = "The bridge was opened in May. It is painted red, and cars may cross it by day. Boats pass below at night. Nobody sleeps there."


def test_paraphrased_evidence_is_located_at_the_most_similar_sentences():
    source = source_of(TEXT)
    start, end = nearest(source, "It was painted red and cars may cross by day")
    assert source.text[start:end] == "It is painted red, and cars may cross it by day."
    start, end = nearest(source, "The bridge opened in May. It is painted red and cars cross it by day.")
    assert source.text[start:end] == TEXT[: TEXT.index(" Boats")]


@pytest.mark.parametrize("evidence", ["A zebra runs in the morning over a plain", "in May", "night by pass boats sleeps cars"])
def test_evidence_with_few_common_words_is_not_located(evidence):
    assert nearest(source_of(TEXT), evidence) is None


@given(
    st.lists(st.sampled_from(["red boats pass. ", "the bridge is red. ", "cars cross by day. ", "boats pass the red bridge by day. "]), min_size=1, max_size=8)
)
def test_the_best_range_of_sentences_is_found(parts):
    """Compare with all ranges of up to two sentences, by the ROUGE-L of the answers."""
    source, evidence = source_of("".join(parts).strip()), "boats cross the red bridge"
    spans = [*sentences(source.text)]
    runs = [(spans[i][0], spans[j][1]) for i in range(len(spans)) for j in range(i, min(i + 2, len(spans)))]
    found = nearest(source, evidence)
    if found:
        assert rouge_l(_plain(source.text[slice(*found)]), [_plain(evidence)]) == max(
            rouge_l(_plain(source.text[slice(*run)]), [_plain(evidence)]) for run in runs
        )


def _plain(text: str) -> str:
    return text.replace("the", "thee")  # an article, which answers are compared without


def test_questions_located_by_rouge_keep_their_evidence():
    source = source_of(TEXT)
    gold = ("It was painted red and cars may cross by day", "Nobody sleeps there.")
    question = benchmark("b", [source.document], [UnplacedQuestion("?", "a.txt", gold)]).questions[0]
    assert question.evidence == gold[:1]
    assert [TEXT[start:end] for start, end in question.gold] == ["It is painted red, and cars may cross it by day.", "Nobody sleeps there."]
