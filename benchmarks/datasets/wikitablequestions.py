"""Load WikiTableQuestions: questions on Wikipedia tables. Each table becomes a Word file with the
title of its page.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.datasets.files import (
    Grid,
    HeadingText,
    WordItem,
    clean,
    document_of,
    read_bytes,
    read_json,
    record,
    rows_of,
    tables_of,
)
from docxchunk.errors import InputError, MissingFileError
from docxchunk.lab.evaluation.passages import Span, sources
from docxchunk.lab.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

_ESCAPES: Final = {r"\n": "\n", r"\p": "|", r"\\": "\\"}
_ESCAPE: Final = re.compile(r"\\[np\\]")
_STRING: Final = r'"((?:\\.|[^"\\])*)"'
_ROW: Final = re.compile(r"<tr\b.*?(?=<tr\b|$)", re.IGNORECASE | re.DOTALL)
_COMPUTED: Final = re.compile(
    r"\b(?:how (?:many|much|long)|number of|amount of|total"
    r"|difference|average|sum|count)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[-+]?[\d.,]+")


class _Example(NamedTuple):
    id: str
    question: str
    table: str  # "csv/204-csv/590.csv"
    answers: tuple[str, ...]


class _TableDocument(NamedTuple):
    document: Document
    rows: Sequence[Sequence[str]]
    places: Sequence[Span]  # of the rows in the document; empty unless all rows are found


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Load the questions of a file in the repository's `data/` (TSV or .examples), or of all files,
    on the tables in `csv/`. Titles are from `page/`.

    The first row has the column names; it is marked as a header if it has only `th` cells in the
    `.html` file of the table. Gold is that row, and for each answer the one row with it as a whole
    cell. A question is left out if an answer is no cell or in several rows, or is a number that the
    question asks to compute ("how many"). Questions refer to one table and often do not name it:
    few can be answered by retrieval from many.
    """
    examples = _unique(example for file in _files(path) for example in _examples(file))
    root = path if path.is_dir() else path.parent.parent
    tables = {
        name: _table(root, name, options)
        for name in dict.fromkeys(example.table for example in examples)
    }
    asked = [
        UnplacedQuestion(
            example.question,
            table.document.name,
            _gold(example, table),
            (", ".join(example.answers),),
            id=example.id,
        )
        for example in examples
        for table in (tables[example.table],)
    ]
    return benchmark("wikitablequestions", [table.document for table in tables.values()], asked)


# -- questions


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted((path / "data").glob("*.tsv")) or sorted((path / "data").glob("*.examples"))
    if not found:
        raise MissingFileError(f"{path} holds no data/*.tsv and no data/*.examples.")
    return found


def _unique(examples: Iterable[_Example]) -> list[_Example]:
    return [*{example.id: example for example in examples}.values()]


def _examples(file: Path) -> Iterator[_Example]:
    text = read_bytes(file).decode("utf-8")
    if file.suffix == ".examples":
        yield from map(_of_lisp, text.split("(example ")[1:])
        return
    for line in text.splitlines()[1:]:
        fields = line.split("\t")
        if len(fields) < 4:
            raise InputError(
                f"{file.name} does not have the columns id, utterance, context, targetValue."
            )
        yield _Example(
            fields[0], _plain(fields[1]), fields[2], tuple(map(_plain, fields[3].split("|")))
        )


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)


def _of_lisp(text: str) -> _Example:
    found = [
        re.search(pattern, text)
        for pattern in (r"\(id (\S+)\)", rf"\(utterance {_STRING}\)", r"\(graph \S+ ([^\s()]+)\)")
    ]
    answers = tuple(
        re.sub(r"\\(.)", r"\1", answer)
        for answer in re.findall(rf"\(description {_STRING}\)", text)
    )
    name, question, table = (match[1] if match else "" for match in found)
    if not (name and question and table and answers):
        raise InputError(f"An example has no id, utterance, context or targetValue: {text[:60]!r}.")
    return _Example(name, re.sub(r"\\(.)", r"\1", question), table, answers)


# -- tables


def _table(root: Path, name: str, options: ParseOptions) -> _TableDocument:
    file = root / name
    text = read_bytes(file).decode("utf-8")
    rows = [
        tuple(map(clean, row))
        for row in csv.reader(io.StringIO(text, newline=""), escapechar="\\", doublequote=False)
        if row
    ]
    if not rows:
        raise InputError(f"{name} contains no table.")
    title = _title(root, name)
    items: list[WordItem] = [HeadingText(1, title)] if title else []
    document = document_of(
        f"{name.removeprefix('csv/').removesuffix('.csv')}.docx",
        title,
        [*items, Grid(tuple(rows), _marked(file.with_suffix(".html")))],
        options,
    )
    source = sources([document])[0]
    places = [
        place for table, start in tables_of(source) for place in rows_of(source, table, start)
    ]
    return _TableDocument(document, rows, places if len(places) == len(rows) else ())


def _title(root: Path, name: str) -> str:
    file = (root / name.replace("csv/", "page/", 1).replace("-csv/", "-page/", 1)).with_suffix(
        ".json"
    )
    return clean(str(record(read_json(file)).get("title", ""))) if file.is_file() else ""


def _marked(file: Path) -> int:
    """Return the number of header rows in the page: 1 if the first row has only header cells, else
    0.
    """
    first = _ROW.search(read_bytes(file).decode("utf-8")) if file.is_file() else None
    return int(first is not None and "<th" in first[0].lower() and "<td" not in first[0].lower())


def _gold(example: _Example, table: _TableDocument) -> tuple[Span, ...]:
    """Return the gold rows; none if the row of an answer is unknown."""
    wanted = {0}
    for answer in map(clean, example.answers):
        there = [
            i
            for i, row in enumerate(table.rows)
            if i and answer.casefold() in map(str.casefold, row)
        ]
        if len(there) != 1 or (_NUMBER.fullmatch(answer) and _COMPUTED.search(example.question)):
            return ()
        wanted.add(there[0])
    return tuple(table.places[row] for row in sorted(wanted)) if table.places else ()
