"""All settings of a chunking, and their hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from docxchunk.chunking.models import fingerprints
from docxchunk.model.options import ChunkLimits as ChunkLimits  # noqa: PLC0414 - for strategies
from docxchunk.model.ports import Models

if TYPE_CHECKING:
    from docxchunk.chunking.pipeline import Strategy

UNHASHED_DEFAULTS: Final = {
    option.name: option.default for option in fields(ChunkLimits) if option.metadata["newer"]
}
"""Defaults of newer settings. They are left out of the settings and their hash, so that the ids of
existing chunks do not change.
"""

Setting = str | int | float | bool | None


def settings_of(strategy: Strategy, limits: ChunkLimits, models: Models) -> dict[str, Setting]:
    """Return all settings that affect the chunks by name, including the fingerprints of the models.
    Raise MissingModelError if one is missing.
    """
    values: dict[str, Setting] = {"strategy": strategy.name}
    values |= {
        field.name: value
        for field in fields(limits)
        if (value := getattr(limits, field.name)) != UNHASHED_DEFAULTS.get(field.name)
    }
    values |= {field.name: getattr(strategy, field.name) for field in fields(strategy)}
    return values | fingerprints(models, strategy.models)


def settings_hash(settings: dict[str, Setting]) -> str:
    """Return the hash of settings, 16 hex digits."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
