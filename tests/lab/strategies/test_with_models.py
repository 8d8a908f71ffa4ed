"""Strategies with a local language model: batching does not change the chunks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("torch", reason="the extra llm is not installed")

import torch
from backends.language_models.tiny_models import our_text, scorer
from chunking.makers import WORDS
from lab.asked import plain_text

from docxchunk.backends.batching import Gathering
from docxchunk.backends.language_models.causal_lm import Windows
from docxchunk.chunking import ChunkLimits, run
from docxchunk.lab.strategies.lgmgc import LG, LGMGC, LGDocument, Refill
from docxchunk.lab.strategies.meta_chunking import MSP, PPL, Previous
from docxchunk.lab.strategies.prompted import LumberChunker, Mode, ShownUnits
from docxchunk.model.ports import Endings, Models
from docxchunk.retrieval.folders.models import query_losses

STRATEGIES = [
    LG(theta=60, refill=Refill.CAP), LG(theta=40), LGMGC(parents="LG:theta=60"), LGDocument(theta=60), PPL(merge_to=0.0), PPL(overlap_ends=True),
    MSP(merge_to=0.0), MSP(previous=Previous.SENTENCE, renormalise=True), LumberChunker(mode=Mode.MARGIN, units=ShownUnits.SENTENCE, theta=150, last_units=2),
]  # fmt: skip
TEXTS = [our_text()[start : start + 1500] for start in (0, 6000, 12000)]


class Slow:
    """Computes each number in a separate forward pass."""

    name = fingerprint = "test:slow"

    def __init__(self, inner):
        self.inner = inner

    def score(self, questions):
        return [tuple(self._each(question)) for question in questions]

    def _each(self, question):
        if not isinstance(question, Endings):
            return self.inner.score([question])[0]
        return [
            self.inner.score([question._replace(text=question.text[:end], ends=(end,))])[0][0]
            for end in question.ends
        ]


def chunks_of(text, strategy, model):
    return [
        chunk.content
        for chunk in run(
            plain_text(text), strategy, ChunkLimits(128), WORDS, Models(scorer=model)
        ).chunks
    ]


@pytest.fixture(scope="module")
def model():
    return scorer(torch.float64)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
def test_batching_does_not_change_the_chunks(strategy, model):
    expected = [chunks_of(text, strategy, Slow(model)) for text in TEXTS]
    assert max(map(len, expected)) > 3
    assert [chunks_of(text, strategy, model) for text in TEXTS] == expected
    assert [
        chunks_of(text, strategy, scorer(torch.float64, Windows(window=64))) for text in TEXTS
    ] == expected
    gathering = Gathering(Models(scorer=model))

    def gathered(text):
        with gathering.member() as asked:
            return chunks_of(text, strategy, asked.scorer)

    with ThreadPoolExecutor(len(TEXTS)) as pool:
        assert list(pool.map(gathered, TEXTS)) == expected


def test_batching_does_not_change_the_ranking(model):
    """Equal texts have equal losses in any batch."""
    query, found = (
        "How much rain fell?",
        [TEXTS[0][:300], TEXTS[1][:200], TEXTS[0][:300], TEXTS[2][:900], TEXTS[1][:200]],
    )
    losses = query_losses(query, found, model)
    assert losses == query_losses(query, found, Slow(model))
    assert (losses[2], losses[4]) == (losses[0], losses[1])
