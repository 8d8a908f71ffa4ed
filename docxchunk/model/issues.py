"""Issues: problems in a file that the reader can recover from."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class IssueCode(StrEnum):
    """All issue codes; docs/reference/issues.md explains each."""

    PART_MISSING = "part-missing"  # a relationship targets a part that does not exist
    PART_BROKEN = "part-broken"  # an optional part is not well-formed XML; treated as missing
    MAIN_PART_CUT = "main-part-cut"  # the main part is not well-formed XML; read up to the error
    # the zip directory, content types or relationships had to be rebuilt
    PACKAGE_REPAIRED = "package-repaired"
    # an external picture, template or document; never fetched
    EXTERNAL_NOT_FETCHED = "external-not-fetched"
    UNKNOWN_ELEMENT = "unknown-element"  # an unknown element; its text is kept
    # an embedded object; only its preview or name is kept
    UNSUPPORTED_OBJECT = "unsupported-object"
    EQUATION_BROKEN = "equation-broken"  # an equation kept as its plain text
    HEADING_TOO_LONG = "heading-too-long"  # over 200 characters: read as body text
    # a heading without text: does not open a block, but counts for numbering
    HEADING_EMPTY = "heading-empty"
    NUMBER_UNKNOWN = "number-unknown"  # a list or number format without a definition
    STYLE_CYCLE = "style-cycle"  # styles that are based on each other
    NOTE_MISSING = "note-missing"  # a reference to a footnote or endnote that does not exist
    FIELD_UNCLOSED = "field-unclosed"  # a field without an end mark
    # cell spans that overlap or exceed the grid; read as well as possible
    TABLE_IRREGULAR = "table-irregular"
    ASSET_DROPPED = "asset-dropped"  # a picture that exceeds a limit or is unreadable
    # no id and no name was given: the id is a hash of the content and changes with it
    ID_FROM_CONTENT = "id-from-content"
    CONVERTED = "converted"  # a .doc or .rtf file, converted before it was read
    # an unreadable line or value of a .blocks.jsonl; the others are used
    LINE_IGNORED = "line-ignored"
    VALUE_IGNORED = "value-ignored"  # an attribute with an invalid value


LOST_TEXT: Final = (IssueCode.MAIN_PART_CUT, IssueCode.PACKAGE_REPAIRED)
"""The codes of files whose main text may not be whole."""

DAMAGE: Final = (*LOST_TEXT, IssueCode.PART_BROKEN, IssueCode.PART_MISSING)
"""The codes of files that are damaged, the most serious first."""


class Issue(NamedTuple):
    """A problem in a file.

    - `code`: the kind of problem.
    - `place`: the name of the part, with the line if known; "" if it concerns the whole file.
    - `message`: one sentence for people.
    """

    code: IssueCode
    place: str
    message: str
