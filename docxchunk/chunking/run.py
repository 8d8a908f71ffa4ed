"""Run a strategy on a document, and explain its cuts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import ClassVar, NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.chunks import chunks_of
from docxchunk.chunking.models import OnAnswer, checked, ignore_answer, models_by_port
from docxchunk.chunking.pieces import Cut, Piece
from docxchunk.chunking.readable import readable
from docxchunk.chunking.sections import pieces_of
from docxchunk.chunking.strategy import Setting, Strategy, settings_hash, settings_of
from docxchunk.chunking.units import Units
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.options import ChunkLimits
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
class Step:
    """The changes that one stage made, and its output."""

    stage: str
    differences: tuple[Difference, ...]
    pieces: tuple[Piece, ...]


Trace = tuple[Step, ...]
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
    pieces, steps = pieces_of(assembler), list[Step]()
    for stage in strategy.stages(assembler.limits, assembler):
        before, pieces = pieces, stage.apply(pieces)
        if trace:
            steps.append(Step(stage.name, tuple(differences(before, pieces)), tuple(pieces)))
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
    """Return whether the texts to embed are within the limit. Only chunks with markup and without a
    header are counted: text without markup is known to fit, and a header is added only where it
    fits.
    """
    return all(
        tokenizer.count(chunk.embed_text) <= limits.max_tokens
        for chunk in chunks
        if not chunk.embed_header and ("<" in chunk.content or "&" in chunk.content)
    )


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


# -- why a document is cut where it is


class OtherCut(NamedTuple):
    """A cut that was possible: the lines before and after it, its price, what is on its two sides
    in words, and about how many tokens the two chunks would have.
    """

    before: str
    after: str
    price: float
    reason: str
    left: int
    right: int


class ExplainedCut(NamedTuple):
    """The cut before a piece: the lines before and after it, its price, what is on its two sides in
    words, and the numbers of tokens of the two chunks.

    `earlier` and `later` are the nearest other places where these two chunks could be cut. `price`
    is None if a rule without prices made the cut.
    """

    piece: int
    before: str
    after: str
    price: float | None
    reason: str
    left: int
    right: int
    earlier: OtherCut | None = None
    later: OtherCut | None = None


def explained_cuts(pieces: Sequence[Piece]) -> Iterator[ExplainedCut]:
    """Yield each cut between two of the pieces of a document."""
    following = [*pieces[2:], None]
    for number, ((left, right), after) in enumerate(
        zip(pairwise(pieces), following, strict=False), 1
    ):
        cut = right.cut
        units = cut.units if cut else None
        yield ExplainedCut(
            number,
            _last_line(units, cut.number - 1) if cut and units else _line(left.text, -1),
            _first_line(units, cut.number) if cut and units else _line(right.text, 0),
            float(cut.price) if cut and units else None,
            cut.price.reason if cut else "the rule of the strategy",
            left.tokens,
            right.tokens,
            _other(left, right, cut, _number(left.cut, cut, 0) + 1, -1),
            _other(left, right, cut, _number(after and after.cut, cut, -1) - 1, 1),
        )


def _number(cut: Cut | None, other: Cut | None, default: int) -> int:
    """Return the number of the unit at a cut between the same units as another cut."""
    same = cut is not None and other is not None and cut.units is other.units
    if same and cut is not None:
        return cut.number
    count = len(other.units) if other and other.units else 0
    return default if default >= 0 else count


def _other(left: Piece, right: Piece, cut: Cut | None, end: int, step: int) -> OtherCut | None:
    """Return the cut one unit before or after a cut; None if this is past the last unit, `end`."""
    if cut is None or cut.units is None or (cut.number - end) * step >= 0:
        return None
    units, number = cut.units, cut.number + step
    moved = cut.before[number] - cut.before[cut.number]
    price = units.prices[number]
    return OtherCut(
        _last_line(units, number - 1),
        _first_line(units, number),
        float(price),
        price.reason,
        left.tokens + moved,
        right.tokens - moved,
    )


def _first_line(units: Units, number: int) -> str:
    return _line(units.raw(number), 0)


def _last_line(units: Units, number: int) -> str:
    spans = units.spans_of(number)
    return _line(spans[-1].text if len(spans) > 1 else units.raw(number), -1)


def _line(text: str, number: int) -> str:
    """Return a line of a text without tags."""
    lines = [line for line in readable(text).split("\n") if line.strip()]
    return " ".join(lines[number].split()) if lines else ""
