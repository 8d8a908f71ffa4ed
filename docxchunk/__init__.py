"""Word files in, blocks and chunks out.

    import docxchunk
    document = docxchunk.parse("report.docx")
    chunks = docxchunk.chunk(document, max_tokens=2000)
"""

from __future__ import annotations

from docxchunk.api import as_tokenizer as tokenizer
from docxchunk.api import chunk, chunking_by_paragraph_semantic, parse, read, read_blocks, write
from docxchunk.errors import DocxchunkError, InputError, MissingExtraError, OutputError, UsageError
from docxchunk.model.blocks import Block, Line
from docxchunk.model.chunks import Added, Chunk, Slice
from docxchunk.model.document import Document, Report
from docxchunk.model.issues import Issue, IssueCode
from docxchunk.model.objects import Drawing, Equation, Note, Table
from docxchunk.model.options import Footnotes, HeadersFooters, Limits, ParseOptions, TrackChanges
from docxchunk.version import __version__

__all__ = [
    "Added",
    "Block",
    "Chunk",
    "Document",
    "DocxchunkError",
    "Drawing",
    "Equation",
    "Footnotes",
    "HeadersFooters",
    "InputError",
    "Issue",
    "IssueCode",
    "Limits",
    "Line",
    "MissingExtraError",
    "Note",
    "OutputError",
    "ParseOptions",
    "Report",
    "Slice",
    "Table",
    "TrackChanges",
    "UsageError",
    "__version__",
    "chunk",
    "chunking_by_paragraph_semantic",
    "parse",
    "read",
    "read_blocks",
    "tokenizer",
    "write",
]
