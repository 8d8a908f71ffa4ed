"""Check all quotations of a memo at once, in one document or in several.

Each document is read once. A quotation is looked for word for word in every document; if no
document has it, similar words are looked for in those that have most of its words. If the memo
names the document beside the quotation, it must be this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from docxchunk.errors import UsageError
from docxchunk.model.document import Document
from docxchunk.model.wording import counted, shortened
from docxchunk.retrieval.answers import Answer
from docxchunk.retrieval.citing.quotations import Quotation, Verdict
from docxchunk.retrieval.folders.library import inputs_at, reader_of
from docxchunk.retrieval.memos.quotations import (
    Paragraph,
    Quoted,
    paragraphs_of,
    quotations_in,
    quoted_in,
)
from docxchunk.retrieval.memos.sources import SourceNames
from docxchunk.retrieval.reading import Reader
from docxchunk.sources import Paths, StrPath, given_paths

_MOST_COMPARED: Final = 3  # documents in which similar words are looked for
_LEAST_SHARE: Final = 0.5  # of the words of a quotation that such a document has


class Status(StrEnum):
    """What a reader of a memo must know of a quotation."""

    RIGHT = "right"  # word for word, and at the place cited if there is a citation
    ABRIDGED = "abridged"  # an ellipsis leaves out a word such as "not"
    ALTERED = "altered"  # with other words, or stitched from several places
    ELSEWHERE = "at another place"  # word for word, but not at the place or document cited
    UNCLEAR = "unclear"  # word for word, but the document that the memo names is not known
    NOT_FOUND = "not found"


_MOST_SHOWN: Final = 5  # documents with a quotation
_LEFT_OUT: Final = "Left out: {}"
_LONGEST_SHOWN: Final = 200  # characters of a quotation
_LONGEST_NAMES: Final = 300  # characters of all texts that are not checked
_STATUS: Final = {
    Verdict.FOUND: Status.RIGHT,
    Verdict.ABRIDGED: Status.RIGHT,
    Verdict.MISLEADING: Status.ABRIDGED,
    Verdict.MOVED: Status.ELSEWHERE,
    Verdict.ELSEWHERE: Status.ELSEWHERE,
    Verdict.STITCHED: Status.ALTERED,
    Verdict.ALTERED: Status.ALTERED,
    Verdict.NOT_FOUND: Status.NOT_FOUND,
}
_ORDER: Final = tuple(Verdict)


@dataclass(frozen=True, slots=True)
class CheckedQuotation:
    """A quotation of a memo, and the result of checking it.

    - `text`: the words of the quotation.
    - `place`: the paragraph of the memo, "¶ 4"; "" if unknown.
    - `labels`: the clauses that the memo cites for it; () if none.
    - `source`: the words that name its document in the memo, "CSA"; "" if there are none.
    - `status`: right, abridged, altered, at another place, unclear or not found.
    - `results`: the result for each document that has the words or similar ones, the best first.
    - `note`: what else there is to say, in one sentence; "" for nothing.
    """

    text: str
    place: str
    labels: tuple[str, ...]
    source: str
    status: Status
    results: tuple[Quotation, ...]
    note: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the words are right and, if there is a citation, at the place cited."""
        return self.status is Status.RIGHT

    @property
    def lines(self) -> list[str]:
        """What there is to say: the difference or the words left out, the places, and the note."""
        first = self.results[:1]
        alike = [result for result in self.results if result.verdict is self.results[0].verdict]
        places = alike[: 1 if self.status is Status.ALTERED else _MOST_SHOWN]
        more = len(alike) - len(places)
        return [
            *(result.difference for result in first if result.difference),
            *(_LEFT_OUT.format(" … ".join(result.omitted)) for result in first if result.omitted),
            *(f"[{result.passages[0].citation}]" for result in places),
            *([f"({counted(more, 'more document')})"] if more else []),
            *filter(None, [self.note]),
        ]


@dataclass(frozen=True, slots=True)
class MemoCheck:
    """The result of checking a memo.

    - `quotations`: its quotations, in order.
    - `names`: the texts in quotation marks that are not checked: they are names, or shorter than
      three words.
    - `paragraphs`, `spans`: the paragraphs of the memo; and for each quotation the index of its
      paragraph and the range of characters there.
    """

    quotations: tuple[CheckedQuotation, ...]
    names: tuple[str, ...]
    paragraphs: tuple[Paragraph, ...]
    spans: tuple[tuple[int, int, int], ...]

    @property
    def is_right(self) -> bool:
        """Whether all quotations are right."""
        return all(quotation.is_right for quotation in self.quotations)

    @property
    def counts(self) -> dict[Status, int]:
        """How many quotations have each status; those without any are left out."""
        counts = Counter(quotation.status for quotation in self.quotations)
        return {status: counts[status] for status in Status if counts[status]}

    @property
    def summary(self) -> str:
        """A sentence with the numbers, and the texts that were not checked."""
        counts = ", ".join(f"{number} {status}" for status, number in self.counts.items())
        number = counted(len(self.quotations), "quotation")
        names = shortened(", ".join(f"“{name}”" for name in self.names), _LONGEST_NAMES)
        note = f" Not checked, since they are short or names: {names}." if names else ""
        return f"{number}: {counts}.{note}" if counts else f"There is no quotation to check.{note}"


def shown(quotation: CheckedQuotation) -> str:
    """Return the words of a quotation and its citation in the memo, on one line."""
    text = shortened(" ".join(quotation.text.split()), _LONGEST_SHOWN)
    cited = ", ".join(filter(None, (quotation.source, *quotation.labels)))
    return f"“{text}”{cited and f' ({cited})'}"


def check_memo(memo: StrPath | Document, paths: Paths) -> MemoCheck:
    """Return the result of checking all quotations of a memo in the documents at some paths.

    `memo` is the path of a Word file or a text file, or a parsed document. Quotations are texts in
    quotation marks of any language, and block quotations. The citation beside one is checked, too:
    "Clause 8.1(a) of the CSA", "(Schedule 2, para 3)", or a footnote. Raise MissingFileError for a
    path without documents, InputError for one that cannot be read.
    """
    document = memo if isinstance(memo, Document) else document_at(memo)
    return memo_check(document, map(reader_of, inputs_at(given_paths(paths))))


def document_at(path: StrPath) -> Document:
    """Return the memo at a path."""
    inputs = inputs_at([str(path)])
    if len(inputs) != 1:
        raise UsageError(f"{path} is a folder: give the one memo.")
    return reader_of(inputs[0]).document


def memo_check(memo: Document, readers: Iterable[Reader]) -> MemoCheck:
    """Return the result of checking all quotations of a memo in some documents."""
    paragraphs = paragraphs_of(memo)
    quoted_texts = quotations_in(paragraphs)
    quotations = [quoted for quoted in quoted_texts if not quoted.is_name]
    text = "\n".join(paragraph.text for paragraph in paragraphs)
    return MemoCheck(
        tuple(check_quotations(quotations, readers, text)),
        tuple(dict.fromkeys(quoted.text for quoted in quoted_texts if quoted.is_name)),
        tuple(paragraphs),
        tuple((quoted.paragraph, quoted.start, quoted.end) for quoted in quotations),
    )


def checked_list(texts: Sequence[str], readers: Iterable[Reader]) -> Answer:
    """Return a paragraph for each of some quotations, which may have a citation beside them, and
    then the numbers.
    """
    quotations = tuple(check_quotations(list(map(quoted_in, texts)), readers, "\n".join(texts)))
    check = MemoCheck(quotations, (), (), ())
    parts = (
        f"{number}. {quotation.status}: {shown(quotation)}\n" + "\n".join(quotation.lines)
        for number, quotation in enumerate(quotations, 1)
    )
    text = "\n".join((*map(str.strip, parts), check.summary))
    return Answer(text, quotations, check.is_right)


def check_quotations(
    quotations: Sequence[Quoted], readers: Iterable[Reader], memo: str
) -> list[CheckedQuotation]:
    """Return the result of checking each of some quotations. `memo` is the text that may say what
    its names of documents stand for.
    """
    documents = list(readers)
    names = SourceNames(documents, memo)
    return [_checked(quoted, documents, names) for quoted in quotations]


def _checked(quoted: Quoted, documents: Sequence[Reader], names: SourceNames) -> CheckedQuotation:
    contexts = (names.of(text, quoted.labels) for text in (quoted.context, quoted.sentence))
    source, named = next((context for context in contexts if context[0]), ("", set[str]()))
    try:
        results = _results(quoted, documents, named)
    except UsageError as error:  # too long
        return CheckedQuotation(
            quoted.text, quoted.place, quoted.labels, source, Status.UNCLEAR, (), str(error)
        )
    best = results[0] if results else None
    status = _STATUS[best.verdict] if best else Status.NOT_FOUND
    note = best.hint if best else ""
    if best and named and best.document not in named and best.verdict in _VERBATIM:
        status = Status.ELSEWHERE
        note = f"The memo names {' or '.join(sorted(named))}, which does not have these words."
    elif status is Status.RIGHT and source and not named and len(documents) > 1:
        status = Status.UNCLEAR
        note = f"No document here is known as {source!r}: see whether it is this one."
    return CheckedQuotation(
        quoted.text, quoted.place, quoted.labels, source, status, tuple(results), note
    )


_VERBATIM: Final = (Verdict.FOUND, Verdict.ABRIDGED, Verdict.MOVED, Verdict.MISLEADING)


def _results(quoted: Quoted, documents: Sequence[Reader], named: set[str]) -> list[Quotation]:
    """Return the results of the documents that have the words of a quotation or, if there are none,
    similar ones. Those of the documents that the memo names come first, if they have the words.
    """
    having = [reader for reader in documents if reader.quotations.has(quoted.text)]
    if not having:
        shares = {id(reader): reader.quotations.share(quoted.text) for reader in documents}
        close = [reader for reader in documents if shares[id(reader)] >= _LEAST_SHARE]
        close.sort(key=lambda reader: (reader.document.name not in named, -shares[id(reader)]))
        having = close[:_MOST_COMPARED]
    results = [_result(quoted, reader) for reader in having]
    matching = [result for result in results if result.passages]
    return sorted(
        matching, key=lambda result: (result.document not in named, _ORDER.index(result.verdict))
    )


def _result(quoted: Quoted, reader: Reader) -> Quotation:
    checker = reader.quotations
    return (
        checker.check_at(quoted.text, quoted.labels)
        if quoted.labels
        else checker.check(quoted.text)
    )
