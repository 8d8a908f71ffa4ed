"""Quotations: found, moved, elsewhere, stitched, altered, not found."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from case_files import each_row, each_text, or_none, yes
from docx_builder import docx
from examples import some
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.model.options import ParseOptions, TrackChanges
from docxchunk.retrieval import answers
from docxchunk.retrieval.citing.quotations import Verdict
from docxchunk.retrieval.citing.quoted_words import divided, is_short, labels_of, words_of
from docxchunk.retrieval.finding.passages import CitedPlaces
from docxchunk.retrieval.folders.library import inputs_at
from docxchunk.retrieval.folders.library import reader_of as reader_of_input
from docxchunk.retrieval.reading import Reader

CONTRACT = Path(__file__).parents[2] / "fixtures" / "documents" / "contract.docx"
PIPES = (
    "<p style='Heading1'>1. Definitions</p><p>“Fee” means the sum in Section 2.1.</p>"
    "<p style='Heading1'>2. Payment</p>"
    "<p style='Heading2'>2.1 Fee</p><p>The Fee is $1,200 (20% in advance). It is paid in May.</p>"
    "<p style='Heading2'>2.2 Delay</p><p>The Seller may stop the delivery at once.</p>"
)


def words(text: str) -> int:
    return len(text.split())


def reader_of(xml: str, name: str = "pipes.docx") -> Reader:
    return Reader(api.parse(docx(xml), name=name), words)


@pytest.fixture(scope="module")
def contract():
    return Reader(api.parse(CONTRACT), words)


@pytest.fixture(scope="module")
def pipes():
    return reader_of(PIPES)


def test_a_quotation_is_found_at_its_clause(contract):
    quotation = contract.cite("the operator may ask ONCE for an extension of “five years”")
    assert quotation.verdict is Verdict.FOUND
    assert [passage.number for passage in quotation.passages] == ["4(a)"]
    assert quotation.fingerprint == contract.document.source_sha256


def test_the_parts_of_a_line_in_another_order_are_stitched():
    parts = (
        "The red fox runs over the hill",
        "and a grey dog sleeps by the mill",
        "while the cat drinks milk at home",
    )
    reader = reader_of(f"<p>{' '.join(parts)}.</p>")
    for order in permutations(parts):
        expected = Verdict.FOUND if order == parts else Verdict.STITCHED
        assert reader.cite(" ".join(order)).verdict is expected


def test_a_changed_word_is_shown(contract):
    quotation = contract.cite("The agreement begins on 1 September 2025 and ends on 31 August")
    assert quotation.verdict is Verdict.ALTERED
    assert "1 September [-2025-] {+2024+} and ends" in quotation.difference
    assert quotation.passages[0].number == "3(a)"


def test_a_difference_of_chinese_text_has_no_blanks():
    reader = Reader(api.parse(docx("<p>承运人应当在六十日内交付约定的货物。</p>")))
    quotation = reader.cite("承运人应当在九十日内交付约定的货物")
    assert quotation.difference == "承运人应当在 [-九-] {+六+} 十日内交付约定的货物"


def test_joined_sentences_are_stitched(pipes):
    quotation = pipes.cite("It is paid in May. The Seller may stop the delivery")
    assert quotation.verdict is Verdict.STITCHED
    assert [passage.number for passage in quotation.passages] == ["2.1", "2.2"]


@each_row("retrieval")
def test_a_piece_of_a_stitched_quotation_is_the_next_one_after_the_piece_before_it(quote, lines):
    reader = reader_of(
        "<p>The red fox runs here.</p><p>A grey dog sleeps now.</p>"
        "<p>The red fox runs there.</p><p>Nobody knows.</p><p>A grey dog sleeps away.</p>"
    )
    quotation = reader.cite(quote)
    assert quotation.verdict is Verdict.STITCHED
    assert [passage.place[-1] for passage in quotation.passages] == [*lines]


def test_a_changed_amount_that_stands_elsewhere_is_a_change():
    reader = Reader(
        api.parse(
            docx(
                "<p>The seller repairs all faults of the pipes within thirty days of a notice.</p>"
                "<p>The buyer pays within ninety days of a notice.</p>"
            )
        )
    )
    quotation = reader.cite(
        "The seller repairs all faults of the pipes within ninety days of a notice"
    )
    assert quotation.verdict is Verdict.ALTERED
    assert "[-ninety-] {+thirty+}" in quotation.difference


def test_a_change_at_the_cited_place_is_shown_rather_than_one_elsewhere():
    text = "The seller repairs all faults of the {} within {} days of a notice."
    reader = Reader(
        api.parse(
            docx(
                f"<p style='Heading1'>1. Pipes</p><p>{text.format('pipes', 'sixty')}</p>"
                f"<p style='Heading1'>2. Tanks</p><p>{text.format('tanks', 'thirty')}</p>"
            ),
            name="sale.docx",
        )
    )
    quote = text.format("pipes", "thirty")
    for section, difference in (("1. Pipes", "[-thirty-] {+sixty+}"), ("2. Tanks", "{+tanks+}")):
        quotation = reader.cite(f"[sale.docx, {section}, p. 1, sha256 00000000] {quote}")
        assert quotation.verdict is Verdict.ALTERED
        assert difference in quotation.difference


def test_other_words_are_not_found(pipes):
    quotation = pipes.cite("The buyer waives every right to a refund of the price")
    assert (quotation.verdict, quotation.passages) == (Verdict.NOT_FOUND, ())


@pytest.mark.parametrize("quote", ["", "the Fee", "a b c", "The Fee is"])
def test_a_short_quotation_is_refused(pipes, quote):
    with pytest.raises(UsageError, match="too short to be a quotation"):
        pipes.cite(quote)


@each_row("retrieval", expected=yes)
def test_a_quotation_has_three_words_with_twelve_letters_or_three_for_each_word(text, expected):
    assert is_short(words_of(text)) is expected


@each_row("retrieval", is_before=yes, is_apart=yes)
def test_a_label_is_before_a_quotation_or_in_brackets_after_it(
    quote, rest, label, is_before, is_apart
):
    divided_quote = (rest, label, is_before, is_apart) if label else None
    assert next(labels_of(quote), None) == divided_quote


@each_row("retrieval", path=or_none)
def test_a_citation_is_in_brackets_before_or_after_a_quotation(quote, text, path):
    rest, citation = divided(quote, "a.docx")
    assert (rest, citation.path if citation else None) == (text, path)


@each_row("retrieval")
def test_a_changed_sign_of_an_amount_is_a_change(pipes, quote):
    assert pipes.cite(quote).verdict is Verdict.ALTERED


@each_row("retrieval")
def test_marks_do_not_matter(pipes, quote):
    assert pipes.cite(quote).verdict is Verdict.FOUND


@each_row("retrieval")
def test_words_that_only_one_text_has_are_shown(pipes, quote, difference):
    quotation = pipes.cite(quote)
    assert quotation.verdict is Verdict.ALTERED
    assert quotation.difference == difference


def test_words_that_are_repeated_often_are_compared_like_others():
    known = "the parties agree on much today " * 40
    reader = reader_of(f"<p>{known}and here.</p>")
    quotation = reader.cite(known.replace("much", "little", 1))
    assert quotation.difference == known.replace("much", "[-little-] {+much+}", 1).strip()
    quotation = reader.cite(f"{known}or never")
    assert quotation.difference == f"{known}[-or never-] {{+and here+}}"


def test_a_quotation_of_another_document(pipes):
    other = reader_of("<p>The buyer waives every right to a refund.</p>", "other.docx")
    quotation = pipes.cite("the buyer waives every right", elsewhere=[pipes, other])
    assert quotation.verdict is Verdict.ELSEWHERE
    assert quotation.passages[0].citation == "other.docx, about p. 1, ¶ 1"
    assert quotation.fingerprint == other.document.source_sha256


def test_a_place_that_has_the_words_often_is_one_passage(monkeypatch):
    places = []
    passage = CitedPlaces.passage
    monkeypatch.setattr(
        CitedPlaces,
        "passage",
        lambda reader, *place: places.append(place) or passage(reader, *place),
    )
    quotation = reader_of(f"<p>{'the rent ' * 99}</p>").cite("rent the rent the rent the rent")
    assert places == [(0, 0)]
    assert len(quotation.passages) == 1


def test_other_documents_are_not_read_without_need(pipes):
    def read():
        raise AssertionError
        yield

    assert pipes.cite("It is paid in May", elsewhere=read()).verdict is Verdict.FOUND


def test_what_was_printed_can_be_checked(contract, pipes):
    for reader in (contract, pipes):
        for passage in (
            reader.places.passage(number, number) for number in range(len(reader.places.all))
        ):
            if words(passage.text) > 5:
                for place in (passage.citation, passage.place):
                    quotation = reader.cite(f"[{place}] {passage.text}")
                    assert (quotation.verdict, quotation.cited) == (Verdict.FOUND, True)
                    assert quotation.passages[0] == passage


@each_row("retrieval", verdict=Verdict)
def test_a_citation_is_checked(pipes, citation, verdict):
    for quote in (f"{citation} It is paid in May", f"“It is paid in May” {citation}"):
        assert pipes.cite(quote).verdict is verdict


@pytest.mark.parametrize(
    ("edit", "verdict"),
    [
        (("x", "x"), Verdict.FOUND),
        (
            ("<p style='Heading1'>1. ", "<p>A new preamble.</p><p style='Heading1'>1. "),
            Verdict.FOUND,
        ),
        (("<p style='Heading2'>2.1 Fee</p>", "<p style='Heading2'>2.3 Fee</p>"), Verdict.MOVED),
        (("in May", "in June"), Verdict.ALTERED),
        (("It is paid in May.", ""), Verdict.NOT_FOUND),
    ],
)
def test_a_citation_after_an_edit(pipes, edit, verdict):
    fingerprint = pipes.document.source_sha256[:8]
    citation = f"[pipes.docx, 2.1 Fee, about p. 1, ¶ 5, sha256 {fingerprint}]"
    quotation = reader_of(PIPES.replace(*edit)).cite(f"{citation} It is paid in May.")
    assert quotation.verdict is verdict
    assert quotation.edited is (edit[0] != edit[1])


def test_in_the_cited_file_the_paragraph_counts(contract):
    citation = "[contract.docx, 3. Term, ¶ {}, sha256 {}]"
    fingerprint = contract.document.source_sha256[:8]
    quote = "begins on 1 September 2024"
    for paragraph, verdict in ((20, Verdict.FOUND), (21, Verdict.MOVED)):
        cited = citation.format(paragraph, fingerprint)
        assert contract.cite(f"{cited} {quote}").verdict is verdict


@settings(max_examples=some(200))
@given(data=st.data())
def test_laws_of_quotations(contract, data):
    """Words of the document are found; with one of them changed they are not."""
    text = data.draw(st.sampled_from([place.text for place in contract.places.all]), "place")
    known = text.split()
    first = data.draw(st.integers(0, max(len(known) - 6, 0)), "first")
    quoted = known[first : first + data.draw(st.integers(6, 40), "length")]
    if len(" ".join(quoted)) < 30:
        return
    assert contract.cite(" ".join(quoted)).verdict is Verdict.FOUND
    quoted[data.draw(st.integers(0, len(quoted) - 1), "changed")] = "zebra"
    assert contract.cite(" ".join(quoted)).verdict in {Verdict.ALTERED, Verdict.NOT_FOUND}


def test_a_parsed_folder_without_fingerprint_is_not_said_to_be_edited(pipes):
    document = replace(pipes.document, source_sha256="")
    quotation = Reader(document, words).cite("[2.1 Fee, ¶ 5, sha256 00000000] It is paid in May")
    assert (quotation.verdict, quotation.edited) == (Verdict.FOUND, None)


def test_where_changes_are_marked_a_quotation_is_compared_with_the_text_without_deletions():
    changed = docx("<p>All payments are due <del>90</del><ins>30</ins> days after delivery.</p>")
    options = ParseOptions(track_changes=TrackChanges.ALL)
    reader = Reader(api.parse(changed, options=options), words)
    assert reader.cite("payments are due 30 days after delivery").verdict is Verdict.FOUND
    assert reader.cite("are due {--90--}{++30++} days after").verdict is Verdict.FOUND
    assert reader.cite("payments are due 90 days after delivery").verdict is Verdict.ALTERED


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("The red fox sleeps badly", Verdict.ALTERED),
        ("The red cat sleeps badly", Verdict.NOT_FOUND),
    ],
)
def test_an_altered_quotation_has_three_of_five_words_of_the_document(quote, verdict):
    assert reader_of("<p>The red fox runs home today.</p>").cite(quote).verdict is verdict


def test_marks_of_changes_are_text_where_changes_are_not_marked():
    reader = reader_of("<p>Set the flag {--verbose--} in the file of options.</p>")
    assert reader.cite("the flag {--verbose--} in the file of options").verdict is Verdict.FOUND
    assert reader.cite("Set the flag in the file of options").verdict is Verdict.ALTERED


@pytest.mark.parametrize(
    ("left_out", "verdict"), [(1, Verdict.ALTERED), (4, Verdict.ALTERED), (5, Verdict.STITCHED)]
)
def test_an_altered_quotation_leaves_out_at_most_four_of_ten_words_between(left_out, verdict):
    reader = reader_of(f"<p>The old red fox runs {'now ' * left_out}over the high green hill.</p>")
    quotation = reader.cite("The old red fox runs over the high green hill")
    assert quotation.verdict is verdict
    assert quotation.difference.count("now") == (left_out if verdict is Verdict.ALTERED else 0)


@pytest.mark.parametrize(("size", "verdict"), [(3, Verdict.ALTERED), (4, Verdict.STITCHED)])
def test_a_stitched_quotation_has_pieces_of_four_words_at_least(size, verdict):
    one, other = "A grey dog sleeps here", " ".join("while red foxes run".split()[:size])
    reader = reader_of(f"<p>{one} today.</p><p>Now {other} away.</p>")
    assert reader.cite(f"{one} {other}").verdict is verdict
    assert reader.cite(f"{other} {one}").verdict is verdict


@pytest.mark.parametrize("between", [3, 4])
def test_a_single_word_at_an_end_counts_as_kept_up_to_three_words_away(between):
    now = " ".join(["now"] * between)
    for before, after in (("Alpha", ""), ("", "alpha")):
        text = f"{before} {now * bool(before)} beta gamma delta iota {now * bool(after)} {after}"
        quotation = reader_of(f"<p>{text}</p>").cite(f"{before} beta gamma delta iota {after}")
        assert (f"{{+{now}+}}" in quotation.difference) is (between == 3)
        assert (f"[-{before or after}-]" in quotation.difference) is (between == 4)


def test_a_quotation_that_ends_with_a_word_of_the_next_line_is_in_both_lines(pipes):
    altered = pipes.cite("It is due in May. 2.2")
    assert altered.difference == "It is [-due-] {+paid+} in May 2.2"
    for (passage,) in (pipes.cite("It is paid in May. 2.2").passages, altered.passages):
        assert passage.place == "2.1 Fee through 2.2 Delay, about p. 1, ¶ 5-6"


def test_an_altered_quotation_is_found_by_its_rarest_words_among_many_lines_that_begin_like_it():
    beginning = "The agent of a seller or buyer"
    reader = reader_of(
        f"<p>{beginning} sells old houses.</p>" * 250 + f"<p>{beginning} grinds walnuts well.</p>"
    )
    quotation = reader.cite(f"{beginning} grinds walnuts badly")
    assert quotation.difference == f"{beginning} grinds walnuts [-badly-] {{+well+}}"


@each_row("retrieval")
def test_a_single_word_far_away_does_not_count_as_kept(quote, difference):
    reader = reader_of(
        "<p>Invoices come by letter at the end. Those of the Seller are due 30 days from the "
        "Company's acceptance which in all cases of this kind the Company gives.</p>"
    )
    assert reader.cite(quote).difference == difference


THINGS = "pipe valve tap tank pump meter filter boiler sink bath drain hose".split()
PRICES = [
    f"The {thing} costs {7 * number} euros and is paid in {('May', 'June', 'July')[number % 3]} "
    f"by the {('Buyer', 'Seller')[number % 2]} of the house"
    for number, thing in enumerate(THINGS, 2)
]


@pytest.fixture(scope="module")
def prices():
    return reader_of("".join(f"<p>{line}.</p>" for line in PRICES))


@pytest.mark.parametrize("line", [PRICES[4], PRICES[11]])
@pytest.mark.parametrize("at", [0, 1, 2, 8, 14, 15])
def test_a_word_that_was_changed_added_or_left_out_is_shown_in_the_line_that_has_the_others(
    prices, line, at
):
    before, word, after = line.split()[:at], line.split()[at], line.split()[at + 1 :]
    for quoted, difference in (
        (["zebra"], f"[-zebra-] {{+{word}+}}"),
        (["zebra", word], f"[-zebra-] {word}"),
        *([([], f"{{+{word}+}}")] if 1 < at < 15 else ()),
    ):
        quotation = prices.cite(" ".join([*before, *quoted, *after]))
        assert quotation.verdict is Verdict.ALTERED
        assert quotation.difference == " ".join([*before, difference, *after])
        assert [passage.text for passage in quotation.passages] == [f"{line}."]


@pytest.mark.parametrize("rare_first", [True, False])
def test_a_long_altered_quotation_is_found_by_its_rare_words_at_either_end(rare_first):
    often, rare = (
        [f"{letter}{number}" for number in range(size)] for letter, size in (("o", 110), ("r", 10))
    )
    quoted = [*rare, *often] if rare_first else [*often, *rare]
    others = [f"x{number}" for number in range(200)]
    reader = reader_of(
        f"<p>{' '.join(reversed(often))}</p><p>{' '.join([*others, *quoted, *others])}.</p>"
    )
    text = " ".join(quoted)
    quotation = reader.cite(text.replace("r5", "zebra"))
    assert quotation.difference == text.replace("r5", "[-zebra-] {+r5+}")


LONG = (
    "<p style='Heading1'>1. Price</p><p>The Seller delivers ten pipes of steel. The price is due "
    "within thirty days of a notice in writing.</p>"
    f"<p>{'The parties agree on much. ' * 60}</p><p>All notices are sent by post.</p>"
    "<p style='Heading1'>2. Delay</p><p>The Buyer pays interest of eight percent a year.</p>"
    f"<p>{'Nothing else is agreed here. ' * 60}</p>"
    "<p style='Heading1'>3. Law</p><p>The law of Norway applies to all orders.</p>"
)


@pytest.fixture(scope="module")
def long():
    return reader_of(LONG)


@pytest.mark.parametrize("mark", ["...", "…", " … ", " [...] ", "[…]", " (. . .) ", "……", " ⋯ "])
def test_a_quotation_with_an_ellipsis_is_abridged(long, mark):
    quotation = long.cite(f"…The Seller delivers ten{mark}within thirty days of a notice...")
    assert quotation.verdict is Verdict.ABRIDGED
    assert (quotation.left_out, quotation.is_found) == (7, True)
    assert [passage.number for passage in quotation.passages] == ["1"]


@each_row("retrieval", verdict=Verdict)
def test_the_parts_of_a_quotation_follow_one_another(long, quote, verdict):
    quotation = long.cite(quote)
    assert quotation.verdict is verdict
    assert bool(quotation.left_out) is (verdict is Verdict.ABRIDGED)


def test_brackets_inside_a_quotation_are_no_citation():
    reader = reader_of("<p>The Seller may stop [the delivery, p. 1] at once.</p>")
    quotation = reader.cite("Seller may stop [the delivery, p. 1] at once")
    assert (quotation.verdict, quotation.cited) == (Verdict.FOUND, False)


def two_alike(lines):
    """Return a reader of two sections with the same lines."""
    return reader_of(
        f"<p style='Heading1'>1. Rent</p>{lines}<p style='Heading1'>2. Term</p>{lines}"
    )


@pytest.mark.parametrize("cited", ["1. Rent", "2. Term"])
def test_words_in_several_places_are_found_if_one_of_them_is_cited_which_comes_first(cited):
    reader = two_alike("<p>The rent is due at once.</p>")
    quotation = reader.cite(f"[{cited}, p. 1] The rent is due at once.")
    assert quotation.verdict is Verdict.FOUND
    assert [passage.number for passage in quotation.passages][:1] == [cited[0]]
    assert len(quotation.passages) == 2


@pytest.mark.parametrize("cited", ["1. Rent", "2. Term"])
def test_the_parts_of_an_altered_quotation_are_looked_for_in_the_cited_section(cited):
    reader = two_alike("<p>The rent is due at once.</p><p>It is paid in May by card.</p>")
    for first in ("The rent is due at once", "The rent is due at last"):
        quotation = reader.cite(f"[{cited}, p. 1] {first} … is paid in June by card.")
        assert quotation.difference.endswith("is paid in [-June-] {+May+} by card")
        assert {passage.number for passage in quotation.passages} == {cited[0]}


@pytest.mark.parametrize("section", [0, 1, 2])
def test_an_altered_part_is_looked_for_in_the_section_of_a_part_that_is_found(section):
    first = ["The rent is due at once", "The lease ends at Easter", "The dog sleeps at home"]
    reader = reader_of(
        "".join(
            f"<p style='Heading1'>{number}. Title</p><p>{line}.</p><p>It is paid in May by card.</p>"
            for number, line in enumerate(first)
        )
    )
    quotation = reader.cite(f"{first[section]} … is paid in June by card.")
    assert quotation.difference.endswith("is paid in [-June-] {+May+} by card")
    assert {passage.number for passage in quotation.passages} == {str(section)}


ABRIDGED = (Verdict.ABRIDGED, Verdict.MISLEADING)
CAP = (
    "The Supplier's liability will not in any event be more than the General Cap Amount. "
    "Claims are made in writing within ten days of the event and sent by post to the Supplier, "
    "unless the parties agree to another way of doing so in a letter."
)


@each_row("retrieval", verdict=Verdict, omitted=each_text)
def test_an_ellipsis_must_not_stand_for_a_word_that_limits(quote, verdict, omitted):
    quotation = reader_of(f"<p>{CAP}</p>").cite(quote)
    assert (quotation.verdict, [*quotation.omitted]) == (verdict, omitted)
    assert quotation.is_found is (verdict is Verdict.ABRIDGED)


@each_row("retrieval", verdict=Verdict)
def test_a_word_that_limits_right_beside_a_quotation_is_told(quote, verdict, hint):
    quotation = reader_of(f"<p>{CAP}</p>").cite(quote)
    assert quotation.verdict is verdict
    assert hint in quotation.hint
    assert bool(hint) is bool(quotation.hint)


ONE, OTHER = "The Seller delivers ten pipes", "within thirty days of a notice"


@each_row("retrieval", verdict=Verdict)
def test_an_ellipsis_over_the_end_of_a_section_stands_for_a_hundred_words(between, verdict):
    """Those of the title of the next section are among them."""
    reader = reader_of(f"<p style='Heading1'>1. Rent</p><p>{ONE} {between} {OTHER}.</p>")
    assert reader.cite(f"{ONE} … {OTHER}").verdict is verdict


def test_of_several_places_of_the_parts_those_with_the_fewest_words_between_count():
    reader = reader_of(f"<p>{ONE}. Then {ONE} as said {OTHER}.</p><p>{OTHER}</p><p>{ONE}</p>")
    assert reader.cite(f"{ONE} … {OTHER}").left_out == 2


@pytest.mark.parametrize(("count", "is_refused"), [(1000, False), (1001, True)])
def test_a_quotation_has_a_thousand_words_at_most(count, is_refused):
    reader = reader_of(f"<p>{'word ' * 1001}</p>")
    if is_refused:
        with pytest.raises(UsageError, match="has at most 1,000 words"):
            reader.cite("word " * count)
    else:
        assert reader.cite("word " * count).verdict is Verdict.FOUND


def test_the_citation_of_an_abridged_quotation_is_checked(long):
    quote = "The Seller delivers ten pipes … within thirty days of a notice"
    for section, verdict in (("1. Price", Verdict.ABRIDGED), ("2. Delay", Verdict.MOVED)):
        quotation = long.cite(f"[pipes.docx, {section}, p. 1] {quote}")
        assert (quotation.verdict, quotation.left_out) == (verdict, 6)
        assert "; 6 words left out between its parts" in answers.cite(long, quote).text
    both = "All notices are sent by post … pays interest of eight percent"
    for section in ("1. Price", "2. Delay"):
        assert long.cite(f"[{section}, p. 1] {both}").verdict is Verdict.MOVED
    elsewhere = reader_of("<p>Nothing.</p>").cite(quote, elsewhere=[long])
    assert (elsewhere.verdict, elsewhere.left_out) == (Verdict.ELSEWHERE, 6)


@settings(max_examples=some(200))
@given(data=st.data())
def test_law_of_abridged_quotations(contract, data):
    """Two pieces of a document are never one quotation, with or without an ellipsis."""
    texts = [place.text.split() for place in contract.places.all if len(place.text.split()) > 16]
    one, other = (data.draw(st.sampled_from(texts), name) for name in ("one", "other"))
    pieces = " ".join(one[:7]), " ".join(other[9:16])
    assert contract.cite("  ".join(pieces)).verdict is not Verdict.FOUND
    abridged = contract.cite(" … ".join(pieces))
    assert abridged.verdict is not Verdict.FOUND
    assert (abridged.verdict in ABRIDGED) is bool(abridged.left_out)
    assert one is not other or abridged.left_out


GONE = "<p>Payments are due <del>within ninety days of an invoice</del> at once.</p>"
LATER = "Or at a later date that both agree."


@each_row("retrieval")
def test_what_was_not_compared_is_told(xml, hint):
    reader = reader_of(xml)
    assert reader.cite("the buyer waives every right").hint == hint
    assert reader.cite("Payments are due at once").hint == ""
    text = answers.cite(reader, "the buyer waives every right").text
    assert text == f"Not found in this document. {hint}".strip()


def test_words_of_a_marked_deletion_are_told_to_be_deleted():
    document = api.parse(docx(GONE), options=ParseOptions(track_changes=TrackChanges.ALL))
    reader = Reader(document, words)
    gone = reader.cite("within ninety days of an invoice")
    assert not gone.is_found
    assert gone.hint.startswith("The words are in the text before the tracked changes")
    assert reader.cite("the buyer waives every right").hint == ""


BEFORE_CHANGES = "The words are in the text before the tracked changes: some are deleted"


def test_words_that_were_deleted_are_told_from_words_that_never_stood_there(tmp_path):
    path = tmp_path / "invoice.docx"
    path.write_bytes(docx(f"<p style='Heading1'>1. Payment</p>{GONE}"))
    reader = reader_of_input(*inputs_at([str(path)]))
    gone = reader.cite("Payments are due within ninety days of an invoice at once")
    assert (gone.is_found, gone.hint) == (
        False,
        f"{BEFORE_CHANGES} (1. Payment, about p. 1, ¶ 2).",
    )
    assert reader.cite("the buyer waives every right").hint == ""


def test_text_that_was_not_compared_is_told_beside_the_deleted_text_that_was(tmp_path):
    path = tmp_path / "invoice.docx"
    path.write_bytes(docx(f"{GONE}<p><r><rPr><vanish/></rPr><t>{LATER}</t></r></p>"))
    quotation = reader_of_input(*inputs_at([str(path)])).cite("the buyer waives every right")
    assert quotation.hint == (
        "The file has hidden text, which was not compared: the words may be there."
    )


def test_words_without_an_insertion_are_not_said_to_be_deleted(tmp_path):
    path = tmp_path / "invoice.docx"
    path.write_bytes(docx("<p>All payments are <ins>always</ins> due at once.</p>"))
    quotation = reader_of_input(*inputs_at([str(path)])).cite("All payments are due at once")
    assert (quotation.verdict, quotation.hint) == (Verdict.ALTERED, "")


def test_a_quotation_of_plain_text_is_checked(tmp_path):
    """Plain text has no options of the parser."""
    path = tmp_path / "notes.md"
    path.write_text("# Payment\n\nThe Seller may stop the delivery at once.\n")
    reader = reader_of_input(*inputs_at([str(path)]))
    assert reader.cite("may stop the delivery at once").verdict is Verdict.FOUND


def test_a_hint_about_deleted_text_is_not_given_where_a_passage_is():
    reader = reader_of(f"{GONE}<p>The Seller may stop the delivery of the pipes.</p>")
    quotation = reader.cite("The Seller may stop the delivery of the tubes")
    assert (quotation.verdict, quotation.hint) == (Verdict.ALTERED, "")


LEASE = (
    "<p style='Heading1'>4. Term</p><p>4.1 The lease starts in May.</p>"
    "<p>4.2 Either party may end this lease by a written notice to the other party, if:</p>"
    "<p>(a) the other party has not paid the rent; or</p><p>(b) the flat is no longer there.</p>"
    "<p>4.3 Copies of all records shall be retained.</p><p style='Heading1'>5. Liability</p>"
    "<p>5.1 Section 4.2 survives the end of this lease.</p>"
    "<p>5.2 Nobody owes a fee (clause 4.1) or any interest under this lease.</p>"
    "<p>5.3 Nobody pays the fee twice (see Section 4.1).</p>"
    "<p>5.4 A guest may stay for up to ten (10) days in a month. A key costs one hundred ($100) and"
    " a wall of 9 m².</p>"
)


@pytest.fixture(scope="module")
def lease():
    return reader_of(LEASE, "lease.docx")


@each_row("retrieval", verdict=Verdict)
def test_a_label_of_a_clause_is_checked_as_its_citation(lease, quote, verdict):
    quotation = lease.cite(quote)
    assert quotation.verdict is verdict
    assert quotation.cited is (verdict is not Verdict.ALTERED or quote.endswith("this rent"))


def test_a_quotation_that_begins_with_a_reference_is_not_cited_by_it(lease):
    quotation = lease.cite("Section 4.2 survives the end of this lease")
    assert (quotation.verdict, quotation.cited) == (Verdict.FOUND, False)


@pytest.mark.parametrize(("before", "after"), [("Under Section 9 ", ""), ("", " (see § 9)")])
def test_a_label_may_be_that_before_the_first_line_or_after_the_last_one(before, after):
    reader = reader_of(
        f"<p>5.1 It starts.</p><p>{before}the lease goes on.</p><p>It ends in May{after}.</p>"
    )
    quote = "the lease goes on. It ends in May"
    for labelled_quote, text in ((f"Section 5.1: {quote}", before), (f"{quote} [§ 5.1]", after)):
        assert reader.cite(labelled_quote).is_found is not bool(text)


@each_row("retrieval", is_misplaced=yes)
def test_an_altered_quotation_at_another_place_than_the_cited_one_is_told(
    lease, quote, is_misplaced
):
    quotation = lease.cite(quote)
    assert (quotation.verdict, quotation.misplaced) == (Verdict.ALTERED, is_misplaced)
    note = "the passage is not at the place cited"
    assert (note in answers.cite(lease, quote).text) is is_misplaced


def test_one_of_several_places_of_the_words_may_be_that_of_the_label():
    reader = reader_of(
        "<p style='Heading1'>5. End</p><p>5.1 Section 4.2 survives the end of this lease.</p>"
        "<p>5.2 Survives the end of this lease.</p>"
    )
    for label, verdict in (("5.2", Verdict.FOUND), ("5.1", Verdict.MOVED)):
        quotation = reader.cite(f"Section {label}: survives the end of this lease")
        assert quotation.verdict is verdict


@each_row("retrieval", verdict=Verdict)
def test_numbers_of_sources_are_no_words_but_a_changed_number_is(lease, quote, verdict):
    assert lease.cite(quote).verdict is verdict


def test_a_number_that_may_be_a_source_or_another_clause_is_told(lease):
    assert "'5' was read as the number" in lease.cite("Copies of all records shall be [5]").hint
    assert not lease.cite("Copies of all records shall be [9]").hint


@each_row("retrieval", verdict=Verdict)
def test_raised_numbers_of_notes_are_no_words_but_exponents_are(lease, quote, verdict):
    assert lease.cite(quote).verdict is verdict


def test_a_part_over_two_lines_may_stand_before_a_short_one(lease):
    quotation = lease.cite("the lease starts in May. Either party may … by a")
    assert (quotation.verdict, quotation.omitted) == (Verdict.ABRIDGED, ("end this lease",))


def test_words_that_are_nowhere_are_not_found_with_a_label_either(lease):
    quotation = lease.cite("clause 4.2: The moon consists of green cheese")
    assert (quotation.verdict, quotation.cited) == (Verdict.NOT_FOUND, False)


@pytest.mark.parametrize("cited", ["4.2", "4.3"])
def test_a_label_does_not_take_the_place_of_a_citation(lease, cited):
    """The words with the label are compared."""
    quotation = lease.cite(f"[{cited}, p. 1] clause 4.2: Either party may end this lease")
    assert quotation.difference.startswith("[-clause-] 4.2 Either party")
    assert (quotation.verdict, quotation.cited) == (Verdict.ALTERED, True)


LAW = (
    "<p>(1) Trade needs peace and honest people.</p><p>(2) People need fair prices in trade.</p>"
    "<p style='Heading1'>§ 1 Preis</p><p>(1) Der Preis ist im Mai zu zahlen.</p>"
    "<p>(2) Der Käufer trägt nach § 2 alle Kosten:</p>"
    "<p>a) des Transports der Rohre;</p><p>b) der Prüfung der Rohre.</p>"
    "<p style='Heading1'>第二条 交付</p><p>卖方应当在六月底以前交付。</p>"
    "<p>买方应当在十日内验收设备：</p><p>（一）检查设备的外观；</p><p>（二）试运行七十二小时。</p>"
    "<p style='Heading1'>Article 3 Notice</p><p>1. The Buyer gives notice in writing.</p>"
    "<p>2. The Seller is told within ten days in the form of Article 9.</p>"
    "<p style='Heading1'>Schedule 1 Pipes</p><p>2.1 The Seller marks each of the pipes.</p>"
    "<p style='Heading1'>Schedule 2 Tanks</p><p>2.1 The Seller paints each of the tanks.</p>"
)


@pytest.fixture(scope="module")
def law():
    return reader_of(LAW, "law.docx")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (
            ("§ 1 Abs. 1: {}", "{} (§ 1 Absatz 1 Satz 2)", "§ 1 Abs. 2: {}"),
            "Der Preis ist im Mai zu zahlen",
        ),
        (
            ("§ 1 Abs. 2: {}", "{} (§ 1 (2))", "§ 1 Abs. 1: {}"),
            "Der Käufer trägt nach § 2 alle Kosten",
        ),
        (
            ("§ 1 Abs. 2 lit. b: {}", "{} (Buchst. b der § 1 Abs. 2)", "§ 1 Abs. 2 lit. a: {}"),
            "der Prüfung der",
        ),
        (("第二条第二款：{}", "{}（第二条）", "第一条第二款：{}"), "买方应当在十日内验收设备"),
        (
            ("第二条第二款第（二）项：{}", "{}（第二条（二））", "第二条第二款第（一）项：{}"),
            "试运行七十二小时",
        ),
        (
            ("Article 3, paragraph 2: {}", "{} (paragraph 2 of Article 3)", "Article 3(1): {}"),
            "The Seller is told within ten days",
        ),
        (("Recital (2): {}", "{} (recital 2)", "recital 1: {}"), "People need fair prices"),
        (
            ("Schedule 2, paragraph 2.1: {}", "{} (paragraph 2.1 of Schedule 2)", "{} (Annex 2)"),
            "The Seller paints each of the tanks",
        ),
    ],
)
def test_a_label_of_several_steps_is_checked_as_its_citation(law, labels, words):
    """The last label of each case is wrong."""
    for label, verdict in zip(labels, (*[Verdict.FOUND] * 2, Verdict.MOVED), strict=True):
        quotation = law.cite(label.format(words))
        assert (quotation.verdict, quotation.cited) == (verdict, True)


@each_row("retrieval", verdict=Verdict)
def test_a_label_beside_a_reference_may_be_a_changed_one(law, quote, verdict):
    """A quotation may end some words before a reference."""
    assert law.cite(quote).verdict is verdict


@each_row("retrieval", verdict=Verdict)
def test_a_short_quotation_is_looked_for_only_at_its_label(lease, quote, verdict, hint):
    quotation = lease.cite(quote)
    assert quotation.verdict is verdict
    assert hint in quotation.hint
    assert bool(hint) is bool(quotation.hint)


@each_row("retrieval", verdict=Verdict, is_one=yes)
def test_a_label_of_several_places_is_told(label, verdict, is_one):
    reader = reader_of(
        f"<p style='Heading1'>2. Price</p><p>2.1 The price is due.</p>{LAW}", "law.docx"
    )
    quotation = reader.cite(f"{label}: The Seller marks each of the pipes")
    assert quotation.verdict is verdict
    hint = "" if is_one else f"{label!r} is the name of several places of the document."
    assert quotation.hint == hint
    assert hint in answers.cite(reader, f"{label}: The Seller marks each of the pipes").text


@each_row("retrieval", is_told=yes)
def test_words_that_were_deleted_are_told_with_a_label(tmp_path, quote, is_told):
    path = tmp_path / "invoice.docx"
    path.write_bytes(
        docx(f"{GONE.replace('<p>', '<p>1.1 ')}<p>1.2 Section 2.1 applies to this contract.</p>")
    )
    quotation = reader_of_input(*inputs_at([str(path)])).cite(quote)
    assert not quotation.is_found
    assert quotation.hint.startswith(BEFORE_CHANGES) is is_told


@pytest.mark.parametrize("first", ["[t]he", "[T]he", "4.1 [t]he"])
def test_a_letter_in_brackets_before_a_word_is_a_changed_capital(lease, first):
    assert lease.cite(f"{first} lease starts in May").is_found
    assert words_of("[a] b[c] [d]e") == ["a", "b", "c", "de"]


@each_row("retrieval", verdict=Verdict)
def test_a_label_may_be_the_changed_one_right_before_the_quotation(before, verdict):
    reader = reader_of(
        "<p style='Heading1'>5. End</p><p>5.1 The lease starts in May.</p>"
        f"<p>5.2 {before} shall remain in force for ever.</p>"
    )
    quotation = reader.cite("Section 5.1: shall remain in force for ever")
    assert quotation.verdict is verdict


@each_row("retrieval", verdict=Verdict)
def test_the_numbers_of_items_may_be_left_out_of_a_quotation_but_not_changed(second, verdict):
    items = "<p>The buyer shall:</p><p>(a) pay the price;</p><p>(b) insure the goods at once.</p>"
    first = second and "(a)"
    quote = f"The buyer shall: {first} pay the price; {second} insure the goods at once."
    assert reader_of(items).cite(quote).verdict is verdict


LABELS = st.sampled_from(["clause {}: {}", "[Section {}] {}", "{1} (clause {0})", "Article {} {}"])


@settings(max_examples=some(300), deadline=None)
@given(data=st.data())
def test_law_of_labels(lease, data):
    """With the label of its clause, a quotation is found; with a word changed, it never is."""
    numbered = [place for place in lease.places.all if place.depth and place.number]
    place = data.draw(st.sampled_from(numbered))
    assume(" Section" not in place.text)  # which may be the label of the quotation
    known = place.text.split()[1:]
    known = known[: data.draw(st.integers(5, len(known)))]
    label = data.draw(LABELS)
    assert lease.cite(label.format(place.number, " ".join(known))).verdict is Verdict.FOUND
    known[data.draw(st.integers(0, len(known) - 1))] = data.draw(st.sampled_from(["zebra", "4.9"]))
    assert not lease.cite(label.format(place.number, " ".join(known))).is_found


@each_row("retrieval")
def test_the_part_that_differs_is_told(lease, quote, difference, hint):
    quotation = lease.cite(quote)
    assert (quotation.difference, quotation.hint) == (difference, hint)
    assert not quotation.is_found


def test_a_changed_quotation_is_found_behind_passages_that_begin_like_it():
    beginning = "Pumps valves pipes filters tanks meters"
    reader = reader_of(
        f"<p>{beginning} rust quickly near salty sea water.</p>" * 12
        + f"<p>{beginning} are sold by the dealer every winter.</p>"
        + f"<p>{'Winter every dealer the by sold are. ' * 8}</p>"
    )
    quotation = reader.cite(f"{beginning} are sold by the dealer every summer")
    assert quotation.verdict is Verdict.ALTERED
    assert quotation.difference.endswith("[-summer-] {+winter+}")


@pytest.mark.parametrize(("size", "shown"), [(100, "a" * 100), (101, f"{'a' * 100} …")])
def test_a_long_part_in_a_hint_is_shortened(lease, size, shown):
    known = "Copies of all records shall be retained"
    assert lease.cite(f"{known} … {'a' * size}").hint == (
        f"The part '{shown}' is too short to be checked: give more of its sentence."
    )


@settings(max_examples=some(200), deadline=None)
@given(data=st.data())
def test_law_of_altered_parts(contract, data):
    """With an ellipsis, too, one changed word is never confirmed."""
    texts = [place.text.split() for place in contract.places.all if len(place.text.split()) > 16]
    text = data.draw(st.sampled_from(texts))
    parts = [text[:7], text[9:16]]
    assert contract.cite(" … ".join(map(" ".join, parts))).verdict in ABRIDGED
    part = data.draw(st.sampled_from(parts))
    part[data.draw(st.integers(0, 6))] = "zebra"
    quotation = contract.cite(" … ".join(map(" ".join, parts)))
    assert quotation.verdict is Verdict.ALTERED
    assert "zebra-]" in quotation.difference
