"""Checks for the tests of plug-ins: `check_strategy`, `check_tokenizer`, `check_format`.

    from docxchunk.testing import check_strategy

    def test_laws():
        check_strategy(MyStrategy())

A check raises AssertionError if a requirement is violated. The checks need no extra.
`docxchunk.testing.hypothesis_strategies` (extra `testing`) generates documents for hypothesis. With
`pytest.register_assert_rewrite("docxchunk.testing")` in conftest.py, errors show the values.
"""

from __future__ import annotations

from docxchunk.testing.checks import check_format, check_strategy, check_tokenizer
from docxchunk.testing.documents import ADDITIVE, WHOLE, sample_documents

__all__ = [
    "ADDITIVE",
    "WHOLE",
    "check_format",
    "check_strategy",
    "check_tokenizer",
    "sample_documents",
]
