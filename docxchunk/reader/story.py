"""Read a story (body, cell, text box, note, header) as a list of paragraphs and tables in reading
order (ECMA-376 Part 1, 17.2).

`BLOCK` is the dispatch table for block-level elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from lxml import etree

from docxchunk.model.objects import Spot
from docxchunk.ooxml.incremental import PartialElement
from docxchunk.ooxml.xml import MC, W, value
from docxchunk.reader.bound_controls import refresh_controls
from docxchunk.reader.inline import INLINE, read_unknown, report_unknown
from docxchunk.reader.paragraphs import (
    Paragraph,
    TurnSource,
    loose_paragraph,
    read_joined,
    read_paragraph,
)
from docxchunk.reader.prescan import Marks, find_marks
from docxchunk.reader.state import State, read_branch
from docxchunk.reader.tables import Item, boxes, equation_line, read_table

_P, _TBL, _SECTION = W + "p", W + "tbl", W + "sectPr"


class Story:
    """The items of a story in order, and what is to be joined with the next paragraph.

    `step` is added to `DocumentState.position` for each paragraph and table: 1 in the body, 0 in a
    story inside one of its paragraphs or tables.
    """

    __slots__ = ("items", "pending", "pending_from", "state", "step")

    def __init__(self, state: State, step: int = 0) -> None:
        self.state = state
        self.step = step
        self.items: list[Item] = []
        # paragraphs whose marks are not in the view: they are read with the paragraph that ends
        # them, since its mark decides what they are
        self.pending: list[etree._Element] = []
        self.pending_from = 0  # the index of the body element of the first one

    def read(self, container: etree._Element) -> None:
        for child in container:
            self.read_block(child)

    def read_boxes(self, cells: Sequence[etree._Element]) -> None:
        """Read cells in place, one below the other. Word ignores page breaks in cells. A line alone
        in the last of several is no heading, unless it is marked: nothing stands below it.
        """
        first = last = len(self.items)
        for cell in cells:
            last = len(self.items)
            self.read(cell)
            self.end()
        line = self.items[-1] if len(self.items) == last + 1 else None
        if len(cells) > 1 and isinstance(line, Paragraph):
            self.items[last] = line._replace(look=None)
        self.items[first:] = [
            item._replace(turns=tuple([t for t in item.turns if t.source is TurnSource.MARK]))
            if isinstance(item, Paragraph) and item.turns
            else item
            for item in self.items[first:]
        ]

    def read_body(self, elements: Iterable[etree._Element], first: int) -> None:
        """Read elements of the body; `first` is the index of the first one among all body
        elements.
        """
        for index, child in enumerate(elements, first):
            self.state.document.element = index
            if self.state.env.marks.bound:
                refresh_controls(child, self.state)
            if child.tag == _SECTION:
                self.state.end_section(child)
            else:
                self.read_block(child)
            self.find_revisions(child)

    def find_revisions(self, element: etree._Element) -> None:
        """Collect the tracked changes and comments of a body element that was read."""
        env, document = self.state.env, self.state.document
        if env.marks.revised:
            spot = Spot(paragraph=document.position)
            document.revisions.read(element, env.marks.removed, spot, source=env.source)

    def count(self, element: etree._Element) -> None:
        """Count a paragraph or table."""
        document = self.state.document
        document.position += self.step
        if self.step and self.state.env.marks.revised:
            document.revisions.place(element, document.position)

    def read_block(self, element: etree._Element) -> None:
        if element.tag != _P:
            BLOCK.get(element.tag, _read_loose)(element, self)
            return
        state = self.state
        self.count(element)
        if state.env.marks.joined and state.is_joined(element):
            self._put_off(element)
        elif self.pending:
            self._put_off(element)
            self._join()
        else:
            self.add(read_paragraph(element, state))

    def add(self, paragraph: Paragraph) -> None:
        self.items.append(paragraph)
        if self.state.paragraph.after or self.state.paragraph.boxes:
            self._add_anchored()

    def end(self) -> list[Item]:
        """Return the items. Paragraphs that nothing follows are one paragraph."""
        if self.pending:
            self._join()
        return self.items

    def end_deleted(self) -> None:
        """Join the paragraphs before a table. Nothing is left of deleted ones."""
        before = len(self.items)
        self.end()
        last = self.items[-1] if len(self.items) > before else None
        if isinstance(last, Paragraph) and last.is_blank and not last.turns:
            del self.items[-1]

    def _put_off(self, element: etree._Element) -> None:
        if not self.pending:
            self.pending_from = self.state.document.element
        self.pending.append(element)

    def _join(self) -> None:
        elements, self.pending = self.pending, []
        self.add(read_joined(elements, self.state)._replace(element=self.pending_from))

    def _add_anchored(self) -> None:
        """Add the text of objects that the last paragraph anchors: charts and diagrams, then text
        boxes and other stories.
        """
        state = self.state
        paragraph = state.paragraph
        texts, paragraph.after = paragraph.after, []
        boxes, paragraph.boxes = paragraph.boxes, []
        self.items += [loose_paragraph(text, state) for text in texts]
        document = state.document
        outer = document.counters, document.field_numbers
        for box in boxes:
            document.counters, document.field_numbers = document.box_numbers
            self.items += [
                item if state.env.options.headings_in_tables else as_body_text(item)
                for item in read_story(box, state)
            ]
            document.counters, document.field_numbers = outer


def read_story(root: etree._Element, state: State) -> list[Item]:
    """Return the items of a separate story, such as a text box. Fields that are open around it do
    not continue in it.
    """
    outer, state.story = state.story, state.story.inner()
    items = read_part(root, state)
    state.story = outer
    return items


def read_part(root: etree._Element, state: State) -> list[Item]:
    """Return the items of a part of the current story, such as a cell. A field may begin in one
    part and end in another.
    """
    story, tag = Story(state), root.tag
    if tag in (_P, _TBL) or (tag in INLINE and tag not in BLOCK):
        story.read_block(root)
    else:
        story.read(root)
    return story.end()


def as_body_text(item: Item) -> Item:
    """Return the item as body text: it opens no block, and no heading is inferred from it."""
    if not isinstance(item, Paragraph):
        return item
    return item._replace(outline=item.outline._replace(level=0), look=None)


def _read_table(element: etree._Element, story: Story) -> None:
    document = story.state.document
    story.end_deleted()
    if cells := boxes(element, story.state):
        story.read_boxes(cells)
        return
    story.count(element)
    table = read_table(element, story.state, read_part)
    if table is None:
        return
    if (line := equation_line(table)) is not None:
        document.tables -= 1
        story.items.append(line._replace(position=document.position))
    elif story.state.env.options.headings_in_tables and any(
        isinstance(item, Paragraph) and item.outline.level for item in table.paragraphs()
    ):
        # a table used for page layout: its cells are read one after the other
        for item in table.paragraphs():
            document.position += story.step
            placed = item._replace(position=document.position)
            # no heading is inferred from it
            story.items.append(
                placed._replace(look=None) if isinstance(placed, Paragraph) else placed
            )
    else:
        story.items.append(table)


def _read_wrapper(element: etree._Element, story: Story) -> None:
    """Read the content of a wrapper in place: w:customXml (17.5.1.6), w:sdtContent and others."""
    story.read(element)


def _read_content_control(element: etree._Element, story: Story) -> None:
    """Read w:sdt around blocks (17.5.2.29); with the gallery "Table of Contents" (17.5.2.12), it is
    a table of contents.
    """
    gallery = value(element, f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    is_toc = gallery == "Table of Contents"
    story.state.document.toc += is_toc
    story.read(element)
    story.state.document.toc -= is_toc


def _read_change(element: etree._Element, story: Story) -> None:
    if not story.state.drops(element):
        story.read(element)


def _read_alternative(element: etree._Element, story: Story) -> None:
    for branch in read_branch(element, story.state):
        story.read(branch)


def _read_loose(element: etree._Element, story: Story) -> None:
    """Read inline content outside a paragraph, or an unknown element: its text is kept."""
    if any(child.tag in BLOCK or child.tag == _P for child in element):
        report_unknown(element, story.state)
        story.read(element)
        return
    story.end()
    out: list[str] = []
    story.state.paragraph.has_marks = True
    INLINE.get(element.tag, read_unknown)(element, out, story.state)
    if "".join(out).strip() or story.state.paragraph.boxes or story.state.paragraph.after:
        story.state.document.position += story.step
        story.add(loose_paragraph("".join(out), story.state))


def _read_alt_chunk(element: etree._Element, story: Story) -> None:
    """Read content that is stored in a separate part, in place."""
    from docxchunk.reader.alt_chunk import read_alt_chunk  # most documents have none

    def read_body(body: etree._Element, state: State) -> list[Item]:
        inner = Story(state, story.step)
        inner.read(body)
        inner.find_revisions(body)
        return inner.end()

    story.end()
    story.items += read_alt_chunk(element, story.state, story.step, read_body)


def _skip(element: etree._Element, story: Story) -> None:
    story.state.skip(element)


def _read_bookmark(element: etree._Element, story: Story) -> None:
    """Read a bookmark between paragraphs: it begins at the next one."""
    story.state.begin_bookmark(element, story.state.document.position + story.step)


_BlockHandler = Callable[["etree._Element", Story], None]
BLOCK: dict[str, _BlockHandler] = {
    **{
        W + name: handler
        for names, handler in {
            "tbl": _read_table,
            "sdt": _read_content_control,
            "customXml sdtContent smartTag body "
            "document tr tc txbxContent background": _read_wrapper,
            "ins moveTo del moveFrom": _read_change,
            "altChunk subDoc": _read_alt_chunk,
            "sectPr pPr tblPr tblPrEx tblGrid trPr tcPr sdtPr sdtEndPr customXmlPr": _skip,
            "bookmarkStart": _read_bookmark,
            "bookmarkEnd commentRangeStart commentRangeEnd": _skip,
            "proofErr permStart permEnd": _skip,
            "moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd": _skip,
            "customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart "
            "customXmlDelRangeEnd": _skip,
            "customXmlMoveFromRangeStart customXmlMoveFromRangeEnd "
            "customXmlMoveToRangeStart customXmlMoveToRangeEnd": _skip,
        }.items()
        for name in names.split()
    },
    MC + "AlternateContent": _read_alternative,
}


def read_body(body: Iterable[PartialElement], state: State) -> list[Item]:
    """Return the items of the body.

    A batch of elements is read if no field is open at its end. Otherwise the batch is read when it
    is twice as large.
    """
    story, env = Story(state, 1), state.env
    first = due = 0
    for element, complete, ended in body:
        if complete < due and not ended:
            continue
        marks = find_marks(element, env.styles, env.options)
        if not ended and _leaves_open(marks, element[-1]):
            due = 2 * complete
            continue
        marks |= state.env.marks
        state.turn_to(replace(env, marks=marks))
        story.read_body(islice(element, complete), first)
        first, due = first + complete, 0
        if not ended:
            del marks  # they refer to elements, which could not be freed
            if not story.pending:
                state.turn_to(env)
            del element[:complete]
    return story.end()


def _leaves_open(marks: Marks, unfinished: etree._Element) -> bool:
    """Return whether a field that begins before the unfinished element is still open."""
    return any(unfinished not in mark.iterancestors() for mark in marks.unclosed)
