"""Make chunkers to compare: strategies of docxchunk, external functions, and control baselines."""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import ClassVar, Final, cast

from docxchunk.chunking import ChunkLimits, P, Services, Stage, Strategy, run
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.stages.cut import cut as cut_together
from docxchunk.chunking.strategies.paragraph_semantic import cut_rule
from docxchunk.chunking.strategy_spec import named_strategy
from docxchunk.errors import UsageError
from docxchunk.evaluation.passages import Passage, SourceText, passage_of_span, passages_of_chunks
from docxchunk.evaluation.spans import Span
from docxchunk.model.chunks import TableForm, TableRole
from docxchunk.model.fields import member
from docxchunk.model.ports import NO_MODELS, Models, Tokenizer

_TABLES: Final = "tables="

Cut = Callable[[str, int], Iterable[Span]]
PassageChunker = Callable[[int, SourceText, int], list[Passage]]  # number of the source, source, most tokens -> passages


def of_strategy(strategy: Strategy, tokenizer: Tokenizer, shared: ChunkLimits = ChunkLimits(), models: Models = NO_MODELS) -> PassageChunker:  # noqa: B008 - a value
    """Return a chunker that runs a strategy of docxchunk."""

    def chunk(number: int, source: SourceText, max_tokens: int) -> list[Passage]:
        limits = replace(shared, max_tokens=max_tokens)
        return passages_of_chunks(number, source, run(source.document, strategy, limits, tokenizer, models).chunks)

    return chunk


def of_function(cut: Cut, tokenizer: Tokenizer) -> PassageChunker:
    """Return a chunker for any function from a text and a size to ranges of the text, in order. Ranges may overlap and may ignore the size.

    Ranges of only white space are skipped. The chunker raises UsageError for anything but ranges of the text.
    """

    def chunk(number: int, source: SourceText, max_tokens: int) -> list[Passage]:
        found = []
        for start, end in _ranges(cut, source, max_tokens):
            if not 0 <= start <= end <= len(source.text):
                raise UsageError(f"The range {start} to {end} is not in the text of {source.name}, which has {len(source.text)} characters.")
            text = source.text[start:end]
            if text.strip():
                found.append(passage_of_span(number, source, (start, end), tokenizer.count(text)))
        return found

    return chunk


def _ranges(cut: Cut, source: SourceText, max_tokens: int) -> list[Span]:
    try:
        return [(int(start), int(end)) for start, end in cut(source.text, max_tokens)]
    except Exception as error:  # an external function may raise anything
        raise UsageError(f"The chunker gave no ranges of {source.name} ({type(error).__name__}: {error}).") from error


def named(text: str, tokenizer: Tokenizer, overlap: int = 0, models: Models = NO_MODELS) -> PassageChunker:
    """Return the chunker of a name: a control ("blind", "random", "P-flat"), or a strategy, with settings as in "P:anchors=furthest,target_ideal=0.6".

    `tables=markdown` among the settings selects the form of tables. Raise UsageError for an unknown name or setting.
    """
    text, form = without_form(text)
    name, colon, settings = text.partition(":")
    limits = ChunkLimits(overlap=overlap, tables=form)
    if name in CONTROLS and not colon:
        return of_function(CONTROLS[name](tokenizer), tokenizer)
    if name == FlatMerge.name:
        own = cast("P", named_strategy(f"{P.name}:{settings}"))
        return of_strategy(FlatMerge(**{field.name: getattr(own, field.name) for field in fields(own)}), tokenizer, limits, models)
    return of_strategy(named_strategy(text), tokenizer, limits, models)


def without_form(text: str) -> tuple[str, TableForm]:
    """Return the name of a chunker without its `tables=FORM` setting, and that form."""
    name, _, written = text.partition(":")
    texts = written.split(",")
    own = ",".join(text for text in texts if not text.startswith(_TABLES))
    forms = [text.removeprefix(_TABLES) for text in texts if text.startswith(_TABLES)]
    return f"{name}:{own}" if own else name, member("tables", forms[-1], TableForm) if forms else TableForm.JSON


# -- controls

_UNSPACED: Final = r"\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"\s*(?:[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s])")
_SENTENCE = re.compile(r"""[。！？；…]+["'”’」』）)\]]*|[.!?]+["'”’)\]]*(?=\s)|\n+""")


def blind(tokenizer: Tokenizer) -> Cut:
    """Return a control that cuts every N tokens between words and ignores structure."""
    sizes: dict[str, int] = {}

    def cut(text: str, max_tokens: int) -> Iterator[Span]:
        ends = [match.end() for match in _WORD.finditer(text)]
        counts = []
        for start, end in pairwise([0, *ends]):
            word = text[start:end]
            if word not in sizes:
                sizes[word] = tokenizer.count(word)
            counts.append(sizes[word])
        yield from _filled(text, ends, counts, lambda: max_tokens)

    return cut


def at_random(tokenizer: Tokenizer) -> Cut:
    """Return a control that cuts at sentence ends, at sizes drawn at random between N/2 and N.

    A sentence over N tokens is cut between words.
    """
    words = blind(tokenizer)

    def cut(text: str, max_tokens: int) -> Iterator[Span]:
        draw = random.Random(f"{len(text)} {text[:200]}")  # noqa: S311 - a control, not a secret
        places: list[int] = []
        counts: list[int] = []
        for start, end in pairwise([0, *(match.end() for match in _SENTENCE.finditer(text) if match.end() < len(text)), len(text)]):
            tokens = tokenizer.count(text[start:end])
            for first, last in words(text[start:end], max_tokens) if tokens > max_tokens else [(0, end - start)]:
                places.append(start + last)
                counts.append(tokens * (last - first) // (end - start) if tokens > max_tokens else tokens)
        yield from _filled(text, places, counts, lambda: round(max_tokens * draw.uniform(0.5, 1)))

    return cut


def _filled(text: str, ends: Sequence[int], counts: Sequence[int], size: Callable[[], int]) -> Iterator[Span]:
    """Yield ranges of units of about `size()` tokens. `ends` are the end offsets of the units, `counts` their tokens."""
    before = [*accumulate(counts, initial=0)]
    first = 0
    while first < len(ends):
        last = max(bisect_left(before, before[first] + size() + 1, first + 1) - 1, first + 1)
        yield (ends[first - 1] if first else 0), (ends[last - 1] if last < len(ends) else len(text))
        first = last


CONTROLS: Mapping[str, Callable[[Tokenizer], Cut]] = {"blind": blind, "random": at_random}


def is_control(text: str) -> bool:
    """Return whether the name is that of a control."""
    name = text.partition(":")[0]
    return name in CONTROLS or name == FlatMerge.name


@dataclass(frozen=True, slots=True)
class FlatMerge(P):
    """A control: P without regard to headings when merging, to measure the effect of headings."""

    name: ClassVar[str] = "P-flat"

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:
        own = super(FlatMerge, self).stages(limits, services)
        sizes = self.thresholds(limits.max_tokens)
        if own[-1].name == "cut":
            return (*own[:-1], Stage("cut_flat", partial(cut_together, services, replace(cut_rule(self, sizes), flat=True))))
        return (*own[:-1], Stage("merge_flat", lambda pieces: merged_flat(services, pieces, sizes.target_ideal))) if own[-1].name == "merge" else own


def merged_flat(services: Services, pieces: list[Piece], ideal: int) -> list[Piece]:
    """Merge each piece below the ideal size with the next one while both fit. Slices of one table are never merged."""
    done: list[Piece] = []
    for piece in pieces:
        if done and done[-1].tokens < ideal and not _are_slices(done[-1], piece):
            both = services.merged(done[-1], piece)
            if both.tokens <= services.cap(both.parents, both.heading):
                done[-1] = both
                continue
        done.append(piece)
    return done


def _are_slices(left: Piece, right: Piece) -> bool:
    return left.role in (TableRole.FIRST, TableRole.MIDDLE) and right.role in (TableRole.MIDDLE, TableRole.LAST)
