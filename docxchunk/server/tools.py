"""The tools that a model can call on a library. Each returns a dataclass of strings and numbers,
with citations.

The dataclasses have no slots: the SDK would take slots for field defaults in the schema of an
answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Final

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.evaluation.passages import PassageIndex, passages_of_chunks, sources
from docxchunk.evaluation.questions import place
from docxchunk.formats.markdown import markdown
from docxchunk.markup.citations import citation, label_of
from docxchunk.markup.table_texts import readable
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Chunk, Heading
from docxchunk.model.document import Document
from docxchunk.server.library import Library

MOST_CHARACTERS: Final = 20_000  # in one answer of read_section
MOST_SECTIONS: Final = 500  # in one answer of outline
MOST_FOUND: Final = 20
_SHORT: Final = 8  # characters of a block id, usually unique in a document


@dataclass(frozen=True)
class SectionLine:
    """A section of an outline. `section` is its name for read_section, `label` the first words of a
    clause whose heading is only its number.
    """

    section: str
    heading: str
    label: str
    level: int
    page: int | None
    page_is_estimate: bool


@dataclass(frozen=True)
class Outline:
    """Sections of a document. `next_start` is the number of the next section of a long outline;
    None at its end.
    """

    document: str
    title: str
    sections: list[SectionLine]
    next_start: int | None


@dataclass(frozen=True)
class Section:
    """The text of a section. `next_start` is the start of the rest of a long section; None at its
    end.
    """

    document: str
    path: str
    text: str
    citation: str
    next_start: int | None


@dataclass(frozen=True)
class Hit:
    """A search result. `section` is the section that it begins in."""

    document: str
    section: str
    text: str
    citation: str


@dataclass(frozen=True)
class Quotation:
    """A citation. `text` is the quotation as written in the document, with bars between the cells
    of tables.
    """

    document: str
    text: str
    citation: str


def list_documents(library: Library) -> list[str]:
    return library.names()


def outline(library: Library, document: str, start: int = 0) -> Outline:
    """Return the sections of a document from number `start` on. Raise UsageError for a start beyond
    the last one.
    """
    parsed = library.document(document)
    if not 0 <= start <= len(parsed.blocks):
        raise UsageError(f"start is {start}; the document has {len(parsed.blocks):,} sections.")
    names, end = _section_names(parsed), start + MOST_SECTIONS
    lines = [
        SectionLine(
            names[block.id],
            block.heading,
            label_of(block),
            block.level,
            block.page,
            block.page_is_estimate,
        )
        for block in parsed.blocks[start:end]
    ]
    return Outline(
        document=document,
        title=parsed.title,
        sections=lines,
        next_start=end if end < len(parsed.blocks) else None,
    )


def read_section(library: Library, document: str, section: str, start: int = 0) -> Section:
    """Return the text of a section from character `start` on. Raise UsageError for an unknown
    section, or a start beyond its end.
    """
    parsed = library.document(document)
    blocks = _with_subsections(parsed, _block(parsed, section))
    text = replace(parsed, blocks=blocks).to_markdown()
    if not 0 <= start <= len(text):
        raise UsageError(f"start is {start}; the section has {len(text):,} characters.")
    end = start + MOST_CHARACTERS
    chunks = api.chunk(replace(parsed, blocks=blocks), strategy="paragraph")
    path = " > ".join(filter(None, (*blocks[0].parent_headings, blocks[0].heading)))
    cited = _cited(chunks, document, path)
    return Section(
        document=document,
        path=path,
        text=text[start:end],
        citation=cited,
        next_start=end if end < len(text) else None,
    )


def search(library: Library, query: str, limit: int = 5, document: str = "") -> list[Hit]:
    """Return the best passages for a query. Raise UsageError unless `limit` is 1 to 20."""
    if not 1 <= limit <= MOST_FOUND:
        raise UsageError(f"limit is {limit}; it must be 1 to {MOST_FOUND}.")
    hits = library.search(query, limit, document)
    return [
        Hit(
            document=hit.name,
            section=_section_names(library.document(hit.name))[hit.chunk.blocks[0]],
            text=markdown(hit.chunk.content, escape=library.document(hit.name).format != "md"),
            citation=citation(hit.chunk, hit.name),
        )
        for hit in hits
    ]


def cite(library: Library, document: str, quote: str) -> Quotation:
    """Return the citation of a quotation. Raise UsageError if the document does not contain it."""
    parsed = library.document(document)
    (source,) = sources([parsed])
    span = place(source, quote)
    if span is None:
        raise UsageError(
            f"{document} does not have these words: quote it word for word, "
            "without leaving out any."
        )
    chunks = api.chunk(parsed, strategy="paragraph")
    touched = [
        chunks[number]
        for number in PassageIndex(passages_of_chunks(0, source, chunks)).touching([span])
    ]
    headings = tuple(
        heading
        for heading, _ in groupby(heading for chunk in touched for heading in chunk.headings)
    )
    cited = _cited(touched, document, touched[0].context if touched else "", headings)
    return Quotation(document=document, text=readable(source.text, *span), citation=cited)


def _cited(
    chunks: Sequence[Chunk], document: str, path: str, headings: tuple[Heading, ...] = ()
) -> str:
    """Return one citation for consecutive chunks. `headings` are those of all sections, if `path`
    does not include them.
    """
    if not chunks:
        return ", ".join(filter(None, (document, path)))
    positions = tuple(position for chunk in chunks for position in chunk.positions)
    pages = tuple(sorted({page for chunk in chunks for page in chunk.pages}))
    estimate = any(chunk.page_is_estimate for chunk in chunks)
    return citation(
        replace(
            chunks[0],
            context=path,
            headings=headings,
            positions=positions,
            pages=pages,
            page_is_estimate=estimate,
        ),
        document,
    )


def _section_names(document: Document) -> dict[str, str]:
    """Return block id -> section name: the first characters of the id, or the whole id if these are
    not unique.
    """
    ids = [block.id for block in document.blocks]
    short = [identifier[:_SHORT] for identifier in ids]
    times = Counter(short)
    return {
        identifier: name if times[name] == 1 else identifier
        for identifier, name in zip(ids, short, strict=True)
    }


def _block(document: Document, section: str) -> int:
    names = _section_names(document)
    for number, block in enumerate(document.blocks):
        if section and section in (names[block.id], block.id):
            return number
    raise UsageError(f"{document.name} has no section {section!r}: outline names its sections.")


def _with_subsections(document: Document, first: int) -> tuple[Block, ...]:
    """Return a block with the following blocks of deeper levels."""
    block, *others = document.blocks[first:]
    return (block, *takewhile(lambda other: 0 < block.level < other.level, others))
