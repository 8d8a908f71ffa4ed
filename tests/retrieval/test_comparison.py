"""The places in which two versions of a document differ."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

import docxchunk
from docxchunk import api
from docxchunk.errors import MissingFileError
from docxchunk.model.comparison import TextChange, marked
from docxchunk.model.document import Document
from docxchunk.model.objects import Note, NoteKind
from docxchunk.model.options import ParseOptions
from docxchunk.retrieval.comparing.changes import COMPARED, compared, document_of_chunks
from docxchunk.retrieval.comparing.versions import compare

SENTENCES = st.sampled_from(
    ["The rent is ten pounds.", "The rent is nine pounds.", "Pay it.", "Keep dogs out; cats, too."]
)
LABELS = st.sampled_from(["", "1.1 ", "1.2 ", "2.1 ", "(a) ", "(b) "])
CLAUSES = st.tuples(LABELS, st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)).map("".join)
SECTIONS = st.tuples(
    st.sampled_from(["1. Rent", "2. Pets", "Terms"]), st.lists(CLAUSES, max_size=4)
)
VERSIONS = st.lists(SECTIONS, min_size=1, max_size=4).map(
    lambda sections: "".join(
        f"<p style='Heading1'>{heading}</p>" + "".join(f"<p>{clause}</p>" for clause in clauses)
        for heading, clauses in sections
    )
)


def parsed(xml, **parts):
    return api.parse(docx(xml, **parts), doc_id="rent", options=COMPARED)


def lines(old, new):
    return [
        f"{change.kind}  {change.name}: {''.join(text for text, _ in marked(change))}"
        for change in compared(old, new).changes
    ]


@given(text=VERSIONS)
@settings(max_examples=some(50), deadline=None)
def test_equal_documents_do_not_differ(text):
    assert compared(parsed(text), parsed(text)).is_same


@given(old=VERSIONS, new=VERSIONS)
@settings(max_examples=some(200), deadline=None)
def test_every_word_that_changed_is_in_a_place(old, new):
    """Old words, without the deleted and with the inserted ones, are the new words."""

    def words(text):
        return Counter(re.findall(r"[A-Za-z]{2,}", re.sub("<.*?>", " ", text)))

    expected = words(new) - words(old), words(old) - words(new)
    inserted, deleted = Counter[str](), Counter[str]()
    for change in compared(parsed(old), parsed(new)).changes:
        for span in change.spans:
            if span.change:
                counts = inserted if span.change is TextChange.INSERTED else deleted
                counts.update(words(span.text))
    assert (inserted - deleted, deleted - inserted) == expected


def table(*rows):
    cells = ("".join(f"<tc>{cell}</tc>" for cell in row) for row in rows)
    return f"<tbl>{''.join(f'<tr>{row}</tr>' for row in cells)}</tbl>"


ROWS = [("Item", "Price"), ("Valve", "12"), ("Pipe and fittings", "14")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "<p style='Heading1'>1. Fees</p>" + table(*ROWS),
            "<p style='Heading1'>1. Fees</p>" + table(*ROWS[:2], ("Pipe and fittings", "15")),
            ["changed  1. Fees, p. 1, ¶ 2, row 3: Pipe and fittings | [-14-]{+15+}"],
        ),
        ("<p>One.</p><p>Two.</p>", "<p>One.</p>", ["removed  p. 1, ¶ 2 (old version): Two."]),
    ],
)
def test_places_have_pages_paragraphs_and_rows(old, new, expected):
    assert [line.replace("about ", "") for line in lines(parsed(old), parsed(new))] == expected


def note(kind, text, **fields):
    return Note(NoteKind(kind), "1", "1", text, **fields)


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (
            {"notes": (note("header", "Draft of May"),)},
            {"notes": (note("header", "Draft of June"),)},
            "changed  page header: Draft of [-May-]{+June+}",
        ),
        (
            {"notes": (note("footer", "One\nTwo"), note("footer", "Two"))},
            {"notes": (note("footer", "One\nTwo"), note("footer", "Four"))},
            "removed  page footer 2 (old version): Two",
        ),
        (
            {"notes": ()},
            {"notes": (note("comment", "Why?", author="A. Smith"),)},
            "added  comment by A. Smith: Why?",
        ),
        (
            {"notes": (note("footnote", "See May", block_id="b"),)},
            {"notes": (note("footnote", "See June", block_id="b"),)},
            "changed  note 1: See [-May-]{+June+}",
        ),
        (
            {"notes": (note("header", '<drawing id="im-1" format="png" path="a/b" /> Of May'),)},
            {"notes": (note("header", '<drawing id="im-2" format="png" path="b/b" /> Of June'),)},
            "changed  page header: Of [-May-]{+June+}",
        ),
        (
            {"notes": (note("footer", '<table id="t" format="json">[["a","b"]]</table>'),)},
            {"notes": (note("footer", '<table id="t" format="json">[["a","c"]]</table>'),)},
            "changed  page footer: a | [-b-]{+c+}",
        ),
        ({"title": "A lease"}, {"title": "A new lease"}, "changed  title: A {+new+} lease"),
    ],
)
def test_what_is_not_in_the_text_is_compared(before, after, line):
    old, new = (
        Document("a.docx", "docx", "doc", **{"title": "", "blocks": (), **side})
        for side in (before, after)
    )
    assert lines(old, new)[0] == line


def test_comments_are_compared_wherever_they_are():
    mark = '<commentRangeStart id="{0}"/>x<commentRangeEnd id="{0}"/><comment-mark id="{0}"/>'

    def version(word, *marked):
        comments = "".join(
            f'<comment id="{each}" author="A"><p>Comment {each} {word}</p></comment>'
            for each in range(4)
        )
        header, note, text = (mark.format(each) if each in marked else "x" for each in range(3))
        return parsed(
            f"<header><p>{header}</p></header><footnotes><footnote id='2'><p>{note}</p></footnote>"
            f"</footnotes><p>{text}<footnoteReference id='2'/></p><comments>{comments}</comments>"
        )

    old, new = version("may", 0, 1, 2), version("june", 0, 1, 2)
    assert sorted(lines(old, new)) == [
        f"changed  comment by A{place}: Comment {number} [-may-]{{+june+}}"
        for place, number in (
            (" on about p. 1, ¶ 1", 1),
            (" on about p. 1, ¶ 1", 2),
            (" on header", 0),
            ("", 3),
        )
    ]
    assert compared(old, new).not_compared == (
        *("whether comments are resolved", "formatting", "pictures"),
    )
    assert compared(version("may"), version("may", 0, 1)).is_same  # marks are no words


def test_a_number_alone_is_no_change_of_the_words():
    old, new = (parsed(f"<p>{n}.1 Pay at once.</p>") for n in (1, 2))
    comparison = compared(old, new)
    assert (comparison.changes, len(comparison.renumbered)) == ((), 1)
    assert not comparison.is_same


def test_a_typed_number_of_a_changed_place_is_a_word():
    old, new = parsed("<p>(a) Pay at once, and in full.</p>"), parsed("<p>Pay once, in full.</p>")
    assert lines(old, new) == [
        "changed  about p. 1, ¶ 1: [-(a)-] Pay [-at-] once, [-and-] in full."
    ]


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ("<p>{}<r><br/></r>more</p>", "about p. 1, ¶ 1"),
        ("<p>{} changes</p>", "about p. 1, ¶ 1"),
    ],
)
def test_the_changed_address_of_a_link_is_shown_once(pattern, place):
    link = '<hyperlink href="https://{}.example/">The site</hyperlink>'
    old, new, text = (
        pattern.format(each) for each in (link.format("a"), link.format("b"), "The site")
    )
    change = "https://[-a-]{+b+}.example/"
    assert lines(parsed(old), parsed(new)) == [f"changed  link in {place}: {change}"]
    assert lines(parsed(old), parsed(old)) == []
    (added,) = lines(parsed(text), parsed(new))
    assert added == f"changed  link in {place}: {{+https://b.example/+}}"
    table = "<tbl><tr><tc>x</tc><tc>y</tc></tr></tbl>"
    assert "addresses of links in tables" in compared(parsed(table), parsed(old)).not_compared
    contents = '<p><hyperlink anchor="_Toc{}">One</hyperlink></p>'
    assert lines(parsed(contents.format(1)), parsed(contents.format(2))) == []


def test_what_is_not_compared_is_named():
    plain = api.parse(docx("<p>One <del>two</del>.</p>"), options=ParseOptions())
    assert compared(plain, plain).not_compared == (
        "comments",
        "deleted text of tracked changes",
        "page headers and footers",
        "formatting",
        "pictures",
    )
    assert compared(parsed("<p>One.</p>"), parsed("<p>One.</p>")).not_compared == (
        "formatting",
        "pictures",
    )


def test_a_version_that_does_not_exist():
    with pytest.raises(MissingFileError, match="does not exist"):
        compare("nothing.docx", parsed("<p>One.</p>"))


def test_chunks_without_their_document_are_compared_by_their_text():
    old = parsed("<p>Pay ten pounds at once. Keep the garden tidy.</p>")
    new = parsed("<p>Pay twenty pounds at once. Keep the garden tidy.</p>")
    chunks = [docxchunk.chunk(each, max_tokens=64) for each in (old, new)]
    (change,) = compared(*map(document_of_chunks, chunks)).changes
    assert [span.text.strip() for span in change.spans if span.change] == ["ten", "twenty"]
