"""Check that the models of a strategy are given, and check their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf, isnan
from typing import TYPE_CHECKING, Final, TypeVar

from docxchunk.errors import MissingModelError, ModelError
from docxchunk.model.ports import (
    Choices,
    Completer,
    Embedder,
    Losses,
    Models,
    Named,
    Question,
    Scorer,
    Wrapper,
    segments_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_M = TypeVar("_M", bound=Embedder | Scorer | Completer)

OnAnswer = Callable[[str, int], None]
"""Called after each answer with the port ("embedder", "scorer" or "completer") and the number of
characters that the model read.
"""

_MAX_QUOTED: Final = 60  # characters of a text in an error
_NO_MATRIX: Final = "something other than a matrix of numbers"


def ignore_answer(port: str, characters: int) -> None:
    """Do nothing: the default callback."""


def checked(models: Models, caller: str, on_answer: OnAnswer = ignore_answer) -> Models:
    """Return the models wrapped so that each answer is checked. `caller` is the name of the
    strategy in error messages.

    A wrapped model raises ModelError for a wrong number of answers, for a vector or score that is
    not a number, and for an infinite score where scores must be finite.
    """
    return Models(
        models.embedder and CheckedEmbedder(models.embedder, caller, on_answer),
        models.scorer and CheckedScorer(models.scorer, caller, on_answer),
        models.completer and CheckedCompleter(models.completer, caller, on_answer),
    )


class _Checked(Wrapper[_M]):
    """The base class of the wrappers that check the answers of a model."""

    def __init__(self, inner: _M, caller: str, on_answer: OnAnswer = ignore_answer) -> None:
        super().__init__(inner)
        self._caller, self._on_answer = caller, on_answer

    def _check_number(self, answers: int, questions: int) -> None:
        if answers != questions:
            raise ModelError(
                f"{self._caller} asked the model {self.name} {questions} "
                f"questions and got {answers} answers."
            )

    def _wrong(self, about: str, answer: str) -> ModelError:
        return ModelError(
            f"{self._caller} asked the model {self.name} about {_quoted(about)} "
            f"and got {answer}: the model is broken, or its numbers overflow."
        )


class CheckedEmbedder(_Checked[Embedder]):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        answers = self._inner.embed(texts)
        self._check_number(len(answers), len(texts))
        try:
            vectors = np.asarray(answers, np.float32)
        except (TypeError, ValueError) as error:
            raise self._wrong(texts[0], _NO_MATRIX) from error
        if vectors.ndim != 2 and texts:
            raise self._wrong(texts[0], _NO_MATRIX)
        finite = np.isfinite(vectors).all(axis=-1)
        if not finite.all():
            raise self._wrong(texts[int(np.argmin(finite))], "a vector that is not finite")
        self._on_answer("embedder", sum(map(len, texts)))
        return vectors


class CheckedScorer(_Checked[Scorer]):
    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        answers = self._inner.score(questions)
        self._check_number(len(answers), len(questions))
        for question, answer in zip(questions, answers, strict=True):
            self._check(question, answer)
        texts = (part for question in questions for part in question if isinstance(part, str))
        self._on_answer("scorer", sum(map(len, texts)))
        return answers

    def _check(self, question: Question, answer: Sequence[float]) -> None:
        parts = _parts(question)
        if len(answer) != len(parts):
            raise self._wrong("".join(parts), f"{len(answer)} numbers instead of {len(parts)}")
        for number, value in enumerate(answer):
            if not _is_possible(question, number, value):
                raise self._wrong(parts[number], f"{value}")
        if answer and max(answer) == -inf:
            raise self._wrong(parts[0], "a probability of zero for every choice")


class CheckedCompleter(_Checked[Completer]):
    def complete(self, prompts: Sequence[str]) -> list[str]:
        answers = self._inner.complete(prompts)
        self._check_number(len(answers), len(prompts))
        for prompt, answer in zip(prompts, answers, strict=True):
            if not isinstance(answer, str):
                raise self._wrong(prompt, f"a {type(answer).__name__} instead of a text")
        self._on_answer("completer", sum(map(len, prompts)))
        return answers


def _is_possible(question: Question, number: int, value: float) -> bool:
    """Return whether a score is valid. The loss of a first segment without context may be infinite;
    log-probabilities may be minus infinity.
    """
    if isnan(value):
        return False
    if isinstance(question, Losses):
        return value != -inf and (value != inf or (number == 0 and not question.before))
    return value != inf


def _parts(question: Question) -> list[str]:
    """Return the text that each number of the answer refers to."""
    if isinstance(question, Choices):
        return [question.instruction] * len(question.options)
    return segments_of(question)


def _quoted(text: str) -> str:
    """Return a text in quotes on one line. The middle of a long one is left out: prompts begin
    alike and end with the document text.
    """
    line = " ".join(text.split())
    return (
        f'"{line}"'
        if len(line) <= 2 * _MAX_QUOTED
        else f'"{line[:_MAX_QUOTED]} ... {line[-_MAX_QUOTED:]}"'
    )


_T = TypeVar("_T")

_NEEDED: Final = {
    "embedder": 'an embedding model: models=docxchunk.models(embedder="FOLDER") (pip install '
    '"docxchunk[semantic]"), or a sentence-transformers folder',
    "scorer": 'a causal language model: models=docxchunk.models(scorer="FOLDER") with a '
    'transformers folder or a .gguf file (pip install "docxchunk[llm]")',
    "completer": 'a language model that writes text: models=docxchunk.models(completer="URL") '
    "with an OpenAI-compatible server "
    '(pip install "docxchunk[api]"), or completer="FOLDER"',
}


def required_model(model: _T | None, port: str, caller: str = "This strategy") -> _T:
    """Return the model. If it is None, raise MissingModelError; its message names the `caller`,
    which needs the model.
    """
    if model is None:
        raise MissingModelError(f"{caller} needs {_NEEDED[port]}.")
    return model


def situation_model(models: Models) -> Completer:
    """Return the model that writes situations. Raise MissingModelError if there is none."""
    return required_model(models.completer, "completer", "Situating chunks")


def models_by_port(models: Models, ports: Iterable[str]) -> dict[str, Named]:
    """Return the models for these ports. Raise MissingModelError if one is missing."""
    return {port: required_model(getattr(models, port), port) for port in ports}
