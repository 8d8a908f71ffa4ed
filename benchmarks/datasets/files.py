"""Read the files of data sets, with errors that name the missing or invalid file, and write Word
files, which are parsed like those of a user.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from docxchunk import api
from docxchunk.content.tables import TableContent, tables
from docxchunk.errors import InputError, MissingExtraError, MissingFileError
from docxchunk.lab.evaluation.passages import CorpusSpan, SourceText
from docxchunk.lab.evaluation.questions import Benchmark, read_questions
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.reader.text_files import read_plain_text

if TYPE_CHECKING:
    from docx.document import Document as Word


DatasetRecord = Mapping[str, object]


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MissingFileError(
            f"The file {str(path)!r} cannot be read ({error.strerror or error})."
        ) from error


def read_json(path: Path) -> object:
    try:
        return orjson.loads(read_bytes(path))
    except ValueError:
        raise InputError(f"{path.name} is not JSON.") from None


def read_lines(path: Path) -> list[DatasetRecord]:
    """Return the records of a JSON lines file."""
    try:
        return [
            record(orjson.loads(line)) for line in read_bytes(path).splitlines() if line.strip()
        ]
    except ValueError:
        raise InputError(f"{path.name} is not JSON lines.") from None


def read_csv(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 27)
    return [*csv.DictReader(io.StringIO(read_bytes(path).decode("utf-8-sig"), newline=""))]


def record(value: object) -> DatasetRecord:
    """Return a JSON object. Raise InputError for anything else."""
    if not isinstance(value, dict):
        raise InputError("A record of the data set is not a JSON object.")
    return value


def records(value: object) -> list[DatasetRecord]:
    """Return a JSON array of objects; empty for null. Raise InputError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError("A list is missing in the data set.")
    return [record(item) for item in value]


def texts(value: object) -> list[str]:
    """Return the strings of a JSON array, or of a single string; empty for null."""
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list) else []


def plain(name: str, text: str) -> Document:
    """Return a plain text as a document."""
    return read_plain_text(text.encode("utf-8", "surrogatepass"), name, name)


def in_files(path: Path, pattern: str) -> list[Path]:
    """Return the file itself, or the matching files of a folder, sorted. Raise MissingFileError if
    there are none.
    """
    found = [path] if path.is_file() else sorted(path.glob(pattern))
    if not found:
        raise MissingFileError(f"{path} contains no {pattern}.")
    return found


def unique(names: Iterable[str]) -> list[str]:
    """Return unique names: repeated ones get a number."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


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


def document_of(
    name: str, title: str, items: Iterable[WordItem], options: ParseOptions
) -> Document:
    """Write a Word file of these items with python-docx, and parse it. Raise MissingExtraError if
    it is not installed.
    """
    try:
        import docx
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "Making Word files needs python-docx, which is not installed: pip install python-docx."
        ) from error
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
    # the bytes contain a time stamp
    return replace(api.parse(buffer.getvalue(), name=name, options=options), source_sha256="")


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
            mark = properties.makeelement(
                "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}tblHeader", {}
            )
            properties.append(mark)


def tables_of(source: SourceText) -> Iterator[tuple[TableContent, int]]:
    """Yield the tables of a document in order, each with the start of its block."""
    for start, block in zip(source.starts, source.document.blocks, strict=True):
        for table in tables(block.content):
            yield table, start


def rows_of(table: TableContent, start: int) -> Sequence[CorpusSpan]:
    """Return the spans of the rows of a table of a block, which begins at `start` in a text."""
    return [(start + first, start + last) for first, last in table.rows] if table.format else []


QUESTIONS_FILE = "questions.jsonl"


def load_questions(path: Path, options: ParseOptions) -> Benchmark:
    """Load the questions of a JSON lines file, or of `questions.jsonl` in a folder."""
    return read_questions(path / QUESTIONS_FILE if path.is_dir() else path, options)
