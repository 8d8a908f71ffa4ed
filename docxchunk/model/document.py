"""The document that the reader returns, the issues in its file, and sequences with ids."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar, overload

from docxchunk.model.blocks import Block
from docxchunk.model.objects import Change, Comment, Drawing, Equation, Note, Table
from docxchunk.model.options import ParseOptions
from docxchunk.model.wording import counted, quoted

if TYPE_CHECKING:
    from typing import Unpack

    from docxchunk.api import ChunkSettings, UnitSettings
    from docxchunk.model.chunks import Chunk, Unit


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
    NO_HEADINGS = "no-headings"  # a long document without headings
    # heading levels of running text, which makes no heading
    HEADING_LEVEL_IGNORED = "heading-level-ignored"
    # a heading without text: does not open a block, but counts for numbering
    HEADING_EMPTY = "heading-empty"
    NUMBER_UNKNOWN = "number-unknown"  # a list or number format without a definition
    STYLE_CYCLE = "style-cycle"  # styles that are based on each other
    NOTE_MISSING = "note-missing"  # a reference to a footnote or endnote that does not exist
    FIELD_UNCLOSED = "field-unclosed"  # a field without an end mark
    # a field whose result is not stored, and cannot be computed
    FIELD_WITHOUT_RESULT = "field-without-result"
    # a content control that Word refreshes when it opens the file, with a value that is not known
    CONTROL_NOT_REFRESHED = "control-not-refreshed"
    # cell spans that overlap or exceed the grid; read as well as possible
    TABLE_IRREGULAR = "table-irregular"
    ASSET_DROPPED = "asset-dropped"  # a picture that exceeds a limit or is unreadable
    RULE_UNUSED = "rule-unused"  # a rule of the user that holds for no line of the document
    # no id and no name was given: the id is a hash of the content and changes with it
    ID_FROM_CONTENT = "id-from-content"
    CONVERTED = "converted"  # a .doc, .rtf or .odt file, converted before it was read
    # an unreadable line or value of a .blocks.jsonl; the others are used
    LINE_IGNORED = "line-ignored"
    VALUE_IGNORED = "value-ignored"  # an attribute with an invalid value
    # a parsed folder of an earlier version, without tracked changes and comments
    REVISIONS_UNKNOWN = "revisions-unknown"


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


_T = TypeVar("_T")
_D = TypeVar("_D")


class Items(Sequence[_T], Generic[_T]):
    """A sequence in document order with lookup by id: `tables[0]`, `tables["tb-…-0001"]`, `for
    table in tables`.

    `x in tables` is true for a member and for its id. `keys()` (the ids), `values()`, `items()` and
    `get(id)` work as for a mapping.
    """

    __slots__ = ("_by_id",)

    def __init__(self, by_id: Mapping[str, _T] | Items[_T] = {}) -> None:  # noqa: B006 - copied, never changed
        self._by_id: dict[str, _T] = dict(by_id.items())

    @overload
    def __getitem__(self, key: int | str) -> _T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, key: int | str | slice) -> _T | tuple[_T, ...]:
        """Return a member by index or id, or a tuple for a slice. Raise IndexError or KeyError if
        there is none.
        """
        return self._by_id[key] if isinstance(key, str) else tuple(self._by_id.values())[key]

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[_T]:
        return iter(self._by_id.values())

    def __contains__(self, item: object) -> bool:
        return item in self._by_id if isinstance(item, str) else item in self._by_id.values()

    def __eq__(self, other: object) -> bool:
        return (
            self._by_id == dict(other.items())
            if isinstance(other, (Items, Mapping))
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(tuple(self._by_id.values()))

    def __repr__(self) -> str:
        return (
            f"<{counted(len(self), 'item')}: "
            f"{', '.join(map(repr, self[:2]))}{', …' if len(self) > 2 else ''}>"
        )

    def keys(self) -> KeysView[str]:
        return self._by_id.keys()

    def values(self) -> ValuesView[_T]:
        return self._by_id.values()

    def items(self) -> ItemsView[str, _T]:
        return self._by_id.items()

    @overload
    def get(self, key: str) -> _T | None: ...
    @overload
    def get(self, key: str, default: _D) -> _T | _D: ...
    def get(self, key: str, default: _D | None = None) -> _T | _D | None:
        return self._by_id.get(key, default)


Property = str | int | float | bool
PROPERTIES: Final = {
    "author": "The author.",
    "last_modified_by": "The name of the person who saved it last.",
    "created": "The time of creation.",
    "modified": "The time of the last save.",
    "subject": "The subject.",
    "keywords": "The keywords.",
    "description": "The description, which Word calls comments.",
    "category": "The category.",
    "status": "The status, such as draft or final.",
    "language": "The language.",
    "version": "The version.",
    "revision": "The number of times that it was saved.",
    "company": "The company.",
    "manager": "The manager.",
    # with the option `everything`
    "application": "The program that saved it.",
    "template": "The template.",
    "editing_minutes": "The time of editing, in minutes.",
    "pages": "The number of pages when it was saved.",
    "words": "The number of words.",
    "characters": "The number of characters without blanks.",
    "lines": "The number of lines.",
    "paragraphs": "The number of paragraphs.",
}
"""The standard properties and what they mean. Names of custom properties begin with `custom_`."""


class Dropped:
    """The reasons for text that is not in the output: the keys of `Report.dropped`."""

    DELETED = "deleted text"
    INSERTED = "inserted text"  # in the original view
    HIDDEN = "hidden text"
    STRUCK = "struck-through text"  # with the option `strikethrough=drop`
    FIELD_CODE = "field code"
    ALTERNATIVE = "alternative content"
    COMMENT = "comment"
    HEADER_FOOTER = "header or footer"
    BLANKS = "insignificant blanks"  # at the ends of a text without xml:space="preserve"
    REPLACED = "text of a content control"  # that Word refreshes when it opens the file
    MISPLACED = "text out of place"  # where Word shows none, such as in the properties of a section
    NOTE_UNUSED = "note without a reference"


@dataclass(frozen=True, slots=True)
class Report:
    """An account of every visible character of the Word file.

    - `emitted`: characters that are in blocks or sidecar files.
    - `dropped`: characters that were left out, by reason.
    - `objects`: numbers of tables, equations, drawings, notes ..., by kind.
    - `guesses`: for each inferred heading, the signals for it, strongest first. The keys are block
      ids.
    """

    emitted: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict, hash=False)
    objects: Mapping[str, int] = field(default_factory=dict, hash=False)
    guesses: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        return (
            f"<Report: {counted(self.emitted, 'character')} kept, "
            f"{sum(self.dropped.values()):,} left out>"
        )


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document, as returned by `parse` and stored in a parsed folder.

    - `name`: the file name: report.docx.
    - `format`: docx, docm, dotx or dotm; doc, rtf or odt for a converted file; txt or md for plain
      text.
    - `doc_id`: the id of the document; the ids of its blocks and chunks are derived from it.
    - `title`: the title of the document; "" if it has none.
    - `blocks`: the text, one block per heading.
    - `tables`, `equations`, `drawings`: in document order; look them up by index or id.
    - `notes`: footnotes, endnotes, comments, headers and footers.
    - `issues`: problems that the reader found and could recover from.
    - `report`: an account of every character of the file.
    - `options`: the options that the document was read with; None for plain text.
    - `source_sha256`: the SHA-256 of the file, in hexadecimal.
    - `assets`: the bytes of the pictures, by file name.
    - `engine`: the name of the parser; "docxchunk" unless another one wrote the parsed folder.
    - `describer`: the name of the model that described the pictures; "" if none did.
    - `structured`: False for plain text without headings, which is a single block.
    - `properties`: author, created, custom_Client ...: see `docxchunk.reader.properties`.
    - `metadata`: what the user has given for the document, such as its client.
    - `changes`: the tracked changes, and `comments`: the comments, in document order, whether they
      are in the text or not.
    """

    name: str
    format: str
    doc_id: str
    title: str
    blocks: tuple[Block, ...]
    tables: Items[Table] = field(default_factory=Items)
    equations: Items[Equation] = field(default_factory=Items)
    drawings: Items[Drawing] = field(default_factory=Items)
    notes: tuple[Note, ...] = ()
    issues: tuple[Issue, ...] = ()
    report: Report = field(default_factory=Report)
    options: ParseOptions | None = None
    source_sha256: str = ""
    assets: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    engine: str = "docxchunk"
    describer: str = ""
    structured: bool = True
    properties: Mapping[str, Property] = field(default_factory=dict, hash=False)
    metadata: Mapping[str, Property] = field(default_factory=dict, hash=False)
    changes: tuple[Change, ...] = ()
    comments: tuple[Comment, ...] = ()

    def __post_init__(self) -> None:
        """Convert plain mappings of ids to objects."""
        for name in ("tables", "equations", "drawings"):
            object.__setattr__(self, name, Items(getattr(self, name)))

    def __repr__(self) -> str:
        parts = (
            ("block", self.blocks),
            ("table", self.tables),
            ("equation", self.equations),
            ("drawing", self.drawings),
            ("note", self.notes),
        )
        counts = [counted(len(items), word) for word, items in parts if items or word == "block"]
        return f"<Document {quoted(self.name)}: {', '.join(counts)}>"

    def chunks(self, **settings: Unpack[ChunkSettings]) -> list[Chunk]:
        """Return the chunks of the document. Settings and errors are those of `docxchunk.chunk`."""
        from docxchunk.api import chunk

        return chunk(self, **settings)

    def units(self, chunks: Iterable[Chunk], **settings: Unpack[UnitSettings]) -> list[Unit]:
        """Return the units of chunks of the document: small texts to search and to read by
        themselves. Settings and errors are those of `docxchunk.api.units`.
        """
        from docxchunk.api import units

        return units(self, chunks, **settings)

    def to_markdown(self) -> str:
        """Return the whole document as GitHub Flavored Markdown.

        Tables are pipe tables, or HTML if cells are merged. Equations are LaTeX between dollar
        signs. Pictures are links to the files that `docxchunk.write` creates, with their
        alternative text.
        """
        from docxchunk.formats.markdown import document_markdown

        return document_markdown(self)
