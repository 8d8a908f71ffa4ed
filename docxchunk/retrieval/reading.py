"""Read a document in parts: its outline, a section or clause by number, the places of a phrase,
the definition of a term, and what refers to what.

A place is named by its number as the document prints it, "8.2", "8.2(a)", "Annex B"; by its
heading; or by the beginning of the id of its block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

import regex  # tiktoken needs it, too

from docxchunk.chunking.finishing import positions_of
from docxchunk.chunking.forms.readable import readable
from docxchunk.chunking.line_kinds import line_starts
from docxchunk.chunking.text.sentences import sentence_ends
from docxchunk.errors import UsageError
from docxchunk.markup.citations import citation, label_of
from docxchunk.markup.table_texts import row_text
from docxchunk.markup.tables import Grid, tables
from docxchunk.markup.tags import plain
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.wording import shortened

if TYPE_CHECKING:
    from docxchunk.retrieval.quotations import Quotation, QuotationChecker

_LABEL_LENGTH: Final = 24  # characters of the label of a clause in an outline
_ID_PREFIXES: Final = (4, 8)  # characters of an id that name a section
_SECONDS: Final = 2.0  # the time that a regular expression may take in one document
_CLAUSE_WORD: Final = re.compile(
    r"(?:section|clause|article|art|paragraph|para|chapter|part|abschnitt|artikel|absatz|ziffer|"
    r"point|sec|cl|§+)s?\.?\s*(?=\W*\w)",
    re.IGNORECASE,
)
_ANNEX: Final = re.compile(
    r"(annex|appendi|schedule|exhibit|anhang)(?:es|ces|x|s|e)?\s*(?=\w)", re.IGNORECASE
)
_TYPED_NUMBER: Final = re.compile(
    r"\s*(?P<number>(?:(?:annex|appendix|schedule|exhibit|article|section|chapter|part|anhang|"
    r"artikel|§)\s+)?(?:\d+(?:\.\d+)*[a-z]?|[A-Z](?:\.\d+)+|[IVXLC]+|[A-Z])|第\w{1,8}[编章节条])"
    r"(?=[.):\s]|$)",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(
    r"\b(?P<kind>sections?|clauses?|articles?|paragraphs?|chapters?|annex(?:es)?|appendix|"
    r"appendices|schedules?|exhibits?|abschnitt|artikel|ziffer|anhang|annexe|§{1,2})\s*"
    r"(?P<numbers>(?:\d+(?:\.\d+)*[a-z]?|[A-Z]|[IVXLC]+)(?:\.\d+)*(?:\s?\(\w{1,4}\))*"
    r"(?:(?:\s*,\s*|\s+(?:and|or|to|und|oder|et)\s+)\d+(?:\.\d+)*(?:\s?\(\w{1,4}\))*)*)"
    r"|(?P<cjk>第\w{1,8}[编章节条])",
    re.IGNORECASE,
)
_ONE_NUMBER: Final = re.compile(
    r"(?:\d+(?:\.\d+)*[a-z]?|\b[A-Z]|[IVXLC]+)(?:\.\d+)*(?:\s?\(\w{1,4}\))*"
)


class Place(NamedTuple):
    """A line of a document, or a row of a table: characters [start, end) of the content of a
    block.

    - `text`: what a reader sees.
    - `number`: its full number: "8.2(a)"; "" without one.
    - `depth`: 0 for a heading; larger for items that are further in.
    - `label`: its own number: "(a)".
    """

    block: int
    start: int
    end: int
    text: str
    number: str
    depth: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A place of a document that answers a question: its text, with citation.

    - `number`: the full number of the clause: "8.2(a)"; "" without one.
    - `left_out`: how many tokens follow that did not fit; 0 if none.
    - `next`: the number of the character to read on from; None at the end.
    """

    text: str
    citation: str
    number: str = ""
    left_out: int = 0
    next: int | None = None


@dataclass(frozen=True, slots=True)
class SectionLine:
    """A section of the outline.

    - `name`: what `read` takes: the number or heading if no other section has it, else an id.
    - `number`: its full number: "2.1"; "" without one.
    - `heading`, `level`, `page`, `page_is_estimate`: those of its block.
    - `tokens`: the size of its own text, without the sections below it.
    - `label`: the first words of a clause that has a number and no title.
    """

    name: str
    number: str
    heading: str
    level: int
    page: int | None
    page_is_estimate: bool
    tokens: int
    label: str = ""

    def __str__(self) -> str:
        page = f" p{'~' if self.page_is_estimate else ''}{self.page}" if self.page else ""
        name = "" if self.name in (self.number, self.heading) else f" [{self.name}]"
        label = f" ({shortened(self.label, _LABEL_LENGTH)})" if self.label else ""
        return f"{'  ' * max(self.level - 1, 0)}{self.heading}{label}{page} {self.tokens}t{name}"


@dataclass(frozen=True, slots=True)
class References:
    """What a place refers to, and what refers to it.

    - `to`: the places that it refers to.
    - `by`: the places that refer to it.
    - `unresolved`: numbers that it refers to and that the document does not have, or not once.
    """

    to: tuple[Passage, ...]
    by: tuple[Passage, ...]
    unresolved: tuple[str, ...] = ()


Count = Callable[[str], int]


class Reader:
    """Reads a document in parts. `count` counts tokens."""

    def __init__(self, document: Document, count: Count) -> None:
        self.document = document
        self._count = count
        self._starts: dict[int, list[int]] = {}  # of the lines of a block, by its number

    # -- the places of the document

    @cached_property
    def places(self) -> list[Place]:
        """All lines and rows of tables, in order."""
        return [
            place
            for number, block in enumerate(self.document.blocks)
            for place in _places_of(number, block, self._numbers[number])
        ]

    @cached_property
    def _numbers(self) -> list[str]:
        """The full number of each block, "2.1(a)"; "" without one."""
        numbers: list[str] = []
        above: list[tuple[int, str]] = []  # the level and number of the sections above
        for block in self.document.blocks:
            while above and above[-1][0] >= block.level:
                above.pop()
            label = block.number or _typed_number(block.heading)
            number = _full_number(label, above[-1][1] if above else "") if label else ""
            if number:
                above.append((block.level, number))
            numbers.append(number)
        return numbers

    @cached_property
    def _by_number(self) -> dict[str, list[int]]:
        numbers: dict[str, list[int]] = {}
        for index, place in enumerate(self.places):
            for number in {_normal(place.number), _normal(place.label)} - {""}:
                numbers.setdefault(number, []).append(index)
        return numbers

    @cached_property
    def _by_heading(self) -> dict[str, list[int]]:
        headings: dict[str, list[int]] = {}
        for index, place in enumerate(self.places):
            if place.depth == 0:
                headings.setdefault(_plain_heading(place.text), []).append(index)
                bare = _plain_heading(_TYPED_NUMBER.sub("", place.text, count=1))
                if bare != _plain_heading(place.text):
                    headings.setdefault(bare, []).append(index)
        return headings

    @cached_property
    def names(self) -> list[str]:
        """The name of each section: its number or heading if no other section has it, else the
        first characters of its id.
        """
        prefixes = {
            size: Counter(block.id[:size] for block in self.document.blocks)
            for size in _ID_PREFIXES
        }
        names: list[str] = []
        for number, block in enumerate(self.document.blocks):
            own = self._numbers[number]
            heading = _plain_heading(block.heading)
            if own and len(self._by_number[_normal(own)]) == 1:
                names.append(own)
            elif heading and len(self._by_heading.get(heading, ())) == 1:
                names.append(block.heading)
            else:
                names.append(
                    next(
                        (
                            block.id[:size]
                            for size, counts in prefixes.items()
                            if counts[block.id[:size]] == 1
                        ),
                        block.id,
                    )
                )
        return names

    @cached_property
    def _sizes(self) -> list[int]:
        """The number of tokens of each block."""
        contents = (block.content for block in self.document.blocks)
        return [self._count(readable(content)) for content in contents]

    @property
    def tokens(self) -> int:
        """The number of tokens of the whole text."""
        return sum(self._sizes)

    # -- questions

    def outline(self, within: str = "", max_depth: int = 9) -> list[SectionLine]:
        """Return the sections, down to a level; `within`: those of one section only."""
        first, end = 0, len(self.document.blocks)
        if within:
            region = self._region(self._resolved(within))
            first, end = self.places[region.start].block, self.places[region.stop - 1].block + 1
        return [
            SectionLine(
                self.names[number],
                self._numbers[number],
                block.heading or "(text before the first heading)",
                block.level,
                block.page,
                block.page_is_estimate,
                self._sizes[number],
                label_of(block),
            )
            for number, block in enumerate(self.document.blocks[first:end], first)
            if block.level <= max_depth
        ]

    def read(self, name: str, max_tokens: int = 1000, start: int = 0) -> Passage:
        """Return the text of a section or clause with what is below it, as Markdown, from
        character `start` on. What does not fit is left out after a whole sentence.

        Raise UsageError for an unknown or ambiguous name.
        """
        at = self._resolved(name)
        region = self._region(at)
        text = self._markdown(region)
        if not 0 <= start <= len(text):
            raise UsageError(f"start is {start}; {name!r} has {len(text):,} characters.")
        end = _fitting(text, start, max_tokens, self._count)
        rest = text[end:].strip()
        return Passage(
            text[start:end].strip(),
            self._cited(region),
            self.places[at].number,
            self._count(rest),
            end if rest else None,
        )

    def find(
        self, phrase: str, *, is_pattern: bool = False, limit: int = 20
    ) -> tuple[int, list[Passage]]:
        """Return how often a phrase or regular expression occurs, and the lines of the first
        places. Case and the kind of white space do not matter.

        Raise UsageError for a pattern that is not valid, or that takes too long.
        """
        source = phrase if is_pattern else r"\s+".join(map(regex.escape, phrase.split()))
        if not source:
            raise UsageError("There is nothing to find: give a phrase.")
        try:
            pattern = regex.compile(source, regex.IGNORECASE)
        except regex.error as error:
            raise UsageError(f"{phrase!r} is not a regular expression: {error}.") from error
        total, passages = 0, list[Passage]()
        end = monotonic() + _SECONDS
        try:
            for index, place in enumerate(self.places):
                left = max(end - monotonic(), 0.001)
                hits = sum(1 for _ in pattern.finditer(place.text, timeout=left))
                if hits and len(passages) < limit:
                    passages.append(self.passage(index, index))
                total += hits
        except TimeoutError:
            raise UsageError(f"{phrase!r} takes too long to search: make it simpler.") from None
        return total, passages

    def define(self, term: str, limit: int = 5) -> list[Passage]:
        """Return the lines that define a term, the clearest first: “Term” means …, (the “Term”),
        or a line that begins with the term in a list of definitions.
        """
        word = r"\s+".join(map(re.escape, term.strip(" \"'“”„«»").split()))
        if not word:
            raise UsageError("There is no term: give the words that may be defined.")
        quoted = rf"[\"“„«'‘]\s*{word}(?:s|es)?\s*[\"”“»'’]"
        verb = (
            r"(?:shall\s+)?(?:means?|has\s+the\s+meaning|have\s+the\s+meaning|refers?\s+to|"
            r"is\s+defined|are\s+defined|includes?|bedeutet|bezeichnet|meint|désigne|signifie|"
            r"significa|是指|指|означает)"
        )
        ways = [
            rf"{quoted}[^.;]{{0,60}}?\b{verb}",
            rf"{quoted}[^.;]{{0,60}}?{verb}",
            rf"^\W*(?:[(\w]{{1,6}}[.)]\s+)?{word}\s*(?:{verb}|[:–—|]|\t)",
            rf"[(（][^()（）]{{0,40}}{quoted}[^()（）]{{0,40}}[)）]",
            rf"{word}\s+{verb}",
            rf"以下简称[^)）]{{0,6}}{word}",
        ]
        ranked: list[tuple[int, int]] = []
        for rank, way in enumerate(ways):
            pattern = re.compile(way, re.IGNORECASE)
            known = {index for _, index in ranked}
            ranked += [
                (rank, index)
                for index, place in enumerate(self.places)
                if index not in known and pattern.search(place.text)
            ]
        return [self.passage(index, index) for _, index in sorted(ranked)[:limit]]

    def references(self, name: str, limit: int = 20) -> References:
        """Return what a section or clause refers to, and the lines that refer to it or to what is
        below it: links, cross-references, and typed references such as "Section 8.2".
        """
        at = self._resolved(name)
        region = self._region(at)
        targets: dict[int, None] = {}
        unresolved: dict[str, None] = {}
        for index in region:
            for typed in _typed_references(self.places[index].text):
                indexes = self._by_number.get(_normal(typed), ())
                if len(indexes) == 1:
                    targets[indexes[0]] = None
                elif not indexes:
                    unresolved[typed] = None
        blocks = {self.places[index].block for index in region}
        ids = {block.id: number for number, block in enumerate(self.document.blocks)}
        whole = self.places[at].depth == 0
        if whole:
            for number in sorted(blocks):
                for target in self.document.blocks[number].refers_to:
                    if target in ids and ids[target] not in blocks:
                        targets[self._heads[ids[target]]] = None
        inside = {
            _normal(self.places[index].number) for index in region if self.places[index].number
        }
        sources = [
            index
            for index, place in enumerate(self.places)
            if index not in region
            and any(_normal(number) in inside for number in _typed_references(place.text))
        ]
        if whole:
            own = {self.document.blocks[number].id for number in blocks}
            known = {self.places[index].block for index in sources}
            sources += [
                self._heads[number]
                for number, block in enumerate(self.document.blocks)
                if number not in blocks and number not in known and own & set(block.refers_to)
            ]
        return References(
            tuple(
                self.passage(index, index) for index in list(targets)[:limit] if index not in region
            ),
            tuple(self.passage(index, index) for index in sources[:limit]),
            tuple(unresolved),
        )

    def check(self, quote: str) -> Quotation:
        """Return what a quotation is, found, stitched, altered or not found, and where it stands.
        Raise UsageError if it is too short to tell.
        """
        return self._quotations.check(quote)

    @cached_property
    def _quotations(self) -> QuotationChecker:
        from docxchunk.retrieval.quotations import QuotationChecker

        return QuotationChecker(self)

    # -- names

    def _resolved(self, name: str) -> int:
        """Return the index of the place with a number, heading or id."""
        wanted = name.strip() or "(no name)"
        for places_of in (self._with_number, self._with_heading, self._with_id):
            candidates = places_of(wanted)
            headings = [index for index in candidates if self.places[index].depth == 0]
            chosen = headings or candidates
            if len(chosen) == 1:
                return chosen[0]
            if chosen:
                names = ", ".join(self.names[self.places[index].block] for index in chosen[:8])
                raise UsageError(
                    f"{name!r} is the name of {len(chosen)} places in {self.document.name}: "
                    f"{names}."
                )
        raise UsageError(
            f"{self.document.name} has no section or clause {name!r}: see its outline."
        )

    def _with_number(self, number: str) -> list[int]:
        return self._by_number.get(_normal(number), [])

    def _with_heading(self, heading: str) -> list[int]:
        return self._by_heading.get(_plain_heading(heading), [])

    def _with_id(self, prefix: str) -> list[int]:
        if len(prefix) < min(_ID_PREFIXES):
            return []
        blocks = self.document.blocks
        return [at for number, at in self._heads.items() if blocks[number].id.startswith(prefix)]

    @cached_property
    def _heads(self) -> dict[int, int]:
        """The index of the first place of each block that has one."""
        heads: dict[int, int] = {}
        for index, place in enumerate(self.places):
            heads.setdefault(place.block, index)
        return heads

    def _region(self, at: int) -> range:
        """Return the places from `at` on that belong to it: those below it."""
        first = self.places[at]
        level = self.document.blocks[first.block].level
        for index in range(at + 1, len(self.places)):
            place = self.places[index]
            if place.block != first.block:
                if first.depth or self.document.blocks[place.block].level <= max(level, 0):
                    return range(at, index)
            elif first.depth and place.depth <= first.depth and place.number:
                return range(at, index)
        return range(at, len(self.places))

    # -- texts

    def _markdown(self, region: range) -> str:
        """Return the lines of a region as Markdown."""
        first, last = self.places[region.start], self.places[region.stop - 1]
        blocks: list[Block] = []
        for number in range(first.block, last.block + 1):
            block = self.document.blocks[number]
            start = first.start if number == first.block else 0
            end = last.end if number == last.block else len(block.content)
            lines = block.lines
            if lines and (start or end < len(block.content)):
                starts = self._line_starts(number)
                one = bisect_right(starts, start) - 1
                other = bisect_right(starts, max(end - 1, start))
                start, lines = starts[one], lines[one:other]
            blocks.append(replace(block, content=block.content[start:end], lines=lines))
        return replace(self.document, blocks=tuple(blocks)).to_markdown()

    def passage(self, first: int, last: int) -> Passage:
        """Return the text of some neighbouring places, with its citation."""
        places = self.places[first : last + 1]
        return Passage(
            "\n".join(place.text for place in places),
            self._cited(range(first, last + 1)),
            places[0].number or self._numbers[places[0].block],
        )

    def _cited(self, region: range) -> str:
        """Return the citation of a region: file, heading path and clause, pages, paragraphs."""
        first = self.places[region.start]
        block = self.document.blocks[first.block]
        lines: list[Line] = []
        places = self.places[region.start : region.stop]
        for number, group in groupby(places, key=attrgetter("block")):
            own = list(group)
            lines += self._lines_between(number, own[0].start, own[-1].start)
        path = [*block.parent_headings, block.heading]
        if first.number and first.depth:
            path.append(first.number)
        pages = {line.page for line in lines if line.page is not None}
        chunk = Chunk(
            tokens=0,
            content="",
            chunk_order_index=0,
            heading=block.heading,
            parent_headings=block.parent_headings,
            level=block.level,
            chunk_id="",
            doc_id=self.document.doc_id,
            headings=(),
            blocks=(),
            parts=(),
            context=" > ".join(filter(None, path)),
            positions=positions_of(block, lines) if lines else (),
            pages=tuple(sorted(pages)),
            page_is_estimate=any(line.page_is_estimate for line in lines),
        )
        return citation(chunk, self.document.name)

    def _lines_between(self, number: int, first: int, last: int) -> tuple[Line, ...]:
        """Return the records of the lines of a block from the one at `first` to the one at `last`;
        () if they are not known.
        """
        block = self.document.blocks[number]
        starts = self._line_starts(number)
        if len(block.lines) != len(starts):
            return ()
        return block.lines[bisect_right(starts, first) - 1 : bisect_right(starts, last)]

    def _line_starts(self, number: int) -> list[int]:
        if number not in self._starts:
            self._starts[number] = line_starts(self.document.blocks[number].content)
        return self._starts[number]


def _places_of(number: int, block: Block, own: str) -> Iterator[Place]:
    """Yield the lines of a block, and the rows of its tables, with their full numbers."""
    content = block.content
    starts = line_starts(content)
    records = (
        block.lines if len(block.lines) == len(starts) else [Line(LineKind.TEXT)] * len(starts)
    )
    in_tables = {tag.start: tag for tag in tables(content)} if "<table" in content else {}
    above: list[tuple[int, str]] = []  # the depth and number of the items above
    ends = [start - 1 for start in starts[1:]] + [len(content)]
    for record, start, end in zip(records, starts, ends, strict=True):
        if not content[start:end].strip():
            continue
        if start in in_tables:
            grid = Grid(content, in_tables[start])
            for row, (row_start, row_end) in enumerate(grid.rows):
                yield Place(number, row_start, row_end, row_text(grid, row), "", 9)
            continue
        is_heading = (
            start == 0 and block.heading and record.kind in (LineKind.HEADING, LineKind.TEXT)
        )
        if is_heading and content.startswith("#"):
            yield Place(number, start, end, block.heading, own, 0, block.number or "")
            continue
        text = plain(content[start:end])
        label = record.number or ""
        if not label:
            yield Place(number, start, end, text, "", 9)
            continue
        depth = (record.depth or 0) + 1
        while above and above[-1][0] >= depth:
            above.pop()
        parent = above[-1][1] if above else own
        full = _full_number(label, parent)
        if full:
            above.append((depth, full))
        yield Place(number, start, end, text, full, depth, label if full else "")


def _typed_number(heading: str) -> str:
    match = _TYPED_NUMBER.match(heading)
    return match["number"] if match else ""


def _full_number(label: str, parent: str) -> str:
    """Return the number of an item with the one of the item above it, "8.2(a)"; "" of a bullet."""
    text = label.strip().rstrip(".")
    if not any(character.isalnum() for character in text):
        return ""
    if re.match(r"\d+(?:\.\w+)+|[^\W\d_]{2,}\W|\W*[A-Z]\.\d", text) or not parent:
        return text
    own = text if text[0] in "([" else f"({text.rstrip('.)')})"
    return f"{parent.rstrip('.')}{own}"


def _normal(number: str) -> str:
    """Return a number as it is compared: without blanks, final stops and the word for a clause; the
    word for an annex stays.
    """
    bare = _CLAUSE_WORD.sub("", number.strip(), count=1)
    bare = re.sub(r"\s+", "", _ANNEX.sub(r"\1", bare, count=1))
    return bare.rstrip(".:)").replace(".(", "(").lower()


def _plain_heading(text: str) -> str:
    return " ".join(plain(text).split()).strip(" .:").lower()


def _typed_references(text: str) -> Iterator[str]:
    """Yield the numbers that a text refers to: "8.2(a)", "Annex B"."""
    for match in _REFERENCE.finditer(text):
        if match["cjk"]:
            yield match["cjk"]
            continue
        annex = match["kind"] + " " if _ANNEX.match(match["kind"] + " 1") else ""
        yield from (annex + number[0] for number in _ONE_NUMBER.finditer(match["numbers"]))


def _fitting(text: str, start: int, max_tokens: int, count: Count) -> int:
    """Return the end of the longest text from `start` that fits and ends with a sentence or line;
    at least one.
    """
    if count(text[start:]) <= max_tokens:
        return len(text)
    ends = sorted(
        {
            *(match.end() for match in re.finditer(r"\n", text[start:])),
            *(end - start for end in sentence_ends(text, start, len(text))),
        }
    )
    low, high = 0, len(ends) - 1
    while low < high:  # token counts grow with the text
        middle = (low + high + 1) // 2
        if count(text[start : start + ends[middle]]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return start + ends[low] if ends else len(text)
