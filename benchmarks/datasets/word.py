"""Write Word files of headings, paragraphs and tables, so that data sets are parsed like a user's documents."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from docxchunk import api
from docxchunk.errors import MissingExtraError
from docxchunk.evaluation.passages import SourceText, Span
from docxchunk.markup.tables import TableTag, rows, tables
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.registry import missing_extra

if TYPE_CHECKING:
    from docx.document import Document as Word


class HeadingText(NamedTuple):
    level: int
    text: str


class ParagraphText(NamedTuple):
    text: str


class Grid(NamedTuple):
    """A table: rows of cells. The first `header` rows are marked as header rows."""

    rows: tuple[tuple[str, ...], ...]
    header: int = 0


WordItem = HeadingText | ParagraphText | Grid


def document_of(name: str, title: str, items: Iterable[WordItem], options: ParseOptions) -> Document:
    """Write a Word file of these items with python-docx, and parse it. Raise MissingExtraError without the extra `eval`."""
    try:
        import docx
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("Making Word files", "docx", "eval")) from error
    word = docx.Document()
    word.core_properties.title = title
    for item in items:
        match item:
            case HeadingText(level, text):
                word.add_heading(clean(text), level)
            case ParagraphText(text):
                word.add_paragraph(clean(text))
            case Grid():
                _add_table(word, item)
    buffer = io.BytesIO()
    word.save(buffer)
    return replace(api.parse(buffer.getvalue(), name=name, options=options), source_sha256="")  # the bytes contain a time stamp


def clean(text: str) -> str:
    """Return the text with single spaces and without characters that XML does not allow."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _add_table(word: Word, grid: Grid) -> None:
    width = max(len(row) for row in grid.rows)
    table = word.add_table(len(grid.rows), width)
    for number, (row, values) in enumerate(zip(table.rows, grid.rows, strict=True)):
        for cell, value in zip(row.cells, values, strict=False):
            cell.text = clean(value)
        if number < grid.header:
            properties = row._tr.get_or_add_trPr()  # noqa: SLF001 - python-docx has no API for repeated header rows
            mark = properties.makeelement("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}tblHeader", {})
            properties.append(mark)


def tables_of(source: SourceText) -> Iterator[tuple[TableTag, int]]:
    """Yield the tables of a document in order, each with the start of its block."""
    for start, block in zip(source.starts, source.document.blocks, strict=True):
        for table in tables(block.content):
            yield table, start


def rows_of(source: SourceText, table: TableTag, start: int) -> Sequence[Span]:
    """Return the spans of the rows of a table in the document's text."""
    content = source.text[start : start + table.end]
    found = rows(content, table)
    return [(start + first, start + last) for first, last in found[1]] if found else []
