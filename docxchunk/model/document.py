"""A document as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from docxchunk.model.blocks import Block
from docxchunk.model.issues import Issue
from docxchunk.model.items import Items
from docxchunk.model.objects import Drawing, Equation, Note, Table
from docxchunk.model.options import ParseOptions
from docxchunk.model.wording import counted, quoted

if TYPE_CHECKING:
    from typing import Unpack

    from docxchunk.api import ChunkSettings
    from docxchunk.model.chunks import Chunk


Property = str | int | float | bool
PROPERTIES = (
    *("author", "last_modified_by", "created", "modified", "subject", "keywords", "description", "category"),
    *("status", "language", "version", "revision", "company", "manager"),
)
"""Names of the properties that every document may have. Those of custom properties begin with `custom_`."""


@dataclass(frozen=True, slots=True)
class Report:
    """Every visible character of the package accounted for: `emitted` stands in blocks or sidecars, `dropped` says why the rest does not."""

    emitted: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict, hash=False)
    objects: Mapping[str, int] = field(default_factory=dict, hash=False)
    guesses: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)  # block id of a guessed heading -> the signals for it, strongest first

    def __repr__(self) -> str:
        return f"<Report: {counted(self.emitted, 'character')} kept, {sum(self.dropped.values()):,} left out>"


@dataclass(frozen=True, slots=True)
class Document:
    """What `parse` returns and a parsed folder holds. Tables, equations and drawings are in document order, and found by place or id."""

    name: str  # the file's name: report.docx
    format: str  # docx, docm, dotx, dotm; txt and md for plain text
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
    assets: Mapping[str, bytes] = field(default_factory=dict, hash=False)  # file name below the assets folder -> bytes
    engine: str = "docxchunk"  # or what another parser calls itself
    describer: str = ""  # the name of the model that described its pictures
    structured: bool = True  # False: plain text, one block
    properties: Mapping[str, Property] = field(default_factory=dict, hash=False)  # author, created, custom_Client ...: see `reader.properties`

    def __post_init__(self) -> None:
        """Takes plain mappings, too."""
        for name in ("tables", "equations", "drawings"):
            object.__setattr__(self, name, Items(getattr(self, name)))

    def __repr__(self) -> str:
        parts = (("block", self.blocks), ("table", self.tables), ("equation", self.equations), ("drawing", self.drawings), ("note", self.notes))
        return f"<Document {quoted(self.name)}: {', '.join(counted(len(items), word) for word, items in parts if items or word == 'block')}>"

    def chunks(self, **settings: Unpack[ChunkSettings]) -> list[Chunk]:
        """The chunks of the document; the settings, and what it raises, are those of `docxchunk.chunk`."""
        from docxchunk.api import chunk

        return chunk(self, **settings)

    def to_markdown(self) -> str:
        """The whole document as Markdown (GitHub's flavour).

        Headings, paragraphs, lists, footnotes; tables as pipe tables, or as HTML where cells are merged; equations as LaTeX between dollars; pictures as
        links to where `docxchunk.write` puts them, with their alternative text.
        """
        from docxchunk.formats.markdown_document import document_markdown

        return document_markdown(self)
