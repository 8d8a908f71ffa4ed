"""Where everything stands."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import NamedTuple

from docxchunk.markup.names import stem_of

BLOCKS = ".blocks.jsonl"


class Places(NamedTuple):
    """The files of a parsed folder; `stem` is the document's name without its ending."""

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
        """tables, equations, drawings or notes."""
        return self.folder / f"{self.stem}.{kind}.json"

    def chunks(self, strategy: str) -> Path:
        """P's chunks have the plain name."""
        middle = "" if strategy == "P" else f".{strategy}"
        return self.folder / f"{self.stem}{middle}.chunks.jsonl"


def parsed_folder(folder: Path, name: str) -> Path:
    """out, report.docx -> out/report.docx.parsed"""
    return folder / f"{PurePath(name).name}.parsed"


def places_in(folder: Path, name: str) -> Places:
    """The files of the document `name` in its parsed folder."""
    return Places(folder, stem_of(name))


_OURS = (BLOCKS, ".blocks.assets", ".tables.json", ".equations.json", ".drawings.json", ".notes.json", ".report.json", ".chunks.jsonl")


def is_ours(name: str) -> bool:
    """Is it the name of something that stands in a parsed folder?"""
    return name.endswith(_OURS)


def is_parsed(path: Path) -> bool:
    """Is it a parsed folder, or the blocks of one?"""
    return path.name.endswith(BLOCKS) or (path.is_dir() and any(path.glob(f"*{BLOCKS}")))
