"""Get the header of a table and the names of its columns."""

from __future__ import annotations

from typing import Final

from docxchunk.markup.tables import header_texts
from docxchunk.model.objects import Table

LEAST_CONFIDENCE: Final = 0.6
LONGEST_LABEL: Final = 60  # characters
# for an inferred header without one, from another program or an older version
_UNKNOWN_CONFIDENCE: Final = 0.5


def header_of(table: Table, least: float) -> str | None:
    """Return the header that the author marked, else an inferred one with at least the confidence
    `least`, else None.
    """
    confidence = _UNKNOWN_CONFIDENCE if table.header_confidence is None else table.header_confidence
    return table.header or (table.header_guess if confidence >= least else None)


def labels_of(header: str | None, longest: int = LONGEST_LABEL) -> list[str]:
    """Return the column names from the header rows of a table, without a colon at the end; "" if
    longer than `longest` or LONGEST_LABEL characters.

    A header row that is a single title for all columns is ignored.
    """
    rows = header_texts(header) if header else []
    width = max((len(row) for row in rows), default=0)
    rows = [row for row in rows if len(row) < 2 or len(set(row)) > 1]
    names = [
        " ".join(
            dict.fromkeys(
                " ".join(row[i].split()) for row in rows if i < len(row) and row[i].strip()
            )
        )
        for i in range(width)
    ]
    return [
        name if len(name) <= min(longest, LONGEST_LABEL) else ""
        for name in (name.rstrip(" :：") for name in names)
    ]


def key_of(text: str, longest: int = LONGEST_LABEL) -> str:
    """Return the text of a cell if it is short enough to name its row; "" otherwise."""
    return text if len(text) <= min(longest, LONGEST_LABEL) else ""
