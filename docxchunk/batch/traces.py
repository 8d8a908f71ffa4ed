"""Turn the trace of a strategy into records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from docxchunk.markup.records.fields import Record
from docxchunk.model.document import Document

if TYPE_CHECKING:
    from docxchunk.chunking import Difference, Trace
    from docxchunk.chunking.pieces import Piece


def trace_records(document: Document, trace: Trace) -> Iterator[Record]:
    """Yield a record per stage: its changes, as half-open ranges of piece numbers before and after
    it, and the resulting pieces. A piece that may be cut has its units, with the price of a cut
    before each.
    """
    for step in trace:
        yield {
            "doc_id": document.doc_id,
            "stage": step.stage,
            "changes": [_change(difference) for difference in step.differences],
            "pieces": list(map(_piece, step.pieces)),
        }


def _piece(piece: Piece) -> Record:
    record: Record = {
        "heading": piece.heading,
        "level": piece.level,
        "tokens": piece.tokens,
        "role": piece.role,
        "text": piece.text,
    }
    if (units := piece.units) is not None:
        record["units"] = [
            {"price": price, "text": units.raw(number)} for number, price in enumerate(units.prices)
        ]
    return record


def _change(difference: Difference) -> Record:
    before, after = difference.before, difference.after
    return {
        "change": difference.change,
        "before": [before.start, before.stop],
        "after": [after.start, after.stop],
    }
