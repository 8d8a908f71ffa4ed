"""Render the text of blocks in the form that chunks show, map it to the stored text, and find its
lines.

A text is put together from fragments. A fragment is added text, such as a line break, or shows a
range of a block: unchanged, decoded (the cells of tables), or replaced (a row of a Markdown table,
an equation). A `BlockText` is the text of a block as it is stored, for tables as JSON. A
`RenderedText` shows the tables, equations and pictures of the block in another form. `Lines` has
the ranges, kinds and token counts of its lines, and the price of a cut before each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from docxchunk.chunking.prices import (
    BLANK_LINE,
    PARAGRAPH,
    Price,
    PriceClass,
    line_class_of,
    prices_of_lines,
)
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.content.forms import PlacedTable, TableInText, render, rendered_table
from docxchunk.content.lines import broken_equations, kind_of, line_starts
from docxchunk.content.roles import roles_of_line
from docxchunk.content.table_texts import header_rows
from docxchunk.content.tables import (
    CELL_MARKUP,
    GridCell,
    TableContent,
    attribute,
    html_steps,
    json_steps,
    json_text,
    tables,
    unescaped,
)
from docxchunk.content.tags import (
    inline_tags,
    markdown_objects,
    objects,
    picture,
)
from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range
from docxchunk.model.blocks import Block, Line, LineKind, LineRole, TableFormat
from docxchunk.model.chunks import Added, AddedRole, Part, Slice, SliceRole, TableForm
from docxchunk.model.document import Document
from docxchunk.model.objects import DrawingKind

# -- fragments


class Fragment(NamedTuple):
    """Text that is either added or shows `content[start:end]` of a block.

    Character n shows the stored text from `steps[n]` to `steps[n + 1]`, counted from `start`. If
    `steps` is None, the characters are the stored ones, unless the text is `replaced`: then its
    characters are mapped evenly to the stored ones.
    """

    text: str
    start: int = 0
    end: int = 0
    added: AddedRole | None = None
    role: SliceRole = SliceRole.TEXT
    steps: Sequence[int] | None = None
    replaced: bool = False  # the shown text differs from the stored one

    def part(self, block: str, a: int, b: int, role: SliceRole | None = None) -> Part:
        """Return characters [a, b) as a part of a chunk. Its role is `role`, by default that of the
        fragment.
        """
        if self.added:
            return Added(self.text[a:b], self.added)
        replacement = self.text[a:b] if self.replaced else None
        return Slice(block, *self._stored(a, b), role or self.role, replacement)

    def _stored(self, a: int, b: int) -> Range:
        """Return the range in the block that characters [a, b) show."""
        if (a, b) == (0, len(self.text)):
            return self.start, self.end
        steps = _spread(self.text, self.end - self.start) if self.replaced else self.steps
        return self.start + (steps[a] if steps else a), self.start + (steps[b] if steps else b)


def unchanged(content: str, start: int, end: int) -> Fragment:
    """Return the text [start, end) of a block, unchanged."""
    return Fragment(content[start:end], start, end)


@lru_cache(maxsize=4)  # a long formula is cut into many parts, one after another
def _spread(text: str, over: int) -> Sequence[int]:
    """Return n + 1 offsets for a text of n characters: the characters are mapped evenly to `over`
    stored characters. White space is mapped to nothing, because a cut may drop it.
    """
    seen = [*accumulate((not character.isspace() for character in text), initial=0)]
    return [over * count // max(seen[-1], 1) for count in seen]


def cell_fragments(grid: TableContent, cell: GridCell) -> Iterator[Fragment]:
    """Yield the decoded texts of a cell; nothing for an empty cell. Two texts of HTML are separated
    by a space if a tag is between them.
    """
    content, at, cell_end = grid.content, cell.start, cell.end
    if grid.format is TableFormat.JSON:
        raw = content[at:cell_end]
        steps = json_steps(raw) if "\\" in raw else None
        yield Fragment(json_text(raw), at, cell_end, None, SliceRole.CELL, steps)
        return
    open_gap = False
    for mark in [*CELL_MARKUP.finditer(content, at, cell_end), None]:
        end = mark.start() if mark else cell_end
        raw = content[at:end]
        if raw.strip():
            if open_gap:
                yield Fragment(" ", added=AddedRole.JOIN)
            text = unescaped(raw)
            yield (
                unchanged(content, at, end)
                if text == raw
                else Fragment(text, at, end, None, SliceRole.CELL, html_steps(raw))
            )
            open_gap = True
        at = mark.end() if mark else end


class ComposedText:
    """A text that is put together from fragments."""

    def __init__(self) -> None:
        self.size = 0
        self._fragments: list[Fragment] = []
        self._starts: list[int] = []

    def add(self, fragment: Fragment) -> Range:
        """Add a fragment at the end. Return the start and the end of its text."""
        start = self.size
        if fragment.text:
            self._fragments.append(fragment)
            self._starts.append(start)
            self.size += len(fragment.text)
        return start, self.size

    @property
    def text(self) -> str:
        return "".join(fragment.text for fragment in self._fragments)

    @property
    def last_words(self) -> str:
        """The text of the last two fragments."""
        return "".join(fragment.text for fragment in self._fragments[-2:])

    def parts(
        self, block: str, start: int, end: int, role: SliceRole | None = None
    ) -> tuple[Part, ...]:
        """Return characters [start, end) as the parts of a chunk. `block` is the id of their block;
        `role` is their role, by default that of their fragment.
        """
        parts: list[Part] = []
        first = max(bisect_right(self._starts, start) - 1, 0)
        for number in range(first, len(self._fragments)):
            fragment, at = self._fragments[number], self._starts[number]
            if at >= end:
                break
            a, b = max(start - at, 0), min(end - at, len(fragment.text))
            if a < b:
                parts.append(fragment.part(block, a, b, role))
        return tuple(parts)


# -- the text of blocks

_LINES_AROUND: Final = {TableForm.MARKDOWN: 2, TableForm.TEXT: 1, TableForm.HTML: 0}
"""Line breaks between a table and adjacent text. A pipe table ends only at a blank line (GitHub
Flavored Markdown, 4.10).
"""
_AFTER: Final = pattern(r"(?P<breaks>\n*+)\s*+(?P<text>\S?)")  # a table
_KINDS: Final = {DrawingKind.OLE: "Object"}


class BlockText:
    """The text of a block, unchanged."""

    def __init__(self, block: Block) -> None:
        self.block = block  # its `content` is the shown text
        self.content = block.content

    @cached_property
    def tables(self) -> Mapping[int, TableInText]:
        """The tables by start offset."""
        return {table.start: table for table in tables(self.content)}

    @property
    def line_starts(self) -> list[int]:
        """The start offsets of the lines, including blank ones. A table is one line."""
        return line_starts(self.content)

    @property
    def unbroken(self) -> list[Range]:
        """The ranges of equations that span several lines."""
        return list(broken_equations(self.content))

    def tags(self, start: int, end: int) -> list[Range]:
        """Return the ranges in [start, end) that should not be cut: equations, pictures,
        superscripts, note marks.
        """
        return [(start + a, start + b) for a, b in inline_tags(self.content[start:end])]

    def parts(self, start: int, end: int, role: SliceRole = SliceRole.TEXT) -> tuple[Part, ...]:
        """Return characters [start, end) as the parts of a chunk."""
        return (Slice(self.block.id, start, end, role),)


@dataclass(frozen=True, slots=True)
class BlockRenderer:
    """Renders the blocks of a document in one form."""

    document: Document
    form: TableForm

    def text_of(self, block: Block) -> BlockText:
        """Return the text of a block."""
        if "<" not in block.content:
            return BlockText(block)
        return RenderedText(block, self)

    def describe(self, tag: str) -> str:
        """Return the text for a picture tag: its kind, with its alternative text or else its
        caption.
        """
        drawing = self.document.drawings.get(attribute(tag, "id"))
        kind = drawing.kind if drawing else DrawingKind.PICTURE
        return picture(
            _KINDS.get(kind, kind.capitalize()),
            (drawing.alt if drawing else "") or attribute(tag, "caption"),
        )

    def header(self, table: TableContent) -> list[list[str]]:
        """Return the texts of the header rows of a table, marked or inferred; [] if it has none."""
        return header_rows(self.document.tables.get(table.id))


class RenderedText(BlockText):
    """The text of a block with its tables, equations and pictures in the form of the renderer."""

    def __init__(self, block: Block, renderer: BlockRenderer) -> None:
        self._stored = BlockText(block)
        self._renderer = renderer
        self._composed = ComposedText()
        # start of a range in the stored text, its start in the shown text, and whether it is shown
        # unchanged
        self._moved: list[tuple[int, int, bool]] = []
        self._tags: list[Range] = []
        self._rendered: list[PlacedTable] = []
        at = 0
        for table in tables(block.content):
            end = self._end_of_text(at, table.start)
            self._put_text(at, end)
            if end < table.start:
                self._moved.append((end, self._composed.size, False))
            self._put_table(table)
            at = table.end
        self._put_text(at, len(block.content))
        super().__init__(replace(block, content=self._composed.text))

    # -- building the text

    def _put_text(self, start: int, end: int) -> None:
        """Add stored text that has no tables. Its objects are described."""
        content, at = self._stored.content, start
        is_markdown = self._renderer.form is TableForm.MARKDOWN
        read = markdown_objects if is_markdown else objects
        for first, last, text in read(content[start:end], self._renderer.describe):
            self._copy(at, start + first)
            self._moved.append((start + first, self._composed.size, False))
            self._tags.append(
                self._composed.add(Fragment(text, start + first, start + last, replaced=True))
            )
            at = start + last
        self._copy(at, end)

    def _copy(self, start: int, end: int) -> None:
        if start < end:
            self._moved.append((start, self._composed.size, True))
            self._composed.add(unchanged(self._stored.content, start, end))

    def _end_of_text(self, start: int, end: int) -> int:
        """Return the end of the text before a table. If only blank text is between two tables, a
        line break of it is kept.
        """
        content = self._stored.content
        is_between = start > 0 and content[start:end].isspace()
        return start + content.startswith("\n", start) if is_between else end

    def _put_table(self, table: TableContent) -> None:
        """Add a rendered table, or the stored text if its rows cannot be recognized."""
        around = _LINES_AROUND[self._renderer.form]
        # one line break may be added before the table, and one may be stored
        before = self._composed.last_words or "\n\n"
        self._add("\n" * (around - (len(before) - len(before.rstrip("\n")))))
        start = self._composed.size
        self._moved.append((table.start, start, table.format is None))
        rows, blank_head = self._put_rows(table)
        self._rendered.append(PlacedTable(table, start, self._composed.size, rows, blank_head))
        after = _AFTER.match(table.content, table.end)
        if after and after["text"]:
            self._add("\n" * (around - len(after["breaks"])))

    def _put_rows(self, table: TableContent) -> tuple[list[Range], str]:
        """Add the rows of a table. Return their ranges, and the text that a slice without header
        rows begins with.
        """
        if table.format is None:
            return [self._composed.add(unchanged(table.content, *table.rows[0]))], ""
        renderer = self._renderer
        rendered = render(table, renderer.form, renderer.header(table), renderer.describe)
        rows: list[Range] = []
        self._add(rendered.opening)
        for text, row in zip(rendered.rows, table.rows, strict=True):
            self._add(rendered.between if rows else "")
            rows.append(self._composed.add(Fragment(text, *row, replaced=True)))
        self._add(rendered.closing)
        return rows, rendered.blank_head

    def _add(self, text: str) -> None:
        """Add line breaks or the syntax of a table."""
        role = AddedRole.JOIN if text.isspace() else AddedRole.WRAPPER
        self._composed.add(Fragment(text, added=role))

    # -- reading it

    @cached_property
    def tables(self) -> Mapping[int, TableInText]:
        form = self._renderer.form
        shown = [rendered_table(self.content, form, table) for table in self._rendered]
        return {table.start: table for table in shown}

    @property
    def line_starts(self) -> list[int]:
        """The start offsets of the stored lines in the shown text."""
        starts: list[int] = []
        for start in self._stored.line_starts:
            stored, shown_start, is_same = self._moved[
                bisect_right(self._moved, (start, self._composed.size, True)) - 1
            ]
            starts.append(shown_start + start - stored if is_same else shown_start)
        return list(dict.fromkeys(starts))

    @property
    def unbroken(self) -> list[Range]:
        return [(start, end) for start, end in self._tags if "\n" in self.content[start:end]]

    def tags(self, start: int, end: int) -> list[Range]:
        return sorted(
            {
                *super().tags(start, end),
                *(tag for tag in self._tags if start <= tag[0] and tag[1] <= end),
            }
        )

    def parts(self, start: int, end: int, role: SliceRole = SliceRole.TEXT) -> tuple[Part, ...]:
        return self._composed.parts(self.block.id, start, end, role)


# -- the lines of blocks


_BYTES: Final = 4  # in UTF-8 of a token, about


class Lines:
    """The lines of a block, except blank ones: line i is `content[starts[i]:ends[i]]`. A table is
    one line, and so is an equation of several lines.

    Chunks have at most `max_tokens` tokens.
    """

    def __init__(self, text: BlockText, meter: Meter, max_tokens: int) -> None:
        self.text = text
        self.tables = text.tables
        self.starts, self.ends = _line_ranges(text)
        self._priced: tuple[int, list[PriceClass], list[Price]] | None = None
        self._meter, self._max_tokens = meter, max_tokens

    @cached_property
    def ruler(self) -> Ruler:
        """Counts the tokens of parts of the block. P cuts lines over an eighth of a chunk."""
        return self._meter.ruler(self.text.content, _BYTES * self._max_tokens // 8)

    def between(self, start: int, end: int) -> slice:
        """Return the indices of the lines that overlap a range of the block."""
        first = bisect_right(self.starts, start) - 1
        return slice(
            first if first >= 0 and self.ends[first] > start else first + 1,
            bisect_left(self.starts, end),
        )

    @cached_property
    def records(self) -> list[Line]:
        """The parser's record of each line; inferred from the text if the block has none."""
        stored, starts = self.text.block.lines, self.text.line_starts
        if starts == self.starts and len(starts) == len(stored):
            return list(stored)
        by_start = dict(zip(starts, stored, strict=True)) if len(starts) == len(stored) else {}
        return [
            by_start.get(start) or Line(kind=kind_of(self.text.block, start, self.tables))
            for start in self.starts
        ]

    @cached_property
    def kinds(self) -> list[LineKind]:
        return [record.kind for record in self.records]

    @cached_property
    def roles(self) -> list[tuple[LineRole, ...]]:
        """The roles of each line."""
        text = self.text.content
        return [
            roles_of_line(record, text[start:end])
            for record, start, end in zip(self.records, self.starts, self.ends, strict=True)
        ]

    @cached_property
    def break_prices(self) -> list[Price]:
        """The price of a cut before each line if only the line breaks before it count."""
        return [
            BLANK_LINE,
            *(
                BLANK_LINE if start - end > 1 else PARAGRAPH
                for start, end in zip(self.starts[1:], self.ends, strict=False)
            ),
        ]

    @cached_property
    def before(self) -> list[int]:
        """For each line, the approximate number of tokens between the start of the block and the
        start of the line.
        """
        return list(map(self.ruler.about, self.starts))

    @cached_property
    def upto(self) -> list[int]:
        """For each line, the approximate number of tokens between the start of the block and the
        end of the line.
        """
        return list(map(self.ruler.about, self.ends))

    def priced(self, longest: int) -> tuple[list[PriceClass], list[Price]]:
        """Return the class of each line, and the price of a cut before it. `longest` is the maximum
        length of a headline, in characters.
        """
        if self._priced is None or self._priced[0] != longest:
            text = self.text.content
            classes = [
                line_class_of(kind, roles, text[start:end], longest)
                for kind, roles, start, end in zip(
                    self.kinds, self.roles, self.starts, self.ends, strict=True
                )
            ]
            self._priced = longest, classes, prices_of_lines(classes)
        return self._priced[1:]


def _line_ranges(text: BlockText) -> tuple[list[int], list[int]]:
    """Return the starts and ends of the lines, without line breaks. A table is a line of its
    own.
    """
    content, tables = text.content, text.tables
    starts: list[int] = []
    ends: list[int] = []

    def add(start: int, end: int) -> None:
        for line in content[start:end].split("\n"):
            if line and not line.isspace():
                starts.append(start)
                ends.append(start + len(line))
            start += len(line) + 1

    at = 0
    for start, end in _unbroken_ranges(tables, text.unbroken):
        add(at, start)
        if start in tables or not (starts and ends[-1] == start):
            starts.append(start)
            ends.append(end)
        else:
            ends[-1] = end
        at = end
    add(at, len(content))
    return starts, ends


def _unbroken_ranges(tables: Mapping[int, TableInText], unbroken: Sequence[Range]) -> list[Range]:
    """Return the ranges that are one line despite line breaks: tables, and equations of several
    lines outside tables.
    """
    table_ranges = [(table.start, table.end) for table in tables.values()]
    return sorted(
        table_ranges
        + [
            tag
            for tag in unbroken
            if not any(tag[0] < end and start < tag[1] for start, end in table_ranges)
        ]
    )
