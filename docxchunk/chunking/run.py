"""One run: a document and a strategy in, chunks out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from docxchunk.chunking.finishing import chunks_of
from docxchunk.chunking.models.checks import OnAnswer, checked, ignore_answer
from docxchunk.chunking.models.required import names
from docxchunk.chunking.pipeline import Strategy, Trace, run_stages, trace_stages
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits, Setting, settings_hash, settings_of
from docxchunk.chunking.stages.blocks import pieces_of
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.ports import NO_MODELS, Models, Tokenizer


@dataclass(frozen=True, slots=True)
class Chunking:
    """Chunks in reading order, and what they were made with; `models` are the names of those that were asked, by port, `notes` what they failed to answer.

    `structured` is False for plain text, which has no headings to follow.
    """

    chunks: tuple[Chunk, ...]
    settings: Mapping[str, Setting]
    settings_hash: str
    structured: bool
    trace: Trace | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def run(  # noqa: PLR0913 - what a run is made of
    document: Document,
    strategy: Strategy,
    limits: Limits,
    tokenizer: Tokenizer,
    models: Models = NO_MODELS,
    *,
    trace: bool = False,
    on_answer: OnAnswer = ignore_answer,
) -> Chunking:
    """The chunks of a document. The same input and settings give the same bytes. With `trace`, also what each stage did.

    `on_answer` is told of each answer of a model.
    Raises MissingModelError where the strategy asks a model that is not there, ModelError where one answers what cannot be used.
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
    return Chunking(chunks_of(services, pieces, digest), settings, digest, document.structured, steps, names(models, strategy.models), services.notes)
