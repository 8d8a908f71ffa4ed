"""The chunking options, and the options of a run that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from docxchunk.api import DEFAULT_MAX_TOKENS, DEFAULT_TOKENIZER
from docxchunk.backends.loading import ModelChoice
from docxchunk.cli.options import models, option_of, settings_in
from docxchunk.errors import UsageError
from docxchunk.model.options import ChunkLimits

if TYPE_CHECKING:
    from docxchunk.batch.chunk_spec import ChunkSpec

SHARED: Final = tuple(setting for setting in fields(ChunkLimits) if setting.name != "max_tokens")
"""The settings of all strategies that have one value in a run."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Chunking options from the command line.

    `sizes` has several values if chunk sizes are compared. `shared` has the values of the other
    options that apply to every strategy. Equality ignores `models`: they alone do not request new
    chunks.
    """

    sizes: tuple[int, ...] = ()
    tokenizer: str = DEFAULT_TOKENIZER
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
    about = fields(ChunkLimits)[0].metadata["help"].removesuffix(".")
    size = f"{about}{several}.  [default: {DEFAULT_MAX_TOKENS}]"

    @click.option("--max-tokens", "-n", type=int, multiple=True, metavar="N", help=size)
    @_with_shared
    @click.option(
        "--tokenizer",
        "-t",
        default=DEFAULT_TOKENIZER,
        show_default=True,
        metavar="NAME|FILE",
        help="Tokenizer name (see docxchunk tokenizers) or tokenizer.json.",
    )
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="Setting of the strategy. Can be repeated.",
    )
    @models
    @wraps(command)
    def with_choice(
        *,
        max_tokens: tuple[int, ...],
        tokenizer: str,
        settings: tuple[str, ...],
        models: ModelChoice,
        **others: object,
    ) -> None:
        sizes, shared = tuple(dict.fromkeys(max_tokens)), settings_in(others, SHARED)
        command(choice=Choice(sizes, tokenizer, settings, shared, models), **others)

    return with_choice


def _with_shared(command: Callable[..., None]) -> Callable[..., None]:
    for setting in reversed(SHARED):
        command = option_of(setting)(command)
    return command


def chunk_specs(strategies: Iterable[str], choice: Choice) -> tuple[ChunkSpec, ...]:
    """Return the chunk options for each strategy and size. A setting goes to every strategy that
    has it. Raise UsageError for invalid settings.
    """
    from docxchunk.batch.chunk_spec import ChunkSpec
    from docxchunk.chunking.strategy import current_name, parse_settings

    texts: Sequence[str] = choice.settings
    if "P" in (strategies := tuple(dict.fromkeys(strategies))):
        name, texts = current_name("P", choice.settings)
        strategies = tuple(name if strategy == "P" else strategy for strategy in strategies)
    settings = {
        strategy: parse_settings(strategy, _settings_for(strategy, strategies, texts))
        for strategy in strategies
    }
    return tuple(
        ChunkSpec(
            strategy,
            ChunkLimits(size, **choice.shared),
            choice.tokenizer,
            settings[strategy],
            models=choice.models,
        )
        for strategy in strategies
        for size in choice.sizes or (DEFAULT_MAX_TOKENS,)
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
