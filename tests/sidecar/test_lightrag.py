"""Exchange of files with LightRAG, in both directions (if lightrag-hku is installed)."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.batch.validation import validate
from docxchunk.model.blocks import Block

pytest.importorskip("lightrag")
pytestmark = [pytest.mark.foreign_files, pytest.mark.filterwarnings("default")]

CONTENT = docx(
    "<p>Before.</p><p style='Heading1'>One</p><p>Hello world.</p>"
    "<tbl><tr header='1'><tc "
    "span='2'>ab</tc></tr>" + "<tr><tc>one</tc><tc>two words</tc></tr>" * 60 + "</tbl>"
    "<p style='Heading2'>Two</p>" + "<p>More text, and more of it. "
    "Some sentences follow.</p>" * 40 + '<p><eq>f(num("a") '
    'den("b"))</eq></p>'
)


def lightrag_chunks(blocks: Path, size: int) -> list[dict]:
    from lightrag.chunker.paragraph_semantic import chunking_by_paragraph_semantic
    from lightrag.utils import Tokenizer

    class Characters:
        def encode(self, content: str) -> list[int]:
            return list(map(ord, content))

        def decode(self, tokens: list[int]) -> str:
            return "".join(map(chr, tokens))

    return chunking_by_paragraph_semantic(
        Tokenizer("characters", Characters()), "", size, blocks_path=str(blocks)
    )


def lightrag_parse(source: Path, parsed: Path) -> Path:
    """Parse a file with LightRAG's native parser and return the output folder."""
    from lightrag.parser.docx.parser import NativeDocxParser
    from lightrag.sidecar.writer import write_sidecar

    parser, assets = NativeDocxParser(), parsed / f"{source.stem}.blocks.assets"
    assets.mkdir(parents=True)
    blocks, _, metadata = parser.extract(
        source, parsed_dir=parsed, asset_dir=assets, base_name=source.stem
    )
    ir = parser.build_ir(
        blocks, document_name=source.name, asset_dir_name=assets.name, metadata=metadata
    )
    return Path(
        write_sidecar(
            ir, parsed_dir=parsed, doc_id="doc-1", engine="native", clean_parsed_dir=False
        )["blocks_path"]
    )


@pytest.mark.parametrize("size", [500, 4000])
def test_lightrag_chunks_written_blocks(tmp_path, size):
    folder = api.write(api.parse(CONTENT, name="report.docx"), tmp_path)
    chunks = lightrag_chunks(folder / "report.blocks.jsonl", size)
    text = "".join(chunk["content"] for chunk in chunks)
    assert all(
        word in text for word in ("Before.", "Hello world.", "two words", "Some sentences follow.")
    )


def outline(block: Block) -> tuple:
    return block.heading, block.level, block.parent_headings


def test_output_of_the_lightrag_parser_is_read_and_chunked(tmp_path):
    (tmp_path / "report.docx").write_bytes(CONTENT)
    blocks = lightrag_parse(tmp_path / "report.docx", tmp_path / "theirs.parsed")
    theirs, ours = api.read(blocks), api.parse(tmp_path / "report.docx")
    assert [outline(block) for block in theirs.blocks] == [outline(block) for block in ours.blocks]
    assert len(api.chunk(blocks, max_tokens=200)) > 3
    assert list(validate(blocks)) == []
