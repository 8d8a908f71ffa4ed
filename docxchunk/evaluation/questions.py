"""Questions, and where their answers stand.

A file of questions is JSON lines (schemas/question.schema.json):

    {"question": "Who pays?", "document": "lease.docx", "gold": [{"text": "The tenant pays the rent."}]}

`document` is a path, from the folder of the file on; `gold` names all the places that an answer needs, each by its `text` or by `start` and `end` (characters,
end not included) in the document's text: the contents of its blocks with a blank line between or, with `block`, in the content of that block.
`answers` may hold the short answers, `cluster` what the question is drawn with in the bootstrap (else its document), `id` a name for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

import orjson

from docxchunk import api
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.evaluation.passages import Source, sources
from docxchunk.evaluation.spans import Span
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.sidecar.schemas import faults, schema


class Question(NamedTuple):
    """`gold` are places of the corpus (see `Source`), in the order given; `documents` the numbers of the sources that they are in."""

    text: str
    documents: frozenset[int]
    gold: tuple[Span, ...]
    cluster: str
    answers: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Documents and the questions on them. `dropped` counts questions of the data that have no place in a document."""

    name: str
    sources: tuple[Source, ...]
    questions: tuple[Question, ...]
    dropped: int = 0


Gold = str | Span | tuple[str, str]  # a text, a range of the document's text, or a text in a document of its own


class Asked(NamedTuple):
    """A question before its places are looked up."""

    text: str
    document: str
    gold: tuple[Gold, ...]
    answers: tuple[str, ...] = ()
    cluster: str = ""
    id: str = ""


def benchmark(name: str, documents: Sequence[Document], asked: Iterable[Asked]) -> Benchmark:
    """Questions with their places. One whose gold is not found, or is nothing but blanks, is dropped and counted."""
    laid = sources(documents)
    numbers = {document.name: number for number, document in enumerate(documents)}
    found: list[Question] = []
    dropped = 0
    for item in asked:
        places = [_of_corpus(laid, numbers, item.document, gold) for gold in item.gold]
        known = [place for place in places if place]
        if not places or len(known) < len(places):
            dropped += 1
            continue
        held = frozenset(number for number, _ in known)
        found.append(Question(item.text, held, tuple(span for _, span in known), item.cluster or item.document, item.answers, item.id))
    return Benchmark(name, laid, tuple(found), dropped)


def _of_corpus(laid: Sequence[Source], numbers: Mapping[str, int], document: str, gold: Gold) -> tuple[int, Span] | None:
    """The number of the source that a gold is in, and its place in the corpus."""
    if isinstance(gold, tuple) and isinstance(gold[0], str):
        document, gold = gold[0], str(gold[1])
    if document not in numbers:
        return None
    source = laid[numbers[document]]
    span = place(source, gold)
    return (numbers[document], (source.offset + span[0], source.offset + span[1])) if span else None


def place(source: Source, gold: str | Span) -> Span | None:
    """Where a gold text first stands, blanks being alike, or a range without the blanks around it; None where there is nothing."""
    if isinstance(gold, str):
        start = source.text.find(gold.strip())
        words = gold.split()
        if start >= 0 and words:
            return start, start + len(gold.strip())
        match = re.search(r"\s+".join(map(re.escape, words)), source.text) if words else None
        return match.span() if match else None
    start, end = gold
    text = source.text[start:end]
    if not 0 <= start < end <= len(source.text) or not text.strip():
        return None
    return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())


def read_questions(path: Path) -> Benchmark:
    """The questions of a file, with their documents: Word files (parsed here), parsed folders, plain text.

    Raises InputError where the file or a document cannot be read, UsageError with the number of the line where a line makes no sense.
    """
    records = list(_records(path))
    names = list(dict.fromkeys(record["document"] for _, record in records))
    documents = [read_document(path.parent / name, name) for name in names]
    laid = dict(zip(names, sources(documents), strict=True))
    asked = [_asked(record, laid[record["document"]], f"{path.name}, line {number}") for number, record in records]
    return benchmark(path.stem, documents, asked)


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
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
        for fault in faults(record, schema("question")):
            raise UsageError(f"{path.name}, line {number}: {fault}.")
        yield number, record


def _asked(record: Mapping[str, object], source: Source, at: str) -> Asked:
    gold: list[Gold] = []
    for item in cast("list[dict[str, str | int]]", record["gold"]):
        wanted = _wanted(item, source, at)
        if place(source, wanted) is None:
            said = repr(wanted[:60]) if isinstance(wanted, str) else f"{wanted[0]} to {wanted[1]}"
            raise UsageError(f"{at}: the gold {said} is not in {source.name}.")
        gold.append(wanted)
    answers = cast("list[str]", record.get("answers", []))
    return Asked(str(record["question"]), source.name, tuple(gold), tuple(answers), str(record.get("cluster", "")), str(record.get("id", "")))


def _wanted(item: Mapping[str, str | int], source: Source, at: str) -> str | Span:
    if "text" in item:
        return str(item["text"])
    try:
        base = source.start_of(str(item["block"])) if "block" in item else 0
    except KeyError:
        raise UsageError(f"{at}: {source.name} has no block {item['block']}.") from None
    return base + int(item["start"]), base + int(item["end"])


def read_document(path: Path, name: str) -> Document:
    """A document by its path, called `name`: parsed, read, or taken as plain text."""
    kind = api.kind_of(path)
    if kind is api.InputKind.PARSED:
        return _named(api.read(path), name)
    options = ParseOptions()
    return _named(api.parse_as(kind, api.bytes_in(path, options.limits), api.Naming(name, name), options), name)


def _named(document: Document, name: str) -> Document:
    if not document.blocks:
        raise InputError(f"{name} holds no text.")
    return document if document.name == name else replace(document, name=name)
