"""How many random examples a test tries."""

from __future__ import annotations

from hypothesis import settings

LEAST = 5


def some(count: int) -> int:
    """The `max_examples` of a test that tries `count` with `--slow`: as many with that option, else a tenth."""
    return max(LEAST, count * settings.default.max_examples // 100)
