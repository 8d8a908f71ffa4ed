"""Answers about documents as short texts with citations, for the MCP server and the command line:
what a model reads costs tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from docxchunk.errors import UsageError
from docxchunk.model.wording import counted, shortened
from docxchunk.retrieval.quotations import Verdict
from docxchunk.retrieval.reading import Passage, Reader

if TYPE_CHECKING:
    from docxchunk.retrieval.collection import Hit

MOST_SECTIONS: Final = 400  # in one answer of outline
MOST_TOKENS: Final = 4000  # in one answer of read
_SHOWN: Final = 300  # characters of a place that is shown
_VERDICTS: Final = {
    Verdict.FOUND: "Found word for word.",
    Verdict.STITCHED: "Stitched: the words stand in the document, but not one after the other.",
    Verdict.ALTERED: "Altered: the document has other words. "
    "[-only in the quotation-] {+only in the document+}",
    Verdict.NOT_FOUND: "Not found.",
}


def outline(reader: Reader, section: str = "", max_depth: int = 9, start: int = 0) -> str:
    """Return a line for each section: number and heading, page where it changes, tokens, and in
    brackets the name for `read` if the number or heading is not unique.
    """
    lines = reader.outline(section, max_depth)
    check_start(start, len(lines), "sections")
    part = lines[start : start + MOST_SECTIONS]
    shown = [
        str(replace(line, page=None) if line.page == before else line)
        for before, line in zip((None, *(line.page for line in part)), part, strict=False)
    ]
    return in_part(shown, start + MOST_SECTIONS, len(lines), "There are no sections.")


def read(reader: Reader, section: str, max_tokens: int = 1000, start: int = 0) -> str:
    """Return the text of a section or clause with what is below it, in whole sentences."""
    if not 1 <= max_tokens <= MOST_TOKENS:
        raise UsageError(f"max_tokens is {max_tokens}; it must be 1 to {MOST_TOKENS:,}.")
    passage = reader.read(section, max_tokens, start)
    rest = ""
    if passage.next is not None:
        rest = f"\n\n({passage.left_out:,} more tokens: start={passage.next})"
    return f"[{passage.citation}]\n{passage.text}{rest}"


def places(hits: Sequence[Hit]) -> str:
    """Return the places that a search gave."""
    if not hits:
        return "No place has a word of the query. Try other words."
    lines = [f"[{hit.unit.citation}]\n{shortened(hit.unit.content, _SHOWN)}" for hit in hits]
    if not any(hit.words for hit in hits):
        lines.insert(0, "No place has a word of the query; these stand near some of them.")
    return "\n\n".join(lines)


def find(reader: Reader, phrase: str, *, is_pattern: bool = False, limit: int = 10) -> str:
    """Return how often a phrase or regular expression occurs, and the first places."""
    total, passages = reader.find(phrase, is_pattern=is_pattern, limit=limit)
    if not total:
        return f"{phrase!r} does not occur."
    return "\n".join([f"{counted(total, 'time')}:", *map(_line, passages)])


def define(reader: Reader, term: str) -> str:
    """Return the lines that define a term, the clearest first."""
    passages = reader.define(term)
    return "\n".join(map(_line, passages)) or f"There is no definition of {term!r}."


def references(reader: Reader, section: str) -> str:
    """Return what a section or clause refers to, and what refers to it."""
    answer = reader.references(section)
    lines = [
        "It refers to:" if answer.to else "It refers to no place of the document.",
        *map(_line, answer.to),
        "It is referred to by:" if answer.by else "No place refers to it.",
        *map(_line, answer.by),
    ]
    if answer.unresolved:
        lines.append(f"Not in the document, or not once: {', '.join(answer.unresolved)}")
    return "\n".join(lines)


def cite(reader: Reader, quote: str) -> str:
    """Return whether a quotation stands in a document word for word, and where."""
    quotation = reader.check(quote)
    lines = [_VERDICTS[quotation.verdict], *filter(None, [quotation.difference])]
    return "\n".join([*lines, *(f"[{passage.citation}]" for passage in quotation.passages)])


def about(reader: Reader) -> str:
    """Return a line about a document: name, title, sections, pages, tokens."""
    document = reader.document
    pages = max((line.page or 0 for block in document.blocks for line in block.lines), default=0)
    facts = [counted(len(document.blocks), "section"), *([counted(pages, "page")] if pages else [])]
    title = " ".join(document.title.split()) or PurePath(document.name).stem
    return f"{document.name}: {title} ({', '.join(facts)}, {reader.tokens:,} tokens)"


def _line(passage: Passage) -> str:
    return f"[{passage.citation}] {shortened(' '.join(passage.text.split()), _SHOWN)}"


def in_part(lines: list[str], end: int, total: int, nothing: str) -> str:
    """Return lines up to number `end` of `total`, with a note if there are more."""
    rest = [f"({total - end:,} more: start={end})"] if end < total else []
    return "\n".join([*lines, *rest]) or nothing


def check_start(start: int, total: int, what: str) -> None:
    """Raise UsageError if a part cannot start there."""
    if not 0 <= start <= total:
        raise UsageError(f"start is {start}; there are {total:,} {what}.")
