"""Chunk inputs: write the chunks into parsed folders, or return them as JSON lines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk import api
from docxchunk.backends.batching import Gathering
from docxchunk.backends.loading import ModelChoice, models
from docxchunk.backends.tokenizers import is_file
from docxchunk.batch.failures import Failed
from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import (
    REMADE,
    Opened,
    Reading,
    damage_of,
    each,
    keep,
    left_out,
    opened,
    removed_chunks,
)
from docxchunk.batch.pool import Jobs
from docxchunk.errors import MissingFileError, SidecarError, UsageError
from docxchunk.markup.records.chunks import CHUNK, UNIT, ModelNotes, Provenance, chunks_record
from docxchunk.markup.records.fields import Record, line
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.document import Document, Issue
from docxchunk.model.options import DEFAULT_LIMITS, ChunkLimits
from docxchunk.model.ports import NO_MODELS, Models, Tokenizer
from docxchunk.registry import PluginKind, find
from docxchunk.sidecar.chunks import (
    are_current_units,
    existing_chunks,
    is_altered_file,
    read_chunks,
)
from docxchunk.sidecar.files import is_folder, paths_in, sweep, units_beside
from docxchunk.sidecar.reader import content_hash, first_record, read, stored_issues
from docxchunk.sidecar.writer import write_chunks, write_units
from docxchunk.sources import InputKind

if TYPE_CHECKING:
    from docxchunk.chunking import Chunking, Strategy, Trace
    from docxchunk.chunking.models import OnAnswer
    from docxchunk.chunking.pieces import Piece
    from docxchunk.chunking.strategy import Cost


@dataclass(frozen=True, slots=True)
class ChunkSpec:
    """Chunking options of a run. With `keep`, results are written; else they are returned as JSON
    lines. With `situate`, a model situates each chunk; with `units`, the chunks are
    divided into units, too.
    """

    strategy: str = "P"
    limits: ChunkLimits = DEFAULT_LIMITS
    tokenizer: str = api.DEFAULT_TOKENIZER
    settings: dict[str, api.Setting] = field(default_factory=dict)
    trace: bool = False
    keep: bool = True
    situate: bool = False
    units: bool = False
    models: ModelChoice = field(default_factory=ModelChoice)


@dataclass(frozen=True, slots=True)
class Chunked:
    """Result of chunking an input.

    - `path`: the chunk file; "" if none was written.
    - `chunks`, `tokens`: how many there are.
    - `reused`: whether the existing file was up to date and was kept.
    - `notes`: sentences for the user.
    - `damage`: the most serious damage of the Word file, also if its chunks were reused.
    - `replaced`: the settings of the existing chunks, if these were replaced by chunks of other
      settings.
    - `lines`, `trace`: the chunks and the trace as JSON lines, if they were requested.
    """

    path: str
    chunks: int
    tokens: int
    reused: bool = False
    notes: tuple[str, ...] = ()
    damage: Issue | None = None
    replaced: str = ""
    lines: bytes = b""
    trace: bytes = b""


def check(spec: ChunkSpec) -> None:
    """Raise UsageError, MissingExtraError or ModelError for options that would fail on every input.
    Models are looked up, but not loaded.
    """
    from docxchunk.chunking.models import required_model
    from docxchunk.chunking.situating import situation_model

    spec.limits.with_checked_overlap()
    available = models(spec.models, models_of(spec))
    for port in _strategy(spec).models:
        required_model(getattr(available, port), port)
    if spec.situate:
        situation_model(available)
    if not is_file(spec.tokenizer):
        find(PluginKind.TOKENIZER, spec.tokenizer)
        return
    try:
        tokenizer_of(spec)
    except MissingFileError as error:
        raise UsageError(str(error)) from error


_ALTERED: Final = "Its chunk file was changed after it was written, and is made again."

Watch = Callable[[str, "Ahead"], "OnAnswer"]
"""Called with the name and expected model usage of a document before models run; returns the
callback for each answer.
"""


class Ahead(NamedTuple):
    """The expected model usage of a strategy on a document, with the tokens, characters and
    sentences of the document.
    """

    strategy: str
    costs: tuple[Cost, ...]
    tokens: int
    characters: int
    sentences: int


def chunk_all(
    items: Sequence[Input],
    reading: Reading,
    spec: ChunkSpec,
    jobs: Jobs,
    watch: Watch | None = None,
) -> Generator[tuple[Input, Chunked | Failed], None, None]:
    """Chunk the inputs and yield the results in order. If the strategy uses models, call `watch`
    for each document.
    """
    models = models_of(spec)
    work = partial(chunk_one, reading, spec, watch=watch if models else None)
    prepare = partial(_load, items, reading, spec)
    return each(work, items, jobs, models, prepare)


def _load(items: Sequence[Input], reading: Reading, spec: ChunkSpec) -> None:
    """Load the strategy. Also load the vocabulary, unless each input may already have its
    chunks.
    """
    made_with(spec)
    if not spec.keep or reading.force or not all(_path(item, spec).exists() for item in items):
        load_vocabulary(spec.tokenizer)


def _path(item: Input, spec: ChunkSpec) -> Path:
    return paths_in(item.target, item.name).chunks(spec.strategy)


def chunk_one(
    reading: Reading, spec: ChunkSpec, item: Input, watch: Watch | None = None
) -> Chunked:
    """Chunk an input. If a parsed folder is damaged and the input is the Word file, parse it
    again.
    """
    hush()
    try:
        return _chunk_one(reading, spec, item, watch)
    except SidecarError as error:
        if is_folder(item.source):
            raise SidecarError(f"{error} Parse the Word file again.") from error
        if item.kind is InputKind.PARSED or reading.force:
            raise
        result = _chunk_one(reading._replace(force=True), spec, item, watch)
        return replace(result, notes=(REMADE, *result.notes))


def _chunk_one(reading: Reading, spec: ChunkSpec, item: Input, watch: Watch | None) -> Chunked:
    source = opened(item, reading, keep=spec.keep)
    if not spec.keep:
        result = chunked(source.read(), spec, watch)
        return replace(result, notes=(*source.notes, *result.notes))
    path = _path(item, spec)
    existing = None if spec.trace or reading.force else _existing(path, source, spec)
    if existing is None:
        return _written(item, reading, source, spec, watch)
    if spec.units and not are_current_units(path):
        document, chunks = read(item.target), read_chunks(path).chunks
        write_units(path, document.doc_id, _units(document, chunks, spec))
    return existing


def _existing(path: Path, source: Opened, spec: ChunkSpec) -> Chunked | None:
    """Return the result for the existing chunk file; None if it is missing or out of date."""
    if source.current is None:
        return None
    meta = existing_chunks(path, _provenance(spec, source.current))
    if meta is None:
        return None
    sweep(path)
    return Chunked(
        str(path),
        meta.integer("chunks"),
        meta.integer("total_tokens"),
        reused=True,
        notes=source.notes,
        damage=damage_of(stored_issues(path.parent)),
    )


def _written(
    item: Input, reading: Reading, source: Opened, spec: ChunkSpec, watch: Watch | None
) -> Chunked:
    """Chunk a document, write the chunks and, if requested, their units, and return the result.
    Units of earlier chunks are removed.
    """
    path, document = _path(item, spec), source.read()
    chunking = chunking_of(document, spec, watch)
    # what the result says about the existing files, which are replaced below
    replaced_settings = _replaced(path, chunking, spec)
    altered = (_ALTERED,) if is_altered_file(path) else ()
    lost = keep(item, reading, source, document)
    replaced_options = lost.options if path in lost.files else ""
    other_files = lost._replace(files=tuple(file for file in lost.files if file != path))
    meta = chunks_record(
        _provenance(spec, source.current or item.target),
        chunking.settings,
        document,
        chunking.chunks,
        ModelNotes(chunking.models, chunking.notes),
    )
    write_chunks(path, meta, chunking.chunks)
    if spec.units:
        write_units(path, document.doc_id, _units(document, chunking.chunks, spec))
    elif not are_current_units(path):
        units_beside(path).unlink(missing_ok=True)
    result = _result(document, chunking, spec, str(path))
    return replace(
        result,
        notes=(*source.notes, *altered, *result.notes, *removed_chunks(other_files)),
        replaced=", ".join(filter(None, (replaced_options, replaced_settings))),
    )


def _replaced(path: Path, chunking: Chunking, spec: ChunkSpec) -> str:
    """Return the settings of the existing chunks that differ from the new ones, e.g. "max_tokens
    2000"; empty if none do.
    """
    from docxchunk.chunking.strategy import UNSET, different_settings

    meta = first_record(path)
    if meta is None:
        return ""
    changes = different_settings(
        {**meta.record("settings").scalars(), "tokenizer": meta.text("tokenizer")},
        {**chunking.settings, "tokenizer": tokenizer_of(spec).name},
    )
    return ", ".join(
        f"{name} {before}"
        for name, (before, after) in changes.items()
        if UNSET not in (before, after)
    )


def chunked(document: Document, spec: ChunkSpec, watch: Watch | None = None) -> Chunked:
    """Chunk a document and return the chunks, or their units, as JSON lines."""
    chunking = chunking_of(document, spec, watch)
    if spec.units:
        units = _units(document, chunking.chunks, spec)
        lines = b"".join(line(UNIT.record(unit)) for unit in units)
    else:
        lines = b"".join(line(CHUNK.record(chunk)) for chunk in chunking.chunks)
    return replace(_result(document, chunking, spec, ""), lines=lines)


def _result(document: Document, chunking: Chunking, spec: ChunkSpec, path: str) -> Chunked:
    return Chunked(
        path=path,
        chunks=len(chunking.chunks),
        tokens=sum(chunk.tokens for chunk in chunking.chunks),
        notes=tuple(_notes(document, chunking, spec)),
        damage=damage_of(document.issues),
        trace=b"".join(map(line, _trace_records(document, chunking.trace or ()))),
    )


def _units(document: Document, chunks: Sequence[Chunk], spec: ChunkSpec) -> list[Unit]:
    from docxchunk.chunking.search_units import units_of

    return units_of(document, chunks, tokenizer_of(spec))


def _ahead(document: Document, spec: ChunkSpec) -> Ahead:
    from docxchunk.chunking.cutting import sentence_ends
    from docxchunk.chunking.strategy import costs_of

    texts = [block.content for block in document.blocks]
    count = tokenizer_of(spec).count
    sentences = sum(1 + len(sentence_ends(text, 0, len(text))) for text in texts)
    return Ahead(
        spec.strategy,
        (*costs_of(_strategy(spec)), *_situating_costs(spec)),
        sum(map(count, texts)),
        sum(map(len, texts)),
        sentences,
    )


def _situating_costs(spec: ChunkSpec) -> tuple[Cost, ...]:
    """Return the cost of situating chunks of the maximum length: the model reads each chunk once,
    with its surroundings.
    """
    from docxchunk.chunking.situating import SURROUNDINGS
    from docxchunk.chunking.strategy import Cost

    return (
        (Cost("completer", round(1 + SURROUNDINGS / spec.limits.max_tokens, 1)),)
        if spec.situate
        else ()
    )


def chunking_of(document: Document, spec: ChunkSpec, watch: Watch | None = None) -> Chunking:
    """Chunk a document. Model requests of documents in several threads are batched."""
    from docxchunk.chunking import run
    from docxchunk.chunking.models import ignore_answer

    ports = models_of(spec)
    on_answer = watch(document.name, _ahead(document, spec)) if watch else ignore_answer
    with _gathering(spec.models, ports).member() if ports else nullcontext(NO_MODELS) as loaded:
        chunking = run(
            document,
            _strategy(spec),
            spec.limits.with_checked_overlap(),
            tokenizer_of(spec),
            loaded,
            trace=spec.trace,
            on_answer=on_answer,
        )
        return _situated(document, chunking, spec, loaded, on_answer) if spec.situate else chunking


def _situated(
    document: Document, chunking: Chunking, spec: ChunkSpec, loaded: Models, on_answer: OnAnswer
) -> Chunking:
    """Return the chunking with a `situation` for each chunk, written by a model. If tokens are
    reserved, `embed_text` stays within the limit.
    """
    from docxchunk.chunking.situating import EmbedLimit, situated, situation_model

    limit = EmbedLimit(tokenizer_of(spec), spec.limits.max_tokens if spec.limits.reserve else None)
    chunks, notes = situated(document, chunking.chunks, loaded, limit, on_answer)
    return replace(
        chunking,
        chunks=chunks,
        models={**chunking.models, "completer": situation_model(loaded).name},
        notes=(*chunking.notes, *notes),
    )


def _provenance(spec: ChunkSpec, parsed: Path) -> Provenance:
    return made_with(spec)._replace(blocks_sha256=content_hash(parsed))


def made_with(spec: ChunkSpec) -> Provenance:
    """Return the provenance that is the same for the chunks of all documents: without the hash of
    the blocks.
    """
    from docxchunk.chunking.situating import situation_model
    from docxchunk.chunking.strategy import settings_hash, settings_of

    tokenizer, models = tokenizer_of(spec), _models(spec)
    digest = settings_hash(settings_of(_strategy(spec), spec.limits, models))
    situated_by = situation_model(models).fingerprint if spec.situate else ""
    return Provenance(
        spec.strategy, digest, tokenizer.name, tokenizer.fingerprint, "", situated_by=situated_by
    )


def _strategy(spec: ChunkSpec) -> Strategy:
    from docxchunk.chunking.strategy import named_strategy

    return named_strategy(spec.strategy, spec.settings)


def _models(spec: ChunkSpec) -> Models:
    ports = models_of(spec)
    return _gathering(spec.models, ports).models if ports else NO_MODELS


@cache
def _gathering(choice: ModelChoice, ports: tuple[str, ...]) -> Gathering:
    return Gathering(models(choice, ports))


def tokenizer_of(spec: ChunkSpec) -> Tokenizer:
    return tokenizer_named(spec.tokenizer)


def models_of(spec: ChunkSpec) -> tuple[str, ...]:
    """Return the ports of the models that answer questions in this run."""
    return tuple(
        dict.fromkeys((*_strategy(spec).models, *(("completer",) if spec.situate else ())))
    )


@cache
def tokenizer_named(name: str) -> Tokenizer:
    """Return a tokenizer by name or file, loaded once per process."""
    return api.tokenizer(name)


def load_vocabulary(name: str) -> None:
    """Load the whole vocabulary of a tokenizer, of which a short text needs only a part."""
    tokenizer_named(name).count(" " * 10_000)


@cache
def hush() -> None:
    """Silence log warnings, which are reported as notes instead."""
    logging.getLogger("docxchunk").addHandler(logging.NullHandler())


def _notes(document: Document, chunking: Chunking, spec: ChunkSpec) -> Iterator[str]:
    yield from left_out(document.issues)
    yield from chunking.notes
    if spec.strategy != "P":
        return
    if not chunking.structured:
        yield "Plain text has no structure for P to follow: chunked by R."
    elif len(chunking.chunks) > 1 and not any(block.level for block in document.blocks):
        yield "It has no headings to follow, neither marked nor recognized."


def _trace_records(document: Document, trace: Trace) -> Iterator[Record]:
    """Yield a record per stage: its changes, as half-open ranges of piece numbers before and after
    it, and the resulting pieces. A piece that may be cut has its units, with the price of a cut
    before each.
    """
    for step in trace:
        yield {
            "doc_id": document.doc_id,
            "stage": step.stage,
            "changes": [
                {
                    "change": difference.change,
                    "before": [difference.before.start, difference.before.stop],
                    "after": [difference.after.start, difference.after.stop],
                }
                for difference in step.differences
            ],
            "pieces": list(map(_piece_record, step.pieces)),
        }


def _piece_record(piece: Piece) -> Record:
    record: Record = {
        "heading": piece.heading,
        "level": piece.level,
        "tokens": piece.tokens,
        "role": piece.role,
        "text": piece.text,
    }
    if (units := piece.units) is not None:
        record["units"] = [
            {"price": price, "text": units.raw(number)} for number, price in enumerate(units.prices)
        ]
    return record
