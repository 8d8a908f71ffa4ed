"""What a suite compares, and the scores that its sets have. Its file: see `benchmarks.evaluate`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docxchunk.batch.validation import faults
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.lab.evaluation.runs import Cuts, Half

SCHEMA: Final = Path(__file__).with_name("suite.schema.json")


@dataclass(frozen=True, slots=True)
class Set:
    """A set of questions. `data` is the name under which the user gives its path."""

    name: str
    loader: str
    data: str
    pooled: bool
    half: Half = Half.ALL
    held_out: Half = Half.TEST


class Primary(NamedTuple):
    """The comparison that was named before it was measured."""

    chunker: str
    than: str
    size: int
    path: str
    retriever: str


@dataclass(frozen=True, slots=True)
class Suite:
    title: str
    strategies: tuple[str, ...]
    sizes: tuple[int, ...]
    sets: tuple[Set, ...]
    baseline: str
    equal_sizes: bool = True
    retrievers: tuple[str, ...] = ("bm25",)
    paths: tuple[str, ...] = ("none",)
    budgets: tuple[int, ...] = (1000, 2000, 4000)
    pairs: tuple[tuple[str, str], ...] = ()
    chunkers: Mapping[str, str] = field(default_factory=dict)
    pipelines: Mapping[str, str] = field(default_factory=dict)
    primary: Primary | None = None
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all strategies, chunkers and pipelines."""
        return (*self.strategies, *self.chunkers, *self.pipelines)


def read_suite(path: Path) -> Suite:
    """Read a suite file. Raise MissingFileError if it cannot be read, UsageError if it is
    invalid.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise MissingFileError(
            f"The file {str(path)!r} cannot be read ({error.strerror or error})."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.name} is not TOML ({error}).") from None
    for fault in faults(content, json.loads(SCHEMA.read_bytes())):
        raise UsageError(f"{path.name}: {fault}.")
    suite = _suite(content)
    compared = [suite.baseline, *(name for pair in suite.pairs for name in pair)]
    compared += suite.primary[:2] if suite.primary else ()
    for name in compared:
        if name not in suite.names:
            raise UsageError(
                f"{path.name}: {name!r} is compared, but it is none of the strategies or chunkers."
            )
    return suite


def _suite(content: dict[str, Any]) -> Suite:
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in content.items()
    }
    values["sets"] = tuple(map(_set, content["sets"]))
    values["pairs"] = tuple(map(tuple, content.get("pairs", ())))
    values["budgets"] = tuple(sorted(content.get("budgets", (1000, 2000, 4000))))
    values["baseline"] = content.get("baseline", content["strategies"][0])
    values["primary"] = Primary(**content["primary"]) if "primary" in content else None
    return Suite(**values)


def _set(item: dict[str, Any]) -> Set:
    halves: dict[str, Any] = {
        name: Half(item[name]) for name in ("half", "held_out") if name in item
    }
    values: dict[str, Any] = {"data": item["loader"], "pooled": True, **item, **halves}
    return Set(**values)


ScoreKey = tuple[str, str, str, str]  # chunker, path, retriever, measure


READ: Final = "read"  # the measure: characters until 95 % of the answer is read; infinity: never


class Measured(NamedTuple):
    """One set at one size: chunk statistics, and the scores of the questions."""

    size: int
    cuts: Sequence[Cuts]
    scores: Mapping[ScoreKey, NDArray[np.float64]]
    lines: bytes  # of scores.jsonl


class MeasuredSet(NamedTuple):
    """A set of the suite at all sizes. `held_out` is for each question whether its documents are in
    the half that no default was chosen on.
    """

    set: Set
    clusters: Sequence[str]
    held_out: NDArray[np.bool_]
    documents: int
    left_out: int  # questions that were not asked
    sizes: Sequence[Measured]

    def at(self, size: int) -> Measured:
        return next(each for each in self.sizes if each.size == size)
