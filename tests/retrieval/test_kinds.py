"""The word of a name, such as "Clause", fits the kind of the place."""

from __future__ import annotations

import pytest
from case_files import each_row, each_text
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


@each_row("retrieval", parts=each_text)
def test_the_word_of_a_name_fits_the_place(parts, name, expected):
    named = {"recitals": RECITALS, "list": LIST}
    found = text_of(
        reader_of(
            *(
                HEAD.format(part[1:-1]) if part[0] == "[" else named.get(part, f"<p>{part}</p>")
                for part in parts
            )
        ),
        name,
    )
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
