"""How a document is to be read."""

from __future__ import annotations

import warnings
from dataclasses import InitVar, dataclass, field, fields
from enum import StrEnum

from docxchunk.errors import LimitError, UsageError
from docxchunk.model.fields import check_fields, expect


class TrackChanges(StrEnum):
    """Which view of tracked changes is read (ECMA-376 Part 1, 17.13.5)."""

    FINAL = "final"  # insertions kept, deletions gone
    ORIGINAL = "original"  # deletions kept, insertions gone
    ALL = "all"  # both kept


class HeadersFooters(StrEnum):
    """What becomes of the text of headers and footers."""

    NONE = "none"  # dropped and counted
    NOTES = "notes"  # items of notes.json
    BODY = "body"  # headers before, footers after the body of their section


class Footnotes(StrEnum):
    """Where the text of footnotes and endnotes stands."""

    NOTES = "notes"  # in notes.json; the content has the mark only
    INLINE = "inline"  # also at the end of the block, as `[^1]: ...`


class Headings(StrEnum):
    """Which headings are found besides those that the author marked."""

    AUTO = "auto"  # inferred where the document marks none, and in long sections that lines formatted by hand divide
    MARKED = "marked"  # none
    GUESS = "guess"  # inferred everywhere


class Embedded(StrEnum):
    """What becomes of Word and Excel files that are embedded in the document."""

    LIST = "list"  # named with their pictures
    READ = "read"  # also read, after the paragraph that shows them


class Strikethrough(StrEnum):
    """What becomes of text that is formatted as struck through (ECMA-376 Part 1, 17.3.2.37, 17.3.2.9)."""

    KEEP = "keep"  # read like other text
    MARK = "mark"  # read between <del> and </del>
    DROP = "drop"  # left out and counted


class Convert(StrEnum):
    """What converts files of the older formats .doc and .rtf before they are read."""

    NONE = "none"  # nothing: they are refused
    LIBREOFFICE = "libreoffice"  # an installed LibreOffice


@dataclass(frozen=True, slots=True)
class Limits:
    """What an untrusted file may cost. Sizes in bytes; inflated bytes are counted while reading, not believed."""

    file: int = 512 << 20
    entries: int = 20_000
    part: int = 256 << 20
    total: int = 1 << 30
    ratio: int = 200  # inflated / packed, asked of parts over 1 MiB only
    depth: int = 256  # XML elements inside each other; what libxml2 allows without XML_PARSE_HUGE
    elements: int = 20_000_000
    image: int = 64 << 20
    output: int = 512 << 20  # characters of all blocks and sidecars
    conversion: int = 120  # seconds that LibreOffice may take to convert a file

    def __post_init__(self) -> None:
        check_fields(self)
        for limit in fields(self):
            if getattr(self, limit.name) < 0:
                raise UsageError(f"{limit.name} is {getattr(self, limit.name)}; it must be 0 or more.")

    def admit_file(self, size: int) -> None:
        """Raises LimitError for a file of that many bytes where it is too large."""
        if size > self.file:
            raise LimitError(f"The file is larger than {self.file:,} bytes; raise the limit `file` if you trust it.", "file")


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How a Word file is read. Recorded in the first line of `.blocks.jsonl`; a parsed folder is used again only when they are equal.

    - `track_changes`: which view of tracked changes is read: "final" (default), "original" or "all", which has both insertions and deletions.
    - `comments`: keep comments, as notes.
    - `headers_footers`: what becomes of the text of headers and footers: "none" (default), "notes" or "body".
    - `hidden_text`: keep text that is formatted as hidden.
    - `strikethrough`: text that is formatted as struck through, as repealed clauses often are: "keep" (default) reads it like other text, "mark" puts it
      between <del> and </del>, "drop" leaves it out. Text that tracked changes delete is not formatted so; `track_changes` is for that.
    - `embedded`: Word and Excel files that are embedded in the document: "list" (default) names them with their pictures, "read" also reads their text,
      after the paragraph that shows them.
    - `footnotes`: where the text of footnotes stands: "inline", at the end of its block (default), or "notes", in `Document.notes` alone.
    - `headings`: which headings are found besides the marked ones: "auto" (default) infers them in documents that mark none and in long sections,
      "marked" infers none, "guess" infers them everywhere. `guess_headings=True` is the deprecated form of "guess".
    - `headings_in_tables`: let headings inside tables and text boxes that lay out a page open blocks.
    - `assets`: keep the bytes of pictures.
    - `limits`: what the file may cost.
    - `convert`: what converts .doc and .rtf files before they are read: "none" (default; they are refused) or "libreoffice", which must be installed.
    """

    track_changes: TrackChanges = TrackChanges.FINAL
    comments: bool = False
    headers_footers: HeadersFooters = HeadersFooters.NONE
    hidden_text: bool = False
    footnotes: Footnotes = Footnotes.INLINE
    headings: Headings = Headings.AUTO
    headings_in_tables: bool = False
    assets: bool = True
    limits: Limits = field(default_factory=Limits)
    strikethrough: Strikethrough = Strikethrough.KEEP
    convert: Convert = Convert.NONE
    embedded: Embedded = Embedded.LIST
    guess_headings: InitVar[bool] = False  # deprecated: headings=Headings.GUESS

    def __post_init__(self, guess_headings: bool) -> None:
        check_fields(self)
        if expect("guess_headings", guess_headings, bool):
            warnings.warn("guess_headings is deprecated: use headings=Headings.GUESS", DeprecationWarning, stacklevel=3)
            object.__setattr__(self, "headings", Headings.GUESS)
