"""What is read, and how often, on the road from a file to chunks, units, places and Markdown."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.content import tables
from docxchunk.model.blocks import TableFormat
from docxchunk.retrieval.finding.places import Places

_PACKAGE = Path(api.__file__).parent
_LAYERS = Path(__file__).parents[1] / "docs/design/architecture.md"

_ROWS = "".join(f"<tr><tc>Valve {n}</tc><tc>{n} mm</tc></tr>" for n in range(9))
_HEADER = '<tr header="1"><tc>Part of the road</tc><tc>Size</tc></tr>'
_MERGED = '<tr><tc span="2">All parts</tc></tr>'


@pytest.mark.parametrize("above", [_HEADER, _HEADER + _MERGED])
def test_each_table_is_parsed_once(above: str, monkeypatch: pytest.MonkeyPatch):
    bodies: list[str] = []

    def counted(table_format: TableFormat, body: str) -> list[tuple[int, int]]:
        bodies.append(body)
        return parsers[table_format](body)

    parsers = dict(tables._ROW_PARSERS)
    for table_format in parsers:
        monkeypatch.setitem(
            tables._ROW_PARSERS, table_format, lambda body, f=table_format: counted(f, body)
        )
    tables._row_ranges.cache_clear()
    document = api.parse(docx(f"<p>First</p><tbl>{above}{_ROWS}</tbl><p>Last</p>"))
    chunks = api.chunk(document)
    assert "Part of the road: Valve 8" in chunks[-1].embed_text
    assert api.units(document, chunks)
    assert Places(document).all
    assert document.to_markdown()
    assert api.chunk(document, strategy="R", tables="markdown")
    assert [table.to_html() for table in document.tables]
    assert len(bodies) == 1


def test_the_road_of_one_paragraph_is_described():
    road = _LAYERS.read_text("utf-8").partition("## The road")[2].partition("\n## ")[0]
    described = {
        f"{name}/__init__" if (_PACKAGE / name).is_dir() else name
        for name in re.findall(r"(?m)^\| `([\w/]+)`", road)
    }
    reached: set[str] = set()

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            reached.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        chunks = api.chunk(api.parse(docx("<p>The tenant pays the rent.</p>")))
        assert chunks[0].embed_text
    finally:
        sys.setprofile(before)
    assert len(described) > 20
    assert {str(_PACKAGE / f"{name}.py") for name in described} <= reached
