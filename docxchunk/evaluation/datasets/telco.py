"""MM-TelcoBench: questions on 3GPP specifications, which the user has as Word files. The set names the specification and the section of each answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from docxchunk.evaluation.datasets import own
from docxchunk.evaluation.datasets.files import in_files, read_csv
from docxchunk.evaluation.metrics import rouge_words
from docxchunk.evaluation.passages import Source, sources
from docxchunk.evaluation.questions import Asked, Benchmark, benchmark, read_document
from docxchunk.evaluation.spans import Span
from docxchunk.model.options import ParseOptions

NOTE: Final = "a document is a 3GPP specification"
_ANSWER: Final = "Candidate Answer 1"
_COLUMNS: Final = ("Question", "Source", "Section", _ANSWER)
_SPECIFICATION: Final = re.compile(r"(?<!\d)(\d{2})\.?(\d{3})(?!\d)")
_CLAUSE: Final = re.compile(r"(?<![\w.])(?:\d+[a-z]?|[A-Z])(?:\.\d+[A-Za-z]*)+(?![\w.])")
_LEAST: Final = 0.4  # of the longer words of answer or paragraph, whichever has fewer, in both
_FEWEST: Final = 3  # of them


def load(path: Path, options: ParseOptions) -> Benchmark:
    """A folder of specifications in Word, named as 3GPP does (22261-ic0.docx), with the set's CSV files, or with questions whose places are known.

    Of the CSV files, those with the columns Question, Source, Section and Candidate Answer 1 are read, and of these the questions on specifications that are
    there. Gold is the paragraph of the section that shares most longer words with that answer; a question is left out where its section is not found, or
    where no paragraph of it shares three, and two in five, with it. `questions.jsonl` is read as any file of questions, in place of the CSV files.
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
        asked.append(Asked(row["Question"], documents[number].name, (gold,) if gold else (), cluster=number))
    return benchmark("telco", [*documents.values()], asked, NOTE)


def _specification(text: str) -> str:
    """Of "3GPP TS 22.261" or "22261-ic0.docx", "22261"."""
    found = _SPECIFICATION.search(text)
    return f"{found[1]}{found[2]}" if found else text


def _sections(source: Source) -> Mapping[str, list[tuple[Span, str]]]:
    """The paragraphs of each section, with their places, by its clause number, and by its title."""
    found: dict[str, list[tuple[Span, str]]] = {}
    for start, block in zip(source.starts, source.document.blocks, strict=True):
        paragraphs = [*_paragraphs(block.content, start)]
        clause = _CLAUSE.match(block.heading)
        for name in {clause[0] if clause else "", _title(block.heading)} - {""}:
            found.setdefault(name, []).extend(paragraphs)
    return found


def _paragraphs(content: str, start: int) -> Iterator[tuple[Span, str]]:
    """Without the heading line."""
    for line in content.splitlines(keepends=True):
        if line.strip() and not line.startswith("#"):
            yield (start, start + len(line.rstrip())), line
        start += len(line)


def _title(text: str) -> str:
    return " ".join(rouge_words(text))


def _gold(row: Mapping[str, str], sections: Mapping[str, list[tuple[Span, str]]]) -> Span | None:
    """Where most of the answer's longer words stand; of several paragraphs the shortest."""
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
