"""Whole documents as bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from make_fixtures import DOCUMENTS

from docxchunk import api
from docxchunk.model.options import ParseOptions, TrackChanges
from docxchunk.records.whole import packed, unpacked


@pytest.mark.parametrize("path", sorted(DOCUMENTS.glob("*.docx")), ids=lambda path: path.stem)
@pytest.mark.parametrize("changes", list(TrackChanges))
def test_law_a_document_is_as_it_was_but_for_the_files_of_its_pictures(path, changes):
    document = api.parse(path, options=ParseOptions(track_changes=changes))
    assert unpacked(packed(document)) == replace(document, assets={})
