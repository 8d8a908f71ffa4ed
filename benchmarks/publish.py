"""Run suites and publish their figures beside them, NAME.csv.

    python -m benchmarks.publish benchmarks/suites/search.toml -j 2 --dataset telco=TELCO --dataset
    stard=STARD ...

The options are those of `benchmarks.evaluate`. Each suite gets only the data sets that it reads.
Scores are written to `build/NAME`, and the tables and charts to docs/evaluation.md.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import ceil, floor
from pathlib import Path
from typing import Final, NamedTuple

import click

from benchmarks.evaluate import command as evaluate
from benchmarks.figures import HELD_OUT, MEAN, MEASURED_WITH
from benchmarks.pages import row, stroke, svg, table, text, write
from benchmarks.suite import read_suite
from docxchunk.cli import main
from docxchunk.lab.evaluation.chunkers import are_units
from docxchunk.lab.evaluation.statistics import MeanInterval, points

ROOT: Final = Path(__file__).parents[1]
SUITES: Final = tuple(sorted((ROOT / "benchmarks" / "suites").glob("*.toml")))
PAGE: Final = ROOT / "docs" / "evaluation.md"
BUILD: Final = ROOT / "build"
_FEW: Final = 2  # sets that are shown one by one, and not in the mean
_BUDGET: Final = 4000  # characters of ranked text; differences are those of the recall in these


class Line(NamedTuple):
    """A line of a table or chart: the size, path, retriever and chunker that it shows."""

    tokens: int
    path: str
    retriever: str
    chunker: str


class Figures:
    """The published figures of a suite."""

    def __init__(self, file: Path) -> None:
        self.name = file.stem
        self.suite = read_suite(file)
        with file.with_suffix(".csv").open(encoding="utf-8", newline="") as lines:
            self.rows = tuple(csv.DictReader(lines))
        self._values: dict[tuple[str, ...], str] = {
            (row["set"], *_line(row), row["measure"]): row["value"] for row in self.rows
        }
        self._gains: dict[tuple[str, ...], MeanInterval] = {
            (row["set"], *_line(row), row["measure"], row["than"]): _interval(row)
            for row in self.rows
            if row["than"]
        }
        self.sets = tuple(each.name for each in self.suite.sets)
        self.mean = MEAN if len(self.sets) > 1 else self.sets[0]

    @property
    def measured_with(self) -> str:
        return self._values["", "", "", "", "", MEASURED_WITH]

    def value(self, group: str, line: Line | None, measure: str) -> str:
        key = ("",) * 4 if line is None else tuple(map(str, line))
        return self._values[group, *key, measure]

    def size(self, group: str, line: Line, measure: str) -> str:
        """Return a fact on chunks."""
        return self._values[group, f"{line.tokens}", "", "", line.chunker, measure]

    def gain(self, group: str, line: Line, than: str, budget: int = _BUDGET) -> MeanInterval:
        """Return the recall of a line minus the recall of another chunker, in percent / 100."""
        return self._gains[group, *map(str, line), f"recall@{budget}", than]

    def lines(self, path: str = "", retriever: str = "") -> list[Line]:
        """Return all lines with a path and retriever, by default the last ones of the suite."""
        path, retriever = path or self.suite.paths[-1], retriever or self.suite.retrievers[-1]
        return [
            Line(size, path, retriever, name)
            for name in self.suite.names
            for size in self.suite.sizes
        ]

    def recalls(self, group: str, line: Line) -> list[tuple[int, float]]:
        return [
            (budget, float(self.value(group, line, f"recall@{budget}")))
            for budget in self.suite.budgets
        ]

    @property
    def of_equal_size(self) -> frozenset[str]:
        """The chunkers, without units."""
        return frozenset(name for name in self.suite.names if not are_units(name))

    def losses(self, chunker: str) -> tuple[list[tuple[str, MeanInterval]], int]:
        """Return the cells in which a chunker finds less than another one of the same size, the
        interval being below 0, as set and other chunker, and the number of all cells in which it is
        compared.
        """
        found, total = [], 0
        for (group, *line, _, than), gain in self._gains.items():
            name = line[-1]
            if chunker not in {name, than} or not {name, than} <= self.of_equal_size:
                continue
            total += 1
            mine = gain if name == chunker else MeanInterval(-gain.mean, -gain.high, -gain.low)
            if mine.high < 0:
                found.append((f"{group}, `{than if name == chunker else name}`", mine))
        return found, total


def _line(row: dict[str, str]) -> tuple[str, str, str, str]:
    return row["tokens"], row["path"], row["retriever"], row["chunker"]


def _interval(row: dict[str, str]) -> MeanInterval:
    return MeanInterval(
        *(float(row[name] or "nan") / 100 for name in ("difference", "low", "high"))
    )


# -- tables


def part(name: str) -> Iterator[str]:
    """Yield a part of the page: "sets", the "primary" comparison, the "losses" of P, "search by
    set", or the table of the suite of that name.
    """
    published = {file.stem: Figures(file) for file in SUITES if file.with_suffix(".csv").is_file()}
    match name:
        case "sets":
            yield from _sets(each for each in published.values() if each.name != "settings")
        case "primary":
            yield from _primary(published["cuts"])
        case "losses":
            yield from _losses(published["cuts"], "P")
        case "search by set":
            yield from _by_set(published["search"])
        case _:
            yield from _section(published[name])


def _section(figures: Figures) -> Iterator[str]:
    """Yield the recall of the lines with the last path and the smallest and largest size, with the
    differences to the baseline and to the first path: in the mean of the sets, or in each if there
    are two.
    """
    suite = figures.suite
    first, *others = suite.paths
    groups = figures.sets if len(figures.sets) == _FEW else (figures.mean,)
    if suite.note:
        yield f"**{suite.note}**\n"
    size = "" if suite.sizes[1:] else f" Chunks of {suite.sizes[0]} tokens."
    mean = "" if groups[1:] else f" The {figures.mean}."
    yield f"{figures.measured_with}.{size}{mean}\n"
    named = [
        *([] if size else ["tokens"]),
        *(["set"] if len(groups) > 1 else []),
        *(["ranked by"] if suite.retrievers[1:] else []),
    ]
    yield from table(
        (
            *("", *named, "recall", f"minus {suite.baseline}"),
            *([f"path {others[-1]} minus {first}"] if others else []),
        )
    )
    for group, name in product(groups, suite.retrievers):
        for line in figures.lines(retriever=name):
            if line.tokens not in (suite.sizes[0], suite.sizes[-1]):
                continue
            cells = {"tokens": f"{line.tokens}", "set": group, "ranked by": name}
            than = ["" if line.chunker == suite.baseline else suite.baseline]
            than += [f"path {first}"] if others else []
            yield row(
                f"`{line.chunker}`",
                *(cells[each] for each in named),
                ", ".join(f"{y:.1f}" for _, y in figures.recalls(group, line)),
                *(points(figures.gain(group, line, each)) if each else "" for each in than),
            )


def _primary(figures: Figures) -> Iterator[str]:
    """Yield the primary comparison, on the documents that no default was chosen on and on all."""
    primary = figures.suite.primary
    if primary is None:
        return
    line = Line(primary.size, primary.path, primary.retriever, primary.chunker)
    yield from table(("documents", f"{primary.chunker} minus {primary.than}"))
    for group, title in ((HELD_OUT, "held out (the primary comparison)"), (figures.mean, "all")):
        yield row(title, points(figures.gain(group, line, primary.than)))


def _by_set(figures: Figures) -> Iterator[str]:
    """Yield the recall of all chunkers of the smallest size in each set and its held-out questions,
    with the differences to the baseline for the least text.
    """
    suite, size, least = figures.suite, min(figures.suite.sizes), figures.suite.budgets[0]
    minus = f"minus {suite.baseline} in {least:,}"
    yield from table(("set", f"{size} tokens", "recall", minus, HELD_OUT, minus))
    for group in figures.sets:
        for line in (line for line in figures.lines() if line.tokens == size):
            cells = [group, f"`{line.chunker}`"]
            for name in (group, f"{group}, {HELD_OUT}"):
                is_baseline = line.chunker == suite.baseline
                gain = figures.gain(name, line, suite.baseline, least) if not is_baseline else None
                recalls = figures.recalls(name, line)
                cells += [", ".join(f"{y:.1f}" for _, y in recalls), points(gain) if gain else ""]
            yield row(*cells)


def _losses(figures: Figures, chunker: str) -> Iterator[str]:
    found, total = figures.losses(chunker)
    yield (
        f"Of {total} comparisons of {chunker} with chunkers of equal size, in sets and means, "
        f"{len(found)} {'has its' if len(found) == 1 else 'have their'} whole interval below 0"
        f"{':' if found else '.'}\n"
    )
    for than in dict.fromkeys(than for than, _ in found):
        lost = sorted(f"{-gain.mean * 100:.1f}" for each, gain in found if each == than)
        yield f"- {than}: {len(lost)}, by {' to '.join(dict.fromkeys((lost[0], lost[-1])))} points"


def _sets(all_figures: Iterable[Figures]) -> Iterator[str]:
    yield from table(("set", "documents", "questions", "held out", "left out", "suites"))
    facts = ("documents", "questions", "questions held out", "left out")
    suites: dict[tuple[str, ...], list[str]] = {}
    for figures in all_figures:
        for name in figures.sets:
            cells = name, *(figures.value(name, None, fact) for fact in facts)
            suites.setdefault(cells, []).append(figures.name)
    for cells, names in suites.items():
        yield row(*cells, ", ".join(names))


# -- charts

_COLOURS: Final = ("#2166ac", "#b2182b", "#1b7837", "#762a83", "#b35806", "#35978f", "#555555")
_DASHES: Final = ("", "6 3", "2 3")


def charts() -> Mapping[Path, str]:
    """Return the charts of the page by their files."""
    makers = {"search": _recall_chart, "models": _recall_chart, "cuts": _gain_chart}
    return {
        PAGE.with_suffix("") / f"{file.stem}.svg": makers[file.stem](Figures(file))
        for file in SUITES
        if file.stem in makers and file.with_suffix(".csv").is_file()
    }


_WIDTH, _HEIGHT = 180, 200  # of a panel of the chart of recall
_LEFT, _TOP = _WIDTH + 50, _HEIGHT + 60  # from a panel to the next


def _recall_chart(figures: Figures) -> str:
    """Draw recall over the characters read, a panel for each set and retriever, a line for each
    chunker, size and path.
    """
    suite = figures.suite
    lines = [
        line
        for path in suite.paths
        for line in figures.lines(path)
        if line.tokens == suite.sizes[0] or line.chunker in suite.strategies
    ]
    titles = [
        line.chunker
        + (f", {line.tokens:,}" if len(suite.sizes) > 1 else "")
        + (f", path {line.path}" if len(suite.paths) > 1 else "")
        for line in lines
    ]
    panels = [(group, name) for name in suite.retrievers for group in figures.sets]
    parts = []
    for number, (group, retriever) in enumerate(panels):
        left, top = 40 + number % 4 * _LEFT, 30 + number // 4 * _TOP
        curves = [figures.recalls(group, line._replace(retriever=retriever)) for line in lines]
        parts.append(text(left, top - 10, f"{group}, {retriever}", "bold"))
        parts += _curves(curves, suite.budgets, left, top)
    bottom = 30 + ceil(len(panels) / 4) * _TOP
    parts.append(text(40, bottom - 20, "Recall in percent, by characters of ranked text.", "soft"))
    for number, title in enumerate(titles):
        x, y = 40 + number % 3 * 300, bottom + number // 3 * 18
        parts.append(f'<polyline points="{x},{y - 4} {x + 26},{y - 4}" {_pen(number)}/>')
        parts.append(text(x + 32, y, title))
    return _chart(
        figures, 60 + min(len(panels), 4) * _LEFT, bottom + ceil(len(titles) / 3) * 18, parts
    )


def _curves(
    curves: Sequence[Sequence[tuple[float, float]]], budgets: Sequence[int], left: int, top: int
) -> Iterator[str]:
    """Yield the axes and the curves of a panel, which begins at `left` and `top`."""
    low = floor(min(y for curve in curves for _, y in curve) / 10) * 10
    high = ceil(max(y for curve in curves for _, y in curve) / 10) * 10

    def across(budget: float) -> float:
        return left + budget / max(budgets) * _WIDTH

    def down(percent: float) -> float:
        return top + (high - percent) / (high - low) * _HEIGHT

    for percent in range(low, high + 1, 10):
        y = down(percent)
        yield stroke(left, y, left + _WIDTH, y)
        yield text(left - 4, y + 4, f"{percent}", "soft", "end")
    for budget in budgets:
        yield text(across(budget), top + _HEIGHT + 16, f"{budget:,}", "soft", "middle")
    for number, curve in enumerate(curves):
        marks = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in curve)
        yield f'<polyline points="{marks}" {_pen(number)}/>'


def _pen(number: int) -> str:
    colour = _COLOURS[number % len(_COLOURS)]
    dashes = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    return f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"'


def _gain_chart(figures: Figures) -> str:
    """Draw the differences to the baseline in the mean of the sets with their intervals, a panel
    for each size.
    """
    suite = figures.suite
    groups = [figures.mean, *([HELD_OUT] if suite.primary else [])]
    rows = [(name, group) for name in suite.names if name != suite.baseline for group in groups]
    gains = {
        (line.tokens, line.chunker, group): figures.gain(group, line, suite.baseline)
        for line in figures.lines()
        if line.chunker != suite.baseline
        for group in groups
    }
    most = max(abs(value) for gain in gains.values() for value in gain)
    names, plot, step = 190, 260, 18  # the width of names and of a plot, and the height of a row
    bottom = 52 + step * len(rows)
    title = f"Recall in {_BUDGET:,} characters minus that of {suite.baseline}, in points"
    parts = [text(0, 12, title, "bold")]
    for panel, size in enumerate(suite.sizes):
        zero = names + panel * (plot + 110) + plot / 2
        parts += [
            text(zero, 32, f"{size} tokens", "bold", "middle"),
            stroke(zero, 38, zero, bottom - 12),
        ]
        for number, (name, group) in enumerate(rows):
            gain, y = gains[size, name, group], 52 + number * step
            mean, low, high = (zero + value / most * plot / 2 for value in gain)
            fill = _COLOURS[gain.mean < 0] if gain.settled else "#ffffff"
            parts += [
                stroke(low, y - 4, high, y - 4),
                f'<circle cx="{mean:.1f}" cy="{y - 4}" r="4" fill="{fill}" stroke="#556070"/>',
                text(zero + plot / 2 + 4, y, points(gain), "bold" if gain.settled else ""),
            ]
            if not panel:
                is_mean = group == figures.mean
                parts.append(text(0, y, name) if is_mean else text(12, y, group, "soft"))
    return _chart(figures, names + len(suite.sizes) * (plot + 110), bottom, parts)


def _chart(figures: Figures, width: float, height: float, parts: Sequence[str]) -> str:
    return svg(f"{figures.suite.title} ({figures.measured_with})", width, height, parts)


# -- publishing


@click.command(context_settings={"ignore_unknown_options": True}, options_metavar="")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="SUITE... [OPTIONS]")
def command(arguments: Sequence[str]) -> None:
    """Run suites, publish their figures, and draw docs/evaluation.md from them.

    SUITE is a file such as benchmarks/suites/search.toml. The options are those of
    benchmarks.evaluate, except --suite and --out. Without a suite, only the page is drawn.
    """
    options = [each for each in arguments if not each.endswith(".toml")]
    for suite in (Path(each) for each in arguments if each.endswith(".toml")):
        folder = BUILD / suite.stem
        evaluate(
            ["--suite", str(suite), "-o", str(folder), *_options(suite, options)],
            standalone_mode=False,
        )
        suite.with_suffix(".csv").write_bytes((folder / "figures.csv").read_bytes())
    write(PAGE, {"suites": part}, charts())


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
    main(command)
