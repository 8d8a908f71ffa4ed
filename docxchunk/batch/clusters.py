"""Many files on many machines, by way of Ray Data (extra `ray`): each is read where it is worked on, and its chunks go to Parquet from there.

Through the network go a file once, from its storage to a worker, and its chunks once, from the worker to storage; between the two stages of a strategy
that asks models also the text of the document. The driver sees names and counts.
"""

from __future__ import annotations

import logging
import pickle
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, cast

import orjson
import pyarrow as pa
import ray
from pyarrow.dataset import dataset
from pyarrow.fs import FileSelector, FileSystem, FileType
from ray.actor import ActorHandle
from ray.data import ActorPoolStrategy, Dataset

from docxchunk import api
from docxchunk.batch.chunking import Chunked, Making, chunked, models_of
from docxchunk.batch.failures import Failure
from docxchunk.batch.inputs import WORD, Input, Scan, find_inputs
from docxchunk.batch.pool import Failed, run
from docxchunk.batch.work import Reading
from docxchunk.errors import LimitError, MissingFileError, OutputError
from docxchunk.formats.parquet import NESTED
from docxchunk.markup.records.fields import line
from docxchunk.model.document import Document
from docxchunk.reader.identity import doc_id_of

_BATCH: Final = 16  # files that a worker takes at a time; of a strategy that asks models, at once
_RETRIES: Final = 2  # of a batch whose worker was killed; Ray would try it for ever
CHUNKS: Final = pa.schema([*NESTED.items(), ("source", pa.string())])  # the label of the input
_DOCUMENTS: Final = pa.schema({"path": pa.string(), "label": pa.string(), "document": pa.large_binary()})


def find_files(paths: Iterable[str], scan: Scan) -> list[Input | MissingFileError]:
    """As `find_inputs`; a path may also be an address, s3://bucket/folder, of any file system that pyarrow knows."""
    paths = list(paths)
    here = find_inputs([path for path in paths if "://" not in path], None, scan)
    return [*here, *(found for path in paths if "://" in path for found in _files_at(path, scan))]


def chunk_on_ray(items: Sequence[Input], reading: Reading, making: Making, workers: int) -> Generator[tuple[Input, Chunked | Failed], None, None]:
    """Chunks inputs into chunks/*.parquet in `reading.out`, on the cluster that RAY_ADDRESS names, else on this machine. All outcomes come at the end.

    A strategy that asks models has actors of its own, each with a GPU where the cluster has some. Raises OutputError where the folder is not empty.
    """
    target = _address(reading.out or Path())
    _refuse_old(target)
    if not items:
        return
    _connect()
    ledger = ray.remote(Ledger).options(num_cpus=0).remote()
    files: list[_Row] = [{"path": _address(item.source), "label": item.label} for item in items]
    rows = ray.data.from_items(files, override_num_blocks=min(-(-len(files) // _BATCH), 64 * workers))
    _chunks(rows, reading, replace(making, keep=False), workers, ledger).write_parquet(f"{target}/chunks")
    outcomes: dict[str, Chunked | Failed] = ray.get(ledger.told.remote())
    yield from zip(items, _kept(items, [outcomes.get(_address(item.source)) for item in items], _written(target)), strict=True)


def _kept(items: Sequence[Input], outcomes: Sequence[Chunked | Failed | None], written: Counter[str]) -> Iterator[Chunked | Failed]:
    """What became of each. Ray goes on where a block is lost, also one that it cannot write: only what stands there counts."""
    told = Counter[str]()
    for item, outcome in zip(items, outcomes, strict=True):
        told[item.label] += outcome.chunks if isinstance(outcome, Chunked) else 0
    lost = Failed("The worker that had it was lost.", "Killed")
    return (outcome if outcome and told[item.label] == written[item.label] else lost for item, outcome in zip(items, outcomes, strict=True))


def _connect() -> None:
    ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level=logging.WARNING)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = sys.stderr.isatty()  # elsewhere it would log them
    context.max_errored_blocks = -1  # what is lost is missing in the ledger


def write_failures(out: Path, failures: Sequence[Failure]) -> None:
    """`failures.jsonl` beside the chunks, wherever they are."""
    if failures:
        system, inside = FileSystem.from_uri(_address(out))
        with system.open_output_stream(f"{inside}/failures.jsonl") as file:
            file.write(b"".join(line(failure._asdict()) for failure in failures))


def _files_at(address: str, scan: Scan) -> Iterator[Input | MissingFileError]:
    system, root = FileSystem.from_uri(address)
    found = system.get_file_info(root)
    below = system.get_file_info(FileSelector(root, recursive=scan.recursive)) if found.type == FileType.Directory else [found]
    count = 0
    for info in sorted(below, key=lambda info: info.path):
        label = info.path[len(root) :].strip("/") or info.base_name
        if info.type == FileType.File and Path(label).suffix.lower() in WORD and not re.search(r"(^|/)(\.|~\$)", label):
            count += 1
            source = Path(address.rstrip("/") + info.path[len(root) :])
            yield Input(source, api.kind_of(Path(label)), source, info.base_name, label)
    if not count:
        yield MissingFileError(f"{address} holds no Word files.", address)


class Ledger:
    """An actor that is told what became of each file: workers are many, and the rows that go through them are chunks."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Chunked | Failed] = {}

    def note(self, outcomes: dict[str, Chunked | Failed]) -> None:
        self._outcomes |= outcomes

    def told(self) -> dict[str, Chunked | Failed]:
        return self._outcomes


_Row = dict[str, object]


class _Made(NamedTuple):
    """Rows for what comes next, and what is to be noted."""

    rows: list[_Row]
    outcome: Chunked | None = None


@dataclass
class _Actor:
    """Does the same with each row of a batch; a bad one never stops the others. What asks models does it with all at once."""

    work: Callable[[_Row], _Made]
    schema: pa.Schema
    ledger: ActorHandle
    models: Sequence[str]

    def __call__(self, batch: pa.Table) -> pa.Table:
        rows = batch.to_pylist()
        made = list(run(self.work, rows, len(rows) if self.models else 1, models=self.models))
        outcomes = {row["path"]: each if isinstance(each, Failed) else each.outcome for row, each in zip(rows, made, strict=True)}
        ray.get(self.ledger.note.remote({path: outcome for path, outcome in outcomes.items() if outcome}))
        return pa.Table.from_pylist([row for each in made if isinstance(each, _Made) for row in each.rows], schema=self.schema)


def _chunks(files: Dataset, reading: Reading, making: Making, workers: int, ledger: ActorHandle) -> Dataset:
    """Rows of chunks. Without models one stage does all, so that no document travels."""
    models = models_of(making)
    many = ActorPoolStrategy(min_size=1, max_size=workers)
    if not models:
        return _mapped(files, many, 0, partial(_read_and_chunk, reading, making), CHUNKS, ledger, models)
    gpus = int(ray.cluster_resources().get("GPU", 0))
    few = ActorPoolStrategy(size=max(gpus, 1))
    documents = _mapped(files, many, 0, partial(_read, reading), _DOCUMENTS, ledger, ())
    return _mapped(documents, few, min(gpus, 1), partial(_chunk, making), CHUNKS, ledger, models)


def _mapped(rows: Dataset, actors: ActorPoolStrategy, gpus: int, *what: object) -> Dataset:
    return rows.map_batches(
        _Actor,
        fn_constructor_args=what,
        compute=actors,
        num_gpus=gpus or None,
        batch_size=_BATCH,
        batch_format="pyarrow",
        ray_remote_args_fn=lambda: {"max_task_retries": _RETRIES},
    )


def _read_and_chunk(reading: Reading, making: Making, row: _Row) -> _Made:
    return _chunked(_document(reading, row), making, row)


def _read(reading: Reading, row: _Row) -> _Made:
    return _Made([row | {"document": pickle.dumps(_document(reading, row))}])


def _chunk(making: Making, row: _Row) -> _Made:
    return _chunked(pickle.loads(cast("bytes", row["document"])), making, row)  # noqa: S301 - `_read` made it


def _document(reading: Reading, row: _Row) -> Document:
    """Without its pictures, which chunks do not hold."""
    path, label = str(row["path"]), str(row["label"])
    data = _bytes_at(path, reading.options.limits.file)
    document = api.parse_as(api.kind_of(Path(label)), data, label.rpartition("/")[2], reading.doc_id or doc_id_of(label), reading.options)
    return replace(document, assets={})


def _chunked(document: Document, making: Making, row: _Row) -> _Made:
    outcome = chunked(document, making)
    rows = [orjson.loads(each) | {"source": row["label"]} for each in outcome.lines.splitlines()]
    return _Made(rows, replace(outcome, lines=b""))


def _bytes_at(path: str, most: int) -> bytes:
    try:
        system, inside = FileSystem.from_uri(path)
        with system.open_input_stream(inside, compression=None) as file:
            data: bytes = file.read(most + 1)
    except OSError as error:
        raise MissingFileError(f"The file cannot be read ({error.strerror or error}).", path) from error
    if len(data) > most:
        raise LimitError(f"The file is larger than {most:,} bytes, the limit.", "file")
    return data


def _refuse_old(target: str) -> None:
    system, inside = FileSystem.from_uri(target)
    if system.get_file_info(FileSelector(inside, allow_not_found=True)):
        raise OutputError(f"{target} is not empty: choose another folder.")


def _written(target: str) -> Counter[str]:
    """Chunks by their source, as they stand there."""
    system, inside = FileSystem.from_uri(f"{target}/chunks")
    counts = Counter[str]()
    if system.get_file_info(inside).type == FileType.Directory:
        for batch in dataset(inside, filesystem=system, format="parquet").to_batches(columns=["source"]):
            counts.update(batch.column("source").to_pylist())
    return counts


def _address(path: Path) -> str:
    """What `Path` made of an address is undone: s3:/bucket/a.docx is s3://bucket/a.docx. A path of this machine is whole."""
    found = re.fullmatch(r"(\w{2,}):/+(.*)", str(path))
    if found is None:
        return str(path.absolute())
    return f"/{found[2]}" if found[1] == "file" else f"{found[1]}://{found[2]}"
