"""Atomic writing: even if the process is killed, files and folders are either complete or absent.

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
from pathlib import Path
from typing import BinaryIO

from docxchunk.errors import OutputError, StorageError
from docxchunk.sidecar.names import is_folder

if sys.platform != "win32":
    import fcntl


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
        with _locked(fresh, create=True), _removed_on_failure(fresh):
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
            stack.enter_context(_locked(lock, partial(_make_parent, lock), create=True))
            stack.callback(_remove, lock)
        except BlockingIOError:
            with _sentences(target):
                raise
        except OSError:  # what is written there later says why it cannot be
            pass
        yield


def _make_parent(path: Path) -> None:
    if not is_folder(path.parent):  # another run may have removed it
        path.parent.mkdir(parents=True, exist_ok=True)


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
    try:
        mode = target.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISLNK(mode):
        raise OutputError(f"{target} is a symbolic link: nothing is written through it.")
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise OutputError(
            f"{target} is a device or a pipe: only files are written, and standard output."
        )
    if stat.S_ISDIR(mode) is not folder:
        raise OutputError(
            f"{target} is in the way: a {'file' if folder else 'folder'} of that name."
        )


_PATIENCE = 30.0  # seconds to wait for another run
_PAUSE = 0.02  # seconds between two attempts


@contextmanager
def _locked(
    path: Path, make: Callable[[], None] | None = None, *, create: bool = False
) -> Iterator[None]:
    """Hold the lock on a path. With `make`, make it, and with `create`, create a file if there is
    none; then wait while another process holds it. Raise BlockingIOError if the process does not
    let go.
    """
    if sys.platform == "win32":
        if make is not None:
            make()
        if create:
            path.touch()
        yield
        return
    end = time.monotonic() + (_PATIENCE if make or create else 0)
    while (descriptor := _lock(path, make, create=create)) is None:
        if time.monotonic() >= end:
            raise BlockingIOError
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(path: Path, make: Callable[[], None] | None, *, create: bool) -> int | None:
    """Make and lock a path, and return its descriptor; None if another process holds the lock, or
    has just renamed or removed the path.
    """
    if make is not None:
        make()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | create * os.O_CREAT, 0o666)
    except FileNotFoundError:
        if create:  # its folder is gone
            raise
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
            if not is_folder(target.parent):
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
    if not os.path.lexists(old):
        return
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
