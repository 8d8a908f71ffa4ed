"""Compare chunks without their document: their text is divided into the sections that it came from.
Where chunks repeat text, it is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final

from docxchunk.chunking.diff import ChunkDiff
from docxchunk.formats.report.cards import PART
from docxchunk.markup.table_texts import with_rows_as_lines
from docxchunk.markup.tags import plain
from docxchunk.model.blocks import Block
from docxchunk.model.changes import PlaceChange
from docxchunk.model.chunks import Added, AddedRole, Chunk, SliceRole
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.retrieval.comparison import OF_CHUNKS, compared

_AGAIN: Final = (SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.CONTEXT)
_HEADING_MARKS: Final = re.compile(r"#{1,6} ")


def changed_places(differences: Sequence[ChunkDiff[Chunk]]) -> tuple[PlaceChange, ...]:
    """Return the places that differ between two lists of chunks, given `docxchunk.diff(…).chunks`.
    Text that is only cut into other chunks has not changed.
    """
    order = attrgetter("chunk_order_index")
    olds = sorted((old for _, old, _ in differences if old), key=order)
    news = (new for _, _, new in differences if new)
    return compared(document_of_chunks(olds), document_of_chunks(news)).changes


def document_of_chunks(
    chunks: Iterable[Chunk], name: str = "", options: ParseOptions | None = None
) -> Document:
    """Return the text of chunks as a document: a block for each heading, without pages. `options`
    are those of the parser; None if they are unknown.
    """
    blocks: list[Block] = []
    doc_id = ""
    for chunk in chunks:
        doc_id = chunk.doc_id
        for block in () if chunk.children else _sections(chunk):  # these have the same text
            if blocks and not _HEADING_MARKS.match(block.content):
                last = blocks[-1]
                if block.heading == last.heading:
                    content = f"{last.content}\n{block.content}"
                    blocks[-1] = replace(last, content=content)
                    continue
            blocks.append(replace(block, id=f"block-{len(blocks) + 1}"))
    return Document(name, OF_CHUNKS, doc_id, "", tuple(blocks), options=options)


def _sections(chunk: Chunk) -> Iterator[Block]:
    """Yield a block for each heading in a chunk, and for the text before the first one."""
    heading, level, lines = PART.sub("", chunk.heading), chunk.level, list[str]()
    for line in filter(str.strip, _own_text(chunk).split("\n")):
        marks = _HEADING_MARKS.match(line)
        title = plain(line[marks.end() :]) if marks else ""
        named = [each for each in chunk.headings if marks and title.startswith(each.heading)]
        if named:
            if lines:
                yield Block("", "\n".join(lines), heading, (), level)
            best = max(named, key=lambda each: len(each.heading))
            heading, level, lines = best.heading, best.level, []
        lines.append(line)
    if lines:
        yield Block("", "\n".join(lines), heading, (), level)


def _own_text(chunk: Chunk) -> str:
    """Return the text of a chunk without the text that it repeats from another chunk. Each row of a
    table is a line. If the lengths of its parts do not add up, as with decoded table cells, return
    all of the text.
    """
    own, at = "", 0
    for part in chunk.parts:
        end = at + (len(part.text) if isinstance(part, Added) else part.end - part.start)
        own += "" if part.role in _AGAIN else chunk.content[at:end]
        at = end
    return with_rows_as_lines(own if at == len(chunk.content) else chunk.content)
