"""Read a document in parts: its outline, a section or clause by number, the text around a place,
the tables of a section, and the places of a phrase, a definition or a reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from typing import Final, Literal, get_args

from docxchunk import api
from docxchunk.content.citations import label_of
from docxchunk.content.pipe_tables import readable
from docxchunk.content.tags import plain
from docxchunk.errors import UsageError
from docxchunk.language.scripts import FIRST_WIDE
from docxchunk.model.blocks import SessionType
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.document import LOST_TEXT, Document, Dropped
from docxchunk.model.fields import check_word, expect, whole
from docxchunk.model.objects import NoteKind
from docxchunk.model.ports import Count
from docxchunk.model.wording import first_words, shortened
from docxchunk.retrieval.citing.quotations import Quotation, QuotationChecker
from docxchunk.retrieval.comparing.revisions import PlacedComment, Revisions, TrackedChange
from docxchunk.retrieval.finding.definitions import Definitions
from docxchunk.retrieval.finding.links import References, references
from docxchunk.retrieval.finding.names import LONGEST_HEADING
from docxchunk.retrieval.finding.numbers import is_number_alone, is_subordinate
from docxchunk.retrieval.finding.passages import CitedPlaces, Passage, Texts, fitting
from docxchunk.retrieval.finding.phrases import Match, occurrences

_LONGEST_LABEL: Final = 24  # characters of the first words of a clause without title
_LEAST_SHOWN: Final = 200  # tokens of a section whose size is shown
_FARTHEST: Final = 200  # lines from an item to the line that introduces its list
_RUNNING: Final = (NoteKind.HEADER, NoteKind.FOOTER)
_UNREAD: Final = {  # text that is in no place, by the reason
    Dropped.DELETED: "deleted text",
    Dropped.INSERTED: "inserted text",
    Dropped.HIDDEN: "hidden text",
    Dropped.STRUCK: "struck-through text",
    Dropped.HEADER_FOOTER: "text of page headers and footers",
    Dropped.NOTE_UNUSED: "text of notes without a mark",
}
_COLONS: Final = (":", "：", "—")

Around = Literal["section", "parent"]


@dataclass(frozen=True, slots=True)
class SectionLine:
    """A section of the outline.

    - `name`: the name that `read` takes: the number or the heading, or "#12" if another section has
      the same.
    - `number`: its full number: "2.1"; "" if it has none.
    - `title`: its heading, with the full number for "(a)"; the first words of a clause that has no
      title.
    - `level`, `page`, `page_is_estimate`: those of its block.
    - `tokens`: the size of its text with the sections below it.
    - `below`: the number of sections below it that the outline does not show.
    """

    name: str
    number: str
    title: str
    level: int
    page: int | None
    page_is_estimate: bool
    tokens: int
    below: int = 0

    def __str__(self) -> str:
        facts = [
            f"{'about ' if self.page_is_estimate else ''}p. {self.page}" if self.page else "",
            f"{self.tokens:,} tokens" if self.tokens >= _LEAST_SHOWN else "",
            f"{self.below} below" if self.below else "",
        ]
        about = ", ".join(filter(None, facts))
        parts = [
            shortened(self.title, LONGEST_HEADING),
            self.name if self.name.startswith("#") else "",
            f"({about})" if about else "",
        ]
        return " " * max(self.level - 1, 0) + " ".join(filter(None, parts))


class Reader:
    """Reads a document in parts. `count` counts tokens, of o200k_base by default. `parse_original`
    returns the document as it was before its tracked changes: quotations that are not found are
    looked for there.
    """

    def __init__(
        self,
        document: Document,
        count: Count | None = None,
        parse_original: Callable[[], Document] | None = None,
    ) -> None:
        self.document = expect("document", document, Document)
        self._given_count = count
        self._parse_original = parse_original

    @cached_property
    def count(self) -> Count:
        """The function that counts tokens."""
        return self._given_count or api.tokenizer().count  # not every question loads it

    @cached_property
    def original(self) -> Reader | None:
        """The document as it was before its tracked changes; None if that is not known."""
        return Reader(self._parse_original(), self._given_count) if self._parse_original else None

    def unread(self, size: int = 1) -> str:
        """Return which text of the file, of at least `size` characters, is in no place: "hidden
        text and text of page headers and footers"; "" if none is.
        """
        lengths = Counter(self.document.report.dropped)
        lengths[Dropped.HEADER_FOOTER] += sum(
            len(note.text) for note in self.document.notes if note.kind in _RUNNING
        )
        if self._parse_original:
            del lengths[Dropped.DELETED]
        return " and ".join(
            name for reason, name in _UNREAD.items() if lengths[reason] >= max(size, 1)
        )

    @cached_property
    def places(self) -> CitedPlaces:
        """The lines and rows of tables, in order, and their names."""
        return CitedPlaces(self.document)

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self.places)

    @cached_property
    def _definitions(self) -> Definitions:
        return Definitions(self.places)

    @cached_property
    def _sizes(self) -> list[int]:
        """For each block, the number of tokens of all blocks before it; then the number of all
        tokens.
        """
        contents = (block.content for block in self.document.blocks)
        sizes = [self.count(readable(content)) for content in contents]
        return list(accumulate(sizes, initial=0))

    @property
    def is_damaged(self) -> bool:
        """Whether a part of the text may be lost."""
        return any(issue.code in LOST_TEXT for issue in self.document.issues)

    @property
    def tokens(self) -> int:
        """The number of tokens of the whole text."""
        return self._sizes[-1]

    # -- the outline

    def outline(self, section: str = "", depth: int = 9) -> list[SectionLine]:
        """Return the sections down to level `depth`. With `section`, the name of a section, return
        only this section and those below it.
        """
        places = self.places
        first, end = 0, len(places.blocks)
        if section:
            first = places.all[places.resolved(section)].block
            end = places.ends[first]
        shown_blocks = [
            number for number in range(first, end) if places.blocks[number].level <= depth
        ]
        return [
            self._section_line(number, following - number - 1)
            for number, following in pairwise((*shown_blocks, end))
        ]

    def _section_line(self, number: int, below: int) -> SectionLine:
        places, block = self.places, self.document.blocks[number]
        label = label_of(block)
        title = f"{places.title(number)} {shortened(label, _width(label))}".strip()
        return SectionLine(
            places.section_name(number),
            places.numbers[number],
            title or self._name_without_heading(number),
            block.level,
            block.page,
            block.page_is_estimate,
            self._sizes[places.ends[number]] - self._sizes[number],
            below,
        )

    def _name_without_heading(self, number: int) -> str:
        """Return the title of a block without heading, for the outline."""
        block = self.document.blocks[number]
        if block.session_type is SessionType.TOC:
            return "(table of contents)"
        if not number:
            return "(text before the first heading)"
        # with the brackets and " …", as long as a heading may be
        return f"({shortened(first_words(plain(block.content)), LONGEST_HEADING - 4)})"

    # -- texts

    def read(self, section: str, max_tokens: int = 1000, start: int = 0) -> Passage:
        """Return the text of a section or clause with what is below it, or of the paragraphs of a
        citation, as Markdown, from character `start` on. What does not fit is left out after a
        whole sentence.

        Raise UnknownNameError for an unknown name, UsageError for an ambiguous one.
        """
        region = self.places.region_of(section)
        return self._part(
            region, whole("max_tokens", max_tokens), expect("start", start, int), section
        )

    def _part(self, region: range, max_tokens: int, start: int = 0, name: str = "") -> Passage:
        text = self._texts.markdown(region)
        if not 0 <= start <= len(text):
            raise UsageError(f"start is {start}; {name!r} has {len(text):,} characters.")
        end = fitting(text, start, max_tokens, self.count)
        left_out = text[end:].strip()
        return replace(
            self.places.citation(region),
            text=text[start:end].strip(),
            left_out=self.count(left_out) if left_out else 0,
            next=end if left_out else None,
        )

    def tables_under(self, section: str, max_tokens: int = 2000) -> list[Passage]:
        """Return the tables of a section and of those below it, as Markdown with their captions. A
        table that does not fit ends after a whole row, and the tables after it have no text.

        Raise UnknownNameError for an unknown name, UsageError for an ambiguous one.
        """
        region = self.places.region_of(section)
        max_tokens = whole("max_tokens", max_tokens)
        passages: list[Passage] = []
        for table, rows in groupby(region, key=lambda index: self.places.all[index].table):
            if not table:
                continue
            indexes = list(rows)
            record = self.document.tables.get(table)
            title = f"{record.caption}\n\n" if record and record.caption else ""
            passage = self._part(range(indexes[0], indexes[-1] + 1), max_tokens - self.count(title))
            text = f"{title}{passage.text}" if passage.text else ""
            max_tokens = 0 if passage.left_out else max_tokens - self.count(text)
            passages.append(replace(passage, text=text, next=None))
        return passages

    def expand(
        self, item: Chunk | Unit | str, to: Around = "section", max_tokens: int = 2000
    ) -> Passage:
        """Return the text around a chunk, a unit or a named place: its section, or the section
        above, or as many lines around the item as fit; with the number of tokens of the section
        that are left out, and its name.

        Raise UsageError for an item that is not of this document, or an unknown name.
        """
        check_word("to", to, get_args(Around))
        max_tokens = whole("max_tokens", max_tokens)
        places, core = self.places, self.places.range_of(item)
        block = places.all[core.start].block
        above = [block, *places.ancestors(block)]
        titled = [number for number in above if not is_number_alone(places.blocks[number])] or above
        section = titled[:2][-1] if to == "parent" else titled[0]
        around = places.of_blocks(section, places.ends[section])
        around = range(around.start, max(around.stop, core.stop))
        window = self._texts.widened(core, around, max_tokens, self.count)
        passage = self._part(window, max_tokens)
        rest = (range(around.start, window.start), range(window.stop, around.stop))
        left_out = sum((self.count(self._texts.markdown(part)) for part in rest), passage.left_out)
        name = places.section_name(section) if left_out else ""
        return replace(passage, left_out=left_out, next=None, section=name)

    def lead_in(self, unit: Unit) -> str:
        """Return the line that introduces the beginning of a unit, such as "The Supplier shall:". A
        unit has one if it begins with a list item, or with a clause whose heading is only its
        number. For other units, return "".
        """
        index = self.places.range_of(unit).start
        places = self.places
        item = places.all[index]
        before = range(0)
        if item.number and item.depth:
            before = range(max(index - _FARTHEST, 0), index)
        elif is_number_alone(places.blocks[item.block]) and index <= places.heads[item.block] + 1:
            parent = places.parents[item.block]
            before = places.of_blocks(parent, parent + 1)
        for number in reversed(before):
            place = places.all[number]
            if not place.number or place.block != item.block or place.depth < item.depth:
                return place.text if place.text.rstrip().endswith(_COLONS) else ""
        return ""

    # -- questions

    def find(
        self, phrase: str, match: Match = "words", *, limit: int = 20, start: int = 0
    ) -> tuple[int, list[Passage]]:
        """Return how often a phrase or regular expression occurs, and the lines of the places from
        number `start` on. Case does not matter. For a phrase, accents, the kind of white space,
        quotation marks and dashes, and characters that are not seen (soft hyphens) do not matter,
        either.

        With `match` "words", the phrase is whole words: "cure" is not in "procure". With "parts",
        it may be a part of words; with "regex", it is a regular expression. Raise UsageError for
        a pattern that is not valid, or that takes too long.
        """
        hits = occurrences(self.places, expect("phrase", phrase, str), match)
        end = start + whole("limit", limit)
        return sum(hit.times for hit in hits), self.places.matched(hits[start:end])

    def before_changes(self, phrase: str, match: Match) -> list[Passage]:
        """Return where a phrase or regular expression occurs in the text before the tracked
        changes; [] if they leave out no text.
        """
        original = self.original if self.revisions.unread() else None
        passages = original.find(phrase, match)[1] if original else []
        name = self.document.name
        places = (
            f"in the text before the tracked changes, {passage.place}" for passage in passages
        )
        return [
            replace(passage, place=place, citation=f"{name}, {place}")
            for passage, place in zip(passages, places, strict=True)
        ]

    def define(self, term: str, limit: int = 5) -> list[Passage]:
        """Return the lines that define a term, the clearest first: “Term” means …, (the “Term”),
        or a line or row that begins with the term in a list of definitions or a cover table, or the
        paragraph below the term as a heading of "Terms and definitions". A line that ends with a
        colon is followed by its items. Raise UsageError without a term.
        """
        hits = self._definitions.of(expect("term", term, str))
        return [
            self.places.passage(at.place, self._end_of_list(max(at.place, at.last)), at.span)
            for at in hits[: whole("limit", limit)]
        ]

    def _end_of_list(self, index: int) -> int:
        """Return the index of the last item or row that a line with a colon at its end introduces;
        that of the line if there is none.
        """
        places, end = self.places.all, index
        if not places[index].text.rstrip().endswith(_COLONS):
            return end
        while end + 1 < len(places) and places[end + 1].block == places[index].block:
            following = places[end + 1]
            if not (following.table or is_subordinate(following.label)):
                break
            end += 1
        return end

    def terms_like(self, term: str) -> list[str]:
        """Return the defined terms that share a word with a term that is not defined. A word may be
        misspelled.
        """
        return self._definitions.terms_like(term)

    def references(self, section: str, limit: int = 20) -> References:
        """Return what a section or clause refers to, and the lines that refer to it or to what is
        below it: links, cross-references, and typed references such as "Section 8.2".

        Raise UnknownNameError for an unknown name, UsageError for an ambiguous one.
        """
        return references(self.places, self.places.resolved(section), whole("limit", limit))

    def cite(self, quote: str, elsewhere: Iterable[Reader] = ()) -> Quotation:
        """Check a quotation: return whether it is found, abridged, stitched, altered or not found,
        and where it is. `elsewhere` are the documents to search if this one does not have it.

        A citation in brackets before or after the quotation, or the label of a clause ("clause 4.2:
        …"), is checked, too. Raise UsageError for a quotation that is too short.
        """
        return self.quotations.check(expect("quote", quote, str), elsewhere)

    @cached_property
    def quotations(self) -> QuotationChecker:
        """The checker of quotations of this document."""
        return QuotationChecker(self)

    def cited(self, item: Chunk | Unit | str) -> Passage:
        """Return the place of a chunk, a unit or a named place in the document: a passage without
        text. Raise UsageError for an item that is not of this document, or an unknown name.
        """
        region = self.places.range_of(item)
        return self.places.citation(region, None if isinstance(item, str) else item)

    # -- tracked changes and comments

    def changes(self) -> list[TrackedChange]:
        """Return the tracked changes with their places, those of the main text first."""
        return self.revisions.changes()

    def comments(self) -> list[PlacedComment]:
        """Return the comments with their places and replies, those of the main text first."""
        return self.revisions.comments()

    @cached_property
    def revisions(self) -> Revisions:
        """The tracked changes and comments of this document."""
        return Revisions(self.places)


def _width(text: str) -> int:
    """Return the maximum length of a label, in characters. It is shorter for Chinese characters,
    which are wide.
    """
    return _LONGEST_LABEL if text[:1] < FIRST_WIDE else _LONGEST_LABEL // 3
