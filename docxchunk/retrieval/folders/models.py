"""The models of a search: an embedder, which adds its score, and a causal language model, which
ranks hits again: PPLRerank (Meta-Chunking, 5.2.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from docxchunk.backends.loading import ModelChoice, models
from docxchunk.chunking.models import CheckedScorer, checked
from docxchunk.model.ports import Embedder, Losses, Models, Scorer
from docxchunk.model.wording import Wording

_ASKING: Final = Wording(
    "\nBased on the above content, generate a question:", "\n根据以上内容，生成一个问题："
)
_PLACES: Final = 12  # of losses that are compared


def query_losses(query: str, texts: Sequence[str], scorer: Scorer) -> list[float]:
    """Return the mean loss of the tokens of the query after each text, in nats: the text with the
    lowest one ranks first. The losses of an empty query are 0.

    Raise ModelError if a loss is not a finite number.
    """
    if not query:
        return [0.0] * len(texts)
    ending = _ASKING.for_text(query)
    questions = [Losses(query, (len(query),), before=text + ending) for text in texts]
    answers = CheckedScorer(scorer, "PPLRerank").score(questions)
    return [round(float(answer[0]), _PLACES) for answer in answers]


def search_scorer(scorer: str | Scorer) -> Scorer | None:
    """Return a causal language model, given as a model or by name; None for ""."""
    if not isinstance(scorer, str):
        return scorer
    return models(ModelChoice(scorer=scorer), ("scorer",)).scorer


def search_embedder(embedder: str | Embedder) -> Embedder | None:
    """Return an embedder, given as a model or by name, that checks its vectors; None for ""."""
    if not embedder:
        return None
    choice = (
        models(ModelChoice(embedder), ("embedder",))
        if isinstance(embedder, str)
        else Models(embedder=embedder)
    )
    return checked(choice, "The search").embedder
