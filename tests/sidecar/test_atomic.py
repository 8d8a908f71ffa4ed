"""Atomic writing of folders and atomic."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from threading import Timer

import pytest

from docxchunk.errors import OutputError, StorageError
from docxchunk.sidecar import atomic
from docxchunk.sidecar.atomic import _remove, new_file, new_folder, sweep

FOREVER = """
import sys, time
from pathlib import Path
from docxchunk.sidecar.atomic import new_folder
target = Path(sys.argv[1])
while True:
    for word in ("one", "two"):
        with new_folder(target) as folder:
            for name in "abcdefgh":
                (folder / name).write_text(word)
"""
STUCK = """
import sys, time
from pathlib import Path
from docxchunk.sidecar import atomic
with getattr(atomic, sys.argv[1])(Path(sys.argv[2])):
    print(flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(params=["exchange", "two renames"])
def _both_ways(request, monkeypatch):
    """Run each test with and without the system call that exchanges two names."""
    if request.param == "two renames":
        monkeypatch.setattr(atomic, "_exchange", lambda *_: False)


def fill(target, text):
    with new_folder(target) as folder:
        (folder / "file").write_text(text)


@pytest.mark.usefixtures("_both_ways")
def test_folder_replaces_an_older_one(tmp_path):
    target = tmp_path / "out"
    for text in ("one", "two"):
        fill(target, text)
        assert (target / "file").read_text() == text
        assert os.listdir(tmp_path) == ["out"]


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("fault", [OSError, ValueError, KeyboardInterrupt, MemoryError])
def test_error_leaves_the_old_folder(tmp_path, fault):
    target = tmp_path / "out"
    fill(target, "old")
    with pytest.raises((OutputError, fault)), new_folder(target) as folder:
        (folder / "file").write_text("new")
        raise fault
    assert (target / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("seed", range(5))
def test_after_a_kill_the_old_or_new_folder_exists(tmp_path, seed):
    target = tmp_path / "out"
    process = subprocess.Popen([sys.executable, "-c", FOREVER, str(target)])
    while not target.exists():
        time.sleep(0.002)
    time.sleep(0.005 + 0.007 * seed)
    process.kill()
    process.wait()
    assert len({(target / name).read_text() for name in "abcdefgh"}) == 1
    fill(target, "next")
    assert os.listdir(tmp_path) == ["out"]
    assert os.listdir(target) == ["file"]


def stopped(step, write, *, after):
    """Call `write` in a process that ends before or after its rename or removal number `step`, as
    if it were killed. Return whether it had so many.
    """
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9
    left = step

    def hook(event, arguments):
        nonlocal left
        if event in {"os.rename", "os.remove", "os.rmdir", "os.mkdir"}:
            left -= 1
            if left == -1:
                if after and event == "os.rename":
                    Path(arguments[0]).rename(arguments[1])
                os._exit(9)

    try:
        sys.addaudithook(hook)
        write()
    finally:
        os._exit(0)


def write_file(target, text):
    with new_file(target) as file:
        file.write(text.encode())


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("before", ["", "old"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("write", "name"), [(fill, "out/file"), (write_file, "out")])
def test_after_a_stop_at_any_step_the_old_or_the_new_is_whole(tmp_path, write, name, after, before):
    target = tmp_path / "out"
    for step in count():
        if before:
            write(target, before)
        was_stopped = stopped(step, lambda: write(target, "new"), after=after)
        sweep(target)
        there = (tmp_path / name).read_text() if target.exists() else ""
        assert there in ({before, "new"} if was_stopped else {"new"})
        assert set(os.listdir(tmp_path)) <= {"out"}
        if not was_stopped:
            break
        _remove(target)


def stuck(begin, target):
    """Return another run that has begun and waits for the end of its standard input."""
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, begin, str(target)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
    )
    process.stdout.readline()
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="no locks on folders")
@pytest.mark.parametrize("begin", ["new_folder", "new_file", "claimed"])
def test_a_run_that_another_one_holds_up_says_so(tmp_path, monkeypatch, begin):
    monkeypatch.setattr(atomic, "_PATIENCE", 0.1)
    target = tmp_path / "out"
    with stuck(begin, target) as process:
        with (
            pytest.raises(OutputError, match="being written by another run"),
            getattr(atomic, begin)(target),
        ):
            pass
        sweep(target)
        assert len(os.listdir(tmp_path)) == 1  # the file of the other run
        process.send_signal(signal.SIGKILL)
    sweep(target)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no locks on folders")
@pytest.mark.parametrize("begin", ["new_folder", "new_file", "claimed"])
def test_a_run_waits_for_another_one(tmp_path, begin):
    target = tmp_path / "out"
    with stuck(begin, target) as process:
        Timer(0.1, process.stdin.close).start()
        with getattr(atomic, begin)(target):
            assert process.wait() == 0
    assert os.listdir(tmp_path) == ([] if begin == "claimed" else ["out"])


def test_links_are_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="symbolic link"):
        fill(tmp_path / "out", "text")
    with pytest.raises(OutputError, match="symbolic link"), new_file(tmp_path / "out" / "file"):
        pass
    assert os.listdir(tmp_path / "elsewhere") == []


def test_link_with_the_hidden_name_is_not_followed(tmp_path):
    target = tmp_path / "out"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "kept").touch()
    atomic._hidden_path(target, "new").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError):
        fill(target, "text")
    assert os.listdir(tmp_path / "elsewhere") == ["kept"]


def test_file_in_the_way_is_not_deleted(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match="in the way"):
        fill(tmp_path / "out", "text")
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.ENOSPC, StorageError),
        (errno.EROFS, StorageError),
        (errno.EDQUOT, StorageError),
        (errno.EFBIG, OutputError),
    ],
)
def test_storage_errors_are_distinguished_and_leave_nothing(tmp_path, code, kind):
    with (
        pytest.raises(OutputError, match="cannot be written") as caught,
        new_folder(tmp_path / "new" / "deep" / "a.parsed") as folder,
    ):
        (folder / "half").write_text("half")
        raise OSError(code, os.strerror(code))
    assert type(caught.value) is kind
    assert os.listdir(tmp_path) == []


def test_what_a_killed_run_left_is_not_in_the_new_folder(tmp_path):
    target = tmp_path / "out"
    left = atomic._hidden_path(target, "new")
    (left / "sub").mkdir(parents=True)
    (left / "half").touch()
    fill(target, "text")
    assert os.listdir(target) == ["file"]
    assert os.listdir(tmp_path) == ["out"]
