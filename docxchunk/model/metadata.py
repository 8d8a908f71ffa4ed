"""The metadata that users keep of their documents, such as the client and the matter.

A file of metadata has a row for each document. Its `path` is the path of the document or the end of
it: "2024/lease.docx", "lease.docx".
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from math import inf
from pathlib import Path
from posixpath import normpath
from typing import Final

import orjson

from docxchunk.errors import InputError, UsageError
from docxchunk.model.document import PROPERTIES, Property
from docxchunk.model.fields import brief

Metadata = Mapping[str, Property]
"""The values of a document by name."""
Rows = Mapping[str, Metadata]
"""The metadata of documents, by path."""

_PATH: Final = "path"
_ID: Final = "id"  # `doc_id` of a flat record is the id of the document
_SEPARATORS: Final = ",;\t"


def checked_metadata(values: object) -> dict[str, Property]:
    """Return the metadata of a document, without values that are None. Raise UsageError for a name
    or a value that is not valid.
    """
    if not isinstance(values, Mapping):
        raise UsageError(f"metadata is {brief(values)}; it must be a mapping, such as a dict.")
    return {name: _checked(name, value) for name, value in values.items() if value is not None}


def _checked(name: object, value: object) -> Property:
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"The name of the value {brief(value)} is {brief(name)}; it must be text.")
    if name == _ID:
        raise UsageError(f'"{_ID}" is the name of the id of the document; it must be another name.')
    if name in PROPERTIES and not isinstance(value, str):
        raise UsageError(
            f'"{name}" is {brief(value)}; it must be text, as this property of Word files is.'
        )
    if isinstance(value, str) or (isinstance(value, (int, float)) and -inf < value < inf):
        return value
    raise UsageError(f'"{name}" is {brief(value)}; it must be text, a number, true or false.')


def read_metadata(path: str | Path) -> dict[str, dict[str, Property]]:
    """Return the metadata in a file: for the path of each document, its values by name.

    The first line of a CSV file names the columns, one of which is `path`. The separator is a
    comma, a semicolon or a tab, and an empty cell is no value. In a JSON Lines file (.jsonl), each
    line is an object with a `path`. Raise InputError if the file cannot be read, or has a row that
    is not valid.
    """
    file, rows = Path(path), dict[str, dict[str, Property]]()
    text = _text_of(file)
    try:
        for number, values in (_json_lines if file.suffix == ".jsonl" else _csv_lines)(text):
            try:
                _add(rows, values)
            except UsageError as error:
                raise InputError(f"{path}, line {number}: {error}") from None
    except (UsageError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    return rows


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"The metadata {file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise InputError(f"The metadata {file} are not text in UTF-8.") from None


def _add(rows: dict[str, dict[str, Property]], values: Mapping[str, object]) -> None:
    """Add a row of values. Raise UsageError if it has no path, or if another row has its path."""
    path = normpath(str(values.get(_PATH) or "").replace("\\", "/"))
    if path == ".":
        raise UsageError("There is no path.")
    if path in rows:
        raise UsageError(f"There is another row for {path}.")
    rows[path] = checked_metadata({n: value for n, value in values.items() if n != _PATH})


def _json_lines(text: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield the number of each line that is not blank, and its object; {} if it has none."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                values = orjson.loads(line)
            except orjson.JSONDecodeError:
                values = None
            yield number, values if isinstance(values, dict) else {}


def _csv_lines(text: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield the values of each row by column, with the number of its line."""
    header = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=header.count)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    names = [name.strip() for name in next(rows, [])]
    named = list(filter(None, names))
    if _PATH not in names or len({*named}) < len(named):
        raise UsageError('It must name the columns, each once, and one of them "path".')
    for row in rows:
        pairs = zip_longest(names, map(str.strip, row), fillvalue="")
        if cells := {name: cell for name, cell in pairs if cell}:
            yield rows.line_num, cells
