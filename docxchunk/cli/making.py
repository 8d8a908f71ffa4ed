"""How chunks are made: the options of the commands that make them, then the environment, then the defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import Final

import click

from docxchunk.api import DEFAULT_MAX_TOKENS, DEFAULT_OVERLAP, DEFAULT_TOKENIZER, Setting
from docxchunk.backends.choosing import ModelChoice
from docxchunk.batch.chunking import Making
from docxchunk.cli.models import models
from docxchunk.errors import UsageError

SIZES: Final = {"P": ("CHUNK_P_SIZE",)}
OVERLAPS: Final = {"P": ("CHUNK_P_OVERLAP_SIZE", "CHUNK_OVERLAP_SIZE")}


@dataclass(frozen=True, slots=True)
class Choice:
    """How to chunk, as the options say; None or empty: not given. `sizes` has more than one where chunks are compared. Models alone ask for no chunks."""

    sizes: tuple[int, ...] = ()
    overlap: int | None = None
    tokenizer: str | None = None
    settings: tuple[str, ...] = ()
    contextualize: bool = False
    drop_toc: bool = False
    models: ModelChoice = field(default_factory=ModelChoice, compare=False)


def choosing(command: Callable[..., None]) -> Callable[..., None]:
    """The options of how chunks are made, but for the strategy, as one argument `choice`."""
    text = f"The most tokens of a chunk.  [default: {DEFAULT_MAX_TOKENS}]"
    return click.option("--max-tokens", "-n", type=int, metavar="N", callback=_one, help=text)(_with_choice(command))


def comparing(command: Callable[..., None]) -> Callable[..., None]:
    """The same, where chunks of several sizes can be compared."""
    text = f"The most tokens of a chunk; given more than once, side by side.  [default: {DEFAULT_MAX_TOKENS}]"
    return click.option("--max-tokens", "-n", type=int, metavar="N", multiple=True, help=text)(_with_choice(command))


def _one(_context: click.Context, _option: click.Parameter, size: int | None) -> tuple[int, ...]:
    return () if size is None else (size,)


def _with_choice(command: Callable[..., None]) -> Callable[..., None]:
    @click.option("--overlap", type=int, metavar="N", help=f"The most tokens shown twice in a split paragraph.  [default: {DEFAULT_OVERLAP}]")
    @click.option("--tokenizer", "-t", metavar="NAME|FILE", help=f"What counts: docxchunk tokenizers, or a tokenizer.json.  [default: {DEFAULT_TOKENIZER}]")
    @click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the strategy; may be given more than once.")
    @click.option("--contextualize", is_flag=True, help="Put the heading path before the text.")
    @click.option("--drop-toc", is_flag=True, help="Leave tables of contents out.")
    @models
    @wraps(command)
    def with_choice(
        *,
        max_tokens: tuple[int, ...],
        overlap: int | None,
        tokenizer: str | None,
        settings: tuple[str, ...],
        contextualize: bool,
        drop_toc: bool,
        models: ModelChoice,
        **others: object,
    ) -> None:
        command(choice=Choice(tuple(dict.fromkeys(max_tokens)), overlap, tokenizer, settings, contextualize, drop_toc, models), **others)

    return with_choice


def making_of(strategies: Iterable[str], choice: Choice) -> tuple[Making, ...]:
    """How each strategy makes its chunks, for each size. A setting is for each of several strategies that has it. Raises UsageError."""
    from docxchunk.chunking.named import typed_settings

    strategies = tuple(dict.fromkeys(strategies))
    own = {strategy: typed_settings(strategy, _own(strategy, strategies, choice.settings)) for strategy in strategies}
    return tuple(_making(strategy, size, choice, own[strategy]) for strategy in strategies for size in choice.sizes or (None,))


def _making(strategy: str, size: int | None, choice: Choice, settings: dict[str, Setting]) -> Making:
    return Making(
        strategy=strategy,
        max_tokens=_size(size, SIZES.get(strategy, ()), DEFAULT_MAX_TOKENS),
        overlap=_size(choice.overlap, OVERLAPS.get(strategy, ("CHUNK_OVERLAP_SIZE",)), DEFAULT_OVERLAP),
        tokenizer=choice.tokenizer or DEFAULT_TOKENIZER,
        contextualize=choice.contextualize,
        drop_toc=choice.drop_toc,
        settings=settings,
        models=choice.models,
    )


def _own(strategy: str, strategies: tuple[str, ...], texts: tuple[str, ...]) -> list[str]:
    """The settings that are meant for it: all but those that another of the strategies has and it has not."""
    from docxchunk.chunking.named import default_settings

    if len(strategies) == 1 or not texts:
        return list(texts)
    known = {name: {setting for setting, _ in default_settings(name)} for name in strategies}
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
