"""How chunks are made: the options of the commands that make them, then the environment, then the defaults."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from docxchunk import api
from docxchunk.api import Setting
from docxchunk.batch.chunking import Making
from docxchunk.cli.settings import defaults, settings_of
from docxchunk.errors import UsageError

SIZES: Final = {"P": ("CHUNK_P_SIZE",)}
OVERLAPS: Final = {"P": ("CHUNK_P_OVERLAP_SIZE", "CHUNK_OVERLAP_SIZE")}


@dataclass(frozen=True, slots=True)
class Choice:
    """What was asked for; None is what was not."""

    max_tokens: int | None = None
    overlap: int | None = None
    tokenizer: str | None = None
    settings: tuple[str, ...] = ()
    contextualize: bool = False
    drop_toc: bool = False


def making_of(strategies: Iterable[str], choice: Choice) -> tuple[Making, ...]:
    """How each strategy makes its chunks. A setting is for each of several strategies that has it. Raises UsageError."""
    strategies = tuple(dict.fromkeys(strategies))
    return tuple(_making(strategy, choice, settings_of(strategy, _own(strategy, strategies, choice.settings))) for strategy in strategies)


def _making(strategy: str, choice: Choice, settings: dict[str, Setting]) -> Making:
    return Making(
        strategy=strategy,
        max_tokens=_size(choice.max_tokens, SIZES.get(strategy, ()), api.DEFAULT_MAX_TOKENS),
        overlap=_size(choice.overlap, OVERLAPS.get(strategy, ("CHUNK_OVERLAP_SIZE",)), api.DEFAULT_OVERLAP),
        tokenizer=choice.tokenizer or api.DEFAULT_TOKENIZER,
        contextualize=choice.contextualize,
        drop_toc=choice.drop_toc,
        settings=settings,
    )


def _own(strategy: str, strategies: tuple[str, ...], texts: tuple[str, ...]) -> list[str]:
    """The settings that are meant for it: all but those that another of the strategies has and it has not."""
    if len(strategies) == 1 or not texts:
        return list(texts)
    known = {name: {setting for setting, _ in defaults(name)} for name in strategies}
    names = set().union(*known.values())
    return [text for text in texts if (name := text.partition("=")[0]) in known[strategy] or name not in names]


def _size(option: int | None, variables: tuple[str, ...], default: int) -> int:
    """The option, else the first variable of the environment that is set, else the default."""
    if option is not None:
        return option
    for name in variables:
        value = os.environ.get(name, "")
        if value:
            try:
                return int(value)
            except ValueError:
                raise UsageError(f"{name} is {value!r}, which is no whole number.") from None
    return default
