"""How documents are chunked, as a person says it: options, and the environment below them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps

import click

from docxchunk import api
from docxchunk.backends.choosing import ModelChoice
from docxchunk.batch.chunking import Making
from docxchunk.cli.options import models
from docxchunk.errors import UsageError

SIZES = {"P": ("CHUNK_P_SIZE",)}
OVERLAPS = {"P": ("CHUNK_P_OVERLAP_SIZE", "CHUNK_OVERLAP_SIZE")}


def making(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a strategy and of the models that it asks, as one argument `making`."""

    @click.option("--strategy", "-s", default="P", show_default=True, metavar="NAME", help="How to chunk: docxchunk strategies.")
    @click.option("--max-tokens", "-n", type=int, metavar="N", help=f"The most tokens of a chunk.  [default: {api.DEFAULT_MAX_TOKENS}]")
    @click.option("--overlap", type=int, metavar="N", help=f"The most tokens shown twice in a split paragraph.  [default: {api.DEFAULT_OVERLAP}]")
    @click.option(
        "--tokenizer", "-t", default="o200k_base", show_default=True, metavar="NAME|FILE", help="What counts: docxchunk tokenizers, or a tokenizer.json."
    )
    @click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the strategy; may be given more than once.")
    @click.option("--contextualize", is_flag=True, help="Put the heading path before the text.")
    @click.option("--drop-toc", is_flag=True, help="Leave tables of contents out.")
    @models
    @wraps(command)
    def with_making(
        *,
        strategy: str,
        max_tokens: int | None,
        overlap: int | None,
        tokenizer: str,
        settings: tuple[str, ...],
        contextualize: bool,
        drop_toc: bool,
        choice: ModelChoice,
        **others: object,
    ) -> None:
        from docxchunk.chunking.named import typed_settings

        made = Making(
            strategy=strategy,
            max_tokens=_size(max_tokens, SIZES.get(strategy, ()), api.DEFAULT_MAX_TOKENS),
            overlap=_size(overlap, OVERLAPS.get(strategy, ("CHUNK_OVERLAP_SIZE",)), api.DEFAULT_OVERLAP),
            tokenizer=tokenizer,
            contextualize=contextualize,
            drop_toc=drop_toc,
            settings=typed_settings(strategy, settings),
            models=choice,
        )
        command(making=made, **others)

    return with_making


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
