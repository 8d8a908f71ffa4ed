"""Strategies of hypothesis for documents and settings (extra `testing`): `@given(DOCUMENTS)`."""

from __future__ import annotations

from hypothesis import strategies as st

from docxchunk.testing.documents import (
    ADDITIVE,
    CJK,
    KINDS,
    ODD,
    WHOLE,
    WORDS,
    BlockRecipe,
    LineRecipe,
    build,
)

__all__ = [
    "ADDITIVE",
    "BLOCKS",
    "CJK",
    "DOCUMENTS",
    "LINES",
    "ODD",
    "OVERLAPS",
    "RECIPES",
    "SIZES",
    "TINY_BLOCKS",
    "WHOLE",
    "WORDS",
    "build",
]

LINES = st.builds(LineRecipe, st.sampled_from(KINDS), st.integers(1, 40), st.integers(0, 1 << 16))
BLOCKS = st.builds(
    BlockRecipe,
    st.integers(0, 9),
    st.booleans(),
    st.lists(LINES, max_size=6).map(tuple),
    st.integers(0, 1 << 16),
)
_SHORT = st.builds(LineRecipe, st.just("short"), st.just(6), st.integers(0, 1 << 16))
TINY_BLOCKS = st.builds(
    BlockRecipe,
    st.sampled_from((2, 2, 2, 1, 3, 5)),
    st.booleans(),
    st.lists(_SHORT, max_size=1).map(tuple),
    st.integers(0, 1 << 16),
    st.just(value=True),
)
RECIPES = st.one_of(
    st.lists(BLOCKS, min_size=1, max_size=12),
    st.lists(BLOCKS, min_size=1, max_size=12),
    st.lists(TINY_BLOCKS, min_size=40, max_size=160),
)
DOCUMENTS = RECIPES.map(build)
SIZES = st.one_of(st.integers(32, 130), st.integers(130, 600), st.integers(600, 4000))
OVERLAPS = st.one_of(st.just(0), st.integers(1, 60), st.integers(60, 5000))
