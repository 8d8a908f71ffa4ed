"""Resolve the chunking options: command line first, then environment variables, then defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Final

import click

from docxchunk.api import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_OVERLAP,
    DEFAULT_TABLES,
    DEFAULT_TOKENIZER,
    Setting,
)
from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.chunking import ChunkSpec
from docxchunk.cli.models import models
from docxchunk.cli.options import single
from docxchunk.errors import UsageError
from docxchunk.model.chunks import TableForm

SIZES: Final = {"P": ("CHUNK_P_SIZE",)}
OVERLAPS: Final = {"P": ("CHUNK_P_OVERLAP_SIZE", "CHUNK_OVERLAP_SIZE")}


@dataclass(frozen=True, slots=True)
class Choice:
    """Chunking options from the command line; None or empty: not given.

    `sizes` has several values if chunk sizes are compared. Equality ignores `models`, which alone
    do not request new chunks.
    """

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
    """Add the chunking options, except the strategy; pass them as one argument `choice`."""
    text = f"Maximum tokens per chunk.  [default: {DEFAULT_MAX_TOKENS}]"
    return _with_choice(command, text)


def comparing(command: Callable[..., None]) -> Callable[..., None]:
    """Add the same options as `choosing`, for a command that can compare several chunk sizes."""
    text = (
        "Maximum tokens per chunk; repeat it to compare sizes side by side.  [default: "
        f"{DEFAULT_MAX_TOKENS}]"
    )
    return _with_choice(command, text)


def _with_choice(command: Callable[..., None], about_size: str) -> Callable[..., None]:
    @click.option("--max-tokens", "-n", type=int, multiple=True, metavar="N", help=about_size)
    @single(
        "--overlap",
        kind=click.INT,
        metavar="N",
        about="Maximum tokens of overlap within a split paragraph; at most a quarter of a "
        f"chunk.  [default: {DEFAULT_OVERLAP}]",
    )
    @single(
        "--tokenizer",
        "-t",
        metavar="NAME|FILE",
        about="Tokenizer name (see docxchunk "
        "tokenizers) or "
        "tokenizer.json.  [default: "
        f"{DEFAULT_TOKENIZER}]",
    )
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="Setting of the strategy; repeatable.",
    )
    @click.option(
        "--contextualize", is_flag=True, help="Put the heading path before the text of each chunk."
    )
    @click.option("--drop-toc", is_flag=True, help="Leave out tables of contents.")
    @click.option(
        "--tables",
        type=click.Choice([form.value for form in TableForm]),
        default=DEFAULT_TABLES,
        show_default=True,
        help="Table format in chunks; in all but json, equations are LaTeX between dollar "
        "signs and pictures are short descriptions.",
    )
    @click.option(
        "--reserve",
        type=int,
        default=0,
        metavar="N",
        help="Tokens of the limit to "
        "reserve for what "
        "embed_text adds: "
        "title, headings "
        "and situation.",
    )
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
        command(
            choice=Choice(
                sizes,
                overlap,
                tokenizer,
                settings,
                contextualize,
                drop_toc,
                TableForm(tables),
                reserve,
                models,
            ),
            **others,
        )

    return with_choice


def chunk_specs(strategies: Iterable[str], choice: Choice) -> tuple[ChunkSpec, ...]:
    """Return the chunk options for each strategy and size. A setting goes to every strategy that
    has it. Raise UsageError for invalid settings.
    """
    from docxchunk.chunking.strategy import parse_settings

    strategies = tuple(dict.fromkeys(strategies))
    settings = {
        strategy: parse_settings(strategy, _own(strategy, strategies, choice.settings))
        for strategy in strategies
    }
    sizes: Sequence[int | None] = choice.sizes or (None,)
    return tuple(
        _chunk_spec(strategy, size, choice, settings[strategy])
        for strategy in strategies
        for size in sizes
    )


def single_chunk_spec(strategy: str, choice: Choice) -> ChunkSpec:
    """Return the options of one strategy. Raise UsageError, also for several sizes."""
    spec, *others = chunk_specs((strategy,), choice)
    if others:
        sizes = ", ".join(map(str, choice.sizes))
        raise UsageError(
            f"--max-tokens is given several times ({sizes}), but this command "
            "takes one limit: `docxchunk report` compares several."
        )
    return spec


def _chunk_spec(
    strategy: str, max_tokens: int | None, choice: Choice, settings: dict[str, Setting]
) -> ChunkSpec:
    return ChunkSpec(
        strategy=strategy,
        max_tokens=_size(max_tokens, SIZES.get(strategy, ()), DEFAULT_MAX_TOKENS),
        overlap=_size(
            choice.overlap, OVERLAPS.get(strategy, ("CHUNK_OVERLAP_SIZE",)), DEFAULT_OVERLAP
        ),
        tokenizer=choice.tokenizer or DEFAULT_TOKENIZER,
        contextualize=choice.contextualize,
        drop_toc=choice.drop_toc,
        tables=choice.tables,
        reserve=choice.reserve,
        settings=settings,
        models=choice.models,
    )


def _own(strategy: str, strategies: tuple[str, ...], texts: tuple[str, ...]) -> list[str]:
    """Return the settings for `strategy`: leave out those that only other strategies have. Keep
    unknown ones, so that they are reported.
    """
    from docxchunk.chunking.strategy import default_settings

    if len(strategies) == 1 or not texts:
        return list(texts)
    known = {name: {setting for setting, _ in default_settings(name)} for name in strategies}
    names = set().union(*known.values())
    return [
        text
        for text in texts
        if (name := text.partition("=")[0]) in known[strategy] or name not in names
    ]


def _size(option: int | None, variables: tuple[str, ...], default: int) -> int:
    """Return the option, else the first environment variable that is set, else the default."""
    if option is not None:
        return option
    for name in variables:
        value = os.environ.get(name, "")
        if value:
            try:
                return int(value)
            except ValueError:
                raise UsageError(f"{name} is {value!r}; it must be a whole number.") from None
    return default
