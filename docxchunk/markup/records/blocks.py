"""Records of the blocks in `.blocks.jsonl`: LightRAG's sidecar format 1.0 with additional keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, Final

from docxchunk.markup.records import Fields, Record, plain
from docxchunk.markup.records.layout import (
    FLAG,
    TEXT,
    TEXTS,
    Constant,
    Flag,
    IfAny,
    IfKnown,
    Key,
    Layout,
    Number,
    Several,
    Text,
    TextOrNull,
    Whole,
    Word,
)
from docxchunk.model.blocks import (
    UNKNOWN_ROLES,
    Block,
    HeadingSource,
    Line,
    LineKind,
    LineRole,
    Position,
    SessionType,
)

PARENT_HEADINGS: Final = Key(
    "parent_headings",
    TEXTS,
    "The headings above, from the top level down: the exact `heading` values of these blocks.",
)
# how LightRAG's parsers mark the text before the first heading
_FOREIGN_PREFACE: Final = ("Preface/Uncategorized", 1)
_NOWHERE: Final = (-1, -1)  # no body elements: other parsers do not count them


class _Range(Several):
    """The first and last w14:paraId. Other programs may write fewer, or more."""

    def read(self, fields: Fields, name: str, value: object) -> Any:
        return (*super().read(fields, name, value), None, None)[:2]


def _position(**values: Any) -> Position:
    return Position(**{"elements": _NOWHERE, **values})


POSITION: Final = Layout(
    _position,
    Key("type", Constant("paraid", free=True), "Always the same."),
    Key(
        "range",
        _Range(TextOrNull(), empty=(None, None)),
        "The w14:paraId of the first and last paragraph; null if Word wrote none.",
        field=("first", "last"),
        required=False,
    ),
    Key(
        "index",
        Several(Whole(), 2, _NOWHERE),
        "The indices of the first and last child of w:body, from 0.",
        field="elements",
        omit=_NOWHERE.__eq__,
    ),
    IfKnown(
        "paragraph",
        Several(Whole(1), 2, empty=None),
        "The numbers of the first and last paragraph, from 1. All paragraphs of the body that "
        "show something are counted, including headings and list items; a table counts as one. "
        "Table cells, text boxes and notes have the number of the paragraph or table that they "
        "belong to.",
        field="paragraphs",
    ),
    about="The paragraphs of the Word file.",
    others=True,
)


class _BlockPosition(Several):
    """The position of a block, in a list. Other parsers also write pages and boxes of PDF files."""

    def writer(self) -> Any:
        return lambda position: [] if position is None else [POSITION.record(position)]

    def read(self, fields: Fields, name: str, value: object) -> Position | None:
        positions = (fields.within(item) for item in fields.checked(name, value, list))
        ours = (position for position in positions if position.text("type") == "paraid")
        return next(map(POSITION.value, ours), None)


def _estimate(value: Line | Block) -> bool | None:
    """Return whether a page is an estimate; None if there is no page."""
    has_page = value.page is not None or value.page_is_estimate
    return value.page_is_estimate if has_page else None


def _page_is_estimate(field: str) -> Key:
    """Return the key `page_is_estimate`. Its value is the field `field` of a line. Without a field,
    it is written for a block, from its first line.
    """
    about = "Whether the page is an estimate; present if `page` is."
    return IfKnown("page_is_estimate", FLAG, about, field=field, get=_estimate)


LINE: Final = Layout(
    partial(Line, roles=()),
    Key(
        "kind",
        Word(LineKind, LineKind.TEXT, implied=True),
        "The kind of the line; absent: text.",
        omit=LineKind.TEXT.__eq__,
    ),
    IfAny("paraid", TEXT, "The w14:paraId of the paragraph.", field="para_id"),
    IfAny("style", TEXT, "The name of the paragraph style."),
    IfAny("number", TEXT, "The automatic label, as Word prints it."),
    IfAny("depth", Whole(1), "The list level, from 0; absent: 0."),
    IfAny("bold", Flag(only=True), "Whether every visible letter is bold."),
    IfAny("page", Whole(0), "The page on which the line begins."),
    IfAny("turns", Several(Whole(1)), "The offsets in the line at which new pages begin."),
    IfAny("links", TEXTS, "The targets of the hyperlinks in the line."),
    _page_is_estimate("page_is_estimate"),
    IfKnown("index", Whole(0), "The index of the child of w:body, from 0.", field="element"),
    IfKnown("paragraph", Whole(1), "The number of the paragraph; see `positions`."),
    IfAny(
        "roles",
        Several(Word(LineRole, LineRole.UNKNOWN)),
        "The roles of the line: `caption`, `item` (of a typed list), `lead-in` (ends with a "
        'colon), `division` (begins like "Article 4"), `headline` (looks like a heading, but is '
        "not one in the document), `heading-like` (also has the wording of a heading). Absent if "
        "it has none.",
    ),
    about="A line of the content. Values of a plain line of text are left out.",
)


def _block(*, heading: str, level: int, session_type: SessionType, **others: Any) -> Block:
    if (heading, level) == _FOREIGN_PREFACE:
        return Block(heading="", level=0, session_type=SessionType.PREFACE, **others)
    return Block(heading=heading, level=level, session_type=session_type, **others)


BLOCK: Final = Layout(
    _block,
    Key("type", Constant("content"), "Always the same; required by LightRAG's format."),
    Key(
        "blockid",
        Text(least=1),
        "The id of the block. An edit elsewhere in the document does not change it.",
        field="id",
    ),
    Key("format", Constant("plain_text"), "Always the same."),
    Key("content", TEXT, "The text, with tables, equations and pictures as tags."),
    Key(
        "heading",
        TEXT,
        "The heading line without # marks, and without the full stop or colon after the title of "
        "a clause. Empty for text before the first heading.",
    ),
    PARENT_HEADINGS,
    Key("level", Whole(0, 9), "The heading level, 1 to 9; 0 for text before the first heading."),
    Key(
        "session_type",
        Word(SessionType, SessionType.BODY),
        "The part of the document that the block belongs to.",
    ),
    Key("table_slice", Constant("none", free=True), 'Always "none": blocks hold whole tables.'),
    Key(
        "positions",
        _BlockPosition(POSITION, empty=None),
        "The paragraphs of the Word file that the block was read from.",
        field="position",
    ),
    IfAny("number", TEXT, "The automatic number of the heading, as Word prints it."),
    IfAny("heading_source", Word(HeadingSource), "How the heading was recognised."),
    IfAny(
        "confidence", Number(0, 1), "The estimated probability that the inferred heading is right."
    ),
    IfAny("page", Whole(0), "The page on which the block begins.", get=attrgetter("page")),
    IfAny("lines", Several(LINE), "A record for each line of the content."),
    IfAny(
        "refers_to", TEXTS, "The ids of the other blocks that links and cross-references point to."
    ),
    _page_is_estimate(""),
    about="A content line of NAME.blocks.jsonl: a heading and the text below it, up to the next "
    "heading.",
)


def read_block(fields: Fields, *, has_roles: bool = True) -> Block:
    """Return the block of a content line, which docxchunk or another parser wrote. Raise
    SidecarError for a value of a wrong type.

    In files of earlier versions, lines have no roles, and only the block tells whether the pages of
    its lines are estimates.
    """
    block = BLOCK.value(fields)
    if not has_roles:
        block = replace(
            block, lines=tuple([line._replace(roles=UNKNOWN_ROLES) for line in block.lines])
        )
    if not fields.equals("page_is_estimate", value=True) or not block.lines:
        return block
    records = fields.checked("lines", fields.as_record().get("lines"), list)
    lines = tuple(
        line._replace(page_is_estimate=True)
        if "page" in record and "page_is_estimate" not in record
        else line
        for line, record in zip(block.lines, map(fields.within, records), strict=True)
    )
    return replace(block, lines=lines)


def block_to_dict(block: Block) -> Record:
    """Return the record of a block as plain JSON values."""
    return plain(BLOCK.record(block))


def block_from_dict(record: Mapping[str, object]) -> Block:
    """Return the block of a record. Raise SidecarError if a key is missing or a value has the wrong
    type.
    """
    return read_block(Fields(record, "The block").requiring(("blockid", "content")))
