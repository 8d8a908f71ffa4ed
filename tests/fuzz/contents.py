"""Make contents from fuzz data: text with whole, forged, truncated and nested tags, as our blocks
and as records of other writers.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import orjson
from fuzz import laws
from fuzz.source import NUMBERS, Source

from docxchunk import api
from docxchunk.chunking import ChunkLimits
from docxchunk.content import tables
from docxchunk.content.tags import (
    escape_attribute,
    escape_text,
    plain,
    unescape_text,
)
from docxchunk.errors import DocxchunkError
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document
from docxchunk.model.objects import Table, TableFormat

_MARKS = (
    *(
        "<table>",
        '<table id="tb-0-1" format="json">',
        "<table id=tb format='html'>",
        "<TABLE format=xml>",
        "<table",
        "</table>",
        "</TABLE >",
    ),
    *(
        "<tr>",
        "</tr>",
        "<td>",
        "</td>",
        '<td rowspan="3">',
        '<td rowspan="99999999999" colspan="x">',
        '<th colspan="2" rowspan="٣">',
        "</th>",
        "<thead>",
        "</thead>",
    ),
    *(
        "[",
        "]",
        "[[",
        "]]",
        '["a","b"]',
        '"',
        "\\",
        '"\\ud83d\\ude00"',
        '"\\ud83d"',
        '"\\u12"',
        ",",
        "null",
        "1e999",
        "{}",
        '[["a"],"b"]',
        "[" * 60,
    ),
    *(
        "<equation format='latex'>",
        "</equation>",
        "<drawing />",
        "<drawing",
        "/>",
        "<br>",
        "<sup>",
        "</sub>",
        "&lt;table",
        "&amp;amp;lt;tr",
        "[^1]: ",
    ),
    *(
        "\n",
        "\n\n",
        " ",
        "\u2028",
        "word ",
        "One sentence. Another! ",
        "第三条 供应商应当。",
        "y" * 150,
        "|",
        "#",
    ),
)


class Content(NamedTuple):
    document: Document
    size: ChunkLimits


def show(made: Content) -> str:
    return f"{made.size}\n" + "\n".join(f"{block!r}" for block in made.document.blocks)


# -- text that anybody may have written
# -------------------------------------------------------------------------------


def markup(source: Source) -> Content:
    """Return a block with tags in any order and unknown lines."""
    size = laws.chunk_limits(source)
    text = "".join(source.pick((*_MARKS, source.text())) for _ in source.some(60)) or "x"
    header = "".join(source.pick(_MARKS) for _ in source.some(6))
    known = (
        {"tb-0-1": Table("tb-0-1", "b", "", (), 1, 1, TableFormat.JSON, "", header)}
        if source.chance()
        else {}
    )
    return Content(
        Document("x.docx", "docx", "doc-0", "", (Block("b", text, "H", (), 1),), tables=known), size
    )


def check_markup(made: Content) -> None:
    (block,) = made.document.blocks
    for table in tables.tables(block.content):
        for row, _ in enumerate(table.merged_above):
            table.cells(row)
    tables.json_steps(block.content)
    plain(block.content)
    if unescape_text(escape_text(block.content)) != block.content:
        raise laws.LawBrokenError("escaping cannot be undone")
    if set('<>"\n') & set(escape_attribute(block.content)):
        raise laws.LawBrokenError("an attribute can be left")
    laws.chunks_hold(made.document, made.size)


# -- records of other writers
# -----------------------------------------------------------------------------------------

_FIELDS = tuple(
    """
    type blockid content heading parent_headings level session_type positions number lines
    page table_slice heading_source doc_id options document_name parse_engine structured
    title issues characters tables notes
""".split()
)


def sidecar(source: Source) -> dict[str, bytes]:
    """Return a .blocks.jsonl and the files beside it, by name."""
    lines = [
        orjson.dumps(_record(source)) if source.number(15) else source.take(30)
        for _ in range(1 + source.number(5))
    ]
    files = {"x.blocks.jsonl": b"\n".join(lines)}
    for kind in ("tables", "equations", "drawings", "notes", "report"):
        if source.chance(4):
            files[f"x.{kind}.json"] = orjson.dumps(
                {
                    kind: {"tb-0-1": _record(source)},
                    "issues": _json(source, 0),
                    "characters": _json(source, 0),
                }
            )
    return files


def _record(source: Source) -> dict[str, object]:
    whole: dict[str, object] = {
        "type": source.pick(("content", "meta", "x")),
        "blockid": "b",
        "content": "one\ntwo",
        "heading": "",
        "parent_headings": [],
        "level": 1,
    }
    for _ in source.some(5):
        name = source.pick(_FIELDS)
        whole[name] = (
            "".join(source.pick(_MARKS) for _ in source.some(8))
            if name == "content" and source.chance()
            else _json(source, 0)
        )
    return whole


def _json(source: Source, depth: int) -> object:
    match source.number(7):
        case 0:
            return source.text()
        case 1:
            return source.number(1000) - 100
        case 2:
            return source.pick((None, True, False, 1.5, 1 << 62, -1))
        case 3 | 4 if depth < 4:
            return [_json(source, depth + 1) for _ in source.some(4)]
        case 5 | 6 if depth < 4:
            return {
                source.pick(
                    tuple("type range kind paraid start x number limits depth".split())
                ): _json(source, depth + 1)
                for _ in source.some(4)
            }
    return source.pick(NUMBERS)


def show_files(files: dict[str, bytes]) -> str:
    return "\n".join(f"--- {name}\n{data!r}" for name, data in files.items())


def check_sidecar(files: dict[str, bytes]) -> None:
    with TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        try:
            document = api.read(folder)
        except DocxchunkError:
            return
    laws.chunks_fit(document, ChunkLimits(40, 5))
