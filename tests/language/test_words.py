"""The three kinds of words, side by side."""

from __future__ import annotations

import pytest

from docxchunk.language.words import COMPARED, QUOTED, SEARCHED


def matches(text: str) -> tuple[list[str], ...]:
    return tuple(
        [match[0] for match in kind.finditer(text)] for kind in (SEARCHED, COMPARED, QUOTED)
    )


@pytest.mark.parametrize(
    ("text", "searched", "compared", "quoted"),
    [
        (
            "It's 1,200.50 (70 %)",
            "It|s|1,200|50|70",
            "It|'|s |1,200.50 |(|70 |%|)",
            "It's|1,200.50|70|%",
        ),
        ("8.2.1a no_w", "8.2.1a|no|w", "8|.|2|.|1a |no|_|w", "8.2.1|a|no_w"),
        ("第3条。", "第|3|条", "第|3|条|。", "第|3|条"),
        ("𠮷野家x", "𠮷野家|x", "𠮷|野|家|x", "𠮷|野|家|x"),
        ("佐々木 二〇年", "佐々木|二〇年", "佐|々|木 |二|〇|年", "佐|々|木|二|〇|年"),
        ("東京 서울", "東京|서울", "東|京 |서|울", "東|京|서|울"),
    ],
)
def test_what_a_word_is_in_search_comparison_and_quotations(
    text: str, searched: str, compared: str, quoted: str
):
    assert ["|".join(words) for words in matches(text)] == [searched, compared, quoted]
