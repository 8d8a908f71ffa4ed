"""What the index of a search keeps of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import orjson

from docxchunk import api
from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import Reading, opened
from docxchunk.chunking.search_units import units_of
from docxchunk.model.chunks import Added, AddedRole, Chunk, Unit, UnitKind
from docxchunk.model.objects import Change, Comment
from docxchunk.model.ports import Tokenizer
from docxchunk.model.wording import shortened
from docxchunk.records import Fields, Record, line
from docxchunk.records.chunks import UNIT
from docxchunk.records.whole import packed
from docxchunk.retrieval.folders.listing import DocumentLine, about
from docxchunk.retrieval.folders.ranking import UnitIndex
from docxchunk.retrieval.reading import Reader
from docxchunk.sidecar.chunks import chunks_of_text, read_chunks

LEAD_IN: Final = "lead_in"
_LONGEST_LEAD_IN: Final = 120  # characters
MAX_TOKENS: Final = 512
"""The limit of the chunks that are made for a document without chunks."""


class Indexed(NamedTuple):
    """A document that was read: what a listing says of it, its units as lines of JSON, their words,
    and the document itself as bytes. One that could not be read has no units and bytes.
    """

    about: DocumentLine
    lines: Sequence[bytes] = ()
    words: UnitIndex = UnitIndex.build(())
    packed: bytes = b""

    @property
    def size(self) -> int:
        """About how many bytes it has."""
        arrays = sum(array.nbytes for _, array in self.words.arrays())
        return sum(map(len, self.lines)) + len(self.packed) + arrays


def indexed(item: Input, reading: Reading) -> Indexed:
    """Return what the index keeps of a document: with the metadata in its parsed folder, not those
    given for it. Its units are made from the chunks in its parsed folder, if there are any.
    """
    source = opened(item._replace(metadata=None), reading)
    document, tokenizer = source.read(), api.tokenizer()
    files = chunks_of_text(item.target, document.name) if source.current else []
    chunks: Sequence[Chunk] = (
        read_chunks(files[0]).chunks
        if files
        else api.chunk(document, max_tokens=MAX_TOKENS, tokenizer=tokenizer)
    )
    reader = Reader(replace(document, name=item.label, assets={}), tokenizer.count)
    units, remarks = units_of(document, chunks, tokenizer), list(_remarks(reader, tokenizer))
    lines = [line(_record(unit, reader)) for unit in units]
    lines += (line({**UNIT.record(remark), LEAD_IN: ""}) for remark in remarks)
    words = UnitIndex.build([*units, *remarks])
    return Indexed(about(reader), lines, words, packed(reader.document))


def _remarks(reader: Reader, tokenizer: Tokenizer) -> Iterator[Unit]:
    """Yield the comments and the texts that are not in the view as units. The words beside a
    deleted text are in its `content`, but not in its `index_text`.
    """
    revisions = reader.revisions
    items: list[Change | Comment] = [*revisions.unread(), *reader.document.comments]
    for item in items:
        mention = revisions.mention(item)
        page = revisions.page_of(item)
        yield Unit(
            f"remark-{item.spot.block_id}",
            "",
            reader.document.doc_id,
            item.spot.block_id,
            UnitKind.REMARK,
            mention.text,
            (Added(mention.text, AddedRole.CONTEXT),),
            item.text,
            tokenizer.count(mention.text),
            "",
            (),
            () if page is None else (page,),
            False,
            mention.citation,
        )


def _record(unit: Unit, reader: Reader) -> Record:
    """Return the stored record of a unit: the unit with its citation by clause, and the line that
    introduces it.
    """
    cited = replace(unit, citation=reader.cited(unit).citation)
    return {**UNIT.record(cited), LEAD_IN: shortened(reader.lead_in(unit), _LONGEST_LEAD_IN)}


def unit_of(line: bytes) -> Unit:
    """Return the unit of a line of JSON."""
    return UNIT.value(Fields(orjson.loads(line), "the search index"))
