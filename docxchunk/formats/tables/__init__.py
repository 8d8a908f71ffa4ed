"""Export the tables of documents as sheets of named columns, to CSV, Parquet or Excel workbooks.

The text of a merged cell is repeated in each position that it covers. All values are strings,
unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from docxchunk.markup.grids import rows_of
from docxchunk.markup.tables import header_texts
from docxchunk.model.document import Document
from docxchunk.model.objects import Table

LEAST_CONFIDENCE: Final = 0.6
"""Minimum confidence at which the rows of an inferred header become column names; the same as for
headers that strategy P repeats.
"""

INDEX: Final = ("sheet", "document", "table", "heading", "caption", "header", "rows", "columns")


class ExportSheet(NamedTuple):
    """A table: unique column names, and rows of that many strings. `about` is its row in the
    index.
    """

    name: str  # report.docx.table-3
    columns: tuple[str, ...]
    rows: list[list[str]]
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
    """Return the index of sheets: the origin of each, its header ("marked", "guessed" or "none"),
    and its size without the header.
    """
    return ExportSheet("tables", INDEX, [list(sheet.about) for sheet in of])


def _sheet(document: Document, table: Table, name: str) -> ExportSheet:
    kind, header = _header(table)
    grid = [[_encodable(text) for text in row] for row in rows_of(table)]
    width = max(map(len, grid), default=0)
    columns = tuple(_unique(_named(column) for column in _columns(grid[:header], width)))
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


def _header(table: Table) -> tuple[str, int]:
    """Return the kind of the header and its number of rows."""
    if table.header:
        return "marked", len(header_texts(table.header))
    if table.header_guess and (table.header_confidence or 0) >= LEAST_CONFIDENCE:
        return "guessed", len(header_texts(table.header_guess))
    return "none", 0


def _columns(header: Sequence[Sequence[str]], width: int) -> Iterator[list[str]]:
    """Yield the header cells of each column."""
    return ([row[column] for row in header] for column in range(width))


def _named(texts: Iterable[str]) -> str:
    """Join header cells, as in `Costs / 2024`, without repeating a merged cell."""
    return " / ".join(dict.fromkeys(filter(None, (" ".join(text.split()) for text in texts))))


def _unique(names: Iterable[str]) -> Iterator[str]:
    """Yield unique names: `column 3` for an empty one, `Costs (2)` for the second of a name."""
    given = list(names)
    taken: set[str] = set()
    for number, name in enumerate(given, 1):
        usual = name or f"column {number}"
        free = next(
            option
            for option in _options(usual)
            if option not in taken and (option == name or option not in given)
        )
        taken.add(free)
        yield free


def _options(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} ({number})" for number in count(2))


def _encodable(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode()
