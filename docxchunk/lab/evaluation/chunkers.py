"""Make chunkers to compare (strategies of docxchunk, functions of other packages, controls), and
tune them to equal sizes.
"""

from __future__ import annotations

import random
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from importlib import import_module
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from docxchunk.chunking import Assembler, ChunkLimits, P, Stage, Strategy, run
from docxchunk.chunking.best_cuts import merge_at_best_cuts
from docxchunk.chunking.search_units import units_of
from docxchunk.chunking.strategy import named_strategy
from docxchunk.errors import UsageError
from docxchunk.lab.evaluation.alignment import Alignment
from docxchunk.lab.evaluation.passages import (
    UNSPACED,
    CorpusSpan,
    ShownPassage,
    SourceText,
    passage_of_span,
    passages_of_chunks,
    passages_of_units,
)
from docxchunk.language.sentences import SENTENCE_END
from docxchunk.model.chunks import TableForm
from docxchunk.model.fields import member
from docxchunk.model.ports import NO_MODELS, Models, Tokenizer

_TABLES: Final = "tables="

CutText = Callable[[str, int], Iterable[CorpusSpan]]
# path of a Word file, most tokens -> text, ranges of it
Pipeline = Callable[[Path, int], tuple[str, Iterable[CorpusSpan]]]
# number of the source, source, most tokens -> passages
PassageChunker = Callable[[int, SourceText, int], list[ShownPassage]]


def of_pipeline(pipeline: Pipeline, tokenizer: Tokenizer) -> PassageChunker:
    """Return a chunker that calls `pipeline(path, max_tokens)`. The function `pipeline` reads a
    Word file with another program, and returns the text and ranges of this text.

    The words of a chunk are aligned with the words of docxchunk's text, in order. The aligned words
    are the places that the chunk shows. The chunker raises UsageError for a document without a
    file, and if `pipeline` fails.
    """

    def chunk(number: int, source: SourceText, max_tokens: int) -> list[ShownPassage]:
        file = source.file
        if file is None:
            raise UsageError(f"A pipeline needs a Word file, and {source.name} has none.")
        text, ranges = _answer(lambda: pipeline(file, max_tokens), source)
        alignment = Alignment(text, source)
        return [
            ShownPassage(number, text[start:end], shown, tokens=tokenizer.count(text[start:end]))
            for start, end in ranges
            for shown in (alignment.shown(start, end),)
        ]

    return chunk


def of_function(cut: CutText, tokenizer: Tokenizer) -> PassageChunker:
    """Return a chunker that calls `cut(text, max_tokens)`. The function `cut` returns ranges of the
    text in order. Ranges may overlap, and they may exceed the size.

    Ranges of only white space are skipped. The chunker raises UsageError if `cut` returns anything
    but ranges of the text.
    """

    def chunk(number: int, source: SourceText, max_tokens: int) -> list[ShownPassage]:
        text, ranges = _answer(lambda: (source.text, cut(source.text, max_tokens)), source)
        return [
            passage_of_span(number, source, (start, end), tokenizer.count(text[start:end]))
            for start, end in ranges
        ]

    return chunk


def _answer(
    work: Callable[[], tuple[str, Iterable[CorpusSpan]]], source: SourceText
) -> tuple[str, list[CorpusSpan]]:
    """Return the text and the ranges that a function of another package returns, without ranges of
    only white space.
    """
    try:
        text, ranges = work()
        spans = [(int(start), int(end)) for start, end in ranges]
    except Exception as error:  # an external function may raise anything
        raise UsageError(
            f"The chunker gave no ranges of {source.name} ({type(error).__name__}: {error})."
        ) from error
    for start, end in spans:
        if not 0 <= start <= end <= len(text):
            raise UsageError(
                f"The range {start} to {end} is not in the text of "
                f"{source.name}, which has {len(text)} characters."
            )
    return text, [(start, end) for start, end in spans if text[start:end].strip()]


def named(
    text: str, tokenizer: Tokenizer, overlap: int = 0, models: Models = NO_MODELS
) -> PassageChunker:
    """Return the chunker of a name: a control ("blind", "random", "P-flat"), or a strategy, with
    settings as in "P:anchors=furthest,target_ideal=0.6". "units" divides the chunks of P into
    units, "units:R" those of R.

    `tables=markdown` among the settings selects the form of tables. Raise UsageError for an unknown
    name or setting.
    """
    name, settings, form = _name_and_settings(text)
    if name in CONTROLS and not settings:
        return of_function(CONTROLS[name](tokenizer), tokenizer)
    if name == FlatMerge.name:
        base = named_strategy(f"{P.name}:{settings}")
        strategy: Strategy = FlatMerge(**{key.name: getattr(base, key.name) for key in fields(P)})
    else:
        strategy = _strategy(name, settings)
    shared = ChunkLimits(overlap=overlap, tables=form)

    def chunk(number: int, source: SourceText, max_tokens: int) -> list[ShownPassage]:
        limits = replace(shared, max_tokens=max_tokens)
        chunks = run(source.document, strategy, limits, tokenizer, models).chunks
        if name == UNITS:
            return passages_of_units(number, source, units_of(source.document, chunks, tokenizer))
        return passages_of_chunks(number, source, chunks)

    return chunk


UNITS: Final = "units"


def are_units(text: str) -> bool:
    """Return whether a chunker of this name makes units. Their size does not follow the limit."""
    return text.partition(":")[0] == UNITS


def strategy_of(text: str) -> Strategy | None:
    """Return the strategy that a name selects; None for a control."""
    name, settings, _ = _name_and_settings(text)
    return None if name in CONTROLS or name == FlatMerge.name else _strategy(name, settings)


def _strategy(name: str, settings: str) -> Strategy:
    if name == UNITS:
        return named_strategy(settings or P.name)
    return named_strategy(f"{name}:{settings}")


def _name_and_settings(text: str) -> tuple[str, str, TableForm]:
    """Return the name of a chunker before the colon, its settings without `tables=FORM`, and the
    form of tables.
    """
    name, _, settings = text.partition(":")
    form, strategy_settings = TableForm.JSON, []
    for setting in settings.split(","):
        if setting.startswith(_TABLES):
            form = member("tables", setting.removeprefix(_TABLES), TableForm)
        else:
            strategy_settings.append(setting)
    return name, ",".join(strategy_settings), form


# -- controls

_WORD = re.compile(rf"(?:(?<!\s)\s++)?(?:[{UNSPACED}]|[^\W{UNSPACED}]+|[^\w\s])")


def blind(tokenizer: Tokenizer) -> CutText:
    """Return the control `blind`: a chunker that ends a chunk only where the next word would exceed
    the limit, also inside sentences.
    """
    count = cache(tokenizer.count)

    def cut(text: str, max_tokens: int) -> Iterator[CorpusSpan]:
        ends = [match.end() for match in _WORD.finditer(text)]
        counts = [count(text[start:end]) for start, end in pairwise([0, *ends])]
        yield from _filled(text, ends, counts, lambda: max_tokens)

    return cut


def at_random(tokenizer: Tokenizer) -> CutText:
    """Return a control that cuts at ends of sentences. The sizes are drawn at random between N/2
    and N tokens.

    A sentence over N tokens is cut between words.
    """
    words = blind(tokenizer)

    def cut(text: str, max_tokens: int) -> Iterator[CorpusSpan]:
        draw = random.Random(f"{len(text)} {text[:200]}")  # noqa: S311 - a control, not a secret
        places: list[int] = []
        counts: list[int] = []
        ends = [match.end() for match in SENTENCE_END.finditer(text) if match.end() < len(text)]
        for start, end in pairwise([0, *ends, len(text)]):
            tokens = tokenizer.count(text[start:end])
            fits = tokens <= max_tokens
            for first, last in [(0, end - start)] if fits else words(text[start:end], max_tokens):
                places.append(start + last)
                counts.append(tokens if fits else tokens * (last - first) // (end - start))
        yield from _filled(text, places, counts, lambda: round(max_tokens * draw.uniform(0.5, 1)))

    return cut


def _filled(
    text: str, ends: Sequence[int], counts: Sequence[int], size: Callable[[], int]
) -> Iterator[CorpusSpan]:
    """Yield ranges of whole units, with about `size()` tokens each. `ends` are the ends of the
    units, `counts` their numbers of tokens.
    """
    before = [*accumulate(counts, initial=0)]
    first = 0
    while first < len(ends):
        last = max(bisect_left(before, before[first] + size() + 1, first + 1) - 1, first + 1)
        yield (ends[first - 1] if first else 0), (ends[last - 1] if last < len(ends) else len(text))
        first = last


CONTROLS: Mapping[str, Callable[[Tokenizer], CutText]] = {"blind": blind, "random": at_random}


@dataclass(frozen=True, slots=True)
class FlatMerge(P):
    """A control: P, but headings are ignored when neighbours are merged. It shows the effect of
    headings.
    """

    name: ClassVar[str] = "P-flat"

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:
        flat = replace(self.cut_rule, flat=True)
        merge_flat = Stage("merge_flat", partial(merge_at_best_cuts, assembler, flat))
        return tuple(
            merge_flat if stage.name == "merge" else stage
            for stage in super(FlatMerge, self).stages(limits, assembler)
        )


# -- functions of other packages, named as package.module:function


def imported(target: str) -> Any:
    """Return the function that "package.module:function" names. Raise UsageError if it cannot be
    imported, or is not a function.
    """
    module, colon, name = target.partition(":")
    if not colon:
        raise UsageError(f"{target!r} does not name a function: write module:function.")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"{target} cannot be imported ({error}); is its folder on PYTHONPATH?"
        ) from error
    if not callable(function):
        raise UsageError(f"{target} is not a function.")
    return function


# -- equal sizes

TOLERANCE: Final = 0.05
_TRIES: Final = 16
_SMALLEST, _LARGEST = 32, 1_000_000


class Sized(NamedTuple):
    """Passages, the requested size, and the CPU seconds."""

    max_tokens: int
    passages: list[ShownPassage]
    seconds: float

    @property
    def mean(self) -> float:
        return sum(passage.tokens for passage in self.passages) / max(len(self.passages), 1)


def cut_all(chunker: PassageChunker, sources: Sequence[SourceText], max_tokens: int) -> Sized:
    """Return the passages of all sources at one requested size."""
    start = time.process_time()
    passages = [
        passage
        for number, source in enumerate(sources)
        for passage in chunker(number, source, max_tokens)
    ]
    return Sized(max_tokens, passages, time.process_time() - start)


def tuned(chunker: PassageChunker, sources: Sequence[SourceText], mean: int) -> Sized:
    """Try several limits, and return the passages whose mean size is nearest to `mean`.

    The search ends if the mean size differs by one percent or less, or if twice the limit gives the
    same chunks. Some chunkers cannot reach `mean`, because the documents are short or they ignore
    the limit: check `Sized.mean`.
    """
    low, high = _SMALLEST, _LARGEST
    last = best = cut_all(chunker, sources, max(_SMALLEST, mean * 5 // 4))
    for _ in range(_TRIES):
        if abs(best.mean - mean) <= mean / 100 or high - low <= 1:
            break
        size = last.max_tokens
        low, high = (size, high) if last.mean < mean else (low, size)
        guess = round(size * mean / last.mean) if last.mean else high
        next_size = guess if low < guess < high else (low + min(high, low * 4)) // 2
        before, last = last, cut_all(chunker, sources, next_size)
        if next_size >= 2 * size and last.passages == before.passages:
            break
        best = min(best, last, key=lambda sized: abs(sized.mean - mean))
    return best
