"""How chunks are made: the options of the commands that make them, then the environment, then the defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Final

import click

from docxchunk.api import DEFAULT_MAX_TOKENS, DEFAULT_OVERLAP, DEFAULT_TABLES, DEFAULT_TOKENIZER, Setting
from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.chunking import Making
from docxchunk.cli.models import models
from docxchunk.cli.options import single
from docxchunk.errors import UsageError
from docxchunk.model.chunks import TableForm

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
    tables: TableForm = TableForm.JSON
    reserve: int = 0
    models: ModelChoice = field(default_factory=ModelChoice, compare=False)


def choosing(command: Callable[..., None]) -> Callable[..., None]:
    """The options of how chunks are made, but for the strategy, as one argument `choice`."""
    text = f"The most tokens of a chunk.  [default: {DEFAULT_MAX_TOKENS}]"
    return _with_choice(command, text)


def comparing(command: Callable[..., None]) -> Callable[..., None]:
    """The same, where chunks of several sizes can be compared."""
    text = f"The most tokens of a chunk; given more than once, side by side.  [default: {DEFAULT_MAX_TOKENS}]"
    return _with_choice(command, text)


def _with_choice(command: Callable[..., None], about_size: str) -> Callable[..., None]:
    @click.option("--max-tokens", "-n", type=int, multiple=True, metavar="N", help=about_size)
    @single("--overlap", kind=click.INT, metavar="N", about=f"The most tokens shown twice in a split paragraph.  [default: {DEFAULT_OVERLAP}]")
    @single("--tokenizer", "-t", metavar="NAME|FILE", about=f"What counts: docxchunk tokenizers, or a tokenizer.json.  [default: {DEFAULT_TOKENIZER}]")
    @click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the strategy; may be given more than once.")
    @click.option("--contextualize", is_flag=True, help="Put the heading path before the text.")
    @click.option("--drop-toc", is_flag=True, help="Leave tables of contents out.")
    @click.option(
        "--tables",
        type=click.Choice([form.value for form in TableForm]),
        default=DEFAULT_TABLES,
        show_default=True,
        help="How tables are shown; in all forms but json, equations are LaTeX between dollars and pictures a few words.",
    )
    @click.option("--reserve", type=int, default=0, metavar="N", help="Tokens of the limit kept free for what embed_text adds: title, headings and situation.")
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
        tables: str,
        reserve: int,
        models: ModelChoice,
        **others: object,
    ) -> None:
        sizes = tuple(dict.fromkeys(max_tokens))
        command(choice=Choice(sizes, overlap, tokenizer, settings, contextualize, drop_toc, TableForm(tables), reserve, models), **others)

    return with_choice


def making_of(strategies: Iterable[str], choice: Choice) -> tuple[Making, ...]:
    """How each strategy makes its chunks, of each size. A setting is for each of several strategies that has it. Raises UsageError."""
    from docxchunk.chunking.strategy_spec import parse_settings

    strategies = tuple(dict.fromkeys(strategies))
    settings = {strategy: parse_settings(strategy, _own(strategy, strategies, choice.settings)) for strategy in strategies}
    sizes: Sequence[int | None] = choice.sizes or (None,)
    return tuple(_making(strategy, size, choice, settings[strategy]) for strategy in strategies for size in sizes)


def one_making(strategy: str, choice: Choice) -> Making:
    """How the strategy makes its chunks. Raises UsageError, also for several sizes."""
    making, *others = making_of((strategy,), choice)
    if others:
        sizes = ", ".join(map(str, choice.sizes))
        raise UsageError(f"--max-tokens is given several times ({sizes}), and chunks have one limit: `docxchunk report` shows several side by side.")
    return making


def _making(strategy: str, max_tokens: int | None, choice: Choice, settings: dict[str, Setting]) -> Making:
    return Making(
        strategy=strategy,
        max_tokens=_size(max_tokens, SIZES.get(strategy, ()), DEFAULT_MAX_TOKENS),
        overlap=_size(choice.overlap, OVERLAPS.get(strategy, ("CHUNK_OVERLAP_SIZE",)), DEFAULT_OVERLAP),
        tokenizer=choice.tokenizer or DEFAULT_TOKENIZER,
        contextualize=choice.contextualize,
        drop_toc=choice.drop_toc,
        tables=choice.tables,
        reserve=choice.reserve,
        settings=settings,
        models=choice.models,
    )


def _own(strategy: str, strategies: tuple[str, ...], texts: tuple[str, ...]) -> list[str]:
    """The settings that are meant for it: all but those that another of the strategies has and it has not."""
    from docxchunk.chunking.strategy_spec import default_settings

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
