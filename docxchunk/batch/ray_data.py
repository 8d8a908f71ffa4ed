"""Chunk files on a Ray cluster with Ray Data (extra `ray`). Workers read the files and write the
chunks as Parquet.

A file crosses the network once, from storage to a worker, and its chunks once, from the worker to
storage. For a strategy that uses models, the parsed document also travels between the two stages.
The driver handles only names and counts.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, cast

import orjson
import pyarrow as pa
import ray
from pyarrow.fs import FileSelector, FileSystem, FileType
from ray.actor import ActorHandle
from ray.data import ActorPoolStrategy, Dataset

from docxchunk.batch.chunk_spec import ChunkSpec, made_with, models_of
from docxchunk.batch.chunking import Chunked, chunked
from docxchunk.batch.inputs import WORD, Input, Item, Scan, find_inputs
from docxchunk.batch.jobs import Reading
from docxchunk.batch.pool import FAILURES, Failed, Failure, Jobs, run
from docxchunk.errors import MissingFileError
from docxchunk.formats.parquet import CHUNKS, ChunkCounts, PartKey, Parts
from docxchunk.markup.records import line
from docxchunk.markup.records.chunks import Provenance
from docxchunk.model.document import Document
from docxchunk.model.options import Limits
from docxchunk.reader.ids import doc_id_of
from docxchunk.sources import Naming, kind_of, parse_as

# files per batch of a worker; processed concurrently if the strategy uses models
_BATCH: Final = 16
_TRIES: Final = 3  # attempts for a batch whose worker is killed
_DOCUMENTS: Final = pa.schema(
    {
        "path": pa.string(),
        "label": pa.string(),
        "made_from": pa.string(),
        "document": pa.large_binary(),
    }
)


def find_files(paths: Iterable[str], scan: Scan) -> list[Item]:
    """Return the inputs like `find_inputs`. A path may also be a URI of a file system that pyarrow
    supports, such as s3://bucket/folder.
    """
    paths = list(paths)
    here = find_inputs([path for path in paths if "://" not in path], None, scan)
    return [*here, *(item for path in paths if "://" in path for item in _files_at(path, scan))]


def chunk_on_ray(
    items: Sequence[Input], reading: Reading, spec: ChunkSpec, jobs: Jobs
) -> Generator[tuple[Input, Chunked | Failed], None, None]:
    """Chunk inputs into chunks/*.parquet in `reading.out`, on the cluster of RAY_ADDRESS or this
    machine. Yield all outcomes at the end.

    `jobs="auto"` takes one worker per CPU of the cluster. Chunks that are up to date are kept;
    outdated ones are deleted after the new ones are written. A strategy that uses models gets its
    own actors, each with a GPU if the cluster has any. Raise OutputError if the folder contains
    other files.
    """
    target = _address(reading.out or Path())
    parts = Parts(target, FAILURES)
    if not items:
        return
    task = ChunkTask(reading, replace(spec, keep=False), made_with(spec))
    to_replace = {item.label for item in items} if reading.force else set[str]()
    existing = {key: size for key, size in parts.whole().items() if key.source not in to_replace}
    parts.keep(existing.__contains__)
    _connect()
    workers = max(1, int(ray.cluster_resources().get("CPU", 1))) if jobs == "auto" else jobs
    ledger = ray.remote(Ledger).options(num_cpus=0).remote()
    files: list[_TableRow] = [
        {"path": _address(item.source), "label": item.label} for item in items
    ]
    rows = ray.data.from_items(
        files, override_num_blocks=min(-(-len(files) // _BATCH), 64 * workers)
    )
    _chunks(rows, task, existing, workers, ledger).write_parquet(f"{target}/chunks")
    recorded: dict[str, _Outcome] = ray.get(ledger.recorded.remote())
    outcomes = _settle(items, [recorded.get(_address(item.source)) for item in items], parts)
    yield from zip(items, outcomes, strict=True)


def _settle(
    items: Sequence[Input], recorded: Sequence[_Outcome | None], parts: Parts
) -> list[Chunked | Failed]:
    """Return the outcome of each input, and delete outdated rows. Ray ignores lost blocks, so a
    file is done only if all its chunks are written.
    """
    whole = parts.whole()
    lost = Failed("The worker that processed it was lost: run the command again.", "Killed")
    outcomes: list[Chunked | Failed] = []
    news: dict[str, set[str]] = {}
    for item, noted in zip(items, recorded, strict=True):
        outcome, made_from = noted or _Outcome(lost)
        if (
            isinstance(outcome, Chunked)
            and outcome.chunks
            and PartKey(item.label, made_from) not in whole
        ):
            outcome = lost
        elif isinstance(outcome, Chunked):
            news.setdefault(item.label, set()).add(made_from)
        outcomes.append(outcome)
    parts.keep(lambda key: key in whole and key.made_from in news.get(key.source, {key.made_from}))
    return outcomes


def _connect() -> None:
    ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level=logging.WARNING)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = sys.stderr.isatty()  # otherwise Ray would log them
    context.max_errored_blocks = -1  # lost files are missing in the ledger


def write_failures(out: Path, failures: Sequence[Failure]) -> None:
    """Write `failures.jsonl` beside the chunks, or delete it if there are no failures."""
    system, inside = FileSystem.from_uri(_address(out))
    if not failures:
        if system.get_file_info(f"{inside}/{FAILURES}").type == FileType.File:
            system.delete_file(f"{inside}/{FAILURES}")
    else:
        with system.open_output_stream(f"{inside}/{FAILURES}") as file:
            file.write(b"".join(line(failure._asdict()) for failure in failures))


def _files_at(address: str, scan: Scan) -> Iterator[Input | MissingFileError]:
    system, root = FileSystem.from_uri(address)
    root_info = system.get_file_info(root)
    below = (
        system.get_file_info(FileSelector(root, recursive=scan.recursive))
        if root_info.type == FileType.Directory
        else [root_info]
    )
    count = 0
    for info in sorted(below, key=lambda info: info.path):
        label = info.path[len(root) :].strip("/") or info.base_name
        if (
            info.type == FileType.File
            and Path(label).suffix.lower() in WORD
            and not re.search(r"(^|/)(\.|~\$)", label)
        ):
            count += 1
            source = Path(address.rstrip("/") + info.path[len(root) :])
            yield Input(source, kind_of(Path(label)), source, info.base_name, label)
    if not count:
        yield MissingFileError(f"{address} holds no Word files.", address)


class Ledger:
    """An actor that collects the outcomes of files from all workers, because dataset rows hold only
    chunks.
    """

    def __init__(self) -> None:
        self._noted: dict[str, _Outcome] = {}
        self._begun: Counter[str] = Counter()

    def begin(self, batch: str) -> int:
        """Count an attempt at a batch. Return the number of attempts that have not ended, this one
        included. Without a limit, Ray would retry a batch that kills its worker for ever.
        """
        self._begun[batch] += 1
        return self._begun[batch]

    def end(self, batch: str, noted: dict[str, _Outcome]) -> None:
        self._begun[batch] = 0
        self._noted |= noted

    def recorded(self) -> dict[str, _Outcome]:
        return self._noted


class _Outcome(NamedTuple):
    """The outcome of a file, and the hash of what its chunks were made from."""

    outcome: Chunked | Failed
    made_from: str = ""


class ChunkTask(NamedTuple):
    """The options for parsing and chunking. `made_with` is computed once, because computing the
    fingerprint of a model may read its whole folder.
    """

    reading: Reading
    spec: ChunkSpec
    made_with: Provenance

    def made_from(self, row: _TableRow, data: bytes) -> str:
        """Return a hash of everything that determines the chunks of a file, and of its path."""
        label, options = str(row["label"]), self.reading.options
        inputs = (
            row["path"],
            self.reading.doc_id or doc_id_of(label),
            asdict(options),
            tuple(self.made_with),
            hashlib.sha256(data).hexdigest(),
        )
        return hashlib.sha256(orjson.dumps(inputs)).hexdigest()


_TableRow = dict[str, object]


class _StageResult(NamedTuple):
    """Rows for the next stage, and the outcome to record."""

    rows: list[_TableRow]
    noted: _Outcome | None = None


@dataclass
class _Actor:
    """Apply `work` to each row of a batch, concurrently if it uses models. A failing row does not
    stop the others.
    """

    work: Callable[[_TableRow], _StageResult]
    schema: pa.Schema
    ledger: ActorHandle
    models: Sequence[str]

    def __call__(self, batch: pa.Table) -> pa.Table:
        rows = batch.to_pylist()
        name = f"{self.schema.names[0]} {rows[0]['path']}" if rows else ""
        results: list[_StageResult | Failed] = []
        if ray.get(self.ledger.begin.remote(name)) <= _TRIES:
            results = list(
                run(self.work, rows, len(rows) if self.models else 1, models=self.models)
            )
        noted = {
            row["path"]: _Outcome(each) if isinstance(each, Failed) else each.noted
            for row, each in zip(rows, results, strict=False)
        }
        ray.get(self.ledger.end.remote(name, {path: each for path, each in noted.items() if each}))
        return pa.Table.from_pylist(
            [row for each in results if isinstance(each, _StageResult) for row in each.rows],
            schema=self.schema,
        )


def _chunks(
    files: Dataset,
    task: ChunkTask,
    existing: Mapping[PartKey, ChunkCounts],
    workers: int,
    ledger: ActorHandle,
) -> Dataset:
    """Return the dataset of new chunks. Without models, a single stage reads and chunks, so that no
    document is transferred.
    """
    models = models_of(task.spec)
    many = ActorPoolStrategy(min_size=1, max_size=workers)
    if not models:
        return _mapped(
            files, many, 0, partial(_read_and_chunk, task, existing), CHUNKS, ledger, models
        )
    gpus = int(ray.cluster_resources().get("GPU", 0))
    few = ActorPoolStrategy(size=max(gpus, 1))
    documents = _mapped(files, many, 0, partial(_read, task, existing), _DOCUMENTS, ledger, ())
    return _mapped(documents, few, min(gpus, 1), partial(_chunk, task.spec), CHUNKS, ledger, models)


def _mapped(
    rows: Dataset, actors: ActorPoolStrategy, gpus: int, *actor_arguments: object
) -> Dataset:
    return rows.map_batches(
        _Actor,
        fn_constructor_args=actor_arguments,
        compute=actors,
        num_gpus=gpus or None,
        batch_size=_BATCH,
        batch_format="pyarrow",
    )


def _read_and_chunk(
    task: ChunkTask, existing: Mapping[PartKey, ChunkCounts], row: _TableRow
) -> _StageResult:
    source = _source(task, row)
    return _reused(existing, source.key) or _chunked(
        _document(task.reading, source), task.spec, source.key
    )


def _read(task: ChunkTask, existing: Mapping[PartKey, ChunkCounts], row: _TableRow) -> _StageResult:
    """Return the parsed document as a row for the model stage."""
    source = _source(task, row)
    return _reused(existing, source.key) or _StageResult(
        [
            row
            | {
                "made_from": source.key.made_from,
                "document": pickle.dumps(_document(task.reading, source)),
            }
        ]
    )


def _chunk(spec: ChunkSpec, row: _TableRow) -> _StageResult:
    return _chunked(
        pickle.loads(cast("bytes", row["document"])),  # noqa: S301 - `_read` made it
        spec,
        PartKey(str(row["label"]), str(row["made_from"])),
    )


class _SourceFile(NamedTuple):
    data: bytes
    key: PartKey


def _source(task: ChunkTask, row: _TableRow) -> _SourceFile:
    data = _bytes_at(str(row["path"]), task.reading.options.limits)
    return _SourceFile(data, PartKey(str(row["label"]), task.made_from(row, data)))


def _reused(existing: Mapping[PartKey, ChunkCounts], key: PartKey) -> _StageResult | None:
    size = existing.get(key)
    return (
        _StageResult(
            [], _Outcome(Chunked("", size.chunks, size.tokens, reused=True), key.made_from)
        )
        if size
        else None
    )


def _document(reading: Reading, source: _SourceFile) -> Document:
    """Parse a file, without its pictures, which chunks do not contain."""
    label = source.key.source
    naming = Naming(label.rpartition("/")[2], label, reading.doc_id)
    document = parse_as(kind_of(Path(label)), source.data, naming, reading.options)
    return replace(document, assets={})


def _chunked(document: Document, spec: ChunkSpec, key: PartKey) -> _StageResult:
    outcome = chunked(document, spec)
    about = {**key._asdict(), "source_chunks": outcome.chunks}
    return _StageResult(
        [orjson.loads(each) | about for each in outcome.lines.splitlines()],
        _Outcome(replace(outcome, lines=b""), key.made_from),
    )


def _bytes_at(path: str, limits: Limits) -> bytes:
    try:
        system, inside = FileSystem.from_uri(path)
        with system.open_input_stream(inside, compression=None) as file:
            data: bytes = file.read(limits.file + 1)
    except OSError as error:
        raise MissingFileError(
            f"The file cannot be read ({error.strerror or error}).", path
        ) from error
    limits.admit_file(len(data))
    return data


def _address(path: Path) -> str:
    """Return the URI that `Path` has normalized (s3:/bucket/a.docx becomes s3://bucket/a.docx), or
    the absolute local path.
    """
    uri = re.fullmatch(r"(\w{2,}):/+(.*)", str(path))
    if uri is None:
        return str(path.absolute())
    return f"/{uri[2]}" if uri[1] == "file" else f"{uri[1]}://{uri[2]}"
