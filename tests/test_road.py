"""What is read, and how often, on the road from a file to chunks, units, places and Markdown."""

from __future__ import annotations

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.content import tables
from docxchunk.model.blocks import TableFormat
from docxchunk.retrieval.finding.places import Places

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
    assert len(bodies) == 1
