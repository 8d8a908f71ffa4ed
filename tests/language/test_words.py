"""The three kinds of words, side by side."""

from __future__ import annotations

from case_files import each_row

from docxchunk.language.words import COMPARED, QUOTED, SEARCHED


def matches(text: str) -> tuple[list[str], ...]:
    return tuple(
        [match[0] for match in kind.finditer(text)] for kind in (SEARCHED, COMPARED, QUOTED)
    )


@each_row("language")
def test_what_a_word_is_in_search_comparison_and_quotations(text, searched, compared, quoted):
    assert ["|".join(words) for words in matches(text)] == [searched, compared, quoted]
