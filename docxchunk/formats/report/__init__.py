"""Render a document with its chunks, or the changes between two versions, as one self-contained
HTML page.
"""

from docxchunk.formats.report.cards import views_of
from docxchunk.formats.report.equations import can_draw
from docxchunk.formats.report.overview import losses
from docxchunk.formats.report.page import html_report
from docxchunk.formats.report.templates import require_templates
from docxchunk.formats.report.values import ChunkSet
from docxchunk.formats.report.versions import html_diff
from docxchunk.formats.report.views import (
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
