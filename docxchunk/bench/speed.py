"""What it costs to read and to chunk Word files, beside the least that it can cost and beside what others take."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar
from zipfile import BadZipFile, ZipFile

from lxml import etree

from docxchunk import api
from docxchunk.bench.clock import least
from docxchunk.bench.peers import Peer, Work, installed
from docxchunk.errors import NotWordError
from docxchunk.model.document import Document

_T = TypeVar("_T")


class Row(NamedTuple):
    """Seconds for all files, and how many times those of the floor; `failed` counts files that it could not read."""

    name: str
    seconds: float
    ratio: float
    failed: int = 0


class Speed(NamedTuple):
    """`reading` is measured against inflating and parsing the XML, `chunking` against encoding the text once. The first row of each is the floor."""

    reading: list[Row]
    chunking: list[Row]


def speed(files: Sequence[Path], strategies: Sequence[str], rounds: int) -> Speed:
    """Measures all. Raises NotWordError for a file that is no zip."""
    floor = least(partial(_each, files, _inflated_and_parsed), rounds)
    reading = [Row("inflate, parse XML", floor, 1.0), _row("docxchunk parse", floor, least(partial(_each, files, api.parse), rounds))]
    reading += _others(files, floor, rounds)
    documents = [api.parse(file) for file in files]
    count = api.tokenizer().count
    texts = ["\n".join(block.content for block in document.blocks) for document in documents]
    once = least(lambda: [count(text) for text in texts], rounds)
    taken = {name: least(partial(_each, documents, partial(_chunked, name)), rounds) for name in strategies}
    return Speed(reading, [Row("encode once", once, 1.0), *(_row(f"docxchunk chunk, {name}", once, seconds) for name, seconds in taken.items())])


def _inflated_and_parsed(file: Path) -> None:
    """What nobody who reads a Word file can do without: every part inflated, all XML of it parsed."""
    try:
        with ZipFile(file) as package:
            for name in package.namelist():
                data = package.read(name)
                if name.endswith((".xml", ".rels")):
                    etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=True, recover=True))
    except BadZipFile as error:
        raise NotWordError(f"{file} is no zip, so there is nothing to compare with.") from error


def _chunked(strategy: str, document: Document) -> object:
    return api.chunk(document, strategy=strategy)


def _others(files: Sequence[Path], floor: float, rounds: int) -> Iterator[Row]:
    for peer in installed():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs
            yield _measured(peer, files, floor, rounds)


def _measured(peer: Peer, files: Sequence[Path], floor: float, rounds: int) -> Row:
    work, failures = peer.start(), set[Path]()
    seconds = least(partial(_each, files, partial(_tried, work, failures)), rounds)
    return Row(f"{peer.name} {peer.version}", seconds, seconds / floor, len(failures))


def _tried(work: Work, failures: set[Path], file: Path) -> None:
    try:
        work(file)
    except Exception:  # noqa: BLE001 - whatever another program raises is a file that it cannot read
        failures.add(file)


def _each(items: Sequence[_T], work: Callable[[_T], object]) -> None:
    for item in items:
        work(item)


def _row(name: str, floor: float, seconds: float) -> Row:
    return Row(name, seconds, seconds / floor)
