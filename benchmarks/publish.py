"""Run suites and publish their results beside them: NAME.csv (the figures), NAME.md (the report),
NAME.sha256; then docs/evaluation.md and its charts.

    python -m benchmarks.publish benchmarks/suites/bm25.toml -j 2 --dataset telco=TELCO --dataset
    stard=STARD ...

The options are those of `benchmarks.evaluate`; of the data sets each suite gets those that it
reads. Scores and reports are written to `build/NAME`.
"""

from __future__ import annotations

import csv
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import product
from math import copysign
from pathlib import Path
from typing import NamedTuple

from benchmarks.evaluate import command, read_suite

ROOT = Path(__file__).parents[1]
SUITES = tuple(sorted((ROOT / "benchmarks" / "suites").glob("*.toml")))
PAGE = ROOT / "docs" / "evaluation.md"
BUILD = ROOT / "build"
_CHARACTERS = 4000  # of ranked text; the tables of the page have the recall in these
_LARGEST = 3  # losses that are listed of each suite, besides those whose interval is below 0
_WIDTH, _NAMES, _ROW, _CELL, _GAP = 860, 200, 18, 30, 16  # of charts, in pixels


# -- tables


class Gain(NamedTuple):
    """The recall of the baseline minus that of another chunker, in points, with its 95 %
    interval.
    """

    set: str
    tokens: int
    retriever: str
    characters: int
    other: str
    mean: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Whether the interval excludes 0. Its ends are rounded: -0.0 is below 0."""
        return self.low != self.high and copysign(1, self.low) == copysign(1, self.high)

    def __str__(self) -> str:
        return f"{self.mean:+.1f} [{self.low:+.1f}, {self.high:+.1f}]"


class Figures:
    """The figures of a published suite. `rows` are the lines of its CSV file as they are."""

    def __init__(self, file: Path) -> None:
        self.suite = read_suite(file)
        self.rows = tuple(csv.DictReader(file.with_suffix(".csv").read_text("utf-8").splitlines()))
        self.sets = _each(row["set"] for row in self.rows)
        self.retrievers = _each(row["retriever"] for row in self.rows)
        self.others = tuple(name for name in self.suite.names if name != self.suite.baseline)
        self.gains = tuple(
            map(_gain, (row for row in self.rows if row["than"] == self.suite.baseline))
        )

    @property
    def measured(self) -> str:
        return f"{_CHARACTERS:,} characters ({self.retrievers[-1]}, {self.sets[-1]})"

    def of_the_mean(self, tokens: int) -> list[Gain]:
        """Return the gains in the mean of the sets and of the retrievers, in 4,000 characters."""
        key = (self.sets[-1], tokens, self.retrievers[-1], _CHARACTERS)
        return [gain for gain in self.gains if gain[:4] == key]

    def recall(self, chunker: str, tokens: int) -> str:
        key = (self.sets[-1], str(tokens), self.retrievers[-1], str(_CHARACTERS), chunker)
        return next(row["recall"] for row in self.rows if tuple(row.values())[:5] == key)


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _gain(row: dict[str, str]) -> Gain:
    mean, low, high = (-float(row[name]) for name in ("difference", "high", "low"))
    return Gain(
        row["set"],
        int(row["tokens"]),
        row["retriever"],
        int(row["characters"]),
        row["chunker"],
        mean,
        low,
        high,
    )


def overview() -> Iterator[str]:
    """Yield the section of each suite: recall in the mean, the chart, and where the baseline finds
    less.
    """
    for file in SUITES:
        if not file.with_suffix(".csv").is_file():
            yield f"`{file.name}` is not published yet.\n"
            continue
        figures = Figures(file)
        sizes, baseline = figures.suite.sizes, figures.suite.baseline
        yield (
            f"### {figures.suite.title}\n\nRecall in {figures.measured}, in percent; in "
            f"brackets {baseline} minus the other, in points.\n"
        )
        yield from _table(("chunker", *(f"{size} tokens" for size in sizes)))
        yield _line(baseline, *(figures.recall(baseline, size) for size in sizes))
        for gains in zip(*map(figures.of_the_mean, sizes), strict=True):
            yield _line(
                f"`{gains[0].other}`",
                *(f"{figures.recall(gain.other, gain.tokens)} ({gain})" for gain in gains),
            )
        yield f"\n![{baseline} minus the others, set by set](evaluation/{file.stem}.svg)\n"
        yield from _losses(figures)


def _losses(figures: Figures) -> Iterator[str]:
    """Yield the largest losses of the baseline, and those whose interval is below 0."""
    losses = sorted(
        (gain for gain in figures.gains if gain.mean <= -1), key=lambda gain: (gain.mean, gain)
    )
    below = [gain for gain in figures.gains if gain.settled and gain.high <= 0]
    yield (
        f"Against {figures.suite.baseline} by 1 point or more: {len(losses)} of "
        f"{len(figures.gains)} cells. The whole interval is below 0: {len(below)}.\n"
    )
    shown = sorted({*losses[:_LARGEST], *below}, key=lambda gain: (gain.mean, gain))
    yield from _table(("set", "than", "tokens, retriever, characters", "difference"))
    yield from (
        _line(
            gain.set,
            f"`{gain.other}`",
            f"{gain.tokens}, {gain.retriever}, {gain.characters:,}",
            str(gain),
        )
        for gain in shown
    )
    yield ""


def _table(head: tuple[str, ...]) -> Iterator[str]:
    yield _line(*head)
    yield _line("---", *("---:" for _ in head[1:]))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


# -- charts


def chart_of(file: Path) -> Path:
    return PAGE.with_suffix("") / f"{file.stem}.svg"


def chart(file: Path) -> str:
    """Return SVG: above, the gains in the mean with their intervals; below, all gains, as a table
    with colours for each size and retriever.
    """
    figures = Figures(file)
    above, top = _intervals(figures)
    below, height = _cells(figures, top + 3 * _ROW)
    style = (
        "text{font:11px "
        "sans-serif;fill:#1c222b}.small{font-size:9px}.bold{font-weight:700}.soft{fill:#556070}line{stroke:#556070}"
    )
    frame = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img"><title>{escape(figures.suite.title)}</title>'
    )
    return "\n".join(
        (
            frame,
            f"<style>{style}</style>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            *above,
            *below,
            "</svg>\n",
        )
    )


def _intervals(figures: Figures) -> tuple[list[str], int]:
    """Return a panel for each size, and the height of the panels."""
    panels = [figures.of_the_mean(size) for size in figures.suite.sizes]
    most = max(abs(value) for gains in panels for gain in gains for value in gain[5:])
    width = (_WIDTH - _NAMES) // len(panels)
    plot = width - 130
    parts = [
        _text(
            0,
            12,
            f"{figures.suite.baseline} minus the other, in points, in {figures.measured}",
            "bold",
        )
    ]
    bottom = 3 * _ROW + len(figures.others) * _ROW
    for panel, gains in enumerate(panels):
        left = _NAMES + panel * width
        zero = left + plot / 2
        parts += [
            _text(zero, 2 * _ROW, f"{figures.suite.sizes[panel]} tokens", "bold", "middle"),
            _stroke(zero, 2 * _ROW + 6, zero, bottom - 6),
        ]
        for number, gain in enumerate(gains):
            y = (number + 3) * _ROW
            mean, low, high = (zero + value / most * plot / 2 for value in gain[5:])
            fill = _colour(gain.mean) if gain.settled else "#ffffff"
            parts += [
                _stroke(low, y - 4, high, y - 4),
                f'<circle cx="{mean:.1f}" cy="{y - 4}" r="4" fill="{fill}" stroke="#556070"/>',
            ]
            parts.append(
                _text(left + plot + 4, y, str(gain), "small bold" if gain.settled else "small")
            )
            parts += [_text(0, y, gain.other)] if not panel else []
    return parts, bottom


def _cells(figures: Figures, top: int) -> tuple[list[str], int]:
    """Return a block of cells for each size and retriever, as many beside each other as there is
    room for, and the height of the chart.
    """
    gains = {gain[:5]: gain for gain in figures.gains}
    columns = [*product(figures.sets, figures.suite.budgets)]
    width, height = len(columns) * _CELL + _GAP, (len(figures.others) + 4) * _ROW
    beside = max((_WIDTH - _NAMES) // width, 1)
    key = (
        "The same in every set, by characters of ranked text. Blue: more is found, red: "
        "less. Bold: the interval excludes 0."
    )
    parts = [_text(0, top - 2 * _ROW, key, "bold")]
    blocks = [*product(figures.suite.sizes, figures.retrievers)]
    for number, (size, retriever) in enumerate(blocks):
        left, y = _NAMES + number % beside * width, top + number // beside * height
        parts.append(_text(left, y, f"{size} tokens, {retriever}", "bold"))
        parts += [
            _text(left + place * len(figures.suite.budgets) * _CELL, y + _ROW, name, "small soft")
            for place, name in enumerate(figures.sets)
        ]
        parts += [
            _text(
                left + (place + 0.5) * _CELL,
                y + 2 * _ROW - 4,
                f"{budget:,}",
                "small soft",
                "middle",
            )
            for place, (_, budget) in enumerate(columns)
        ]
        for line, other in enumerate(figures.others):
            base = y + (line + 3) * _ROW - 4
            parts += [_text(0, base, other)] if not number % beside else []
            for place, (name, budget) in enumerate(columns):
                gain = gains[name, size, retriever, budget, other]
                x, depth = left + place * _CELL, min(abs(gain.mean), 10) / 15
                parts.append(
                    f'<rect x="{x}" y="{base - 13}" width="{_CELL - 1}" '
                    f'height="{_ROW - 1}" fill="{_colour(gain.mean)}" '
                    f'fill-opacity="{depth:.2f}"/>'
                )
                parts.append(
                    _text(
                        x + _CELL / 2,
                        base,
                        f"{gain.mean + 0:+.1f}",
                        "small bold" if gain.settled else "small",
                        "middle",
                    )
                )
    return parts, top + -(-len(blocks) // beside) * height - _ROW


def _colour(gain: float) -> str:
    return "#2166ac" if gain >= 0 else "#b2182b"


def _stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}"/>'


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


# -- publishing


def publish(suite: Path, found: Path) -> None:
    """Copy the figures and the report from the output folder of `benchmarks.evaluate` beside the
    suite, and write their hashes and that of the scores.
    """
    data = {
        name: (found / name).read_bytes() for name in ("scores.jsonl", "report.md", "figures.csv")
    }
    suite.with_suffix(".md").write_bytes(data["report.md"])
    suite.with_suffix(".csv").write_bytes(data["figures.csv"])
    # in the format of sha256sum
    hashes = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in data.items())
    suite.with_suffix(".sha256").write_text("".join(hashes), "utf-8")


def main(arguments: Sequence[str]) -> None:
    options = [each for each in arguments if not each.endswith(".toml")]
    for suite in (Path(each) for each in arguments if each.endswith(".toml")):
        command(
            ["--suite", str(suite), "-o", str(BUILD / suite.stem), *_options(suite, options)],
            standalone_mode=False,
        )
        publish(suite, BUILD / suite.stem)
        chart_of(suite).write_text(chart(suite), "utf-8")
    tables = "\n".join(overview())
    PAGE.write_text(
        re.sub(
            r"(?<=<!-- made: suites -->\n).*?(?=<!-- end -->)",
            lambda _: f"\n{tables}\n\n",
            PAGE.read_text("utf-8"),
            flags=re.DOTALL,
        ),
        "utf-8",
    )


def _options(suite: Path, options: Sequence[str]) -> Iterator[str]:
    """Yield the options without those for data sets that the suite does not use."""
    read = {each.data for each in read_suite(suite).sets}
    waiting = iter(options)
    for option in waiting:
        if option != "--dataset":
            yield option
        elif (place := next(waiting, "")).partition("=")[0] in read:
            yield from (option, place)


if __name__ == "__main__":
    main(sys.argv[1:])
