"""References in sentences of many languages."""

from __future__ import annotations

from case_files import each_row, each_text

from docxchunk.language.references import references_in


@each_row("language", expected=each_text)
def test_references_in_many_languages(text, expected):
    numbers = ["–".join(each[0] for each in found.numbers) for found in references_in(text, set())]
    assert numbers == list(expected)
