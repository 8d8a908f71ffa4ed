"""Apply each mutant of mutants.txt, and run the tests that should fail with it.

    python tests/mutants.py                # all of them
    python tests/mutants.py merge tables   # those whose file or tests contain one of the words
    python tests/mutants.py --killers ...  # name the test that fails

Print a line for each mutant that survives or does not fit the code, and exit with 1 if there is one.
Mutants whose tests need a library that is not installed are named and left out.

Each mutant has a process of its own, forked from one that has imported pytest and the libraries, so
that it takes little more than its tests. Nothing is written: the import system replaces the code.
Processes that the tests start have the code of the file. They import `__main__` again, so a script
that imports this one calls `failures` below `if __name__ == "__main__"`.
"""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import islice
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

import click
import pytest

ROOT = Path(__file__).parents[1]

# for the tests of a mutant; one that never ends or grows without end counts as killed
_CPU_SECONDS = 60
_BYTES = 8 << 30
_SECONDS = 600
_NO_TEST_RAN = "no test ran"
_LIBRARIES = tuple(
    """
    hypothesis.strategies jinja2 jsonschema lxml.etree numpy orjson rich scipy.special
    tiktoken tokenizers
""".split()
)


class Mutant(NamedTuple):
    path: str
    tests: tuple[str, ...]
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}: {self.old.strip()} -> {self.new.strip()}  ({' '.join(self.tests)})"


def read(text: str) -> Iterator[Mutant]:
    """Return the mutants of a list; mutants.txt describes the format."""
    path = old = ""
    tests: tuple[str, ...] = ()
    for line in text.splitlines():
        sign, _, rest = line.partition(" ")
        if sign == "@":
            path, _, names = rest.partition(" | ")
            tests = tuple(names.split())
        elif sign == "-":
            old = rest
        elif sign == "+":
            yield Mutant(path, tests, old, rest)


def _places(mutant: Mutant) -> Iterator[tuple[Path, str]]:
    """Yield the file and its code for each place where the old text stands in a file or folder."""
    place = ROOT / mutant.path
    for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
        code = path.read_text("utf-8") if path.is_file() else ""
        yield from [(path, code)] * code.count(mutant.old)


class _MutantLoader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: str) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the name of the interface
        return compile(self._code, self.path, "exec", dont_inherit=True)


class _MutantFinder(MetaPathFinder):
    """Finds one module, with other code than that of its file. It is a plug-in of pytest, so that
    it stands before the finder of pytest, which rewrites asserts in the code of the file.
    """

    def __init__(self, path: Path, code: str) -> None:
        self._path, self._code = path, code

    def pytest_configure(self) -> None:
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin != str(self._path):
            return None
        spec.loader = _MutantLoader(fullname, str(self._path), self._code)
        return spec


class _FirstFailure:
    """A plug-in of pytest that writes the name of the first test that fails."""

    def __init__(self, out: int) -> None:
        self._out = out

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self._out, report.nodeid.encode())

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            os.write(self._out, report.nodeid.encode())


class Job(NamedTuple):
    """Tests to run, with the code of one file replaced."""

    tests: tuple[str, ...]
    path: Path | None = None
    code: str = ""


class _Started(NamedTuple):
    job: Job
    process: int
    pipe: int  # of the name of the test that fails
    deadline: float


def failures(jobs: Iterable[Job], at_once: int) -> Iterator[tuple[Job, str]]:
    """Run each job in a process. Yield it with the name of the first test that fails, "" if none
    does; in the order in which they end.
    """
    waiting, running = iter(jobs), list[_Started]()
    while True:
        for job in islice(waiting, at_once - len(running)):
            running.append(_start(job))
        if not running:
            return
        for started in running[:]:
            ended, status = os.waitpid(started.process, os.WNOHANG)
            if not ended and time.monotonic() > started.deadline:
                os.kill(started.process, signal.SIGKILL)
                ended, status = os.waitpid(started.process, 0)
            if ended:
                running.remove(started)
                with open(started.pipe, encoding="utf-8") as pipe:  # noqa: PTH123 - a descriptor
                    failed = pipe.read()
                yield started.job, failed or _reason(os.waitstatus_to_exitcode(status))
        time.sleep(0.01)


def _reason(exit_code: int) -> str:
    if exit_code == pytest.ExitCode.NO_TESTS_COLLECTED:
        return _NO_TEST_RAN
    return f"exit code {exit_code}" if exit_code else ""


def _start(job: Job) -> _Started:
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        os._exit(_in_child(job, writing))
    os.close(writing)
    return _Started(job, process, reading, time.monotonic() + _SECONDS)


def _in_child(job: Job, out: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT)]
    finder = [] if job.path is None else [_MutantFinder(job.path, job.code)]
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    try:
        return pytest.main(
            [
                *"-x -q -p no:cacheprovider -p no:xdist".split(),
                *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # hypothesis is imported
                *("--override-ini", "addopts=--import-mode=importlib", *job.tests),
            ],
            plugins=[_FirstFailure(out), *finder],
        )
    except BaseException:  # noqa: BLE001 - a mutant may do anything
        return 3


def _warm() -> None:
    """Import the libraries that the tests need, but nothing of the project."""
    for name in _LIBRARIES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    assert not any(name.partition(".")[0] == "docxchunk" for name in sys.modules)


def main(words: list[str]) -> int:
    killers = "--killers" in words
    words = [word for word in words if word != "--killers"]
    mutants = [
        mutant
        for mutant in read((ROOT / "tests" / "mutants.txt").read_text("utf-8"))
        if not words or any(word in " ".join((mutant.path, *mutant.tests)) for word in words)
    ]
    _warm()
    at_once = len(os.sched_getaffinity(0))
    unchanged = dict(failures({Job(mutant.tests) for mutant in mutants}, at_once))
    for mutant in mutants[:]:
        if unchanged[Job(mutant.tests)] == _NO_TEST_RAN:
            click.echo(f"left out, a library is missing: {mutant}")
            mutants.remove(mutant)
    jobs: dict[Job, Mutant] = {}
    results: dict[Mutant, str] = {}
    for mutant in mutants:
        if failed := unchanged[Job(mutant.tests)]:
            results[mutant] = f"{failed} fails without the mutation"
        elif len(places := [*_places(mutant)]) != 1:
            results[mutant] = f"occurs {len(places)} times in the code"
        else:
            ((path, code),) = places
            jobs[Job(mutant.tests, path, code.replace(mutant.old, mutant.new))] = mutant
    for mutant, result in results.items():
        click.echo(f"{result}: {mutant}")
    killed = 0
    for job, failed in failures(jobs, at_once):
        killed += bool(failed)
        if killers or not failed:
            click.echo(f"{f'killed by {failed}' if failed else 'survived'}: {jobs[job]}")
    click.echo(f"{killed} of {len(mutants)} killed")
    return int(killed < len(mutants))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
