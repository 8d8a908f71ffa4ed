"""A paragraph without anything special, to be changed by `_replace`."""

from __future__ import annotations

from docxchunk.ooxml.formatting import Look, ParagraphLayout
from docxchunk.ooxml.styles import BODY, Styles
from docxchunk.reader.paragraphs import Paragraph

PARAGRAPH = Paragraph(
    raw="",
    style=Styles(None).paragraph(None),
    outline=BODY,
    label="",
    depth=-1,
    para_id=None,
    turns=(),
    bold=False,
    look=Look(),
    layout=ParagraphLayout(),
    links=(),
    notes=(),
    is_toc=False,
    is_caption=False,
    element=0,
    position=0,
    stretches=(),
)
