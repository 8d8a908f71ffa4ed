"""Tokenizers of OpenAI models: tiktoken with the byte-pair vocabularies that ship with docxchunk.

A packed file groups the tokens by their first three bytes, so that the tokens that can occur in a
short text are found without reading all. The first group has the tokens of one and two bytes. The
layout, with all integers as four bytes, little endian:

- the number of groups and the number of tokens
- for each group, three bytes: the prefix of its tokens (of the first group: zeros)
- for each group and the end: the number of tokens before it, then the same list with the number of
  bytes of these tokens
- for each token its rank, then for each token one byte: its length
- for each rank one byte: the number of characters that begin in its token
- the bytes of all tokens

`tests/make_vocabularies.py` makes the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from struct import Struct
from typing import Final, NamedTuple

import tiktoken

from docxchunk.errors import DocxchunkError
from docxchunk.language.patterns import pattern

PREFIX = 3  # bytes
FOLDER = Path(__file__).with_name("vocabularies")
_FIELDS = [f"{length}s" for length in range(256)]
HEADER = Struct("<2I")
_INTEGER = 4  # bytes


class Pinned(NamedTuple):
    """The SHA-256 of two files: the public .tiktoken file, as `tiktoken_ext.openai_public` pins it,
    and the packed file that docxchunk ships.
    """

    text: str
    packed: str


PINNED: Mapping[str, Pinned] = {
    "o200k_base": Pinned(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "aad55ec36bc6d37d1fc938333e06c71f0dd3d02bae6264cf2a1eb459db4736f1",
    ),
    "cl100k_base": Pinned(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        "baabcb69fad29fc8c667e3cd31c5870d48f5a24eadc1a9e50951e6f8b6c79c8a",
    ),
}


def packed_path(name: str) -> Path:
    return FOLDER / f"{name}.bin"


def load_vocabulary(name: str) -> PackedVocabulary:
    """Return a vocabulary. Raise DocxchunkError if its file differs from the one that docxchunk
    ships.
    """
    data = packed_path(name).read_bytes()
    if hashlib.sha256(data).hexdigest() != PINNED[name].packed:
        raise DocxchunkError(
            f"The vocabulary {name} of this installation is damaged: install docxchunk again."
        )
    return PackedVocabulary(data)


class PackedVocabulary:
    """The tokens and ranks in a packed file."""

    def __init__(self, data: bytes) -> None:
        groups, tokens = HEADER.unpack_from(data)
        self._data, self._groups = data, groups
        self._prefixes = HEADER.size
        firsts = self._prefixes + PREFIX * groups
        starts = firsts + _INTEGER * (groups + 1)
        self._ranks = starts + _INTEGER * (groups + 1)
        self._lengths = self._ranks + _INTEGER * tokens
        characters = self._lengths + tokens
        self._texts = characters + tokens
        self.characters = data[characters : self._texts]
        """At the index of each rank, the number of characters that begin in its token."""
        self._firsts, self._starts = (
            _integers(data[firsts:starts]),
            _integers(data[starts : self._ranks]),
        )

    def ranks(self) -> dict[bytes, int]:
        """Return the rank of each token."""
        return self._ranks_in([(0, self._groups)])

    def ranks_with(self, prefixes: AbstractSet[bytes]) -> dict[bytes, int]:
        """Return the rank of each token that begins with one of these prefixes of three bytes or
        has only one or two bytes.
        """
        numbers = sorted(
            number for prefix in prefixes if (number := self._number_of.get(prefix)) is not None
        )
        return self._ranks_in([(0, 1), *((number, number + 1) for number in numbers)])

    @cached_property
    def _number_of(self) -> dict[bytes, int]:
        """For each prefix, the number of the group of tokens that begin with it."""
        layout = Struct(_FIELDS[PREFIX] * (self._groups - 1))
        return dict(
            zip(
                layout.unpack_from(self._data, self._prefixes + PREFIX),
                range(1, self._groups),
                strict=True,
            )
        )

    def _ranks_in(self, ranges: Iterable[tuple[int, int]]) -> dict[bytes, int]:
        """Return the rank of each token in ranges of groups. A single struct call is a third faster
        than slicing each token.
        """
        runs = [
            (self._firsts[start], self._firsts[end], self._starts[start], self._starts[end])
            for start, end in ranges
        ]
        lengths = b"".join(
            self._data[self._lengths + first : self._lengths + last] for first, last, _, _ in runs
        )
        texts = b"".join(
            self._data[self._texts + start : self._texts + end] for _, _, start, end in runs
        )
        ranks = b"".join(
            self._data[self._ranks + _INTEGER * first : self._ranks + _INTEGER * last]
            for first, last, _, _ in runs
        )
        return dict(
            zip(
                Struct("".join(map(_FIELDS.__getitem__, lengths))).unpack(texts),
                _integers(ranks),
                strict=True,
            )
        )


def _integers(data: bytes) -> tuple[int, ...]:
    return Struct(f"<{len(data) // _INTEGER}I").unpack(data)


# Copied from tiktoken_ext.openai_public, which downloads the ranks before it returns a pattern; a
# test compares the two.
PATTERNS: Mapping[str, str] = {
    "o200k_base": "|".join(
        (
            (
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s"
                r"|'t|'re|'ve|'m|'ll|'d)?"
            ),
            (
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s"
                r"|'t|'re|'ve|'m|'ll|'d)?"
            ),
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

# a special token between texts that are encoded together; this code point is no character
_BETWEEN: Final = "\ufdd0"
# four bytes of 0xFF, which cannot occur elsewhere in a buffer of token ids
_BETWEEN_RANK: Final = 2**32 - 1
# tiktoken searches slowly for special tokens if none is defined; this one is never allowed in a
# text
_END_OF_TEXT: Final = "<|endoftext|>"
_SPECIAL: Final = {_BETWEEN: _BETWEEN_RANK, _END_OF_TEXT: _BETWEEN_RANK - 1}
_BLANKS: Final = 500_000
_LONG_BLANKS: Final = pattern(rf"\s{{{_BLANKS}}}")
_LONG: Final = 256  # characters from which counting in a buffer is faster than in a list of ids
# characters up to which a part of the vocabulary is loaded: the whole takes a quarter of a second
_SHORT: Final = 8192
_MAX_TOKENS_IN_PARTS: Final = 120_000  # tokens in such parts; then the whole, of 200,000, is loaded


def _overflows(text: str) -> bool:
    """Return whether the text has 500,000 blanks in a row. From a million on, the regular
    expression of tiktoken runs out of stack.
    """
    return len(text) >= _BLANKS and _LONG_BLANKS.search(text) is not None


class BytePairTokenizer:
    """Count byte-pair tokens. Special tokens in a text are ordinary text. A lone surrogate counts
    as U+FFFD.

    For short texts, only tokens that can occur in them are loaded: those whose first three bytes
    occur in the text. The result is the same as with all tokens, because every merge makes a token
    that occurs in the text.
    """

    additive_over_newlines = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.fingerprint = f"sha256:{PINNED[name].text}"
        self._vocabulary = load_vocabulary(name)
        self._parts: tuple[_Encoder, ...] = ()
        self._whole: _Encoder | None = None

    def count(self, text: str) -> int:
        if _overflows(text):
            middle = len(text) // 2
            return self.count(text[:middle]) + self.count(text[middle:])
        encoder = self._encoder(text)
        try:
            if encoder.to_buffer is None or len(text) < _LONG:
                return len(encoder.encode(text))
            return memoryview(encoder.to_buffer(text, set())).nbytes // 4
        except UnicodeEncodeError:
            return self.count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    def count_each(self, texts: Sequence[str]) -> list[int]:
        joined = _BETWEEN.join(texts)
        encoder = self._encoder(joined)
        if (
            encoder.to_buffer is None
            or joined.count(_BETWEEN) != len(texts) - 1
            or _overflows(joined)
        ):
            return list(map(self.count, texts))
        try:
            buffer = bytes(encoder.to_buffer(joined, {_BETWEEN}))
        except UnicodeEncodeError:  # see `count`
            return list(map(self.count, texts))
        return [len(tokens) // 4 for tokens in buffer.split(_BETWEEN_RANK.to_bytes(4, "little"))]

    def token_ends(self, text: str) -> Sequence[int] | None:
        if _overflows(text):
            return None
        try:
            tokens = self._encoder(text).encode(text)
        except UnicodeEncodeError:  # see `count`
            return None
        # the zeros, because `itemgetter` returns a tuple only of two items or more
        lengths = itemgetter(0, 0, *tokens)(self._vocabulary.characters)[2:]
        return list(accumulate(lengths, initial=0))

    def _encoder(self, text: str) -> _Encoder:
        """Return an encoder with all tokens that can occur in the text."""
        return self._whole or self._partial_encoder(text) or self._all()

    def _partial_encoder(self, text: str) -> _Encoder | None:
        """Return an encoder with some of the tokens. Return None if all of them should be loaded:
        the text is long, or the tokens loaded so far do not suffice.
        """
        if len(text) > _SHORT:
            return None
        encoded = (part.encode("utf-8", "replace") for part in text.split(_BETWEEN))
        prefixes = {
            data[at : at + PREFIX] for data in encoded for at in range(len(data) - PREFIX + 1)
        }
        for part in self._parts:
            if prefixes <= part.prefixes:
                return part
        if sum(part.size for part in self._parts) > _MAX_TOKENS_IN_PARTS:
            return None
        part = _Encoder(self.name, self._vocabulary.ranks_with(prefixes), prefixes)
        self._parts = (*self._parts, part)
        return part

    def _all(self) -> _Encoder:
        self._whole, self._parts = _Encoder(self.name, self._vocabulary.ranks()), ()
        return self._whole

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}>"


class _Encoder:
    """The encoding functions of tiktoken. With a part of the vocabulary, they are correct for texts
    whose sequences of three bytes are all in `prefixes`.
    """

    def __init__(
        self, name: str, ranks: dict[bytes, int], prefixes: AbstractSet[bytes] = frozenset()
    ) -> None:
        encoding = tiktoken.Encoding(
            name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens=_SPECIAL
        )
        core = encoding._core_bpe  # noqa: SLF001 - the public methods build a list and search for special tokens
        self.prefixes = prefixes
        self.size = len(ranks)
        self.encode = core.encode_ordinary
        self.to_buffer = getattr(core, "encode_to_tiktoken_buffer", None)


@cache
def o200k_base() -> BytePairTokenizer:
    return BytePairTokenizer("o200k_base")


@cache
def cl100k_base() -> BytePairTokenizer:
    return BytePairTokenizer("cl100k_base")
