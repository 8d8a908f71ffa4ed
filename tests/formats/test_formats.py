"""Written formats can be read back, and Markdown loses no text."""

from __future__ import annotations

import io
import json
import re

import orjson
import pytest
from chunking.makers import table, tag
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st
from written import chunks, validator

from docxchunk import api, registry
from docxchunk.content.tags import equation_tag
from docxchunk.formats.markdown import markdown
from docxchunk.records import Fields
from docxchunk.records.chunks import CHUNK, flat_record
from docxchunk.testing import hypothesis_strategies

SEVERAL = st.lists(chunks, max_size=4)


def written(name, records):
    buffer = io.BytesIO()
    registry.load(registry.PluginKind.FORMAT, name)(iter(records), buffer)
    return buffer.getvalue()


def from_parquet(data):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: no Parquet")
    return [
        {k: v for k, v in row.items() if v is not None}
        for row in parquet.read_table(io.BytesIO(data)).to_pylist()
    ]


READERS = {
    "json": json.loads,
    "jsonl": lambda data: [json.loads(line) for line in data.splitlines()],
    "parquet": from_parquet,
}


@pytest.mark.parametrize("name", READERS)
@settings(deadline=None)
@given(made=SEVERAL)
def test_chunks_come_back(name, made):
    if name == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: no Parquet")
    rows = READERS[name](written(name, map(CHUNK.record, made)))
    assert [CHUNK.value(Fields(without_missing(row), "row")) for row in rows] == made


@pytest.mark.parametrize("name", READERS)
@settings(deadline=None)
@given(made=SEVERAL)
def test_flat_records_come_back(name, made):
    if name == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: no Parquet")
    records = [flat_record(each, "a.docx") for each in made]
    assert READERS[name](written(name, records)) == records


def without_missing(row):
    """Drop the empty fields of parts: Parquet structs have all fields."""
    return row | {
        "parts": [{k: v for k, v in part.items() if v is not None} for part in row.get("parts", ())]
    }


@given(chunks)
def test_flat_is_flat_and_loses_nothing(chunk):
    flat, record = (
        flat_record(chunk, "report.docx"),
        orjson.loads(orjson.dumps(CHUNK.record(chunk))),
    )
    assert all(isinstance(value, (str, int)) for value in flat.values())
    validator("flat").validate(flat)
    back = {
        name: value if isinstance(record[name], str | int) else json.loads(value)
        for name, value in flat.items()
        if name in record
    }
    assert back == {name: value for name, value in record.items() if value is not None}


PICTURE = (
    '<drawing id="im-1" format="png" caption="A &quot;b&quot;" path="r.blocks.assets/image '
    '1.png" src="" />'
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("## A\nOne.\nTwo.", "## A\n\nOne.\n\nTwo."),
        (
            tag(table("t", [["a|b", "c"], ["d", "e\nf"]])),
            "| a\\|b | c |\n| --- | --- |\n| d | e<br>f |",
        ),
        (
            tag(table("t", [["<Name>", "m<sub>2</sub>"]])),
            "| \\<Name> | m<sub>2</sub> |\n| --- | --- |",
        ),
        (
            'x\n<table id="t" format="json">[["a"],["b","c"]]</table>\ny',
            "x\n\n| a |  |\n| --- | --- |\n| b | c |\n\ny",
        ),
        (
            '<table id="t" format="html"><tr><td rowspan="2">a</td></tr></table>',
            '<table><tr><td rowspan="2">a</td></tr></table>',
        ),
        ('<table id="t" format="json">[["a"</table>', '<table>[["a"</table>'),
        (f"so {equation_tag('x^{2}')} is\n{equation_tag('y', 'eq-1')}", "so $x^{2}$ is\n\n$$y$$"),
        (PICTURE, '![A "b"](<r.blocks.assets/image 1.png>)'),
        (
            '<drawing id="i" format="" caption="" path="" src="https://a.org/b.png" />',
            "![](https://a.org/b.png)",
        ),
        ("&lt;table of the author", "&lt;table of the author"),
        ("", ""),
    ],
)
def test_markdown(content, expected):
    assert markdown(content) == expected


@settings(max_examples=some(60), deadline=None)
@given(hypothesis_strategies.DOCUMENTS)
def test_markdown_loses_no_word(made):
    for each in made.blocks:
        shown = re.sub(r"<br>|\\(?=\|)", " ", markdown(each.content))
        for item in made.tables.values():
            if item.block_id == each.id and item.format == "json":
                assert all(
                    word in shown
                    for row in json.loads(item.content)
                    for cell in row
                    for word in re.findall(r"\w+", cell)
                )
        outside = re.sub(r"<table\b.*?</table>|<[^>]*>", " ", each.content, flags=re.DOTALL)
        assert all(word in shown for word in re.findall(r"\w+", outside))


def test_custom_properties_are_a_column_of_a_parquet_file():
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: no Parquet")
    from docxchunk.formats.parquet import write

    file = io.BytesIO()
    [chunk] = api.chunk_text("text")
    write(
        [
            flat_record(chunk, "a", {"author": "Ann", "custom_No": 12}),
            flat_record(chunk, "b", {"custom_No": "x", "client": "Acme"}),
            flat_record(chunk, "c"),
        ],
        file,
    )
    rows = parquet.read_table(file).to_pylist()
    assert [(row["doc_author"], row["doc_custom"]) for row in rows] == [
        ("Ann", [("No", "12")]),
        (None, [("No", "x"), ("client", "Acme")]),
        (None, None),
    ]


def test_the_rows_of_a_pipe_table_stay_together_in_markdown():
    assert markdown("Before\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\nAfter\nEnd") == (
        "Before\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\nAfter\n\nEnd"
    )
