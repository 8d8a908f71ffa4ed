"""The number of random examples of tests."""

from __future__ import annotations

from hypothesis import settings

LEAST = 3


def some(count: int, part: int = 10) -> int:
    """Return `max_examples`: `count` with `--slow`, else a tenth or another part of it."""
    return count if settings.default.max_examples >= 100 else max(LEAST, count // part)
