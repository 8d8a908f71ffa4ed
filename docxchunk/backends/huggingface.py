"""Count tokens with a Hugging Face `tokenizer.json` (extra `tokenizers`)."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from docxchunk.errors import MissingExtraError, MissingFileError, UsageError
from docxchunk.registry import missing_extra

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class HuggingFaceTokenizer:
    """Count tokens without the special tokens that the model adds. Special tokens in a text are ordinary text."""

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
    """Return the tokenizer in a file, or in the `tokenizer.json` of a folder. Its name is the file name, so that records contain no local path.

    Raise MissingExtraError, MissingFileError, UsageError.
    """
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("A tokenizer.json", "tokenizers", "tokenizers")) from error
    file = Path(path, "tokenizer.json") if Path(path).is_dir() else Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise MissingFileError(f"The tokenizer {path} cannot be read ({error.strerror or error}).") from error
    try:
        return HuggingFaceTokenizer(file.name, data, Tokenizer.from_buffer(data))
    except Exception as error:  # the library raises plain Exception
        raise UsageError(f"{path} is not a tokenizer of the Hugging Face tokenizers library ({error}).") from error
