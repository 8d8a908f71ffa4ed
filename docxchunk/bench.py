"""Measure the CPU time of reading and chunking Word files, relative to a lower bound (the floor),
how many of their words are kept, and the throughput of models.
"""

from __future__ import annotations

import html
import multiprocessing
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from types import MappingProxyType
from typing import Final, NamedTuple
from zipfile import BadZipFile, ZipFile

from lxml import etree

from docxchunk import api
from docxchunk.errors import NotWordError
from docxchunk.model.document import Document
from docxchunk.model.ports import Embedder, Endings, Losses, Scorer, costs_so_far

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


class _KeptWords(NamedTuple):
    words: int
    failed: int


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
            None if name == _FLOOR else counts[name].words,
            counts[name].failed,
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
    """Read all files. Return the CPU seconds, those of child processes included."""
    return seconds_of(partial(_all, *_task))


def _count_kept_words(words: Sequence[Counter[str]]) -> _KeptWords:
    """Read each file once, and count how many of its words the text has."""
    kept, failed = 0, 0
    for file, wanted in zip(_task.files, words, strict=True):
        try:
            kept += kept_words(_text(_task.read(file)), wanted)
        except Exception:  # noqa: BLE001 - whatever another program raises is a file that it cannot read
            failed += 1
    return _KeptWords(kept, failed)


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


# -- CPU time and memory

_STATUS: Final = Path("/proc/self/status")


def processor_seconds() -> float:
    """Return the CPU seconds of this process and of the child processes it has waited for."""
    return process_time() + sum(os.times()[2:4])


def seconds_of(work: Callable[[], object], clock: Callable[[], float] = processor_seconds) -> float:
    """Return the seconds that the work takes."""
    start = clock()
    work()
    return clock() - start


def interleaved(works: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Run each work once per round, and return the seconds of its quickest round. A work returns
    its own seconds. The works take turns, so that they share the state of the machine.
    """
    seconds = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            seconds[name] = min(seconds[name], work())
    return seconds


def peak_memory() -> int:
    """Return the peak resident memory in bytes of this process or of a child process that it has
    waited for. Not available on Windows.
    """
    import resource  # POSIX only

    return max(_own_peak(), _maxrss(resource.RUSAGE_CHILDREN))


def _own_peak() -> int:
    """Return the peak of this process. On Linux read it from /proc, because `ru_maxrss` is
    inherited from the parent process.
    """
    import resource

    if _STATUS.exists():
        return next(
            int(line.split()[1]) << 10
            for line in _STATUS.read_text("ascii", "replace").splitlines()
            if line.startswith("VmHWM:")
        )
    return _maxrss(resource.RUSAGE_SELF)


def _maxrss(who: int) -> int:
    import resource

    size = resource.getrusage(who).ru_maxrss
    return size if sys.platform == "darwin" else size << 10


# -- words

_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_READ: Final = re.compile(r"word/(document|footnotes|endnotes)\d*\.xml")
_SPACES: Final = frozenset({"tab", "br", "cr", "p"})
_INLINE: Final = re.compile(
    r"(?<!\\)</?(?:a|b|del|em|i|ins|s|span|strong|sub|sup"
    r"|u)(?: [^<>]*)?>",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"(?<!\\)</?[a-z][^<>]*>", re.IGNORECASE)  # r"\<name>" is text in Markdown
_SKIPPED: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def words_of(text: str) -> Counter[str]:
    """Count the words of a text: runs of letters and digits, and single characters of Chinese,
    Japanese and Korean.
    """
    return Counter(_WORD.findall(text.casefold()))


def file_words(file: Path) -> Counter[str]:
    """Count the words in the text (`w:t`, ECMA-376 Part 1, 17.3.3.31) of the main part, footnotes
    and endnotes. Deleted text does not count.
    """
    with ZipFile(file) as package:
        parts = [package.read(name) for name in package.namelist() if _READ.fullmatch(name)]
    return sum((words_of("".join(_texts(part))) for part in parts), Counter[str]())


def kept_words(text: str, wanted: Counter[str]) -> int:
    """Return how many of the wanted words are in a text (HTML, Markdown or plain). A word that is
    wanted twice counts twice if the text has it twice. Tags are not words.
    """
    return (words_of(without_tags(text)) & wanted).total()


def without_tags(text: str) -> str:
    """Return a text (HTML, Markdown or plain) without tags, and with characters for entities."""
    return html.unescape(_TAG.sub(" ", _INLINE.sub("", text)))


def _texts(part: bytes) -> Iterator[str]:
    """Yield the text of a part, with spaces for tabs, breaks and ends of paragraphs. Fallbacks
    repeat text boxes and are left out.
    """
    root = etree.fromstring(
        part, etree.XMLParser(resolve_entities=False, huge_tree=True, recover=True)
    )
    for fallback in [*root.iter(_SKIPPED)]:
        fallback.getparent().remove(fallback)
    for _, element in etree.iterwalk(root, events=("end",), tag="{*}*"):
        name = etree.QName(element).localname
        if name == "t" and element.text:
            yield element.text
        elif name in _SPACES:
            yield " "


# -- the throughput of models

_WORDS: Final = (
    "the of system shall be tested before delivery valve supply contract clause data section "
    "boundary pressure water report table shown"
).split()
_INSTRUCTION: Final = "Continue writing the following text."


class Rate(NamedTuple):
    """Throughput of a model. `gain` is the speedup of batched requests over single ones; `share` of
    the peak throughput is None if unknown.
    """

    name: str
    tokens_a_second: float
    gain: float
    share: float | None


def sentences(number: int) -> list[str]:
    """Return random sentences of 4 to 40 words, the same in every run."""
    dice = Random(number)  # noqa: S311 - not used for cryptography
    return [
        " ".join(dice.choices(_WORDS, k=dice.randint(4, 40))).capitalize() + "."
        for _ in range(number)
    ]


def embedding_rates(embedder: Embedder, number: int) -> list[Rate]:
    """Measure embedding of all sentences in one call against one call per sentence."""
    texts = sentences(number)
    return [
        _rate(
            "sentences",
            embedder,
            lambda: embedder.embed(texts),
            lambda: [embedder.embed([text]) for text in texts],
        )
    ]


def losses_of(texts: Sequence[str]) -> list[Losses]:
    """Join the sentences to texts of ten, and return a request for the loss of every sentence."""
    groups = [texts[start : start + 10] for start in range(0, len(texts), 10)]
    return [
        Losses(
            " ".join(group), tuple(end - 1 for end in accumulate(len(text) + 1 for text in group))
        )
        for group in groups
    ]


def scoring_rates(scorer: Scorer, number: int) -> list[Rate]:
    """Measure the scoring of texts of ten sentences. For losses, one call for all texts is compared
    with a call for each; for endings, one pass for each text with a pass for each ending.
    """
    losses = losses_of(sentences(number))
    endings = [Endings(text, ends, _INSTRUCTION) for text, ends, _ in losses]
    single = [Endings(text[:end], (end,), _INSTRUCTION) for text, ends, _ in losses for end in ends]
    return [
        _rate(
            "losses, batched : per text",
            scorer,
            lambda: scorer.score(losses),
            lambda: [scorer.score([question]) for question in losses],
        ),
        _rate(
            "endings, one pass : one pass each",
            scorer,
            lambda: scorer.score(endings),
            lambda: [scorer.score([question]) for question in single],
        ),
    ]


def _rate(
    name: str, model: Embedder | Scorer, together: Callable[[], object], apart: Callable[[], object]
) -> Rate:
    together()  # the first call loads and compiles
    before = costs_so_far(model)
    seconds = seconds_of(together, perf_counter)
    tokens = (costs_so_far(model) - before).tokens
    gain = seconds_of(apart, perf_counter) / seconds
    operations, peak = getattr(model, "operations", None), getattr(model, "peak", None)
    return Rate(
        name,
        tokens / seconds,
        gain,
        tokens / seconds * operations / peak if operations and peak else None,
    )
