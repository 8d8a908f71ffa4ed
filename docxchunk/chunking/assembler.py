"""The assembler of one run makes pieces of spans. It has the document, the limits, the token counts
and the models, which all stages share. It also makes context lines: the heading path of a chunk as
one line, "Chapter > Section > Clause" (docs/design/chunking.md).
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from docxchunk.chunking.models import required_model
from docxchunk.chunking.pieces import Piece, Span, gap
from docxchunk.chunking.texts import BlockRenderer, BlockText, Lines
from docxchunk.chunking.tokens import Meter, furthest
from docxchunk.chunking.words import meter_of
from docxchunk.content.forms import TableInText
from docxchunk.content.table_texts import header_row_count, header_rows, labels_of
from docxchunk.language.scripts import WORD
from docxchunk.language.sentences import trimmed
from docxchunk.model.caching import cached_method
from docxchunk.model.chunks import Heading, SliceRole, TableForm, TableRole
from docxchunk.model.document import Document
from docxchunk.model.objects import Table
from docxchunk.model.options import ChunkLimits
from docxchunk.model.ports import NO_MODELS, Completer, Embedder, Models, Scorer, Tokenizer

log = logging.getLogger("docxchunk.chunking")


class Assembler:
    """The document, the limits and the models of one run, and operations on pieces and spans.

    Expensive results are cached; no call changes the result of another.
    """

    def __init__(
        self,
        document: Document,
        limits: ChunkLimits,
        tokenizer: Tokenizer,
        models: Models = NO_MODELS,
    ) -> None:
        self.stored = document
        self.limits = limits.of_text()
        self.whole_limit = limits.max_tokens  # including the reserved tokens
        self._texts: list[BlockText | None] = [None] * len(document.blocks)
        if limits.tables is not TableForm.JSON:
            texts = list(map(BlockRenderer(document, limits.tables).text_of, document.blocks))
            document = replace(document, blocks=tuple(text.block for text in texts))
            self._texts = [*texts]
        self.document = document  # its blocks have the contents that chunks show
        self._models = models
        self.meter = meter_of(tokenizer)
        self.contents = [block.content for block in document.blocks]
        self._contexts = ContextLines(self.meter, self.limits.max_tokens // 4)
        self._headers = ContextLines(self.meter, limits.reserve or limits.max_tokens // 4)
        self._lines: dict[int, Lines] = {}
        self._names: dict[str, str] = {}  # by the id of their table
        self._notes: Counter[str] = Counter()

    def note(self, text: str) -> None:
        """Record that a model gave an unusable answer, and the fallback that was used."""
        log.info("%s: %s", self.document.name, text)
        self._notes[text] += 1

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(
            text if times == 1 else f"{text} ({times} times)" for text, times in self._notes.items()
        )

    @property
    def embedder(self) -> Embedder:
        """The embedding model. Raise MissingModelError if none was given."""
        return required_model(self._models.embedder, "embedder")

    @property
    def scorer(self) -> Scorer:
        return required_model(self._models.scorer, "scorer")

    @property
    def completer(self) -> Completer:
        return required_model(self._models.completer, "completer")

    def text(self, block: int) -> BlockText:
        """Return the text of a block as chunks show it."""
        text = self._texts[block]
        if text is None:
            text = self._texts[block] = BlockText(self.document.blocks[block])
        return text

    def tables_between(self, block: int, start: int, end: int) -> list[TableInText]:
        """Return the tables of a block that start in [start, end)."""
        tables = self.tables(block)
        if not tables:
            return []
        starts = self.table_starts(block)
        starts_between = starts[bisect_left(starts, start) : bisect_left(starts, end)]
        return [tables[start] for start in starts_between]

    @cached_method
    def table_starts(self, block: int) -> list[int]:
        """Return the starts of the tables of a block, in order."""
        return list(self.tables(block))

    def tables(self, block: int) -> Mapping[int, TableInText]:
        """Return the tables of a block in order. The keys are their start offsets."""
        if lines := self._lines.get(block):
            return lines.tables
        return self.text(block).tables if "<" in self.stored.blocks[block].content else {}

    def heads(self, table: TableInText) -> int:
        """Return the number of header rows that a table begins with; 0 if chunks show tables as
        lines that have the names of the columns.
        """
        if self.limits.tables is TableForm.TEXT:
            return 0
        return self._header_rows(table.id)

    @cached_method
    def _header_rows(self, table_id: str) -> int:
        return header_row_count(self.document.tables.get(table_id))

    def column_names(self, table: Table) -> str:
        """Return the names of the columns of a table on one line; "" if none is known."""
        if table.id not in self._names:
            self._names[table.id] = "; ".join(filter(None, labels_of(header_rows(table))))
        return self._names[table.id]

    def lines(self, block: int) -> Lines:
        """Return the lines of a block, which are counted on first use."""
        if block not in self._lines:
            self._lines[block] = Lines(self.text(block), self.meter, self.limits.max_tokens)
        return self._lines[block]

    def cap(self, parents: tuple[str, ...], heading: str) -> int:
        """Return the maximum number of tokens of the text of a chunk with these headings: the limit
        less the cost of its context line.
        """
        if not self.limits.contextualize:
            return self.limits.max_tokens
        return self.limits.max_tokens - self._contexts.of((*parents, heading)).cost

    @cached_property
    def smallest_limit(self) -> int:
        """The smallest cap of all heading paths."""
        return min(
            (self.cap(block.parent_headings, block.heading) for block in self.document.blocks),
            default=self.limits.max_tokens,
        )

    def context(self, parents: tuple[str, ...], heading: str) -> str:
        """Return the context line before the text of a chunk; "" without `contextualize`."""
        return self._contexts.of((*parents, heading)).text if self.limits.contextualize else ""

    def embed_header(self, path: tuple[str, ...]) -> str:
        """Return the line that is embedded before the text of a chunk: the title of the document
        and the headings that the chunk does not show.
        """
        title = self.document.title
        headings = () if self.limits.contextualize else path
        return self._headers.text_of((() if title in path[:1] else (title,)) + headings)

    def slice(self, block: int, start: int, end: int, role: SliceRole = SliceRole.TEXT) -> Span:
        """Return a range of a block as a span with this role."""
        ruler = self.lines(block).ruler
        return Span(ruler.text[start:end], ruler.measure(start, end), block, start, end, role)

    def text_between(self, block: int, start: int, end: int) -> list[Span]:
        """Return a range of a block without the white space around it as a span; an empty list if
        it is blank.
        """
        start, end = trimmed(self.contents[block], start, end)
        return [self.slice(block, start, end)] if start < end else []

    def later_part(self, piece: Piece) -> Piece:
        """Return a later piece of a block, under the heading of the block. (The first piece of the
        block may begin in a section above, and then has the heading of that section.)
        """
        if piece.spans[0].block == piece.block:
            return piece
        block = self.document.blocks[piece.block]
        return piece._replace(
            heading=block.heading,
            parents=block.parent_headings,
            level=block.level,
            headings=(Heading(block.level, block.heading),),
        )

    def join(self, spans: Sequence[Span]) -> tuple[str, int]:
        """Return the joined text of spans, and its token count."""
        if len(spans) == 1:
            return spans[0].text, spans[0].tokens
        meter, text, total = self.meter, spans[0].text, spans[0].tokens
        for before, after in pairwise(spans):
            between = gap(self.contents[after.block], before, after)
            if meter.adds_up:
                total = meter.joined(text, total, between, after.text, after.tokens)
            text += between + after.text
        return text, total if meter.adds_up else meter.count(text)

    def piece(self, spans: Sequence[Span], like: Piece) -> Piece:
        """Return a piece of these spans, with the headings and the other fields of `like`."""
        text, tokens = self.join(spans)
        return like._replace(spans=tuple(spans), text=text, tokens=tokens)

    def opening(self, spans: Sequence[Span], like: Piece) -> Piece:
        """Return a piece of these spans under the heading of their first block, with the headings
        of all their blocks. The other fields are those of `like`.
        """
        text, tokens = self.join(spans)
        blocks = [self.document.blocks[n] for n in dict.fromkeys([span.block for span in spans])]
        headings = [Heading(block.level, block.heading) for block in blocks if block.heading]
        return like._replace(
            spans=tuple(spans),
            text=text,
            tokens=tokens,
            block=spans[0].block,
            heading=blocks[0].heading,
            parents=blocks[0].parent_headings,
            level=blocks[0].level,
            headings=tuple(heading for heading, _ in groupby(headings)),
        )

    def merged(self, left: Piece, right: Piece) -> Piece:
        """Return both pieces as one, under the headings of the first, without the overlap between
        them.
        """
        last, spans = left.spans[-1], right.spans
        if (
            spans[0].is_repeat
            and spans[0].block == last.block
            and spans[0].start < last.end <= spans[0].end
        ):
            spans = spans[1:]
            right = self.piece(spans, right)
        between = gap(self.contents[spans[0].block], last, spans[0])
        return left._replace(
            spans=left.spans + spans,
            text=left.text + between + right.text,
            tokens=self.meter.joined(left.text, left.tokens, between, right.text, right.tokens),
            headings=joined_headings(left.headings, right.headings),
            role=right.role if left.role is TableRole.NONE else left.role,
        )


def joined_headings(left: tuple[Heading, ...], right: tuple[Heading, ...]) -> tuple[Heading, ...]:
    return left + right[left[-1:] == right[:1] :]


# -- context lines

BETWEEN_HEADINGS: Final = " > "
AFTER_CONTEXT: Final = "\n\n"


class Context(NamedTuple):
    text: str
    cost: int  # in tokens, including the blank line after it


NO_CONTEXT: Final = Context("", 0)


class ContextLines:
    """Makes context lines of at most `max_tokens` tokens. The outermost headings are left out
    first; a single heading that is too long is shortened.
    """

    def __init__(self, meter: Meter, max_tokens: int) -> None:
        self._meter = meter
        self._max_tokens = max_tokens

    @cached_method
    def of(self, path: tuple[str, ...]) -> Context:
        """Return the line for a heading path, with its cost in tokens."""
        return self._fitting_line([name for name in path if name.strip()])

    def text_of(self, path: tuple[str, ...]) -> str:
        """Return the line without its cost. A line of at most `max_tokens` bytes needs no count,
        because each token has at least one byte.
        """
        text = BETWEEN_HEADINGS.join(filter(str.strip, path))
        if (
            self._meter.additive
            and len(text.encode("utf-8", "surrogatepass")) + len(AFTER_CONTEXT) <= self._max_tokens
        ):
            return text
        return self.of(path).text

    def _fitting_line(self, path: list[str]) -> Context:
        text = BETWEEN_HEADINGS.join(path)
        while (cost := self._cost(text)) > self._max_tokens and len(path) > 1:
            path = path[1:]
            text = BETWEEN_HEADINGS.join(path)
        if cost > self._max_tokens:
            text = shortened(
                text, lambda part: self._cost(part) <= self._max_tokens, self._max_tokens
            )
            cost = self._cost(text)
        return Context(text, cost) if text else NO_CONTEXT

    def _cost(self, text: str) -> int:
        return self._meter.count(text + AFTER_CONTEXT)


def shortened(text: str, fits: Callable[[str], bool], guess: int) -> str:
    """Return the text if it fits. Otherwise return as many of its first words as fit, with an
    ellipsis; "" if none does. `guess` is the probable number of words.
    """
    if fits(text):
        return text
    ends = [match.end() for match in WORD.finditer(text)]
    count = furthest(lambda n: fits(text[: ends[n - 1]] + "…"), 1, len(ends), guess) if ends else 0
    return text[: ends[count - 1]] + "…" if count else ""


def context_path(parents: tuple[str, ...], heading: str) -> str:
    """Return the whole path, whatever its length, for `Chunk.context`."""
    return BETWEEN_HEADINGS.join(name for name in (*parents, heading) if name.strip())
