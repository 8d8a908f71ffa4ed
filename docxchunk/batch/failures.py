"""Failures of single items, and `failures.jsonl`, the list of the failures of the last run over
many inputs. Without failures there is no file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from docxchunk.errors import (
    DocxchunkError,
    MissingExtraError,
    MissingFileError,
    OutputError,
    SidecarError,
    StorageError,
    UsageError,
)
from docxchunk.sidecar.files import is_folder
from docxchunk.sidecar.reader import read_lines
from docxchunk.sidecar.writer import write_lines

_T = TypeVar("_T")
_R = TypeVar("_R")
NAME: Final = "failures.jsonl"


class Failed(NamedTuple):
    """An item that failed: the reason in one sentence, and the class name of the exception."""

    sentence: str
    error: str


def guarded(work: Callable[[_T], _R], item: _T) -> _R | Failed:
    """Return `work(item)`, or a Failed for an error that concerns only this item."""
    try:
        return work(item)
    except (UsageError, MissingExtraError, StorageError):
        raise
    except DocxchunkError as error:
        return Failed(str(error), type(error).__name__)
    except MemoryError:
        return Failed("There is not enough memory for it.", "MemoryError")
    except Exception as error:
        import logging

        logging.getLogger("docxchunk.batch").debug("%s", item, exc_info=True)
        return Failed(
            f"This is a fault in docxchunk, please report it ({type(error).__name__}: {error}).",
            type(error).__name__,
        )


class Failure(NamedTuple):
    """A failed input: label, path, error class and message."""

    input: str
    path: str
    error: str
    message: str


def failure_folders(paths: Sequence[str], out: Path | None) -> list[Path]:
    """Return the folders for `failures.jsonl`: the output folder, else each input folder that may
    be entered. A single file has none.
    """
    folders = [
        folder
        for folder in map(Path, paths)
        if is_folder(folder) and os.access(folder, os.X_OK) and not folder.name.endswith(".parsed")
    ]
    if out is None:
        return folders
    return [out] if folders or len(paths) > 1 else []


def record_failures(folders: Iterable[Path], failures: Sequence[Failure]) -> None:
    """Write the failures of each folder, or delete the file of an earlier run. Raise OutputError,
    also if docxchunk did not write the existing file.
    """
    folders = list(folders)
    for folder in folders:
        path = folder / NAME
        within = [
            failure
            for failure in failures
            if len(folders) == 1 or Path(failure.path).is_relative_to(folder)
        ]
        if within and path.exists() and not _is_ours(path):
            raise OutputError(
                f"{path} was not written by docxchunk; move it away, or choose another folder."
            )
        if within:
            folder.mkdir(parents=True, exist_ok=True)
            write_lines(
                path,
                (
                    {name: _text(value) for name, value in failure._asdict().items()}
                    for failure in within
                ),
            )
        elif _is_ours(path):
            path.unlink()


def _is_ours(path: Path) -> bool:
    try:
        first = next(read_lines(path), None)
    except (MissingFileError, SidecarError):
        return False
    return first is not None and tuple(first.as_record()) == Failure._fields


def _text(value: str) -> str:
    """Return the text with undecodable bytes of file names as backslash escapes."""
    return os.fsencode(value).decode("utf-8", "backslashreplace")
