"""Warn about parsed folders whose documents, and chunk files whose blocks, have changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from docxchunk.cli.console import Reporter
from docxchunk.errors import InputError
from docxchunk.sidecar.chunks import CHUNKS, is_made_of, is_outdated
from docxchunk.sidecar.paths import is_parsed
from docxchunk.sidecar.reader import content_hash


def warn_of_outdated(paths: Iterable[Path], reporter: Reporter) -> None:
    """Print a note for each document that has changed since it was parsed, and for each chunk file
    that was not made from the blocks beside it.

    `paths` are parsed folders or files in them.
    """
    paths = list(paths)
    for folder in dict.fromkeys(path if path.is_dir() else path.parent for path in paths):
        if is_outdated(folder):
            reporter.warn(
                folder.absolute().stem,
                "The file has changed since it was parsed: `docxchunk chunk` chunks it again.",
            )
    for file in paths:
        if file.name.endswith(CHUNKS) and not _is_of_its_folder(file):
            reporter.warn(
                file.name,
                "Its chunks were not made from the blocks beside it: "
                "`docxchunk chunk` makes them again.",
            )


def _is_of_its_folder(file: Path) -> bool:
    """Return whether chunks were made from the blocks beside them, or are not in a parsed
    folder.
    """
    folder = file.absolute().parent
    try:
        return not (folder.suffix == ".parsed" or is_parsed(folder)) or is_made_of(
            file, content_hash(folder)
        )
    except InputError:
        return False
