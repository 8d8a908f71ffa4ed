"""Run a strategy on a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import ClassVar

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.chunks import chunks_of
from docxchunk.chunking.explain import ExplainedCut, explained_cuts
from docxchunk.chunking.models import OnAnswer, checked, ignore_answer, models_by_port
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.sections import pieces_of
from docxchunk.chunking.strategy import Strategy, settings_hash, settings_of
from docxchunk.chunking.tokens import each_count
from docxchunk.chunking.words import division_of
from docxchunk.content.pipe_tables import readable
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.options import ChunkLimits, Setting
from docxchunk.model.ports import NO_MODELS, Models, Tokenizer, Wrapper


class StageChange(StrEnum):
    """The kind of change that a stage made to pieces."""

    SPLIT = "split"
    MERGED = "merged"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """The input pieces in the range `before` became the output pieces in the range `after`."""

    change: StageChange
    before: range
    after: range


@dataclass(frozen=True, slots=True)
class StageStep:
    """The changes that one stage made, and its output."""

    stage: str
    differences: tuple[Difference, ...]
    pieces: tuple[Piece, ...]


Trace = tuple[StageStep, ...]
"""One step for each stage."""


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks of a document in reading order, and how they were made.

    `cuts` explains the cuts between the chunks, if a trace was requested.
    `settings` and `settings_hash` identify the settings, `structured` is False for a document
    without headings, `trace` has one step per stage if requested. `models` are the names of the
    models that were used, by port, and `notes` report where they gave no usable answer.
    """

    chunks: tuple[Chunk, ...]
    settings: Mapping[str, Setting]
    settings_hash: str
    structured: bool
    trace: Trace | None = None
    cuts: tuple[ExplainedCut, ...] | None = None
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
    once = partial(_run, document, strategy, limits, models, trace=trace, on_answer=on_answer)
    chunking = _counted(once(tokenizer), limits, tokenizer)
    if chunking is None:
        tokenizer = _CountedWhole(tokenizer)
        chunking = once(tokenizer)
    if not limits.reserve or _fit(chunking.chunks, limits, tokenizer):
        return chunking
    chunking = once(_LongerForm(tokenizer))
    return replace(
        chunking,
        chunks=tuple(
            replace(chunk, tokens=tokenizer.count(chunk.content)) for chunk in chunking.chunks
        ),
    )


def _counted(chunking: Chunking, limits: ChunkLimits, tokenizer: Tokenizer) -> Chunking | None:
    """Return the chunks with exact counts; None if a chunk is over the limit. Texts are counted
    only if the counts of their words may be off.
    """
    if division_of(tokenizer) is None:
        return chunking
    counts = each_count(tokenizer)([chunk.content for chunk in chunking.chunks])
    pairs = [*zip(chunking.chunks, counts, strict=True)]
    longest = limits.of_text().max_tokens
    if any(tokens > max(longest, chunk.tokens) for chunk, tokens in pairs):
        return None
    return replace(chunking, chunks=tuple(replace(chunk, tokens=tokens) for chunk, tokens in pairs))


def _run(  # noqa: PLR0913 - the parts of a run
    document: Document,
    strategy: Strategy,
    limits: ChunkLimits,
    models: Models,
    tokenizer: Tokenizer,
    *,
    trace: bool,
    on_answer: OnAnswer,
) -> Chunking:
    assembler = Assembler(document, limits, tokenizer, checked(models, strategy.name, on_answer))
    settings = settings_of(strategy, limits, models)
    digest = settings_hash(strategy, settings)
    pieces, steps = pieces_of(assembler), list[StageStep]()
    for stage in strategy.stages(assembler.limits, assembler):
        before, pieces = pieces, stage.apply(pieces)
        if trace:
            steps.append(StageStep(stage.name, tuple(differences(before, pieces)), tuple(pieces)))
    return Chunking(
        chunks_of(assembler, pieces, digest),
        settings,
        digest,
        document.structured,
        tuple(steps) if trace else None,
        tuple(explained_cuts(pieces)) if trace else None,
        {port: model.name for port, model in models_by_port(models, strategy.models).items()},
        assembler.notes,
    )


def _fit(chunks: Sequence[Chunk], limits: ChunkLimits, tokenizer: Tokenizer) -> bool:
    """Return whether the texts to embed are within the limit. If the counts of chunks are exact,
    only chunks with markup and without a header are counted: text without markup is known to fit,
    and a header is added only where it fits.
    """
    texts = [
        chunk.embed_text
        for chunk in chunks
        if division_of(tokenizer)
        or (not chunk.embed_header and ("<" in chunk.content or "&" in chunk.content))
    ]
    return max(each_count(tokenizer)(texts), default=0) <= limits.max_tokens


class _CountedWhole(Wrapper[Tokenizer]):
    """Counts each text as a whole."""

    additive_over_newlines: ClassVar[bool] = False

    def count(self, text: str) -> int:
        return self._inner.count(text)


class _LongerForm(Wrapper[Tokenizer]):
    """Counts a text in the stored and in the readable form, and returns the larger number. It is
    for the rare documents with a chunk whose stored form fits, but whose readable form does not.
    """

    additive_over_newlines: ClassVar[bool] = False

    def count(self, text: str) -> int:
        return max(self._inner.count(text), self._inner.count(readable(text)))


def differences(before: Sequence[Piece], after: Sequence[Piece]) -> Iterator[Difference]:
    """Yield the changed ranges between the pieces that a stage returned unchanged (the same
    objects, in the same order).
    """
    numbers_after = {id(piece): number for number, piece in enumerate(after)}
    old = new = 0  # the first piece after the last unchanged one
    for i, piece in enumerate([*before, None]):
        j = len(after) if piece is None else numbers_after.get(id(piece))
        if j is None:
            continue
        if i > old or j > new:
            yield Difference(_change(i - old, j - new), range(old, i), range(new, j))
        old, new = i + 1, j + 1


def _change(before: int, after: int) -> StageChange:
    if before == after:
        return StageChange.CHANGED
    return StageChange.SPLIT if before < after else StageChange.MERGED
