"""Measure what chunking costs beside one encoding of the text, for docs/guides/embedding.md.

    python -m benchmarks.tokenizers FILE...

writes the figures to benchmarks/suites/tokenizers.csv, and makes the table of the page from them.
Small tokenizers of the usual kinds are trained on the texts of the files.
"""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import click

from benchmarks import other_chunkers
from benchmarks.pages import row, table, write
from docxchunk import api
from docxchunk.cli import main
from docxchunk.lab.bench.machine import interleaved, seconds_of
from docxchunk.model.document import Document
from docxchunk.model.ports import Count, Divides, Tokenizer
from docxchunk.version import __version__

ROOT: Final = Path(__file__).parents[1]
FIGURES: Final = ROOT / "benchmarks" / "suites" / "tokenizers.csv"
PAGE: Final = ROOT / "docs" / "guides" / "embedding.md"
SIZES: Final = (128, 256, 512, 2000)
SIZE: Final = 512  # of all programs
STRATEGIES: Final = ("P", "P-staged", "R", "fixed")
OTHERS: Final = {  # by their packages; each takes a text or a path
    "langchain-text-splitters": other_chunkers.langchain,
    "semchunk": other_chunkers.semchunk,
    "chonkie": other_chunkers.chonkie,
    "docling-core": other_chunkers.docling_counting,
}
KINDS: Final = (
    *("WordPiece", "byte-level BPE", "Unigram", "SentencePiece BPE"),
    *("o200k_base", "function"),
)
_OF_FILES: Final = "docling-core"
_VOCABULARY: Final = 8000
_Row = tuple[str, str, str, str]


# -- tokenizers


def train(texts: Sequence[str], folder: Path) -> Mapping[str, Callable[[], Tokenizer]]:
    """Train a tokenizer of each kind. Return functions that load one; WordPiece is that of MiniLM,
    and the function counts with o200k_base.
    """
    from tokenizers import Tokenizer as Trained
    from tokenizers import models, normalizers, pre_tokenizers, trainers

    unknown, special = "<unk>", ["<unk>"]
    bytes_only = pre_tokenizers.ByteLevel.alphabet()
    byte_pairs = partial(trainers.BpeTrainer, vocab_size=_VOCABULARY, show_progress=False)
    pieces = partial(trainers.UnigramTrainer, vocab_size=_VOCABULARY, show_progress=False)
    made = {
        "byte-level BPE": (
            Trained(models.BPE()),
            byte_pairs(initial_alphabet=bytes_only),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ),
        "Unigram": (
            Trained(models.Unigram()),
            pieces(unk_token=unknown, special_tokens=special),
            pre_tokenizers.Metaspace(),
        ),
        "SentencePiece BPE": (
            Trained(models.BPE(unk_token=unknown)),
            byte_pairs(special_tokens=special),
            pre_tokenizers.Metaspace(),
        ),
    }
    made["Unigram"][0].normalizer = normalizers.NFKC()
    paths = {"WordPiece": other_chunkers.minilm()}
    for name, (trained, trainer, divide) in made.items():
        trained.pre_tokenizer = divide
        trained.train_from_iterator(texts, trainer)
        paths[name] = folder / f"{name}.json"
        trained.save(str(paths[name]))
    count = api.tokenizer().count
    return {
        **{name: partial(api.tokenizer, path) for name, path in paths.items()},
        "o200k_base": api.tokenizer,
        "function": partial(api.tokenizer, count),
    }


# -- measurements


class Source(NamedTuple):
    """A Word file, its document, and its Markdown for the programs that chunk text."""

    path: Path
    document: Document
    text: str

    @classmethod
    def of(cls, path: Path) -> Source:
        document = api.parse(path)
        return cls(path, document, document.to_markdown())


def measured(files: Sequence[Path], rounds: int) -> Iterator[_Row]:
    """Yield the rows of the figures: tokenizer, program, size and value."""
    sources = [Source.of(file) for file in files]
    texts = [block.content for source in sources for block in source.document.blocks]
    yield from _facts(files, texts, rounds)
    if _is_installed(_OF_FILES):
        for source in sources:  # it remembers what it has read
            other_chunkers.docling_document(source.path)
    shortest = min(sources, key=lambda source: len(source.text))
    for chunked in _chunkers().values():  # imports
        chunked(shortest, SIZE, api.tokenizer())
    with TemporaryDirectory() as folder:
        for kind, load in train(texts, Path(folder)).items():
            click.echo(kind, err=True)
            works = {"encoding:": partial(_seconds_to_encode, load, texts)} | {
                f"{name}:{size}": partial(_seconds, load, chunked, sources, size)
                for name, chunked in _chunkers().items()
                for size in (SIZES if name in STRATEGIES else (SIZE,))
            }
            for name, value in interleaved(works, rounds).items():
                program, _, size = name.partition(":")
                yield kind, program, size, f"{value:.3f}"


def _facts(files: Sequence[Path], texts: Sequence[str], rounds: int) -> Iterator[_Row]:
    facts = {
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}",
        "rounds": f"{rounds}",
        "characters": f"{sum(map(len, texts))}",
        "files": ", ".join(sorted(file.name.replace("__", "/", 2) for file in files)),
        "docxchunk": __version__,
        **{name: version(name) for name in ("tokenizers", *_installed())},
    }
    for name, value in facts.items():
        yield "about", "", name, value


def _installed() -> list[str]:
    return [name for name in OTHERS if _is_installed(name)]


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


_Chunked = Callable[[Source, int, Tokenizer], object]


def _chunkers() -> Mapping[str, _Chunked]:
    """Return what chunks a document, or its Markdown, to a size, by name."""
    return {
        **{name: partial(_own, name) for name in STRATEGIES},
        **{name: partial(_other, name) for name in _installed()},
    }


def _own(strategy: str, source: Source, size: int, tokenizer: Tokenizer) -> object:
    overlap = min(api.DEFAULT_OVERLAP, size // 4)
    return api.chunk(
        source.document, strategy=strategy, max_tokens=size, overlap=overlap, tokenizer=tokenizer
    )


def _other(package: str, source: Source, size: int, tokenizer: Tokenizer) -> object:
    chunk: Any = OTHERS[package]
    return [*chunk(source.path if package == _OF_FILES else source.text, size, tokenizer.count)]


def _fresh(load: Callable[[], Tokenizer]) -> Tokenizer:
    """Return a tokenizer that has counted no text, but has been read and has started its
    threads.
    """
    tokenizer = load()
    if isinstance(tokenizer, Divides):
        tokenizer.division  # noqa: B018 - is read once
    tokenizer.count("a " * 9999)
    return tokenizer


def _seconds_to_encode(load: Callable[[], Tokenizer], texts: Sequence[str]) -> float:
    count: Count = _fresh(load).count
    return seconds_of(lambda: [*map(count, texts)])


def _seconds(
    load: Callable[[], Tokenizer], chunked: _Chunked, sources: Sequence[Source], size: int
) -> float:
    tokenizer = _fresh(load)
    return seconds_of(lambda: [chunked(source, size, tokenizer) for source in sources])


# -- the page


class Figures:
    """The published figures."""

    def __init__(self) -> None:
        with FIGURES.open(encoding="utf-8", newline="") as lines:
            self.values = {
                (each["tokenizer"], each["program"], each["size"]): each["value"]
                for each in csv.DictReader(lines)
            }

    def about(self, name: str) -> str:
        return self.values["about", "", name]

    def rows(self) -> list[tuple[str, int]]:
        """Return the programs and sizes, in the order of the measurement."""
        return [
            (program, int(size)) for kind, program, size in self.values if kind == KINDS[0] and size
        ]

    def ratio(self, kind: str, program: str, size: int) -> float:
        """Return the CPU time of chunking divided by that of one encoding."""
        seconds = float(self.values[kind, program, f"{size}"])
        return seconds / float(self.values[kind, "encoding", ""])


def part(name: str) -> Iterator[str]:
    """Yield a part of the page."""
    return {"measured": _measured_with, "ratios": _ratios}[name](Figures())


def _measured_with(figures: Figures) -> Iterator[str]:
    programs = [program for program, _ in figures.rows()]
    others = ("tokenizers", *(name for name in OTHERS if name in programs))
    versions = ", ".join(f"{name} {figures.about(name)}" for name in ("docxchunk", *others))
    yield (
        f"Measured on {figures.about('day')}: {versions}. Machine: {figures.about('machine')}. "
        f"The quickest of {figures.about('rounds')} rounds, on "
        f"{int(figures.about('characters')):,} characters of text in {figures.about('files')}."
    )


def _ratios(figures: Figures) -> Iterator[str]:
    yield from table(("", *KINDS))
    for program, size in figures.rows():
        if program == STRATEGIES[0] or size == SIZE:
            name = f"docxchunk, {program}" if program in STRATEGIES else program
            ratios = (f"{figures.ratio(kind, program, size):.1f}" for kind in KINDS)
            yield row(f"{name}, {size:,}", *ratios)


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), default=2, show_default=True, metavar="N")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
def command(*, files: tuple[Path, ...], rounds: int) -> None:
    """Measure the chunkers that are installed.

    Write the figures to benchmarks/suites/tokenizers.csv, and make the table of
    docs/guides/embedding.md from them.
    """
    rows = list(measured(files, rounds))
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("tokenizer", "program", "size", "value"))
        writer.writerows(rows)
    write(PAGE, {"tokenizers": part}, {})


if __name__ == "__main__":
    main(command)
