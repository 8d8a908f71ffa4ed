"""The limits that all strategies share, and the hash and the comparison of all settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from docxchunk.model.options import ChunkLimits as ChunkLimits  # noqa: PLC0414 - for strategies

UNHASHED_DEFAULTS: Final = {
    option.name: option.default for option in fields(ChunkLimits) if option.metadata["newer"]
}
"""Defaults of newer settings. They are left out of the settings and their hash, so that the ids of
existing chunks do not change.
"""

Setting = str | int | float | bool | None

UNSET: Final = "unset"


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
