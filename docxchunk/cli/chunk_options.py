"""Resolve the chunking options: command line first, then environment variables, then defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from docxchunk.api import DEFAULT_MAX_TOKENS, DEFAULT_OVERLAP, DEFAULT_TOKENIZER, Setting
from docxchunk.backends.loading import ModelChoice
from docxchunk.cli.options import models, option_of, settings_in, single
from docxchunk.errors import UsageError
from docxchunk.model.options import ChunkLimits

if TYPE_CHECKING:
    from docxchunk.batch.chunk_spec import ChunkSpec

SIZES: Final = dict.fromkeys(("P", "P-staged"), ("CHUNK_P_SIZE",))
OVERLAPS: Final = dict.fromkeys(("P", "P-staged"), ("CHUNK_P_OVERLAP_SIZE", "CHUNK_OVERLAP_SIZE"))


SHARED: Final = tuple(
    setting for setting in fields(ChunkLimits) if setting.name not in ("max_tokens", "overlap")
)
"""The settings of all strategies that no environment variable sets."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Chunking options from the command line; None or empty: not given.

    `sizes` has several values if chunk sizes are compared. `shared` has the values of the other
    options that apply to every strategy. Equality ignores `models`: they alone do not request new
    chunks.
    """

    sizes: tuple[int, ...] = ()
    overlap: int | None = None
    tokenizer: str | None = None
    settings: tuple[str, ...] = ()
    shared: Mapping[str, Any] = field(
        default_factory=lambda: {setting.name: setting.default for setting in SHARED}
    )
    models: ModelChoice = field(default_factory=ModelChoice, compare=False)


def choosing(command: Callable[..., None]) -> Callable[..., None]:
    """Add the chunking options, except the strategy; pass them as one argument `choice`."""
    return _with_choice(command, "")


def comparing(command: Callable[..., None]) -> Callable[..., None]:
    """Add the same options as `choosing`, for a command that can compare several chunk sizes."""
    return _with_choice(command, ". Repeat the option to compare sizes side by side")


def _with_choice(command: Callable[..., None], several: str) -> Callable[..., None]:
    size, overlap = _about("max_tokens", several), _about("overlap")

    @click.option("--max-tokens", "-n", type=int, multiple=True, metavar="N", help=size)
    @single("--overlap", kind=click.INT, metavar="N", about=overlap)
    @single(
        "--tokenizer",
        "-t",
        metavar="NAME|FILE",
        about="Tokenizer name (see docxchunk tokenizers) or tokenizer.json.  [default: "
        f"{DEFAULT_TOKENIZER}]",
    )
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="Setting of the strategy. Can be repeated.",
    )
    @_with_shared
    @models
    @wraps(command)
    def with_choice(
        *,
        max_tokens: tuple[int, ...],
        overlap: int | None,
        tokenizer: str | None,
        settings: tuple[str, ...],
        models: ModelChoice,
        **others: object,
    ) -> None:
        sizes, shared = tuple(dict.fromkeys(max_tokens)), settings_in(others, SHARED)
        command(choice=Choice(sizes, overlap, tokenizer, settings, shared, models), **others)

    return with_choice


def _about(name: str, more: str = "") -> str:
    """Return the help text of a setting, with more words and with its default."""
    (setting,) = (setting for setting in fields(ChunkLimits) if setting.name == name)
    return f"{setting.metadata['help'].removesuffix('.')}{more}.  [default: {setting.default}]"


def _with_shared(command: Callable[..., None]) -> Callable[..., None]:
    for setting in reversed(SHARED):
        command = option_of(setting)(command)
    return command


def chunk_specs(strategies: Iterable[str], choice: Choice) -> tuple[ChunkSpec, ...]:
    """Return the chunk options for each strategy and size. A setting goes to every strategy that
    has it. Raise UsageError for invalid settings.
    """
    from docxchunk.chunking.strategy import current_name, parse_settings

    texts: Sequence[str] = choice.settings
    if "P" in (strategies := tuple(dict.fromkeys(strategies))):
        name, texts = current_name("P", choice.settings)
        strategies = tuple(name if strategy == "P" else strategy for strategy in strategies)
    settings = {
        strategy: parse_settings(strategy, _settings_for(strategy, strategies, texts))
        for strategy in strategies
    }
    sizes: Sequence[int | None] = choice.sizes or (None,)
    return tuple(
        _chunk_spec(strategy, size, choice, settings[strategy])
        for strategy in strategies
        for size in sizes
    )


def single_chunk_spec(strategy: str, choice: Choice) -> ChunkSpec:
    """Return the options of one strategy. Raise UsageError, also if several sizes are given."""
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
    from docxchunk.batch.chunk_spec import ChunkSpec

    overlaps = OVERLAPS.get(strategy, ("CHUNK_OVERLAP_SIZE",))
    return ChunkSpec(
        strategy=strategy,
        limits=ChunkLimits(
            max_tokens=_size(max_tokens, SIZES.get(strategy, ()), DEFAULT_MAX_TOKENS),
            overlap=_size(choice.overlap, overlaps, DEFAULT_OVERLAP),
            **choice.shared,
        ),
        tokenizer=choice.tokenizer or DEFAULT_TOKENIZER,
        settings=settings,
        models=choice.models,
    )


def _settings_for(strategy: str, strategies: tuple[str, ...], texts: Sequence[str]) -> list[str]:
    """Return the settings for `strategy`, without those that only other strategies have. A setting
    that no strategy has is returned, too, so that it is reported.
    """
    from docxchunk.chunking.strategy import default_settings

    if len(strategies) == 1 or not texts:
        return list(texts)
    accepted = {name: {setting for setting, _ in default_settings(name)} for name in strategies}
    names = set().union(*accepted.values())
    return [
        text
        for text in texts
        if (name := text.partition("=")[0]) in accepted[strategy] or name not in names
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
