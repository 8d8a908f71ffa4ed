"""Warn about parsed folders whose documents have changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from docxchunk.cli.console import Reporter
from docxchunk.sidecar.chunks import is_outdated


def warn_of_outdated(paths: Iterable[Path], reporter: Reporter) -> None:
    """Print a note for each document that has changed since it was parsed. `paths` are parsed folders or files in them."""
    for folder in dict.fromkeys(path if path.is_dir() else path.parent for path in paths):
        if is_outdated(folder):
            reporter.warn(folder.absolute().stem, "The file has changed since it was parsed: `docxchunk chunk` chunks it again.")
