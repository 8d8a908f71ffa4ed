"""What a reader noticed and could go on from."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class IssueCode(StrEnum):
    """The closed list of codes; each is explained in docs/reference/issues.md and has a test."""

    PART_MISSING = "part-missing"  # a relationship leads nowhere
    PART_BROKEN = "part-broken"  # an optional part is not well-formed; read as if it were missing
    MAIN_PART_CUT = "main-part-cut"  # the main part is not well-formed; read up to the fault
    PACKAGE_REPAIRED = "package-repaired"  # the zip directory, content types or relationships had to be rebuilt
    EXTERNAL_NOT_FETCHED = "external-not-fetched"  # a picture, template or document elsewhere; never fetched
    UNKNOWN_ELEMENT = "unknown-element"  # an element we do not know; its text is kept
    UNSUPPORTED_OBJECT = "unsupported-object"  # an embedded object of which only a preview or a name can be kept
    EQUATION_BROKEN = "equation-broken"  # an equation kept as its plain text
    HEADING_TOO_LONG = "heading-too-long"  # over 200 characters: read as body text
    HEADING_EMPTY = "heading-empty"  # a heading without text: opens no block, but counts for numbering
    NUMBER_UNKNOWN = "number-unknown"  # a list or number format that is not defined
    STYLE_CYCLE = "style-cycle"  # styles based on each other in a circle
    NOTE_MISSING = "note-missing"  # a reference to a footnote or endnote that is not there
    FIELD_UNCLOSED = "field-unclosed"  # a field that never ends
    TABLE_IRREGULAR = "table-irregular"  # spans that overlap or leave the grid; read as well as can be
    ASSET_DROPPED = "asset-dropped"  # a picture over a limit or unreadable
    ID_FROM_CONTENT = "id-from-content"  # neither an id nor a name was given: the id is a hash of the content, and changes with it
    LINE_IGNORED = "line-ignored"  # a line or value of a .blocks.jsonl that cannot be read; the others are used
    VALUE_IGNORED = "value-ignored"  # an attribute whose value makes no sense


class Issue(NamedTuple):
    """`code` for machines, `place` (a part's name, with a line where known) and one sentence for people."""

    code: IssueCode
    place: str
    message: str
