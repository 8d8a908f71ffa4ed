"""The names and paths of the files in a parsed folder, and of documents beside it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath
from typing import BinaryIO, Final, NamedTuple

from docxchunk.language.folding import alike
from docxchunk.model.fields import nearest
from docxchunk.model.wording import file_name, name_of, stem_of

BLOCKS = ".blocks.jsonl"
PARSED = ".parsed"
KINDS = ("tables", "equations", "drawings", "notes")
"""What has a file of its own in a parsed folder, with a record for each item."""


class FolderPaths(NamedTuple):
    """The files of a parsed folder, which are beside its `blocks`."""

    blocks: Path

    @property
    def folder(self) -> Path:
        return self.blocks.parent

    @property
    def stem(self) -> str:
        """The name of the document without its suffix."""
        return self.blocks.name.removesuffix(BLOCKS)

    @property
    def report(self) -> Path:
        return self.items("report")

    @property
    def assets(self) -> Path:
        return self.folder / f"{self.stem}.blocks.assets"

    def items(self, kind: str) -> Path:
        """Return the path of the items of a kind, one of `KINDS`, or of the report."""
        return self.folder / f"{self.stem}.{kind}.json"

    def records(self) -> list[Path]:
        """Return the paths of the items of each kind and of the report, whether they exist or
        not.
        """
        return [*map(self.items, KINDS), self.report]

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
    return FolderPaths(folder / f"{file_name(stem_of(name))}{BLOCKS}")


_OURS = (
    BLOCKS,
    ".blocks.assets",
    *(f".{kind}.json" for kind in KINDS),
    ".report.json",
    ".chunks.jsonl",
    ".units.jsonl",
)


def is_ours(name: str) -> bool:
    """Return whether a file in a parsed folder may have this name."""
    return name.endswith(_OURS)


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder. `Path.is_dir` raises OSError for names that are too long
    and in folders without access.
    """
    return os.path.isdir(path)  # noqa: PTH112


def is_parsed(path: Path) -> bool:
    """Return whether a path is a parsed folder or a .blocks.jsonl."""
    return path.name.endswith(BLOCKS) or (is_folder(path) and any(path.glob(f"*{BLOCKS}")))


def has_documents(path: str | Path) -> bool:
    """Return whether a path is a folder that may have documents, and no parsed folder."""
    folder = Path(path)
    return folder.is_dir() and not is_parsed(folder)


def absolute(path: Path) -> str:
    """Return an absolute path as a text. `Path.absolute` makes three paths for it."""
    return str(path) if path.is_absolute() else os.path.join(os.getcwd(), *path.parts)  # noqa: PTH109, PTH118 - a text


def open_file(path: Path) -> BinaryIO:
    """Open a file to read. Raise OSError for a pipe, a socket or a device, whose end may never
    come.
    """
    file = open_at_once(path)
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "it is a pipe, a socket or a device")


def open_at_once(path: Path) -> BinaryIO:
    """Open a path to read, and do not wait for who writes to a pipe."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    return open(path, "rb", opener=opener)


def is_special(path: Path) -> bool:
    """Return whether a path is a pipe, a socket or a device."""
    mode = mode_of(path)
    return mode is not None and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def mode_of(path: Path) -> int | None:
    """Return the type and the rights of a file or folder (`stat.st_mode`); None if there is none,
    or it cannot be reached.
    """
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def below(folder: Path) -> Iterator[Path]:
    """Yield the files and folders in a folder, and in its subfolders. Links are not followed.
    `Path.rglob` fails where folders are nested deep.
    """
    waiting = [folder] if is_folder(folder) else []
    while waiting:
        with suppress(PermissionError):
            for path in waiting.pop().iterdir():
                yield path
                if is_folder(path) and not path.is_symlink():
                    waiting.append(path)


_MOST_NAMES: Final = 5000  # of a folder, to which a name that is not in it is compared


def path_like(path: Path) -> Path | None:
    """Return the path that one which does not exist was probably meant for: the same with slashes
    for the back-slashes of Windows, or one with a name that is spelled like it, has another case,
    or a suffix. None if there is none.
    """
    slashed = Path(str(path).replace("\\", "/"))
    try:
        if slashed.exists():
            return slashed
        folder = slashed.parent if slashed.parent.is_dir() else path_like(slashed.parent)
        if folder is None or slashed.name in ("", ".."):
            return None
        names = [name for name in islice(os.listdir(folder), _MOST_NAMES) if name[0] not in ".~"]  # noqa: PTH208 - names alone
    except (OSError, ValueError, RecursionError):
        return None
    by_key: dict[str, str] = {}
    for name in sorted(names):
        by_key.setdefault(_key(name), name)
        by_key.setdefault(_key(Path(name).stem), name)
    key = _key(slashed.name)
    like = by_key.get(key) or by_key.get(nearest(_key(slashed.stem), by_key), "")
    return folder / like if like else None


def _key(name: str) -> str:
    return alike(name).casefold()
