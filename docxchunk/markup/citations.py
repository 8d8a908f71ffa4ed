"""Where the text of a chunk stands, for a person to find it again."""

from __future__ import annotations

from docxchunk.model.chunks import Chunk


def citation(chunk: Chunk, source: str) -> str:
    """`report.docx, 3 Results > 3.2 Costs, p. 3-4, ¶ 47-52`: what is known of it.

    Pages that are estimated are "about p. 3-4". Paragraphs are counted as `Position.paragraphs` says; where another parser did not count them, the first
    one is named by its w14:paraId.
    """
    where = [source, chunk.context, pages(chunk), paragraphs(chunk)]
    return ", ".join(filter(None, where))


def pages(chunk: Chunk) -> str:
    """`p. 3-4`, `about p. 3-4` where that is an estimate; "" where no page is known."""
    if not chunk.pages:
        return ""
    return f"{'about ' if chunk.page_is_estimate else ''}p. {_span(chunk.pages[0], chunk.pages[-1])}"


def paragraphs(chunk: Chunk) -> str:
    """`¶ 47-52, 60`; `paragraph 1000005B` where only Word's id is known, "" where nothing is."""
    if ranges := paragraph_ranges(chunk):
        return "¶ " + ", ".join(_span(first, last) for first, last in ranges)
    return f"paragraph {found}" if (found := para_id(chunk)) else ""


def paragraph_ranges(chunk: Chunk) -> list[tuple[int, int]]:
    """The paragraphs of all positions of a chunk, in order; ranges that touch are one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(position.paragraphs for position in chunk.positions if position.paragraphs):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def para_id(chunk: Chunk) -> str:
    """The w14:paraId of the first paragraph; "" where Word wrote none."""
    return next((position.first for position in chunk.positions if position.first), "")


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"
