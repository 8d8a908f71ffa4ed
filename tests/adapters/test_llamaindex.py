"""The LlamaIndex adapter with LlamaIndex's own classes."""

from __future__ import annotations

import pytest
from cli.helpers import REPORT

import docxchunk
from docxchunk import api
from docxchunk.errors import MissingFileError, UsageError

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def report(tmp_path):
    (tmp_path / "a.docx").write_bytes(REPORT)
    return tmp_path / "a.docx"


def nodes_of(report, **settings):
    from docxchunk.adapters.llamaindex import DocxNodeParser, DocxReader

    documents = DocxReader().load_data(report)
    return documents, DocxNodeParser(**settings).get_nodes_from_documents(documents)


def test_a_document_is_a_file(report):
    from docxchunk.adapters.llamaindex import DocxReader

    (document,) = DocxReader().load_data(report, extra_info={"year": 2024})
    assert document.text == "\n\n".join(block.content for block in api.parse(report).blocks)
    assert document.metadata == {
        "year": 2024,
        "file_path": str(report),
        "file_name": "a.docx",
        "title": "",
    }


def test_nodes_are_consecutive_chunks(report):
    from llama_index.core.schema import MetadataMode, NodeRelationship

    (document,), nodes = nodes_of(report, max_tokens=64, overlap=0)
    chunks = api.chunk(report, max_tokens=64, overlap=0)
    assert [(node.node_id, node.text, node.metadata["chunk_content"]) for node in nodes] == [
        (chunk.chunk_id, chunk.embed_text, chunk.content) for chunk in chunks
    ]
    assert all(node.ref_doc_id == document.node_id for node in nodes)
    assert [node.next_node.node_id for node in nodes[:-1]] == [node.node_id for node in nodes[1:]]
    assert [node.prev_node.node_id for node in nodes[1:]] == [node.node_id for node in nodes[:-1]]
    assert NodeRelationship.NEXT not in nodes[-1].relationships
    assert nodes[1].metadata["citation"].startswith("a.docx, One")
    for node in nodes:
        assert node.get_content(MetadataMode.EMBED) == node.text
        assert node.get_content(MetadataMode.LLM) == (
            f"citation: {node.metadata['citation']}\n\n{node.text}"
        )


@pytest.mark.parametrize(("text", "attribute"), [(None, "embed_text"), ("content", "content")])
def test_a_reader_with_settings_reads_the_chunks_that_the_loader_of_langchain_loads(
    report, text, attribute
):
    from llama_index.core.schema import MetadataMode

    from docxchunk.adapters.llamaindex import DocxReader

    options = api.ParseOptions(track_changes="original")
    settings = {} if text else {"max_tokens": 64, "overlap": 0, "tokenizer": "cl100k_base"}
    reader = DocxReader(options=options, on_error="skip", text=text, **settings)
    documents = reader.load_data(report, extra_info={"year": 2024})
    chunks = api.chunk(api.parse(report, options=options), **settings)
    assert [(each.id_, each.text) for each in documents] == [
        (chunk.chunk_id, getattr(chunk, attribute)) for chunk in chunks
    ]
    for document in documents:
        assert document.metadata["year"] == 2024
        assert ("chunk_content" in document.metadata) == (text is None)
        assert document.get_content(MetadataMode.EMBED).endswith(document.text)
    with pytest.raises(UsageError, match="text is 'page'"):
        DocxReader(text="page")
    with pytest.raises(UsageError, match="max_tokens is 0"):
        DocxReader(max_tokens=0)
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from docxchunk.adapters import langchain

    loader = langchain.DocxLoader(report, options=options, text=text or "embed_text", **settings)
    assert [each.id for each in loader.lazy_load()] == [each.id_ for each in documents]


def test_a_retriever_returns_the_hits_of_the_search(report):
    pytest.importorskip("numpy", reason="numpy is not installed")
    from docxchunk.adapters.llamaindex import DocxRetriever

    collection = docxchunk.Collection.at(report, cache=False)
    hits = collection.search("more text in column b", 2)
    found = DocxRetriever(collection, similarity_top_k=2).retrieve("more text in column b")
    assert [(each.node.node_id, each.node.text, each.score) for each in found] == [
        (hit.unit.unit_id, hit.unit.content, hit.score) for hit in hits
    ]
    with pytest.raises(MissingFileError, match="No document has a value named client"):
        DocxRetriever(collection, where={"client": "A"}).retrieve("more text")
    whole = DocxRetriever(collection, parent="section").retrieve("Hello world")
    assert whole[0].node.text.endswith("world.\na | b\n1 | 2")
    with pytest.raises(UsageError, match="parent is 'page'"):
        DocxRetriever(collection, parent="page")


def test_a_directory_reader_and_an_index(report):
    from llama_index.core import MockEmbedding, SimpleDirectoryReader, VectorStoreIndex

    from docxchunk.adapters.llamaindex import DocxNodeParser, DocxReader

    documents = SimpleDirectoryReader(
        str(report.parent), file_extractor={".docx": DocxReader()}
    ).load_data()
    index = VectorStoreIndex.from_documents(
        documents,
        transformations=[DocxNodeParser(max_tokens=64)],
        embed_model=MockEmbedding(embed_dim=4),
    )
    found = index.as_retriever(similarity_top_k=3).retrieve("anything")
    assert {each.node.node_id for each in found} <= {
        chunk.chunk_id for chunk in api.chunk(report, max_tokens=64)
    }
    assert found


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [({"strategy": "foo"}, "no strategy named 'foo'"), ({"max_tokens": 3}, "max_tokens is 3")],
)
def test_wrong_settings_are_refused_at_once(settings, sentence):
    from docxchunk.adapters.llamaindex import DocxNodeParser

    with pytest.raises(ValueError, match=sentence):
        DocxNodeParser(**settings)
