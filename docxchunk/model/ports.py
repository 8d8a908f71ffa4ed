"""Protocols for tokenizers and models, base classes of models and of their wrappers, and costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from operator import add, sub
from threading import Lock
from time import perf_counter
from typing import (
    TYPE_CHECKING,
    ClassVar,
    Final,
    Generic,
    NamedTuple,
    Protocol,
    TypeVar,
    runtime_checkable,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from docxchunk.model.divisions import Division


Count = Callable[[str], int]
"""A function that counts the tokens of a text."""


class Tokenizer(Protocol):
    r"""Counts tokens.

    `additive_over_newlines` declares that no token crosses the following boundaries, so that counts
    of parts can be added:

    - from a newline into a line that starts neither with white space nor with "/":
      `count("\n".join(lines)) == sum(count(line + "\n") for line in lines[:-1]) +
      count(lines[-1])`, and the same with a blank line between;
    - from a letter or digit into white space or punctuation other than an apostrophe: `count("end.
      Next") == count("end") + count(". Next")`.

    Byte pair encodings with the pre-tokenization of GPT-2 and its successors satisfy both. If it is
    False, every text is counted as a whole, unless the tokenizer has a `division`.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """A hash of the vocabulary. Tokenizers that count differently have different
        fingerprints.
        """
        ...

    @property
    def additive_over_newlines(self) -> bool: ...

    def count(self, text: str) -> int: ...


@runtime_checkable
class TokenEnds(Protocol):
    """An optional method of tokenizers. With it, a text is encoded once, even if many parts of it
    are counted.
    """

    def token_ends(self, text: str) -> Sequence[int] | None:
        """Return 0 and then the end of each token as an offset in code points; None if the text
        cannot be aligned with its tokens.

        A character whose bytes are in several tokens belongs to the first of them. The length of
        the result is `count(text) + 1`.
        """
        ...


@runtime_checkable
class EachCounts(Protocol):
    """An optional method of tokenizers that counts many short texts faster than one call for
    each.
    """

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """Return `count(text)` of each text."""
        ...


@runtime_checkable
class Divides(Protocol):
    """An optional property of tokenizers that are not `additive_over_newlines`. With it, each
    distinct word is counted about once, and only the finished chunks are counted as a whole.
    """

    @property
    def division(self) -> Division | None:
        """The places at which the tokenizer divides text; None if texts are counted as a whole."""
        ...


class Named(Protocol):
    """What all models have in common."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """A hash of the model and of all settings that change its answers."""
        ...


class Embedder(Named, Protocol):
    """An embedding model: texts to vectors whose dot product is their similarity."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text: shape (texts, dimensions)."""
        ...


def reads(embedder: Embedder, text: str) -> bool:
    """Return whether an embedder has the words of a text in its vocabulary, so that its vector says
    something. An English model does not have the words of a Russian text. Return True if the
    embedder does not tell.
    """
    tells: Callable[[str], bool] | None = getattr(embedder, "reads", None)
    return tells is None or tells(text)


class Prompts(NamedTuple):
    """What an embedder wants before a text that is searched, and before a question."""

    text: str = ""
    question: str = ""


def prompts(embedder: Embedder) -> Prompts:
    """Return the prompts of an embedder; empty ones if it does not tell."""
    return getattr(embedder, "prompts", None) or Prompts()


class Losses(NamedTuple):
    """A request for the loss of each segment of a text, given the text before it.

    `ends` are the ends of the segments, in code points, in ascending order; the last one is the
    length of the text. `before` is read first as context and not scored. If the text is longer than
    the context window, a new window starts with the end of the previous one. The answer has one
    number per segment: the mean negative log-likelihood of its tokens, in nats; infinity if no
    token precedes the segment.
    """

    text: str
    ends: tuple[int, ...]
    before: str = ""


class EvictingLosses(Losses):
    """Like `Losses`, but if the text is longer than the context window, the oldest keys and values
    are evicted (Meta-Chunking, 3.1).
    """

    __slots__ = ()


class Endings(NamedTuple):
    """A request for the probability that a text ends at each of `ends`, given an instruction.

    The answer has one number per end: the log-probability of the end-of-sequence token after
    `instruction` and `text[:end]`.
    """

    text: str
    ends: tuple[int, ...]
    instruction: str


class Choices(NamedTuple):
    """A request for the probability of several short answers to an instruction. The answer is the
    log-probability of each, over the whole vocabulary.
    """

    instruction: str
    options: tuple[str, ...]


Question = Losses | Endings | Choices


def segments_of(question: Losses | Endings) -> list[str]:
    """Return the parts of the text of a question, each up to the next of its `ends`."""
    return [question.text[start:end] for start, end in pairwise((0, *question.ends))]


class Scorer(Named, Protocol):
    """A causal language model that computes probabilities of given texts."""

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Return the answers in the order of the questions. Questions of one call may be computed
        in a batch.
        """
        ...


class Completer(Named, Protocol):
    """A language model that generates text."""

    def complete(self, prompts: Sequence[str]) -> list[str]:
        """Return the answer to each prompt, generated at temperature 0."""
        ...


class Picture(NamedTuple):
    """A picture to describe: its bytes, their media type ("image/png"), and what the document says
    about it, one fact per line.
    """

    data: bytes
    media_type: str
    about: str = ""


class Describer(Named, Protocol):
    """A vision language model that describes pictures."""

    def describe(self, pictures: Sequence[Picture]) -> list[str]:
        """Return a description of each picture, in a few sentences; "" if the model gives none."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """The models that strategies may use, and the one that describes pictures. A model that is not
    available is None.
    """

    embedder: Embedder | None = None
    scorer: Scorer | None = None
    completer: Completer | None = None
    describer: Describer | None = None


NO_MODELS: Final = Models()


_N = TypeVar("_N", bound=Named)


class Wrapper(Generic[_N]):
    """A model with the name, fingerprint, context window and token count of the one that it
    wraps.
    """

    def __init__(self, inner: _N) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def costs(self) -> Costs:
        """The costs of the wrapped model, for all threads together."""
        return costs_so_far(self._inner)

    @property
    def window(self) -> int | None:
        """The context window of the model, in tokens; None if unknown."""
        return getattr(self._wrapped(), "window", None)

    @property
    def count(self) -> Callable[[str], int] | None:
        """The function that counts tokens as the model does; None if unknown."""
        return getattr(self._wrapped(), "count", None)

    @property
    def reads(self) -> Callable[[str], bool] | None:
        """The function that tells whether the model has the words of a text; None if unknown."""
        return getattr(self._wrapped(), "reads", None)

    @property
    def prompts(self) -> Prompts | None:
        """The prompts of an embedder; None if it has none."""
        return getattr(self._wrapped(), "prompts", None)

    def _wrapped(self) -> object:
        """Return the model whose `window`, `count`, `reads` and `prompts` this wrapper has."""
        return self._inner


# -- costs


@dataclass(frozen=True, slots=True)
class Costs:
    """Counters that can be added and subtracted. `asked` counts texts, questions or prompts;
    `computed` those that no cache answered.

    `tokens` counts the tokens that the model read and wrote, without padding; `seconds` is
    wall-clock time of the computation; `cut` counts texts that are longer than the window of the
    model, which read only their beginning.
    """

    calls: int = 0
    asked: int = 0
    computed: int = 0
    tokens: int = 0
    seconds: float = 0.0
    cut: int = 0

    def __add__(self, other: Costs) -> Costs:
        return Costs(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Costs) -> Costs:
        return Costs(*map(sub, astuple(self), astuple(other)))


class Bill:
    """A thread-safe sum of costs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.costs = Costs()

    def add(self, costs: Costs) -> None:
        with self._lock:
            self.costs += costs


class CostedModel:
    """Base of models that report their costs. `kind` is the word for the model in `repr`."""

    kind: ClassVar[str]

    def __init__(self, name: str, fingerprint: str) -> None:
        self.name, self.fingerprint = name, fingerprint
        self._bill = Bill()

    @property
    def costs(self) -> Costs:
        return self._bill.costs

    def _charge(self, questions: int, tokens: int, start: float, cut: int = 0) -> None:
        """Add the costs of a call that began at `start`, by `perf_counter`."""
        self._bill.add(Costs(1, questions, questions, tokens, perf_counter() - start, cut))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


def costs_so_far(model: object) -> Costs:
    """Return the costs of a model since it was loaded. A model that does not report them has
    none.
    """
    costs = getattr(model, "costs", None)
    return costs if isinstance(costs, Costs) else Costs()
