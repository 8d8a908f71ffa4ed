"""Options that choose the models."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import click

from docxchunk.backends.devices import Device
from docxchunk.backends.loading import ModelChoice


def models(command: Callable[..., None]) -> Callable[..., None]:
    """Add the model options; pass them as one argument `models`."""

    @click.option(
        "--embedder",
        envvar="DOCXCHUNK_EMBEDDER",
        default="",
        metavar="NAME|FOLDER",
        help="Embedding model: minilm (the default), hashing, or a model folder.",
    )
    @click.option(
        "--scorer",
        envvar="DOCXCHUNK_SCORER",
        default="",
        metavar="FOLDER|FILE|URL",
        help="Language model that scores text: a folder of transformers, a .gguf file "
        "(llama.cpp:FILE keeps it quantized) or a server.",
    )
    @click.option(
        "--completer",
        envvar="DOCXCHUNK_COMPLETER",
        default="",
        metavar="URL|FOLDER|FILE",
        help="Language model that writes text: a server (URL#MODEL), or as in --scorer.",
    )
    @click.option(
        "--device",
        type=click.Choice([device.value for device in Device]),
        default=Device.AUTO.value,
        show_default=True,
        help="Device of models that run in this process.",
    )
    @click.option("--no-model-cache", is_flag=True, help="Do not reuse cached model answers.")
    @wraps(command)
    def with_models(
        *,
        embedder: str,
        scorer: str,
        completer: str,
        device: str,
        no_model_cache: bool,
        **others: object,
    ) -> None:
        command(
            models=ModelChoice(embedder, scorer, completer, device, cache=not no_model_cache),
            **others,
        )

    return with_models
