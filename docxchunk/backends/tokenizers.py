"""Count tokens with a tokenizer by name, with a Hugging Face `tokenizer.json` (extra `tokenizers`),
or with any function from a text to its number of tokens.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Final, SupportsIndex, cast

from docxchunk import registry
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.model.ports import Tokenizer

if TYPE_CHECKING:
    import tokenizers

TokenizerChoice = str | PathLike[str] | Callable[[str], int] | Tokenizer


def tokenizer(choice: TokenizerChoice = "o200k_base") -> Tokenizer:
    """Return the tokenizer for a name (`docxchunk tokenizers` lists them), a Hugging Face
    `tokenizer.json` or its folder, or a function str -> int.

    A Tokenizer is returned unchanged. Raise UsageError for an unknown name or an object of another
    kind, MissingExtraError if a package is not installed.
    """
    if isinstance(choice, (str, PathLike)):
        name = fspath(choice)
        if is_file(name):
            return load(name)
        make = registry.load(registry.PluginKind.TOKENIZER, name)
        return cast("Callable[[], Tokenizer]", make)()
    if callable(choice):
        return FunctionTokenizer(choice)
    if not hasattr(choice, "count"):
        raise UsageError(
            f"{choice!r} is not a tokenizer: give a name (`docxchunk tokenizers` "
            "lists them), a tokenizer.json, a function or a Tokenizer."
        )
    return choice


def is_file(choice: str) -> bool:
    """Return whether the choice is the path of a tokenizer, not a name."""
    return choice.endswith(".json") or Path(choice, "tokenizer.json").is_file()


class HuggingFaceTokenizer:
    """Count tokens without the special tokens that the model adds. Special tokens in a text are
    ordinary text.
    """

    additive_over_newlines = False

    def __init__(self, name: str, data: bytes, tokenizer: tokenizers.Tokenizer) -> None:
        tokenizer.no_truncation()  # the file may enable truncation and padding
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True
        self.name = name
        self.fingerprint = f"sha256:{hashlib.sha256(data).hexdigest()}"
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}>"


def load(path: str) -> HuggingFaceTokenizer:
    """Return the tokenizer in a file, or in the `tokenizer.json` of a folder. Its name is the file
    name, so that records contain no local path.

    Raise MissingExtraError, MissingFileError, UsageError.
    """
    with registry.extra_for("A tokenizer.json", "", "tokenizers"):
        import tokenizers
    file = Path(path, "tokenizer.json") if Path(path).is_dir() else Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise MissingFileError(
            f"The tokenizer {path} cannot be read ({error.strerror or error})."
        ) from error
    try:
        return HuggingFaceTokenizer(file.name, data, tokenizers.Tokenizer.from_buffer(data))
    except Exception as error:  # the library raises plain Exception
        raise UsageError(
            f"{path} is not a tokenizer of the Hugging Face tokenizers library ({error})."
        ) from error


_PROBES = (
    "",
    "a",
    "Hello, world!",
    "The quick brown fox\njumps over 13 lazy dogs.",
    "第一章 总则。",
    "Größe straße",
    "x² + y² ≤ 1\n\n",
    '<table id="tb-1">[["a","b"]]</table>',
)


class FunctionTokenizer:
    """A counting function as a tokenizer. Counts of lines cannot be added up, so texts are counted
    whole.

    Raise UsageError for a function that does not return a number of tokens, such as the `encode` of
    a tokenizer, which returns a list.
    """

    additive_over_newlines = False

    def __init__(self, count: Callable[[str], int]) -> None:
        self.name = getattr(count, "__qualname__", type(count).__qualname__)
        self.count = count
        tokens = count(_PROBES[1])
        if not isinstance(tokens, SupportsIndex) or tokens < 0:
            raise UsageError(
                f"The tokenizer function {self.name} returned {tokens!r} for "
                f"{_PROBES[1]!r}; it must return the number of tokens, an integer."
            )

    @property
    def fingerprint(self) -> str:
        """A hash of the counts of a few fixed texts."""
        counts = [self.count(text) for text in _PROBES]
        return f"sha256:{hashlib.sha256(repr(counts).encode()).hexdigest()}"

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}>"


def plain(tokenizer: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Return a copy of the tokenizer without post-processor, truncation and padding: transformers
    changes these on the original while it runs.
    """
    from tokenizers import Tokenizer

    settings = json.loads(tokenizer.to_str())
    # a post-processor may trim white space from offsets
    settings["post_processor"] = settings["truncation"] = settings["padding"] = None
    copy = Tokenizer.from_str(json.dumps(settings))
    copy.encode_special_tokens = True
    return copy


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def readable(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, which tokenizers reject. The length
    stays the same.
    """
    return _SURROGATE.sub("\ufffd", text)
