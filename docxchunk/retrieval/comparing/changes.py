"""What changed between two versions of a document: which paragraphs, items, rows, headings and
notes were added, removed, changed or moved, and which words changed in them. (The tracked changes
of one document are in `revisions`.)

Chunks are compared without their document: their text is divided into the sections that it came
from. Where chunks repeat text, it is read once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import Final

from docxchunk.content.lines import HEADING_MARKS
from docxchunk.content.table_texts import with_rows_as_lines
from docxchunk.content.tags import plain
from docxchunk.language.sentences import BREAK
from docxchunk.model.blocks import Block, SessionType
from docxchunk.model.chunks import PART, Added, AddedRole, Chunk, SliceRole
from docxchunk.model.comparison import (
    ChangeKind,
    Comparison,
    PlaceChange,
    Renumbered,
    Span,
    TextChange,
    spans,
)
from docxchunk.model.document import Document, Dropped
from docxchunk.model.objects import Drawing, NoteKind
from docxchunk.model.options import HeadersFooters, ParseOptions
from docxchunk.retrieval.comparing.pairing import Group, Text, groups
from docxchunk.retrieval.comparing.revisions import Revisions
from docxchunk.retrieval.finding.numbers import is_title_of
from docxchunk.retrieval.finding.passages import CitedPlaces

COMPARED: Final = ParseOptions(comments=True, headers_footers=HeadersFooters.NOTES)
"""The options with which a Word file is read for a comparison."""
OF_CHUNKS: Final = "chunks"
"""The format of a document that was made from chunks, as far as they tell."""

_NOTE_MARK: Final = re.compile(r"\[\^([^\]\s]{1,12})\](?::\s)?")
_NOTE: Final = re.compile(r"\[\^([^\]\s]{1,12})\]:\s")
_DRAWING: Final = re.compile(r'<drawing id=\\?"([^"\\]+)')
_NUMBER: Final = "number"  # the kind of a heading that is only a number: all are the same text
_ROW: Final = "row"
_NEVER_MATCHES: Final = re.compile(r"(?!)")
_NEVER: Final = ("formatting", "pictures")
_LINKS: Final = "addresses of links"
_HEADERS: Final = "page headers and footers"
_COMMENTS: Final = "comments"
RESOLVED: Final = "whether comments are resolved"
_DROPPED: Final = {
    Dropped.DELETED: "deleted text of tracked changes",
    Dropped.INSERTED: "inserted text of tracked changes",
    Dropped.HIDDEN: "hidden text",
    Dropped.STRUCK: "struck-through text",
    Dropped.NOTE_UNUSED: "notes without a mark in the text",
}
_STORIES: Final = {NoteKind.HEADER: "page header", NoteKind.FOOTER: "page footer"}
_EFFECTS: Final = {
    ChangeKind.ADDED: TextChange.INSERTED,
    ChangeKind.REMOVED: TextChange.DELETED,
    ChangeKind.MOVED: TextChange.NONE,
}


@dataclass(frozen=True)
class _Place(Text):
    """A place of one version, without its number and without marks of notes.

    - `index`: the index of the place in the document. For text that is no place, such as a comment,
      it is the index of the place that refers to it; -1 if none does.
    - `about`: what it is, "comment by A. Smith", if it is not text of the body.
    - `label`: its full number; "" if it has none.
    - `typed`: its own number, if the author typed it; "" if it is automatic.
    """

    index: int = -1
    about: str = ""
    label: str = ""
    typed: str = ""

    @cached_property
    def key(self) -> str:
        return "" if self.kind == _NUMBER else super().key


class _Version:
    """A document, and its places. With `by_sentence`, each sentence is a place."""

    def __init__(self, document: Document, *, by_sentence: bool = False) -> None:
        self.document = document
        self._end = BREAK if by_sentence else _NEVER_MATCHES
        self.named = CitedPlaces(document)
        self._notes = {note.number: note for note in document.notes}
        self.places = [
            place
            for place in chain(self._of_text(), self._of_pictures(), self._texts_apart())
            if place.key or place.kind == _NUMBER
        ]

    def _of_text(self) -> Iterator[_Place]:
        number: _Place | None = None  # the heading before, if it is only a number
        for index, place in enumerate(self.named.all):
            block = self.named.blocks[place.block]
            if mark := _NOTE.match(place.text):
                about, kind = self._note(mark[1])
                text = _NOTE_MARK.sub("", place.text)
                yield _Place(text, kind, index=self.named.anchors.get(index, index), about=about)
                continue
            text = _NOTE_MARK.sub("", place.text.removeprefix(place.label)).strip()
            row = _ROW if place.table else ""
            is_automatic = block.number if place.depth == 0 else self.named.line(place).number
            typed = "" if is_automatic else place.label
            is_toc = block.session_type is SessionType.TOC
            level = 0 if place.depth else block.level
            kind = "contents" if is_toc else ""
            label = place.number
            if number:
                if place.label or not self._is_of(number, place.block):
                    yield number
                else:
                    label, typed = number.label, number.typed
                number = None
            if not text and place.label:
                number = _Place(place.text, _NUMBER, level, "", index, row, label, typed)
                continue
            first, *later = self._end.split(text)
            yield _Place(first, kind, level, place.head, index, row, label, typed)
            yield from (_Place(sentence, kind, level, "", index, row) for sentence in later)
        if number:
            yield number

    def _is_of(self, number: _Place, block: int) -> bool:
        """Return whether a heading that is only a number belongs to a block: it is the heading of
        the block, or the block is its title.
        """
        head, blocks = self.named.all[number.index].block, self.named.blocks
        return head == block or is_title_of(blocks[head], blocks[block])

    def _note(self, number: str) -> tuple[str, str]:
        """Return what a note is, and its kind."""
        note = self._notes.get(number)
        if note and note.kind is NoteKind.COMMENT:
            return _comment_by(note.author), _COMMENTS
        return f"note {number}", "note"

    def _of_pictures(self) -> Iterator[_Place]:
        """Yield what pictures, charts and diagrams say in words."""
        for number, block in enumerate(self.named.blocks):
            for tag in _DRAWING.finditer(block.content):
                drawing = self.document.drawings.get(tag[1])
                if drawing and (text := _text_of(drawing)):
                    at = self.named.at(number, tag.start()) if self.named.all else -1
                    yield _Place(text, "drawing", index=at, about=str(drawing.kind))

    def _texts_apart(self) -> Iterator[_Place]:
        """Yield the title, headers and footers, and the notes that are not in the text."""
        texts = {place.text.strip() for place in self.named.all}
        if self.document.title.strip() not in texts:
            yield _Place(self.document.title, "title", about="title")
        inline = {mark[1] for place in self.named.all if (mark := _NOTE.match(place.text))}
        numbers = Counter[NoteKind]()
        for note in self.document.notes:
            if note.kind in _STORIES:
                numbers[note.kind] += 1
                about = _STORIES[note.kind]
                if numbers[note.kind] > 1:
                    about += f" {numbers[note.kind]}"
                for line in with_rows_as_lines(note.text).split("\n"):
                    text = _NOTE_MARK.sub("", plain(line))
                    yield _Place(text, _STORIES[note.kind], about=about)
            elif note.number not in inline:
                head = self.named.heads.get(self.named.numbers_by_id.get(note.block_id, -1), -1)
                about, kind = self._note(note.number)
                text = _NOTE_MARK.sub("", plain(with_rows_as_lines(note.text)))
                yield _Place(text, kind, index=head, about=about)
        yield from self._comments_apart()

    def _comments_apart(self) -> Iterator[_Place]:
        """Yield the comments that the text has no mark for: those on notes, headers and footers,
        replies and comments on nothing.
        """
        options = self.document.options
        if options is None or not options.comments:
            return
        revisions = Revisions(self.named)
        marked = {note.id for note in self.document.notes if note.kind is NoteKind.COMMENT}
        for comment in self.document.comments:
            if comment.id not in marked:
                index = revisions.index_of(comment)
                about = _comment_by(comment.author)
                if index is None and comment.spot.within:
                    about += f" on {comment.spot.within}"
                number = -1 if index is None else index
                yield _Place(comment.text, _COMMENTS, index=number, about=about)

    def located(self, numbers: Sequence[int]) -> tuple[str, str]:
        """Return where some of the places are, "3. Fees > 3.1, p. 2, ¶ 14", and the number of their
        clause; "" for none.
        """
        places = [self.places[number] for number in numbers]
        if not places:
            return "", ""
        first, indexes = places[0], [place.index for place in places if place.index >= 0]
        if not indexes:
            return first.about, ""
        is_row = first.about == _ROW
        passage = self.named.passage(min(indexes), min(indexes) if is_row else max(indexes))
        where = passage.place
        if first.about and not is_row:
            where = f"{first.about} on {where}" if where else first.about
        return where, passage.number

    def is_clause(self, numbers: Sequence[int], more: Sequence[int]) -> bool:
        """Return whether some places begin a clause, and the next ones are text of it."""
        if not numbers or numbers[-1] + 1 != more[0]:
            return False
        head, place = self.places[numbers[0]], self.places[more[0]]
        return (
            bool(head.level or head.label)
            and not (place.level or place.label or place.about)
            and self.named.all[head.index].block == self.named.all[place.index].block
        )

    def section(self, number: int) -> str:
        """Return the headings above one of the places."""
        place = self.places[number]
        if place.index < 0:
            return place.about
        block = self.named.all[place.index].block
        head = self.named.all[self.named.heads[block]]
        return " > ".join(self.named.path(head)) if head.depth == 0 else ""

    def texts(self, numbers: Sequence[int]) -> str:
        return "\n".join(self.places[number].text for number in numbers)

    def addresses(self, numbers: Sequence[int]) -> list[str]:
        """Return the addresses of the links in some of the places. Links that Word makes for tables
        of contents and cross-references are left out.
        """
        places = [self.places[number] for number in numbers]
        at = (self.named.all[place.index] for place in places if not place.about)
        starts = dict.fromkeys((place.block, place.start) for place in at)
        lines = (self.named.lines[block].at(start) for block, start in starts)
        return [link for line in lines for link in line.links if not link.startswith("#_")]

    @property
    def not_compared(self) -> Iterator[str]:
        """The sorts of text that the document has, or may have, but not in its places."""
        options = self.document.options
        if options is None and self.document.format == OF_CHUNKS:
            options = ParseOptions()  # probably
        if options and not options.comments:
            yield _COMMENTS
        elif self.document.comments:
            yield RESOLVED
        if options and options.headers_footers is HeadersFooters.NONE:
            yield _HEADERS
        if self.document.format == OF_CHUNKS:
            yield _LINKS
        elif self.document.tables:
            yield f"{_LINKS} in tables"
        has_headers = options is not None and options.headers_footers is not HeadersFooters.NONE
        for reason in self.document.report.dropped:
            if reason == Dropped.HEADER_FOOTER:
                yield f"{_HEADERS} that no page shows" if has_headers else _HEADERS
            elif reason in _DROPPED:
                yield _DROPPED[reason]


def _comment_by(author: str) -> str:
    return f"comment by {author}" if author else "comment"


def _text_of(drawing: Drawing) -> str:
    cells = (cell for row in drawing.data for cell in row)
    return " ".join(filter(None, (drawing.alt, *cells)))


def compared(old: Document, new: Document) -> Comparison:
    """Return what changed between two versions of a document.

    If one was made from chunks, which may end inside a paragraph, sentences are compared.
    """
    by_sentence = OF_CHUNKS in (old.format, new.format)
    before, after = (_Version(document, by_sentence=by_sentence) for document in (old, new))
    result = groups(before.places, after.places)
    changed = (group for group in result if not _is_unmoved(group))
    changes = [_change(group, before, after) for group in _by_clause(changed, before, after)]
    changes += () if by_sentence else _changed_links(result, before, after)
    renumbered = (
        Renumbered(before.located(group.olds)[0], after.located(group.news)[0], *numbers)
        for group in result
        if _is_unmoved(group)
        and len(set(numbers := (_label(before, group.olds), _label(after, group.news)))) > 1
    )
    missing = {*before.not_compared, *after.not_compared}
    names = (*sorted(missing), *_NEVER)
    return Comparison(old.name, new.name, tuple(changes), tuple(renumbered), names)


def _changed_links(
    groups_found: Iterable[Group], before: _Version, after: _Version
) -> Iterator[PlaceChange]:
    """Yield the places of both versions whose links lead to other addresses, be their words the
    same or not.
    """
    seen: set[tuple[str, str]] = set()  # lines of one paragraph have the same links
    for group in groups_found:
        old, new = before.addresses(group.olds), after.addresses(group.news)
        if old == new or not (group.olds and group.news):
            continue
        was, old_number = before.located(group.olds)
        place, number = after.located(group.news)
        if (was, place) not in seen:
            seen.add((was, place))
            yield PlaceChange(
                ChangeKind.CHANGED,
                f"link in {was}",
                f"link in {place}",
                after.section(group.news[0]),
                spans(" ".join(old), " ".join(new)),
                old_number=old_number,
                new_number=number,
            )


def text_of(document: Document) -> str:
    """Return a hash of the text of a document; "" if it has no text."""
    keys = "\x1f".join(place.key for place in _Version(document).places)
    return sha256(keys.encode("utf-8", "surrogatepass")).hexdigest() if keys else ""


def _is_unmoved(group: Group) -> bool:
    return group.is_same and not group.has_moved


def _by_clause(groups: Iterable[Group], before: _Version, after: _Version) -> list[Group]:
    """Return groups, with a clause and its text as one if both were added, or both removed."""
    result: list[Group] = []
    for group in groups:
        last = result[-1] if result else Group((), ())
        added = not (last.olds or group.olds) and after.is_clause(last.news, group.news)
        removed = not (last.news or group.news) and before.is_clause(last.olds, group.olds)
        if added or removed:
            result[-1] = Group(last.olds + group.olds, last.news + group.news)
        else:
            result.append(group)
    return result


def _label(version: _Version, numbers: Sequence[int]) -> str:
    return version.places[numbers[0]].label


def _change(group: Group, before: _Version, after: _Version) -> PlaceChange:
    olds, news = group.olds, group.news
    old, new = before.texts(olds), after.texts(news)
    kind = ChangeKind.ADDED if not olds else ChangeKind.REMOVED if not news else ChangeKind.CHANGED
    if group.is_same:
        kind = ChangeKind.MOVED
    was, old_number = before.located(olds)
    place, number = after.located(news)
    return PlaceChange(
        kind,
        was,
        place,
        after.section(news[0]) if news else before.section(olds[0]),
        (*_numbers(before.places[olds[0]], after.places[news[0]]), *spans(old, new))
        if kind is ChangeKind.CHANGED
        else (Span(_EFFECTS[kind], new or old),),
        group.has_moved,
        old_number,
        number,
    )


def _numbers(old: _Place, new: _Place) -> Iterator[Span]:
    """Yield the typed numbers of a changed place if they differ: they are words of the author."""
    if old.typed != new.typed:
        if old.typed:
            yield Span(TextChange.DELETED, f"{old.typed} ")
        if new.typed:
            yield Span(TextChange.INSERTED, f"{new.typed} ")


# -- of chunks

_AGAIN: Final = (SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.CONTEXT)


def document_of_chunks(
    chunks: Iterable[Chunk], name: str = "", options: ParseOptions | None = None
) -> Document:
    """Return the text of chunks as a document: a block for each heading, without pages. `options`
    are those of the parser; None if they are unknown.
    """
    blocks: list[Block] = []
    doc_id = ""
    for chunk in chunks:
        doc_id = chunk.doc_id
        for block in () if chunk.children else _sections(chunk):  # these have the same text
            if blocks and not HEADING_MARKS.match(block.content):
                last = blocks[-1]
                if block.heading == last.heading:
                    content = f"{last.content}\n{block.content}"
                    blocks[-1] = replace(last, content=content)
                    continue
            blocks.append(replace(block, id=f"block-{len(blocks) + 1}"))
    return Document(name, OF_CHUNKS, doc_id, "", tuple(blocks), options=options)


def _sections(chunk: Chunk) -> Iterator[Block]:
    """Yield a block for each heading in a chunk, and for the text before the first one."""
    heading, level, lines = PART.sub("", chunk.heading), chunk.level, list[str]()
    for line in filter(str.strip, _own_text(chunk).split("\n")):
        marks = HEADING_MARKS.match(line)
        title = plain(line[marks.end() :]) if marks else ""
        named = [
            chunk_heading
            for chunk_heading in chunk.headings
            if marks and title.startswith(chunk_heading.heading)
        ]
        if named:
            if lines:
                yield Block("", "\n".join(lines), heading, (), level)
            best = max(named, key=lambda chunk_heading: len(chunk_heading.heading))
            heading, level, lines = best.heading, best.level, []
        lines.append(line)
    if lines:
        yield Block("", "\n".join(lines), heading, (), level)


def _own_text(chunk: Chunk) -> str:
    """Return the text of a chunk without the text that it repeats from another chunk. Each row of a
    table is a line. If the lengths of its parts do not add up, as with decoded table cells, return
    all of the text.
    """
    text, at = "", 0
    for part in chunk.parts:
        end = at + (len(part.text) if isinstance(part, Added) else part.end - part.start)
        text += "" if part.role in _AGAIN else chunk.content[at:end]
        at = end
    return with_rows_as_lines(text if at == len(chunk.content) else chunk.content)
