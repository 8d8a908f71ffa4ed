"""What the outside must bring: protocols of one method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Tokenizer(Protocol):
    r"""Counts tokens.

    `additive_over_newlines` promises two things of where a token never runs on, so that counts can be added instead of measured again:

    - over a newline into a line that starts neither with white space nor with "/":
      `count("\n".join(lines)) == sum(count(line + "\n") for line in lines[:-1]) + count(lines[-1])`, and the same with a blank line between;
    - from a letter or digit into white space or punctuation other than an apostrophe: `count("end. Next") == count("end") + count(". Next")`.

    Byte pair encodings that first split a text into words as GPT-2 and its successors do keep both. Without the promise every text is measured whole.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """A hash of the vocabulary: two tokenizers that count differently differ here."""
        ...

    @property
    def additive_over_newlines(self) -> bool: ...

    def count(self, text: str) -> int: ...


@runtime_checkable
class TokenEnds(Protocol):
    """What a tokenizer may add, so that a text is encoded once, however many of its parts are measured."""

    def token_ends(self, text: str) -> Sequence[int] | None:
        """0, and for each token the characters up to its end; None where the text has to be counted.

        A character whose bytes are in several tokens counts with the first of them. The length is `count(text) + 1`.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how close they are in meaning."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """A hash of the model and of all that changes its answers."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, each of length 1: shape (texts, dimensions)."""
        ...


class Losses(NamedTuple):
    """Asks how surprising each segment of a text is, given all that comes before it.

    Segments end at `ends`, in code points, rising, the last one at the end of the text; `before` is read first and not scored. Where a text
    is longer than the model reads at once, reading starts afresh with the end of what was read before it.
    The answer is one number a segment: the mean negative log-likelihood of its tokens, in nats; infinite for one whose tokens have nothing before them.
    """

    text: str
    ends: tuple[int, ...]
    before: str = ""


class EvictingLosses(Losses):
    """The same, but of a text that is longer than the model reads at once the oldest keys and values are dropped (Meta-Chunking, 3.1)."""

    __slots__ = ()


class Endings(NamedTuple):
    """Asks how likely a text is to be over at each of `ends`, had it been written at the `instruction`.

    The answer is one number an end: the log-probability of the end of the sequence after `text[:end]`.
    """

    text: str
    ends: tuple[int, ...]
    instruction: str


class Choices(NamedTuple):
    """Asks which of several short answers follows an instruction. The answer is the log-probability of each, over the whole vocabulary."""

    instruction: str
    options: tuple[str, ...]


Question = Losses | Endings | Choices


class Scorer(Protocol):
    """A causal language model that is read, not sampled."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """The answers, in the order of the questions. What is asked together may be computed together."""
        ...


class Completer(Protocol):
    """A language model that writes."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def complete(self, prompts: Sequence[str]) -> list[str]:
        """What the model answers to each prompt, at temperature 0."""
        ...


class Picture(NamedTuple):
    """A picture to be described: its bytes, their media type ("image/png"), and what its document says of it, a line each."""

    data: bytes
    media_type: str
    about: str = ""


class Describer(Protocol):
    """A model that sees and writes."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def describe(self, pictures: Sequence[Picture]) -> list[str]:
        """What each picture shows, in a few sentences; "" where the model says nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """What strategies may ask, and what describes pictures; None where there is none."""

    embedder: Embedder | None = None
    scorer: Scorer | None = None
    completer: Completer | None = None
    describer: Describer | None = None


NO_MODELS: Final = Models()
