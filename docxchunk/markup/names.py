"""Derive file names from the name of a document."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

_LONGEST: Final = 200  # bytes; file systems allow 255, including suffixes such as ".equations.json"


def stem_of(name: str) -> str:
    """Return the common stem of the files in a parsed folder: "report" for report.docx. A very long name is cut."""
    stem = PurePath(name).stem
    return stem.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore")
