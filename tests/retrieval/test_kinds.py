"""The word of a name, such as "Clause", fits the kind of the place."""

from __future__ import annotations

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.errors import UnknownNameError
from docxchunk.retrieval.citing.quotations import Verdict
from docxchunk.retrieval.reading import Reader

HEAD = "<p style='Heading1'>{}</p>"
RECITALS = "<p>(12) Water is a common good.</p><p>(13) The sea belongs to all people.</p>"
LIST = "<p>The steps are:</p>{}".format(
    "".join(f"<p>{number}. Turn the wheel number {number} slowly.</p>" for number in range(1, 15))
)


def reader_of(*parts: str) -> Reader:
    return Reader(api.parse(docx("".join(parts)), name="a.docx"), lambda text: len(text.split()))


def text_of(reader: Reader, name: str) -> str:
    """Return the text of the only place with a name; "" if there is none."""
    places = reader.places.named(name)
    return reader.places.all[places[0]].text if places else ""


@pytest.mark.parametrize(
    ("parts", "name", "expected"),
    [
        # a recital, before sections or articles
        ((RECITALS, HEAD.format("1. Scope")), "Clause 13", ""),
        ((RECITALS, HEAD.format("1. Scope")), "Section 13", ""),
        ((RECITALS, HEAD.format("Artículo 1. Objeto")), "Cláusula 13", ""),
        ((RECITALS, HEAD.format("Article 1")), "Art. 13", ""),
        ((RECITALS, HEAD.format("§ 1 Zweck")), "§ 13", ""),
        ((RECITALS, HEAD.format("第一条 总则")), "第13条", ""),
        ((RECITALS, HEAD.format("Статья 1")), "статья 13", ""),
        ((RECITALS, HEAD.format("1. Scope")), "Recital 13", "(13) The"),
        ((RECITALS, HEAD.format("1. Scope")), "13", "(13) The"),
        ((RECITALS,), "Clause 13", "(13) The"),  # all numbers have brackets
        # an item of a list
        ((HEAD.format("4. Steps"), LIST), "Clause 13", ""),
        ((HEAD.format("4. Steps"), LIST), "Clause 4(13)", "13. Turn"),
        ((HEAD.format("4. Steps"), LIST), "4.13", "13. Turn"),
        ((HEAD.format("Article 4"), LIST), "Clause 13", ""),
        ((HEAD.format("1. Scope"), HEAD.format("Steps"), LIST), "Clause 13", ""),
        ((HEAD.format("Steps"), LIST), "Clause 13", "13. Turn"),  # sections have no numbers
        # numbers that count anew in a larger division
        ((HEAD.format("ARTICLE II"), LIST), "Section 3", "3. Turn"),
        ((HEAD.format("Annex B"), LIST), "Clause 3", "3. Turn"),
        # a clause that is no heading in the file, unlike the one before it
        (
            (HEAD.format("12. Law"), "<p>13. Courts of law.</p><p>14. End.</p>"),
            "Clause 13",
            "13. C",
        ),
        (
            (HEAD.format("12. Law"), "<p>13. Courts of law.</p><p>14. End.</p>"),
            "Clause 14",
            "14. E",
        ),
        ((HEAD.format("12. Law"), LIST), "Clause 14", ""),
        ((HEAD.format("12. Law"), "<p>14. Courts of law.</p>"), "Clause 14", ""),
        # another word
        ((HEAD.format("2. Fees"),), "Section 2", "2. Fees"),
        ((HEAD.format("2. Fees"),), "Chapter 2", "2. Fees"),
        ((HEAD.format("2. Fees"),), "Part 2", ""),
        ((HEAD.format("Article 2"),), "Section 2", ""),
        ((HEAD.format("Article 2"),), "Clause 2", "Article 2"),
        ((HEAD.format("Artikel 2"),), "Abschnitt 2", ""),
        ((HEAD.format("Section 2"),), "§ 2", "Section 2"),
        ((HEAD.format("Chapter 2"),), "Article 2", ""),
        ((HEAD.format("Part 2"),), "Clause 2", ""),
    ],
)
def test_the_word_of_a_name_fits_the_place(parts, name, expected):
    found = text_of(reader_of(*parts), name)
    assert found.startswith(expected)
    assert bool(found) is bool(expected)


def test_a_place_of_another_kind_is_offered_by_its_own_name():
    reader = reader_of(RECITALS, HEAD.format("1. Scope"), HEAD.format("2. Fees"))
    with pytest.raises(UnknownNameError, match=r"no 'Clause 13', but 'recital 13' \(\(13\) The"):
        reader.read("Clause 13")
    with pytest.raises(UnknownNameError, match=r"no 'Part 2', but '2' \(2. Fees\)"):
        reader.read("Part 2")


def test_a_quotation_of_a_recital_is_not_at_a_clause():
    reader = reader_of(RECITALS, HEAD.format("1. Scope"))
    for label, verdict in (("Recital 13", Verdict.FOUND), ("Clause 13", Verdict.MOVED)):
        quotation = reader.cite(f"{label}: The sea belongs to all people")
        assert quotation.verdict is verdict
        assert bool(quotation.hint) is quotation.misplaced
