"""The LangChain adapter with LangChain's own classes."""

from __future__ import annotations

import pytest
from cli.helpers import REPORT
from docx_builder import docx

import docxchunk
from docxchunk import api
from docxchunk.errors import InputError, MissingFileError
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


QUESTION = "more text in column b"


@pytest.fixture
def collection(reports):
    pytest.importorskip("numpy", reason="numpy is not installed")
    return docxchunk.Collection.at(reports / "a.docx", cache=False)


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


def test_a_retriever_returns_as_many_places_of_a_document_as_are_wanted(reports):
    pytest.importorskip("numpy", reason="numpy is not installed")
    from docxchunk.adapters.langchain import DocxRetriever

    parts = "".join(f"<p style='Heading1'>{n}</p><p>Rain of {n} days.</p>" for n in range(9))
    (reports / "rain.docx").write_bytes(docx(parts))
    collection = docxchunk.Collection.at(reports, cache=False)
    assert len(collection.search("rain", 9, per_document=3)) == 3
    assert len(DocxRetriever(collection=collection, k=9).invoke("rain")) == 9
    collection = docxchunk.Collection.at(reports, cache=False, metadata={"a.docx": {"client": "A"}})
    retriever = DocxRetriever(collection=collection, k=9, where={"client": "A"})
    assert {each.metadata["source"] for each in retriever.invoke("rain, text")} == {"a.docx"}


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
