"""Measure the CPU time of reading and chunking Word files, relative to a lower bound (the floor),
and how many of their words are kept.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple
from zipfile import BadZipFile, ZipFile

from lxml import etree

from docxchunk import api
from docxchunk.errors import NotWordError
from docxchunk.lab.bench.machine import interleaved, peak_memory, seconds_of
from docxchunk.lab.bench.words import file_words, kept_words
from docxchunk.model.document import Document

ReadFile = Callable[[Path], object]
"""Read a file; `str` of the result is its text, in whatever markup the program writes."""

Readers = Mapping[str, Callable[[], ReadFile]]
"""Other programs by name: the function imports the program, which is not measured, and returns what
reads a file.
"""

_READER: Final = "docxchunk parse"
_FLOOR: Final = "inflate, parse XML"
_ENCODING: Final = "encode once"


class ReaderRow(NamedTuple):
    """The measurements of a reader for all files together.

    CPU seconds and their ratio to the floor; the peak memory in bytes of a process that only reads
    the files; the number of words that the reader kept (None for the floor, which keeps no text);
    and the number of files that it could not read.
    """

    name: str
    seconds: float
    ratio: float
    memory: int
    kept: int | None
    failed: int


class ChunkingRow(NamedTuple):
    """The CPU seconds of chunking all files, and their ratio to one encoding of the text."""

    name: str
    seconds: float
    ratio: float


class SpeedReport(NamedTuple):
    """The measurements of readers and of strategies. The first row of each is the floor, a lower
    bound. `words` is the number of words in the files.
    """

    reading: list[ReaderRow]
    chunking: list[ChunkingRow]
    words: int


def speed(
    files: Sequence[Path],
    strategies: Sequence[str],
    rounds: int,
    sizes: Sequence[int] = (api.DEFAULT_MAX_TOKENS,),
    others: Readers = MappingProxyType({}),
) -> SpeedReport:
    """Measure reading of the files, and chunking of them by each strategy at each size
    (max_tokens). `others` read the files in the same rounds.

    Raise NotWordError for a file that is not a ZIP file.
    """
    words = [_words(file) for file in files]
    readers = {_FLOOR: _floor, _READER: _docxchunk, **others}
    return SpeedReport(
        _reading(files, readers, words, rounds),
        _chunking(files, strategies, rounds, sizes),
        sum(count.total() for count in words),
    )


def _words(file: Path) -> Counter[str]:
    try:
        return file_words(file)
    except BadZipFile as error:
        raise NotWordError(
            f"{file} is not a ZIP file, so the lower bound cannot be measured."
        ) from error


def _reading(
    files: Sequence[Path], readers: Readers, words: Sequence[Counter[str]], rounds: int
) -> list[ReaderRow]:
    """Measure the readers in turn. Each has its own process, so that its objects and threads do not
    slow down the others.
    """
    with ExitStack() as stack:
        processes = {
            name: stack.enter_context(
                ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _start, (start, files))
            )
            for name, start in readers.items()
        }
        seconds = interleaved(
            {
                name: lambda process=process: process.submit(_seconds_to_read).result()  # type: ignore[misc]
                for name, process in processes.items()
            },
            rounds,
        )
        memory = {name: process.submit(peak_memory).result() for name, process in processes.items()}
        counts = {
            name: process.submit(_count_kept_words, words).result()
            for name, process in processes.items()
        }
    return [
        ReaderRow(
            name,
            seconds[name],
            seconds[name] / seconds[_FLOOR],
            memory[name],
            None if name == _FLOOR else counts[name][0],
            counts[name][1],
        )
        for name in readers
    ]


# -- in the process of a reader


class _Task(NamedTuple):
    read: ReadFile
    files: Sequence[Path]


_task: _Task


def _start(start: Callable[[], ReadFile], files: Sequence[Path]) -> None:
    """Import the program and remember the files to read."""
    global _task  # noqa: PLW0603 - the initializer of a pool has no other way to pass a value on
    warnings.simplefilter("ignore")  # of the other readers
    _task = _Task(_started(start), files)


def _seconds_to_read() -> float:
    """Read all files. Return the CPU seconds, including those of child processes."""
    return seconds_of(partial(_all, *_task))


def _count_kept_words(words: Sequence[Counter[str]]) -> tuple[int, int]:
    """Read each file once. Return how many of the words the texts have, and how many files could
    not be read.
    """
    kept, failed = 0, 0
    for file, words_of_file in zip(_task.files, words, strict=True):
        try:
            kept += kept_words(_text(_task.read(file)), words_of_file)
        except Exception:  # noqa: BLE001 - whatever another program raises is a file that it cannot read
            failed += 1
    return kept, failed


def _started(start: Callable[[], ReadFile]) -> ReadFile:
    """Return the function with which a program reads a file. If the program cannot start, the
    function raises the error for every file.
    """
    try:
        return start()
    except Exception as error:  # noqa: BLE001 - whatever another program raises
        failure = error

    def fail(_: Path) -> str:
        raise failure

    return fail


def _floor() -> ReadFile:
    return _inflated_and_parsed


def _inflated_and_parsed(file: Path) -> str:
    """Inflate every part and parse its XML, which every reader has to do."""
    with ZipFile(file) as package:
        for name in package.namelist():
            data = package.read(name)
            if name.endswith((".xml", ".rels")):
                etree.fromstring(
                    data, etree.XMLParser(resolve_entities=False, huge_tree=True, recover=True)
                )
    return ""


def _docxchunk() -> ReadFile:
    return api.parse


def _text(read: object) -> str:
    return read.to_markdown() if isinstance(read, Document) else str(read)


def _all(read: ReadFile, files: Iterable[Path]) -> None:
    for file in files:
        with suppress(Exception):  # `_count_kept_words` counts them
            read(file)


def _chunking(
    files: Sequence[Path], strategies: Sequence[str], rounds: int, sizes: Sequence[int]
) -> list[ChunkingRow]:
    """Measure one encoding of the text, and each strategy at each size, in turn. A small size has
    an overlap of a quarter of it.
    """
    documents = [api.parse(file) for file in files]
    count = api.tokenizer().count
    texts = ["\n".join(block.content for block in document.blocks) for document in documents]

    def chunked(strategy: str, size: int) -> None:
        for document in documents:
            api.chunk(
                document,
                strategy=strategy,
                max_tokens=size,
                overlap=min(api.DEFAULT_OVERLAP, size // 4),
            )

    works: dict[str, Callable[[], object]] = {_ENCODING: lambda: list(map(count, texts))}
    works[_ENCODING]()  # loads the vocabulary
    works |= {
        f"docxchunk chunk, {name}, {size:,}": partial(chunked, name, size)
        for name in strategies
        for size in sizes
    }
    seconds = interleaved({name: partial(seconds_of, work) for name, work in works.items()}, rounds)
    return [ChunkingRow(name, cpu, cpu / seconds[_ENCODING]) for name, cpu in seconds.items()]
