"""Tables as sheets of named columns, and the files written from them."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.errors import UsageError
from docxchunk.formats.tables import (
    ExportSheet,
    index,
    record_sheet,
    sheets,
    write_csv,
    write_records_workbook,
    write_workbook,
)
from docxchunk.model.document import Document
from docxchunk.model.objects import Table, TableFormat

TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=8)
GRIDS = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1, max_size=6)
)


def table(grid, **fields):
    return Table(
        "tb-1",
        "b",
        "Two",
        ("One",),
        len(grid),
        len(grid[0]),
        TableFormat.JSON,
        json.dumps(grid),
        **fields,
    )


def document(*tables):
    return Document(
        "a.docx",
        "docx",
        "doc-1",
        "",
        (),
        {f"tb-{number}": each for number, each in enumerate(tables)},
    )


@given(GRIDS, st.booleans())
def test_column_names_are_unique_and_rows_keep_all_texts(grid, marked):
    each = table(grid, header=json.dumps(grid[:1]) if marked else None)
    (sheet,) = sheets(document(each), "a")
    assert len(set(sheet.columns)) == len(sheet.columns) == len(grid[0])
    assert all(sheet.columns)
    assert sheet.rows == each.rows()[marked:]


@given(GRIDS)
def test_csv_reads_back(grid):
    sheet = ExportSheet("a", tuple(map(str, range(len(grid[0])))), grid)
    file = BytesIO()
    write_csv(sheet, file)
    read = csv.reader(StringIO(file.getvalue().decode("utf-8"), newline=""))
    for row, cells in zip(read, [list(sheet.columns), *grid], strict=True):
        assert all(cell in (text, f"'{text}") for cell, text in zip(row, cells, strict=True))


@each_row("formats")
def test_cells_do_not_become_formulas_in_csv(cell, written):
    file = BytesIO()
    write_csv(ExportSheet("a", (cell,), [[cell]]), file)
    assert file.getvalue().decode() == f"{written}\r\n" * 2


@pytest.mark.parametrize(
    ("fields", "columns", "kind"),
    [
        ({"header": '[["a","a"],["b","c"]]'}, ("a / b", "a / c"), "marked"),
        ({"header_guess": '[["a","a"]]', "header_confidence": 0.6}, ("a", "a (2)"), "guessed"),
        (
            {"header_guess": '[["a","a"]]', "header_confidence": 0.59},
            ("column 1", "column 2"),
            "none",
        ),
        ({}, ("column 1", "column 2"), "none"),
    ],
)
def test_headers_become_names_of_columns(fields, columns, kind):
    (sheet,) = found = sheets(
        document(table([["a", "a"], ["b", "c"], ["1", "2"]], **fields)), "2024/a.docx"
    )
    assert sheet.columns == columns
    assert index(found).rows == [
        ["2024/a.docx.table-1", "a.docx", "tb-1", "One > Two", "", kind, str(len(sheet.rows)), "2"]
    ]


def test_the_workbook_has_only_strings_and_is_deterministic():
    openpyxl = pytest.importorskip(
        "openpyxl", reason="openpyxl is not installed: no workbook can be read"
    )
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    found = sheets(
        document(
            table([["=1+1", "x" * 40_000]], caption="Costs: [a/b]"), table([["http://a.b", "07"]])
        ),
        "a",
    )
    files = [BytesIO(), BytesIO()]
    for file in files:
        write_workbook(found, file)
    assert files[0].getvalue() == files[1].getvalue()
    book = openpyxl.load_workbook(files[0])
    assert book.sheetnames == ["Tables", "1 Costs a b", "2 Two"]
    assert [[cell.value for cell in row] for row in book["2 Two"].rows] == [
        ["column 1", "column 2"],
        ["http://a.b", "07"],
    ]
    assert [cell.font.b for cell in book["2 Two"]["A"]] == [True, False]
    assert book["2 Two"].freeze_panes == "A2"
    cells = list(book["1 Costs a b"].rows)[1]
    assert (cells[0].value, cells[0].data_type, len(cells[1].value)) == ("=1+1", "s", 32_767)
    assert [row[0].value for row in book["Tables"].rows] == ["sheet", "1 Costs a b", "2 Two"]


@pytest.mark.parametrize(
    ("record", "columns", "row"),
    [
        # the columns for people, in their order, as far as a nested record has them
        (
            {"content": "Text.", "extra": 1, "tokens": 2, "source": "a.docx", "parts": []},
            ("source", "tokens", "content"),
            ["a.docx", 2, "Text."],
        ),
        ({"pages": [3]}, ("pages",), [3]),
        ({"pages": [3, 4, 6]}, ("pages",), ["3-6"]),
        ({"pages": []}, ("pages",), [""]),
        ({"citation": None, "content": "a\ud800b"}, ("citation", "content"), ["", "a?b"]),
        # all fields of a flat record
        (
            {"parts": "[]", "z": True, "a": False, "score": 0.5, "\ud800": 1},
            ("parts", "z", "a", "score", "?"),
            ["[]", "true", "false", 0.5, 1],
        ),
    ],
)
def test_a_record_is_a_row(record, columns, row):
    assert record_sheet([record]) == ExportSheet("Chunks", columns, [row])


def test_more_chunks_than_a_sheet_has_rows_are_refused(monkeypatch):
    monkeypatch.setattr("docxchunk.formats.tables._ROWS", 3)
    chunks = [{"content": "a"}] * 3
    with pytest.raises(UsageError, match="has 3 rows, and there are 3 chunks"):
        write_records_workbook(chunks, BytesIO())
    pytest.importorskip("xlsxwriter")
    write_records_workbook(chunks[1:], BytesIO())  # and a row of names
