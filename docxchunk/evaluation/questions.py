"""Read questions, and locate their answers in the documents.

A file of questions is JSON lines (schemas/question.schema.json):

    {"question": "Who pays?", "document": "lease.docx", "gold": [{"text": "The tenant pays the rent."}]}

`document` is a path relative to the folder of the file. `gold` lists all passages that an answer needs, each by its `text` or by `start` and `end` (characters,
end exclusive) in the document's text, which is the contents of its blocks separated by blank lines; with `block`, in the content of that block. Optional keys:
`answers` (short reference answers), `cluster` (group of dependent questions; default: the document) and `id`. Other keys are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, cast

import orjson

from docxchunk import api
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.evaluation.passages import SourceText, sources
from docxchunk.evaluation.placing import nearest, place
from docxchunk.evaluation.spans import Span
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.sidecar.schemas import faults, schema


class Question(NamedTuple):
    """A question. `gold` are spans of the corpus (see `SourceText`) in the given order; `documents` the numbers of their sources.

    `evidence` are gold texts that do not occur verbatim and were located by ROUGE-L.
    """

    text: str
    documents: frozenset[int]
    gold: tuple[Span, ...]
    cluster: str
    answers: tuple[str, ...] = ()
    id: str = ""
    evidence: tuple[str, ...] = ()


class LeftOut(NamedTuple):
    """A question of the data set that is not asked, and the reason."""

    question: str
    document: str
    why: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Documents and the questions on them. `note` describes unusual documents: parts of one file, or several in one."""

    name: str
    sources: tuple[SourceText, ...]
    questions: tuple[Question, ...]
    left_out: tuple[LeftOut, ...] = ()
    note: str = ""


Gold = str | Span | tuple[str, str]  # a text, a range of the document's text, or (document, text)
_NOWHERE: Final = (-1, -1)  # the range for an unknown block


class UnplacedQuestion(NamedTuple):
    """A question whose gold is not located yet."""

    text: str
    document: str
    gold: tuple[Gold, ...]
    answers: tuple[str, ...] = ()
    cluster: str = ""
    id: str = ""


def benchmark(name: str, documents: Sequence[Document], asked: Iterable[UnplacedQuestion], note: str = "") -> Benchmark:
    """Locate the gold of questions. A question without gold, or with gold that is not found, is listed in `left_out`."""
    laid = sources(documents)
    numbers = {document.name: number for number, document in enumerate(documents)}
    questions: list[Question] = []
    left_out: list[LeftOut] = []
    for item in asked:
        try:
            questions.append(_placed(item, laid, numbers))
        except _NoPlaceError as error:
            left_out.append(LeftOut(item.text, item.document, str(error)))
    return Benchmark(name, laid, tuple(questions), tuple(left_out), note)


class _NoPlaceError(Exception):
    """Gold that cannot be located, with the reason."""


def _placed(item: UnplacedQuestion, laid: Sequence[SourceText], numbers: Mapping[str, int]) -> Question:
    if not item.gold:
        raise _NoPlaceError("the position of its answer is unknown")
    found = [_of_corpus(laid, numbers, item.document, gold) for gold in item.gold]
    held = frozenset(number for number, _, _ in found)
    evidence = tuple(text for _, _, text in found if text)
    return Question(item.text, held, tuple(span for _, span, _ in found), item.cluster or item.document, item.answers, item.id, evidence)


def _of_corpus(laid: Sequence[SourceText], numbers: Mapping[str, int], document: str, gold: Gold) -> tuple[int, Span, str]:
    """Return the number of the source of a gold, its span in the corpus, and its text if it does not occur verbatim."""
    if isinstance(gold, tuple) and isinstance(gold[0], str):
        document, gold = gold[0], str(gold[1])
    if document not in numbers:
        raise _NoPlaceError(f"there is no document {document!r}")
    source = laid[numbers[document]]
    span, evidence = place(source, gold), ""
    if span is None and isinstance(gold, str):
        span, evidence = nearest(source, gold), gold
    if span is None:
        said = repr(gold[:60]) if isinstance(gold, str) else "the block that is named" if gold == _NOWHERE else f"{gold[0]} to {gold[1]}"
        raise _NoPlaceError(f"{said} is not in {source.name}")
    return numbers[document], (source.offset + span[0], source.offset + span[1]), evidence


def read_questions(path: Path, options: ParseOptions) -> Benchmark:
    """Read the questions of a file, with their documents: Word files, parsed folders or plain text.

    A question whose gold cannot be located is left out. Raise InputError if the file or a document cannot be read, UsageError with the line number for an
    invalid line.
    """
    records = list(_records(path))
    names = list(dict.fromkeys(record["document"] for record in records))
    documents = [read_document(path.parent / name, name, options) for name in names]
    laid = dict(zip(names, sources(documents), strict=True))
    return benchmark(path.stem, documents, [_asked(record, laid[record["document"]]) for record in records])


def _records(path: Path) -> Iterator[Mapping[str, str]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise MissingFileError(f"The file {str(path)!r} cannot be read ({error.strerror or error}).") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except ValueError:
            raise UsageError(f"{path.name}, line {number}: this is not JSON.") from None
        for fault in faults(record, schema("question"), closed=False):
            raise UsageError(f"{path.name}, line {number}: {fault}.")
        yield record


def _asked(record: Mapping[str, object], source: SourceText) -> UnplacedQuestion:
    gold = tuple(_wanted(item, source) for item in cast("list[dict[str, str | int]]", record["gold"]))
    answers = cast("list[str]", record.get("answers", []))
    return UnplacedQuestion(str(record["question"]), source.name, gold, tuple(answers), str(record.get("cluster", "")), str(record.get("id", "")))


def _wanted(item: Mapping[str, str | int], source: SourceText) -> str | Span:
    """Return the gold as a text, or as a range of the document's text."""
    if "text" in item:
        return str(item["text"])
    try:
        base = source.start_of(str(item["block"])) if "block" in item else 0
    except KeyError:
        return _NOWHERE
    return base + int(item["start"]), base + int(item["end"])


def read_document(path: Path, name: str, options: ParseOptions) -> Document:
    """Read the document at a path: a Word file, a parsed folder, or plain text. Its name becomes `name`."""
    kind = api.kind_of(path)
    if kind is api.InputKind.PARSED:
        return _named(api.read(path), name)
    return _named(api.parse_as(kind, api.bytes_in(path, options.limits), api.Naming(name, name), options), name)


def _named(document: Document, name: str) -> Document:
    if not document.blocks:
        raise InputError(f"{name} holds no text.")
    return document if document.name == name else replace(document, name=name)
