"""Generate look-up questions on the tables of any folder of Word files: what is the column X of the row Y?"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.datasets.files import in_files
from benchmarks.datasets.word import rows_of, tables_of
from docxchunk.errors import InputError
from docxchunk.evaluation.passages import SourceText, Span, sources
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark, read_document
from docxchunk.markup.tables import TableTag
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

MOST_A_TABLE: Final = 5
_LEAST_ROWS, _LONGEST_KEY, _LONGEST_COLUMN = 3, 80, 60


class _LookUp(NamedTuple):
    document: str
    key: str
    column: str
    value: str
    gold: tuple[Span, Span]


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Return up to five questions for each table in the Word files of a folder. Gold is the row and the header row.

    Only tables without merged cells are used, with a header row and a first column of row names, and only pairs of names that are unique in all files.
    The same files give the same questions.
    """
    documents = [document for file in in_files(path, "*.[dD][oO][cC][xX]") if (document := _readable(file, options))]
    found = [[*_of_table(source, *table)] for source in sources(documents) for table in tables_of(source)]
    counts = Counter((item.key.lower(), item.column.lower()) for table in found for item in table)
    draw = random.Random(0)  # noqa: S311 - a choice of questions, not a secret
    asked: list[UnplacedQuestion] = []
    for table in found:
        clear = [item for item in table if counts[item.key.lower(), item.column.lower()] == 1]
        drawn = draw.sample(clear, min(MOST_A_TABLE, len(clear)))
        asked += [UnplacedQuestion(f"What is the {item.column} of {item.key}?", item.document, item.gold, (item.value,)) for item in drawn]
    return benchmark("tables", documents, asked)


def _readable(file: Path, options: ParseOptions) -> Document | None:
    try:
        return read_document(file, file.name, options)
    except InputError:
        return None


def _of_table(source: SourceText, table: TableTag, start: int) -> Iterator[_LookUp]:
    places = rows_of(source, table, start)
    rows = [_cells(source.text[first:last]) for first, last in places]
    if len(rows) < _LEAST_ROWS + 1 or not all(rows) or not _names_columns(rows[0]):
        return
    keys = Counter(row[0] for row in rows)
    for row, place in zip(rows[1:], places[1:], strict=True):
        if len(row) != len(rows[0]) or keys[row[0]] > 1 or not _is_name(row[0], _LONGEST_KEY):
            continue
        for column, value in zip(rows[0][1:], row[1:], strict=True):
            if value.strip():
                yield _LookUp(source.name, row[0], column, value, (place, places[0]))


def _cells(row: str) -> list[str]:
    """Return the cells of a JSON row; none if it is not one."""
    try:
        found = json.loads(row)
    except ValueError:
        return []
    return [str(cell) for cell in found] if isinstance(found, list) else []


def _names_columns(row: Sequence[str]) -> bool:
    return len(row) > 1 and len({*row}) == len(row) and all(_is_name(name, _LONGEST_COLUMN) for name in row[1:])


def _is_name(text: str, most: int) -> bool:
    return 1 < len(text) <= most and any(map(str.isalpha, text)) and "<" not in text
