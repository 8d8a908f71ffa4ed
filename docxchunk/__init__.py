"""Turn Word files into chunks for search and language models.

import docxchunk

document = docxchunk.parse("report.docx")
chunks = docxchunk.chunk(document, max_tokens=2000)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from docxchunk.errors import (
    ConvertibleError,
    DamagedError,
    DocxchunkError,
    EmptyFileError,
    EncryptedError,
    HtmlError,
    InputError,
    LegacyWordError,
    LimitError,
    LockFileError,
    MissingExtraError,
    MissingFileError,
    MissingModelError,
    ModelError,
    NotWordError,
    OutputError,
    PdfError,
    RtfError,
    SidecarError,
    StorageError,
    TruncatedError,
    UnknownNameError,
    UnsafeError,
    UsageError,
)
from docxchunk.version import __version__

if TYPE_CHECKING:
    from docxchunk.adapters.lightrag_signature import chunking_by_paragraph_semantic
    from docxchunk.api import (
        chunk,
        chunk_text,
        describe,
        diff,
        heading_rules,
        models,
        parse,
        read,
        read_blocks,
        situate,
        tokenizer,
        write,
    )
    from docxchunk.batch.many import Outcome, iter_chunks, parse_many
    from docxchunk.chunking.diff import Action, ChunkDiff, Diff, DiffKind, IndexAction
    from docxchunk.chunking.divide import R
    from docxchunk.chunking.paragraph_semantic import P
    from docxchunk.content.citations import citation
    from docxchunk.model.blocks import Block, Line
    from docxchunk.model.chunks import Added, Chunk, Slice, Unit
    from docxchunk.model.comparison import (
        ChangeKind,
        Comparison,
        PlaceChange,
        Renumbered,
        Span,
        TextChange,
    )
    from docxchunk.model.document import Document, Issue, IssueCode, Report
    from docxchunk.model.metadata import read_metadata
    from docxchunk.model.objects import Change, Comment, Drawing, Equation, Note, Table
    from docxchunk.model.options import (
        Convert,
        Footnotes,
        HeadersFooters,
        Headings,
        Limits,
        ParseOptions,
        TrackChanges,
    )
    from docxchunk.model.rules import read_rules
    from docxchunk.records.chunks import flat_record
    from docxchunk.retrieval.citing.quotations import Quotation, Verdict
    from docxchunk.retrieval.comparing.revisions import PlacedComment, TrackedChange
    from docxchunk.retrieval.comparing.versions import compare
    from docxchunk.retrieval.finding.links import References
    from docxchunk.retrieval.finding.passages import Passage
    from docxchunk.retrieval.folders.collection import Collection, search
    from docxchunk.retrieval.folders.hits import Hit
    from docxchunk.retrieval.folders.questions import DocumentHits
    from docxchunk.retrieval.memos.check import CheckedQuotation, MemoCheck, check_memo
    from docxchunk.retrieval.reading import Reader, SectionLine

# The module of each other public name. A name is imported on first access, to keep the start of
# commands fast.
_HOMES = {
    "api": "chunk chunk_text describe diff heading_rules models parse read read_blocks situate "
    "tokenizer write",
    "batch.many": "Outcome iter_chunks parse_many",
    "chunking.diff": "Action ChunkDiff Diff DiffKind IndexAction",
    "chunking.paragraph_semantic": "P",
    "chunking.divide": "R",
    "content.citations": "citation",
    "records.chunks": "flat_record",
    "model.blocks": "Block Line",
    "model.comparison": "ChangeKind Comparison PlaceChange Renumbered Span TextChange",
    "model.chunks": "Added Chunk Slice Unit",
    "model.document": "Document Issue IssueCode Report",
    "model.objects": "Change Comment Drawing Equation Note Table",
    "model.options": "Convert Footnotes HeadersFooters Headings Limits ParseOptions TrackChanges",
    "model.metadata": "read_metadata",
    "model.rules": "read_rules",
    "adapters.lightrag_signature": "chunking_by_paragraph_semantic",
    "retrieval.folders.collection": "Collection search",
    "retrieval.folders.hits": "Hit",
    "retrieval.folders.questions": "DocumentHits",
    "retrieval.citing.quotations": "Quotation Verdict",
    "retrieval.memos.check": "CheckedQuotation MemoCheck check_memo",
    "retrieval.finding.passages": "Passage",
    "retrieval.reading": "Reader References SectionLine",
    "retrieval.comparing.revisions": "PlacedComment TrackedChange",
    "retrieval.comparing.versions": "compare",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Action",
    "Added",
    "Block",
    "Change",
    "ChangeKind",
    "CheckedQuotation",
    "Chunk",
    "ChunkDiff",
    "Collection",
    "Comment",
    "Comparison",
    "Convert",
    "ConvertibleError",
    "DamagedError",
    "Diff",
    "DiffKind",
    "Document",
    "DocumentHits",
    "DocxchunkError",
    "Drawing",
    "EmptyFileError",
    "EncryptedError",
    "Equation",
    "Footnotes",
    "HeadersFooters",
    "Headings",
    "Hit",
    "HtmlError",
    "IndexAction",
    "InputError",
    "Issue",
    "IssueCode",
    "LegacyWordError",
    "LimitError",
    "Limits",
    "Line",
    "LockFileError",
    "MemoCheck",
    "MissingExtraError",
    "MissingFileError",
    "MissingModelError",
    "ModelError",
    "NotWordError",
    "Note",
    "Outcome",
    "OutputError",
    "P",
    "ParseOptions",
    "Passage",
    "PdfError",
    "PlaceChange",
    "PlacedComment",
    "Quotation",
    "R",
    "Reader",
    "References",
    "Renumbered",
    "Report",
    "RtfError",
    "SectionLine",
    "SidecarError",
    "Slice",
    "Span",
    "StorageError",
    "Table",
    "TextChange",
    "TrackChanges",
    "TrackedChange",
    "TruncatedError",
    "Unit",
    "UnknownNameError",
    "UnsafeError",
    "UsageError",
    "Verdict",
    "__version__",
    "check_memo",
    "chunk",
    "chunk_text",
    "chunking_by_paragraph_semantic",
    "citation",
    "compare",
    "describe",
    "diff",
    "flat_record",
    "heading_rules",
    "iter_chunks",
    "models",
    "parse",
    "parse_many",
    "read",
    "read_blocks",
    "read_metadata",
    "read_rules",
    "search",
    "situate",
    "tokenizer",
    "write",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'docxchunk' has no attribute {name!r}")
    value: object = getattr(import_module(f"docxchunk.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
