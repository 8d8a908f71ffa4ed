"""Lines about a document: what is in it, and what was left out."""

from __future__ import annotations

from docxchunk.model.document import Document
from docxchunk.model.wording import counted


def facts(document: Document) -> str:
    """Return one line that says how many blocks, characters, tables, ... a document has."""
    counts = (
        (len(document.blocks), "block"),
        (sum(len(block.content) for block in document.blocks), "character"),
        (len(document.tables), "table"),
        (len(document.equations), "equation"),
        (len(document.drawings), "drawing"),
        (len(document.notes), "note"),
    )
    named = document.name if document.title else ""
    return " · ".join(
        filter(None, (named, *(counted(number, word) for number, word in counts if number)))
    )


def losses(document: Document) -> str:
    """Return one line: how many characters of the file were kept and left out."""
    emitted, dropped = document.report.emitted, document.report.dropped
    if not emitted and not dropped:
        return "There is no report of what was left out."
    left_out = sum(dropped.values())
    why = "; ".join(f"{reason} {number:,}" for reason, number in dropped.items())
    return (
        f"Kept {emitted:,} of the {counted(emitted + left_out, 'character')} in the file, left "
        f"out {left_out:,}{why and f' ({why})'}."
    )
