"""Read text files: plain text is one block with all lines, without structure. In Markdown, each
heading (CommonMark 0.31.2, 4.2 and 4.3) opens a block; everything else is kept as it is.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.content.roles import roles_of
from docxchunk.content.tags import escape_text
from docxchunk.errors import NotWordError
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.document import Document, Report
from docxchunk.reader.ids import BlockIds

_MARKDOWN: Final = (".md", ".markdown")
SUFFIXES: Final = frozenset({".txt", ".text", ".rst", *_MARKDOWN})
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text_file(source: bytes, name: str, doc_id: str) -> Document:
    """Return the document of a text file: Markdown if its name ends in .md or .markdown, else plain
    text. Raise NotWordError if it is not text.
    """
    if not name.lower().endswith(_MARKDOWN):
        return read_plain_text(source, name, doc_id)
    return _with_hash(read_markdown(_decoded(source), name, doc_id), source)


def read_plain_text(source: bytes, name: str, doc_id: str) -> Document:
    """Return the document of a text file in UTF-8, or in the encoding of its byte order mark. Raise
    NotWordError if it is not text.
    """
    return _with_hash(text_document(_decoded(source), name, doc_id), source)


def text_document(source: str, name: str, doc_id: str) -> Document:
    """Return a document with all of the text in one block, its lines unchanged."""
    text = "\n".join(source.splitlines())
    content = escape_text(text)
    blocks: tuple[Block, ...] = ()
    if content.strip():
        lines = tuple(map(_line, content.split("\n")))
        blocks = (
            Block(
                BlockIds(doc_id).of((), content),
                content,
                lines=lines,
                position=Position(None, None, (0, len(lines) - 1)),
            ),
        )
    ending = name.rpartition(".")[2].lower() if "." in name else "txt"
    return _document(source, name, doc_id, ending, blocks)


def read_markdown(text: str, name: str, doc_id: str) -> Document:
    """Return a document with a block for each heading outside fenced code. Without headings, the
    document is not `structured`.
    """
    lines = text.splitlines()
    headings = list(_headings(lines))
    blocks = tuple(_blocks(headings, lines, BlockIds(doc_id)))
    return replace(_document(text, name, doc_id, "md", blocks), structured=bool(headings))


def _document(
    text: str, name: str, doc_id: str, ending: str, blocks: tuple[Block, ...]
) -> Document:
    document = Document(
        name=name,
        format=ending,
        doc_id=doc_id,
        title="",
        blocks=blocks,
        report=Report(emitted=len("\n".join(text.splitlines()))),
        source_sha256="",
        structured=False,
    )
    return _with_hash(document, text.encode("utf-8", "surrogatepass"))


def _with_hash(document: Document, source: bytes) -> Document:
    return replace(document, source_sha256=hashlib.sha256(source).hexdigest())


def _decoded(source: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if source.startswith(mark)), "utf-8")
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError:
        raise NotWordError(
            "The file is neither a Word file nor text in UTF-8; save it as .docx or as UTF-8 text."
        ) from None
    if "\0" in text:
        raise NotWordError("The file is neither a Word file nor text: it contains NUL bytes.")
    return text


class _TextHeading(NamedTuple):
    """A heading in the lines [first, end). Level 0: the beginning of the text, without heading."""

    level: int
    text: str
    first: int
    end: int


def _headings(lines: Sequence[str]) -> Iterator[_TextHeading]:
    """Yield the headings, without those in lists, quotations and HTML."""
    from markdown_it import MarkdownIt  # only Markdown needs it

    # definitions of links would take quadratic time
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    begin = _front_matter(lines)
    tokens = parser.parse("\n".join([*[""] * begin, *lines[begin:]]))
    for token, inline in pairwise(tokens):
        text = " ".join(inline.content.split())
        if token.type == "heading_open" and not token.level and token.map and text.strip("#"):
            yield _TextHeading(int(token.tag[1:]), text, *token.map)


def _front_matter(lines: Sequence[str]) -> int:
    """Return the number of lines of the metadata at the start, between two lines of ---."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((n for n, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)


def _blocks(
    headings: Sequence[_TextHeading], lines: Sequence[str], ids: BlockIds
) -> Iterator[Block]:
    above: list[_TextHeading] = []
    begin, end = _TextHeading(0, "", 0, 0), _TextHeading(0, "", len(lines), len(lines))
    for heading, below in pairwise((begin, *headings, end)):
        while above and above[-1].level >= heading.level:
            above.pop()
        parents = tuple(parent.text for parent in above)
        if heading.level:
            above.append(heading)
        block = _block(heading, below.first, parents, lines, ids)
        if block.content:
            yield block


def _block(
    heading: _TextHeading, end: int, parents: tuple[str, ...], lines: Sequence[str], ids: BlockIds
) -> Block:
    """Build a block of the lines before `end`; blank lines around its text are left out."""
    start = heading.end
    while start < end and not lines[end - 1].strip():
        end -= 1
    while start < end and not lines[start].strip():
        start += 1
    first = heading.first if heading.level else start
    heading_line = [f"{'#' * heading.level} {escape_text(heading.text)}"] if heading.level else []
    text = list(map(escape_text, lines[start:end]))
    content = "\n".join((*heading_line, *text))
    return Block(
        id=ids.of((*parents, heading.text), content),
        content=content,
        heading=heading.text,
        parent_headings=parents,
        level=heading.level,
        lines=(*[Line(LineKind.HEADING, roles=())] * len(heading_line), *map(_line, text)),
        position=Position(None, None, (first, max(first, end - 1))),
    )


def _line(text: str) -> Line:
    return Line(roles=roles_of(LineKind.TEXT, text, bold=False))
