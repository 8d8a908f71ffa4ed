"""Folders and files that are there whole or not at all, whenever the process is killed.

Each is made under a hidden name beside its place, `.docxchunk-HASH.new`, and then renamed. The maker holds a lock on it, which ends with the process: what
a killed run left is found by its name and its missing lock, and used again. Nothing is forced to the disk: after a power cut the file system decides.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from docxchunk.errors import OutputError, StorageError

if sys.platform != "win32":
    import fcntl


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """An empty folder to fill. When the block ends well it stands at `target`, in place of what was there; else nothing of it is left."""
    with parents(target), _sentences(target):
        fresh, old = _beside(target, "new"), _beside(target, "old")
        _refuse(target, folder=True)
        _restore(old, target)
        fresh.mkdir(exist_ok=True)
        with _claimed(fresh), _gone_on_failure(fresh):
            _clear(fresh)
            yield fresh
            _put(fresh, target, old)


@contextmanager
def new_file(target: Path) -> Iterator[BinaryIO]:
    """The same for a file."""
    with _sentences(target):
        fresh = _beside(target, "new")
        _refuse(target.parent, folder=True)
        _refuse(target, folder=False)
        fresh.touch()
        with _claimed(fresh), _gone_on_failure(fresh):
            with fresh.open("wb") as file:
                yield file
            fresh.replace(target)


def sweep(target: Path) -> None:
    """Takes away what a killed run left of `target`, if anything."""
    fresh, old = _beside(target, "new"), _beside(target, "old")
    try:
        _restore(old, target)
        if fresh.exists():
            with _claimed(fresh), _gone_on_failure(fresh):
                _remove(fresh)
    except OSError:
        return


def is_unfinished(name: str) -> bool:
    """Is it the name of something that a killed run left?"""
    return name.startswith(_HIDDEN)


_HIDDEN = ".docxchunk-"


def _beside(target: Path, end: str) -> Path:
    """Short however long the name is, and the same next time."""
    digest = hashlib.md5(os.fsencode(target.name), usedforsecurity=False).hexdigest()
    return target.with_name(f"{_HIDDEN}{digest[:16]}.{end}")


def _refuse(target: Path, *, folder: bool) -> None:
    """A link could lead the output anywhere; a file in the way of a folder is not ours to delete."""
    if target.is_symlink():
        raise OutputError(f"{target} is a symbolic link: nothing is written through it.")
    if target.exists() and target.is_dir() is not folder:
        raise OutputError(f"{target} is in the way: a {'file' if folder else 'folder'} of that name.")


@contextmanager
def _claimed(path: Path) -> Iterator[None]:
    """The lock on it. Raises BlockingIOError where another process has it."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not path.exists() or not os.path.samestat(os.fstat(descriptor), path.stat()):
            raise BlockingIOError  # its maker has just put it into place
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _gone_on_failure(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        _remove(path)
        raise


@contextmanager
def parents(target: Path) -> Iterator[None]:
    """The folders above `target`, made where they are missing; where the block fails, those that were made go again if nothing is in them."""
    missing = [folder for folder in target.parents if not folder.exists()]
    try:
        with _sentences(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def _sentences(target: Path) -> Iterator[None]:
    """What the operating system says, as a sentence about `target`."""
    try:
        yield
    except BlockingIOError as error:
        raise OutputError(f"{target} is being written by another run.") from error
    except OSError as error:
        kind = StorageError if _is_of_all(error, target) else OutputError
        raise kind(f"{target} cannot be written: {error.strerror or error}.") from error


def _is_of_all(error: OSError, target: Path) -> bool:
    """Would anything else written beside `target` fail, too?"""
    if error.errno in (errno.EACCES, errno.EPERM):
        folder = next(folder for folder in target.absolute().parents if folder.exists())
        return not os.access(folder, os.W_OK | os.X_OK)
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def _put(fresh: Path, target: Path, old: Path) -> None:
    """Renames; the old folder is away only when the new one is there."""
    if not target.exists():
        fresh.rename(target)
    elif _exchange(fresh, target):
        _remove(fresh)
    else:
        target.rename(old)
        fresh.rename(target)
        _remove(old)


def _restore(old: Path, target: Path) -> None:
    """Ends what a run that was killed between two renames began."""
    if old.is_dir() and not target.exists():
        old.rename(target)
    _remove(old)


_AT_FDCWD, _SWAP = -100, 2


def _exchange(one: Path, other: Path) -> bool:
    """Swaps two names in one step, where the system can: renameat2 of Linux, renamex_np of macOS."""
    import ctypes  # not for the first writing of a folder

    names = os.fsencode(one), os.fsencode(other)
    try:
        libc = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(libc.renamex_np(*names, _SWAP) == 0)
        return bool(libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _SWAP) == 0)
    except (AttributeError, OSError, TypeError):
        return False


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        _remove(entry)


def _remove(path: Path) -> None:
    """A file, a link or a folder, gone as far as it can be; a link is not followed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
