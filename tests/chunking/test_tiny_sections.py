"""A document of many sections with a few tokens each."""

from __future__ import annotations

import pytest

from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.testing import ADDITIVE
from docxchunk.testing.documents import BlockRecipe, LineRecipe, build


@pytest.mark.parametrize("max_tokens", [64, 300, 700, 2000])
@pytest.mark.parametrize("level", [1, 2])
def test_sections_that_are_taken_together_stay_within_the_limit(level, max_tokens):
    recipes = [
        BlockRecipe(
            level,
            False,
            (LineRecipe("short", seed % 5, seed),) if seed % 2 else (),
            seed,
            brief=True,
        )
        for seed in range(300)
    ]
    chunks = run(build(recipes), P(), ChunkLimits(max_tokens, 0), ADDITIVE).chunks
    assert max(chunk.tokens for chunk in chunks) <= max_tokens
    assert sum(len(chunk.blocks) for chunk in chunks) == len(recipes)
