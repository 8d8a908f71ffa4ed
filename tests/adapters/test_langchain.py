"""The LangChain adapter with LangChain's own classes."""

from __future__ import annotations

import pytest
from cli.helpers import REPORT

import docxchunk
from docxchunk import api
from docxchunk.adapters import Parent, results
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.model.options import ParseOptions

pytest.importorskip("langchain_text_splitters", reason="langchain-text-splitters is not installed")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def reports(tmp_path):
    (tmp_path / "below").mkdir()
    for name in ("a.docx", "below/b.docx"):
        (tmp_path / name).write_bytes(REPORT)
    return tmp_path


def test_documents_are_chunks(reports):
    from docxchunk.adapters.langchain import DocxLoader

    documents = DocxLoader(reports / "a.docx", max_tokens=64, overlap=0).load()
    chunks = api.chunk(reports / "a.docx", max_tokens=64, overlap=0)
    assert [(each.id, each.page_content) for each in documents] == [
        (chunk.chunk_id, chunk.embed_text) for chunk in chunks
    ]
    assert [each.metadata["chunk_content"] for each in documents] == [
        chunk.content for chunk in chunks
    ]
    assert all(
        isinstance(value, (str, int)) for each in documents for value in each.metadata.values()
    )
    assert documents[1].metadata["source"] == str(reports / "a.docx")
    assert documents[1].metadata["citation"].startswith("a.docx, One")
    assert sorted(path.name for path in reports.iterdir()) == ["a.docx", "below"]


def test_a_folder(reports):
    from docxchunk.adapters.langchain import DocxLoader

    documents = DocxLoader(str(reports)).load()
    assert {each.metadata["source"] for each in documents} == {
        str(reports / "a.docx"),
        str(reports / "below" / "b.docx"),
    }
    assert len({each.id for each in documents}) == len(documents)
    with pytest.raises(MissingFileError):
        DocxLoader(reports / "no.docx").load()


def test_a_vector_store_accepts_documents(reports):
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    from docxchunk.adapters.langchain import DocxLoader

    store = InMemoryVectorStore.from_documents(
        DocxLoader(reports / "a.docx").load(), DeterministicFakeEmbedding(size=8)
    )
    found = store.similarity_search(
        "anything", k=1, filter=lambda each: each.metadata["level"] == 1
    )
    assert found[0].metadata["heading"] == "One"


QUESTION = "more text in column b"


@pytest.fixture
def collection(reports):
    pytest.importorskip("numpy", reason="numpy is not installed")
    return docxchunk.Collection.at(reports / "a.docx", keep=False)


def test_a_retriever_returns_the_hits_of_the_search(collection):
    from docxchunk.adapters.langchain import DocxRetriever

    hits = collection.search(QUESTION, 2)
    found = DocxRetriever(collection=collection, k=2).invoke(QUESTION)
    assert [(each.id, each.page_content) for each in found] == [
        (hit.unit.unit_id, hit.unit.content) for hit in hits
    ]
    assert len(hits) == 2
    assert [each.metadata["citation"] for each in found] == [hit.unit.citation for hit in hits]
    assert found[0].metadata["source"] == "a.docx"


def test_a_retriever_returns_the_text_around_the_hits(collection):
    from docxchunk.adapters.langchain import DocxRetriever

    retriever = DocxRetriever(collection=collection, parent="section", max_tokens=20)
    found = [(each.page_content, each.metadata) for each in retriever.invoke(QUESTION)]
    expected = results(collection, QUESTION, 10, Parent.SECTION, 20)
    assert found == [(each.text, each.metadata) for each in expected]


def test_the_splitter_counts_tokens():
    from langchain_core.documents import Document

    from docxchunk.adapters.langchain import DocxTextSplitter

    splitter = DocxTextSplitter(chunk_size=40, chunk_overlap=0)
    text = "\n\n".join(f"Paragraph {n} says something about <table> number {n}." for n in range(30))
    parts = splitter.split_text(text)
    assert all(api.tokenizer().count(part) <= 40 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
    documents = splitter.transform_documents(
        [Document(page_content=text, metadata={"source": "x"})]
    )
    assert [each.page_content for each in documents] == parts
    assert {each.metadata["source"] for each in documents} == {"x"}
    assert splitter.split_text("") == []


@pytest.mark.parametrize(("size", "overlap"), [(64, 16), (399, 99), (400, 100), (2000, 100)])
def test_the_default_overlap_is_a_quarter_at_most(size, overlap):
    from docxchunk.adapters.langchain import DocxTextSplitter

    assert DocxTextSplitter(chunk_size=size)._chunk_overlap == overlap


@pytest.mark.parametrize("size", [32, 64, 99, 100])
def test_the_default_overlap_fits_small_chunks(size):
    from docxchunk.adapters.langchain import DocxTextSplitter

    splitter = DocxTextSplitter(chunk_size=size)
    count = api.tokenizer().count
    assert 0 < max(map(count, splitter.split_text("Word after word. " * 200))) <= size


def test_the_loader_takes_options_and_skips_on_request(reports):
    from docxchunk.adapters.langchain import DocxLoader

    (reports / "bad.docx").touch()
    with pytest.raises(InputError, match=r"bad\.docx"):
        DocxLoader(reports).load()
    loaded = DocxLoader(
        reports, options=ParseOptions(track_changes="original"), on_error="skip", max_tokens=64
    ).load()
    assert len({each.metadata["source"] for each in loaded}) == 2
    assert any("old" in each.page_content for each in loaded)


def test_the_size_of_chunks_is_a_number():
    from docxchunk.adapters.langchain import DocxTextSplitter

    with pytest.raises(UsageError, match="chunk_size is '64'"):
        DocxTextSplitter(chunk_size="64")


@pytest.mark.parametrize(
    ("path", "settings", "sentence"),
    [
        (None, {}, "path is None"),
        (["a", "b"], {}, "path is"),
        ("a", {"max_tokens": 3}, "max_tokens is 3"),
    ],
)
def test_wrong_arguments_are_refused_at_once(path, settings, sentence):
    from docxchunk.adapters.langchain import DocxLoader

    with pytest.raises(UsageError, match=sentence):
        DocxLoader(path, **settings)
