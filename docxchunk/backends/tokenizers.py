"""Count tokens with a Hugging Face `tokenizer.json` (extra `tokenizers`), or with any function str
-> int.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

from docxchunk.errors import MissingExtraError, MissingFileError, UsageError
from docxchunk.registry import missing_extra

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class HuggingFaceTokenizer:
    """Count tokens without the special tokens that the model adds. Special tokens in a text are
    ordinary text.
    """

    additive_over_newlines = False

    def __init__(self, name: str, data: bytes, tokenizer: Tokenizer) -> None:
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
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            missing_extra("A tokenizer.json", "tokenizers", "tokenizers")
        ) from error
    file = Path(path, "tokenizer.json") if Path(path).is_dir() else Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise MissingFileError(
            f"The tokenizer {path} cannot be read ({error.strerror or error})."
        ) from error
    try:
        return HuggingFaceTokenizer(file.name, data, Tokenizer.from_buffer(data))
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
        if not isinstance(found := count(_PROBES[1]), SupportsIndex) or found < 0:
            raise UsageError(
                f"The tokenizer function {self.name} returned {found!r} for "
                f"{_PROBES[1]!r}; it must return the number of tokens, an integer."
            )

    @property
    def fingerprint(self) -> str:
        """A hash of its counts of a few fixed texts."""
        counts = [self.count(text) for text in _PROBES]
        return f"sha256:{hashlib.sha256(repr(counts).encode()).hexdigest()}"

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}>"
