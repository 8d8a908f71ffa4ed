"""Render a document with its chunks, or the changes between two versions, as one self-contained
HTML page.
"""

from docxchunk.formats.report.cards import views_of
from docxchunk.formats.report.differences import PlaceChange
from docxchunk.formats.report.page import html_report, losses
from docxchunk.formats.report.templates import can_draw, require_templates
from docxchunk.formats.report.versions import html_diff
from docxchunk.formats.report.views import (
    ChunkSet,
    LineView,
    PieceKind,
    TableSliceView,
    TextChange,
    TextPiece,
)

__all__ = [
    "ChunkSet",
    "LineView",
    "PieceKind",
    "PlaceChange",
    "TableSliceView",
    "TextChange",
    "TextPiece",
    "can_draw",
    "html_diff",
    "html_report",
    "losses",
    "require_templates",
    "views_of",
]
