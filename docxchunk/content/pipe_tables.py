"""The content of a block or chunk as people read it: without tags, ids and escapes, for models that
embed it.

Only the parts of a chunk tell its pipe tables from text of the author that looks like one: the rows
of a table are slices that are shown in another form, and the text before them is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from typing import Final

from docxchunk.content.forms import render, text_lines
from docxchunk.content.table_texts import LONGEST_LABEL, first_rows
from docxchunk.content.tables import TableContent, attribute, html_text, tables
from docxchunk.content.tags import INLINE_TAG, TAG_NAME, objects, picture, replaced, unescape_text
from docxchunk.language.patterns import pattern
from docxchunk.model.chunks import Added, AddedRole, Part, SliceRole, TableForm

_ESCAPED_PIPE: Final = pattern(r"(?<!\\)(\\++)\|")
_OPENINGS: Final = (AddedRole.WRAPPER, AddedRole.HEADER)


@dataclass(slots=True)
class PipeTable:
    """A pipe table in a content, from `start`. `lines` are its rows and its delimiter row.

    `has_header` is False if the empty header was added that a pipe table must have.
    """

    start: int
    has_header: bool
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def readable(self, heads: int) -> list[str]:
        """Return a line for each row. `heads` is the number of header rows."""
        first, _, *later = self.lines
        if not self.has_header:
            return text_lines(list(map(_cells, later)), [])
        rows = list(map(_cells, (first, *later)))
        return text_lines(rows, _spread(rows[:heads]))


def pipe_tables(content: str, parts: Sequence[Part]) -> list[PipeTable]:
    """Return the pipe tables of a chunk with this content and these parts; [] if the content does
    not have the tables of the parts.
    """
    tables = _tables(parts)
    at = 0
    for table in tables:
        table.start = content.find(table.text, max(at, table.start))
        if table.start < 0:
            return []
        at = table.end
    return tables


def _tables(parts: Sequence[Part]) -> list[PipeTable]:
    """Return the pipe tables that the parts show. Their `start` is the least possible one, because
    the length of a decoded cell is unknown.
    """
    tables: list[PipeTable] = []
    at = 0
    for part in parts:
        text = _shown(part)
        if text.startswith("|"):
            lines = text.removesuffix("\n").split("\n")
            if len(lines) > 1:  # with the delimiter row
                tables.append(PipeTable(at, _begins_with_header(part, lines)))
            if tables:
                tables[-1].lines += lines
        at += len(text) or _least_length(part)
    return tables


def _shown(part: Part) -> str:
    """Return the text of a part if it may belong to a pipe table."""
    if isinstance(part, Added):
        return part.text if part.role in _OPENINGS else ""
    return part.shown or ""


def _begins_with_header(part: Part, lines: Sequence[str]) -> bool:
    """Return whether the part that begins a table has a header of the document: as a text that is
    repeated, or as a row without another one.
    """
    return part.role is AddedRole.HEADER if isinstance(part, Added) else len(lines) == 2


def _least_length(part: Part) -> int:
    if isinstance(part, Added):
        return len(part.text)
    return 0 if part.role is SliceRole.CELL else part.end - part.start


def _cells(line: str) -> list[str]:
    """Return the texts of the cells of a row."""
    inside = line.removeprefix("| ").removesuffix(" |")
    return [
        _ESCAPED_PIPE.sub(lambda pipe: "\\" * (len(pipe[1]) // 2) + "|", cell)
        for cell in inside.split(" | ")
    ]


def _spread(header: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the header rows, and repeat the name of a group in each of its columns. A pipe table
    has the name only in the first column of the group.
    """
    rows = [list(row) for row in header]
    for row, below in pairwise(rows):
        for column, (before, name) in enumerate(pairwise(row), 1):
            if not name and before != below[column - 1]:
                row[column] = row[column - 1]
    return rows


# -- the readable text of a chunk

_EXPONENT: Final = pattern(r"(?<=\d)<sup>(?=[-+\u2212]?\d)")
_INLINE_TAG: Final = pattern(INLINE_TAG)
_TAG: Final = pattern(rf"<{TAG_NAME}[^<>]*>", re.IGNORECASE)


def readable(content: str, heads: Sequence[int] = (), parts: Sequence[Part] = ()) -> str:
    """Return the content of a block or chunk as people read it: without tags, ids and escapes.

    A row of a table is a line, "Item: Valve; Price: 12", an equation is LaTeX between dollar signs,
    and a picture is its caption and its description in brackets. `heads` has for each table the
    number of its first rows that name the columns; 0 if it is missing. Pipe tables are found by the
    `parts` of the chunk. Without `heads`, they stay as they are.
    """
    pipes = pipe_tables(content, parts) if heads else []
    if not pipes and "<" not in content and "&" not in content:
        return content
    texts: list[str] = []
    at = 0
    shown: list[TableContent | PipeTable] = [*tables(content), *pipes]
    for number, table in enumerate(sorted(shown, key=attrgetter("start"))):
        rows = _rows(table, heads[number] if number < len(heads) else 0)
        texts += _text(content[at : table.start]), "\n".join(rows)
        at = table.end
    texts.append(_text(content[at:]))
    return "\n".join(filter(None, (text.strip("\n") for text in texts)))


def _rows(table: TableContent | PipeTable, heads: int) -> Iterator[str]:
    if isinstance(table, PipeTable):
        yield from map(_plain, table.readable(heads))
    elif table.format is None:
        yield _plain(html_text(table.text))
    else:
        lines = render(table, TableForm.TEXT, first_rows(table, heads), _words).rows
        yield from (_plain(line) for row, line in enumerate(lines) if not _repeats(table, row))


def _repeats(table: TableContent, row: int) -> bool:
    """Return whether other rows say all that a row says: its cells begin in rows above, or are
    names that the next row has, too. The row that repeats merged cells at the beginning of a slice
    is one.
    """
    if table.merged_above[row] and not table.cells(row):
        return True
    if row + 1 == len(table.rows) or not (table.merged_above[row + 1] and table.cells(row + 1)):
        return False
    cells = [cell for cell in table.cells(row) if cell.start < cell.end]
    return all(cell.rows > 1 and len(table.line(cell)) <= LONGEST_LABEL for cell in cells)


def _text(text: str) -> str:
    """Return text that has no tables."""
    return replaced(text, objects(text, _words), _plain)


def _plain(text: str) -> str:
    if "<" in text:
        text = _TAG.sub(" ", _INLINE_TAG.sub("", _EXPONENT.sub("^", text)))
    return unescape_text(text)


def _words(tag: str) -> str:
    words = (attribute(tag, "caption"), attribute(tag, "description"))
    return picture("Picture", ". ".join(filter(None, words)))
