"""Where the text of a chunk stands, for a person to find it again."""

from __future__ import annotations

from docxchunk.model.chunks import Chunk


def citation(chunk: Chunk, source: str) -> str:
    """`report.docx, 3 Results > 3.2 Costs, about p. 3-4, paragraph 1000005B`: what is known of it.

    Pages are those of Word's last layout, so "about"; the paragraph is the w14:paraId of the first one, by which Word and python-docx find it.
    """
    where = [source, chunk.context, pages(chunk), f"paragraph {found}" if (found := paragraph(chunk)) else ""]
    return ", ".join(filter(None, where))


def pages(chunk: Chunk) -> str:
    """`about p. 3-4`; "" where no page is known."""
    if not chunk.pages:
        return ""
    first, last = chunk.pages[0], chunk.pages[-1]
    return f"about p. {first}" if first == last else f"about p. {first}-{last}"


def paragraph(chunk: Chunk) -> str:
    """The id of the first paragraph; "" where Word wrote none."""
    return next((position.first for position in chunk.positions if position.first), "")
