"""Write sheets of named columns as CSV or Excel workbooks. A sheet is a table of a
document, or has a chunk or unit in each row.

In tables of documents, all values are strings, unchanged, and the text of a merged cell is repeated
in each position that it covers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, count
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from docxchunk.content.table_texts import header_rows, rows_of
from docxchunk.errors import UsageError
from docxchunk.model.document import Document
from docxchunk.model.objects import Table
from docxchunk.records import Json, Record
from docxchunk.registry import extra_for

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

# the last four are full-width = + - @
# also after blanks and signs of no width, which some programs leave out
_FORMULA: Final = re.compile(
    "[\\s\u200b-\u200f\u2060\ufeff]*+(?:(?<=[\t\r\n])|[=+\\-@\uff1d\uff0b\uff0d\uff20])"
)
# or only signs: a blank
_NUMBER: Final = re.compile(
    r"[+-]\s*+(?:[$€£¥]\s*+)?[.,]?\d[\d.,'’\s]*+(?:[eE][+-]?\d++\s*+)?[%‰$€£¥]?"
    r"|[+-]+\s*"
)
_QUOTED: Final = re.compile('[",;\t\r\n]')
_NAME: Final = 31  # characters of a sheet name, Excel's limit
_ROWS: Final = 1_048_576  # rows of a sheet, Excel's limit
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_CREATED: Final = datetime(1980, 1, 1)  # noqa: DTZ001 - a fixed date, so that the same tables give the same bytes

INDEX: Final = ("sheet", "document", "table", "heading", "caption", "header", "rows", "columns")


# of chunks and units, as far as a record has them
COLUMNS: Final = (
    *("source", "citation", "context", "kind", "pages", "tokens", "content", "embed_text"),
    *("chunk_order_index", "unit_id", "chunk_id", "doc_id"),
)

CellValue = str | int | float


class ExportSheet(NamedTuple):
    """A table: unique column names, and rows with a value for each column. `about` is its row in
    the index.
    """

    name: str  # report.docx.table-3
    columns: tuple[str, ...]
    rows: Sequence[Sequence[CellValue]]
    about: tuple[str, ...] = ()


def sheets(document: Document, name: str) -> list[ExportSheet]:
    """Return a sheet for each table of a document, named `name` and its number from 1. Header rows,
    marked or inferred, become column names.
    """
    return [
        _sheet(document, table, f"{name}.table-{number}")
        for number, table in enumerate(document.tables, 1)
    ]


def index(of: Iterable[ExportSheet]) -> ExportSheet:
    """Return the index of sheets: for each, its origin, its header ("marked", "guessed" or "none"),
    and its size without the header.
    """
    return ExportSheet("tables", INDEX, [list(sheet.about) for sheet in of])


def _sheet(document: Document, table: Table, name: str) -> ExportSheet:
    header = len(header_rows(table))
    kind = "marked" if table.header else "guessed" if header else "none"
    grid = [[_encodable(text) for text in row] for row in rows_of(table)]
    width = len(grid[0]) if grid else 0
    columns = tuple(
        _unique(_named(row[column] for row in grid[:header]) for column in range(width))
    )
    path = " > ".join(filter(None, (*table.parent_headings, table.heading)))
    size = (str(len(grid) - header), str(width))
    about = (
        name,
        document.name,
        table.id,
        _encodable(path),
        _encodable(table.caption),
        kind,
        *size,
    )
    return ExportSheet(name, columns, grid[header:], about)


def _named(texts: Iterable[str]) -> str:
    """Join header cells, as in `Costs / 2024`, without repeating a merged cell."""
    return " / ".join(dict.fromkeys(filter(None, (" ".join(text.split()) for text in texts))))


def _unique(names: Iterable[str]) -> Iterator[str]:
    """Yield unique names: `column 3` for an empty name, `Costs (2)` for the second `Costs`."""
    names = list(names)
    original = set(names)
    used: set[str] = set()
    for number, name in enumerate(names, 1):
        usual = name or f"column {number}"
        options = chain([usual], (f"{usual} ({copy})" for copy in count(2)))
        free = next(
            option
            for option in options
            if option not in used and (option == name or option not in original)
        )
        used.add(free)
        yield free


def record_sheet(records: Iterable[Record]) -> ExportSheet:
    """Return a sheet with a row for each chunk or unit. Nested records have the columns that people
    read (`COLUMNS`), flat ones (`flat_record`) all fields.
    """
    rows = [_row(record) for record in records]
    columns = tuple(dict.fromkeys(chain.from_iterable(rows))) or COLUMNS
    return ExportSheet("Chunks", columns, [[row.get(name, "") for name in columns] for row in rows])


def _row(record: Record) -> dict[str, CellValue]:
    is_flat = isinstance(record.get("parts"), str)
    names = record if is_flat else [name for name in COLUMNS if name in record]
    return {_encodable(name): _cell(record[name]) for name in names}


def _cell(value: Json) -> CellValue:
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return value
        case [first, *others]:  # pages
            return f"{first}-{others[-1]}" if others else _cell(first)
    return _encodable(value) if isinstance(value, str) else ""


def _encodable(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode()


# -- files


def write_csv(sheet: ExportSheet, file: BinaryIO) -> None:
    """Write a sheet as CSV (RFC 4180) in UTF-8. The first line has the column names.

    A spreadsheet program runs cells that begin with certain characters as formulas, which can send
    other cells to a server. As OWASP advises
    (https://owasp.org/www-community/attacks/CSV_Injection), an apostrophe is put before them, and
    fields with other separators than the comma are quoted, too. Numbers such as -5, and dashes
    for "no value", are never changed.
    """
    file.writelines(
        _line([_without_formula(str(value)) for value in row]).encode()
        for row in chain([sheet.columns], sheet.rows)
    )


def write_records_csv(records: Iterable[Record], file: BinaryIO) -> None:
    """Write chunks or units as `write_csv` does."""
    write_csv(record_sheet(records), file)


def _without_formula(text: str) -> str:
    return (
        f"'{text}"
        if _FORMULA.match(text) and not _NUMBER.fullmatch(text.strip(" \u00a0"))
        else text
    )


def _line(texts: Sequence[str]) -> str:
    """Return the fields as a line. A line of one empty field is quoted, because it would otherwise
    be blank.
    """
    line = ",".join(
        '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text for text in texts
    )
    return (line or '""') + "\r\n"


def write_workbook(sheets: Sequence[ExportSheet], file: BinaryIO) -> None:
    """Write sheets as an Excel workbook with XlsxWriter, the index first. The same tables give the
    same bytes.

    All values are strings, also those that look like formulas; a cell is
    truncated at 32,767 characters, Excel's limit.
    """
    names = [_name(number, sheet) for number, sheet in enumerate(sheets, 1)]
    first = index(sheets)
    linked = first._replace(
        name="Tables", rows=[[name, *row[1:]] for name, row in zip(names, first.rows, strict=True)]
    )
    named = (sheet._replace(name=name) for name, sheet in zip(names, sheets, strict=True))
    _write_book([linked, *named], file)


def write_records_workbook(records: Iterable[Record], file: BinaryIO) -> None:
    """Write chunks or units as an Excel workbook of one sheet, as `write_workbook` does, but with
    numbers as numbers. Raise UsageError if there are more than Excel has rows.
    """
    sheet = record_sheet(records)
    if len(sheet.rows) >= _ROWS:
        raise UsageError(
            f"An Excel sheet has {_ROWS:,} rows, and there are {len(sheet.rows):,} chunks: "
            "export csv or parquet."
        )
    _write_book([sheet], file)


def _write_book(sheets: Iterable[ExportSheet], file: BinaryIO) -> None:
    with extra_for("xlsx", "", "xlsx"):
        import xlsxwriter
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"created": _CREATED})
    bold = book.add_format({"bold": True})
    for sheet in sheets:
        page = book.add_worksheet(sheet.name)
        page.freeze_panes(1, 0)
        for number, row in enumerate(chain([sheet.columns], sheet.rows)):
            _write_row(page, number, row, None if number else bold)
    book.close()


def _write_row(page: Worksheet, number: int, row: Sequence[CellValue], style: object) -> None:
    for column, value in enumerate(row):
        if isinstance(value, str):
            page.write_string(number, column, value, style)
        else:
            page.write_number(number, column, value, style)


def _name(number: int, sheet: ExportSheet) -> str:
    """Return a unique sheet name such as `3 Costs by year`."""
    title = _FORBIDDEN.sub(" ", sheet.about[4] or sheet.about[3].rpartition(" > ")[2])
    return f"{number} {' '.join(title.split())}"[:_NAME].rstrip(" '")
