"""Options of the parser and of the chunker. The options of the command line, the checks, and the
records and schemas of settings come from their fields.

An option of the chunker goes this way: `cli.chunk` makes a `ChunkLimits` of the command
line, `batch.chunk_spec.chunking_of` passes it to `chunking.run`, and stages read it from
`chunking.assembler.Assembler`, whose `cap` is the limit of a chunk.
"""

from __future__ import annotations

import warnings
from dataclasses import InitVar, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Final, Literal

from docxchunk.errors import LimitError, UsageError
from docxchunk.model.chunks import TableForm
from docxchunk.model.fields import OneOf, check_fields, expect, whole
from docxchunk.model.rules import NO_RULES, GivenRules, given_rules

SMALLEST: Final = 32
LARGEST_SETTING: Final = 10**9
"""The maximum of any integer setting of the chunker."""


def option(
    default: object,
    help: str,  # noqa: A002 - as in click
    *,
    about: str = "",
    newer: bool = False,
) -> Any:
    """Declare an option of the parser or the chunker: a field with a default.

    - `help`: the help text of the option of the command line, which is made of the field.
    - `about`: what the field means in the record of a parsed folder; by default, `help`.
    - `newer`: whether the records of earlier versions lack it. Its default is then not part of the
      hashed settings.
    """
    metadata = {"help": help, "about": about or help, "newer": newer}
    return field(default=default, metadata=metadata)


Setting = str | int | float | bool | None
"""The value of a setting of a strategy."""


class TrackChanges(StrEnum):
    """Which version of a document with tracked changes is read (ECMA-376 Part 1, 17.13.5)."""

    FINAL = "final"  # with the insertions, without the deletions
    ORIGINAL = "original"  # without the insertions, with the deletions
    ALL = "all"  # with both


class HeadersFooters(StrEnum):
    """Where the text of headers and footers goes."""

    NONE = "none"  # nowhere; it is counted as dropped
    NOTES = "notes"  # to `Document.notes`
    BODY = "body"  # to the text: headers before, footers after the body of their section


class Footnotes(StrEnum):
    """Where the text of footnotes and endnotes goes."""

    NOTES = "notes"  # to `Document.notes` only; the text has the mark
    INLINE = "inline"  # also to the end of the block, as `[^1]: ...`


class Headings(StrEnum):
    """Which headings are inferred in addition to those that the author marked."""

    AUTO = "auto"  # all if the document marks none, else only clear ones
    MARKED = "marked"  # none
    GUESS = "guess"  # all, everywhere


class Strikethrough(StrEnum):
    """How text with strikethrough formatting is treated (ECMA-376 Part 1, 17.3.2.37, 17.3.2.9)."""

    KEEP = "keep"  # read like other text
    MARK = "mark"  # put between <del> and </del>
    DROP = "drop"  # left out; it is counted as dropped


class Convert(StrEnum):
    """Which program converts .doc, .rtf and .odt files before they are read."""

    NONE = "none"  # none: such files are refused
    LIBREOFFICE = "libreoffice"  # an installed LibreOffice


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that protect against malicious files. A file that exceeds one is refused with
    LimitError, which names the limit.

    Sizes are in bytes. Uncompressed sizes are counted while reading; the sizes that the file
    declares are not trusted.

    - `file`: the size of the file.
    - `entries`: the number of entries of the ZIP archive.
    - `part`: the uncompressed size of one part.
    - `total`: the uncompressed size of all parts that are read.
    - `ratio`: the uncompressed size divided by the compressed size, for parts over 8 MiB, and for
      all parts together over 16 MiB. Word's own parts of that size have 10 to 25.
    - `depth`: the nesting depth of XML elements; the default is the limit of libxml2 without
      XML_PARSE_HUGE.
    - `elements`: the number of XML elements in one part.
    - `imported`: the size of all content in separate parts (w:altChunk) together: in characters,
      and each element counts as 32.
    - `image`: the size of one picture; a larger one is left out with an issue.
    - `output`: the number of characters in all blocks and sidecar files.
    - `conversion`: the time in seconds that LibreOffice may take to convert a file.
    """

    file: int = option(512 << 20, "The maximum size of the file, in bytes.")
    entries: int = option(20_000, "The maximum number of entries of the ZIP archive.")
    part: int = option(256 << 20, "The maximum uncompressed size of one part, in bytes.")
    total: int = option(1 << 30, "The maximum uncompressed size of all parts, in bytes.")
    ratio: int = option(60, "The maximum ratio of uncompressed to compressed size.")
    depth: int = option(256, "The maximum nesting depth of XML elements.")
    elements: int = option(20_000_000, "The maximum number of XML elements in a part.")
    imported: int = option(
        16 << 20,
        "The maximum size of all content in separate parts together, in characters; "
        "an element counts as 32.",
        newer=True,
    )
    image: int = option(64 << 20, "The maximum size of one picture, in bytes.")
    output: int = option(512 << 20, "The maximum number of characters of the output.")
    conversion: int = option(
        120, "The maximum time for a conversion by LibreOffice, in seconds.", newer=True
    )

    def __post_init__(self) -> None:
        check_fields(self)
        for limit in fields(self):
            whole(limit.name, getattr(self, limit.name))

    def admit_file(self, size: int) -> None:
        """Raise LimitError if a file of `size` bytes is too large."""
        if size > self.file:
            raise LimitError(
                f"The file is larger than {self.file:,} bytes; raise the limit "
                "`file` if you trust it.",
                "file",
            )

    def admit_import(self, size: int) -> None:
        """Raise LimitError if content of `size` characters in separate parts is too large."""
        if size > self.imported:
            raise self.import_error()

    def import_error(self) -> LimitError:
        """Return the error for content of separate parts that is too large."""
        return LimitError(
            f"The content of separate parts is over {self.imported:,} characters; raise the limit "
            "`imported` if you trust the file.",
            "imported",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """How a Word file is read.

    The options are stored in the first line of `.blocks.jsonl`. An existing parsed folder is reused
    only if its options are equal.

    - `track_changes`: which version of tracked changes is read: "final" (default), "original" or
      "all", which has both insertions and deletions.
    - `comments`: keep comments, as notes.
    - `headers_footers`: where the text of headers and footers goes: "none" (default) drops it,
      "notes" keeps it in `Document.notes`, "body" puts it before and after the body of its section.
    - `hidden_text`: keep text that is formatted as hidden.
    - `strikethrough`: how struck-through text (for example, a repealed clause) is treated: "keep"
      (default) reads it like other text, "mark" puts it between <del> and </del>, "drop" leaves it
      out. It does not concern tracked deletions; see `track_changes`.
    - `footnotes`: where the text of footnotes goes: "inline" (default), at the end of the block and
      in `Document.notes`, or "notes", in `Document.notes` only.
    - `headings`: which headings are inferred in addition to the marked ones: "auto" (default)
      infers all in documents that mark none, and only clear ones in others; "marked" infers none;
      "guess" infers all in all documents. `guess_headings=True` is deprecated; use "guess".
    - `headings_in_tables`: let headings in text boxes, and in tables that are used for page layout,
      open blocks.
    - `assets`: keep the bytes of pictures.
    - `limits`: limits for untrusted files.
    - `everything`: also keep, in the text: tags for bold, italic, underlined, highlighted and
      struck-through text and for links; comments with author, date and anchor; headers and footers;
      and the properties of the document, at the beginning. If `comments`, `headers_footers` and
      `strikethrough` have their defaults, they become True, "body" and "mark".
    - `rules`: which lines are headings, before all marks and looks: a mapping such as
      `{"GTS Heading A": 1, "Normal | 14 pt | bold": 2, "Note": "no"}`, or the result of
      `read_rules`.
    - `convert`: which program converts .doc, .rtf and .odt files before they are read: "none"
      (default; they are refused) or "libreoffice", which must be installed.
    """

    track_changes: OneOf[TrackChanges, Literal["final", "original", "all"]] = option(
        TrackChanges.FINAL,
        "Read tracked changes as accepted (final), as rejected (original), or both, marked (all).",
    )
    comments: bool = option(False, "Include comments.")
    headers_footers: OneOf[HeadersFooters, Literal["none", "notes", "body"]] = option(
        HeadersFooters.NONE,
        "Headers and footers: left out (none), in NAME.notes.json (notes), or in the text (body).",
    )
    hidden_text: bool = option(False, "Include hidden text.")
    footnotes: OneOf[Footnotes, Literal["notes", "inline"]] = option(
        Footnotes.INLINE,
        "Footnotes and endnotes: also at the end of the block (inline), or only in "
        "NAME.notes.json (notes).",
    )
    headings: OneOf[Headings, Literal["auto", "marked", "guess"]] = option(
        Headings.AUTO,
        "Headings to infer: all if the author marked none, else clear ones (auto); none (marked); "
        "all (guess).",
    )
    headings_in_tables: bool = option(False, "Start new blocks at headings inside tables.")
    assets: bool = option(True, "Do not extract pictures.", about="Whether pictures are written.")
    limits: Limits = option(Limits(), "The limits of docxchunk.Limits.")
    strikethrough: OneOf[Strikethrough, Literal["keep", "mark", "drop"]] = option(
        Strikethrough.KEEP,
        "Struck-through text: like other text (keep), between del tags (mark), or left out (drop).",
    )
    convert: OneOf[Convert, Literal["none", "libreoffice"]] = option(
        Convert.NONE,
        "Converter for .doc, .rtf and .odt files.",
        newer=True,
    )
    everything: bool = option(
        False,
        "Keep emphasis, links, comments, headers, footers and properties in the text.",
        newer=True,
    )
    rules: GivenRules = option(
        NO_RULES,
        "The rules that say which lines are headings: levels by the names of lines.",
        newer=True,
    )
    guess_headings: InitVar[bool] = False  # deprecated: headings=Headings.GUESS

    def __post_init__(self, guess_headings: bool) -> None:
        object.__setattr__(self, "rules", given_rules(self.rules))
        check_fields(self)
        if expect("guess_headings", guess_headings, bool):
            warnings.warn(
                "guess_headings is deprecated: use headings=Headings.GUESS",
                DeprecationWarning,
                stacklevel=3,
            )
            object.__setattr__(self, "headings", Headings.GUESS)
        if self.everything:
            object.__setattr__(self, "comments", True)
            if self.headers_footers is HeadersFooters.NONE:
                object.__setattr__(self, "headers_footers", HeadersFooters.BODY)
            if self.strikethrough is Strikethrough.KEEP:
                object.__setattr__(self, "strikethrough", Strikethrough.MARK)


def given_options(options: ParseOptions | None) -> ParseOptions:
    """Return the options of an argument, or the default ones for None. Raise UsageError for an
    object of another class.
    """
    return ParseOptions() if options is None else expect("options", options, ParseOptions)


def different_options(then: ParseOptions | None, now: ParseOptions | None) -> str:
    """Return the options of `then` that have another value in `now`: "track_changes all, comments
    True"; "" if one of them is unknown. Limits do not count.
    """
    names = (
        [option.name for option in fields(ParseOptions) if option.name != "limits"]
        if then and now
        else []
    )
    return ", ".join(
        f"{name} {getattr(then, name)}"
        for name in names
        if getattr(then, name) != getattr(now, name)
    )


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """The settings that apply to every strategy. Raises UsageError for values out of range.

    `max_tokens` is the limit of every chunk, and `overlap` the maximum number of tokens that are
    repeated where a paragraph has to be split. `contextualize` puts the heading path before the
    text of each chunk, within the limit. `drop_toc` leaves out the table of contents. `tables` is
    the form in which chunks show tables, equations and pictures. `reserve` is the number of tokens
    of the limit that are kept free in each chunk for the header that `Chunk.embed_text` adds; with
    1 or more, `embed_text` is within the limit, too.
    """

    max_tokens: int = option(2000, "Maximum tokens per chunk.")
    overlap: int = option(
        100,
        "Maximum tokens to repeat where a paragraph is split, at most a quarter of a chunk.",
    )
    contextualize: bool = option(False, "Put the heading path before the text of each chunk.")
    drop_toc: bool = option(False, "Leave out tables of contents.")
    tables: TableForm = option(
        TableForm.JSON,
        "Format of tables in chunks; except with json, equations are LaTeX, pictures a few words.",
        newer=True,
    )
    reserve: int = option(
        0,
        "Tokens of the limit to keep free for the title and headings that embed_text adds.",
        newer=True,
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.max_tokens < SMALLEST:
            raise UsageError(
                f"max_tokens is {self.max_tokens}; chunks of fewer than "
                f"{SMALLEST} tokens cannot hold a heading and its text."
            )
        if max(self.max_tokens, self.overlap) > LARGEST_SETTING:
            raise UsageError(
                f"max_tokens is {self.max_tokens} and overlap {self.overlap}; "
                f"neither may be over {LARGEST_SETTING:,}."
            )
        whole("overlap", self.overlap)
        if not 0 <= self.reserve <= self.max_tokens - SMALLEST:
            raise UsageError(
                f"reserve is {self.reserve}; it must be 0 or more, and leave "
                f"{SMALLEST} of the {self.max_tokens} tokens for text."
            )

    def with_checked_overlap(self) -> ChunkLimits:
        """Return the same limits. Raise UsageError if `overlap` exceeds `max_tokens`; the default
        overlap is allowed with any limit.
        """
        if self.overlap > max(self.max_tokens, DEFAULT_LIMITS.overlap):
            raise UsageError(
                f"overlap is {self.overlap} and max_tokens {self.max_tokens}; the overlap "
                "must not be larger. At most a quarter of a chunk is repeated."
            )
        return self

    def of_text(self) -> ChunkLimits:
        """Return the limits for the text of chunks, with the reserved tokens subtracted."""
        return (
            replace(self, max_tokens=self.max_tokens - self.reserve, reserve=0)
            if self.reserve
            else self
        )


DEFAULT_LIMITS: Final = ChunkLimits()
