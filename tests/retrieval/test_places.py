"""The names of places: numbers as the document prints them, headings, paths, citations."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, product
from pathlib import Path
from string import ascii_lowercase

import pytest
from case_files import each_number, each_row, each_text, or_none, yes
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.language.labels import normal
from docxchunk.model.blocks import Block, Line, LineKind, SessionType
from docxchunk.model.options import ParseOptions
from docxchunk.ooxml.number_formats import lower_roman
from docxchunk.retrieval.finding.links import References, references
from docxchunk.retrieval.finding.names import NamedPlaces
from docxchunk.retrieval.finding.numbers import (
    ItemNumbers,
    is_number_alone,
    own_number,
    typed_number,
)
from docxchunk.retrieval.finding.passages import CitedPlaces
from docxchunk.retrieval.reading import Reader

DOCUMENTS = Path(__file__).parents[2] / "fixtures" / "documents"


def full_numbers(labels: list[str]) -> list[str]:
    numbers = ItemNumbers("")
    return [
        numbers.number_of(label, numbers.depth_of(label, labels[at:]))
        for at, label in enumerate(labels, 1)
    ]


def section_names(places):
    return [*map(places.section_name, range(len(places.blocks)))]


def heading(text: str, level: int = 1) -> str:
    return f"<p style='Heading{level}'>{text}</p>"


def line(text: str) -> str:
    return f"<p>{text}</p>"


def places_of(*xml: str) -> NamedPlaces:
    return NamedPlaces(api.parse(docx("".join(xml)), name="x.docx"))


def references_of(places: NamedPlaces, name: str) -> References:
    return references(CitedPlaces(places.document), places.resolved(name), 20)


def text_at(places: NamedPlaces, name: str) -> str:
    return places.all[places.resolved(name)].text


TYPED = (
    heading("1. Terms"),
    line("1.1 The Supplier shall:"),
    line("(a) deliver:"),
    *map(line, ("(i) pipes; and", "(ii) valves;", "(iii) taps;")),
    line("(b) repair."),
    *map(line, (f"({letter}) item {letter}." for letter in "cdefgh")),
    line("(i) the ninth."),
    line("(j) the tenth."),
    line("1.2 The Buyer pays."),
    line("(a) at once."),
    heading("Article 2 bis Delay"),
    line("1. First."),
    line("2. Second."),
    heading("Article 3 Law"),
    heading("Article 3¹ Costs"),
    heading("Article 31 Court"),
    heading("Annex B Prices"),
    heading("B.1 Pipes", 2),
)


@pytest.fixture(scope="module")
def typed():
    return places_of(*TYPED)


@each_row("retrieval")
def test_a_typed_number_is_a_name(typed, name, text):
    assert text_at(typed, name) == text


LAW = (
    *map(line, ("(1) Trade needs peace.", "(2) Trade needs prices.")),
    heading("1. Scope"),
    line("2.1 A first clause."),
    heading("§ 2 Preis"),
    *map(line, ("(1) Der Preis ist fällig.", "(2) Der Käufer trägt:", "a) Fracht;", "aa) Maut;")),
    line("1. Zoll."),
    heading("第二条 交付"),
    *map(line, ("卖方交付。", "买方验收：", "（一）外观；", "（二）运行。")),
    heading("第三条 价款"),
    *map(line, ("3.1 价款。", "3.2 支付：", "（二）现金。")),
    heading("Article 4 Notice"),
    heading("Form", 2),
    *map(line, ("1. In writing.", "2. In time:", "(a) at once; or", "(b) soon.")),
    heading("Schedule 1 Pipes"),
    *map(line, ("1. Kinds:", "2.1 Pipes are marked.", "2.3 Taps are shut.")),
    heading("Schedule 2 Tanks"),
    *map(
        line,
        (
            "2.1 Tanks are painted.",
            "2.2 Lids are shut.",
            "2.3 Lids are round.",
            "4.2 Tanks are round.",
        ),
    ),
)


@pytest.fixture(scope="module")
def law() -> NamedPlaces:
    return places_of(*LAW)


@each_row("retrieval")
def test_a_label_of_several_steps_is_a_name(law, name, text):
    assert text_at(law, name) == text


@each_row("retrieval")
def test_a_label_without_a_place_is_refused(law, name):
    with pytest.raises(UsageError, match="has no section or clause"):
        law.resolved(name)


@each_row("retrieval", texts=each_text)
def test_a_paragraph_without_number_has_its_items(name, texts):
    lines = "报酬，包括：", "费用：", "（一）差旅费：", "1. 车费；", "（二）邮费。"
    places = places_of(heading("第五条"), *map(line, lines))
    assert [places.all[index].text for index in places.in_path(name)] == texts


@pytest.mark.parametrize(("name", "places"), [("paragraph 2.1", 3), ("Clause 2.3", 2)])
def test_a_label_of_several_places_is_refused(law, name, places):
    with pytest.raises(UsageError, match=f"is the name of {places} places"):
        law.resolved(name)


def test_a_citation_of_one_paragraph_means_the_items_below_it_too(typed):
    assert typed.region_of("[x.docx, 1. Terms, ¶ 3]") == typed.region_of("1.1(a)") == range(2, 6)


@pytest.mark.parametrize(
    ("name", "last"),
    [("1.1(a)", "(iii) taps;"), ("1.1(b)", "(b) repair."), ("1.1", "(j) the tenth.")],
)
def test_an_item_has_the_items_below_it(typed, name, last):
    region = typed.region(typed.resolved(name))
    assert typed.all[region.stop - 1].text == last


@each_row("retrieval")
def test_what_has_no_name_is_refused(typed, name):
    with pytest.raises(UsageError, match="has no section or clause"):
        typed.resolved(name)
    assert typed.named("Annex B" + ", 1" * 3000) == []


@pytest.mark.parametrize(
    "text",
    ["3 apples", "2.1 million people live here", "Section 5 applies", "A. Smith said", "2.1\t17"],
)
def test_a_sentence_is_no_clause(text):
    assert places_of(heading("Aims"), line(text)).all[1].number == ""


@each_row("retrieval")
def test_the_number_of_a_clause_is_told_from_words_and_amounts(text, number):
    assert typed_number(text) == number


@each_row("retrieval")
def test_an_item_goes_on_with_a_list_or_begins_one_in_the_item_before_it(labels, full):
    assert " ".join(number or "-" for number in full_numbers(labels.split())) == full


def test_the_letters_go_on_after_roman_numbers_below_one_of_them():
    """One Roman number below (h) or (i) is left out: "(h) (i) (i)" can be read in two ways."""
    letters = [f"({letter})" for letter in ascii_lowercase]
    romans = [f"({lower_roman(value)})" for value in range(1, 21)]
    for at, below in product(range(1, 27), range(21)):
        if below == 1 and letters[at - 1] in ("(h)", "(i)"):
            continue
        labels = [*letters[:at], *romans[:below], *letters[at:]]
        of_romans = [f"{letters[at - 1]}{label}" for label in romans[:below]]
        assert full_numbers(labels) == [*letters[:at], *of_romans, *letters[at:]]


def test_a_bullet_has_no_number_and_the_items_below_it_have_the_number_of_the_heading():
    numbers = ItemNumbers("8")
    items = (("•", 1), ("(a)", 2), ("-", 3), ("1.", 4), ("(b)", 2))
    assert [numbers.number_of(*item) for item in items] == ["", "8(a)", "", "8(a)(1)", "8(b)"]


@each_row("retrieval")
def test_items_of_a_list_of_their_own_are_below_the_clause_before_them(items, numbers):
    each = ItemNumbers("1")
    full = []
    for item in items.split():
        label, _, depth = item.partition(":")
        full.append(each.number_of(label, each.depth_in_list(label, int(depth))))
    assert full == numbers.split()


@each_row("retrieval")
def test_what_separates_a_label_from_its_text_is_no_part_of_the_number(label, number):
    numbers = ItemNumbers("4")
    assert numbers.number_of(label, 1) == number
    assert numbers.number_of("(a)", 2) == f"{number}(a)"


def test_a_list_in_a_list_has_eight_levels_at_most():
    labels = "(a) 1. (i) (1) a) 1) i) [1] [a] [i]".split()
    numbers = ItemNumbers("8.2")
    depths = []
    for label in labels:
        depths.append(numbers.depth_of(label))
        numbers.number_of(label, depths[-1])
    assert depths == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]


def test_a_list_that_begins_again_is_not_deeper():
    places = places_of(heading("1. Terms"), *map(line, ["(a) x.", "(b) y."] * 20))
    assert {place.number for place in places.all} == {"1", "1(a)", "1(b)"}
    same = places_of(heading("1. Terms"), *[line("(a) x.")] * 20)
    assert {place.number for place in same.all} == {"1", "1(a)"}


def test_references_find_inserted_articles():
    places = places_of(
        heading("Article 2 bis Delay"),
        line("See Articles 3 and 4, the section on law, and a clause I like."),
        heading("Article 3 Law"),
        line("Article 2 bis applies, also § 9."),
        heading("第一百三十三条之一 规定"),
        heading("第二条 附则"),
        line("依照第一百三十三条之一的规定。"),
    )
    named = {name: references_of(places, name) for name in ("2 bis", "3", "第二条")}
    assert [passage.text for passage in named["2 bis"].to] == ["Article 3 Law"]
    assert (named["2 bis"].unresolved, named["3"].unresolved) == (("4",), ("9",))
    assert [passage.text for passage in named["3"].to] == ["Article 2 bis Delay"]
    assert [passage.number for passage in named["第二条"].to] == ["第一百三十三条之一"]


CHINESE = (
    heading("第一章 总则"),
    *(heading(f"第{number}条 规定", 2) for number in ("一百三十三", "一百三十四")),
    heading("第一百三十三条之一 新规定", 2),
    heading("第二章 附则"),
)


@pytest.mark.parametrize("name", ["第一百三十三条之一", "第一百三十三条", "第二章"])
def test_chinese_numbers(name):
    assert text_at(places_of(*CHINESE), name).startswith(f"{name} ")


@each_row("retrieval")
def test_chinese_numbers_in_other_words(name, text):
    places = places_of(*CHINESE)
    assert [places.all[index].text for index in places.named(name)] == ([text] if text else [])


BYLAWS = (
    *(heading("ARTICLE III Members"), heading("Section 1. Classes", 2), line("(c) One class.")),
    *(heading("Section 3. Dues", 2), heading("ARTICLE IV Meetings")),
    *(heading("Section 1. Place", 2), heading("ARTICLE C Law"), heading("ARTICLE V Seal")),
    *(heading("Article 5 Notice"), heading("Annex I Forms")),
)


@each_row("retrieval", texts=each_text)
def test_an_article_with_a_roman_number_is_found_by_its_value(name, texts):
    places = places_of(*BYLAWS)
    assert [places.all[index].text for index in places.named(name)] == texts


def test_what_to_give_for_an_ambiguous_name_is_a_name_of_one_place():
    places = places_of(
        heading("1. Terms"), line("(a) pipes."), line("Or:"), line("(a) valves."), *TWICE
    )
    for name, shown in (("1(a)", "(a) valves."), ("1.1", "Sale > 1. Price > 1.1 Amount")):
        with pytest.raises(UsageError, match=r"is the name of 2 places in x\.docx") as error:
            places.resolved(name)
        assert str(error.value).endswith(f" ({shown}).")
        for index in places.named(name):
            assert f" {places.name(index)!r} (" in str(error.value)
            assert places.resolved(places.name(index)) == index


def test_sections_of_one_level_are_below_the_number_that_theirs_begins_with():
    places = places_of(*map(heading, ("1. A", "1.1 B", "(a) C", "(b) D", "1.2 E", "2. F")))
    assert places.parents == [-1, 0, 1, 1, 0, -1]
    assert places.numbers == ["1", "1.1", "1.1(a)", "1.1(b)", "1.2", "2"]
    assert [places.all[index].text for index in places.region(places.resolved("1.1"))] == [
        "1.1 B",
        "(a) C",
        "(b) D",
    ]


@pytest.mark.parametrize(
    ("titles", "parents", "numbers"),
    [
        (("Rent", "(a) Pay", "(b) Ask"), [-1, -1, -1], ["", "(a)", "(b)"]),
        (("1. Rent", "art. 5 Law"), [-1, -1], ["1", "art. 5"]),
        (("4. Rent", "4.2 Pay", "4.20 Ask"), [-1, 0, 0], ["4", "4.2", "4.20"]),
        (("4.2 Rent", "4.20 Pay"), [-1, -1], ["4.2", "4.20"]),
        (("1. Rent", "## Delay", "### (a) Pay"), [-1, 0, 1], ["1", "", "1(a)"]),
        (("## 1.1 Rent", "2. Law", "## (a) Pay"), [-1, -1, 1], ["1.1", "2", "2(a)"]),
        (("1. Rent", "## Delay", "## Pay", "2. Law"), [-1, 0, 0, -1], ["1", "", "", "2"]),
    ],
)
def test_a_section_is_below_one_of_a_higher_level_or_by_its_number(titles, parents, numbers):
    levels = [max(title.count("#"), 1) for title in titles]
    places = places_of(*map(heading, (title.lstrip("# ") for title in titles), levels))
    assert (places.parents, places.numbers) == (parents, numbers)


def test_the_path_of_a_clause_without_title_ends_with_its_number():
    places = places_of(
        *(heading("2. Duties"), heading("2.1", 2), line("The Supplier pays."), line("(a) Cash.")),
        *(heading("2.2", 2), line("The Buyer pays."), heading("Costs", 2), line("1. Rent.")),
    )
    assert [" > ".join(places.path(place)) for place in places.all] == [
        *("2. Duties", "2. Duties > 2.1", "2. Duties > 2.1", "2. Duties > 2.1(a)"),
        *("2. Duties > 2.2", "2. Duties > 2.2"),
        *("2. Duties > Costs", "2. Duties > Costs > 1"),
    ]


def test_the_name_of_a_section_is_its_number_as_it_is_printed_or_its_heading():
    sections = (
        ("1. Rent", 1, "1", "1", "1. Rent"),
        ("(a) Cash:", 2, "1(a)", "1(a)", "1(a) Cash"),
        ("(b)", 2, "1(b)", "1(b)", "1(b)"),
        ("2. Pay.", 2, "1(2)", "2. Pay.", "2. Pay"),
        ("3.", 2, "1(3)", "1(3)", "1(3)"),
        (".NET and more.", 1, "", ".NET and more.", ".NET and more"),
        ("4.", 1, "4", "4", "4"),
    )
    places = places_of(*(heading(text, level) for text, level, *_ in sections))
    assert [
        (places.numbers[each], places.section_name(each), places.title(each)) for each in range(7)
    ] == [(number, name, title) for _, _, number, name, title in sections]


@each_row("retrieval", number=or_none, is_alone=yes)
def test_the_own_number_of_a_heading_which_may_have_no_other_words(heading, number, own, is_alone):
    block = Block("b", heading, heading, (), 1, number=number)
    assert (own_number(block), is_number_alone(block)) == (own, is_alone)


def test_the_path_of_a_region_goes_from_its_first_through_its_last_number_or_heading():
    places = places_of(
        *(heading("Rent"), line("Due monthly."), heading("1. Law"), line("1.1 German law.")),
        *(heading("Costs"), line("None.")),
    )
    assert [places.path_of(range(1, end)) for end in range(2, 7)] == [
        "Rent",
        "Rent through 1. Law",
        "Rent through 1. Law > 1.1",
        "Rent through Costs",
        "Rent through Costs",
    ]


def test_the_path_of_a_region_goes_through_a_number_only_if_it_is_not_below_its_first():
    places = places_of(
        *(heading("1. Law"), line("Of Norway:"), line("1.1 It applies:"), line("(a) here;")),
        *(line("(b) there."), line("1.2 It ends."), line("At once.")),
    )
    for first, end, path in (
        (1, 4, "1. Law"),
        (0, 7, "1. Law"),
        (2, 5, "1. Law > 1.1"),
        (3, 5, "1. Law > 1.1(a) through 1.1(b)"),
        (2, 6, "1. Law > 1.1 through 1.2"),
        (2, 7, "1. Law > 1.1 through 1.2"),
        (6, 7, "1. Law"),
    ):
        assert places.path_of(range(first, end)) == path
        assert first in places.region_of(f"[x.docx, {path}, p. 1]")
    assert places.region_of("[x.docx, 1. Law > 1.1 through 1.2]") == range(2, 7)
    assert places.region_of("1. Law > 1.1(a) through 1.1(b), p. 1") == range(3, 5)


def test_the_path_of_a_region_from_a_number_through_the_same_number_has_it_twice():
    lines = (line("(a) Pipes."), line("Or:"), line("(a) Valves."))
    assert places_of(*lines).path_of(range(3)) == "(a) through (a)"
    assert places_of(heading("Rent"), *lines).path_of(range(1, 4)) == "Rent > (a) through (a)"


@each_row("retrieval", found=each_number)
def test_the_places_of_a_path_are_those_of_its_sections_from_the_first_through_the_last(
    path, found
):
    places = places_of(
        *(heading("1. Law"), line("1.1 It applies."), line("1.2 It ends."), line("At once.")),
        *(heading("2 Costs"), line("None."), heading("Once through Town"), line("By car.")),
    )
    assert places.in_path(path) == found


@pytest.mark.parametrize("name", ["", "…", " ", "."])
def test_no_words_are_no_name_of_a_heading(name):
    assert places_of(heading("(Rent)"), heading("Law")).named(name) == []


def test_text_before_the_first_heading_has_nothing_below_it():
    places = places_of(line("A preamble."), line("(a) An item."), heading("Aims"))
    assert places.region(places.resolved("#1")) == range(1)
    assert [places.path(place) for place in places.all] == [[], ["(a)"], ["Aims"]]
    assert (places.path_of(range(3)), places.path_of(range(2))) == ("Aims", "")
    assert places.path_of(range(1, 3)) == "(a) through Aims"


TWICE = (
    heading("Lease"),
    heading("1. Rent", 2),
    heading("1.1 Amount", 3),
    heading("Sale"),
    heading("1. Price", 2),
    heading("1.1 Amount", 3),
)


def test_the_beginning_of_an_id_is_a_name(typed):
    for number, block in enumerate(typed.blocks):
        assert typed.resolved(block.id) == typed.heads[number]
        assert typed.resolved(block.id[:-1]) == typed.heads[number]
        assert typed.named(block.id[-6:]) == typed.named(block.id[:3]) == []
        assert typed.heads[number] in typed.named(block.id[:4])


def test_a_number_of_two_sections_needs_more():
    places = places_of(*TWICE)
    assert section_names(places) == ["Lease", "1. Rent", "#3", "Sale", "1. Price", "#6"]
    with pytest.raises(UsageError) as error:
        places.resolved("1.1")
    assert str(error.value) == (
        "'1.1' is the name of 2 places in x.docx: give one of '#3' (Lease > 1. Rent > 1.1 Amount), "
        "'#6' (Sale > 1. Price > 1.1 Amount)."
    )
    assert places.resolved("Sale > 1.1") == places.resolved("Price > Amount") == 5
    assert places.resolved("#3") == 2


def test_a_part_of_the_same_level_is_a_path_too():
    titles = ("Lease", "1. Rent", "Sale", "1. Price", "Gift", "1. Thing")
    places = places_of(*map(heading, titles))
    assert [places.named(f"{part} > 1") for part in titles[::2]] == [[1], [3], [5]]


def test_a_heading_that_reads_like_a_citation_is_a_name_of_its_section():
    title = "Rent through Law, p. 1"
    places = places_of(heading("Rent"), line("Ten."), heading("Law"), heading(title), line("None."))
    assert places.region_of(title) == range(3, 5)
    assert places.region_of("Rent through Law, p. 2") == range(3)


@pytest.mark.parametrize("part", ["{}, p. 3", "x.docx, {}", "[{}, ¶ 3]", "7 > {}, p. 3"])
def test_the_parts_of_a_citation_are_no_citations(part: str, monkeypatch: pytest.MonkeyPatch):
    """The places of n names between "through" are looked up n² times, not 2ⁿ times."""
    places, parts = places_of(heading("1. Rent"), line("Ten."), heading("2. Law")), 40
    lookups, candidates = count(), type(places)._candidates

    def counted(own: NamedPlaces, name: str) -> list[int]:
        assert next(lookups) < 2 * parts**2
        return candidates(own, name)

    monkeypatch.setattr(type(places), "_candidates", counted)
    places.named(" through ".join(map(part.format, range(1, parts + 1))) + ", p. 3")
    assert next(lookups) > parts


def test_a_number_of_a_section_and_of_an_item_means_the_section():
    places = places_of(
        *(heading("Notes"), line("1. An item."), heading("1. Rent"), heading("2. Law")),
        line("See Section 1."),
    )
    assert [places.all[index].text for index in places.named("1")] == ["1. An item.", "1. Rent"]
    assert text_at(places, "1") == "1. Rent"
    assert section_names(places) == ["Notes", "1", "2"]
    assert [passage.text for passage in references_of(places, "2").to] == ["1. Rent"]


def test_of_sections_with_one_number_a_reference_means_that_with_its_title():
    places = places_of(
        *(heading("3. Privacy"), line("Data."), heading("4. Survival")),
        *(line("Section 3 (Privacy) survives, and Section 3."), heading("3. Models")),
    )
    survival = references_of(places, "4")
    assert [passage.text for passage in survival.to] == ["3. Privacy"]
    assert survival.unresolved == ("3",)
    assert [len(references_of(places, name).by) for name in ("Privacy", "Models")] == [1, 0]


def test_a_title_that_was_cut_names_all_that_begin_so_and_first_words_name_one():
    titles = ("Prices of valves", "Terms of payment", "Law", "Prices of pipes")
    places = places_of(*map(heading, titles))
    assert places.named("Prices of …") == [0, 3]
    with pytest.raises(UsageError, match=r"give one of 'Prices of valves', 'Prices of pipes'\.$"):
        places.resolved("Prices of …")
    assert places.named("terms of") == [1]
    for name in ("Prices of", "Prices of pip", "Prices of pip …"):
        assert places.named(name) == []


def test_each_character_of_a_line_is_at_its_place(typed):
    for index, place in enumerate(typed.all):
        assert {typed.at(place.block, at) for at in range(place.start, place.end)} == {index}


def test_the_last_section_is_below_another_one(typed):
    assert [typed.all[index].text for index in typed.region_of("Annex B")] == [
        *("Annex B Prices", "B.1 Pipes")
    ]


def test_blank_lines_are_no_places_and_lines_may_have_no_paragraph_numbers():
    document = api.parse(docx(heading("Rent") + line("Due.")))
    first = replace(document.blocks[0], content="# Rent\n\nIn May.\n \nIn cash.", lines=())
    for lines in ((), (Line(LineKind.HEADING), *[Line(LineKind.TEXT)] * 4)):
        blocks = (replace(first, lines=lines),)
        places = NamedPlaces(replace(document, blocks=blocks))
        assert [place.text for place in places.all] == ["Rent", "In May.", "In cash."]
        assert places.named("¶ 1") == places.named("¶ 2") == []


@pytest.mark.parametrize(
    ("kind", "numbers"), [(SessionType.TOC, ["", ""]), (SessionType.BODY, ["1", "2"])]
)
def test_the_lines_of_a_table_of_contents_have_no_numbers(kind, numbers):
    document = api.parse(docx(line("1. Rent") + line("2. Law")))
    blocks = (replace(document.blocks[0], session_type=kind),)
    places = NamedPlaces(replace(document, blocks=blocks))
    assert [place.number for place in places.all] == numbers


def test_a_typed_line_that_looks_like_a_note_is_a_line_of_its_own():
    places = places_of(heading("Rent"), line("[^1]: Net."), line("Due[^2] monthly."))
    assert places.anchors == {}
    assert places.region_of("¶ 2") == range(1, 2)
    assert places_of(line("Due[^1] monthly."), line("As said in [^1]: Net.")).anchors == {}


def test_a_line_that_begins_like_a_heading_in_markdown_is_text():
    places = places_of(line("# 1 is the best."), heading("Aims"))
    assert [(place.text, place.depth) for place in places.all] == [
        ("# 1 is the best.", 9),
        ("Aims", 0),
    ]


def test_a_line_without_a_number_does_not_end_a_list():
    lines = ("1.1 Pay:", "(a) cash;", "(i) coins;", "As before.", "(ii) notes;", "(b) by card.")
    places = places_of(heading("1. Rent"), *map(line, lines))
    assert [place.number for place in places.all[1:]] == [
        *("1.1", "1.1(a)", "1.1(a)(i)", "", "1.1(a)(ii)", "1.1(b)")
    ]


def test_an_item_of_the_deepest_list_has_the_lines_after_it():
    levels = "".join(f"<level text='({'abcdefghi'[at]}%{at + 1})'/>" for at in range(9))
    places = places_of(
        f"<numbering><list id='1'>{levels}</list></numbering>",
        heading("Rent"),
        *("<p num='1:8'>Pay.</p>", line("In cash."), "<p num='1:8'>Or not.</p>"),
    )
    assert places.all[1].depth == places.all[2].depth
    assert places.region(1) == range(1, 3)


def test_a_line_without_a_number_has_nothing_below_it():
    places = places_of(heading("Rent"), line("Due monthly."), line("In advance."), line("1. Cash."))
    assert places.region_of("¶ 2") == range(1, 2)


def test_a_note_does_not_hide_the_paragraphs_after_its_mark():
    """A note stands below them, but has the number of the paragraph with its mark."""
    texts = ("In advance.", "In cash.")
    places = places_of(
        "<footnotes><footnote id='2'>Net.</footnote></footnotes>",
        heading("Rent"),
        "<p>Due monthly.<fn id='2'/></p>",
        *map(line, texts),
    )
    assert [place.text for place in places.all][-1] == "[^1]: Net."
    assert tuple(text_at(places, name) for name in ("¶ 3", "¶ 4")) == texts


def test_a_citation_of_a_section_means_all_of_it_and_its_notes():
    places = places_of(
        "<footnotes><footnote id='2'>Net.</footnote></footnotes>",
        *(heading("Rent"), "<p>Due monthly.<fn id='2'/></p>", line("In cash."), heading("Law")),
    )
    whole = places.region_of("Rent")
    assert [places.all[index].text for index in whole][-1] == "[^1]: Net."
    assert places.region_of("[x.docx, Rent, p. 1]") == whole
    assert places.region_of("[x.docx, Rent, p. 1, ¶ 2-3]") == range(1, 3)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("1.1(z)", "the nearest are '1.1(j)' and '1.2'."),
        ("90", "its sections go from '1' to 'Article 31'."),
        ("2.5", "the nearest are '1' and 'Article 3'."),
    ],
)
def test_the_numbers_near_one_that_is_unknown_are_full(typed, name, nearest):
    with pytest.raises(UsageError) as error:
        typed.resolved(name)
    assert str(error.value).endswith(f": {nearest}")


@pytest.mark.parametrize(
    ("path", "paragraphs", "texts"),
    [
        ("Rent", (2, 2), ["Due monthly."]),
        ("Rent", (2, 4), ["Due monthly."]),
        ("Rent", (4, 4), ["Rent", "Due monthly."]),  # the path counts more than the paragraphs
        ("Costs", (4, 4), ["Ends in May."]),  # there is no such section
        ("", (1, 2), ["Rent", "Due monthly."]),
        ("Costs", (9, 9), []),
    ],
)
def test_a_citation_names_the_paragraphs_of_its_section_else_the_section(path, paragraphs, texts):
    places = places_of(heading("Rent"), line("Due monthly."), heading("Term"), line("Ends in May."))
    assert [places.all[at].text for at in places.cited(path, [paragraphs])] == texts


def test_items_of_an_automatic_list_are_below_their_section():
    places = places_of(
        '<numbering><list id="1"><level text="%1."/><level format="lowerLetter" text="(%2)"/>'
        "</list></numbering>",
        *(heading("Rent"), "<p num='1:0'>x</p>", "<p num='1:1'>y</p>", "<p num='1:0'>z</p>"),
    )
    assert [(place.number, place.depth) for place in places.all] == [
        ("", 0),
        ("1", 1),
        ("1(a)", 2),
        ("2", 1),
    ]


def test_a_name_ends_with_a_word_of_the_heading():
    places = places_of(heading("Rents of flats"), heading("Costs, and others"))
    assert (places.named("Rent"), places.named("Costs")) == ([], [1])


def test_a_reference_to_a_block_that_is_gone_leads_nowhere():
    document = api.parse(docx(heading("Rent") + line("Due.") + heading("Law")))
    blocks = [replace(block, refers_to=("gone",)) for block in document.blocks]
    places = NamedPlaces(replace(document, blocks=tuple(blocks)))
    assert references_of(places, "Law").to == ()


def test_a_typed_list_in_an_item_does_not_go_on_with_one_before_it():
    """The automatic item (a) came before the item 1, and so it is not above it."""
    places = places_of(
        '<numbering><list id="1"><level text="%1."/><level format="lowerLetter" text="(%2)"/>'
        "</list></numbering>",
        *("<p num='1:1'>x</p>", "<p num='1:0'>y</p>", line("(a) z."), line("(b) z.")),
    )
    assert [place.number for place in places.all] == ["(a)", "2", "2(a)", "2(b)"]


@pytest.mark.parametrize("level", [1, 2])
def test_the_clauses_below_a_marked_title_have_the_number_before_it(level):
    xml = (
        f"<p style='Heading1'>Article {n}</p><p style='Heading{level}'>{title}</p><p>1. {text}</p>"
        for n, title, text in ((1, "Aims", "a"), (2, "Scope", "b"))
    )
    options = ParseOptions(headings="marked")
    places = NamedPlaces(api.parse(docx("".join(xml)), name="x.docx", options=options))
    clause = places.resolved("Article 2(1)")
    assert places.all[clause].text == "1. b"
    assert places.path(places.all[clause]) == ["Scope", "Article 2(1)"]
    assert clause in places.region(places.resolved("Article 2"))
    assert clause not in places.region(places.resolved("Article 1"))


@pytest.mark.parametrize(
    "headings",
    [
        "<p style='Heading1'>Article 2</p><p>Text.</p><p style='Heading1'>Scope</p>",
        "<p style='Heading2'>Article 2</p><p style='Heading1'>Scope</p>",
        "<p style='Heading1'>Article 2 Aims</p><p style='Heading1'>Scope</p>",
        "<p style='Heading1'>Article 2</p><p style='Heading1'>A. Scope</p>",
        "<p style='Heading1'>Aims</p><p style='Heading1'>Scope</p>",
    ],
)
def test_another_heading_after_a_number_is_no_title_of_it(headings):
    places = places_of(f"{headings}<p>1. b</p>")
    assert places.parents == [-1, -1]
    assert "2" not in places.all[-1].number


@pytest.mark.parametrize("name", ["contract.docx", "sample-report.docx", "nested-headings.docx"])
def test_every_section_has_a_name_and_a_path(name):
    places = NamedPlaces(api.parse(DOCUMENTS / name))
    for number, section in enumerate(section_names(places)):
        assert places.all[places.resolved(section)].block == number
        path = " > ".join(places.path(places.all[places.heads[number]]))
        assert not path or places.heads[number] in places.in_path(path)


@pytest.mark.parametrize(
    "written", ["8.2(a)", "8.2 (a)", "8.2.(a)", "8.2.a", "8.2(a).", "8.2（a）", " 8.2( A )"]
)
def test_ways_to_write_a_number(written):
    assert normal(written) == "8.2.a"


@each_row("retrieval")
def test_ways_to_write_other_numbers(written, other):
    assert normal(written) == normal(other) != ""


def test_numbers_that_differ_are_not_the_same_in_normal_form():
    written = [
        "Annex B",
        "B",
        "5",
        "§5",
        "第五条",
        "第五章",
        "第五条之一",
        "5.1",
        "51",
        "5.a",
        "5a",
    ]
    assert len({*map(normal, written)}) == len(written)


@given(
    first=st.integers(1, 30),
    steps=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=8),
)
def test_a_list_that_leaves_out_numbers_goes_on_after_lists_in_its_items(first, steps):
    items, number = ItemNumbers("4.2"), first
    for step, below in [(0, 2), *steps]:
        number += step
        labels = [f"{number}.", *(f"({letter})" for letter in "abc"[:below])]
        full = [items.number_of(label, items.depth_of(label)) for label in labels]
        assert full == [f"4.2({number})", *(f"4.2({number})({letter})" for letter in "abc"[:below])]


DISTANCES = (
    "<tbl><tr header='1'><tc/><tc>Paris</tc><tc>Lyon</tc></tr>"
    "<tr><tc>Paris</tc><tc>0</tc><tc>465</tc></tr><tr><tc>Lyon</tc><tc>465</tc><tc>0</tc></tr>"
    "<tr><tc>P-03</tc><tc>1 kg</tc><tc>brass</tc></tr><tr><tc>Total</tc></tr></tbl>"
)


@each_row("retrieval", row=int)
def test_a_row_is_named_by_its_first_cell_even_if_that_is_a_code_or_names_a_column(name, row):
    places = places_of(DISTANCES)
    assert [places.all[index].row for index in places.named(name)] == [row] * (row > 0)


FEES = "<tbl><tr><tc>Pipe</tc><tc>{}</tc></tr><tr><tc>Steel</tc><tc>12</tc></tr></tbl>"
CAPTIONED = (
    f"<p style='Heading1'>1. Fees</p><p>Table 1: Fees</p>{FEES.format('Price')}"
    f"<p>Table 1.1: Times</p>{FEES.format('Days')}<p>Table 2. Duties</p><p>The end.</p>"
    f"<p>Figure 1: A pipe</p>{FEES.format('Size')}"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Table 1", "Table 1: Fees\n\n| Pipe | Price |\n| --- | --- |\n| Steel | 12 |"),
        ("table 1.1: times", "Table 1.1: Times\n\n| Pipe | Days |\n| --- | --- |\n| Steel | 12 |"),
        ("Table 2", "Table 2. Duties"),
        ("Figure 1", "Figure 1: A pipe"),
    ],
)
def test_a_table_is_named_by_its_caption(name, text):
    assert Reader(api.parse(docx(CAPTIONED))).read(name).text == text


def test_an_unknown_table_is_answered_with_the_captions():
    with pytest.raises(UsageError, match="it has 'Table 1: Fees', 'Table 1"):
        Reader(api.parse(docx(CAPTIONED))).read("Table 9")


def test_the_numbers_of_articles_below_parts_count_where_parts_have_none():
    articles = "".join(f"<p style='Heading2'>第{n}条</p><p>法律。</p>" for n in "一二三")
    reader = Reader(api.parse(docx(f"<p style='Heading1'>总则</p>{articles}")))
    with pytest.raises(UsageError, match="go from '第一条' to '第三条'"):
        reader.read("第三百条")
