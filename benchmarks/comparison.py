"""Compare docxchunk with other programs that read and cut Word files, for docs/comparison.md.

    python -m benchmarks.comparison measure FILE...
    python -m benchmarks.comparison count FILE...

repeat the page: they measure all programs that are installed (benchmarks/requirements.txt), write
the figures to benchmarks/suites/comparison.csv, and draw the tables of the page and the chart from
them. The first one measures times, too; the second one counts what the programs keep of features
and of other files.
"""

from __future__ import annotations

import csv
import multiprocessing
import os
import platform
import re
import sysconfig
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from math import floor, log10
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from benchmarks import other_chunkers
from benchmarks.contents import Contents, Share
from benchmarks.other_readers import PROGRAMS, Program, Start, installed
from benchmarks.pages import DARK, LIGHT, Style, row, stroke, svg, table, text, write
from docxchunk.cli import main
from docxchunk.lab.bench.speed import ReadFile, SpeedReport, speed
from docxchunk.lab.bench.words import file_words, kept_words

ROOT: Final = Path(__file__).parents[1]
FIXTURES: Final = ROOT / "fixtures"
FIGURES: Final = ROOT / "benchmarks" / "suites" / "comparison.csv"
PAGE: Final = ROOT / "docs" / "comparison.md"
CHARTS: Final = {
    ROOT / "docs" / "images" / "readers.svg": LIGHT,
    ROOT / "docs" / "images" / "readers-dark.svg": DARK,
}
SIZE: Final = 512  # tokens of a chunk
_SMALL: Final = 50  # tokens
_TOKENS_THAT_FIT: Final = 200  # of the letters of a table, in a chunk of 512 with any markup
_CHUNKERS: Final = {
    "docxchunk, P": "docxchunk_p",
    "docxchunk, R": "docxchunk_r",
    "all2md": "all2md",
    "docling": "docling",
    "docling, all headings": "docling_headings",
    "docling-rs": "docling_rs",
    "DocSlicer": "docslicer",
    "MarkItDown, LangChain": "markitdown_langchain",
    "xberg": "xberg",
}
_FLOOR: Final = "decompress, parse XML"
_Row = tuple[str, str, str, object]


# -- features


class Check(NamedTuple):
    """A feature: one of the texts `wanted` must be in what a program makes of the document, and
    none of those `without`. `source` is the thread or the file of another project that it is from.
    """

    feature: str
    document: Path
    wanted: tuple[str, ...]
    without: tuple[str, ...]
    source: str

    def passes(self, read: ReadFile) -> bool:
        """Read the document. Bold, paragraph tags, escapes and line breaks do not matter."""
        said = re.sub(r"\*|</?(?:p|strong)>|\\(?=[^\w\s])", "", str(read(self.document)))
        said = re.sub(r"\s+", " ", said)
        return any(each in said for each in self.wanted) and not any(
            each in said for each in self.without
        )


def checks() -> list[Check]:
    found = tomllib.loads((FIXTURES / "comparison.toml").read_text("utf-8"))["check"]
    return [
        Check(
            each["feature"],
            FIXTURES / f"{each['document']}.docx",
            tuple(each["wanted"]),
            tuple(each.get("without", ())),
            each.get("from", ""),
        )
        for each in found
    ]


def passed(start: Start, start_all: Start | None = None) -> list[str]:
    """Return "yes", "option" (with the options that keep more), "no" or "fails" for each check."""
    reads = [each() for each in (start, start_all) if each is not None]
    return [_passed(check, reads) for check in checks()]


def _passed(check: Check, reads: Sequence[ReadFile]) -> str:
    outcome = "no"
    for read, good in zip(reads, ("yes", "option"), strict=False):
        try:
            if check.passes(read):
                return good
        except Exception:  # noqa: BLE001 - whatever another program raises
            outcome = "fails"
    return outcome


# -- measurements, each in a process of its own


def _apart(function: Any, *arguments: object) -> Any:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, warnings.simplefilter, ("ignore",)) as pool:
        return pool.submit(function, *arguments).result()


def kept(start: Start, files: Sequence[Path]) -> dict[str, Share]:
    """Return how many words, headings, numbers of headings, and cells of tables a program kept."""
    read, sums = start(), dict.fromkeys(("words", "headings", "numbers", "cells"), Share(0, 0))
    for file in files:
        contents, words = Contents(file), file_words(file)
        try:
            said = str(read(file))
        except Exception:  # noqa: BLE001 - as above
            said = ""
        for name, share in (
            ("words", Share(kept_words(said, words), words.total())),
            ("headings", contents.kept_headings(said)),
            ("numbers", contents.kept_numbers(said)),
            ("cells", contents.kept_cells(said)),
        ):
            sums[name] = Share(*(a + b for a, b in zip(sums[name], share, strict=True)))
    return sums


def chunked(chunker: str, files: Sequence[Path]) -> dict[str, float]:
    """Return facts on the chunks of all files: their number and mean size, and the shares of those
    that are small, too long and mixed, of the tables that are torn, and of the words in chunks.
    """
    pipeline = getattr(other_chunkers, chunker)
    sizes: list[int] = []
    words, total, torn, tables, mixed, failed = 0, 0, 0, 0, 0, 0
    for file in files:
        try:
            said, ranges = pipeline(file, SIZE)
            chunks = [each for start, end in ranges if (each := said[start:end]).strip()]
        except Exception:  # noqa: BLE001 - as above
            chunks, failed = [], failed + 1
        sizes += map(other_chunkers.tokens, chunks)
        wanted = file_words(file)
        words, total = words + kept_words("\n".join(chunks), wanted), total + wanted.total()
        cuts = Contents(file).cuts(chunks, _TOKENS_THAT_FIT, other_chunkers.tokens)
        torn, tables = torn + cuts.tables.kept, tables + cuts.tables.total
        mixed += cuts.mixed
    number = max(1, len(sizes))
    return {
        "chunks": len(sizes),
        "mean": sum(sizes) / number,
        "small": sum(size < _SMALL for size in sizes) / number,
        "long": sum(size > SIZE for size in sizes) / number,
        "torn": torn / max(1, tables),
        "mixed": mixed / number,
        "words": words / max(1, total),
        "failed": failed,
    }


# -- the figures


def measured(files: Sequence[Path], rounds: int) -> Iterator[_Row]:
    """Yield the rows of the figures with times: table, program, measure and value."""
    programs = list(installed())
    yield from _about("about", files, machine=_machine(), rounds=rounds)
    report = speed(files, [], rounds, others={each.name: each.start for each in programs})
    yield "about", "", "words", report.words
    floor = report.reading[0]
    yield "reading", _FLOOR, "seconds", f"{floor.seconds:.3f}"
    yield "reading", _FLOOR, "memory", floor.memory
    yield from (("versions", each.name, "version", each.version) for each in programs)
    for program in programs:
        yield from _reading(program, report)
    yield from _kept("structure", "chunks", files)


def counted(files: Sequence[Path]) -> Iterator[_Row]:
    """Yield the rows of the figures of features, and of other files."""
    yield from _about("count about", files, words=sum(file_words(file).total() for file in files))
    for program in installed():
        yield "count versions", program.name, "version", program.version
        if program.structure:
            click.echo(f"{program.name}: features", err=True)
            outcomes = _apart(passed, program.start, program.start_all)
            for check, outcome in zip(checks(), outcomes, strict=True):
                yield "features", program.name, check.feature, outcome
    yield from _kept("count structure", "count chunks", files)


def _kept(structure: str, chunks: str, files: Sequence[Path]) -> Iterator[_Row]:
    programs = list(installed())
    for program in programs:
        if program.structure:
            click.echo(f"{program.name}: structure", err=True)
            for measure, share in _apart(kept, program.start, files).items():
                yield structure, program.name, measure, f"{share.kept} {share.total}"
    for name, chunker in _CHUNKERS.items():
        if name.partition(",")[0] in {each.name for each in programs}:
            click.echo(f"{name}: chunks", err=True)
            for measure, value in _apart(chunked, chunker, files).items():
                yield chunks, name, measure, f"{value:.6g}"


def _about(part: str, files: Sequence[Path], **facts: object) -> Iterator[_Row]:
    names = ", ".join(sorted(file.name.replace("__", "/", 2) for file in files))
    facts = {"day": f"{datetime.now(UTC):%Y-%m-%d}", "files": names, **facts}
    yield from ((part, "", name, value) for name, value in facts.items())


def _machine() -> str:
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()} built with {_build_options()}"
    )


def _build_options() -> str:
    """Return the names of the options in `CONFIG_ARGS` of this Python, without paths."""
    arguments = sysconfig.get_config_var("CONFIG_ARGS") or ""
    return " ".join(re.findall(r"--((?:enable|with)-[\w-]+)", arguments)) or "no options"


def _reading(program: Program, report: SpeedReport) -> Iterator[_Row]:
    found = next(each for each in report.reading if each.name == program.name)
    yield "reading", program.name, "seconds", f"{found.seconds:.3f}"
    yield "reading", program.name, "memory", found.memory
    yield "reading", program.name, "words", found.kept
    yield "reading", program.name, "failed", found.failed


# -- the page


class Figures:
    """The published figures."""

    def __init__(self) -> None:
        with FIGURES.open(encoding="utf-8", newline="") as lines:
            self._values = {
                (each["table"], each["program"], each["measure"]): each["value"]
                for each in csv.DictReader(lines)
            }

    def value(self, part: str, program: str, measure: str) -> str:
        return self._values[part, program, measure]

    def number(self, part: str, program: str, measure: str) -> float:
        return float(self.value(part, program, measure))

    def programs(self, part: str) -> list[str]:
        """Return the programs that a part has figures of, in the order of the measurement."""
        return list(dict.fromkeys(name for where, name, _ in self._values if where == part))

    def kept(self, program: str) -> float:
        """Return the share of words that a program kept."""
        total = self.number("about", "", "words")
        return self.number("reading", program, "words") / max(1, total)


def part(name: str) -> Iterator[str]:
    """Yield a part of the page."""
    makers: Mapping[str, Callable[[Figures], Iterator[str]]] = {
        "measured": _measured_with,
        "counted": _counted_with,
        "features": _features,
        "summary": _summary,
        "reading": _reading_table,
        "chunks": partial(_chunk_table, part="chunks"),
        "other files": _other_files,
        "other chunks": partial(_chunk_table, part="count chunks"),
    }
    return makers[name](Figures())


def _measured_with(figures: Figures) -> Iterator[str]:
    yield (
        f"Measured on {figures.value('about', '', 'day')}: {_versions(figures, 'versions')}. "
        f"Machine: {figures.value('about', '', 'machine')}. In each of "
        f"{figures.value('about', '', 'rounds')} rounds, every program reads all files in a "
        f"process of its own; the CPU time is that of its quickest round. "
        f"{_files_in(figures, 'about')}"
    )


def _counted_with(figures: Figures) -> Iterator[str]:
    yield (
        f"Counted on {figures.value('count about', '', 'day')}: "
        f"{_versions(figures, 'count versions')}. {_files_in(figures, 'count about')}"
    )


def _files_in(figures: Figures, part: str) -> str:
    words = int(figures.number(part, "", "words"))
    return f"Files: {words:,} words in {figures.value(part, '', 'files')}."


def _versions(figures: Figures, part: str) -> str:
    return ", ".join(
        f"{name} {figures.value(part, name, 'version')}" for name in figures.programs(part)
    )


def _features(figures: Figures) -> Iterator[str]:
    """Yield features, what docxchunk does, and the programs that do not read them by default."""
    own, *others = figures.programs("features")
    rows: dict[tuple[str, str], list[str]] = {}
    for check in checks():
        value = partial(figures.value, "features", measure=check.feature)
        cells = value(own), _without({name: value(name) for name in others})
        origin = f" ([{_origin(check)}]({_address(check)}))" if check.source else ""
        rows.setdefault(cells, []).append(check.feature + origin)
    yield from table(("", own, "not by default in"))
    for cells, features in rows.items():
        yield row("; ".join(features), *cells)


def _without(outcomes: Mapping[str, str]) -> str:
    """Return the programs whose outcome is not "yes". If most lack the feature, name the others."""
    lacking = [name for name, outcome in outcomes.items() if outcome == "no"]
    named = [
        name if outcome in ("yes", "no") else f"{name} ({outcome})"
        for name, outcome in outcomes.items()
        if (outcome != "no" if lacking[len(outcomes) // 2 :] else outcome != "yes")
    ]
    start = ("all but " if named else "all") if lacking[len(outcomes) // 2 :] else ""
    return start + ", ".join(named) or "–"


def _origin(check: Check) -> str:
    return check.source.partition("/")[2].partition("/")[0]


def _address(check: Check) -> str:
    """Return the address of a thread, or of the project of a test file."""
    project = "/".join(check.source.split("/")[:2])
    is_thread = re.search(r"/(?:issues|pull)/\d+$", check.source)
    return f"https://github.com/{check.source if is_thread else project}"


def counts(figures: Figures) -> dict[str, tuple[int, int]]:
    """Return how many features of other projects each program reads by default, and how many more
    with options; the most first.
    """
    foreign = [check.feature for check in checks() if check.source]
    counted = {}
    for name in figures.programs("features"):
        outcomes = [figures.value("features", name, feature) for feature in foreign]
        counted[name] = outcomes.count("yes"), outcomes.count("option")
    return dict(sorted(counted.items(), key=lambda item: -item[1][0]))


def _summary(figures: Figures) -> Iterator[str]:
    listed = (
        f"{name} {by_default}" + (f" (with options {by_default + more})" if more else "")
        for name, (by_default, more) in counts(figures).items()
    )
    total = sum(bool(check.source) for check in checks())
    yield f"Of the {total} features with a link, the programs read by default: {', '.join(listed)}."


def _reading_table(figures: Figures) -> Iterator[str]:
    floor = figures.number("reading", _FLOOR, "seconds")
    yield from table(
        ("", "CPU time", "× floor", "memory", "words", "headings", "with numbers", "cells")
    )
    languages = {each.name: each.language for each in PROGRAMS}
    for name in sorted(
        figures.programs("reading"), key=lambda each: figures.number("reading", each, "seconds")
    ):
        seconds = figures.number("reading", name, "seconds")
        language = languages.get(name, "Python")
        shares = ["–"] * 4
        if name != _FLOOR:
            failed = int(figures.number("reading", name, "failed"))
            shares[0] = percent(figures.kept(name)) + (f", {failed} failed" if failed else "")
        if name in figures.programs("structure"):
            shares[1:] = (
                _share(figures.value("structure", name, measure))
                for measure in ("headings", "numbers", "cells")
            )
        yield row(
            name + ("" if language == "Python" else f" ({language})"),
            f"{seconds:.2f} s",
            f"{seconds / floor:.1f}",
            f"{figures.number('reading', name, 'memory') / (1 << 20):,.0f} MiB",
            *shares,
        )


def _share(counted: str) -> str:
    part, total = map(int, counted.split())
    return percent(part / total) if total else "–"


def percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def _other_files(figures: Figures) -> Iterator[str]:
    measures = ("words", "headings", "numbers", "cells")
    yield from table(("", "words", "headings", "with numbers", "cells"))
    for name in figures.programs("count structure"):
        value = partial(figures.value, "count structure", name)
        yield row(name, *(_share(value(measure)) for measure in measures))


def _chunk_table(figures: Figures, part: str) -> Iterator[str]:
    shares = ("small", "long", "torn", "mixed", "words")
    yield from table(
        (
            *("", "chunks", "mean tokens", f"under {_SMALL}", f"over {SIZE}"),
            *("tables torn", "sections mixed", "words kept"),
        )
    )
    for name in figures.programs(part):
        failed = int(figures.number(part, name, "failed"))
        yield row(
            name + (f" ({failed} failed)" if failed else ""),
            f"{figures.number(part, name, 'chunks'):,.0f}",
            f"{figures.number(part, name, 'mean'):.0f}",
            *(percent(figures.number(part, name, each)) for each in shares),
        )


# -- the chart


def charts() -> Mapping[Path, str]:
    """Return the charts by their files: for light and for dark pages."""
    figures = Figures()
    return {path: _chart(figures, style) for path, style in CHARTS.items()}


def _chart(figures: Figures, style: Style) -> str:
    """Draw a line for each program: its time, on a logarithmic scale, and the words it kept."""
    names = sorted(
        (each for each in figures.programs("reading") if each != _FLOOR),
        key=lambda each: figures.number("reading", each, "seconds"),
    )
    times = {each: figures.number("reading", each, "seconds") for each in names}
    low, high = floor(log10(min(times.values()))), log10(max(times.values()))
    left, wide, right, narrow, step = 150, 330, 580, 150, 22
    words = int(figures.number("about", "", "words"))
    parts = [
        text(left, 18, "CPU time, logarithmic", "bold"),
        text(right, 18, "words kept, from 0 to 100 %", "bold"),
    ]
    for number, name in enumerate(names):
        y = 44 + number * step
        x = left + (log10(times[name]) - low) / (high - low) * wide
        own = name == "docxchunk"
        kept_at = right + figures.kept(name) * narrow
        parts += [
            text(left - 12, y, name, "bold" if own else "", "end"),
            stroke(left, y - 4, x, y - 4),
            _dot(x, y - 4, own=own),
            text(x + 9, y, f"{times[name]:.2g} s", "soft"),
            stroke(right, y - 4, kept_at, y - 4),
            _dot(kept_at, y - 4, own=own),
            text(kept_at + 9, y, percent(figures.kept(name)), "soft"),
        ]
    title = f"Time to read {words:,} words in Word files, and the share of the words kept"
    return svg(title, 800, 44 + len(names) * step, parts, style)


def _dot(x: float, y: float, *, own: bool) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{"#d1242f" if own else "#4493f8"}"/>'


@click.group()
def command() -> None:
    """Compare docxchunk with other programs that read and cut Word files."""


_files = click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)


@command.command()
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="Number of rounds; the fastest one counts.",
)
@_files
def measure(*, files: tuple[Path, ...], rounds: int) -> None:
    """Measure the installed programs.

    Write the figures to benchmarks/suites/comparison.csv, and draw the tables of docs/comparison.md
    and its chart from them.
    """
    _write(list(measured(files, rounds)))


@command.command()
@_files
def count(*, files: tuple[Path, ...]) -> None:
    """Count what the installed programs keep of features and of other files, without times.

    The figures are written as by `measure`; those that it measured stay.
    """
    _write(list(counted(files)))


def _write(rows: Sequence[_Row]) -> None:
    """Write figures in place of those of the same tables, and draw the page from them."""
    tables = {table for table, *_ in rows}
    with FIGURES.open(encoding="utf-8", newline="") as file:
        header, *before = csv.reader(file)
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(row for row in before if row[0] not in tables)
        writer.writerows(rows)
    write(PAGE, {"comparison": part}, charts())


if __name__ == "__main__":
    main(command)
