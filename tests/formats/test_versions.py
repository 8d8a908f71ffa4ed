"""Word-level differences between two versions of a document."""

from __future__ import annotations

import pytest
from docx_builder import docx
from lxml import html as lxml_html

from docxchunk import api
from docxchunk.formats.report.differences import DiffSpan, PlaceChange
from docxchunk.formats.report.versions import UnchangedChunks, html_diff, passages
from docxchunk.formats.report.views import TextChange
from docxchunk.model.chunks import Chunk
from docxchunk.retrieval.changes import changed_places

LONG = DiffSpan(TextChange.NONE, f"{'word ' * 1000}end")
NEW = DiffSpan(TextChange.INSERTED, "new ")


@pytest.mark.parametrize(
    ("spans", "shown"),
    [
        ([LONG, NEW], [False, True]),  # nothing is shown before the first and after the last change
        ([NEW, LONG], [True, False]),
        ([NEW, LONG, NEW], [True, True]),
    ],
)
def test_long_text_is_shown_only_beside_a_change(spans, shown):
    cut = [*passages(spans)]
    assert [not cut[0].folded, not cut[-1].folded] == shown
    assert all(passage.text for passage in cut)
    assert "".join(passage.text for passage in cut) == "".join(span.text for span in spans)


@pytest.mark.parametrize(
    ("before", "spans", "sizes"),
    [
        # after the next space, if it is at most thirty characters away
        (299, [NEW], [300, 1699]),
        (300, [NEW], [301, 1698]),
        (329, [NEW], [330, 1669]),
        (330, [NEW], [300, 1699]),
        (1728, [], [1729, 270]),
        (1729, [], [1699, 300]),
    ],
)
def test_long_text_is_cut_between_words_where_it_can_be(before, spans, sizes):
    long = DiffSpan(TextChange.NONE, f"{'x' * before} {'x' * (1998 - before)}")
    cut = [*passages([*spans, long, *([] if spans else [NEW])])]
    assert [len(each.text) for each in cut if each.change is TextChange.NONE] == sizes


@pytest.mark.parametrize(("size", "pieces"), [(1199, 1), (1200, 3)])
def test_text_is_folded_from_four_times_what_is_shown_beside_a_change_on(size, pieces):
    span = DiffSpan(TextChange.NONE, "w" * (size // 2) + " " + "w" * (size - size // 2 - 1))
    assert len([*passages([NEW, span, NEW])]) == 2 + pieces


@pytest.mark.parametrize(
    ("headings", "text"),
    [
        (["A"], "1 chunk unchanged: A"),
        (["A", "B", "C"], "3 chunks unchanged: A … C"),
        (["A [part 1]", "A [part 1]"], "2 chunks unchanged: A [part 1]"),
    ],
)
def test_unchanged_chunks_are_named_by_the_first_and_the_last(headings, text):
    chunks = (Chunk(1, "", 0, each, (), 1, "c0", "doc", (), "", (), ()) for each in headings)
    assert UnchangedChunks(tuple(chunks)).text == text


def page_of(chunks, old, new):
    changes = api.diff(*chunks).chunks
    return html_diff(changes, changed_places(changes), old, new)


def changed(old, new, **options):
    chunks = [
        api.chunk(api.parse(docx(content), doc_id="doc-1"), **options) for content in (old, new)
    ]
    return lxml_html.document_fromstring(page_of(chunks, "old.docx", "new.docx"))


def paragraphs(*texts):
    return "".join(f"<p style='Heading1'>{text[:9]}</p><p>{text}</p>" for text in texts)


def test_only_what_changed_is_shown():
    long = "Nothing of this is changed at all. " * 60
    page = changed(
        paragraphs(f"Chapter 1 {long}", f"Chapter 2 costs 90 pounds. {long}"),
        paragraphs(f"Chapter 1 {long}", f"Chapter 2 costs 70 pounds. {long}"),
    )
    assert page.xpath("//article//del/text() | //article//ins/text()") == ["90 ", "70 "]
    assert page.xpath("string(//p[@class='facts'])").startswith(
        "1 word inserted, 1 deleted · 1 chunk changed"
    )
    hidden = page.xpath("//article//details[@class='far']")
    assert hidden
    assert all(
        text.endswith((" ", "\n"))
        for details in hidden
        for text in details.xpath("preceding-sibling::text()[1]")
    ), "cut between words"


@pytest.mark.parametrize("span", ["", ' span="2"'])
def test_tables_are_shown_row_by_row_without_markup(span):
    rest = "" if span else "<tc>Size</tc>"
    old, new = (
        f"<tbl><tr><tc{span}>Rooms &amp; "
        f"halls</tc>{rest}</tr><tr><tc>Hall</tc><tc><p>{size} "
        "m²</p><p>bright</p></tc></tr></tbl>"
        for size in (20, 30)
    )
    page = changed(old, new)
    assert page.xpath("string(//article)").split("Rooms", 1)[1].replace("20 ", "").split("\n")[
        :2
    ] == [
        f" & halls{'' if span else ' | Size'}",
        "Hall | 30 m² bright",
    ]
    assert page.xpath("//article//del/text() | //article//ins/text()") == ["20 ", "30 "]


def test_text_that_moved_over_a_boundary_is_not_changed():
    words = [f"Sentence {number} has its own words." for number in range(60)]
    old, new = (
        f"<p style='Heading1'>A</p>{''.join(f'<p>{line}</p>' for line in lines)}"
        for lines in (words, ["A new first line.", *words])
    )
    page = changed(old, new, max_tokens=64, overlap=0)
    assert page.xpath("//article//del") == []
    assert [change.text_content() for change in page.xpath("//article//ins")] == [
        "A new first line.\n"
    ]


@pytest.mark.parametrize(
    ("new", "label"),
    [
        ("<p>one two</p><p>three</p>", "text unchanged, chunk boundary moved"),
        ("<p>one two</p><p>, three</p>", "changed"),
    ],
)
def test_a_new_line_break_is_no_change_of_the_text(new, label):
    heading = "<p style='Heading1'>A</p>"
    page = changed(f"{heading}<p>one two three</p>", heading + new)
    assert label in page.xpath("//article")[0].text_content().splitlines()


def test_the_list_of_changes_names_the_places_and_leads_to_them():
    old, new = (
        paragraphs("Apples. 1.1 Red.", "Berries are blue.")
        + f"<p style='Heading1'>4. Fees</p><p>4.1 Nothing.</p><p>4.2 Pay {sum_} pounds.</p>{rest}"
        for sum_, rest in (("ten", ""), ("nine", "<p>4.3 And never more.</p>"))
    )
    page = changed(old, new)
    links = page.xpath("//nav//li/a")
    assert [link.text_content() for link in links] == [
        "4. Fees > 4.2 changed",
        "4. Fees > 4.3 added",
    ]
    for link in links:
        assert page.xpath(f"//article[@id='{link.get('href')[1:]}']//ins")
    assert "4. Fees" in page.xpath("string(//article)")
    assert "#" not in page.xpath("string(//article)")


def test_facts_name_only_what_there_is():
    page = changed(paragraphs("Apples are red."), paragraphs("Apples are green."))
    facts = page.xpath("string(//p[@class='facts'])")
    assert " ".join(facts.split()) == "1 word inserted, 1 deleted · 1 chunk changed"


def test_removed_and_moved_chunks():
    a, b, c = (
        f"{name} text. " + f"These words are those of {name}. " * 60
        for name in ("Apple", "Berry", "Cherry")
    )
    page = changed(paragraphs(a, b, c), paragraphs(c, a), max_tokens=300)
    kinds = [said.text_content() for said in page.xpath("//article/header/p")]
    assert "text unchanged, position moved" in kinds
    assert "removed" in kinds
    assert "added" not in kinds
    assert page.xpath("//article/@id") == ["new-1", "new-2", "old-3", "old-4"]
    assert "Berry text." in page.xpath("string(//article[contains(@class, 'removed')]//del)")


def test_a_chunk_of_new_text_is_added_and_one_that_also_has_old_text_is_changed():
    filled = [f"{name} has words. " + f"These are words of {name}. " * 60 for name in "ABC"]
    page = changed(paragraphs(*filled[:2]), paragraphs(*filled), max_tokens=300)
    kinds = [said.text_content() for said in page.xpath("//article/header/p")]
    assert kinds[-2:] == ["changed", "added"]
    facts = page.xpath("string(//p[@class='facts'])")
    assert facts.split(" · ")[-2:] == ["1 chunk changed", "1 chunk added"]


def chunks_of(*texts):
    """Return chunks with these texts, numbered from 0."""
    return [
        Chunk(1, text, n, "A", (), 1, f"{text}-{n}", "doc", (), "", (), ())
        for n, text in enumerate(texts)
    ]


def test_all_inserted_and_deleted_words_are_counted():
    [old], [new] = chunks_of("one two three four five"), chunks_of("one 2 three 4 b five six")
    page = lxml_html.document_fromstring(html_diff([("changed", old, new)], (), "a", "b"))
    assert page.xpath("string(//p[@class='facts'])") == (
        "4 words inserted, 2 deleted · 1 chunk changed"
    )


def test_removed_text_is_where_it_was():
    """The removed chunks are the last changes, and the text of the old version is in its order."""
    [first, second], [new] = (
        chunks_of("Gone.", "These are kept: one."),
        chunks_of("These are kept: 1."),
    )
    changes = [("changed", second, new), ("removed", first, None)]
    page = lxml_html.document_fromstring(html_diff(changes, (), "a", "b"))
    [text] = page.xpath("//article/div[@class='text']")
    assert text.text_content().strip() == "Gone.\nThese are kept: one1."
    assert page.xpath("//article/@id") == ["new-1"]


def test_a_change_between_unchanged_chunks_is_listed_by_the_place_of_the_new_text():
    olds, news = chunks_of("A", "B", "C"), chunks_of("A", "b", "C")
    kinds = ("unchanged", "changed", "unchanged")
    places = [
        PlaceChange(kind, f"{kind} {n}", chunk, ())
        for kind, n, chunk in (
            *(("changed", 2, news[1]), ("removed", 2, olds[1])),
            *(("added", 1, news[0]), ("renumbered", 3, news[2])),
        )
    ]
    page = lxml_html.document_fromstring(
        html_diff([*zip(kinds, olds, news, strict=True)], places, "a", "b")
    )
    links = [(link.text_content(), link.get("href")) for link in page.xpath("//nav//li/a")]
    assert links == [
        *(("changed 2 changed", "#new-2"), ("removed 2 removed", "#new-2")),
        ("added 1 added", "#chunks"),
    ]
    assert page.xpath("//p[@class='same']/text()") == ["1 chunk unchanged: A"] * 2


HOSTILE = (
    """</script><script>alert(1)</script><img src=x onerror=alert(2)> "' onmouseover=alert(3)"""
)


def test_hostile_text_does_nothing():
    text = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    chunks = [
        api.chunk(
            api.parse(docx(f"<p style='Heading1'>{text}</p><p>{text} {word}</p>"), doc_id="doc-1")
        )
        for word in ("one", "two")
    ]
    page = lxml_html.document_fromstring(page_of(chunks, HOSTILE, HOSTILE))
    assert len(page.xpath("//script")) == 1
    assert page.xpath("//img | //*[@onerror] | //*[@onmouseover] | //*[@style] | //link") == []
    assert page.xpath("//h1")[0].text_content() == f"{HOSTILE} → {HOSTILE}"
