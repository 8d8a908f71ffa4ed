"""Read a Word package into a `Document`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import NamedTuple

from lxml import etree

from docxchunk.errors import LimitError
from docxchunk.model.blocks import LineKind
from docxchunk.model.document import Document, Issue, IssueCode, Items, Property, Report
from docxchunk.model.objects import Note, NoteKind
from docxchunk.model.options import (
    HeadersFooters,
    Limits,
    ParseOptions,
    Strikethrough,
)
from docxchunk.model.rules import Rules
from docxchunk.model.wording import counted, shortened, stem_of
from docxchunk.ooxml.formatting import is_monospaced
from docxchunk.ooxml.incremental import BrokenOffError, PartialElement
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import Package, open_package
from docxchunk.ooxml.styles import Styles
from docxchunk.ooxml.xml import W
from docxchunk.reader.blocks import (
    Content,
    build_blocks,
    placed_revisions,
    with_contents_titles,
)
from docxchunk.reader.content import Material, Positions
from docxchunk.reader.headings import infer_headings
from docxchunk.reader.headings.rules import ListedRule, ruled, rules_of
from docxchunk.reader.notes import (
    NoteStory,
    RunningStory,
    beside,
    insert_headers_footers,
    is_shown,
    note_formats,
    note_parts,
    read_headers_footers,
    read_notes,
    with_text,
)
from docxchunk.reader.objects import find_captions, keep_pictures, tag_objects
from docxchunk.reader.pages import Pages, find_pages
from docxchunk.reader.paragraphs import Paragraph, loose_paragraph
from docxchunk.reader.prescan import Marks, NoteKey, find_marks, trims_blanks
from docxchunk.reader.properties import (
    core_properties,
    document_properties,
    extended_properties,
    named_id,
    nameless_id,
    page_count,
    properties_text,
    title_of,
)
from docxchunk.reader.revisions import AHEAD, is_revised
from docxchunk.reader.state import DocumentState, Environment, NoteFormat, State
from docxchunk.reader.story import read_body
from docxchunk.reader.table_headers import find_headers
from docxchunk.reader.tables import Item
from docxchunk.reader.text import finish_cell

_LONG = 3000  # characters of a document that should have headings
_PAGE_MARK = b"lastRenderedPageBreak"
# footnotePr or endnotePr: a section stores at its end how the notes in it are numbered
_NOTE_PROPERTIES = b"notePr"


class _Stories(NamedTuple):
    """The result of reading all parts that have text."""

    body: list[Item]
    notes: dict[NoteKey, NoteStory]
    running: list[RunningStory]  # headers and footers
    ends: list[int]  # the body element that ends each section
    document: DocumentState
    pages: Pages
    # (source, target) of each link in the body, as values of `DocumentState.position`
    references: list[tuple[int, int]]
    settings: etree._Element | None
    core: etree._Element | None  # properties
    properties: Mapping[str, Property]
    about: list[Item]  # the properties as text, if they are to be in the text
    font: str  # of the default paragraph style


def read_document(
    source: bytes, name: str, options: ParseOptions, doc_id: str | None = None, label: str = ""
) -> Document:
    """Return the document in the bytes of a .docx, .docm, .dotx or .dotm file. Raise InputError or
    a subclass if they cannot be read.

    Without `doc_id`, the id is made of `label` and a mark in the document or, without a label, of
    the content: see `reader.properties`.
    """
    package, stories = _open_and_read(source, options)
    document = stories.document
    doc_id = doc_id or _document_id(package, stories, label)

    def report(code: IssueCode, message: str) -> None:
        document.issues.append(Issue(code, package.main, message))

    body, running, all_items = _inferred(stories, options, report)
    captions = find_captions(body, document.objects)
    files, names = keep_pictures(package, document.objects) if options.assets else ({}, {})
    folder = f"{stem_of(name)}.blocks.assets"
    paths = {part: f"{folder}/{file}" for part, file in names.items()}
    objects = tag_objects(all_items, document.objects, captions, paths, doc_id)
    show = objects.tags.__getitem__
    material = Material(
        doc_id=doc_id,
        options=options,
        objects=objects,
        captions=captions,
        headers=find_headers(all_items),
        notes={key: with_text(story, show) for key, story in stories.notes.items()},
        has_code=not is_monospaced(stories.font),
        positions=Positions(stories.pages),
        references=stories.references,
        report=report,
    )
    content = build_blocks(body, material)
    _refuse_too_much(content, options.limits)
    _report_no_headings(content, document)
    running_notes = tuple(with_text(story, show).note for story in running)
    changes, comments = placed_revisions(document.revisions, content, material)
    return Document(
        name=name,
        format=package.format,
        doc_id=doc_id,
        title=_title(stories.core, stories.body),
        blocks=content.blocks,
        tables=Items(content.tables),
        equations=Items(content.equations),
        drawings=Items(content.drawings),
        notes=(*content.notes, *(note for note in running_notes if note.text)),
        changes=changes,
        comments=comments,
        issues=(*package.issues, *document.issues),
        report=Report(
            document.emitted,
            dict(sorted(document.dropped.items())),
            _count(content, running_notes),
            content.guesses,
        ),
        options=options,
        source_sha256=hashlib.sha256(source).hexdigest(),
        assets=files,
        properties=stories.properties,
    )


def _document_id(package: Package, stories: _Stories, label: str) -> str:
    if label:
        return named_id(label, stories.core, lambda: stories.settings)
    doc_id, issue = nameless_id(package)
    stories.document.issues.append(issue)
    return doc_id


def _inferred(
    stories: _Stories, options: ParseOptions, report: Callable[[IssueCode, str], None]
) -> tuple[list[Item], list[NoteStory], list[Item]]:
    """Return the body with its inferred headings, the headers and footers that are not in the body,
    and the items of the body and of all notes.
    """
    decide = partial(_ruled, rules=options.rules, document=stories.document)
    body = with_contents_titles(infer_headings(stories.body, options.headings, report, decide))
    if options.everything:
        body = stories.about + insert_headers_footers(body, stories.ends, stories.running)
    in_body = options.headers_footers is HeadersFooters.BODY
    running = [] if in_body else [story for _, story in stories.running]
    notes = (*stories.notes.values(), *running)
    return body, running, [*body, *(item for story in notes for item in story.items)]


def _ruled(items: Sequence[Item], rules: Rules, document: DocumentState) -> list[Item]:
    """Return the items with the levels that rules give them. Report the rules without a line."""
    result, unused = ruled(items, rules)
    if unused:
        examples = ", ".join(f'"{shortened(name, 60)}"' for name in unused[:3])
        document.issues.append(
            Issue(
                IssueCode.RULE_UNUSED,
                "",
                f"{counted(len(unused), 'rule')} of {len(rules)} held for no line: {examples}.",
            )
        )
    return result


def heading_rules(source: bytes, options: ParseOptions) -> list[ListedRule]:
    """Return the rules that describe how the headings of a Word file are read. Raise InputError as
    `read_document` does.
    """
    listed: list[ListedRule] = []

    def collect(items: Sequence[Item]) -> list[Item]:
        listed.extend(rules_of(items))
        return list(items)

    _, stories = _open_and_read(source, options)
    infer_headings(stories.body, options.headings, lambda *_: None, collect)
    return listed


def _refuse_too_much(content: Content, limits: Limits) -> None:
    """Raise LimitError if the output is over `limits.output` characters: merged cells and repeated
    parts can multiply the text of a file.
    """
    characters = sum(len(block.content) for block in content.blocks) + sum(
        len(table.content) for table in content.tables.values()
    )
    if characters > limits.output:
        raise LimitError(
            f"The text is over {limits.output:,} characters; raise the limit "
            "`output` if you trust the file.",
            "output",
        )


def _open_and_read(source: bytes, options: ParseOptions) -> tuple[Package, _Stories]:
    """Open the package and read the body incrementally. If the XML is ill-formed, open the package
    again and read the repaired XML.
    """
    package = open_package(source, options.limits)
    part = package.incremental()
    if part is not None:
        with suppress(BrokenOffError):
            # runs that are left out are marked by their w:rPr
            if options.strikethrough is not Strikethrough.DROP:
                part = part.with_shared_properties(options.limits)
            ahead = Marks(
                shared=part.properties,
                rendered_breaks=part.holds(_PAGE_MARK),
                trims=part.preserves_some_spaces(),
                revised=part.has_any(AHEAD),
            )
            return package, _read_stories(
                package, part.partial_child(W + "body", _NOTE_PROPERTIES), ahead, options
            )
        package = open_package(source, options.limits)
    root = package.document()
    bodies = [PartialElement(body, len(body), ended=True) for body in root.iterchildren(W + "body")]
    ahead = Marks(trims=trims_blanks(root), revised=is_revised(root))
    return package, _read_stories(package, bodies, ahead, options)


def _read_stories(
    package: Package,
    body: Iterable[PartialElement],
    marks: Marks,
    options: ParseOptions,
) -> _Stories:
    """Read all parts that have text. The body is first: it has the references to notes, the
    sections that show headers and footers, and the bookmarks.
    """
    partial_bodies = iter(body)
    first = next(partial_bodies)
    settings, styles = package.xml_of("settings"), package.xml_of("styles")
    of_notes = note_formats(first.element, settings, options)
    env = _environment(package, of_notes, styles, marks, options)
    document = DocumentState(Counters(env.numbering))
    state = State(env, document)
    items = read_body(chain([first], partial_bodies), state)
    core, extended = core_properties(package), extended_properties(package)
    properties = document_properties(package, core, extended, everything=options.everything)
    about: list[Item] = []
    if options.everything and (text := properties_text(_title(core, items), properties)):
        about = [beside(loose_paragraph(text, state), next(filter(is_shown, items), None))]
    pages = find_pages(items, document, page_count(extended))
    ends = [section.element for section in document.sections]
    references = [
        (position, document.bookmarks[name])
        for position, name in document.references
        if name in document.bookmarks
    ]
    notes = dict(read_notes(note_parts(package), state, document.note_labels))
    _report_missing_notes({*notes, *document.inner_notes}, state)
    running = read_headers_footers(package, env, settings, state)
    if options.headers_footers is HeadersFooters.BODY and not options.everything:
        items = insert_headers_footers(items, ends, running)
    _report_formats_and_styles(env, state)
    return _Stories(
        body=items,
        notes=notes | document.inner_notes,
        running=running,
        ends=ends,
        document=document,
        pages=pages,
        references=references,
        settings=settings,
        core=core,
        properties=properties,
        about=about,
        font=env.styles.paragraph(None).look.font,
    )


def _report_no_headings(content: Content, document: DocumentState) -> None:
    """Report a long document without headings."""
    length = sum(len(block.content) for block in content.blocks)
    if length > _LONG and not any(block.level for block in content.blocks):
        document.issues.append(
            Issue(
                IssueCode.NO_HEADINGS,
                "",
                f"The document has {length:,} characters and no headings: `docxchunk outline "
                "FILE --rules` lists the lines that could be headings.",
            )
        )


def _report_missing_notes(notes: Container[NoteKey], state: State) -> None:
    for key in state.document.note_labels:
        if key not in notes:
            state.report(
                IssueCode.NOTE_MISSING,
                f"A {key.kind.value} is missing: the text refers to it, but the file does not "
                "have it.",
                state.env.package.main,
            )


def _report_formats_and_styles(env: Environment, state: State) -> None:
    for unknown in sorted(env.numbering.unknown_formats()):
        state.report(
            IssueCode.NUMBER_UNKNOWN,
            f"The number format {unknown[:40]!r} is unknown; its numbers are written as decimals.",
            env.package.main,
        )
    for language in sorted(env.numbering.languages_in_digits):
        state.report(
            IssueCode.NUMBER_UNKNOWN,
            f"Word writes numbers in words in the language {language[:40]!r}; here they are "
            "digits. Only English words are known.",
            env.package.main,
        )
    for cycle in dict.fromkeys(env.styles.cycles):
        state.report(
            IssueCode.STYLE_CYCLE,
            f"The style {cycle[:60]!r} is based on itself.",
            env.package.part("styles"),
        )


def _environment(
    package: Package,
    of_notes: Mapping[NoteKind, Sequence[NoteFormat]],
    styles: etree._Element | None,
    marks: Marks,
    options: ParseOptions,
) -> Environment:
    resolved_styles = Styles(styles)
    shared = next((element.getparent() for element in marks.shared.values()), None)
    return Environment(
        package=package,
        part=package.main,
        styles=resolved_styles,
        numbering=Numbering(
            package.xml_of("numbering"), resolved_styles.numbering_of_style, resolved_styles.hides
        ),
        options=options,
        marks=marks if shared is None else marks | find_marks(shared, resolved_styles, options),
        note_formats=of_notes,
    )


def _title(core: etree._Element | None, body: Iterable[Item]) -> str:
    """Return the title of the core properties (Part 2, 8.3), else the first paragraph of style
    Title, else "".
    """
    titles = (
        finish_cell(item.raw, lambda _: "")
        for item in body
        if isinstance(item, Paragraph) and item.style.is_title
    )
    return title_of(core) or next(filter(None, titles), "")


def _count(content: Content, apart: tuple[Note, ...]) -> Mapping[str, int]:
    kinds = Counter(line.kind for block in content.blocks for line in block.lines)
    return {
        "blocks": len(content.blocks),
        "headings": kinds[LineKind.HEADING],
        "list_items": kinds[LineKind.LIST],
        "tables": len(content.tables),
        "equations": len(content.equations),
        "drawings": len(content.drawings),
        "notes": len(content.notes),
        "headers_footers": len(apart),
    }
