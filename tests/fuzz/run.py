"""Coverage-guided fuzzing, for hours if you like: `python tests/fuzz/run.py TARGET --seconds 3600`
(`pip install "docxchunk[fuzz]"`).

    run.py TARGET [--seconds N] [--runs N] [--seed N] [--corpus DIR] [--found DIR]
    run.py TARGET FILE...        shows what these inputs are and what is wrong with them

The targets are in targets.py. Each fault is said once, with its smallest input, and the run goes
on; the inputs are kept in --found, and what reaches new code in --corpus, so that the next run
begins where this one ended. Exit code of a run with FILEs: 1 if one has a fault.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

sys.path[:1] = [str(Path(__file__).parents[1])]  # in place of this folder: its modules are fuzz.*

if TYPE_CHECKING:
    from fuzz.targets import Target

FOUND = "FOUND"  # begins the line of each fault
_TOO_LONG = 20  # seconds for one input


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--found", type=Path)
    given = parser.parse_args(arguments)
    if given.files:
        return _explain(given.target, given.files)
    with TemporaryDirectory() as scratch:
        corpus = given.corpus or Path(scratch)
        corpus.mkdir(parents=True, exist_ok=True)
        _fuzz(given, corpus)
    return 0


def _explain(name: str, files: list[Path]) -> int:
    from fuzz.source import Source
    from fuzz.targets import TARGETS, fault

    target = TARGETS[name]
    faults = [fault(target, file.read_bytes()) for file in files]
    for file, found in zip(files, faults, strict=True):
        sys.stdout.write(
            f"{file}: {found or 'well'}\n{target.show(target.build(Source(file.read_bytes())))}\n"
        )
    return int(any(faults))


def _fuzz(given: argparse.Namespace, corpus: Path) -> None:
    import atheris

    with warnings.catch_warnings(), atheris.instrument_imports(include=["docxchunk"]):
        warnings.simplefilter("ignore")
        from fuzz.targets import TARGETS

    target = TARGETS[given.target]
    for number, data in enumerate(target.seeds()):
        (corpus / f"seed{number}").write_bytes(data)
    seen: set[str] = set()

    def one(data: bytes) -> None:
        _tell(given, target, data, seen)

    bounds = [f"-runs={given.runs}", f"-max_total_time={given.seconds}"]
    settings = [
        f"-seed={given.seed}",
        f"-max_len={target.longest}",
        f"-timeout={_TOO_LONG}",
        "-rss_limit_mb=2048",
        "-len_control=20",
    ]
    atheris.Setup([sys.argv[0], *bounds, *settings, str(corpus)], one)
    atheris.Fuzz()


def _tell(given: argparse.Namespace, target: Target, data: bytes, seen: set[str]) -> None:
    """Report a new fault with its minimized input."""
    from fuzz.source import Source
    from fuzz.targets import fault, smaller

    found = fault(target, data)
    if not found or found in seen:
        return
    seen.add(found)
    small = smaller(target, data)
    sys.stdout.write(
        f"{FOUND} {given.target}: {found}\n{small!r}\n{target.show(target.build(Source(small)))}\n"
    )
    sys.stdout.flush()
    if given.found:
        given.found.mkdir(parents=True, exist_ok=True)
        (
            given.found / f"{given.target}-{hashlib.blake2b(small, digest_size=4).hexdigest()}"
        ).write_bytes(small)


if __name__ == "__main__":
    sys.exit(main())
