"""The tables of documents as sheets of named columns, and what writes them: CSV, Parquet, Excel workbooks.

The text of a merged cell stands in each place that it covers. All values are texts, as the document has them.
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
"""Of an inferred header whose rows become the names of columns; the same as for headers that P repeats."""

INDEX: Final = ("sheet", "document", "table", "heading", "caption", "header", "rows", "columns")


class Sheet(NamedTuple):
    """A table to be written: unique names of columns, and rows of as many texts. `about` is its line of the index."""

    name: str  # report.docx.table-3
    columns: tuple[str, ...]
    rows: list[list[str]]
    about: tuple[str, ...] = ()


def sheets(document: Document, name: str) -> list[Sheet]:
    """A sheet for each table of a document, named after `name` and counted from 1. The rows of a header, marked or inferred, become names of columns."""
    return [_sheet(document, table, f"{name}.table-{number}") for number, table in enumerate(document.tables, 1)]


def index(of: Iterable[Sheet]) -> Sheet:
    """The list of sheets: where each comes from, whether its names are a "marked" header, a "guessed" one or "none", and its size without the header."""
    return Sheet("tables", INDEX, [list(sheet.about) for sheet in of])


def _sheet(document: Document, table: Table, name: str) -> Sheet:
    kind, header = _header(table)
    grid = [[_sound(text) for text in row] for row in rows_of(table)]
    width = max(map(len, grid), default=0)
    columns = tuple(_unique(_named(column) for column in _columns(grid[:header], width)))
    path = " > ".join(filter(None, (*table.parent_headings, table.heading)))
    size = (str(len(grid) - header), str(width))
    about = (name, document.name, table.id, _sound(path), _sound(table.caption), kind, *size)
    return Sheet(name, columns, grid[header:], about)


def _header(table: Table) -> tuple[str, int]:
    """Where the header is known from, and how many rows it has."""
    if table.header:
        return "marked", len(header_texts(table.header))
    if table.header_guess and (table.header_confidence or 0) >= LEAST_CONFIDENCE:
        return "guessed", len(header_texts(table.header_guess))
    return "none", 0


def _columns(header: Sequence[Sequence[str]], width: int) -> Iterator[list[str]]:
    """What the rows of a header say of each column."""
    return ([row[column] for row in header] for column in range(width))


def _named(texts: Iterable[str]) -> str:
    """`Costs / 2024` of a header of two rows; a merged cell says its text once."""
    return " / ".join(dict.fromkeys(filter(None, (" ".join(text.split()) for text in texts))))


def _unique(names: Iterable[str]) -> Iterator[str]:
    """Columns without a name are `column 3`; the second of a name is `Costs (2)`."""
    given = list(names)
    taken: set[str] = set()
    for number, name in enumerate(given, 1):
        usual = name or f"column {number}"
        free = next(option for option in _options(usual) if option not in taken and (option == name or option not in given))
        taken.add(free)
        yield free


def _options(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} ({number})" for number in count(2))


def _sound(text: str) -> str:
    """Without lone surrogates, which no file takes."""
    return text.encode("utf-8", "replace").decode()
