"""Texts for people: the language of a text, by its script."""

from __future__ import annotations

import pytest

from docxchunk.model.wording import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", ""),
        ("An English text with a name, 王.", ""),
        ("本合同自签订之日起生效。", "zh"),
        ("中文 with words.", "zh"),
        ("この契約は、締結の日から効力を生じる。", "ja"),
        ("계약은 체결한 날부터 효력을 가진다.", "ko"),
        ("契約書類提出期限の延長", "zh"),  # one kana for ten ideographs
        ("契約書類提出の期限", "ja"),  # more
    ],
)
def test_language(text, language):
    assert language_of(text) == language
