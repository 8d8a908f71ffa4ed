"""Tokenizers and models. Only these modules import machine-learning libraries. `tokenizer` resolves
a name, file or function to a tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path
from typing import cast

from docxchunk import registry
from docxchunk.errors import UsageError
from docxchunk.model.ports import Tokenizer

TokenizerChoice = str | PathLike[str] | Callable[[str], int] | Tokenizer


def tokenizer(choice: TokenizerChoice = "o200k_base") -> Tokenizer:
    """Return the tokenizer for a name (`docxchunk tokenizers` lists them), a Hugging Face
    `tokenizer.json` or its folder, or a function str -> int.

    A Tokenizer is returned unchanged. Raise UsageError for an unknown name or an object of another
    kind, MissingExtraError if a package is not installed.
    """
    if isinstance(choice, (str, PathLike)):
        return _named(fspath(choice))
    if callable(choice):
        from docxchunk.backends.tokenizers import FunctionTokenizer

        return FunctionTokenizer(choice)
    if not hasattr(choice, "count"):
        raise UsageError(
            f"{choice!r} is not a tokenizer: give a name (`docxchunk tokenizers` "
            "lists them), a tokenizer.json, a function or a Tokenizer."
        )
    return choice


def is_file(choice: str) -> bool:
    """Return whether the choice is the path of a tokenizer rather than a name."""
    return choice.endswith(".json") or Path(choice, "tokenizer.json").is_file()


def _named(choice: str) -> Tokenizer:
    if is_file(choice):
        from docxchunk.backends.tokenizers import load

        return load(choice)
    make = cast("Callable[[], Tokenizer]", registry.load(registry.PluginKind.TOKENIZER, choice))
    return make()
