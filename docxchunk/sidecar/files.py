"""The paths of the files in a parsed folder, and atomic writing: even if the process is killed,
files and folders are either complete or absent.

Output is written under a hidden name in the same folder, `.docxchunk-HASH.new`, and then renamed.
The writer holds a lock on it, which ends with the process. The next run therefore recognises
leftovers of a killed run by their name without a lock, and reuses them; if there is a lock, it
waits. A run that reads what is there, and then writes, holds the lock on `.docxchunk-HASH.lock`.
Nothing is synced to disk, so a power failure may lose data.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import BinaryIO, Final, NamedTuple

from docxchunk.errors import OutputError, StorageError
from docxchunk.language.folding import alike
from docxchunk.model.fields import nearest
from docxchunk.model.wording import file_name, name_of, stem_of

if sys.platform != "win32":
    import fcntl

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


# -- writing


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder to fill. On success it replaces `target`, on an exception it is
    deleted. Raise OutputError if `target` cannot be written.
    """
    with _parents(target), _sentences(target):
        fresh, old = _hidden_path(target, "new"), _hidden_path(target, "old")
        _refuse(target, folder=True)
        with _locked(fresh, partial(fresh.mkdir, exist_ok=True)), _removed_on_failure(fresh):
            _restore(old, target)
            for entry in fresh.iterdir():
                _remove(entry)
            yield fresh
            _replace(fresh, target, old)


@contextmanager
def new_file(target: Path) -> Iterator[BinaryIO]:
    """Yield a file to write. On success it replaces `target`, on an exception it is deleted.
    Missing folders are made. Raise OutputError if `target` cannot be written.
    """
    with _sentences(target):
        _refuse(target.parent, folder=True)
    with _parents(target), _sentences(target):
        fresh = _hidden_path(target, "new")
        _refuse(target, folder=False)
        with _locked(fresh, fresh.touch), _removed_on_failure(fresh):
            with fresh.open("wb") as file:
                yield file
            fresh.replace(target)


def write_file(target: Path, data: bytes) -> None:
    """Write a file, as `new_file` does."""
    with new_file(target) as file:
        file.write(data)


def sweep(target: Path) -> None:
    """Finish what a killed run began: move `target` back if it was set aside, and remove its
    incomplete replacement. Errors of the file system are ignored.
    """
    fresh, old = _hidden_path(target, "new"), _hidden_path(target, "old")
    try:
        _restore(old, target)
        for path in (fresh, _hidden_path(target, "lock")):
            if path.exists():
                with _locked(path), _removed_on_failure(path):
                    _remove(path)
    except OSError:
        return


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """Let no other run read and replace `target` meanwhile: it waits. Raise OutputError if another
    run does not end in time. Without the right to write there, nothing is claimed.
    """
    lock = _hidden_path(target, "lock")
    with _parents(target), ExitStack() as stack:
        try:
            stack.enter_context(_locked(lock, partial(_touch, lock)))
            stack.callback(_remove, lock)
        except BlockingIOError:
            with _sentences(target):
                raise
        except OSError:  # what is written there later says why it cannot be
            pass
        yield


def _touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)  # another run may have removed it
    path.touch()


def is_unfinished(name: str) -> bool:
    """Return whether unfinished output has such a file name."""
    return name.startswith(_HIDDEN)


_HIDDEN = ".docxchunk-"


def _hidden_path(target: Path, end: str) -> Path:
    """Return a short hidden path in the folder of `target`, which ends in `end`. The same target
    always has the same one.
    """
    target = target if target.name else target.absolute()  # the current folder, "."
    digest = hashlib.md5(os.fsencode(target.name), usedforsecurity=False).hexdigest()
    return target.with_name(f"{_HIDDEN}{digest[:16]}.{end}")


def _refuse(target: Path, *, folder: bool) -> None:
    """Raise OutputError if `target` is a symbolic link, a device, or a file where a folder is to be
    written, or the reverse.
    """
    if target.is_symlink():
        raise OutputError(f"{target} is a symbolic link: nothing is written through it.")
    if target.exists() and not target.is_dir() and not target.is_file():
        raise OutputError(
            f"{target} is a device or a pipe: only files are written, and standard output."
        )
    if target.exists() and target.is_dir() is not folder:
        raise OutputError(
            f"{target} is in the way: a {'file' if folder else 'folder'} of that name."
        )


_PATIENCE = 30.0  # seconds to wait for another run
_PAUSE = 0.02  # seconds between two attempts


@contextmanager
def _locked(path: Path, make: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock on a path. With `make`, make it, and wait while another process holds it. Raise
    BlockingIOError if the process does not let go.
    """
    if sys.platform == "win32":
        if make is not None:
            make()
        yield
        return
    end = time.monotonic() + (_PATIENCE if make else 0)
    while (descriptor := _lock(path, make)) is None:
        if time.monotonic() >= end:
            raise BlockingIOError
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(path: Path, make: Callable[[], None] | None) -> int | None:
    """Make and lock a path, and return its descriptor; None if another process holds the lock, or
    has just renamed or removed the path.
    """
    if make is not None:
        make()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


@contextmanager
def _removed_on_failure(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        _remove(path)
        raise


@contextmanager
def _parents(target: Path) -> Iterator[None]:
    """Create the missing parent folders of `target`. On an exception, remove those created, if they
    are empty.
    """
    missing: list[Path] = []
    try:
        with _sentences(target):
            _refuse_impossible(target.parent)
            missing += (folder for folder in target.parents if not folder.exists())
            target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


def _refuse_impossible(path: Path) -> None:
    """Raise OutputError for a path that no file can have."""
    try:
        path.lstat()
    except ValueError as error:  # NUL or a lone surrogate
        raise OutputError(f"{str(path)!r} cannot be written: {error}.") from error
    except OSError:  # there is no such folder yet
        return


@contextmanager
def _sentences(target: Path) -> Iterator[None]:
    """Turn an OSError in the block into an OutputError or StorageError about `target`."""
    try:
        yield
    except BlockingIOError as error:
        raise OutputError(f"{target} is being written by another run.") from error
    except OSError as error:
        kind = StorageError if _concerns_all_files(error, target) else OutputError
        raise kind(f"{target} cannot be written: {error.strerror or error}.") from error


def _concerns_all_files(error: OSError, target: Path) -> bool:
    """Return whether writing any other file next to `target` would fail, too."""
    if error.errno in (errno.EACCES, errno.EPERM):
        folder = next(folder for folder in target.absolute().parents if folder.exists())
        return not os.access(folder, os.W_OK | os.X_OK)
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def _replace(fresh: Path, target: Path, old: Path) -> None:
    """Rename `fresh` to `target`. Only then delete what was at `target` before."""
    if not target.exists():
        fresh.rename(target)
    elif _exchange(fresh, target):
        _remove(fresh)
    else:
        target.rename(old)
        fresh.rename(target)
        _remove(old)


def _restore(old: Path, target: Path) -> None:
    """Restore the old folder if a run was killed between the two renames of `_replace`."""
    if old.is_dir() and not target.exists():
        old.rename(target)
    _remove(old)


_AT_FDCWD, _SWAP = -100, 2


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names atomically with renameat2 (Linux) or renamex_np (macOS). Return False if that
    is not possible.
    """
    import ctypes  # not needed when a folder is written for the first time

    names = os.fsencode(one), os.fsencode(other)
    try:
        libc = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(libc.renamex_np(*names, _SWAP) == 0)
        return bool(libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _SWAP) == 0)
    except (AttributeError, OSError, TypeError):
        return False


def _remove(path: Path) -> None:
    """Delete a file, link or folder as far as possible. Links are not followed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
        names = [each for each in islice(os.listdir(folder), _MOST_NAMES) if each[0] not in ".~"]  # noqa: PTH208 - names alone
    except (OSError, ValueError, RecursionError):
        return None
    by_key: dict[str, str] = {}
    for name in sorted(names):
        by_key.setdefault(_key(name), name)
        by_key.setdefault(_key(Path(name).stem), name)
    wanted = _key(slashed.name)
    like = by_key.get(wanted) or by_key.get(nearest(_key(slashed.stem), by_key), "")
    return folder / like if like else None


def _key(name: str) -> str:
    return alike(name).casefold()
