"""The words in which two texts differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.formats.report.differences import compared, heading_in, text_of, without_marks
from docxchunk.formats.report.views import TextChange
from docxchunk.model.chunks import Added, AddedRole, Chunk, Heading, Slice, SliceRole

WORDS = st.sampled_from(["one", "two ", "three", "\n", "four.", " ", "第", "条", "five\n"])
TEXTS = st.lists(st.lists(WORDS, max_size=12).map("".join), max_size=4)


def span_text(text, kind):
    return "".join(span.text for span in text if span.change in (TextChange.NONE, kind))


@given(old=TEXTS, new=TEXTS)
@settings(deadline=None)
def test_both_versions_can_be_read_from_the_spans(old, new):
    found = compared(old, new)
    assert "".join(
        "".join(span_text(text, TextChange.DELETED) for text in found).split()
    ) == "".join("".join(old).split())
    assert ["".join(span_text(text, TextChange.INSERTED).split()) for text in found] == [
        "".join(text.split()) for text in new or [""]
    ]


@given(texts=TEXTS)
def test_the_same_text_has_no_changes(texts):
    assert {span.change for text in compared(texts, texts) for span in text} <= {TextChange.NONE}


COMPARED = [
    (["a b c\n"], ["a x c\n"], [[("", "a "), ("del", "b "), ("ins", "x "), ("", "c\n")]]),
    (["a\nb\n"], ["a\n", "b\n"], [[("", "a\n")], [("", "b\n")]]),  # only the boundary moved
    (["a b c d e\n"], ["a w x y z\n"], [[("del", "a b c d e\n"), ("ins", "a w x y z\n")]]),
    (["a b c d e\n"], ["a b x y z\n"], [[("", "a b "), ("del", "c d e\n"), ("ins", "x y z\n")]]),
    (["a b c d\n"], ["v w x y\n"], [[("del", "a b c d\n"), ("ins", "v w x y\n")]]),
    # difflib would ignore words that occur often in a long text
    (
        ["x " + "a " * 300 + "a\n"],
        ["y " + "a " * 300 + "a\n"],
        [[("del", "x "), ("ins", "y "), ("", "a " * 300 + "a\n")]],
    ),
    # deleted words are in the text of the words that replace them, else in that of those before
    (
        ["a\n", "b c d\n"],
        ["a\n", "x y z\n"],
        [[("", "a\n")], [("del", "b c d\n"), ("ins", "x y z\n")]],
    ),
    (["b c d\n", "a\n"], ["a\n"], [[("del", "b c d\n"), ("", "a\n")]]),
    # the same words in another order
    (["a b c d e\n"], ["e d c b a\n"], [[("del", "a b c d e\n"), ("ins", "e d c b a\n")]]),
    (["第一条\n"], ["第二条\n"], [[("", "第"), ("del", "一"), ("ins", "二"), ("", "条\n")]]),
    (["a\n", "b\n"], [], [[("del", "a\nb\n")]]),
    ([], ["a\n"], [[("ins", "a\n")]]),
    ([""], ["a\n"], [[("ins", "a\n")]]),
    (["a\n"], [""], [[("del", "a\n")]]),
    (["\n \n", "a"], ["a\n"], [[("", "a\n")]]),
    # as many equal lines as difflib would take too long for
    (["a\n" * 400], ["a\n" * 400 + "b\n"], [[("", "a\n" * 400), ("ins", "b\n")]]),
    # the same lines in a text that is too long to be compared by words
    (
        ["x\n" + "a b c d e f g h i\n" * 250],
        ["y\n" + "a b c d e f g h i\n" * 250],
        [[("del", "x\n"), ("ins", "y\n"), ("", "a b c d e f g h i\n" * 250)]],
    ),
    (
        ["a\nb\nc\nd\n"],
        ["a\n", "b\n", "d\n"],
        [[("", "a\n")], [("", "b\n"), ("del", "c\n")], [("", "d\n")]],
    ),
    (["a\nb\nc\n"], ["a\n", "c\n"], [[("", "a\n"), ("del", "b\n")], [("", "c\n")]]),
]


@pytest.mark.parametrize(("old", "new", "expected"), COMPARED)
def test_compared(old, new, expected):
    assert [[tuple(span) for span in text] for text in compared(old, new)] == expected


@pytest.mark.parametrize(("words", "deleted"), [(2000, 1), (2001, 2000)])
def test_more_than_four_thousand_words_are_not_compared_one_by_one(words, deleted):
    old, new = ([f"{number} " for number in range(count)] for count in (2000, words))
    (spans,) = compared(["".join(old)], ["".join(["x ", *new[1:]])])
    assert sum(len(s.text.split()) for s in spans if s.change is TextChange.DELETED) == deleted


OWN, AGAIN, HEADER = Slice("b", 5, 9), Slice("b", 2, 5, SliceRole.OVERLAP), AddedRole.HEADER


@pytest.mark.parametrize(
    ("content", "parts", "shown"),
    [
        ("text", (OWN,), "text"),
        ("in text", (AGAIN, OWN), "text"),
        ("in text", (Slice("b", 2, 5, SliceRole.BRIDGE), OWN), "text"),
        ("in text", (Added("in ", HEADER), OWN), "text"),
        ("in text", (Added("in ", AddedRole.CONTEXT), OWN), "text"),
        ("in text", (Added("in ", AddedRole.LABEL), OWN), "in text"),
        ("text in", (OWN, Added(" in", HEADER)), "text"),
        # the parts do not add up to the content
        ("a text", (AGAIN, OWN), "a text"),
        ("the text", (AGAIN, OWN), "the text"),
        ("text", (), "text"),
    ],
)
def test_the_text_of_a_chunk_is_not_repeated(content, parts, shown):
    chunk = Chunk(1, content, 0, "", (), 0, "c0", "doc", (), "", (), parts)
    assert text_of(chunk) == shown


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("# Fees", ("Fees", "Fees")),
        ("###### Fees & more", ("Fees", "Fees & more")),
        ("## Fees of the tenant.", ("Fees of", "Fees of the tenant.")),
        ("# The Fees", None),
        ("The # Fees", None),
        ("#Fees", None),
        ("####### Fees", None),
        ("Fees", None),
        ("# m<sup>2</sup>", ("m2", "m2")),
    ],
)
def test_the_heading_of_a_line_is_the_longest_with_which_it_begins(line, found):
    headings = tuple(Heading(1, heading) for heading in ("Fee", "Fees", "Fees of", "m2"))
    chunk = Chunk(1, f"{line}\n\ntext", 0, "", (), 0, "c0", "doc", headings, "", (), ())
    heading = heading_in(line, chunk)
    assert (heading and (heading[0].heading, heading[1])) == found
    assert without_marks(chunk) == f"{found[1] if found else line}\ntext"


@pytest.mark.parametrize(
    ("body", "shown"),
    [('[["a","b"],["c",""]]', "a | b\nc | "), ("no rows", "no rows")],
)
def test_each_row_of_a_table_is_a_line_and_text_is_not_escaped(body, shown):
    table = f'<table id="t" format="json">{body}</table>'
    content = "[x](y)\n{0}\n<b> [x](y)\n{0}\n[x](y)"
    chunk = Chunk(1, content.format(table), 0, "", (), 0, "c0", "doc", (), "", (), ())
    assert text_of(chunk) == content.format(shown)
