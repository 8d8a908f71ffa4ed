"""The LightRAG engine and chunking function in LightRAG's own pipeline."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.batch.validation import validate

pytest.importorskip("lightrag", reason="lightrag-hku is not installed")
pytestmark = pytest.mark.filterwarnings("default")

CONTENT = docx(
    "<p>Before.</p>"
    + "".join(
        f"<p style='Heading1'>Part {n}</p>" + f"<p>{'Some words that fill a page. ' * 30}</p>"
        for n in range(9)
    )
)


class Characters:
    """A tokenizer with LightRAG's interface."""

    def encode(self, content):
        return list(map(ord, content))

    def decode(self, tokens):
        return "".join(map(chr, tokens))


@pytest.fixture
def parsed(tmp_path):
    """Run the pipeline's parsing steps on a file: engine from the registry, context, debug
    store.
    """
    from lightrag.constants import FULL_DOCS_FORMAT_PENDING_PARSE
    from lightrag.parser.base import ParseContext
    from lightrag.parser.debug import build_debug_rag
    from lightrag.parser.registry import get_parser

    from docxchunk.adapters.lightrag import register

    register()
    (tmp_path / "report.docx").write_bytes(CONTENT)
    rag = build_debug_rag()
    context = ParseContext(
        rag,
        "doc-1",
        str(tmp_path / "report.docx"),
        {"parse_format": FULL_DOCS_FORMAT_PENDING_PARSE, "content": ""},
    )
    result = asyncio.run(get_parser("docxchunk").parse(context)).to_dict()
    return rag, result, tmp_path


def test_the_engine_is_an_entry_point():
    import tomllib

    from lightrag.parser.plugins import ENTRY_POINT_GROUP
    from lightrag.parser.registry import supported_parser_engines

    points = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]["entry-points"][ENTRY_POINT_GROUP]
    module, _, function = points["docxchunk"].partition(":")
    getattr(__import__(module, fromlist=[function]), function)()
    assert "docxchunk" in supported_parser_engines()


def test_the_engine_writes_what_native_engines_write(parsed):
    rag, result, folder = parsed
    blocks = Path(result["blocks_path"])
    assert blocks == folder / "__parsed__" / "report.docx.parsed" / "report.blocks.jsonl"
    document = api.read(blocks)
    assert (document.doc_id, result["parse_engine"], result["parse_format"]) == (
        "doc-1",
        "docxchunk",
        "lightrag",
    )
    assert result["content"] == "\n\n".join(block.content for block in document.blocks)
    assert rag.full_docs.data["doc-1"]["content"].endswith(result["content"])
    assert rag.full_docs.data["doc-1"]["sidecar_location"] == f"{blocks.parent.as_uri()}/"
    assert list(validate(blocks)) == []


async def fake_llm(prompt, **settings):
    return "<|COMPLETE|>"


async def fake_vectors(texts):
    import numpy as np

    return np.ones((len(texts), 4), dtype=np.float32)


async def whole_pipeline(folder, option):
    """Run LightRAG's pipeline from the file to the stored chunks, with dummy models."""
    from lightrag import LightRAG
    from lightrag.utils import EmbeddingFunc, Tokenizer

    from docxchunk.adapters.lightrag import Chunker

    rag = LightRAG(
        working_dir=str(folder / "store"),
        workspace=f"test_{option}",
        llm_model_func=fake_llm,
        embedding_func=EmbeddingFunc(embedding_dim=4, max_token_size=8192, func=fake_vectors),
        tokenizer=Tokenizer("characters", Characters()),
        chunking_func=Chunker(folder / "__parsed__"),
        chunk_token_size=1500,
    )
    await rag.initialize_storages()
    await rag.apipeline_enqueue_documents(
        "",
        file_paths=str(folder / "report.docx"),
        docs_format="pending_parse",
        parse_engine="docxchunk",
        process_options=option,
    )
    await rag.apipeline_process_enqueue_documents()
    ((doc_id, status),), _ = await rag.doc_status.get_docs_paginated()
    chunks = await rag.text_chunks.get_by_ids(
        [f"{doc_id}-chunk-{n:03d}" for n in range(status.chunks_count)]
    )
    await rag.finalize_storages()
    return status, chunks


@pytest.mark.parametrize("option", ["C", "P"])
def test_a_whole_pipeline(tmp_path, monkeypatch, option):
    from docxchunk.adapters.lightrag import register

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INPUT_DIR", str(tmp_path))
    register()
    (tmp_path / "report.docx").write_bytes(CONTENT)
    status, chunks = asyncio.run(whole_pipeline(tmp_path, option))
    assert (status.status, status.metadata["parse_engine"]) == ("processed", "docxchunk")
    blocks = api.read(tmp_path / "__parsed__" / "report.docx.parsed").blocks
    held = [ref["id"] for chunk in chunks for ref in chunk["sidecar"]["refs"]]
    assert list(dict.fromkeys(held)) == [block.id for block in blocks]
    if option == "C":
        made = api.chunk(
            tmp_path / "__parsed__" / "report.docx.parsed",
            max_tokens=1500,
            overlap=100,
            tokenizer=len,
        )
        assert [chunk["content"] for chunk in chunks] == [chunk.content for chunk in made]


@pytest.fixture
def registry(monkeypatch):
    """A stand-in for the registry of chunkers that later releases have."""
    specs = []
    module = SimpleNamespace(
        ChunkerSpec=SimpleNamespace,
        register_chunker=specs.append,
        resolve_sidecar_location=lambda uri: Path(uri.removeprefix("file://")),
        specs=specs,
    )
    monkeypatch.setitem(sys.modules, "lightrag.chunker", SimpleNamespace(registry=module))
    monkeypatch.setitem(sys.modules, "lightrag.chunker.registry", module)
    return module


def test_the_chunker_of_the_entry_point_reads_the_parsed_folder(tmp_path, registry):
    from docxchunk.adapters import lightrag

    lightrag.register_chunking()
    (spec,) = registry.specs
    assert (spec.name, spec.accepts_context) == ("docxchunk", True)
    module, _, name = spec.impl.partition(":")
    chunk = getattr(__import__(module, fromlist=[name]), name)
    folder = api.write(api.parse(CONTENT), tmp_path)
    context = SimpleNamespace(sidecar_location=folder.as_uri())
    arguments = (Characters(), "Another text.", None, False, 100, 1500)
    records = asyncio.run(chunk(*arguments, context=context))
    made = api.chunk(folder, max_tokens=1500, overlap=100, tokenizer=len)
    assert [record["content"] for record in records] == [each.content for each in made]
    for other in (None, SimpleNamespace(sidecar_location=None)):
        (record,) = asyncio.run(chunk(*arguments, context=other))
        assert record["content"] == "Another text."


def test_a_release_without_the_registry_has_no_chunker():
    from docxchunk.adapters import lightrag

    with pytest.raises(ImportError):
        lightrag.register_chunking()
