"""The options that say which models are asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import click

from docxchunk.backends.devices import Device
from docxchunk.backends.loading import ModelChoice


def models(command: Callable[..., None]) -> Callable[..., None]:
    """The models that strategies ask, as one argument `models`."""

    @click.option("--embedder", envvar="DOCXCHUNK_EMBEDDER", default="", metavar="NAME|FOLDER", help="minilm (the default), hashing, or a folder of a model.")
    @click.option("--scorer", envvar="DOCXCHUNK_SCORER", default="", metavar="FOLDER|FILE|URL", help="A language model that is read: of transformers, a .gguf.")
    @click.option("--completer", envvar="DOCXCHUNK_COMPLETER", default="", metavar="URL|FOLDER", help="A language model that writes: a server, URL#MODEL.")
    @click.option(
        "--device",
        type=click.Choice([device.value for device in Device]),
        default=Device.AUTO.value,
        show_default=True,
        help="Where models in this process compute.",
    )
    @click.option("--no-model-cache", is_flag=True, help="Ask models again what they have answered before.")
    @wraps(command)
    def with_models(*, embedder: str, scorer: str, completer: str, device: str, no_model_cache: bool, **others: object) -> None:
        command(models=ModelChoice(embedder, scorer, completer, device, cache=not no_model_cache), **others)

    return with_models
