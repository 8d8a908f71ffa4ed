"""The laws over random documents, sizes, overlaps, tokenizers and strategies."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import laws, worlds
from docxchunk.chunking import Limits, P, R, run
from docxchunk.chunking.stages.split_long import Anchors

STRATEGIES = [P(), R(), P(anchors=Anchors.FURTHEST, repeat_table_headers=False, merge_top_level=False)]
SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])


@pytest.mark.parametrize("strategy", STRATEGIES, ids=["P", "R", "P-other"])
@SLOW
@given(document=worlds.DOCUMENTS, size=worlds.SIZES, overlap=worlds.OVERLAPS, context=st.booleans(), tokenizer=st.sampled_from([worlds.ADDITIVE, worlds.WHOLE]))
def test_every_law(strategy, document, size, overlap, context, tokenizer):
    limits = Limits(size, overlap, contextualize=context)
    result = run(document, strategy, limits, tokenizer)
    laws.all_laws(document, result, limits, tokenizer, strategy.name)
    assert run(document, strategy, limits, tokenizer) == result  # 9: same input and settings, same result
