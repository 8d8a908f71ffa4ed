"""A document as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from docxchunk.model.blocks import Block
from docxchunk.model.issues import Issue
from docxchunk.model.objects import Drawing, Equation, Note, Table
from docxchunk.model.options import ParseOptions


@dataclass(frozen=True, slots=True)
class Report:
    """Every visible character of the package accounted for: `emitted` stands in blocks or sidecars, `dropped` says why the rest does not."""

    emitted: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    objects: Mapping[str, int] = field(default_factory=dict)
    guesses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # block id of a guessed heading -> the signals that spoke for it, strongest first


@dataclass(frozen=True, slots=True)
class Document:
    """What `parse` returns and a parsed folder holds. Mappings are by id, in document order."""

    name: str  # the file's name: report.docx
    format: str  # docx, docm, dotx, dotm; txt and md for plain text
    doc_id: str
    title: str
    blocks: tuple[Block, ...]
    tables: Mapping[str, Table] = field(default_factory=dict)
    equations: Mapping[str, Equation] = field(default_factory=dict)
    drawings: Mapping[str, Drawing] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    issues: tuple[Issue, ...] = ()
    report: Report = field(default_factory=Report)
    options: ParseOptions | None = None
    source_sha256: str = ""
    assets: Mapping[str, bytes] = field(default_factory=dict, repr=False)  # file name below the assets folder -> bytes
    engine: str = "docxchunk"  # or what another parser calls itself
    structured: bool = True  # False: plain text, one block
