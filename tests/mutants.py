"""Apply each mutation of mutants.txt in a copy of the repository, and run the test file that should
fail.

    python tests/mutants.py                # all of them, some minutes
    python tests/mutants.py merge tables   # those whose path contains one of the words

Prints a line for each mutant: killed or survived. Exits with 1 if a mutant survived, or if the list
does not fit the code.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

ROOT = Path(__file__).parents[1]
_COPIED = ("docxchunk", "fixtures", "schemas", "tests", "pyproject.toml")

_SECONDS = 120  # for one test file


class Mutant(NamedTuple):
    path: str
    test: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}: {self.old.strip()} -> {self.new.strip()}  ({self.test})"


def read(text: str) -> Iterator[Mutant]:
    """Return the mutants of a list; mutants.txt describes the format."""
    path = test = old = ""
    for line in text.splitlines():
        sign, _, rest = line.partition(" ")
        if sign == "@":
            path, _, test = rest.partition(" | ")
        elif sign == "-":
            old = rest
        elif sign == "+":
            yield Mutant(path, test, old, rest)


class Copy:
    """A copy of the repository that can be changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in _COPIED:
            source = ROOT / name
            shutil.copytree(source, folder / name) if source.is_dir() else shutil.copy(
                source, folder
            )
        self.passes = cache(self._passes)

    def outcome(self, mutant: Mutant) -> str:
        """Return "killed", "survived", or the reason why the mutant cannot be tried."""
        path = self._folder / mutant.path
        code = path.read_text("utf-8")
        if code.count(mutant.old) != 1:
            return f"occurs {code.count(mutant.old)} times in the code"
        if not self.passes(mutant.test):
            return "its test fails without the mutation"
        try:
            _write(path, code.replace(mutant.old, mutant.new))
            return "survived" if self._passes(mutant.test) else "killed"
        finally:
            _write(path, code)

    def _passes(self, test: str) -> bool:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-p",
            "no:cacheprovider",
            "--override-ini",
            "addopts=--import-mode=importlib",
            test,
        ]
        environment = os.environ | {"PYTHONPATH": str(self._folder)}
        try:
            return (
                subprocess.run(
                    command,
                    cwd=self._folder,
                    env=environment,
                    capture_output=True,
                    check=False,
                    timeout=_SECONDS,
                ).returncode
                == 0
            )
        except subprocess.TimeoutExpired:  # a mutant that never ends is noticed too
            return False


def _write(path: Path, code: str) -> None:
    """Write a module and remove its bytecode, which would count as current for a source of the same
    size and second.
    """
    path.write_text(code, "utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def main(words: list[str]) -> int:
    mutants = [
        mutant
        for mutant in read((ROOT / "tests" / "mutants.txt").read_text("utf-8"))
        if not words or any(word in mutant.path for word in words)
    ]
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        for mutant in mutants:
            outcome = copy.outcome(mutant)
            killed += outcome == "killed"
            click.echo(f"{outcome}: {mutant}")
    click.echo(f"{killed} of {len(mutants)} killed")
    return int(killed < len(mutants))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
