"""Tokenizers of OpenAI models: tiktoken with the vocabularies that ship with docxchunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Final

import tiktoken

from docxchunk.backends.vocabulary import PINNED, load_ranks

# Copied from tiktoken_ext.openai_public, which downloads the ranks before it returns a pattern; a test compares the two.
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

_END_OF_TEXT: Final = "<|endoftext|>"  # tiktoken searches slowly for special tokens if none is defined; this one is never allowed in a text
_BETWEEN: Final = "\ufdd0"  # a special token between texts that are encoded together; this code point is no character
_BETWEEN_RANK: Final = 2**32 - 1  # four bytes of 0xFF, which cannot occur elsewhere in a buffer of token ids
_CONTINUATION: Final = bytes(range(0x80, 0xC0))  # bytes of a character in UTF-8 after its first one
_LONG: Final = 256  # characters from which counting in a buffer is faster than in a list of ids


class BytePairTokenizer:
    """Count byte-pair tokens. Special tokens in a text are ordinary text. A lone surrogate counts as U+FFFD."""

    additive_over_newlines = True

    def __init__(self, name: str) -> None:
        ranks = load_ranks(name)
        special = {_END_OF_TEXT: len(ranks), _BETWEEN: _BETWEEN_RANK}
        encoding = tiktoken.Encoding(name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens=special)
        core = encoding._core_bpe  # noqa: SLF001 - the public methods build a list and search for special tokens
        self.name = name
        self.fingerprint = f"sha256:{PINNED[name].text}"
        self._encode = core.encode_ordinary
        self._characters = _CharacterCounts(encoding)
        self._to_buffer = getattr(core, "encode_to_tiktoken_buffer", None)

    def count(self, text: str) -> int:
        try:
            if self._to_buffer is None or len(text) < _LONG:
                return len(self._encode(text))
            return memoryview(self._to_buffer(text, set())).nbytes // 4
        except UnicodeEncodeError:
            return self.count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        except ValueError:  # tiktoken's regular expression runs out of stack on a million spaces
            middle = len(text) // 2
            if not middle:
                raise
            return self.count(text[:middle]) + self.count(text[middle:])

    def count_each(self, texts: Sequence[str]) -> list[int]:
        joined = _BETWEEN.join(texts)
        if self._to_buffer is None or joined.count(_BETWEEN) != len(texts) - 1:
            return list(map(self.count, texts))
        try:
            buffer = bytes(self._to_buffer(joined, {_BETWEEN}))
        except (UnicodeEncodeError, ValueError):  # see `count`
            return list(map(self.count, texts))
        return [len(tokens) // 4 for tokens in buffer.split(_BETWEEN_RANK.to_bytes(4, "little"))]

    def token_ends(self, text: str) -> Sequence[int] | None:
        try:
            tokens = self._encode(text)
        except (UnicodeEncodeError, ValueError):  # see `count`
            return None
        return list(accumulate(map(self._characters.__getitem__, tokens), initial=0))

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}>"


class _CharacterCounts(dict[int, int]):
    """Token id -> number of characters that begin in the token, computed on first use."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self._bytes = encoding.decode_single_token_bytes

    def __missing__(self, token: int) -> int:
        count = self[token] = len(self._bytes(token).translate(None, _CONTINUATION))
        return count


@cache
def o200k_base() -> BytePairTokenizer:
    return BytePairTokenizer("o200k_base")


@cache
def cl100k_base() -> BytePairTokenizer:
    return BytePairTokenizer("cl100k_base")
