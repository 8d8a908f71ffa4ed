"""Real files are read without a crash, and keep the laws.

The folder is that of the environment variable DOCXCHUNK_CORPUS, else `shared/corpus/dev` beside the
repository.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from docxchunk import api
from docxchunk.errors import DocxchunkError
from docxchunk.records.laws import document_faults

SUFFIXES = (".docx", ".docm", ".dotx", ".dotm")
_BESIDE = Path(__file__).parents[3] / "shared" / "corpus" / "dev"
CORPUS = Path(os.environ.get("DOCXCHUNK_CORPUS", _BESIDE))
# bytes; larger files take longer than a test should
LARGEST = int(os.environ.get("DOCXCHUNK_CORPUS_LARGEST", "300000"))
SMALL = 50_000  # bytes; larger files are read once
FILES = (
    sorted(
        p for p in CORPUS.iterdir() if p.suffix.lower() in SUFFIXES and p.stat().st_size <= LARGEST
    )
    if CORPUS.is_dir()
    else []
)


@pytest.mark.skipif(
    not FILES,
    reason="no corpus: set DOCXCHUNK_CORPUS to a folder of Word "
    f"files ({CORPUS.name} is not there)",
)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file(path):
    try:
        document = api.parse(path)
    except DocxchunkError as error:
        pytest.skip(f"refused: {error}")
    assert path.stat().st_size > SMALL or document == api.parse(path)
    assert list(document_faults(document)) == []
