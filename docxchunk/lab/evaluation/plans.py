"""What to run: the settings of an evaluation as names and numbers, and the plan with the chunkers,
retrievers and models that they name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from docxchunk import api
from docxchunk.backends import loading
from docxchunk.backends.loading import ModelChoice
from docxchunk.errors import UsageError
from docxchunk.lab.evaluation import metrics
from docxchunk.lab.evaluation.chunkers import (
    PassageChunker,
    are_units,
    imported,
    named,
    of_function,
    of_pipeline,
    strategy_of,
)
from docxchunk.lab.evaluation.retrievers import (
    Fused,
    Reranked,
    Retriever,
    Tell,
    bm25,
    dense,
    read_by,
)
from docxchunk.model.ports import Completer, Embedder, Models, Scorer, Tokenizer

# names of retrievers; any other is that of an embedder
_BM25, _FUSED, _RERANKED = "bm25", "rrf", "pplrerank"


class Prefix(StrEnum):
    """The text that is put before a passage and indexed with it. It counts against budgets, except
    the text of EMBED.
    """

    NONE = "none"
    HEADINGS = "headings"
    TITLE = "title"  # the document's title, and the headings
    # the part of TITLE that the text does not show: indexed only, not shown and not counted
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class EvalSettings:
    """The settings of an evaluation. They can be sent to another process.

    - `strategies`: chunkers by name, see `chunkers.named`.
    - `others`, `pipelines`: MODULE:FUNCTION of other chunkers and pipelines, by their name in the
      report.
    - `retrievers`: "bm25", embedders, "rrf", which combines these, and "pplrerank", which ranks the
      best passages of the first retriever again.
    - `paths`: the prefixes of passages.
    - `reader`: the name of a completer, or "".

    The other fields are those of `Plan`.
    """

    strategies: tuple[str, ...]
    others: Mapping[str, str]
    pipelines: Mapping[str, str]
    retrievers: tuple[str, ...]
    budgets: tuple[int, ...]
    paths: tuple[Prefix, ...]
    max_tokens: int
    equal_sizes: int | None
    overlap: int
    tokenizer: str
    hit_share: float
    reader: str
    models: ModelChoice


BUDGETS: Final = (1000, 2000, 4000, 8000)
PRIMARY: Final = 4000  # characters


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: chunkers and retrievers by name. With `equal_sizes`, the limit of each chunker
    is tuned so that its chunks have that mean size in tokens. Otherwise, it is `max_tokens`.
    """

    chunkers: Mapping[str, PassageChunker]
    retrievers: Mapping[str, Retriever]
    max_tokens: int = 400
    equal_sizes: int | None = None
    budgets: tuple[int, ...] = BUDGETS
    paths: tuple[Prefix, ...] = (Prefix.NONE,)
    models: tuple[object, ...] = ()  # of chunkers and retrievers, whose costs are reported
    reader: Completer | None = None  # answers questions from the retrieved passages
    hit_share: float = metrics.HIT_SHARE  # minimum share of a gold span for a hit of MRR and MAP
    brief: bool = False  # only recall within the budgets, and the characters until it is complete

    @property
    def primary(self) -> int:
        """The budget of the primary measure and of the reader: 4,000 characters, or the largest
        smaller one.
        """
        return max(
            (budget for budget in self.budgets if budget <= PRIMARY), default=min(self.budgets)
        )


def plan_of(settings: EvalSettings, tell: Tell = lambda _: None, *, brief: bool = False) -> Plan:
    """Return the plan of an evaluation. Raise UsageError for an unknown name, and MissingExtraError
    if a model or BM25 is not installed.
    """
    embedders = {
        name: _embedder(name, settings.models)
        for name in settings.retrievers
        if name not in (_BM25, _FUSED, _RERANKED)
    }
    models = _models(settings)
    tokenizer = api.tokenizer(settings.tokenizer)
    return Plan(
        chunkers=_chunkers(settings, tokenizer, models),
        retrievers=_retrievers(settings, embedders, models.scorer, tokenizer, tell),
        max_tokens=settings.max_tokens,
        equal_sizes=settings.equal_sizes,
        budgets=settings.budgets,
        paths=settings.paths,
        models=(
            *embedders.values(),
            *filter(None, (models.embedder, models.scorer, models.completer)),
        ),
        reader=loading.models(
            replace(settings.models, completer=settings.reader), ("completer",)
        ).completer
        if settings.reader
        else None,
        hit_share=settings.hit_share,
        brief=brief,
    )


def _chunkers(
    settings: EvalSettings, tokenizer: Tokenizer, models: Models
) -> dict[str, PassageChunker]:
    """Return the chunkers to compare, in order, by their name in the report."""
    chunkers = {
        name: named(name, tokenizer, settings.overlap, models) for name in settings.strategies
    }
    for make, targets in ((of_function, settings.others), (of_pipeline, settings.pipelines)):
        for name, target in targets.items():
            if name in chunkers or are_units(name):
                raise UsageError(f"{name}: another chunker has this name; choose a new one.")
            chunkers[name] = make(imported(target), tokenizer)
    if not chunkers:
        raise UsageError("There is nothing to compare: give --strategy or --chunker.")
    return chunkers


def _retrievers(
    settings: EvalSettings,
    embedders: Mapping[str, Embedder],
    scorer: Scorer | None,
    tokenizer: Tokenizer,
    tell: Tell,
) -> dict[str, Retriever]:
    names = settings.retrievers
    if not names:
        raise UsageError("--retriever is empty.")
    single: dict[str, Retriever] = {
        name: dense(embedders[name], *read_by(embedders[name], tokenizer), tell)
        if name in embedders
        else bm25
        for name in names
        if name not in (_FUSED, _RERANKED)
    }
    if _FUSED in names:
        if len(single) < 2:
            raise UsageError(
                "rrf fuses the rankings of other retrievers: name at least two besides it."
            )
        single[_FUSED] = Fused(tuple(single.values()))
    if _RERANKED in names:
        if scorer is None or not single:
            raise UsageError(
                "pplrerank ranks the passages of another retriever with a language model: name "
                "one before it, and give --scorer."
            )
        single[_RERANKED] = Reranked(next(iter(single.values())), scorer)
    return {name: single[name] for name in names}


def _models(settings: EvalSettings) -> Models:
    strategies = filter(None, map(strategy_of, settings.strategies))
    ports = {port for strategy in strategies for port in strategy.models}
    return loading.models(
        settings.models, sorted(ports | ({"scorer"} if _RERANKED in settings.retrievers else set()))
    )


def _embedder(name: str, choice: ModelChoice) -> Embedder:
    """Return the embedder of a name, a folder, or MODULE:FUNCTION."""
    model: Embedder | None = (
        imported(name)()
        if re.fullmatch(r"[\w.]+:\w+", name)
        else loading.models(replace(choice, embedder=name), ("embedder",)).embedder
    )
    assert model is not None  # noqa: S101 - it was named
    return model
