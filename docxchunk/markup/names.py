"""Names of files made of a document's name."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

_LONGEST: Final = 200  # bytes; file systems take 255, endings such as ".equations.json" included


def stem_of(name: str) -> str:
    """What the files of a parsed folder are called before their endings: report.docx -> report. A very long name is cut."""
    stem = PurePath(name).stem
    return stem.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore")
