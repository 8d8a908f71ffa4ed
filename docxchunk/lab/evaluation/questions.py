"""Read questions, and locate their answers in the documents.

A file of questions is JSON lines (schemas/question.schema.json):

    {"question": "Who pays?", "document": "lease.docx", "gold": [{"text": "The tenant pays."}]}

`document` is a path relative to the folder of the file. `gold` lists all passages that an answer
needs. A passage has its `text`, or `start` and `end`: characters of the text of the document (end
exclusive). This text is the contents of its blocks, separated by blank lines. With `block`, they
are characters of the content of that block. Optional keys: `answers` (short reference answers),
`cluster` (group of dependent questions; default: the document) and `id`. Other keys are ignored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from docxchunk import api
from docxchunk.batch.validation import faults, schema
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.lab.evaluation.metrics import rouge_words
from docxchunk.lab.evaluation.passages import (
    MARKUP,
    UNSPACED,
    CorpusSpan,
    SourceText,
    sentences,
    sources,
)
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.model.sequences import count_common
from docxchunk.sources import InputKind, Naming, bytes_in, kind_of, parse_as


class GoldQuestion(NamedTuple):
    """A question. `gold` are spans of the corpus (see `SourceText`) in the given order; `documents`
    are the indices of their sources.

    `evidence` are gold texts that do not occur verbatim and were located by ROUGE-L.
    """

    text: str
    documents: frozenset[int]
    gold: tuple[CorpusSpan, ...]
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
    """Documents and the questions on them. `note` describes unusual documents: parts of one file,
    or several in one.
    """

    name: str
    sources: tuple[SourceText, ...]
    questions: tuple[GoldQuestion, ...]
    left_out: tuple[LeftOut, ...]
    note: str


Gold = (
    str | CorpusSpan | tuple[str, str]
)  # a text, a range of the document's text, or (document, text)
_NOWHERE: Final = (-1, -1)  # the range for an unknown block


class UnplacedQuestion(NamedTuple):
    """A question whose gold is not located yet."""

    text: str
    document: str
    gold: tuple[Gold, ...]
    answers: tuple[str, ...] = ()
    cluster: str = ""
    id: str = ""


def benchmark(
    name: str,
    documents: Sequence[Document],
    unplaced: Iterable[UnplacedQuestion],
    note: str = "",
    files: Mapping[str, Path] | None = None,
) -> Benchmark:
    """Return the questions with their gold located in the documents. If the gold of a question is
    missing or not in its document, the question is in `left_out`. `files` has the path of each
    document, by name.
    """
    texts = sources(documents, files)
    numbers = {document.name: number for number, document in enumerate(documents)}
    questions: list[GoldQuestion] = []
    left_out: list[LeftOut] = []
    for item in unplaced:
        try:
            questions.append(_placed(item, texts, numbers))
        except _NoPlaceError as error:
            left_out.append(LeftOut(item.text, item.document, str(error)))
    return Benchmark(name, texts, tuple(questions), tuple(left_out), note)


class _NoPlaceError(Exception):
    """Gold that cannot be located, with the reason."""


def _placed(
    item: UnplacedQuestion, texts: Sequence[SourceText], numbers: Mapping[str, int]
) -> GoldQuestion:
    if not item.gold:
        raise _NoPlaceError("the position of its answer is unknown")
    located = [_of_corpus(texts, numbers, item.document, gold) for gold in item.gold]
    documents = frozenset(number for number, _, _ in located)
    evidence = tuple(text for _, _, text in located if text)
    return GoldQuestion(
        item.text,
        documents,
        tuple(span for _, span, _ in located),
        item.cluster or item.document,
        item.answers,
        item.id,
        evidence,
    )


def _of_corpus(
    texts: Sequence[SourceText], numbers: Mapping[str, int], document: str, gold: Gold
) -> tuple[int, CorpusSpan, str]:
    """Locate a gold passage. Return the index of its document, its span in the corpus, and its text
    if the document does not have it verbatim, otherwise "".
    """
    if isinstance(gold, tuple) and isinstance(gold[0], str):
        document, gold = gold[0], str(gold[1])
    if document not in numbers:
        raise _NoPlaceError(f"there is no document {document!r}")
    source = texts[numbers[document]]
    span, evidence = place(source, gold), ""
    if span is None and isinstance(gold, str):
        span, evidence = nearest(source, gold), gold
    if span is None:
        described = (
            repr(gold[:60])
            if isinstance(gold, str)
            else "the block that is named"
            if gold == _NOWHERE
            else f"{gold[0]} to {gold[1]}"
        )
        raise _NoPlaceError(f"{described} is not in {source.name}")
    return numbers[document], (source.offset + span[0], source.offset + span[1]), evidence


def read_questions(path: Path, options: ParseOptions) -> Benchmark:
    """Read the questions of a file, with their documents: Word files, parsed folders or plain text.

    A question whose gold cannot be located is left out. Raise InputError if the file or a document
    cannot be read, UsageError with the line number for an invalid line.
    """
    records = list(_records(path))
    names = list(dict.fromkeys(record["document"] for record in records))
    documents = [read_document(path.parent / name, name, options) for name in names]
    texts = dict(zip(names, sources(documents), strict=True))
    return benchmark(
        path.stem,
        documents,
        [_unplaced(record, texts[record["document"]]) for record in records],
        files={name: path.parent / name for name in names},
    )


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise MissingFileError(
            f"The file {str(path)!r} cannot be read ({error.strerror or error})."
        ) from error
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


def _unplaced(record: Mapping[str, Any], source: SourceText) -> UnplacedQuestion:
    return UnplacedQuestion(
        record["question"],
        source.name,
        tuple(_gold(item, source) for item in record["gold"]),
        tuple(record.get("answers", ())),
        record.get("cluster", ""),
        record.get("id", ""),
    )


def _gold(item: Mapping[str, Any], source: SourceText) -> str | CorpusSpan:
    """Return the gold as a text, or as a range of the document's text."""
    if "text" in item:
        return str(item["text"])
    try:
        base = source.starts_by_id[item["block"]] if "block" in item else 0
    except KeyError:
        return _NOWHERE
    return base + int(item["start"]), base + int(item["end"])


def read_document(path: Path, name: str, options: ParseOptions) -> Document:
    """Read the document at a path: a Word file, a parsed folder, or plain text. Its name becomes
    `name`.
    """
    kind = kind_of(path)
    if kind is InputKind.PARSED:
        document = api.read(path)
    else:
        document = parse_as(kind, bytes_in(path, options.limits), Naming(name, name), options)
    if not document.blocks:
        raise InputError(f"{name} holds no text.")
    return document if document.name == name else replace(document, name=name)


# -- the place of a gold text


def place(source: SourceText, gold: str | CorpusSpan) -> CorpusSpan | None:
    """Return the span of the first occurrence of a gold text. If `gold` is a range, return it
    without the white space around it. Return None if there is no such text.

    If a text does not occur verbatim, only its letters and digits are searched. Text that was
    copied from Word has no tags (`<sup>`), no note marks (`[^1]`), other white space, and no quotes
    around cells.
    """
    if isinstance(gold, str):
        passage = gold.strip()
        start = source.text.find(passage) if passage else -1
        return (start, start + len(passage)) if start >= 0 else _by_letters(source.text, passage)
    start, end = gold
    text = source.text[start:end]
    if not 0 <= start < end <= len(source.text) or not text.strip():
        return None
    return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())


# -- letters and digits alone

_RUN: Final = re.compile(rf"{MARKUP}|([^\W_]+)")
_INSIDE: Final = re.compile(rf"[^\W_{UNSPACED}]")  # a letter of a script with spaces between words


class _Letters(NamedTuple):
    """The letters and digits of a text. `text` joins the runs of letters and digits. Run i begins
    at `starts[i]` of `text`, and at `places[i]` of the original.
    """

    text: str
    starts: Sequence[int]
    places: Sequence[int]

    def place(self, at: int) -> int:
        """Return the position of letter number `at` in the original text."""
        run = bisect_right(self.starts, at) - 1
        return self.places[run] + at - self.starts[run]


def _letters(text: str) -> _Letters:
    runs = [(match[1], match.start()) for match in _RUN.finditer(text) if match[1]]
    texts = [text for text, _ in runs]
    starts = [*accumulate(map(len, texts), initial=0)]
    return _Letters("".join(texts), starts, [start for _, start in runs])


_letters_of_source = lru_cache(maxsize=256)(_letters)


def _by_letters(text: str, gold: str) -> CorpusSpan | None:
    gold_letters = _letters(gold).text
    letters = _letters_of_source(text)
    at = letters.text.find(gold_letters) if gold_letters else -1
    while at >= 0:
        start, end = letters.place(at), letters.place(at + len(gold_letters) - 1) + 1
        if not (_is_inside(text, start) or _is_inside(text, end)):
            tail = gold[gold.rindex(gold_letters[-1]) + 1 :]  # trailing punctuation
            return start, end + len(tail) if text.startswith(tail, end) else end
        at = letters.text.find(gold_letters, at + 1)
    return None


def _is_inside(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and bool(
        _INSIDE.match(text[offset - 1]) and _INSIDE.match(text[offset])
    )


# -- ROUGE-L

LEAST_SHARE: Final = 0.5  # minimum share of the evidence's words
_FEWEST: Final = 4  # minimum number of common words
_TRIED: Final = 40  # candidate sentences


class _IndexedSentences(NamedTuple):
    """The sentences of a text and their words. `holders` maps a word to the indices of the
    sentences that contain it.
    """

    spans: Sequence[CorpusSpan]
    words: Sequence[Sequence[str]]
    holders: Mapping[str, Sequence[int]]


@lru_cache(maxsize=256)
def _indexed(text: str) -> _IndexedSentences:
    spans = [*sentences(text)]
    words = [rouge_words(text[start:end]) for start, end in spans]
    holders: dict[str, list[int]] = {}
    for number, sentence in enumerate(words):
        for word in {*sentence}:
            holders.setdefault(word, []).append(number)
    return _IndexedSentences(spans, words, holders)


def nearest(source: SourceText, evidence: str) -> CorpusSpan | None:
    """Return the span of the consecutive sentences with the highest ROUGE-L F1 for the evidence,
    which does not occur verbatim. Return None if less than half of its words occur in order.

    LGMGC ("Passage Segmentation of Documents for Extractive Question Answering", section 4) gives
    such evidence to the chunk with the highest ROUGE score. With sentences, the gold span is the
    same for every chunker.
    """
    evidence_words = rouge_words(evidence)
    indexed = _indexed(source.text)
    votes = Counter(
        number for word in sorted({*evidence_words}) for number in indexed.holders.get(word, ())
    )
    max_sentences = len([*sentences(evidence)]) + 1
    tried = dict.fromkeys(
        window
        for number, _ in votes.most_common(_TRIED)
        for window in _windows(number, max_sentences, len(indexed.spans))
    )
    best, score = None, 0.0
    for first, last in sorted(tried):
        words = [word for sentence in indexed.words[first:last] for word in sentence]
        common = count_common(evidence_words, words)
        f1 = 2 * common / (len(evidence_words) + len(words))
        if common >= max(LEAST_SHARE * len(evidence_words), _FEWEST) and f1 > score:
            best, score = (indexed.spans[first][0], indexed.spans[last - 1][1]), f1
    return best


def _windows(number: int, max_sentences: int, total: int) -> Iterator[tuple[int, int]]:
    """Yield all ranges of up to `max_sentences` sentences that contain sentence `number`."""
    for first in range(max(number - max_sentences + 1, 0), number + 1):
        for last in range(number + 1, min(first + max_sentences, total) + 1):
            yield first, last
