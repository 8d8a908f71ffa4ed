"""Chunk files on a Ray cluster (extra `ray`). A worker reads a file and writes its chunks as
Parquet, so that the file crosses the network once, and its chunks once. The driver handles only
names and counts.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final, NamedTuple

import orjson
import pyarrow as pa
import ray
from pyarrow import parquet
from pyarrow.fs import FileSelector, FileSystem, FileType
from ray import exceptions

from docxchunk.batch.chunk_spec import ChunkSpec, made_with, models_of
from docxchunk.batch.chunking import Chunked, chunked
from docxchunk.batch.inputs import WORD, Input, Scan, ScannedItem, find_inputs
from docxchunk.batch.jobs import Reading, Results
from docxchunk.batch.pool import FAILURES, Failed, Failure, Jobs, guarded, in_order
from docxchunk.errors import MissingFileError, OutputError
from docxchunk.formats.parquet import NESTED
from docxchunk.model.options import Limits
from docxchunk.reader.ids import doc_id_of
from docxchunk.records import line
from docxchunk.records.chunks import Provenance
from docxchunk.sources import Naming, kind_of, parse_as

_AHEAD: Final = 4  # files per CPU that may be started ahead of a slow one
_TRIES: Final = 3  # for a file whose worker is killed
_MADE_FROM: Final = "made_from"
_COLUMNS: Final = pa.schema([*NESTED.items(), ("source", pa.string()), (_MADE_FROM, pa.string())])
_PART: Final = re.compile(r"[0-9a-f]{32}\.parquet")


def find_files(paths: Iterable[str], scan: Scan) -> list[ScannedItem]:
    """Return the inputs like `find_inputs`. A path may also be a URI of a file system that pyarrow
    supports, such as s3://bucket/folder.
    """
    paths = list(paths)
    local = find_inputs([path for path in paths if "://" not in path], None, scan)
    return [*local, *(item for path in paths if "://" in path for item in _files_at(path, scan))]


def chunk_on_ray(
    items: Sequence[Input], reading: Reading, spec: ChunkSpec, jobs: Jobs
) -> Results[Chunked]:
    """Chunk inputs into chunks/*.parquet in `reading.out`, a file for each input, on the cluster of
    RAY_ADDRESS or this machine. Yield each input with its result, in order.

    At most `jobs` files are in work at the same time; "auto" leaves the number to Ray, which takes
    one for each CPU. Chunks that are up to date are kept. A file whose chunks are made by a model
    takes a GPU if the cluster has any. Raise OutputError if the folder contains other files.
    """
    folder = _address(reading.out or Path())
    _refuse_foreign_files(folder)
    if not items:
        return
    ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level=logging.WARNING)
    machines = ray.cluster_resources()
    system, root = FileSystem.from_uri(folder)
    system.create_dir(f"{root}/chunks")
    gpus = 1 if models_of(spec) and machines.get("GPU") else 0
    work = ray.remote(max_retries=_TRIES - 1, max_calls=0, num_gpus=gpus)(chunk_file)
    task = ray.put(
        ChunkTask(folder, reading, replace(spec, keep=False, watch=None), made_with(spec))
    )
    room = _AHEAD * int(machines.get("CPU", 1)) if jobs == "auto" else jobs
    for item, result in in_order(lambda item: work.remote(task, item), items, lambda _: 1, room):
        try:
            yield item, ray.get(result)
        except exceptions.RayTaskError:  # an error that concerns every item
            raise
        except exceptions.RayError:
            yield item, Failed("The worker that processed it was lost, three times.", "Killed")


def write_failures(out: Path, failures: Sequence[Failure]) -> None:
    """Write `failures.jsonl` beside the chunks, or delete it if there are no failures."""
    system, inside = FileSystem.from_uri(_address(out))
    if failures:
        system.create_dir(inside)
        with system.open_output_stream(f"{inside}/{FAILURES}") as file:
            file.write(b"".join(line(failure._asdict()) for failure in failures))
    elif system.get_file_info(f"{inside}/{FAILURES}").type == FileType.File:
        system.delete_file(f"{inside}/{FAILURES}")


def _refuse_foreign_files(folder: str) -> None:
    system, root = FileSystem.from_uri(folder)
    listings = [
        system.get_file_info(FileSelector(path, allow_not_found=True))
        for path in (root, f"{root}/chunks")
    ]
    names = [entry.base_name for entries in listings for entry in entries]
    if any(not (name in ("chunks", FAILURES) or _PART.fullmatch(name)) for name in names):
        raise OutputError(
            f"{folder} contains files that docxchunk did not write: choose another folder."
        )


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


class ChunkTask(NamedTuple):
    """The folder of the output, and the options for parsing and chunking. `made_with` is computed
    once, because computing the fingerprint of a model may read its whole folder.
    """

    folder: str
    reading: Reading
    spec: ChunkSpec
    made_with: Provenance


def chunk_file(task: ChunkTask, item: Input) -> Chunked | Failed:
    """Chunk a file in a worker, unless its chunks are up to date."""
    return guarded(lambda item: _chunk(task, item), item)


def _chunk(task: ChunkTask, item: Input) -> Chunked:
    """Chunk a file without its pictures, which chunks do not contain."""
    reading = task.reading
    data = _bytes_at(_address(item.source), reading.options.limits)
    inputs = (
        _address(item.source),
        reading.doc_id or doc_id_of(item.label),
        asdict(reading.options),
        tuple(task.made_with),
        hashlib.sha256(data).hexdigest(),
    )
    # all that determines the chunks
    made_from = hashlib.sha256(orjson.dumps(inputs, default=dict)).hexdigest()
    system, root = FileSystem.from_uri(task.folder)
    name = hashlib.md5(item.label.encode(), usedforsecurity=False).hexdigest()
    part = f"{root}/chunks/{name}.parquet"
    if not reading.force and (tokens := _tokens_in(system, part, made_from)) is not None:
        return Chunked("", len(tokens), sum(tokens), reused=True)
    naming = Naming(item.label.rpartition("/")[2], item.label, reading.doc_id)
    document = parse_as(kind_of(Path(item.label)), data, naming, reading.options)
    result = chunked(document, task.spec)
    about = {"source": item.label, _MADE_FROM: made_from}
    rows = [orjson.loads(line) | about for line in result.lines.splitlines()]
    schema = _COLUMNS.with_metadata({_MADE_FROM: made_from})
    with system.open_output_stream(part) as file:
        parquet.write_table(pa.Table.from_pylist(rows, schema=schema), file)
    return replace(result, lines=b"")


def _tokens_in(system: FileSystem, part: str, made_from: str) -> list[int] | None:
    """Return the number of tokens of each chunk in a file. Return None if the file is missing or
    damaged, or was made from other inputs.
    """
    try:
        with system.open_input_file(part) as file:
            table = parquet.read_table(file, columns=["tokens"])
    except (FileNotFoundError, pa.ArrowInvalid):
        return None
    is_current = (table.schema.metadata or {}).get(_MADE_FROM.encode()) == made_from.encode()
    return table["tokens"].to_pylist() if is_current else None


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
    uri = re.fullmatch(r"(\w{2,}):/++(.*)", str(path))
    if uri is None:
        return str(path.absolute())
    return f"/{uri[2]}" if uri[1] == "file" else f"{uri[1]}://{uri[2]}"
