"""Load MM-TelcoBench: questions on 3GPP specifications, with specification and section. The user provides the Word files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.datasets import own
from benchmarks.datasets.files import in_files, read_csv
from docxchunk.evaluation.metrics import rouge_words
from docxchunk.evaluation.passages import SourceText, Span, sources
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark, read_document
from docxchunk.model.options import ParseOptions

NOTE: Final = "a document is a 3GPP specification"
_ANSWER: Final = "Candidate Answer 1"
_COLUMNS: Final = ("Question", "Source", "Section", _ANSWER)
_SPECIFICATION: Final = re.compile(r"(?<!\d)(\d{2})\.?(\d{3})(?!\d)")
_CLAUSE: Final = re.compile(r"(?<![\w.])(?:\d+[a-z]?|[A-Z])(?:\.\d+[A-Za-z]*)+(?![\w.])")
_LEAST: Final = 0.4  # minimum share of common longer words, of those of answer or paragraph, whichever has fewer
_FEWEST: Final = 3  # minimum number of common longer words


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Load a folder of specifications as Word files with 3GPP names (22261-ic0.docx), with the CSV files of the set.

    Rows with values for Question, Source, Section and Candidate Answer 1 are read, if their specification is in the folder. Gold is the paragraph of the
    section with the most longer words in common with that answer. A question is left out if its section is not found, or if no paragraph has at least three
    of these words, and two in five, in common. A `questions.jsonl` in the folder is read instead of the CSV files.
    """
    if (path / own.FILE).is_file():
        return replace(own.load(path, options), name="telco", note=NOTE)
    rows = [row for file in in_files(path, "*.csv") for row in read_csv(file) if all(row.get(column) for column in _COLUMNS)]
    files = {_specification(file.name): file for file in in_files(path, "*.[dD][oO][cC][xX]")}
    wanted = [row for row in rows if _specification(row["Source"]) in files]
    documents = {number: read_document(files[number], files[number].name, options) for number in dict.fromkeys(_specification(row["Source"]) for row in wanted)}
    sections = {number: _sections(sources([document])[0]) for number, document in documents.items()}
    asked = []
    for row in wanted:
        number = _specification(row["Source"])
        gold = _gold(row, sections[number])
        asked.append(UnplacedQuestion(row["Question"], documents[number].name, (gold,) if gold else (), cluster=number))
    return benchmark("telco", [*documents.values()], asked, NOTE)


def _specification(text: str) -> str:
    """Return "22261" of "3GPP TS 22.261" or "22261-ic0.docx"."""
    found = _SPECIFICATION.search(text)
    return f"{found[1]}{found[2]}" if found else text


def _sections(source: SourceText) -> Mapping[str, list[tuple[Span, str]]]:
    """Return the paragraphs of each section with their spans, by clause number and by title."""
    found: dict[str, list[tuple[Span, str]]] = {}
    for start, block in zip(source.starts, source.document.blocks, strict=True):
        paragraphs = [*_paragraphs(block.content, start)]
        clause = _CLAUSE.match(block.heading)
        for name in {clause[0] if clause else "", _title(block.heading)} - {""}:
            found.setdefault(name, []).extend(paragraphs)
    return found


def _paragraphs(content: str, start: int) -> Iterator[tuple[Span, str]]:
    """Yield the paragraphs of a block with their spans, without the heading."""
    for line in content.splitlines(keepends=True):
        if line.strip() and not line.startswith("#"):
            yield (start, start + len(line.rstrip())), line
        start += len(line)


def _title(text: str) -> str:
    return " ".join(rouge_words(text))


def _gold(row: Mapping[str, str], sections: Mapping[str, list[tuple[Span, str]]]) -> Span | None:
    """Return the paragraph with the most longer words of the answer; ties: the shortest."""
    clauses = _CLAUSE.findall(row["Section"])
    wanted = _long_words(row[_ANSWER])
    best: tuple[int, int, Span] | None = None
    for place, text in sections.get(clauses[-1] if clauses else _title(row["Section"]), []):
        words = _long_words(text)
        common = len(words & wanted)
        if common >= max(_FEWEST, _LEAST * min(len(words), len(wanted))):
            best = max(best or (0, 0, place), (common, -len(text), place))
    return best[2] if best else None


def _long_words(text: str) -> frozenset[str]:
    return frozenset(word for word in rouge_words(text) if len(word) > 3)
