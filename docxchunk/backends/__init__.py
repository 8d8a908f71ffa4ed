"""What needs a library of its own: the only modules that import one. `tokenizer` turns a name, a file or a function into something that counts."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path
from typing import cast

from docxchunk import registry
from docxchunk.model.ports import Tokenizer

TokenizerChoice = str | PathLike[str] | Callable[[str], int] | Tokenizer


def tokenizer(choice: TokenizerChoice = "o200k_base") -> Tokenizer:
    """What counts tokens: a name (`docxchunk tokenizers` lists them), the path of a Hugging Face `tokenizer.json` or of its folder, or any function str -> int.

    A tokenizer comes back as it is. Raises UsageError for a name that is neither known nor a file, MissingExtraError where a package is missing.
    """
    if isinstance(choice, (str, PathLike)):
        return _named(fspath(choice))
    if callable(choice):
        from docxchunk.backends.functions import FunctionTokenizer

        return FunctionTokenizer(choice)
    return choice


def is_file(choice: str) -> bool:
    """Is this the path of a tokenizer rather than a name?"""
    return choice.endswith(".json") or Path(choice, "tokenizer.json").is_file()


def _named(choice: str) -> Tokenizer:
    if is_file(choice):
        from docxchunk.backends.huggingface import load

        return load(choice)
    make = cast("Callable[[], Tokenizer]", registry.load(registry.PluginKind.TOKENIZER, choice))
    return make()
