"""A document and its chunks as one page of HTML that needs nothing else: no network, no server, no build."""

from docxchunk.formats.report.equations import can_draw
from docxchunk.formats.report.page import html_report
from docxchunk.formats.report.values import ChunkSet

__all__ = ["ChunkSet", "can_draw", "html_report"]
