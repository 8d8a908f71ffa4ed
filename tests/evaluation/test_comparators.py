"""External chunkers return ranges of the text, in order. Each is tested if its package is
installed.
"""

from __future__ import annotations

import pytest
from make_fixtures import DOCUMENTS

import docxchunk
from benchmarks import comparators
from docxchunk.evaluation.passages import sources

PACKAGES = {
    "langchain": "langchain_text_splitters",
    "langchain_markdown": "langchain_text_splitters",
    "chonkie": "chonkie",
    "docling": "docling_core.transforms.chunker.hybrid_chunker",
}


@pytest.mark.filterwarnings("default")  # of packages that are not ours
@pytest.mark.parametrize("name", PACKAGES)
def test_all_of_the_text_in_order(name):
    pytest.importorskip(
        PACKAGES[name],
        reason=f"the extra test-comparators is not installed: {name}",
        exc_type=ImportError,
    )
    text = sources([docxchunk.parse(DOCUMENTS / "contract.docx")])[0].text
    found = [*getattr(comparators, name)(text, 120)]
    assert len(found) > 3
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert found == sorted(found)
    letters = "".join("".join(filter(str.isalnum, text[start:end])) for start, end in found)
    assert letters == "".join(filter(str.isalnum, text))
    assert sum(comparators.tokens(text[start:end]) for start, end in found) / len(found) < 130
