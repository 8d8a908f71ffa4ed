"""What plug-ins must keep, as checks to call from tests: `check_strategy`, `check_tokenizer`, `check_format`.

    from docxchunk.testing import check_strategy

    def test_laws():
        check_strategy(MyStrategy())

A check ends in silence or in an AssertionError; none needs more than docxchunk itself. `docxchunk.testing.hypothesis_strategies`
(extra `testing`) makes documents for hypothesis. With `pytest.register_assert_rewrite("docxchunk.testing")` in conftest.py, errors show their values.
"""

from __future__ import annotations

from docxchunk.testing.checks import check_format, check_strategy, check_tokenizer
from docxchunk.testing.documents import ADDITIVE, WHOLE, sample_documents

__all__ = ["ADDITIVE", "WHOLE", "check_format", "check_strategy", "check_tokenizer", "sample_documents"]
