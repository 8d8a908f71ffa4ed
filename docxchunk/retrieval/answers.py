"""Answers about documents, for the MCP server and the command line. They are short texts with
citations, because a model pays for the tokens that it reads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from docxchunk.errors import UsageError
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import BREAK
from docxchunk.model.chunks import Added
from docxchunk.model.document import Document, Dropped, IssueCode
from docxchunk.model.objects import Change, Comment
from docxchunk.model.ports import Count
from docxchunk.model.wording import counted, language_of, shortened
from docxchunk.retrieval import LEAST_TOKENS, MOST_TOKENS, OUTLINE_TOKENS, READ_TOKENS
from docxchunk.retrieval.citing.quotations import MOST_OMITTED, Quotation, Verdict
from docxchunk.retrieval.comparing.revisions import PlacedComment, TrackedChange, counted_revisions
from docxchunk.retrieval.finding.names import NO_TEXT
from docxchunk.retrieval.finding.passages import Passage, fitting
from docxchunk.retrieval.finding.phrases import Match
from docxchunk.retrieval.folders.listing import about
from docxchunk.retrieval.folders.questions import (
    MOST_COUNTED,
    NEAR_NOTES,
    DocumentHits,
    Questions,
    find_in,
)
from docxchunk.retrieval.reading import Reader, SectionLine

if TYPE_CHECKING:
    from docxchunk.model.comparison import Comparison, PlaceChange
    from docxchunk.retrieval.folders.hits import Hit

View = Literal["text", "section", "parent", "tables"]

ONLY_NEAR: Final = "No place has a word of the question; these are near some of them."
_OF_PATTERNS: Final = pattern(r"[\\|*+^{}]|\.\?")  # rare in phrases
_FOLDED: Final = "not shown: {} below; give a section, or more max_tokens"
_NOTE: Final = 12  # tokens of a note that there are more lines
_MAX_EXCERPT: Final = 300  # characters of a place that is shown
_SHORT_EXCERPT: Final = 100  # characters of the first place in one of several documents
_MOST_DOCUMENTS: Final = 100  # with a place in one answer
_MOST_CITED: Final = 10  # places of a quotation, or of references
_FINGERPRINT: Final = 8  # characters
_STOP: Final = pattern(rf"{BREAK.pattern}|\n")
_UNREAD: Final = {
    Dropped.DELETED: "tracked changes are read as accepted: deleted text is not shown",
    Dropped.INSERTED: "tracked changes are read as rejected: inserted text is not shown",
}
_CUT: Final = "(… stands for more text: read the place for all of it)"
_DIFFERENCE: Final = ": the document has {+these+} words for [-those-] of the quotation"
_VERDICTS: Final = {
    Verdict.FOUND: "Found word for word",
    Verdict.ABRIDGED: "Found word for word in parts, in this order",
    Verdict.MISLEADING: "Abridged, which may mislead: the words left out limit what is said",
    Verdict.MOVED: "Found word for word, but not at the place cited",
    Verdict.ELSEWHERE: "Not in this document, but found word for word in another one",
    Verdict.STITCHED: "Stitched: the words are in the document, but not one after the other",
    Verdict.ALTERED: f"Altered{_DIFFERENCE}",
    Verdict.NOT_FOUND: "Not found in this document",
}


class Answer(NamedTuple):
    """An answer.

    - `text`: a short text with citations.
    - `objects`: the same as objects, as the methods of `Reader` return them.
    - `is_match`: whether the document has what was asked for.
    - `has_places`: whether the text shows places. If not, it is one sentence.
    """

    text: str
    objects: Sequence[object]
    is_match: bool = True
    has_places: bool = True


def documents(readers: Iterable[Reader]) -> Answer:
    """Return a line for each document."""
    lines = list(map(about, readers))
    return Answer("\n".join(map(str, lines)), lines)


def outline(
    reader: Reader,
    section: str = "",
    depth: int = 9,
    start: int = 0,
    max_tokens: int = OUTLINE_TOKENS,
) -> Answer:
    """Return a line for each section: title, page where it changes, tokens, and the number of
    sections below it that are not shown. The lowest levels are left out until all lines fit. If
    there is only one highest section, the sections below it are always shown.
    """
    _check_tokens(max_tokens)
    if depth < 1:
        raise UsageError(f"depth is {depth}; it must be 1 or more.")
    if not reader.places.all:
        return _none(reader, "")._replace(is_match=True)
    lines, rows, note = _deepest_outline(reader, section, depth, max_tokens)
    check_start(start, len(rows), "sections")
    rows[start : start + 1] = map(str, lines[start : start + 1])  # the first line tells its page
    end = start + _fitting(reader, rows[start:], max_tokens - reader.count(note))
    return Answer(in_part(rows[start:end], end, len(rows), "section") + note, lines[start:end])


def _deepest_outline(
    reader: Reader, section: str, depth: int, max_tokens: int
) -> tuple[list[SectionLine], list[str], str]:
    """Return the sections down to the deepest level for which all lines fit, the lines, and a note
    about the sections below. If no level fits, return the highest with several sections.
    """
    levels = sorted(min(line.level, depth) for line in reader.outline(section, depth))
    with_several = set(levels[1:] or levels)
    lines: list[SectionLine] = []
    rows: list[str] = []
    note = ""
    for level in sorted(with_several, reverse=True):
        lines = reader.outline(section, level)
        rows, note = _rows(lines), _note_below(reader, lines)
        if reader.count("\n".join(rows) + note) <= max_tokens:
            break
    return lines, rows, note


def _rows(lines: Sequence[SectionLine]) -> list[str]:
    pages_before = (None, *(line.page for line in lines))
    return [
        str(replace(line, page=None) if line.page == page_before else line)
        for page_before, line in zip(pages_before, lines, strict=False)
    ]


def _note_below(reader: Reader, lines: Iterable[SectionLine]) -> str:
    hidden = sum(line.below for line in lines)
    note = f"\n({_FOLDED.format(counted(hidden, 'section'))})" if hidden else ""
    return "\n".join((note, *_damage(reader)))


def _fitting(reader: Reader, rows: Sequence[str], max_tokens: int) -> int:
    """Return the number of lines, at least 1, that fit together with a note that more lines
    follow.
    """
    sums = list(accumulate(reader.count(f"{row}\n") for row in rows))
    if not sums or sums[-1] <= max_tokens:
        return len(rows)
    return max(bisect_right(sums, max_tokens - _NOTE), 1)


def read(
    reader: Reader,
    section: str,
    max_tokens: int = READ_TOKENS,
    start: int = 0,
    view: View = "text",
) -> Answer:
    """Return the text of a section or clause with what is below it, in whole sentences. `view`
    selects the section or the parent around it, or only its tables.
    """
    _check_tokens(max_tokens)
    limit = max_tokens
    while True:
        match view:
            case "text":
                passages = [reader.read(section, limit, start)]
            case "tables":
                passages = reader.tables_under(section, limit)
            case _:
                passages = [reader.expand(section, to=view, max_tokens=limit)]
        text = _passages(passages) or "There are no tables."
        text = "\n\n".join((text, *_revised_here(reader, section)))
        excess = reader.count(text) - max_tokens  # the citations count, too
        if excess <= 0 or limit == 1:
            return Answer(text, passages)
        limit = max(limit - excess, 1)


def _passages(passages: Sequence[Passage]) -> str:
    """Return passages with citations and what was left out, and the number of those without
    text.
    """
    with_text = [passage for passage in passages if passage.text]
    parts = [
        f"[{passage.citation}]\n{passage.text}{_note_of_rest(passage)}" for passage in with_text
    ]
    if hidden := len(passages) - len(with_text):
        parts.append(f"(not shown: {counted(hidden, 'table')})")
    return "\n\n".join(parts)


def _note_of_rest(passage: Passage) -> str:
    if not passage.left_out:
        return ""
    go_on = "" if passage.next is None else f": start={passage.next}"
    if passage.section:
        go_on = f" of the section: read {passage.section!r}"
    return f"\n\n({passage.left_out:,} more tokens{go_on})"


def places(hits: Sequence[Hit], nothing: str, remarks: Sequence[Hit] = ()) -> Answer:
    """Return the places that a search gave, then comments and deleted texts; `nothing` says why
    there are none.
    """
    if not hits and not remarks:
        return Answer(nothing, [], is_match=False, has_places=False)
    lines = [
        "\n".join(filter(None, (f"[{hit.unit.citation}]", _part_of(hit), hit.note)))
        for hit in (*hits, *remarks)
    ]
    if not any(hit.words for hit in (*hits, *remarks)):
        lines.insert(0, ONLY_NEAR)
    return Answer("\n\n".join(lines), [*hits, *remarks])


def _part_of(hit: Hit) -> str:
    """Return the text of a hit, after the line that introduces it. A long text is cut to the
    sentences with most of the words of the question.
    """
    lead_in = f"{hit.lead_in}\n" if hit.lead_in else ""
    text = hit.text.removeprefix(lead_in)
    # a Chinese, Japanese or Korean character is a token or more
    max_characters = _MAX_EXCERPT // 2 if language_of(text) else _MAX_EXCERPT
    longest = max(max_characters - len(lead_in), max_characters // 2)
    if len(text) > longest and isinstance(hit.unit.parts[0], Added):  # a row below its header rows
        text = hit.unit.index_text.rpartition("\n")[2]
    return lead_in + _cut(text, hit.words_in(text), longest)


def _cut(text: str, words: Sequence[tuple[str, int, int]], longest: int) -> str:
    """Return a text, or `longest` characters of it. These begin with a sentence, or shortly before
    one of some words, which are given with their ranges, so that many of these words are shown.
    """
    if len(text) <= longest:
        return text

    def number_of_words(start: int) -> int:  # what is said about them may follow
        end = start + longest * 2 // 3
        return len({word for word, at, _ in words if start <= at < end})

    starts = [0, *(stop.end() for stop in _STOP.finditer(text))]
    starts += [text.rfind(" ", 0, max(at - longest // 6, 0)) + 1 for _, at, _ in words]
    # an excerpt of the end of the text is not shorter than it could be
    near_end = [start for start in starts if start >= len(text) - longest]
    start = min([max(starts, key=number_of_words), *near_end])
    return ("… " if start else "") + shortened(text[start:].lstrip(), longest)


Asked = Reader | Questions
"""One document, or several: for these, an answer has a line for each that has something."""


def find(
    asked: Asked, phrase: str, match: Match = "words", *, limit: int = 10, start: int = 0
) -> Answer:
    """Return how often a phrase or regular expression occurs, and the places from number `start`
    on; then where it occurs in comments, and in text that tracked changes leave out. If it is not
    there as whole words, say so, and return where it is a part of other words.
    """
    if isinstance(asked, Questions):
        hits = asked.find(phrase, match, limit)
        return _in_documents(asked, hits, f"with {phrase!r}")
    answer = find_in(asked, phrase, match, limit, start)
    if not answer.places:
        kinds = asked.unread(1 if match == "regex" else len("".join(phrase.split())))
        unread = f" The file has {kinds}, which was not searched: it may be there." if kinds else ""
        is_pattern = match != "regex" and _OF_PATTERNS.search(phrase)
        as_words = " It was not read as a regular expression." if is_pattern else ""
        return _none(asked, f"'{phrase}' does not occur.{as_words}{unread}")
    check_start(start, answer.places, "places")
    name, times = answer.document, counted(answer.count, "time")
    if answer.places < answer.count:
        times += f" at {counted(answer.places, 'place')}"
    title = " and ".join(filter(None, (f"{times} in {name}", answer.also)))
    if answer.note:
        title = f"Not in the text of {name}, but {times} {answer.note}"
    end = start + len(answer.hits)
    lines = [f"{title}:", *_lines(answer.hits)]
    return Answer(in_part(lines, end, answer.places, "place"), answer.hits)


Listed = Literal["changes", "comments"]


def revisions(
    reader: Reader, listed: Listed, start: int = 0, max_tokens: int | None = None
) -> Answer:
    """Return the tracked changes or comments of a document, each with author, date and place. With
    `max_tokens`, return as many as fit, from the number `start` on.
    """
    items = _revisions(reader, listed)
    if not items:
        why = unlisted(reader.document)
        return _none(reader, why or f"There are no {_NAMES[listed]}s.")._replace(is_match=True)
    check_start(start, len(items), f"{_NAMES[listed]}s")
    shown = items[start:]
    rows = [
        "\n".join(_lines_of(item, before))
        for before, item in zip((None, *shown), shown, strict=False)
    ]
    title = f"{counted_revisions(items)}:"
    end = len(items)
    if max_tokens is not None:
        _check_tokens(max_tokens)
        end = start + _fitting(reader, rows, max_tokens - reader.count(title))
    text = in_part([title, *rows[: end - start]], end, len(items), _NAMES[listed])
    return Answer(text, shown)


_NAMES: Final = {"changes": "tracked change", "comments": "comment"}


def unlisted(document: Document) -> str:
    """Return why the tracked changes and comments of a document are not known; "" if they are."""
    unknown = (issue for issue in document.issues if issue.code is IssueCode.REVISIONS_UNKNOWN)
    return next((issue.message for issue in unknown), "")


def _revisions(reader: Reader, listed: Listed) -> Sequence[TrackedChange | PlacedComment]:
    return reader.changes() if listed == "changes" else reader.comments()


def _lines_of(
    item: TrackedChange | PlacedComment, before: TrackedChange | PlacedComment | None
) -> Iterator[str]:
    """Yield the lines of a change or comment. If its place is not that of `before`, the item before
    it, the place comes first.
    """
    if before is None or before.place != item.place:
        yield f"[{item.place or 'no text refers to it'}]"
    for line in item.lines():
        yield f"  {line}"


def documents_with(readers: Iterable[Reader], which: Listed, others: int = 0) -> Answer:
    """Return a line for each document that has tracked changes or comments. `others` is the number
    of documents without, which are not among the readers.
    """
    number, items = others, list[Change | Comment]()
    lines, unknown = list[str](), list[str]()
    for reader in readers:
        document = reader.document
        revisions_of_document = document.changes if which == "changes" else document.comments
        if why := unlisted(document):
            unknown.append(f"{document.name}: {why}")
            continue
        number += 1
        if revisions_of_document:
            lines.append(f"{document.name}: {counted_revisions(revisions_of_document)}")
            items += revisions_of_document
    if number or not unknown:
        unknown.append(f"{len(lines):,} of {counted(number, 'document')} have {_NAMES[which]}s.")
    return Answer("\n".join([*lines, *unknown]), items)


def define(asked: Asked, term: str) -> Answer:
    """Return the lines that define a term, the clearest first."""
    if isinstance(asked, Questions):
        hits = asked.define(term)
        return (
            _in_documents(asked, hits, f"with a definition of {term!r}")
            if hits
            else (_undefined_in_all(asked, term))
        )
    reader, passages = asked, asked.define(term)
    if not passages:
        return _none(reader, _undefined(reader, term))
    lines = [f"In {reader.document.name}:", *_lines(passages)]
    if any(line.endswith(" …") for line in lines):
        lines.append(_CUT)
    return Answer("\n".join(lines), passages)


def _undefined_in_all(asked: Questions, term: str) -> Answer:
    """Return the answer that no definition of a term was recognized in several documents, and where
    each has the term first.
    """
    answer = _in_documents(asked, asked.find(term), f"with {term!r}")
    sentence = f"No definition of {term!r} was recognized."
    return answer._replace(text=f"{sentence} {answer.text}", objects=[], is_match=False)


def _undefined(reader: Reader, term: str) -> str:
    """Return the sentences that say that no definition of a term was recognized, and where it is
    first.
    """
    like = ", ".join(map(repr, reader.terms_like(term)))
    hits = (reader.find(term, match, limit=1)[1] for match in ("words", "parts"))
    first = next(filter(None, hits), [])
    sentences = [
        f"No definition of {term!r} was recognized in {reader.document.name}.",
        f"Terms like it that are defined: {like}." if like else "",
        f"It first occurs here: {next(_lines(first))}" if first else "It does not occur.",
    ]
    return " ".join(filter(None, sentences))


def references(asked: Asked, section: str, *, limit: int = 10, start: int = 0) -> Answer:
    """Return the places that a section or clause refers to, and after them those that refer to it.
    The text shows `limit` places from number `start` on; the objects of the answer are all places.
    """
    if isinstance(asked, Questions):
        what = f"with references in {section!r} or to it"
        return _in_documents(asked, asked.references(section), what)
    answer = asked.references(section, MOST_COUNTED)
    passages = (*answer.to, *answer.by)
    check_start(start, len(passages), "places")
    end = start + limit
    to, by = (counted(len(side), "place") for side in (answer.to, answer.by))
    lines = [
        f"It refers to {to}."
        if answer.to
        else "No reference to another place was recognized in it.",
        f"It is referred to in {by}." if answer.by else "No reference to it was recognized.",
        *_lines(passages[start:end]),
    ]
    if answer.unresolved:
        unresolved = shortened(", ".join(answer.unresolved), _MAX_EXCERPT)
        lines.append(f"Places that it names, but the document lacks or has twice: {unresolved}")
    return Answer(in_part(lines, end, len(passages), "place"), [answer])


def cite(asked: Asked, quote: str, elsewhere: Iterable[Reader] = ()) -> Answer:
    """Return whether a document has the words of a quotation, and where: see `QuotationChecker`."""
    if isinstance(asked, Questions):
        return _cited_in_documents(asked, asked.cite(quote))
    reader, quotation = asked, asked.cite(quote, elsewhere)
    sentence = _sentence_about(quotation)
    if not quotation.passages:
        return _none(reader, " ".join(filter(None, [f"{sentence}.", quotation.hint])), [quotation])
    end = f", sha256 {quotation.fingerprint[:_FINGERPRINT]}" if quotation.fingerprint else ""
    lines = [f"{sentence}.", *filter(None, [quotation.difference])]
    lines += [f"[{passage.citation}{end}]" for passage in quotation.passages[:_MOST_CITED]]
    if hidden := len(quotation.passages[_MOST_CITED:]):
        lines.append(f"({counted(hidden, 'more place')})")
    lines += filter(None, [quotation.hint, *([] if quotation.is_found else _damage(reader))])
    is_match = quotation.is_right or quotation.verdict is Verdict.ELSEWHERE
    return Answer("\n".join(lines), [quotation], is_match)


def _cited_in_documents(asked: Questions, quotations: Sequence[Quotation]) -> Answer:
    """Return a line for each document that has a quotation or similar words: the verdict, the
    difference and the first place.
    """
    right = sum(quotation.is_right for quotation in quotations)
    at = " at the place cited" if any(quotation.cited for quotation in quotations) else ""
    lines = list(map(_line_about, quotations[:_MOST_DOCUMENTS]))
    if hidden := len(quotations[_MOST_DOCUMENTS:]):
        lines.append(f"({counted(hidden, 'more document')})")
    what = f"with the quotation word for word{at}"
    return _of_documents(asked, right, what, lines)._replace(
        objects=quotations, is_match=bool(right)
    )


def _line_about(quotation: Quotation) -> str:
    """Return the verdict, the first place, and the difference or the text there, on one line."""
    place, *further = quotation.passages
    sentence = _sentence_about(quotation)
    sentence = f"{sentence[0].lower()}{sentence[1:]}".replace(_DIFFERENCE, "")
    text = next(_lines([place], _SHORT_EXCERPT)).removeprefix(f"[{place.place}] ")
    if quotation.difference:
        text = shortened(quotation.difference, _MAX_EXCERPT)
    more = f" ({counted(len(further), 'more place')})" if further else ""
    hint = f" {quotation.hint}" if quotation.hint else ""
    return f"{quotation.document}: {sentence}: [{place.place}] {text}{more}{hint}"


def _of_documents(asked: Questions, exact: int, what: str, lines: Sequence[str]) -> Answer:
    """Return the answer of several documents: how many have exactly what was asked for, some lines,
    and the documents that cannot be read.
    """
    number = counted(exact, "document") if exact else "No document"
    end = (":" if exact else ", but:") if lines else "."
    unreadable = (f"{label} cannot be read: {reason}" for label, reason in asked.unreadable)
    text = "\n".join((f"{number} {what}{end}", *lines, *unreadable))
    return Answer(text, [], has_places=bool(lines))


def _sentence_about(quotation: Quotation) -> str:
    """Return the verdict in words, without a full stop."""
    sentence = _VERDICTS[quotation.verdict]
    if quotation.cited and quotation.verdict in (Verdict.FOUND, Verdict.ABRIDGED):
        sentence += " at the place cited"
    elif quotation.misplaced and not quotation.is_found:
        sentence += "; the passage is not at the place cited"
    if quotation.left_out:
        sentence += f"; {_left_out(quotation)}"
    if quotation.edited:
        sentence += "; the file has changed since it was cited"
    return sentence


def _left_out(quotation: Quotation) -> str:
    """Return how many words an ellipsis leaves out, and which."""
    words = f"{counted(quotation.left_out, 'word')} left out between its parts"
    if not quotation.omitted:
        return words
    if quotation.left_out <= MOST_OMITTED:
        return f"{words}: {' … '.join(quotation.omitted)}"
    return f"{words}, among them: {', '.join(quotation.omitted)}"


def _in_documents(asked: Questions, hits: Sequence[DocumentHits], what: str) -> Answer:
    """Return a line for each document that has exactly what was asked for: how often, and the first
    place. If no document has it, return such lines for those with something similar. Then come the
    names of the documents without a line.
    """
    exact, near = (
        [document for document in hits if bool(document.note) is is_near]
        for is_near in (False, True)
    )
    best = exact or near
    lines: list[str] = []
    for document in best[:_MOST_DOCUMENTS]:
        times = ", ".join(filter(None, (counted(document.count, "time"), document.note)))
        first = next(_lines(document.hits, _SHORT_EXCERPT))
        lines.append(f"{document.document}, {times}: {first}")
    names: dict[str, list[str]] = {}
    for document in (*best[_MOST_DOCUMENTS:], *(near if exact else ())):
        names.setdefault(document.note, []).append(document.document)
    lines += (f"Also {note or 'in'}: {', '.join(documents)}" for note, documents in names.items())
    is_match = bool(exact) or any(document.note in NEAR_NOTES for document in near)
    return _of_documents(asked, len(exact), what, lines)._replace(objects=best, is_match=is_match)


def _none(reader: Reader, sentence: str, objects: Sequence[object] = ()) -> Answer:
    """Return the answer that nothing was found, with the possible reason."""
    if not reader.places.all:
        sentence = NO_TEXT.format(reader.document.name)
    return Answer(" ".join([sentence, *_damage(reader)]), objects, is_match=False, has_places=False)


def _damage(reader: Reader) -> list[str]:
    """Return a line that says that text of the document is lost; [] if it is whole."""
    return ["The file is damaged: a part of its text may be lost."] if reader.is_damaged else []


def _unread_changes(reader: Reader) -> list[str]:
    """Return a line that says how tracked changes are read; [] if they have no unread text."""
    dropped = reader.document.report.dropped
    return [note for reason, note in _UNREAD.items() if dropped.get(reason)]


def _revised_here(reader: Reader, section: str) -> list[str]:
    """Return a line with the numbers of tracked changes and comments in a section, and how the
    changes are read; [] if it has none.
    """
    document = reader.document
    if not (document.changes or document.comments):  # an older parsed folder has no lists
        return [f"({note})" for note in _unread_changes(reader)]
    items = reader.revisions.within(reader.places.region_of(section))
    notes = _unread_changes(reader) if any(isinstance(item, Change) for item in items) else []
    return [f"(here: {'; '.join((counted_revisions(items), *notes))})"] if items else []


def _lines(passages: Iterable[Passage], longest: int = _MAX_EXCERPT) -> Iterator[str]:
    """Yield the place and the text of each passage on one line. A long text is cut."""
    for passage in passages:
        match = [("", *passage.match)] if passage.match else []
        text = " ".join(_cut(passage.text, match, longest).split())
        yield f"{passage.relation} [{passage.place}] {text}".lstrip()


def compare(
    comparison: Comparison, count: Count, max_tokens: int = READ_TOKENS, start: int = 0
) -> Answer:
    """Return every changed word of two versions, each at its place, then the number of changes and
    what was not compared. What does not fit into `max_tokens` follows at the next `start`.
    """
    _check_tokens(max_tokens)
    text = "\n\n".join((*map(_changed(comparison), comparison.changes), _end(comparison)))
    check_start(start, len(text), "characters")
    end = fitting(text, start, max_tokens - _NOTE, count)
    tokens_left = count(text[end:].strip())
    note = f"\n\n({tokens_left:,} more tokens: start={end})" if tokens_left else ""
    return Answer(f"{text[start:end].strip()}{note}", [comparison])


def _changed(comparison: Comparison) -> Callable[[PlaceChange], str]:
    """Return a function that shows a change: its kind, its citation, and its words."""
    from docxchunk.model.comparison import ChangeKind, marked

    def show(change: PlaceChange) -> str:
        new, old = (
            f"[{', '.join(filter(None, names))}]"
            for names in ((comparison.new, change.new), (comparison.old, change.old))
        )
        kind = change.kind
        citation = old if kind is ChangeKind.REMOVED else new
        before = f" from {old}" if change.has_moved or change.numbers else ""
        return f"{kind} {citation}{before}\n{''.join(text for text, _ in marked(change))}"

    return show


def _end(comparison: Comparison) -> str:
    from docxchunk.model.comparison import summary

    sentences = summary(comparison, "The words have not changed.")
    return f"({' '.join(sentences)} Not compared: {', '.join(comparison.not_compared)}.)"


def _check_tokens(max_tokens: int) -> None:
    if not LEAST_TOKENS <= max_tokens <= MOST_TOKENS:
        raise UsageError(
            f"max_tokens is {max_tokens}; it must be {LEAST_TOKENS} to {MOST_TOKENS:,}."
        )


def in_part(lines: Sequence[str], end: int, total: int, noun: str) -> str:
    """Return the lines as text. If `end` is less than `total`, add a note that more follow, which
    names them by a noun.
    """
    note = [f"({counted(total - end, f'more {noun}')}: start={end})"] if end < total else []
    return "\n".join([*lines, *note])


def check_start(start: int, total: int, noun: str) -> None:
    """Raise UsageError if `start` is not from 0 to `total`."""
    if not 0 <= start <= total:
        raise UsageError(f"start is {start}; there are {total:,} {noun}.")
