"""The common words of the languages."""

from __future__ import annotations

import pytest

from docxchunk.language.common_words import shares


@pytest.mark.parametrize(
    ("question", "common"),
    [
        ("how can i terminate the agreement", {"how": 0.0017, "can": 0.0017, "i": 0.02}),
        (
            "wie kann ich die waren zuruckgeben",
            {"wie": 0.005, "kann": 0.0017, "ich": 0.02, "die": 0.02},
        ),
        ("como puedo terminar el contrato", {"como": 0.005, "el": 0.02}),
        ("die terminate agreement", {"die": 0.02}),
        ("合同 如何 终止", {}),
    ],
)
def test_words_are_common_in_the_language_of_the_question(question, common):
    assert shares(question.split()) == common
