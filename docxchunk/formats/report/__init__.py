"""A document and its chunks, or what changed between two versions, as one page of HTML that needs nothing else: no network, no server, no build."""

from docxchunk.formats.report.cards import views_of
from docxchunk.formats.report.equations import can_draw
from docxchunk.formats.report.overview import losses
from docxchunk.formats.report.page import html_report
from docxchunk.formats.report.templates import require_templates
from docxchunk.formats.report.values import ChunkSet
from docxchunk.formats.report.versions import html_diff
from docxchunk.formats.report.views import Change, Line, Piece, PieceKind, TableView

__all__ = [
    "Change",
    "ChunkSet",
    "Line",
    "Piece",
    "PieceKind",
    "TableView",
    "can_draw",
    "html_diff",
    "html_report",
    "losses",
    "require_templates",
    "views_of",
]
