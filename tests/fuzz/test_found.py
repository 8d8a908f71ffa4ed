"""Faults that fuzzing found: one test for each, with its minimized input."""

from __future__ import annotations

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.errors import LimitError
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document
from docxchunk.model.options import Limits, ParseOptions
from docxchunk.records.laws import chunk_faults
from docxchunk.testing.hypothesis_strategies import ADDITIVE, WHOLE


@pytest.mark.parametrize("most", range(32, 37))
def test_slices_of_empty_rows_fit(most):
    for count in range(12, 18):
        document = api.parse(
            docx(f"<p>Between.</p><tbl><tblGrid/>{'<tr/>' * count}</tbl><p>Between.</p>")
        )
        chunks = run(document, P(), ChunkLimits(most, 0), ADDITIVE).chunks
        assert not list(chunk_faults(document, chunks, most, ADDITIVE.count))


def test_the_limit_of_the_output_holds():
    with pytest.raises(LimitError):
        api.parse(
            docx("<p>more than ten characters</p>"), options=ParseOptions(limits=Limits(output=10))
        )


@pytest.mark.parametrize("before", [(), (Block("a", "words " * 20, "H", (), 1),)])
def test_an_escaped_blank_in_a_cell_may_be_lost(before):
    # whose tag alone is over the cap
    text = f'<table id="{"t" * 80}" format="json">[["\\u2028"]]</table>'
    document = Document("x.docx", "docx", "doc-0", "", (*before, Block("b", text)))
    chunks = run(document, P(), ChunkLimits(32, 0), WHOLE).chunks
    assert not list(chunk_faults(document, chunks, 32, WHOLE.count))


def test_a_word_that_looks_like_an_escaped_blank_must_not_be_lost():
    text = '<table id="t" format="json">[["\\\\u2028"]]</table>'  # a backslash, and then u2028
    document = Document("x.docx", "docx", "doc-0", "", (Block("b", text),))
    assert ["2028" in fault for fault in chunk_faults(document, (), 32, WHOLE.count)] == [True]
