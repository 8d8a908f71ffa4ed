"""Read text files: plain text is one block with all lines, without structure. In Markdown, each
heading (CommonMark 0.31.2, 4.2 and 4.3) opens a block; everything else is kept as it is.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from docxchunk.errors import NotWordError
from docxchunk.markup.line_roles import roles_of
from docxchunk.markup.tags import escape_text
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
    return replace(
        read_markdown(_decoded(source), name, doc_id),
        source_sha256=hashlib.sha256(source).hexdigest(),
    )


def read_plain_text(source: bytes, name: str, doc_id: str) -> Document:
    """Return the document of a text file in UTF-8, or in the encoding of its byte order mark. Raise
    NotWordError if it is not text.
    """
    return replace(
        text_document(_decoded(source), name, doc_id),
        source_sha256=hashlib.sha256(source).hexdigest(),
    )


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
    return Document(
        name=name,
        format=name.rpartition(".")[2].lower() if "." in name else "txt",
        doc_id=doc_id,
        title="",
        blocks=blocks,
        report=Report(emitted=len(text)),
        source_sha256=hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest(),
        structured=False,
    )


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


_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*))?")
_FENCE: Final = re.compile(r" {0,3}(`{3,}+(?=[^`]*+$)|~{3,}+)(.*)")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_RULE: Final = re.compile(
    r"[ \t]*+$| {0,3}([-*_])[ \t]*+(?:\1[ \t]*+){2,}+$"
)  # or a blank line (4.1)
# what may follow a line of text and ends the paragraph: the item of a list, a quotation, HTML, the
# second row of a table
_OTHER: Final = re.compile(r" {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|[<>])|[ :-]*+\|[ :|-]*+$")
# what else begins no paragraph: other items and rows of tables
_NO_PARAGRAPH: Final = re.compile(r" {0,3}(?:\||[-+*]$|\d{1,9}[.)](?:[ \t]|$))")
_LINE_ALONE: Final = re.compile(r" {4}|\t| {0,3}\[[^\]]+\]:")  # code (4.4), a definition (4.7)
_FREE, _TAKEN = -1, -2  # no paragraph is open: one may begin, or lines belong to something else


class _Section(NamedTuple):
    """A heading, whose first line is `first`, and the lines [start, end) below it. Level 0: the
    lines before the first heading.
    """

    level: int
    heading: str
    first: int
    start: int
    end: int


class _Heading(NamedTuple):
    """A heading in the lines [first, end)."""

    level: int
    text: str
    first: int
    end: int


def read_markdown(text: str, name: str, doc_id: str) -> Document:
    """Return a document with a block for each heading outside fenced code. Without headings, the
    document is not `structured`.
    """
    lines = text.splitlines()
    sections = list(_sections(lines))
    blocks = tuple(_blocks(sections, lines, BlockIds(doc_id)))
    return Document(
        name=name,
        format="md",
        doc_id=doc_id,
        title="",
        blocks=blocks,
        report=Report(emitted=len("\n".join(lines))),
        source_sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        structured=any(section.level for section in sections),
    )


def _sections(lines: Sequence[str]) -> Iterator[_Section]:
    above = _Heading(0, "", 0, 0)
    for heading in _headings(lines):
        yield _Section(*above, heading.first)
        above = heading
    yield _Section(*above, len(lines))


def _headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the headings: lines that begin with # (4.2), and paragraphs that are underlined with =
    or - (4.3). Indented paragraphs are left out, because they may be text in a list.
    """
    fence, paragraph = "", _FREE  # the first line of the open paragraph
    begin = _front_matter(lines)
    for number, line in enumerate(lines[begin:], begin):
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif match := _FENCE.fullmatch(line):
            fence, paragraph = match[1], _FREE
        elif match := _HEADING.fullmatch(line):
            if text := _without_closing_marks(match[2] or ""):
                yield _Heading(len(match[1]), text, number, number + 1)
            paragraph = _FREE
        elif paragraph >= 0 and (match := _UNDERLINE.fullmatch(line)):
            if not lines[paragraph][0].isspace():
                text = " ".join(" ".join(lines[paragraph:number]).split())
                yield _Heading(1 if match[1][0] == "=" else 2, text, paragraph, number + 1)
            paragraph = _FREE
        else:
            paragraph = _paragraph_at(number, line, paragraph)


def _without_closing_marks(text: str) -> str:
    """Return the text of a heading without the marks that close it: "Aims" for "Aims ##"; "" if
    nothing else is left.
    """
    text = text.rstrip(" \t")
    bare = text.rstrip("#")
    text = bare if bare[-1:] in ("", " ", "\t") else text
    return " ".join(text.split()) if text.strip("# \t") else ""


def _paragraph_at(number: int, line: str, paragraph: int) -> int:
    """Return the index of the first line of the paragraph that a line belongs to. For a line
    outside paragraphs, return _FREE if a paragraph may begin in the next line, else _TAKEN.
    """
    if _RULE.match(line):
        return _FREE
    if _OTHER.match(line):
        return _TAKEN
    if paragraph != _FREE or _LINE_ALONE.match(line):
        return paragraph
    return _TAKEN if _NO_PARAGRAPH.match(line) else number


def _front_matter(lines: Sequence[str]) -> int:
    """Return the number of lines of the metadata at the start, between two lines of ---."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((n for n, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)


def _closes(line: str, fence: str) -> bool:
    """Return whether the line is a closing code fence (4.5): of the same character, at least as
    long, with nothing after it.
    """
    match = _FENCE.fullmatch(line)
    return match is not None and fence in match[1] and not match[2].strip()


def _blocks(sections: Sequence[_Section], lines: Sequence[str], ids: BlockIds) -> Iterator[Block]:
    above: list[_Section] = []
    for section in sections:
        while above and above[-1].level >= section.level:
            above.pop()
        parents = tuple(parent.heading for parent in above)
        if section.level:
            above.append(section)
        block = _block(section, parents, lines, ids)
        if block.content:
            yield block


def _block(
    section: _Section, parents: tuple[str, ...], lines: Sequence[str], ids: BlockIds
) -> Block:
    """Build a block; blank lines around its text are left out."""
    start, end = section.start, section.end
    while start < end and not lines[end - 1].strip():
        end -= 1
    while start < end and not lines[start].strip():
        start += 1
    first = section.first if section.level else start
    heading = escape_text(section.heading)
    heading_line = [f"{'#' * section.level} {heading}"] if section.level else []
    text = list(map(escape_text, lines[start:end]))
    content = "\n".join((*heading_line, *text))
    return Block(
        id=ids.of((*parents, section.heading), content),
        content=content,
        heading=section.heading,
        parent_headings=parents,
        level=section.level,
        lines=(*[Line(LineKind.HEADING, roles=())] * len(heading_line), *map(_line, text)),
        position=Position(None, None, (first, max(first, end - 1))),
    )


def _line(text: str) -> Line:
    return Line(roles=roles_of(LineKind.TEXT, text, bold=False))
