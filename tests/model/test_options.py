"""Options of the parser and limits: first and last values, and how options change each other."""

from __future__ import annotations

import pytest

from docxchunk.errors import LimitError, UsageError
from docxchunk.model.options import (
    LARGEST_SETTING,
    SMALLEST,
    ChunkLimits,
    HeadersFooters,
    Limits,
    ParseOptions,
    Strikethrough,
)


@pytest.mark.parametrize(
    ("settings", "is_allowed"),
    [
        ({"max_tokens": SMALLEST}, True),
        ({"max_tokens": SMALLEST - 1}, False),
        ({"max_tokens": LARGEST_SETTING}, True),
        ({"max_tokens": LARGEST_SETTING + 1}, False),
        ({"overlap": 0}, True),
        ({"overlap": -1}, False),
        ({"overlap": LARGEST_SETTING}, True),
        ({"overlap": LARGEST_SETTING + 1}, False),
        ({"reserve": -1}, False),
        ({"reserve": 2000 - SMALLEST}, True),
        ({"reserve": 2000 - SMALLEST + 1}, False),
    ],
)
def test_limits_of_chunks(settings, is_allowed):
    if is_allowed:
        ChunkLimits(**settings)
    else:
        with pytest.raises(UsageError, match=next(iter(settings))):
            ChunkLimits(**settings)


@pytest.mark.parametrize(
    ("max_tokens", "overlap", "is_allowed"),
    [(200, 200, True), (200, 201, False), (50, 100, True), (50, 101, False)],
)
def test_an_overlap_is_not_larger_than_a_chunk_except_the_default(max_tokens, overlap, is_allowed):
    limits = ChunkLimits(max_tokens, overlap)
    if is_allowed:
        assert limits.with_checked_overlap() == limits
    else:
        with pytest.raises(UsageError, match=f"overlap is {overlap} and max_tokens {max_tokens}"):
            limits.with_checked_overlap()


@pytest.mark.parametrize(
    ("chosen", "headers_footers", "strikethrough"),
    [
        ({}, "body", "mark"),
        ({"headers_footers": "notes"}, "notes", "mark"),
        ({"strikethrough": "drop"}, "body", "drop"),
    ],
)
def test_everything_replaces_defaults_only(chosen, headers_footers, strikethrough):
    options = ParseOptions(everything=True, **chosen)
    assert options.comments
    assert options.headers_footers is HeadersFooters(headers_footers)
    assert options.strikethrough is Strikethrough(strikethrough)


def test_a_size_at_its_limit_is_admitted():
    limits = Limits(file=10, imported=10)
    limits.admit_file(10)
    limits.admit_import(10)
    with pytest.raises(LimitError, match="`file`"):
        limits.admit_file(11)
    with pytest.raises(LimitError, match="`imported`"):
        limits.admit_import(11)
