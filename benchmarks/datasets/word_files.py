"""Load questions on Word files that the user provides: MM-TelcoBench, STARD, and look-ups in
tables.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.datasets.files import (
    QUESTIONS_FILE,
    DatasetRecord,
    in_files,
    load_questions,
    read_csv,
    read_json,
    read_lines,
    record,
    records,
    rows_of,
    tables_of,
)
from docxchunk.content.tables import TableContent
from docxchunk.errors import InputError
from docxchunk.lab.evaluation.metrics import rouge_words
from docxchunk.lab.evaluation.passages import CorpusSpan, SourceText, sources
from docxchunk.lab.evaluation.questions import (
    Benchmark,
    UnplacedQuestion,
    benchmark,
    place,
    read_document,
)
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

# -- MM-TelcoBench: questions on 3GPP specifications

TELCO_NOTE: Final = "a document is a 3GPP specification"
_ANSWER: Final = "Candidate Answer 1"
_COLUMNS: Final = ("Question", "Source", "Section", _ANSWER)
_SPECIFICATION: Final = re.compile(r"(?<!\d)(\d{2})\.?(\d{3})(?!\d)")
_CLAUSE: Final = re.compile(r"(?<![\w.])(?:\d+[a-z]?|[A-Z])(?:\.\d+[A-Za-z]*)+(?![\w.])")
# minimum share of common words among the longer words of the text (answer or paragraph) that has
# fewer of them
_LEAST: Final = 0.4
_FEWEST: Final = 3  # minimum number of common longer words


def load_telco(path: Path, options: ParseOptions) -> Benchmark:
    """Load a folder of specifications as Word files with 3GPP names (22261-ic0.docx), with the CSV
    files of the set.

    Rows with values for Question, Source, Section and Candidate Answer 1 are read, if their
    specification is in the folder. Gold is the paragraph of the section with the most longer words
    in common with that answer. A question is left out if its section is not found, or if no
    paragraph has at least three of these words, and two in five, in common. A `questions.jsonl` in
    the folder is read instead of the CSV files.
    """
    if (path / QUESTIONS_FILE).is_file():
        return replace(load_questions(path, options), name="telco", note=TELCO_NOTE)
    rows = [
        row
        for file in in_files(path, "*.csv")
        for row in read_csv(file)
        if all(row.get(column) for column in _COLUMNS)
    ]
    files = {_specification(file.name): file for file in in_files(path, "*.[dD][oO][cC][xX]")}
    wanted = [row for row in rows if _specification(row["Source"]) in files]
    documents = {
        number: read_document(files[number], files[number].name, options)
        for number in dict.fromkeys(_specification(row["Source"]) for row in wanted)
    }
    sections = {number: _sections(sources([document])[0]) for number, document in documents.items()}
    asked = []
    for row in wanted:
        number = _specification(row["Source"])
        gold = _gold(row, sections[number])
        asked.append(
            UnplacedQuestion(
                row["Question"], documents[number].name, (gold,) if gold else (), cluster=number
            )
        )
    return benchmark("telco", [*documents.values()], asked, TELCO_NOTE)


def _specification(text: str) -> str:
    """Return "22261" of "3GPP TS 22.261" or "22261-ic0.docx"."""
    found = _SPECIFICATION.search(text)
    return f"{found[1]}{found[2]}" if found else text


def _sections(source: SourceText) -> Mapping[str, list[tuple[CorpusSpan, str]]]:
    """Return the paragraphs of each section with their spans, by clause number and by title."""
    found: dict[str, list[tuple[CorpusSpan, str]]] = {}
    for start, block in zip(source.starts, source.document.blocks, strict=True):
        paragraphs = [*_paragraphs(block.content, start)]
        clause = _CLAUSE.match(block.heading)
        for name in {clause[0] if clause else "", _title(block.heading)} - {""}:
            found.setdefault(name, []).extend(paragraphs)
    return found


def _paragraphs(content: str, start: int) -> Iterator[tuple[CorpusSpan, str]]:
    """Yield the paragraphs of a block with their spans, without the heading."""
    for line in content.splitlines(keepends=True):
        if line.strip() and not line.startswith("#"):
            yield (start, start + len(line.rstrip())), line
        start += len(line)


def _title(text: str) -> str:
    return " ".join(rouge_words(text))


def _gold(
    row: Mapping[str, str], sections: Mapping[str, list[tuple[CorpusSpan, str]]]
) -> CorpusSpan | None:
    """Return the paragraph with the most longer words of the answer; ties: the shortest."""
    clauses = _CLAUSE.findall(row["Section"])
    wanted = _long_words(row[_ANSWER])
    best: tuple[int, int, CorpusSpan] | None = None
    for span, text in sections.get(clauses[-1] if clauses else _title(row["Section"]), []):
        words = _long_words(text)
        common = len(words & wanted)
        if common >= max(_FEWEST, _LEAST * min(len(words), len(wanted))):
            best = max(best or (0, 0, span), (common, -len(text), span))
    return best[2] if best else None


def _long_words(text: str) -> frozenset[str]:
    return frozenset(word for word in rouge_words(text) if len(word) > 3)


# -- STARD: lay questions on Chinese law, with the articles that answer them

STARD_NOTE: Final = "a document is a law"
_QUESTION, _ARTICLES = "问题", "相关法规"
_ARTICLE: Final = re.compile(r"第[零一二三四五六七八九十百千\d]+条.*$")
_REPUBLIC: Final = "中华人民共和国"


def load_stard(path: Path, options: ParseOptions) -> Benchmark:
    """Load a folder of laws as Word files, whose names contain the names of the laws, with
    `queries.json` of the set.

    Gold is each paragraph of each article. A question is left out if a law is missing or the
    wording of an article differs. A `questions.jsonl` in the folder is read instead of
    `queries.json`.
    """
    if (path / QUESTIONS_FILE).is_file():
        return replace(load_questions(path, options), name="stard", note=STARD_NOTE)
    rows = records(read_json(path / "queries.json"))
    laws = sources(
        [read_document(file, file.name, options) for file in in_files(path, "*.[dD][oO][cC][xX]")]
    )
    return benchmark(
        "stard", [law.document for law in laws], [_asked(row, laws) for row in rows], STARD_NOTE
    )


def _asked(row: DatasetRecord, laws: Sequence[SourceText]) -> UnplacedQuestion:
    found = [[*_places(name, str(text), laws)] for name, text in record(row[_ARTICLES]).items()]
    gold = tuple(dict.fromkeys(each for article in found for each in article)) if all(found) else ()
    document = gold[0][0] if gold else next(iter(record(row[_ARTICLES])), "")
    return UnplacedQuestion(
        str(row[_QUESTION]), document, gold, cluster=document, id=str(row.get("query_id", ""))
    )


def _places(name: str, article: str, laws: Sequence[SourceText]) -> Iterator[tuple[str, str]]:
    """Yield the law and the text of each paragraph, if the law contains all of them."""
    law = _ARTICLE.sub("", name).removeprefix(_REPUBLIC)
    paragraphs = [line.strip() for line in article.splitlines() if line.strip()]
    for source in laws:
        if _is_called(source.name, law) and all(
            place(source, paragraph) for paragraph in paragraphs
        ):
            yield from ((source.name, paragraph) for paragraph in paragraphs)
            return


def _is_called(file: str, law: str) -> bool:
    """Return whether the file name contains the name of the law, but not as the end of a longer
    name.
    """
    start = file.replace(_REPUBLIC, " ").find(law)
    return start >= 0 and (
        start == 0 or not "\u4e00" <= file.replace(_REPUBLIC, " ")[start - 1] <= "\u9fff"
    )


# -- look-ups: a column and a row of a table name the cell

MOST_A_TABLE: Final = 5
_LABELS: Final = "table-headers.jsonl"
_LEAST_ROWS, _LONGEST_KEY, _LONGEST_COLUMN = 3, 80, 60


class _LookUp(NamedTuple):
    document: str
    key: str
    column: str
    value: str
    gold: tuple[CorpusSpan, CorpusSpan]


def load_tables(path: Path, options: ParseOptions) -> Benchmark:
    """Return up to five questions for each table in the Word files of a folder. Gold is the row and
    the header row.

    Only tables without merged cells are used, with a header row and a first column of row names,
    and only pairs of names that are unique in all files. The same files give the same questions.
    `table-headers.jsonl` in the folder, if there is one, says which tables can be used. It has
    `file`, `ordinal` (of the tables of the body that are in no other table, from 0), `header_rows`,
    `stub` (whether the first column names the rows) and `doubt`. Without this file, the header is
    guessed, and the "header" of some tables is data.
    """
    files = in_files(path, "*.[dD][oO][cC][xX]")
    documents = [document for file in files if (document := _readable(file, options))]
    labels = path / _LABELS
    chosen = {*map(_chosen, read_lines(labels))} if labels.is_file() else None
    found = [
        [*_of_table(source, *table)]
        for source in sources(documents)
        for ordinal, table in enumerate(tables_of(source))
        if chosen is None or (source.name, ordinal) in chosen
    ]
    counts = Counter((item.key.lower(), item.column.lower()) for table in found for item in table)
    draw = random.Random(0)  # noqa: S311 - a choice of questions, not a secret
    asked: list[UnplacedQuestion] = []
    for table in found:
        clear = [item for item in table if counts[item.key.lower(), item.column.lower()] == 1]
        drawn = draw.sample(clear, min(MOST_A_TABLE, len(clear)))
        asked += [
            UnplacedQuestion(
                f"What is the {item.column} of {item.key}?", item.document, item.gold, (item.value,)
            )
            for item in drawn
        ]
    return benchmark("tables", documents, asked, files={file.name: file for file in files})


def _chosen(label: DatasetRecord) -> tuple[str, int] | None:
    """Return the table of a label, if it has one header row and a column of row names."""
    fits = label["header_rows"] == 1 and label["stub"] and not label["doubt"]
    return (str(label["file"]), int(str(label["ordinal"]))) if fits else None


def _readable(file: Path, options: ParseOptions) -> Document | None:
    try:
        return read_document(file, file.name, options)
    except InputError:
        return None


def _of_table(source: SourceText, table: TableContent, start: int) -> Iterator[_LookUp]:
    places = rows_of(table, start)
    rows = [_cells(source.text[first:last]) for first, last in places]
    if len(rows) < _LEAST_ROWS + 1 or not all(rows) or not _names_columns(rows[0]):
        return
    keys = Counter(row[0] for row in rows)
    for row, span in zip(rows[1:], places[1:], strict=True):
        if len(row) != len(rows[0]) or keys[row[0]] > 1 or not _is_name(row[0], _LONGEST_KEY):
            continue
        for column, value in zip(rows[0][1:], row[1:], strict=True):
            if value.strip():
                yield _LookUp(source.name, row[0], column, value, (span, places[0]))


def _cells(row: str) -> list[str]:
    """Return the cells of a JSON row; none if it is not one."""
    try:
        found = json.loads(row)
    except ValueError:
        return []
    return [str(cell) for cell in found] if isinstance(found, list) else []


def _names_columns(row: Sequence[str]) -> bool:
    return (
        len(row) > 1
        and len({*row}) == len(row)
        and all(_is_name(name, _LONGEST_COLUMN) for name in row[1:])
    )


def _is_name(text: str, most: int) -> bool:
    return 1 < len(text) <= most and any(map(str.isalpha, text)) and "<" not in text
