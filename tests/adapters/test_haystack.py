"""The Haystack adapter with Haystack's own classes."""

from __future__ import annotations

from inspect import signature

import pytest
from cli.helpers import REPORT

from docxchunk import api
from docxchunk.errors import UsageError

pytest.importorskip("haystack", reason="haystack-ai is not installed")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def report(tmp_path):
    (tmp_path / "a.docx").write_bytes(REPORT)
    return tmp_path / "a.docx"


def test_paths_and_streams(report):
    from haystack.dataclasses import ByteStream

    from docxchunk.adapters.haystack import DocxToChunks

    stream = ByteStream(REPORT, meta={"file_path": "b.docx", "year": 2024})
    documents = DocxToChunks(max_tokens=64, overlap=0).run(
        [report, str(report), stream], meta=[{"n": 1}, {}, {}]
    )["documents"]
    chunks = api.chunk(report, max_tokens=64, overlap=0)
    assert [(each.id, each.content) for each in documents[: len(chunks)]] == [
        (chunk.chunk_id, chunk.embed_text) for chunk in chunks
    ]
    assert documents[0].meta["chunk_content"] == chunks[0].content
    assert len(documents) == 3 * len(chunks)
    assert (documents[0].meta["n"], documents[0].meta["file_path"]) == (1, str(report))
    assert (documents[-1].meta["source"], documents[-1].meta["year"]) == ("b.docx", 2024)
    assert documents[-1].meta["citation"].startswith("b.docx, One")


def test_an_unreadable_source_is_logged(report, caplog):
    from docxchunk.adapters.haystack import DocxToChunks

    (report.parent / "bad.docx").write_bytes(b"no zip")
    documents = DocxToChunks().run([report.parent / "bad.docx", report.parent / "no.docx", report])[
        "documents"
    ]
    assert len(documents) == len(api.chunk(report))
    assert "bad.docx" in caplog.text
    assert "no.docx does not exist" in caplog.text


def test_a_pipeline_can_be_saved(report):
    from haystack import Pipeline
    from haystack.components.writers import DocumentWriter
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    from docxchunk.adapters.haystack import DocxToChunks

    pipeline = Pipeline()
    pipeline.add_component(
        "converter", DocxToChunks(max_tokens=64, settings={"anchors": "furthest"})
    )
    pipeline.add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    pipeline.connect("converter", "writer")
    modules = {"allowed_modules": ["haystack.*", "docxchunk.*"]}
    takes_them = "allowed_modules" in signature(Pipeline.loads).parameters  # since 3.0
    again = Pipeline.loads(pipeline.dumps(), **(modules if takes_them else {}))
    assert (
        again.get_component("converter").to_dict() == pipeline.get_component("converter").to_dict()
    )
    written = again.run({"converter": {"sources": [report]}})["writer"]["documents_written"]
    assert written == len(api.chunk(report, max_tokens=64))
    with pytest.raises(UsageError):
        DocxToChunks(tokenizer=len).to_dict()
