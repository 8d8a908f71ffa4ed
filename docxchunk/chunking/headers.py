"""The header of a table: the rows that name its columns, and the names."""

from __future__ import annotations

from typing import Final

from docxchunk.markup.tables import header_texts
from docxchunk.model.objects import Table

LEAST_CONFIDENCE: Final = 0.6
LONGEST_LABEL: Final = 60  # characters
_UNKNOWN_CONFIDENCE: Final = 0.5  # of a guess without one, from an older or another program


def header_of(table: Table, least: float) -> str | None:
    """The header that the author marked, else one that was guessed with enough confidence."""
    confidence = _UNKNOWN_CONFIDENCE if table.header_confidence is None else table.header_confidence
    return table.header or (table.header_guess if confidence >= least else None)


def labels_of(header: str | None, longest: int = LONGEST_LABEL) -> list[str]:
    """The names of columns, from a table's header rows; "" for one of more characters than `longest`, or than anybody would repeat.

    A title over all columns is the name of none.
    """
    rows = header_texts(header) if header else []
    width = max((len(row) for row in rows), default=0)
    rows = [row for row in rows if len(row) < 2 or len(set(row)) > 1]
    names = [" ".join(dict.fromkeys(" ".join(row[i].split()) for row in rows if i < len(row) and row[i].strip())) for i in range(width)]
    return [name if len(name) <= min(longest, LONGEST_LABEL) else "" for name in names]


def key_of(text: str, longest: int = LONGEST_LABEL) -> str:
    """The text of a cell that names its row; "" where nobody would repeat it."""
    return text if len(text) <= min(longest, LONGEST_LABEL) else ""
