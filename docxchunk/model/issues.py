"""Issues: problems in a file that the reader can recover from."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class IssueCode(StrEnum):
    """All issue codes; docs/reference/issues.md explains each."""

    PART_MISSING = "part-missing"  # a relationship targets a part that does not exist
    PART_BROKEN = "part-broken"  # an optional part is not well-formed XML; treated as missing
    MAIN_PART_CUT = "main-part-cut"  # the main part is not well-formed XML; read up to the error
    PACKAGE_REPAIRED = "package-repaired"  # the zip directory, content types or relationships had to be rebuilt
    EXTERNAL_NOT_FETCHED = "external-not-fetched"  # an external picture, template or document; never fetched
    UNKNOWN_ELEMENT = "unknown-element"  # an unknown element; its text is kept
    UNSUPPORTED_OBJECT = "unsupported-object"  # an embedded object; only its preview or name is kept
    EQUATION_BROKEN = "equation-broken"  # an equation kept as its plain text
    HEADING_TOO_LONG = "heading-too-long"  # over 200 characters: read as body text
    HEADING_EMPTY = "heading-empty"  # a heading without text: does not open a block, but counts for numbering
    NUMBER_UNKNOWN = "number-unknown"  # a list or number format without a definition
    STYLE_CYCLE = "style-cycle"  # styles that are based on each other
    NOTE_MISSING = "note-missing"  # a reference to a footnote or endnote that does not exist
    FIELD_UNCLOSED = "field-unclosed"  # a field without an end mark
    TABLE_IRREGULAR = "table-irregular"  # cell spans that overlap or exceed the grid; read as well as possible
    ASSET_DROPPED = "asset-dropped"  # a picture that exceeds a limit or is unreadable
    ID_FROM_CONTENT = "id-from-content"  # no id and no name was given: the id is a hash of the content and changes with it
    CONVERTED = "converted"  # a .doc or .rtf file, converted before it was read
    LINE_IGNORED = "line-ignored"  # an unreadable line or value of a .blocks.jsonl; the others are used
    VALUE_IGNORED = "value-ignored"  # an attribute with an invalid value


DAMAGE: Final = (IssueCode.MAIN_PART_CUT, IssueCode.PACKAGE_REPAIRED, IssueCode.PART_BROKEN, IssueCode.PART_MISSING)
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
