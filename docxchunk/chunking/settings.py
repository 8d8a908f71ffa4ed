"""The limits that all strategies share, and the hash and the comparison of all settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from docxchunk.errors import UsageError
from docxchunk.model.chunks import TableForm
from docxchunk.model.fields import check_fields

SMALLEST: Final = 32
LARGEST: Final = 10**9
"""The maximum of any integer setting."""

UNHASHED_DEFAULTS: Final = {"tables": TableForm.JSON, "reserve": 0}
"""Defaults of newer settings. They are left out of the settings and their hash, so that the ids of
existing chunks do not change.
"""

Setting = str | int | float | bool | None

UNSET: Final = "unset"


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """The settings that apply to every strategy. Raises UsageError for values out of range.

    `max_tokens` is the limit of every chunk, and `overlap` the maximum number of tokens that are
    repeated where a paragraph has to be split. `contextualize` puts the heading path before the
    text of each chunk, within the limit. `drop_toc` leaves out the table of contents. `tables` is
    the form in which chunks show tables, equations and pictures. `reserve` is the number of tokens
    of the limit that are kept free in each chunk for the header that `Chunk.embed_text` adds.
    """

    max_tokens: int = 2000
    overlap: int = 100
    contextualize: bool = False
    drop_toc: bool = False
    tables: TableForm = TableForm.JSON
    reserve: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.max_tokens < SMALLEST:
            raise UsageError(
                f"max_tokens is {self.max_tokens}; chunks of fewer than "
                f"{SMALLEST} tokens cannot hold a heading and its text."
            )
        if max(self.max_tokens, self.overlap) > LARGEST:
            raise UsageError(
                f"max_tokens is {self.max_tokens} and overlap {self.overlap}; "
                f"neither may be over {LARGEST:,}."
            )
        if self.overlap < 0:
            raise UsageError(f"overlap is {self.overlap}; it must be 0 or more.")
        if not 0 <= self.reserve <= self.max_tokens - SMALLEST:
            raise UsageError(
                f"reserve is {self.reserve}; it must be 0 or more, and leave "
                f"{SMALLEST} of the {self.max_tokens} tokens for text."
            )

    def with_checked_overlap(self) -> ChunkLimits:
        """Return the same limits. Raise UsageError if `overlap` exceeds `max_tokens`; the default
        overlap is allowed with any limit.
        """
        if self.overlap > max(self.max_tokens, _DEFAULT_OVERLAP):
            raise UsageError(
                f"overlap is {self.overlap} and max_tokens {self.max_tokens}; the overlap "
                "must not be larger. At most a quarter of a chunk is repeated."
            )
        return self

    def of_text(self) -> ChunkLimits:
        """Return the limits for the text of chunks, with the reserved tokens subtracted."""
        return (
            replace(self, max_tokens=self.max_tokens - self.reserve, reserve=0)
            if self.reserve
            else self
        )


_DEFAULT_OVERLAP: Final = ChunkLimits().overlap


def settings_hash(settings: dict[str, Setting]) -> str:
    """Return the hash of settings, 16 hex digits."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def different_settings(
    old: Mapping[str, object], new: Mapping[str, object]
) -> dict[str, tuple[object, object]]:
    """Return the settings that differ, with the old and the new value; "unset" for one that is
    missing.
    """
    values = [{**UNHASHED_DEFAULTS, **side} for side in (old, new)]
    return {
        name: (before, after)
        for name in values[0] | values[1]
        if (before := values[0].get(name, UNSET)) != (after := values[1].get(name, UNSET))
    }
