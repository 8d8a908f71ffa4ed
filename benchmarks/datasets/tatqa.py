"""Load TAT-QA: tables and paragraphs of annual reports with questions, converted to Word files with
headings and tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.datasets.files import (
    DatasetRecord,
    Grid,
    HeadingText,
    ParagraphText,
    WordItem,
    clean,
    document_of,
    in_files,
    read_json,
    record,
    records,
    rows_of,
    tables_of,
    texts,
)
from docxchunk.lab.evaluation.passages import CorpusSpan, SourceText, sources
from docxchunk.lab.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

STITCHED: Final = 10  # contexts of a document
_SENTENCE: Final = re.compile(r".+?(?:[.!?][\"'”’)]*(?=\s)|$)", re.DOTALL)
_INTRODUCES: Final = re.compile(r"\b(?:following|below|as follows|table)\b|:$", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[\d,]*\.?\d+")


class TableContext(NamedTuple):
    """A table, paragraphs by number, and questions."""

    rows: tuple[tuple[str, ...], ...]
    paragraphs: Mapping[str, str]
    questions: tuple[DatasetRecord, ...]

    @property
    def header(self) -> int:
        """The number of header rows: the first, and all further rows before one with a row name."""
        named = next((i for i, row in enumerate(self.rows) if i and row[0].strip()), 1)
        return named if named < len(self.rows) else 0


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Load the contexts of a `tatqa_dataset_*.json` file, or of all in a folder; each is a
    document.

    Gold is the sentence or row of each fact, with the table header for a row. A question is left
    out if its facts cannot be located unambiguously (answers that are counts, or numbers in no
    cell).
    """
    return _load("tatqa", path, 1, options)


def load_stitched(path: Path, options: ParseOptions) -> Benchmark:
    """Load the same contexts, ten as the chapters of one document. They are from unrelated reports:
    results apply only to such documents.
    """
    return _load("tatqa_stitched", path, STITCHED, options)


_NOTES: Final = {
    1: "a document is a table with its paragraphs; several may be of one report, which the "
    "set does not say",
    STITCHED: f"stitched: {STITCHED} unrelated tables with their paragraphs make a document",
}


def _load(name: str, path: Path, a_document: int, options: ParseOptions) -> Benchmark:
    documents: list[Document] = []
    asked: list[UnplacedQuestion] = []
    for file in in_files(path, "tatqa_dataset_*.json"):
        contexts = [_context(item) for item in records(read_json(file))]
        for number, group in enumerate(_grouped(contexts, a_document), 1):
            title = f"{file.stem.removeprefix('tatqa_dataset_')}-{number:03}.docx"
            document = document_of(
                title, "", [item for each in enumerate(group, 1) for item in _items(*each)], options
            )
            documents.append(document)
            asked += _asked_of(sources([document])[0], group)
    return benchmark(name, documents, asked, _NOTES[a_document])


def _grouped(contexts: Sequence[TableContext], size: int) -> Iterator[Sequence[TableContext]]:
    for start in range(0, len(contexts), size):
        yield contexts[start : start + size]


def _answers(question: DatasetRecord) -> tuple[str, ...]:
    """Return the answer as one text, and with its scale."""
    answer = question["answer"]
    said = ", ".join(
        texts(answer) if isinstance(answer, list) else [str(answer).removesuffix(".0")]
    )
    return tuple(dict.fromkeys((said, f"{said} {question['scale']}".strip())))


def _context(item: DatasetRecord) -> TableContext:
    table = record(item["table"])["table"]
    rows = (
        tuple(tuple(clean(cell) for cell in texts(row)) for row in table)
        if isinstance(table, list)
        else ()
    )
    paragraphs = {
        str(p["order"]): clean(str(p["text"]))
        for p in sorted(records(item["paragraphs"]), key=lambda p: int(str(p["order"])))
    }
    return TableContext(rows, paragraphs, tuple(records(item["questions"])))


def _items(number: int, context: TableContext) -> Iterator[WordItem]:
    """Yield a section: short paragraphs become headings, the table follows the paragraph that
    introduces it.
    """
    paragraphs = [*context.paragraphs.values()]
    first = paragraphs[0] if paragraphs and _is_heading(paragraphs[0]) else ""
    yield HeadingText(1, first or f"Note {number}")
    rest = paragraphs[1:] if first else paragraphs
    introduced = next(
        (
            i
            for i, text in enumerate(rest)
            if not _is_heading(text) and _INTRODUCES.search(text[-200:])
        ),
        -1,
    )
    for i in range(-1, len(rest)):
        if i >= 0:
            yield HeadingText(2, rest[i]) if _is_heading(rest[i]) else ParagraphText(rest[i])
        if i == introduced:
            yield Grid(context.rows, context.header)


def _is_heading(text: str) -> bool:
    return (
        3 <= len(text) <= 80
        and not text.startswith("(")
        and text[-1] not in ".:;,"
        and any(map(str.isalpha, text))
    )


# -- places

GoldSpans = tuple[CorpusSpan, ...] | None


def _asked_of(source: SourceText, contexts: Sequence[TableContext]) -> Iterator[UnplacedQuestion]:
    """Yield the questions of a report; gold is empty if unknown."""
    found = [(rows_of(table, start), start) for table, start in tables_of(source)]
    after = 0
    for context, (rows, _) in zip(contexts, found, strict=True):
        places: dict[str, int] = {}
        for key, text in context.paragraphs.items():
            places[key] = source.text.find(text, after)
        ends = [place + len(context.paragraphs[key]) for key, place in places.items()] + [
            rows[-1][1] if rows else 0
        ]
        for question in context.questions:
            gold = _gold(question, _LocatedTable(source, context, rows, places))
            yield UnplacedQuestion(
                str(question["question"]),
                source.name,
                gold or (),
                _answers(question),
                id=str(question["uid"]),
            )
        after = max(ends)


class _LocatedTable(NamedTuple):
    source: SourceText
    context: TableContext
    rows: Sequence[CorpusSpan]
    paragraphs: Mapping[str, int]  # start offsets

    @property
    def is_whole(self) -> bool:
        """Whether the document contains all rows of the table."""
        return len(self.rows) == len(self.context.rows)


def _gold(question: DatasetRecord, placed: _LocatedTable) -> GoldSpans:
    cells, spans = _facts(question, placed.context)
    if not placed.is_whole or not (cells or spans):
        return None
    found: list[CorpusSpan] = []
    for key, start, end in spans:
        place = placed.paragraphs.get(key, -1)
        if place < 0:
            return None
        first, last = _sentence(placed.context.paragraphs[key], start, end)
        found.append((place + first, place + last))
    wanted = sorted(
        {row for row, _ in cells} | (set(range(placed.context.header)) if cells else set())
    )
    for row, column in cells:
        cell = placed.context.rows[row][column]
        first, last = placed.rows[row]
        if (
            cell.replace('"', '\\"') not in placed.source.text[first:last]
            and cell not in placed.source.text[first:last]
        ):
            return None
    return tuple(dict.fromkeys([*found, *(placed.rows[row] for row in wanted)]))


def _sentence(text: str, start: int, end: int) -> CorpusSpan:
    """Extend a range to whole sentences."""
    first, last = start, end
    for match in _SENTENCE.finditer(text):
        if match.start() <= start < match.end():
            first = match.start() + len(match[0]) - len(match[0].lstrip())
        if match.start() < end <= match.end():
            last = match.end()
    return first, last


def _facts(
    question: DatasetRecord, context: TableContext
) -> tuple[list[tuple[int, int]], list[tuple[str, int, int]]]:
    """Return cells and paragraph ranges: as mapped in the test set, else found by the numbers and
    texts of the answer.
    """
    cells: list[tuple[int, int]] = []
    spans: list[tuple[str, int, int]] = []
    if "mappings" in question:
        for mapping in records(question["mappings"]):
            for key, value in mapping.items():
                first, second = (int(number) for number in texts(value))
                if key == "table":
                    cells.append((first, second))
                else:
                    spans.append((key.removeprefix("paragraph_"), first, second))
        return cells, spans
    return _found(question, context)


def _found(
    question: DatasetRecord, context: TableContext
) -> tuple[list[tuple[int, int]], list[tuple[str, int, int]]]:
    """Return the facts of a question without mappings; none if a fact is not found, or in two
    rows.
    """
    facts = [
        clean(fact)
        for fact in (_NUMBER.findall(str(question["derivation"])) or texts(question["answer"]))
    ]
    kind = str(question["answer_from"])
    cells: list[tuple[int, int]] = []
    spans: list[tuple[str, int, int]] = []
    for fact in facts:
        near = [
            (key, at, at + len(fact))
            for key in texts(question["rel_paragraphs"])
            if (at := context.paragraphs.get(key, "").find(fact)) >= 0
        ]
        there = (
            [
                (i, j)
                for i, row in enumerate(context.rows)
                for j, cell in enumerate(row)
                if _is_in(fact, cell)
            ]
            if kind != "text"
            else []
        )
        if kind == "text" or not there:
            spans += near[:1]
        cells += there[:1] if len({i for i, _ in there}) == 1 else []
        if (not near and not there) or len({i for i, _ in there}) > 1:
            return [], []
    return cells, spans


def _is_in(fact: str, cell: str) -> bool:
    """Return whether a fact equals the content of a cell, apart from currency, sign and percent."""
    return bool(fact) and (fact == cell or fact.strip("$ ") == cell.strip("$ ()-%"))
