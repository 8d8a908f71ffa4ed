"""Read data set files, with errors that name the missing or invalid file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson

from docxchunk.errors import InputError, MissingFileError
from docxchunk.model.document import Document
from docxchunk.reader.plain_text import read_plain_text

DatasetRecord = Mapping[str, object]


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MissingFileError(f"The file {str(path)!r} cannot be read ({error.strerror or error}).") from error


def read_json(path: Path) -> object:
    try:
        return orjson.loads(read_bytes(path))
    except ValueError:
        raise InputError(f"{path.name} is not JSON.") from None


def read_lines(path: Path) -> list[DatasetRecord]:
    """Return the records of a JSON lines file."""
    try:
        return [record(orjson.loads(line)) for line in read_bytes(path).splitlines() if line.strip()]
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
    """Return the file itself, or the matching files of a folder, sorted. Raise MissingFileError if there are none."""
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
