"""The words that limit what is said."""

from __future__ import annotations

from case_files import each_row, each_text

from docxchunk.language.limiting import limiting
from docxchunk.retrieval.citing.quoted_words import folded, words_of


@each_row("language", expected=each_text)
def test_words_that_limit_are_found_in_all_languages(text, expected):
    words = words_of(text)
    found = [" ".join(words[each.start : each.stop]) for each in limiting(folded(words))]
    assert [each.replace("'", "’") for each in found] == expected
