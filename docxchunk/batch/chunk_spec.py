"""The chunking options of a run, and how a document is chunked with them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from docxchunk import api
from docxchunk.backends.batching import Gathering
from docxchunk.backends.loading import ModelChoice, models
from docxchunk.backends.tokenizers import is_file
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.model.document import Document
from docxchunk.model.options import DEFAULT_LIMITS, ChunkLimits, Setting
from docxchunk.model.ports import Models, Tokenizer
from docxchunk.records.chunks import Provenance
from docxchunk.registry import PluginKind, find

if TYPE_CHECKING:
    from docxchunk.chunking import Chunking, Strategy
    from docxchunk.chunking.models import OnAnswer


Watch = Callable[[str, float], "OnAnswer"]
"""Called with the name of a document, and about how many of its characters models will read;
returns the callback for each answer.
"""


@dataclass(frozen=True, slots=True)
class ChunkSpec:
    """Chunking options of a run. With `keep`, results are written; otherwise they are returned as
    JSON lines. With `situate`, a model situates each chunk; with `units`, the chunks are divided
    into units, too. `watch` is called before models read a document.
    """

    strategy: str = "P"
    limits: ChunkLimits = DEFAULT_LIMITS
    tokenizer: str = api.DEFAULT_TOKENIZER
    settings: dict[str, Setting] = field(default_factory=dict)
    trace: bool = False
    keep: bool = True
    situate: bool = False
    units: bool = False
    models: ModelChoice = field(default_factory=ModelChoice)
    watch: Watch | None = field(default=None, compare=False)


def check(spec: ChunkSpec) -> None:
    """Raise UsageError, MissingExtraError or ModelError for options that would fail on every input.
    Models are looked up, but not loaded.
    """
    from docxchunk.chunking.models import required_model, situation_model

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
        tokenizer_named(spec.tokenizer)
    except MissingFileError as error:
        raise UsageError(str(error)) from error


_SENTENCE: Final = 100
"""Characters of a sentence, roughly: strategies may ask about each."""


def _expected(document: Document, spec: ChunkSpec) -> float:
    """Return about how many characters of a document models will read."""
    from docxchunk.chunking.strategy import costs_of

    costs = [*costs_of(_strategy(spec))]
    if spec.situate:
        from docxchunk.chunking.situating import cost_of_situating

        costs.append(cost_of_situating(spec.limits.max_tokens))
    times = sum(cost.times + cost.prompt / _SENTENCE for cost in costs)
    return times * sum(len(block.content) for block in document.blocks)


def chunking_of(document: Document, spec: ChunkSpec) -> Chunking:
    """Chunk a document. Model requests of documents in several threads are batched."""
    from docxchunk.chunking import run
    from docxchunk.chunking.models import ignore_answer

    on_answer: OnAnswer = ignore_answer
    if models_of(spec) and spec.watch:
        on_answer = spec.watch(document.name, _expected(document, spec))
    with _gathering(spec.models, models_of(spec)).member() as loaded:
        chunking = run(
            document,
            _strategy(spec),
            spec.limits.with_checked_overlap(),
            tokenizer_named(spec.tokenizer),
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
    from docxchunk.chunking.models import situation_model

    max_tokens = spec.limits.max_tokens if spec.limits.reserve else None
    situating = api.situating(tokenizer_named(spec.tokenizer), max_tokens)
    chunks, notes = situating.situated(document, chunking.chunks, loaded, on_answer)
    return replace(
        chunking,
        chunks=chunks,
        models={**chunking.models, "completer": situation_model(loaded).name},
        notes=(*chunking.notes, *notes),
    )


def made_with(spec: ChunkSpec) -> Provenance:
    """Return the provenance that is the same for the chunks of all documents: without the hash of
    the blocks.
    """
    from docxchunk.chunking.models import situation_model
    from docxchunk.chunking.strategy import settings_hash, settings_of

    tokenizer, models = tokenizer_named(spec.tokenizer), _models(spec)
    strategy = _strategy(spec)
    digest = settings_hash(strategy, settings_of(strategy, spec.limits, models))
    situated_by = situation_model(models).fingerprint if spec.situate else ""
    return Provenance(
        spec.strategy, digest, tokenizer.name, tokenizer.fingerprint, "", situated_by=situated_by
    )


def _strategy(spec: ChunkSpec) -> Strategy:
    return _strategy_named(spec.strategy, tuple(spec.settings), *spec.settings.values())


@lru_cache(typed=True)  # 1 is not True
def _strategy_named(name: str, settings: tuple[str, ...], *values: Setting) -> Strategy:
    """Return a strategy with the values of some settings, made once per process."""
    from docxchunk.chunking.strategy import named_strategy

    return named_strategy(name, dict(zip(settings, values, strict=True)))


def _models(spec: ChunkSpec) -> Models:
    return _gathering(spec.models, models_of(spec)).models


@cache
def _gathering(choice: ModelChoice, ports: tuple[str, ...]) -> Gathering:
    return Gathering(models(choice, ports))


def window_warned(spec: ChunkSpec, warn: Callable[[str], object]) -> AbstractContextManager[None]:
    """Call `warn` at the end of a run if the embedder read only the beginning of some texts."""
    embedder = _models(spec).embedder
    if embedder is None:
        return nullcontext()
    from docxchunk.backends.embeddings import window_warning

    return window_warning(embedder, warn)


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
