"""The targets of fuzzing: make an input from bytes, and check its laws. An input that breaks a law
can be shown and minimized.
"""

from __future__ import annotations

import random
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fuzz import contents, documents, formulas, laws, packages
from fuzz.source import Source

# in what a law says
_WORDS_OF_THE_INPUT = re.compile(r"\(.*?\)|'.*?'|\".*?\"|:.*|\w*\d\w*", re.DOTALL)


class Target(NamedTuple):
    build: Callable[[Source], Any]
    check: Callable[[Any], None]
    show: Callable[[Any], str] = repr
    seeds: Callable[[], Iterator[bytes]] = lambda: iter(())
    longest: int = 1500  # bytes


TARGETS = {
    "package": Target(packages.bytes_of, packages.check_bytes, seeds=packages.seeds, longest=8000),
    "archive": Target(packages.archive, packages.check_bytes),
    "imported": Target(
        packages.imported, packages.check_bytes, seeds=packages.imported_seeds, longest=8000
    ),
    "body": Target(documents.body, documents.check, documents.show),
    "numbering": Target(documents.numbering, documents.check, documents.show),
    "tables": Target(documents.tables, documents.check, documents.show),
    "equations": Target(formulas.build, formulas.check, formulas.show),
    "markup": Target(contents.markup, contents.check_markup, contents.show),
    "sidecar": Target(contents.sidecar, contents.check_sidecar, contents.show_files),
}


def once(target: Target, data: bytes) -> None:
    target.check(target.build(Source(data)))


def fault(target: Target, data: bytes) -> str:
    """Return a description of the exception that these bytes cause and its place, the same for the
    same fault; "" without one.
    """
    try:
        once(target, data)
    except Exception as error:  # noqa: BLE001 - whatever it is
        frame = traceback.extract_tb(error.__traceback__)[-1]
        told = (
            _WORDS_OF_THE_INPUT.sub("", str(error)).split()
            if isinstance(error, laws.LawBrokenError)
            else []
        )
        return " ".join(
            [type(error).__name__, *told, "in", f"{Path(frame.filename).name}:{frame.lineno}"]
        )
    return ""


def smaller(target: Target, data: bytes) -> bytes:
    """Minimize an input: remove the bytes that the fault does not need, or set them to zero."""
    wanted = fault(target, data)
    size = max(len(data) // 2, 1)
    while size:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + size :]
            plainer = data[:at] + bytes(len(data[at : at + size])) + data[at + size :]
            if fault(target, shorter) == wanted:
                data = shorter
                continue
            if plainer != data and fault(target, plainer) == wanted:
                data = plainer
            at += size
        size //= 2
    return data


def random_inputs(target: Target, count: int, seed: int) -> Iterator[bytes]:
    """Yield seeds with some bytes changed, or random bytes if the target has no seeds."""
    chance = random.Random(seed)  # noqa: S311 - the same inputs every time
    seeds = list(target.seeds())
    yield from [b"", *seeds]
    for _ in range(count):
        data = bytearray(
            chance.choice(seeds) if seeds else chance.randbytes(chance.randint(1, target.longest))
        )
        for _ in range(chance.randint(1, 30) if seeds else 0):
            at = chance.randint(0, len(data))
            data[at : at + chance.choice((0, 1, 1, 40))] = chance.randbytes(
                chance.choice((0, 1, 1, 4))
            )
        yield bytes(data)
