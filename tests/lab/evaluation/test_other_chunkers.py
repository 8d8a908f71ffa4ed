"""External chunkers return ranges of the text, in order. Each is tested if its package is
installed.
"""

from __future__ import annotations

import pytest
from make_fixtures import DOCUMENTS

import docxchunk
from benchmarks import other_chunkers
from docxchunk.lab.evaluation.alignment import Alignment
from docxchunk.lab.evaluation.passages import sources

PACKAGES = {
    "langchain": "langchain_text_splitters",
    "semantic_text_splitter": "semantic_text_splitter",
}
PIPELINES = {
    "markitdown_langchain": "markitdown",
    "langchain_pieces": "langchain_text_splitters",
    "markitdown_pieces": "markitdown",
    "docling": "docling.backend.msword_backend",
    "docling_rs": "docling_rs",
    "all2md": "all2md",
    "docslicer": "docslicer",
    "xberg": "xberg",
    "docxchunk_p": "docxchunk",
    "docxchunk_r": "docxchunk",
}


@pytest.mark.filterwarnings("default")  # of packages that are not ours
@pytest.mark.parametrize("name", PACKAGES)
def test_all_of_the_text_in_order(name):
    pytest.importorskip(
        PACKAGES[name],
        reason=f"of benchmarks/requirements.txt is not installed: {name}",
        exc_type=ImportError,
    )
    text = sources([docxchunk.parse(DOCUMENTS / "contract.docx")])[0].text
    found = [*getattr(other_chunkers, name)(text, 120)]
    assert len(found) > 3
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert found == sorted(found)
    letters = "".join("".join(filter(str.isalnum, text[start:end])) for start, end in found)
    assert letters == "".join(filter(str.isalnum, text))
    assert sum(other_chunkers.tokens(text[start:end]) for start, end in found) / len(found) < 130


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_show_the_document(name):
    pytest.importorskip(
        PIPELINES[name],
        reason=f"of benchmarks/requirements.txt is not installed: {name}",
        exc_type=ImportError,
    )
    file = DOCUMENTS / "contract.docx"
    text, ranges = getattr(other_chunkers, name)(file, 120)
    found = [*ranges]
    assert all(0 <= start < end <= len(text) for start, end in found)
    source = sources([docxchunk.parse(file)])[0]
    shown = Alignment(text, source).shown(0, len(text))
    assert sum(piece.end - piece.start for piece in shown) > 0.8 * len(source.text)
