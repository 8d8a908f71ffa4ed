"""Count tokens with a tokenizer by name, with a Hugging Face `tokenizer.json` (extra `tokenizers`),
or with any function from a text to its number of tokens.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Final, SupportsIndex, cast

from docxchunk import registry
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.language.patterns import pattern
from docxchunk.model.divisions import (
    IDEOGRAPH,
    MARKS,
    Division,
    division_of,
    place_before,
)
from docxchunk.model.ports import Tokenizer

if TYPE_CHECKING:
    import tokenizers

AnyTokenizer = str | PathLike[str] | Callable[[str], int] | Tokenizer


def tokenizer(choice: AnyTokenizer = "o200k_base") -> Tokenizer:
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


# how vocabularies write white space: SentencePiece the space, byte-level ones also other blanks
_SPACES: Final = str.maketrans("▁Ġ\u010a", "  \n")


_FEW: Final = 16  # texts; the threads of the library take longer to start than to count them


_BATCH: Final = 100_000  # characters, about, that are encoded together


class HuggingFaceTokenizer:
    """Count tokens without the special tokens that the model adds. Special tokens in a text are
    ordinary text.

    Many texts are counted in threads of the library (`TOKENIZERS_PARALLELISM`).
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
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def count_each(self, texts: Sequence[str]) -> list[int]:
        if len(texts) < _FEW:
            return list(map(self.count, texts))
        counts: list[int] = []
        size = max(_FEW, _BATCH * len(texts) // max(sum(map(len, texts)), 1))
        for at in range(0, len(texts), size):  # encodings take much memory
            batch = [*texts[at : at + size]]
            encodings = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            counts += map(len, encodings)
        return counts

    @cached_property
    def division(self) -> Division | None:
        """The places that no token crosses."""
        unsplit = "".join(mark for mark in MARKS if not self._splits_before(mark))
        crossed = self._crossed(unsplit) if unsplit else ""
        return division_of(self.count, "".join(mark for mark in MARKS if mark not in crossed))

    def _splits_before(self, mark: str) -> bool:
        """Return whether texts are split before a mark, before the vocabulary is used."""
        for letter in "a" + IDEOGRAPH:
            encoding = self._tokenizer.encode(f"{letter}{mark}b", add_special_tokens=False)
            word = encoding.char_to_word(0)
            if word is None or word == encoding.char_to_word(1):
                return False
        return True

    def _crossed(self, marks: str) -> str:
        """Return those marks that a token of the vocabulary has after a letter or digit."""
        place, normalizer = place_before(marks), self._tokenizer.normalizer
        crossed = {IDEOGRAPH}
        for token in self._tokenizer.get_vocab(with_added_tokens=False):
            text = token.translate(_SPACES)
            crossed.update(text[match.start()] for match in place.finditer(text))
        normal = {
            mark: normalizer.normalize_str(f"a{mark}b") if normalizer else mark for mark in marks
        }
        return "".join(mark for mark in marks if crossed & {mark, *normal[mark][1:-1]})

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


_RECENT: Final = 256  # texts, often counted again by the next stage


class FunctionTokenizer:
    """A counting function as a tokenizer.

    Most functions count words apart. They are called for each distinct word of a document, and for
    each chunk, with two to three times the characters of the document in all. A function whose
    counts do not add up, such as `len(text) // 4`, is called for many texts, and reads several
    times as much. A function that takes a millisecond a call takes seconds for a long document.

    Raise UsageError for a function that does not return a number of tokens, such as the `encode` of
    a tokenizer, which returns a list.
    """

    additive_over_newlines = False

    def __init__(self, count: Callable[[str], int]) -> None:
        self.name = getattr(count, "__qualname__", type(count).__qualname__)
        self.count = lru_cache(maxsize=_RECENT)(count)
        tokens = count(_PROBES[1])
        if not isinstance(tokens, SupportsIndex) or tokens < 0:
            raise UsageError(
                f"The tokenizer function {self.name} returned {tokens!r} for "
                f"{_PROBES[1]!r}; it must return the number of tokens, an integer."
            )

    @cached_property
    def division(self) -> Division | None:
        """The places at which the counts of a sample text add up."""
        return division_of(self.count)

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


_SURROGATE: Final = pattern("[\ud800-\udfff]")


def readable(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, which tokenizers reject. The length
    stays the same.
    """
    return _SURROGATE.sub("\ufffd", text)
