"""The number of random examples of tests."""

from __future__ import annotations

from hypothesis import settings

LEAST = 5


def some(count: int) -> int:
    """Return `max_examples`: `count` with `--slow`, else a tenth of it."""
    return max(LEAST, count * settings.default.max_examples // 100)
