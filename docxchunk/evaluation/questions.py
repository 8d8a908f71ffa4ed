"""Questions, and where their answers stand.

A file of questions is JSON lines (schemas/question.schema.json):

    {"question": "Who pays?", "document": "lease.docx", "gold": [{"text": "The tenant pays the rent."}]}

`document` is a path, from the folder of the file on; `gold` names all the places that an answer needs, each by its `text` or by `start` and `end` (characters,
end not included) in the document's text: the contents of its blocks with a blank line between or, with `block`, in the content of that block.
`answers` may hold the short answers, `cluster` what the question is not independent of (else its document), `id` a name for it. Other keys are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, cast

import orjson

from docxchunk import api
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.evaluation.passages import Source, sources
from docxchunk.evaluation.placing import nearest, place
from docxchunk.evaluation.spans import Span
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.sidecar.schemas import faults, schema


class Question(NamedTuple):
    """`gold` are places of the corpus (see `Source`), in the order given; `documents` the numbers of the sources that they are in.

    `evidence` are gold texts that do not stand in their document word for word, and were placed by ROUGE-L.
    """

    text: str
    documents: frozenset[int]
    gold: tuple[Span, ...]
    cluster: str
    answers: tuple[str, ...] = ()
    id: str = ""
    evidence: tuple[str, ...] = ()


class LeftOut(NamedTuple):
    """A question of the data that is not asked, and why."""

    question: str
    document: str
    why: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Documents and the questions on them. `note` says what the documents are, where that is not plain: parts of one file, or made of several."""

    name: str
    sources: tuple[Source, ...]
    questions: tuple[Question, ...]
    left_out: tuple[LeftOut, ...] = ()
    note: str = ""


Gold = str | Span | tuple[str, str]  # a text, a range of the document's text, or a text in a document of its own
_NOWHERE: Final = (-1, -1)  # the range of a block that the document does not have


class Asked(NamedTuple):
    """A question before its places are looked up."""

    text: str
    document: str
    gold: tuple[Gold, ...]
    answers: tuple[str, ...] = ()
    cluster: str = ""
    id: str = ""


def benchmark(name: str, documents: Sequence[Document], asked: Iterable[Asked], note: str = "") -> Benchmark:
    """Questions with their places. One without any, or with one that is not found, is left out and listed."""
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
    """Says why a gold has no place."""


def _placed(item: Asked, laid: Sequence[Source], numbers: Mapping[str, int]) -> Question:
    if not item.gold:
        raise _NoPlaceError("where its answer stands is not known")
    found = [_of_corpus(laid, numbers, item.document, gold) for gold in item.gold]
    held = frozenset(number for number, _, _ in found)
    evidence = tuple(text for _, _, text in found if text)
    return Question(item.text, held, tuple(span for _, span, _ in found), item.cluster or item.document, item.answers, item.id, evidence)


def _of_corpus(laid: Sequence[Source], numbers: Mapping[str, int], document: str, gold: Gold) -> tuple[int, Span, str]:
    """The number of the source that a gold is in, its place in the corpus, and its text where that stands there only more or less."""
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
    """The questions of a file, with their documents: Word files (parsed here), parsed folders, plain text.

    A question whose answer has no place there is left out. Raises InputError where the file or a document cannot be read, UsageError with the number of the
    line where a line makes no sense.
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


def _asked(record: Mapping[str, object], source: Source) -> Asked:
    gold = tuple(_wanted(item, source) for item in cast("list[dict[str, str | int]]", record["gold"]))
    answers = cast("list[str]", record.get("answers", []))
    return Asked(str(record["question"]), source.name, gold, tuple(answers), str(record.get("cluster", "")), str(record.get("id", "")))


def _wanted(item: Mapping[str, str | int], source: Source) -> str | Span:
    """A text, or a range of the document's text."""
    if "text" in item:
        return str(item["text"])
    try:
        base = source.start_of(str(item["block"])) if "block" in item else 0
    except KeyError:
        return _NOWHERE
    return base + int(item["start"]), base + int(item["end"])


def read_document(path: Path, name: str, options: ParseOptions) -> Document:
    """A document by its path, called `name`: parsed, read, or taken as plain text."""
    kind = api.kind_of(path)
    if kind is api.InputKind.PARSED:
        return _named(api.read(path), name)
    return _named(api.parse_as(kind, api.bytes_in(path, options.limits), api.Naming(name, name), options), name)


def _named(document: Document, name: str) -> Document:
    if not document.blocks:
        raise InputError(f"{name} holds no text.")
    return document if document.name == name else replace(document, name=name)
