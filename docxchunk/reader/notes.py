"""Read footnotes, endnotes, comments, headers and footers (ECMA-376 Part 1, 17.11, 17.13.4,
17.10).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from lxml import etree

from docxchunk.content.tags import escape_text
from docxchunk.model.document import Dropped
from docxchunk.model.objects import Note, NoteKind, Spot
from docxchunk.model.options import HeadersFooters, ParseOptions
from docxchunk.ooxml.number_formats import decimal, formatter
from docxchunk.ooxml.numbering import Counters, list_number
from docxchunk.ooxml.package import Package
from docxchunk.ooxml.xml import ON, W14, W15, R, W, is_on, value
from docxchunk.reader.bound_controls import refresh_controls
from docxchunk.reader.paragraphs import Paragraph, loose_paragraph
from docxchunk.reader.prescan import Marks, NoteKey, find_marks, has_mark, trims_blanks
from docxchunk.reader.revisions import is_revised
from docxchunk.reader.state import Environment, NoteFormat, Restart, SectionEnd, State
from docxchunk.reader.story import as_body_text, read_story
from docxchunk.reader.table_text import nested_text, note_text
from docxchunk.reader.tables import GridTable, Item
from docxchunk.reader.text import NUMBER, Show, objects_in, shortened

_PARA_ID = W14 + "paraId"
_SHOWN_ANCHOR = 80  # characters of the text that a comment is about, in the content of a block
# the default number format of each kind, and the text before a number
_KINDS = {
    NoteKind.FOOTNOTE: ("decimal", ""),
    NoteKind.ENDNOTE: ("lowerRoman", ""),
    NoteKind.COMMENT: ("decimal", "c"),
}
_SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")
_RESTARTS = {restart.value: restart for restart in Restart}


class NoteStory(NamedTuple):
    """A note as read, before its objects have tags. A comment is about the text `anchor`."""

    note: Note
    items: list[Item]
    anchor: str = ""


class ReadNote(NamedTuple):
    """A note with its text, and the indices of the embedded objects in it."""

    note: Note
    objects: tuple[int, ...]


def note_formats(
    body: etree._Element, settings: etree._Element | None, options: ParseOptions
) -> dict[NoteKind, list[NoteFormat]]:
    """Return the note numbering of each section, by kind. If the section does not set it, the
    settings do.
    """
    sections = [
        section
        for section in body.iter(W + "sectPr")
        if (around := section.getparent()) is None
        or (around.tag != W + "sectPrChange" and has_mark(around, options))
    ]
    return {
        kind: [_note_format(kind, (section, settings)) for section in sections or (None,)]
        for kind in _KINDS
    }


def _note_format(kind: NoteKind, elements: Sequence[etree._Element | None]) -> NoteFormat:
    """Return the number format from w:numFmt (17.11.17), w:numStart (17.11.20) and w:numRestart
    (17.11.19) of the first element that has each.
    """
    known = [element for element in elements if element is not None]
    form, start, restart = (
        next(filter(None, (value(element, f"{W}{kind}Pr/{W}{name}") for element in known)), "")
        for name in ("numFmt", "numStart", "numRestart")
    )
    default, prefix = _KINDS[kind]
    number = list_number(start)
    return NoteFormat(
        formatter(form or default, "") or decimal,
        1 if number is None else number,
        prefix,
        _RESTARTS.get(restart, Restart.NOWHERE),
    )


class NotePart(NamedTuple):
    """A part with notes of a kind."""

    kind: NoteKind
    name: str
    root: etree._Element


def note_parts(package: Package) -> Iterator[NotePart]:
    """Yield the parts of the package that have notes or comments."""
    for kind in _KINDS:
        part = package.part(f"{kind}s")
        root = package.xml(part) if part else None
        if part is not None and root is not None:
            yield NotePart(kind, part, root)


def read_notes(
    parts: Iterable[NotePart], state: State, referenced: Iterable[NoteKey]
) -> Iterator[tuple[NoteKey, NoteStory]]:
    """Yield the notes in `referenced`, those of each kind in this order; count the text of the
    others as dropped. The notes of a kind are a story: lists in them count apart from the body.
    """
    order = {key: place for place, key in enumerate(referenced)}
    for kind, part, root in parts:
        _enter_part(state, part, root)
        state.document.count_from(Counters(state.env.numbering))
        threads = _threads(root, state) if kind is NoteKind.COMMENT else {}
        notes: list[tuple[NoteKey, etree._Element]] = []
        for element in _outermost(root, W + kind):
            key = state.note_key(kind, element)
            if kind is NoteKind.COMMENT:
                thread = threads.get(key.id, _NO_THREAD)
                state.document.revisions.add_comment(element, thread, key.id)
            if state.env.marks.revised:
                label = state.document.note_labels.get(key, "")
                spot = Spot(within=f"{kind} {label}".rstrip())
                _find_revisions(element, spot, state, key)
            if key in order:
                notes.append((key, element))
            elif kind is NoteKind.COMMENT:
                state.drop(Dropped.COMMENT, element)
            elif element.get(W + "type") not in _SEPARATORS:
                state.drop(Dropped.NOTE_UNUSED, element)
        for key, element in sorted(notes, key=lambda note: order[note[0]]):
            yield key, _story(element, key, state, threads.get(key.id, _NO_THREAD))


def _outermost(root: etree._Element, name: str) -> Iterator[etree._Element]:
    """Yield the notes of a part. A note inside a note is read as part of it."""
    return (
        element for element in root.iter(name) if next(element.iterancestors(name), None) is None
    )


def marks_of(root: etree._Element, env: Environment) -> Marks:
    """Return the marks of a part, or of a body in a part."""
    marks = find_marks(root, env.styles, env.options)
    return replace(marks, trims=trims_blanks(root), revised=is_revised(root))


def _enter_part(state: State, part: str, root: etree._Element) -> None:
    state.turn_to(replace(state.env, part=part, marks=marks_of(root, state.env)))
    if state.env.marks.bound:
        refresh_controls(root, state)
    state.story = state.story.inner()


def _find_revisions(
    element: etree._Element, spot: Spot, state: State, key: NoteKey | None = None
) -> None:
    env = state.env
    state.document.revisions.read(element, env.marks.removed, spot, key, env.source)


def _story(element: etree._Element, key: NoteKey, state: State, thread: _Thread) -> NoteStory:
    label = state.document.note_labels.get(key, "")
    author, date = element.get(W + "author", ""), element.get(W + "date", "")
    note = Note(key.kind, key.id, label, "", author=author, date=date)
    note = replace(note, parent=thread.parent, done=thread.done)
    anchor = state.document.revisions.anchors.get(key.id) if key.kind is NoteKind.COMMENT else None
    return NoteStory(note, read_story(element, state), "" if anchor is None else anchor.text)


class _Thread(NamedTuple):
    """The thread state of a comment: the id of the comment it replies to ("" if none), and whether
    it is resolved.
    """

    parent: str = ""
    done: bool = False


_NO_THREAD = _Thread()


def _threads(comments: etree._Element, state: State) -> dict[str, _Thread]:
    """Return the thread state by comment id. w15:commentEx ([MS-DOCX] 2.5.40) refers to a comment
    by the paraId of its last paragraph.
    """
    root = state.env.package.xml_of("commentsExtended")
    if root is None:
        return {}
    ids = {
        paragraph.get(_PARA_ID): state.note_key(NoteKind.COMMENT, element).id
        for element in comments.iter(W + "comment")
        for paragraph in element.iter(W + "p")
    }
    ids.pop(None, None)
    return {
        ids.get(entry.get(W15 + "paraId"), ""): _Thread(
            ids.get(entry.get(W15 + "paraIdParent"), ""), entry.get(W15 + "done") in ON
        )
        for entry in root.iter(W15 + "commentEx")
    }


class RunningStory(NamedTuple):
    """A header or footer, and the number of the first section that shows it."""

    section: int
    story: NoteStory


def read_headers_footers(
    package: Package, main: Environment, settings: etree._Element | None, state: State
) -> list[RunningStory]:
    """Return the headers and footers (17.10), each part once. Count the text of those that no page
    shows as dropped, and with `headers_footers=none`, that of all.
    """
    running: list[RunningStory] = []
    options = state.env.options
    parts = [
        (kind, part)
        for kind in (NoteKind.HEADER, NoteKind.FOOTER)
        for part in dict.fromkeys(package.parts(kind.value))
    ]
    # the body of a file that is cut off has no sections
    all_parts: dict[str | None, str] = {part: "default" for _, part in parts}
    sections = _running_parts(state.document.sections, main, settings) or [all_parts]
    for kind, part in parts:
        root = package.xml(part)
        if root is None:
            continue
        _enter_part(state, part, root)
        state.story.is_running = True
        if state.env.marks.revised:
            _find_revisions(root, Spot(within=str(kind)), state)
        # lists begin anew in each header and footer
        state.document.count_from(Counters(main.numbering))
        showing = (number for number, shown in enumerate(sections) if part in shown)
        section = next(showing, None)
        if options.headers_footers is HeadersFooters.NONE or section is None:
            state.drop(Dropped.HEADER_FOOTER, root)
            continue
        name = part.rpartition("/")[2].partition(".")[0]
        story = NoteStory(Note(kind, name, name, ""), read_story(root, state))
        if options.everything:
            pages = sections[section][part]
            story = story._replace(items=list(_on_one_line(story, pages, state)))
        running.append(RunningStory(section, story))
    return running


_OF_PAGES = {"first": " of the first page", "even": " of even pages"}  # by w:type (17.18.36)


def _on_one_line(story: NoteStory, pages: str, state: State) -> Iterator[Item]:
    """Yield a header or footer as one paragraph that begins with its name, such as "Header: ";
    nothing if it has no text.
    """
    raw = " ".join(
        filter(
            None,
            (
                nested_text(item, _raw_text) if isinstance(item, GridTable) else _raw_text(item)
                for item in story.items
            ),
        )
    )
    if raw.strip(" |;"):
        name = f"{story.note.kind.capitalize()}{_OF_PAGES.get(pages, '')}: "
        paragraphs = list(_paragraphs_in(story.items))
        yield loose_paragraph(name + raw, state)._replace(
            links=tuple(link for item in paragraphs for link in item.links),
            notes=tuple(note for item in paragraphs for note in item.notes),
        )


def _paragraphs_in(items: Iterable[Item]) -> Iterator[Paragraph]:
    for item in items:
        if isinstance(item, GridTable):
            yield from _paragraphs_in(item.paragraphs())
        else:
            yield item


def _raw_text(item: Paragraph) -> str:
    return " ".join((item.label + item.tagged()).replace(NUMBER, "").split())


def _running_parts(
    sections: Sequence[SectionEnd], main: Environment, settings: etree._Element | None
) -> list[dict[str | None, str]]:
    """Return, for each section, the parts of the headers and footers that it shows, each with its
    pages: "default", "first" (17.10.6) or "even" (17.10.1). A section also has those of the section
    before that it does not replace.
    """
    has_even_pages = settings is not None and is_on(settings.find(W + "evenAndOddHeaders"))
    parts: dict[tuple[str, str], str | None] = {}
    shown: list[dict[str | None, str]] = []
    for section in sections:
        for child in section.properties:
            if child.tag in (W + "headerReference", W + "footerReference"):
                pages = child.get(W + "type", "default")
                parts[child.tag, pages] = main.inside(child.get(R + "id"))
        first = ["first"] if is_on(section.properties.find(W + "titlePg")) else []
        even = ["even"] if has_even_pages else []
        shown.append(
            {
                part: pages
                for pages in (*first, *even, "default")
                for (_, pages_of_part), part in parts.items()
                if pages_of_part == pages
            }
        )
    return shown


def insert_headers_footers(
    body: list[Item], ends: list[int], running: Iterable[RunningStory]
) -> list[Item]:
    """Return the body with headers before, and footers after, the section that shows them first.

    `ends` has, for each section, the index of the body element that ends it. A header gets the
    position of the next body item that is shown, a footer that of the previous one.
    """
    stories: dict[int, list[NoteStory]] = {}
    for section, story in running:
        stories.setdefault(_element_before(section, story, ends), []).append(story)
    result: list[Item] = []
    last_shown: Item | None = None
    for item, next_shown in zip(body, _shown_from(body), strict=True):
        for end in sorted(end for end in stories if end < item.element):
            # the footers of a section, then the headers of the next one
            for story in sorted(stories.pop(end), key=_is_header):
                near = next_shown or last_shown if _is_header(story) else last_shown or next_shown
                result += _positioned(story, near, last_shown)
        result.append(item)
        last_shown = item if is_shown(item) else last_shown
    for story in chain.from_iterable(stories.values()):
        result += _positioned(story, last_shown, last_shown)
    return result


def _element_before(section: int, story: NoteStory, ends: Sequence[int]) -> int:
    """Return the index of the last body element before a header or footer, -1 at the start of the
    body. For a footer, this is the end of its section; for a header, the end of the section before.
    A body without sections, such as the body of a file that is cut off, is one section.
    """
    number = section - 1 if _is_header(story) else section
    if number < 0:
        return -1
    return ends[number] if ends else sys.maxsize


def _is_header(story: NoteStory) -> bool:
    return story.note.kind is NoteKind.HEADER


def _shown_from(items: Sequence[Item]) -> list[Item | None]:
    """Return, for each item, the first item from it on that is shown, or None."""
    following: list[Item | None] = []
    next_shown: Item | None = None
    for item in reversed(items):
        next_shown = item if is_shown(item) else next_shown
        following.append(next_shown)
    return following[::-1]


def is_shown(item: Item) -> bool:
    """Return whether an item becomes a line."""
    return not isinstance(item, Paragraph) or not item.is_blank


def _positioned(story: NoteStory, near: Item | None, before: Item | None) -> Iterator[Item]:
    """Yield the items of a header or footer with the position of the item `near`. They belong to a
    table of contents if the item `before` does.
    """
    is_toc = isinstance(before, Paragraph) and before.is_toc
    for item in map(as_body_text, story.items):
        placed = beside(item, near)
        yield placed._replace(is_toc=is_toc) if isinstance(placed, Paragraph) else placed


def beside(item: Item, near: Item | None) -> Item:
    """Return an item that is not in the body with the position of one that is."""
    return item if near is None else item._replace(element=near.element, position=near.position)


def with_text(story: NoteStory, show: Show) -> ReadNote:
    """Return the note with its text on one line. `show` returns the tag of an object, given its
    index.
    """
    write = note_text(show)
    texts = [
        write(item) if isinstance(item, Paragraph) else nested_text(item, write)
        for item in story.items
    ]
    objects = tuple(
        k for item in story.items if isinstance(item, Paragraph) for k in objects_in(item.raw)
    )
    note = replace(story.note, text=" ".join(filter(None, texts)), anchor=escape_text(story.anchor))
    return ReadNote(note, objects)


def about_comment(note: Note, notes: Mapping[NoteKey, ReadNote]) -> str:
    """Return the facts about a comment, in parentheses: author, date, the text that it is about,
    the comment that it replies to, whether it is resolved.
    """
    parent = notes.get(NoteKey(NoteKind.COMMENT, note.parent))
    facts = (
        *(" ".join(escape_text(fact).split()) for fact in (note.author, note.date)),
        f"on “{shortened(note.anchor, _SHOWN_ANCHOR)}”" if note.anchor else "",
        f"reply to {parent.note.number}" if parent else "",
        "resolved" if note.done else "",
    )
    return f"({', '.join(filter(None, facts))}) " if any(facts) else ""
