"""Headings, names, quotations, references and comparison know the same words for clauses."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx_builder import docx

import docxchunk
from docxchunk import Document, Reader, Verdict
from docxchunk.content.roles import roles_of
from docxchunk.model.blocks import LineKind, LineRole

LINES = (Path(__file__).parents[2] / "fixtures" / "language" / "clause_words.txt").read_text(
    "utf-8"
)
FIRST, SECOND = (
    "The tenant pays the rent on the first day of each month, in advance and without deduction.",
    "Either party may end this contract by a letter that reaches the other one six weeks before.",
)
LAST = "All notices are sent by registered mail to the last known address, as is told in {}."


def document(labels: list[str], texts: list[str]) -> Document:
    clauses = (
        f"<p><r b='1'>{label}. Aims</r></p><p>{text}</p>"
        for label, text in zip(labels, texts, strict=True)
    )
    return docxchunk.parse(docx("".join(clauses)), name="a.docx")


@pytest.mark.parametrize("line", LINES.strip().split("\n")[2:])
def test_a_word_for_a_clause_is_known_everywhere(line):
    spec = line[3:]
    labels = spec.split(", ") if ", " in spec else [spec.replace("#", each) for each in "123"]
    old = document(labels, [FIRST, SECOND, LAST.format(labels[1])])
    assert [block.heading for block in old.blocks] == [f"{label}. Aims" for label in labels]
    if "#" in spec and spec[0] != "§":
        assert LineRole.DIVISION in roles_of(LineKind.TEXT, labels[1], bold=False)
    reader = Reader(old, lambda text: len(text.split()))
    assert SECOND in reader.read(labels[1]).text
    for quotation in (
        f"{labels[1]}: {SECOND}",
        f"{labels[1]}. {SECOND}",
        f"{SECOND} ({labels[1]})",
    ):
        assert (quotation, reader.cite(quotation).verdict) == (quotation, Verdict.FOUND)
    assert reader.cite(f"{labels[0]}: {SECOND}").verdict is Verdict.MOVED
    assert [place.number for place in reader.references(labels[2]).to] == [labels[1]]
    new = document(labels[:2], [SECOND, LAST.format(labels[1])])
    renumbered = docxchunk.compare(old, new).renumbered
    assert (labels[2], labels[1]) in [(each.old_number, each.new_number) for each in renumbered]
