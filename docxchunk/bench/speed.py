"""Measure the CPU time of reading and chunking Word files, relative to a lower bound (the floor) and to other readers."""

from __future__ import annotations

import multiprocessing
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import BadZipFile, ZipFile

from lxml import etree

from docxchunk import api
from docxchunk.bench.clock import interleaved, peak_memory
from docxchunk.bench.peers import Peer, ReadFile, installed
from docxchunk.bench.words import file_words, kept_words
from docxchunk.errors import NotWordError
from docxchunk.model.document import Document

_READER: Final = "docxchunk parse"
_FLOOR: Final = "inflate, parse XML"
_ENCODING: Final = "encode once"


class ReaderRow(NamedTuple):
    """The measurements of a reader for all files together.

    CPU seconds and their ratio to the floor; the peak memory in bytes of a process that only reads the files; the number of words that the reader kept
    (None for the floor, which keeps no text); and the number of files that it could not read.
    """

    name: str
    seconds: float
    ratio: float
    memory: int
    kept: int | None
    failed: int = 0


class ChunkingRow(NamedTuple):
    """The CPU seconds of chunking all files, and their ratio to one encoding of the text."""

    name: str
    seconds: float
    ratio: float


class SpeedReport(NamedTuple):
    """The measurements of readers and of strategies, each with the floor in the first row. `words` is the number of words in the files."""

    reading: list[ReaderRow]
    chunking: list[ChunkingRow]
    words: int


class _Kept(NamedTuple):
    words: int
    failed: int


def speed(files: Sequence[Path], strategies: Sequence[str], rounds: int, sizes: Sequence[int] = (api.DEFAULT_MAX_TOKENS,)) -> SpeedReport:
    """Measure reading of the files, and chunking of them by each strategy at each size (max_tokens). Raise NotWordError for a file that is not a ZIP file."""
    words = [_words(file) for file in files]
    return SpeedReport(_reading(files, words, rounds), _chunking(files, strategies, rounds, sizes), sum(count.total() for count in words))


def _words(file: Path) -> Counter[str]:
    try:
        return file_words(file)
    except BadZipFile as error:
        raise NotWordError(f"{file} is not a ZIP file, so the lower bound cannot be measured.") from error


def _reading(files: Sequence[Path], words: Sequence[Counter[str]], rounds: int) -> list[ReaderRow]:
    """Measure the floor, docxchunk and all installed readers in turn."""
    readers: Mapping[str, Callable[[], ReadFile]] = {_FLOOR: _floor, _READER: _docxchunk, **{_named(peer): peer.start for peer in installed()}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the other readers
        works = {name: _started(start) for name, start in readers.items()}
        kept = {name: _kept(work, files, words) for name, work in works.items()}
        seconds = interleaved({name: partial(_all, work, files) for name, work in works.items()}, rounds)
        memory = {name: _memory(start, files) for name, start in readers.items()}
    return [
        ReaderRow(name, seconds[name], seconds[name] / seconds[_FLOOR], memory[name], None if name == _FLOOR else kept[name].words, kept[name].failed)
        for name in readers
    ]


def _started(start: Callable[[], ReadFile]) -> ReadFile:
    """Return the function with which a program reads a file. If the program cannot start, return a function that raises the error for every file."""
    try:
        return start()
    except Exception as error:  # noqa: BLE001 - whatever another program raises
        failure = error

    def fail(_: Path) -> str:
        raise failure

    return fail


def _named(peer: Peer) -> str:
    return f"{peer.name} {peer.version}"


def _floor() -> ReadFile:
    return _inflated_and_parsed


def _inflated_and_parsed(file: Path) -> str:
    """Inflate every part and parse all XML, which every reader has to do."""
    with ZipFile(file) as package:
        for name in package.namelist():
            data = package.read(name)
            if name.endswith((".xml", ".rels")):
                etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=True, recover=True))
    return ""


def _docxchunk() -> ReadFile:
    return api.parse


def _kept(read: ReadFile, files: Sequence[Path], words: Sequence[Counter[str]]) -> _Kept:
    """Read each file once and count the words in what comes back."""
    kept, failed = 0, 0
    for file, wanted in zip(files, words, strict=True):
        try:
            kept += kept_words(_text(read(file)), wanted)
        except Exception:  # noqa: BLE001 - whatever another program raises is a file that it cannot read
            failed += 1
    return _Kept(kept, failed)


def _text(read: object) -> str:
    return read.to_markdown() if isinstance(read, Document) else str(read)


def _all(read: ReadFile, files: Iterable[Path]) -> None:
    for file in files:
        with suppress(Exception):  # `_kept` counts the failures
            read(file)


def _memory(start: Callable[[], ReadFile], files: Sequence[Path]) -> int:
    """Return the peak memory of a process that reads the files, in bytes."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_peak, start, files).result()


def _peak(start: Callable[[], ReadFile], files: Sequence[Path]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _all(_started(start), files)
    return peak_memory()


def _chunking(files: Sequence[Path], strategies: Sequence[str], rounds: int, sizes: Sequence[int]) -> list[ChunkingRow]:
    """Measure one encoding of the text, and each strategy at each size, in turn. A small size has an overlap of a quarter of it."""
    documents = [api.parse(file) for file in files]
    count = api.tokenizer().count
    texts = ["\n".join(block.content for block in document.blocks) for document in documents]

    def chunked(strategy: str, size: int) -> None:
        for document in documents:
            api.chunk(document, strategy=strategy, max_tokens=size, overlap=min(api.DEFAULT_OVERLAP, size // 4))

    works: dict[str, Callable[[], object]] = {_ENCODING: lambda: list(map(count, texts))}
    works[_ENCODING]()  # loads the vocabulary
    works |= {f"docxchunk chunk, {name}, {size:,}": partial(chunked, name, size) for name in strategies for size in sizes}
    seconds = interleaved(works, rounds)
    return [ChunkingRow(name, taken, taken / seconds[_ENCODING]) for name, taken in seconds.items()]
