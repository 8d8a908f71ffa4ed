"""The tokenizers of OpenAI's models, counted by tiktoken, from vocabularies that ship with docxchunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Final

import tiktoken

from docxchunk.backends.vocabulary import PINNED, load_ranks

# As in tiktoken_ext.openai_public, which a test compares; there they cannot be had without downloading the ranks.
PATTERNS: Mapping[str, str] = {
    "o200k_base": "|".join(
        (
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
    "cl100k_base": "|".join(
        (
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        )
    ),
}

_END_OF_TEXT: Final = "<|endoftext|>"  # tiktoken's search for special tokens is slow when there are none; none is ever allowed
_CONTINUATION: Final = bytes(range(0x80, 0xC0))  # bytes of a character in UTF-8 after its first one
_LONG: Final = 256  # characters from which a buffer costs less than a list of ids


class BytePairTokenizer:
    """Counts by byte pairs. Special tokens in a text are text. A lone surrogate counts as the replacement character."""

    additive_over_newlines = True

    def __init__(self, name: str) -> None:
        ranks = load_ranks(name)
        encoding = tiktoken.Encoding(name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens={_END_OF_TEXT: len(ranks)})
        core = encoding._core_bpe  # noqa: SLF001 - nothing public counts without a list, or without a search for special tokens
        self.name = name
        self.fingerprint = f"sha256:{PINNED[name].text}"
        self._encode = core.encode_ordinary
        self._characters = _Characters(encoding)
        self._to_buffer = getattr(core, "encode_to_tiktoken_buffer", None)

    def count(self, text: str) -> int:
        try:
            if self._to_buffer is None or len(text) < _LONG:
                return len(self._encode(text))
            return memoryview(self._to_buffer(text, set())).nbytes // 4
        except UnicodeEncodeError:
            return self.count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        except ValueError:  # a million spaces in a row exhaust the stack of tiktoken's regular expression
            middle = len(text) // 2
            if not middle:
                raise
            return self.count(text[:middle]) + self.count(text[middle:])

    def token_ends(self, text: str) -> Sequence[int] | None:
        try:
            tokens = self._encode(text)
        except (UnicodeEncodeError, ValueError):  # `count` deals with both
            return None
        return list(accumulate(map(self._characters.__getitem__, tokens), initial=0))

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}>"


class _Characters(dict[int, int]):
    """How many characters begin in a token, by its number."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self._bytes = encoding._core_bpe.decode_single_token_bytes  # noqa: SLF001 - the same, without a call in Python

    def __missing__(self, token: int) -> int:
        count = self[token] = len(self._bytes(token).translate(None, _CONTINUATION))
        return count


@cache
def o200k_base() -> BytePairTokenizer:
    return BytePairTokenizer("o200k_base")


@cache
def cl100k_base() -> BytePairTokenizer:
    return BytePairTokenizer("cl100k_base")
