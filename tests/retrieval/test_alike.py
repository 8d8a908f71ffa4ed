"""What a document writes with the signs of Word, with hidden characters, ligatures or accents is
found, read, defined, searched and cited as people type it.
"""

from __future__ import annotations

from unicodedata import normalize

import pytest
from docx_builder import docx
from hypothesis import assume, given
from hypothesis import strategies as st

from docxchunk import Collection, api
from docxchunk.language.folding import alike, typed
from docxchunk.retrieval.reading import Reader

# as the document has it, and as a person types it
WAYS = [
    ("Tenant’s due – diligence", "tenant's due - diligence"),
    ("Tenant’s due—diligence", "Tenant's due--diligence"),
    ("Donau\u00addampf\u00adschiff", "donaudampfschiff"),
    ("pay\u200bment\u2060 by\u00a0wire", "payment by wire"),
    ("ﬁnal oﬀer", "final offer"),
    ("Ａｒｔ４２ ｏｆ law", "art42 of LAW"),
    ("plazo de duración", "plazo de duracion"),
    (normalize("NFD", "plazo de duración"), "plazo de duración"),
    ("plazo de duración", normalize("NFD", "plazo de duración")),
    ("main d’œuvre załącznik", "main d'oeuvre zalacznik"),
    (normalize("NFD", "계약 해지"), "계약 해지"),
    ("Großer Straßenbau", "GROSSER STRASSENBAU"),
]


@pytest.mark.parametrize(("written", "said"), WAYS)
def test_words_are_found_as_they_are_typed(tmp_path, written, said):
    xml = (
        f"<p style='Heading1'>{written}</p><p>“{written}” means the work – all of it.</p>"
        f"<p>It is known that {written} ends in May of that year.</p>"
        "<tbl><tr><tc>One</tc><tc>Two</tc></tr></tbl>"
    )
    file = tmp_path / "a.docx"
    file.write_bytes(docx(xml))
    reader = Reader(api.parse(file))
    total, passages = reader.find(said)
    assert total == 3
    for passage in passages:
        start, end = passage.match
        assert alike(passage.text[start:end]).casefold() == alike(written).casefold()
    assert reader.read(said).text.startswith("# ")
    assert next(passage.text for passage in reader.define(said)).startswith("“")
    assert reader.cite(f"It is known that {said} ends in May").is_found
    pytest.importorskip("numpy", reason="numpy is not installed")
    best = Collection.at(file, cache=False).search(said)[0]
    words = {best.text[at.start : at.end] for at in best.words_in(best.text)}
    assert len(best.words) >= len(said.split()) - 1
    assert len(words) >= len(best.words)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", ["Artículo 2", "articulo 2", "ＡＲＴÍＣＵＬＯ ２", "art. 2", "2"])
def test_a_clause_is_read_and_cited_with_and_without_accents(form, name):
    xml = normalize(form, "<p style='Heading1'>Artículo {}. Plazo</p><p>Dura {} años en total.</p>")
    reader = Reader(api.parse(docx(xml.format(1, "dos") + xml.format(2, "seis"))))
    for given_name in (normalize("NFC", name), normalize("NFD", name)):
        assert alike("seis años") in alike(reader.read(given_name).text)
        if name != "2":
            assert reader.cite(f"{given_name}: Dura seis años en total.").is_found


def test_a_regular_expression_matches_the_text_as_it_is_and_as_it_is_typed():
    reader = Reader(api.parse(docx("<p>the tenant’s “Rent” – 2023–2024</p>")))
    for pattern in (r"tenant’s", r"tenant's", r'"Rent" - \d', r"“Rent”", "\u2013"):
        total, (passage,) = reader.find(pattern, "regex")
        assert total in (1, 2)
        assert passage.text[slice(*passage.match)]


@given(
    text=st.text(st.sampled_from("ab é\u0301\u00ad’“–ﬁœ…Ａ가각ß\u200b"), min_size=1), data=st.data()
)
def test_each_part_of_a_line_is_found_as_it_is_typed(text, data):
    assume(text.strip() and text[0] != "\u0301")
    place = Reader(api.parse(docx(f"<p>x {text} y</p>"))).places.all[0].text
    start = data.draw(st.integers(0, len(place) - 1))
    part = place[start : data.draw(st.integers(start + 1, len(place)))]
    assume(alike(part).strip() and "\u0301" not in (part[0], place[start + len(part) :][:1]))
    reader = Reader(api.parse(docx(f"<p>x {text} y</p>")))
    for said in (part, typed(part), alike(part), normalize("NFD", part), part.casefold()):
        total, (passage,) = reader.find(said, "parts")
        assert total
        found = passage.text[slice(*passage.match)]
        assert "".join(alike(said).casefold().split()) in "".join(alike(found).casefold().split())
