"""Chunks in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from docxchunk.cli.consoles import counted
from docxchunk.cli.printing import DIM, STRONG, WARN, bar, console, heading, plain
from docxchunk.formats.report import ChunkSet
from docxchunk.markup.laws import shown
from docxchunk.model.chunks import Added, AddedRole, Chunk, Slice, SliceRole, TableRole
from docxchunk.model.document import Document

_STYLES = {
    SliceRole.OVERLAP: DIM,
    SliceRole.BRIDGE: DIM,
    AddedRole.HEADER: "dim italic",
    AddedRole.LABEL: "cyan",
    AddedRole.WRAPPER: DIM,
    AddedRole.CONTEXT: DIM,
}
_AGAIN = {SliceRole.OVERLAP: "overlap", SliceRole.BRIDGE: "bridge", AddedRole.HEADER: "repeated header"}
_BAR = 20


def print_chunks(document: Document, chunk_set: ChunkSet) -> None:
    """Each chunk under a line with its heading path and size; what it shows a second time is dim."""
    heading("Chunks")
    plain(f"{chunk_set.name} · at most {counted(chunk_set.cap, 'token')} · {chunk_set.tokenizer} · {counted(len(chunk_set.chunks), 'chunk')}", DIM)
    contents = {block.id: block.content for block in document.blocks}
    for chunk in chunk_set.chunks:
        path = " > ".join(filter(None, (*chunk.parent_headings, chunk.heading))) or "(before the first heading)"
        console().print()
        console().rule(Text(f"{chunk.chunk_order_index + 1} ", STRONG) + Text(path), align="left", style=DIM)
        console().print(_size(chunk, chunk_set.cap) + Text("".join(f" · {fact}" for fact in _facts(chunk)), DIM), soft_wrap=True)
        console().print(_text(chunk, contents), soft_wrap=True)


def _size(chunk: Chunk, cap: int) -> Text:
    colour = WARN if chunk.tokens > cap else "green" if chunk.tokens >= cap * 3 // 4 else "cyan"
    return Text(bar(min(chunk.tokens, cap), cap, _BAR).ljust(_BAR), colour) + Text(f" {chunk.tokens:,} / {cap:,} tokens")


def _facts(chunk: Chunk) -> Iterator[str]:
    if chunk.label:
        yield f"from “{chunk.label}” on"
    if chunk.pages:
        yield f"p. {chunk.pages[0]}" if len(chunk.pages) == 1 else f"p. {chunk.pages[0]}–{chunk.pages[-1]}"
    for table in chunk.tables:
        if table.role is not TableRole.NONE:
            yield f"{table.role} slice of a table, rows {table.rows[0] + 1}–{table.rows[1] + 1}"
    for role, word in _AGAIN.items():
        length = sum(len(part.text) if isinstance(part, Added) else part.end - part.start for part in chunk.parts if part.role is role)
        if length:
            yield f"{word}: {counted(length, 'character')}"


def _text(chunk: Chunk, contents: dict[str, str]) -> Text:
    """The text by its parts; as it is where these do not make it up."""
    text = Text().join(Text(shown(part, contents), _style(part)) for part in chunk.parts)
    return text if text.plain == chunk.content else Text(chunk.content)


def _style(part: Slice | Added) -> str:
    return _STYLES.get(part.role, "")
