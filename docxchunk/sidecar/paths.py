"""The paths of the files in a parsed folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import NamedTuple

from docxchunk.model.wording import file_name, name_of, stem_of

BLOCKS = ".blocks.jsonl"
PARSED = ".parsed"


class FolderPaths(NamedTuple):
    """The files of a parsed folder. `stem` is the document name without its suffix."""

    folder: Path
    stem: str

    @property
    def blocks(self) -> Path:
        return self.folder / f"{self.stem}{BLOCKS}"

    @property
    def report(self) -> Path:
        return self.folder / f"{self.stem}.report.json"

    @property
    def assets(self) -> Path:
        return self.folder / f"{self.stem}.blocks.assets"

    def items(self, kind: str) -> Path:
        """Return the path of the items of a kind: tables, equations, drawings or notes."""
        return self.folder / f"{self.stem}.{kind}.json"

    def records(self) -> list[Path]:
        """Return the paths of the items of each kind and of the report, whether they exist or
        not.
        """
        return [*map(self.items, ("tables", "equations", "drawings", "notes")), self.report]

    def chunks(self, strategy: str) -> Path:
        """Return the path of the chunk file of a strategy. The one of P has no strategy in its
        name.
        """
        middle = "" if strategy == "P" else f".{strategy}"
        return self.folder / f"{self.stem}{middle}.chunks.jsonl"


def units_beside(chunks: Path) -> Path:
    """Return the path of the units of a chunk file."""
    return chunks.with_name(f"{chunks.name.removesuffix('.chunks.jsonl')}.units.jsonl")


def parsed_folder(folder: Path, name: str) -> Path:
    """Return the path of a parsed folder: out/report.docx.parsed for out and report.docx. A very
    long name is cut.
    """
    return folder / f"{file_name(PurePath(name).name, len(PARSED))}{PARSED}"


def parsed_beside(path: Path) -> Path:
    """Return the path of the parsed folder beside a document."""
    return parsed_folder(path.parent, name_of(path))


def paths_in(folder: Path, name: str) -> FolderPaths:
    """Return the paths of the files of the document `name` in its parsed folder."""
    return FolderPaths(folder, file_name(stem_of(name)))


_OURS = (
    BLOCKS,
    ".blocks.assets",
    ".tables.json",
    ".equations.json",
    ".drawings.json",
    ".notes.json",
    ".report.json",
    ".chunks.jsonl",
    ".units.jsonl",
)


def is_ours(name: str) -> bool:
    """Return whether a file name is that of a file in a parsed folder."""
    return name.endswith(_OURS)


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder. `Path.is_dir` raises OSError for names that are too long,
    and in folders that must not be entered.
    """
    return os.path.isdir(path)  # noqa: PTH112


def is_parsed(path: Path) -> bool:
    """Return whether a path is a parsed folder or a .blocks.jsonl."""
    return path.name.endswith(BLOCKS) or (is_folder(path) and any(path.glob(f"*{BLOCKS}")))
