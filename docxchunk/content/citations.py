"""Cite the source of a chunk: document, headings, pages, paragraphs."""

from __future__ import annotations

import re
from os import PathLike, fspath
from typing import Final, NamedTuple, Protocol

from docxchunk.content.tags import plain
from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import outermost
from docxchunk.model.blocks import Block, Position
from docxchunk.model.chunks import Chunk, Heading
from docxchunk.model.fields import expect
from docxchunk.model.wording import first_words

THROUGH: Final = " through "
"""The text between the first and the last section of a citation."""

_TYPED_NUMBER: Final = pattern(
    r"(?:[^\W\d_]{1,12}\.?|§+)?\s*(?:[\d.]+|[IVXLC]+)\s?[a-z]*"
    r"|[第제]\w+"
)


def citation(chunk: Chunk, source: str | PathLike[str]) -> str:
    """Return the location of a chunk in its document: `report.docx, 3 Results > 3.2 Costs through
    3.4 Risks, p. 3-4, ¶ 47-52`.

    `source` is the name of the document. The heading path is the path at the beginning of the
    chunk. If the chunk has several sections, "through" and the last section follow. Unknown parts
    are left out. Estimated pages are "about p. 3-4". Paragraph numbers are those of
    `Position.paragraphs`; if they are unknown, the w14:paraId of the first paragraph is given.
    Raise UsageError for a source that is neither text nor a path.
    """
    return location(sections(chunk), chunk, source_name(source))


class Placed(Protocol):
    """Anything that has a place in a Word file: a chunk or a unit."""

    @property
    def positions(self) -> tuple[Position, ...]: ...

    @property
    def pages(self) -> tuple[int, ...]: ...

    @property
    def page_is_estimate(self) -> bool: ...


def location(path: str, placed: Placed, source: str = "") -> str:
    """Return document, heading path, pages and paragraphs in one line; unknown parts are left
    out.
    """
    return ", ".join(filter(None, [source, path, pages(placed), paragraphs(placed)]))


class Citation(NamedTuple):
    """The parts of a citation: `path` of headings, ranges of `paragraphs`, the beginning of the
    SHA-256 of the file, "" if it has none, and the `row` of a table from 1, 0 if it has none.
    """

    path: str
    paragraphs: tuple[tuple[int, int], ...]
    fingerprint: str
    row: int = 0


_LONGEST: Final = 2000  # characters of a citation
_PAGES_AND_PARAGRAPHS: Final = pattern(
    r"(?:(?:^|, )(?:about )?p\. [\d-]+)?"
    r"(?:(?:^|, )¶ (?P<paragraphs>\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*))?"
    r"(?:(?:^|, )row (?P<row>\d{1,6}))?"
    r"(?:(?:^|, )sha256 (?P<fingerprint>[0-9a-f]{6,64}))?$"
)
_FILE: Final = pattern(
    r".*?\.(?:doc[xm]?|dot[xm]?|rtf|txt|md|markdown|parsed)(?:, |$)", re.IGNORECASE
)


def read_citation(text: str, source: str = "") -> Citation | None:
    """Return the parts of a citation that `citation` wrote for the document `source`, with or
    without brackets. Return None if the text neither begins with `source` nor ends with a page, a
    paragraph or a row.
    """
    if len(text) > _LONGEST:
        return None
    inside = text.strip().removeprefix("[").removesuffix("]")
    numbers = next(match for match in _PAGES_AND_PARAGRAPHS.finditer(inside))
    path = inside[: numbers.start()]
    of_source = bool(source) and (path == source or path.startswith(f"{source}, "))
    if not numbers[0] and not of_source:
        return None
    if of_source:
        path = path[len(source) + 2 :]
    elif file := _FILE.match(path):
        path = path[file.end() :]
    ranges = [
        tuple(map(int, part.split("-")))
        for part in (numbers["paragraphs"] or "").split(", ")
        if part
    ]
    return Citation(
        path,
        tuple((bounds[0], bounds[-1]) for bounds in ranges),
        numbers["fingerprint"] or "",
        int(numbers["row"] or 0),
    )


def label_of(block: Block) -> str:
    """Return the first words of a clause whose heading is only a number, to be shown beside the
    number; "" for other blocks.
    """
    if len(block.lines) < 2:
        return ""
    heading, text = block.lines[:2]
    below = block.content.split("\n", 2)[1:]
    if (
        (heading.element, heading.paragraph) == (text.element, text.paragraph)
        and below
        and (block.heading == block.number or _TYPED_NUMBER.fullmatch(block.heading))
    ):
        return first_words(plain(below[0]))
    return ""


def source_name(source: str | PathLike[str]) -> str:
    """Return the name of a document as a string. Raise UsageError if `source` is neither a string
    nor a path.
    """
    return expect("source", fspath(source) if isinstance(source, PathLike) else source, str)


def sections(chunk: Chunk) -> str:
    """Return the sections as `3 Results > 3.2 Costs`, or `3 Results > 3.2 Costs through 3.4 Risks`;
    "" if there are none.

    After "through" is the heading path of the last section, but only its headings that begin in the
    chunk. A chunk of the text before the first heading and of section 1 has "the beginning through
    1 Aims".
    """
    later = (
        chunk.headings[1:]
        if chunk.headings and chunk.context.endswith(chunk.headings[0].heading)
        else chunk.headings
    )
    last: list[Heading] = []
    for heading in later:
        while last and last[-1].level >= heading.level:
            last.pop()
        last.append(heading)
    return (
        (
            f"{chunk.context or 'the beginning'}{THROUGH}"
            f"{' > '.join(heading.heading for heading in last)}"
        )
        if last
        else chunk.context
    )


def pages(placed: Placed) -> str:
    """Return the pages as `p. 3-4`, or `about p. 3-4` if estimated; "" if unknown."""
    if not placed.pages:
        return ""
    about = "about " if placed.page_is_estimate else ""
    return f"{about}p. {_span(placed.pages[0], placed.pages[-1])}"


def paragraphs(placed: Placed) -> str:
    """Return the paragraphs as `¶ 47-52, 60`, or `paragraph 1000005B` if only the w14:paraId is
    known; "" if neither is.
    """
    if ranges := paragraph_ranges(placed):
        return "¶ " + ", ".join(_span(first, last) for first, last in ranges)
    return f"paragraph {identifier}" if (identifier := para_id(placed)) else ""


def paragraph_ranges(placed: Placed) -> list[tuple[int, int]]:
    """Return the paragraph ranges in order; adjacent ranges, 1-2 and 3-4, are merged."""
    known = (position.paragraphs for position in placed.positions if position.paragraphs)
    return outermost(known, gap=2)


def para_id(placed: Placed) -> str:
    """Return the w14:paraId of the first paragraph that has one, or ""."""
    return next((position.first for position in placed.positions if position.first), "")


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"
