"""Run a strategy on a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from docxchunk.chunking.finishing import chunks_of
from docxchunk.chunking.models import OnAnswer, checked, ignore_answer, model_names
from docxchunk.chunking.pipeline import Strategy, Trace, run_stages, trace_stages
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits, Setting, settings_hash, settings_of
from docxchunk.chunking.stages.blocks import pieces_of
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.ports import NO_MODELS, Models, Tokenizer


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks of a document in reading order, and how they were made.

    `settings` and `settings_hash` identify the settings, `structured` is False for a document
    without headings, `trace` has one step per stage if requested. `models` are the names of the
    models that were used, by port, and `notes` report where they gave no usable answer.
    """

    chunks: tuple[Chunk, ...]
    settings: Mapping[str, Setting]
    settings_hash: str
    structured: bool
    trace: Trace | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def run(  # noqa: PLR0913 - the parts of a run
    document: Document,
    strategy: Strategy,
    limits: ChunkLimits,
    tokenizer: Tokenizer,
    models: Models = NO_MODELS,
    *,
    trace: bool = False,
    on_answer: OnAnswer = ignore_answer,
) -> Chunking:
    """Chunk a document. The result is deterministic: it depends only on the arguments. `trace`
    records what each stage did.

    `on_answer` is called after each answer of a model.
    Raise MissingModelError if the strategy needs a model that is not given, ModelError if the
    answer of a model cannot be used.
    """
    services = Services(document, limits, tokenizer, checked(models, strategy.name, on_answer))
    settings = settings_of(strategy, limits, models)
    digest = settings_hash(settings)
    stages = strategy.stages(services.limits, services)
    pieces, steps = pieces_of(services), None
    if trace:
        pieces, steps = trace_stages(pieces, stages)
    else:
        pieces = run_stages(pieces, stages)
    return Chunking(
        chunks_of(services, pieces, digest),
        settings,
        digest,
        document.structured,
        steps,
        model_names(models, strategy.models),
        services.notes,
    )
