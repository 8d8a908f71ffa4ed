"""Requirements for any input: only a DocxchunkError is raised, and documents and chunks keep their
laws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from compact_xml import letters_in
from fuzz.source import Source

from docxchunk import api
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.errors import DocxchunkError
from docxchunk.model.document import Document, IssueCode
from docxchunk.model.options import (
    Footnotes,
    HeadersFooters,
    Headings,
    Limits,
    ParseOptions,
    Strikethrough,
    TrackChanges,
)
from docxchunk.records.laws import chunk_faults, document_faults, order_faults, size_faults
from docxchunk.testing.hypothesis_strategies import ADDITIVE, WHOLE

_PAIRED = re.compile(r"\\(begin|end)\{(\w+)\}|\\(left|right)(?![A-Za-z])|([{}])")
_TIGHT = Limits(
    file=1 << 20,
    entries=20,
    part=1 << 14,
    total=1 << 16,
    ratio=20,
    depth=20,
    elements=500,
    image=1 << 10,
    output=1 << 12,
)


class LawBrokenError(AssertionError):
    """A violated law. Its name are the words outside of quotes and brackets, before a colon."""


def options(source: Source) -> ParseOptions:
    return ParseOptions(
        track_changes=source.pick(list(TrackChanges)),
        comments=source.chance(),
        headers_footers=source.pick(list(HeadersFooters)),
        hidden_text=source.chance(),
        footnotes=source.pick(list(Footnotes)),
        headings=source.pick(list(Headings)),
        headings_in_tables=source.chance(),
        strikethrough=source.pick(list(Strikethrough)),
        limits=_TIGHT if source.chance(16) else Limits(),
        everything=source.chance(4),
    )


def chunk_limits(source: Source) -> ChunkLimits:
    return ChunkLimits(32 + source.number(300), source.number(60), contextualize=source.chance(4))


def read_or_refuse(data: bytes, how: ParseOptions, size: ChunkLimits) -> Document | None:
    """Parse the bytes and check the document and its chunks; return None if they are refused."""
    try:
        document = api.parse(data, options=how)
    except DocxchunkError as error:
        _hold([f"says nothing: {error!r}"] if not str(error).strip() else [])
        return None
    _hold(document_faults(document))
    chunks_hold(document, size)
    return document


def chunks_hold(document: Document, size: ChunkLimits) -> None:
    for strategy, tokenizer in ((P(), ADDITIVE), (R(), WHOLE)):
        result = run(document, strategy, size, tokenizer)
        _hold(chunk_faults(document, result.chunks, size.max_tokens, tokenizer.count))
        _hold(order_faults(document, result.chunks))


def chunks_fit(document: Document, size: ChunkLimits) -> None:
    """Check the sizes of chunks, the only law that holds for documents which break their own."""
    with suppress(DocxchunkError):
        for chunk in run(document, P(), size, ADDITIVE).chunks:
            _hold(size_faults(chunk, size.max_tokens, ADDITIVE.count))


def all_accounted_for(document: Document, data: bytes) -> None:
    """Check that each letter of the parts is in the output or counted as dropped."""
    if any(issue.code == IssueCode.PART_BROKEN for issue in document.issues):
        return  # a part over a limit is not read
    there = letters_in(data)
    said = document.report.emitted + sum(document.report.dropped.values())
    _hold([f"letters are unaccounted for: {there} there, {said} said"] if there != said else [])


def latex_holds(text: str) -> None:
    """Check that braces, environments and delimiters are balanced, and that nothing could end a
    line or a tag.
    """
    _hold(
        chain(
            _latex_faults(text),
            ["latex could end a line or tag"]
            if re.search(r"<[^ ]|[^ ]>", text) or len(text.splitlines()) > 1
            else [],
        )
    )


def _latex_faults(text: str) -> Iterator[str]:
    bare = re.sub(r"\\\\|\\[^A-Za-z]", " ", text)
    opened: list[str] = []
    for command, name, side, brace in _PAIRED.findall(bare):
        if command == "begin" or side == "left" or brace == "{":
            opened.append(name or ("}" if brace else "right"))
        elif not opened or opened.pop() != (name or side or brace):
            yield f"latex is unbalanced at {name or side or brace!r}: {text[:200]}"
            return
    if opened:
        yield f"latex is unbalanced at its end: {text[:200]}"


def _hold(faults: Iterator[str] | list[str]) -> None:
    for fault in faults:
        raise LawBrokenError(fault)
