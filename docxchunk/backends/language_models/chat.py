"""Complete and score with a model on an OpenAI-compatible server: vLLM, llama.cpp, Ollama, LM
Studio, `transformers serve`, OpenAI (extra `api`).
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import PurePosixPath, PureWindowsPath
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar
from urllib.parse import urlsplit

import numpy as np
import openai

from docxchunk.backends.byte_pairs import o200k_base
from docxchunk.backends.cache import Deferred
from docxchunk.backends.language_models.scoring import without_thinking
from docxchunk.backends.tokenizers import readable
from docxchunk.errors import ModelError, UsageError
from docxchunk.model.ports import (
    Choices,
    Completer,
    CostedModel,
    Describer,
    Picture,
    Question,
    Scorer,
)

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion, ChatCompletionContentPartParam


_A = TypeVar("_A")
_R = TypeVar("_R")
_M = TypeVar("_M", Completer, Scorer, Describer)

IN_FLIGHT: Final = 16
TIMEOUT: Final = 600.0
RETRIES: Final = 4
_BLANKS: Final = " \t\r\n\u2581\u0120"  # the last two stand for a space in vocabularies
_TOO_LONG: Final = re.compile(
    r"context (?:length|window|size)|maximum context|too (?:long"
    r"|many tokens)|exceeds? the (?:available )?context",
    re.IGNORECASE,
)
# tokens: no server has a shorter context; a smaller count is not a real one
_LEAST_READ: Final = 256
_LISTED: Final = 20  # top_logprobs: the maximum of the protocol


class ModelServer:
    """One model of a server. Failed requests (429, 5xx, lost connection) are retried `retries`
    times with backoff; then ModelError is raised.

    `timeout` is in seconds for one answer. The API key is read from OPENAI_API_KEY; many servers
    need none. Neither the key nor a password in the address appears in any output.
    """

    def __init__(
        self,
        address: str,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        in_flight: int = IN_FLIGHT,
    ) -> None:
        base_url, _, self._named = address.partition("#")
        self.url = _public_address(base_url)
        self._key = os.environ.get("OPENAI_API_KEY", "")
        self._client = openai.OpenAI(
            base_url=base_url, api_key=self._key or "none", timeout=timeout, max_retries=retries
        )
        self._timeout, self._in_flight = timeout, in_flight

    @cached_property
    def model(self) -> str:
        """The model named in the address, otherwise the only model of the server. Raise ModelError
        if the server has several.
        """
        if self._named:
            return self._named
        names: list[str] = self._asked(
            lambda: [model.id for model in self._client.models.list().data]
        )
        if len(names) != 1:
            raise ModelError(
                f"The server at {self.url} has {len(names)} models "
                f"({', '.join(names[:5])}): say which, as {self.url}#MODEL."
            )
        return names[0]

    @property
    def known_as(self) -> str:
        """The model's name for display: the base name, if the server reports a path (as llama.cpp
        does).
        """
        return PureWindowsPath(self.model).name if _is_path(self.model) else self.model

    @property
    def identity(self) -> str:
        """The model's name for fingerprints: a path becomes its base name and a hash of the
        path.
        """
        return (
            f"{self.known_as}@{hashlib.blake2b(self.model.encode(), digest_size=4).hexdigest()}"
            if _is_path(self.model)
            else self.model
        )

    def chat(self, prompt: str) -> ChatCompletion:
        """Return the completion of one prompt at temperature 0."""
        return self._read(prompt, self._completion(readable(prompt)))

    def see(self, picture: Picture) -> ChatCompletion:
        """Return the description of a picture at temperature 0."""
        prompt = f"{PROMPT}\n\n{picture.about}" if picture.about else PROMPT
        address = f"data:{picture.media_type};base64,{b64encode(picture.data).decode()}"
        return self._completion(
            [
                {"type": "text", "text": readable(prompt)},
                {"type": "image_url", "image_url": {"url": address}},
            ]
        )

    def alternatives(self, prompt: str) -> ChatCompletion:
        """Return the first token of the completion, with the log-probabilities of its
        alternatives.
        """
        options = {"max_tokens": 1, "logprobs": True, "top_logprobs": _LISTED}
        return self._read(prompt, self._completion(readable(prompt), **options))

    def _completion(
        self, content: str | list[ChatCompletionContentPartParam], **options: Any
    ) -> ChatCompletion:
        return self._asked(
            lambda: self._client.chat.completions.create(
                model=self.model,
                messages=[{"role": "user", "content": content}],
                temperature=0,
                **options,
            )
        )

    def _read(self, prompt: str, answer: ChatCompletion) -> ChatCompletion:
        """Return the answer. Raise ModelError if the reported prompt tokens show that the server
        truncated the prompt, as some do without an error.
        """
        usage = getattr(answer, "usage", None)
        read = getattr(usage, "prompt_tokens", 0) or 0
        if (
            read >= _LEAST_READ
            and len(prompt.encode("utf-8", "surrogatepass")) > read
            and 2 * read < (about := o200k_base().count(prompt))
        ):
            message = (
                f"The server at {self.url} read {read:,} tokens of a prompt of about "
                f"{about:,}: it cuts off what is too long for it"
            )
            raise ModelError(
                f"{message}; give it a longer context, or set longest, window, "
                "theta, passage or max-tokens lower."
            )
        return answer

    def each(self, ask: Callable[[_A], _R], items: Sequence[_A]) -> list[_R]:
        """Return `ask` of all items, called concurrently. Raise the first error and cancel the
        other calls.
        """
        if not items:
            return []
        _ = self.model  # resolved once, not in every thread
        with ThreadPoolExecutor(min(self._in_flight, len(items))) as pool:
            futures = [pool.submit(ask, item) for item in items]
            try:
                return [future.result() for future in futures]
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _asked(self, ask: Callable[[], _R]) -> _R:
        try:
            return ask()
        except openai.APITimeoutError as error:
            raise ModelError(
                f"The server at {self.url} did not answer within {self._timeout:g} seconds."
            ) from error
        except openai.APIConnectionError as error:
            raise ModelError(
                f"The server at {self.url} cannot be reached ({error.__cause__ or error})."
            ) from error
        except openai.APIStatusError as error:
            raise self._refusal(error) from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise ModelError(
                f"The server at {self.url} did not answer with a chat completion."
            ) from error

    def _refusal(self, error: openai.APIStatusError) -> ModelError:
        body = error.body if isinstance(error.body, dict) else {}
        message = " ".join(str(body.get("message") or error.message).split())
        message = (message.replace(self._key, "...") if self._key else message)[:300].rstrip(".")
        if body.get("code") == "context_length_exceeded" or _TOO_LONG.search(message):
            return ModelError(
                f"The server at {self.url} rejected a prompt as too long "
                f"({message}): set longest, window, theta, passage or max-tokens lower."
            )
        return ModelError(f"The server at {self.url} refused ({error.status_code}: {message}).")


class OnServer(CostedModel):
    """The base class of the models on a server. `fingerprinted` is the fingerprint, with {} for the
    name of the model.
    """

    fingerprinted: ClassVar[str]

    def __init__(self, server: ModelServer) -> None:
        super().__init__(server.known_as, self.fingerprinted.format(server.identity))
        self._server = server

    def _answers(
        self, ask: Callable[[_A], ChatCompletion], questions: Sequence[_A]
    ) -> list[ChatCompletion]:
        start = perf_counter()
        answers = self._server.each(ask, questions)
        usages = (getattr(answer, "usage", None) for answer in answers)
        tokens = sum(usage.total_tokens for usage in usages if usage)
        self._charge(len(questions), tokens, start)
        return answers


class ChatCompleter(OnServer):
    """Complete prompts concurrently, each as a single user turn. An empty answer is ""."""

    kind = "Completer"
    fingerprinted = "chat:{}:temperature=0"

    def complete(self, prompts: Sequence[str]) -> list[str]:
        answers = self._answers(self._server.chat, prompts)
        return [message_of(self._server, answer) for answer in answers]


class ChatScorer(OnServer):
    """Score Choices by the log-probabilities of the first token of the answer. The server must
    return log-probabilities.

    The server lists the 20 most likely tokens; an option that is not among them scores -inf. Spaces
    around a token are ignored, case is not. Raises ModelError if the model writes an option in
    several tokens ("12" as "1" and "2", as Qwen does), and for questions that are not Choices.
    """

    kind = "Scorer"
    fingerprinted = f"chat:{{}}:top={_LISTED}"

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        choices = [question for question in questions if isinstance(question, Choices)]
        if len(choices) < len(questions):
            raise ModelError(
                f"The server at {self._server.url} cannot say how likely a given "
                'text is; that needs a model in a folder: scorer="FOLDER".'
            )
        if choices and not self._has_log_probabilities:
            raise self._without_log_probabilities
        prompts = [question.instruction for question in choices]
        answers = self._answers(self._server.alternatives, prompts)
        return [
            self._score(question, answer) for question, answer in zip(choices, answers, strict=True)
        ]

    @property
    def _without_log_probabilities(self) -> ModelError:
        return ModelError(
            f"The server at {self._server.url} gives no log-probabilities for {self.name}."
        )

    @cached_property
    def _has_log_probabilities(self) -> bool:
        """Whether the server gives log-probabilities: some accept the parameter and ignore it."""
        return bool(_listed(self._server, self._server.alternatives("Say yes.")))

    def _score(self, question: Choices, answer: ChatCompletion) -> tuple[float, ...]:
        listed = _listed(self._server, answer)
        if not listed:
            raise self._without_log_probabilities
        scores = tuple(
            float(
                np.logaddexp.reduce(
                    [score for token, score in listed if token == option] or [-math.inf]
                )
            )
            for option in question.options
        )
        if _in_pieces({token for token, _ in listed}, question.options):
            raise ModelError(
                f"{self.name} at {self._server.url} writes {question.options[-1]} in "
                'several tokens; that needs a model in a folder: scorer="FOLDER".'
            )
        if max(scores) == -math.inf:
            raise ModelError(
                f"{self.name} at {self._server.url} answers with none of "
                f"{', '.join(question.options)}."
            )
        return scores


@lru_cache
def completer(address: str) -> Deferred[Completer]:
    """Return a completer for the model at an address. If the address has no name of a model, the
    server is asked for it. Raise UsageError, ModelError.
    """
    return deferred(ChatCompleter(ModelServer(address)))


@lru_cache
def scorer(address: str) -> Deferred[Scorer]:
    """Return a scorer for the model at an address. Errors are those of `completer`."""
    return deferred(ChatScorer(ModelServer(address)))


def deferred(model: _M) -> Deferred[_M]:
    return Deferred(model.name, model.fingerprint, lambda: model)


def _public_address(address: str) -> str:
    """Return the address without user, password and query. Raise UsageError if it is invalid."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:  # the port is not a number
        parts = urlsplit("")
    if parts.scheme in ("http", "https") and parts.hostname:
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    raise UsageError(
        "The address of a server begins with http:// or https://, and ends with "
        "#MODEL if the server has several models."
    )


def _is_path(name: str) -> bool:
    return PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute()


def message_of(server: ModelServer, answer: ChatCompletion) -> str:
    if not getattr(answer, "choices", None):
        raise ModelError(f"The server at {server.url} did not answer with a chat completion.")
    message = answer.choices[0].message
    return message.content or getattr(message, "refusal", None) or ""


def _listed(server: ModelServer, answer: ChatCompletion) -> list[tuple[str, float]]:
    """Return the most likely first tokens of the answer with their log-probabilities. The list is
    empty if the server gives none.
    """
    message_of(server, answer)
    tokens = getattr(answer.choices[0].logprobs, "content", None) or ()
    return [
        (other.token.strip(_BLANKS), other.logprob)
        for token in tokens[:1]
        for other in token.top_logprobs or ()
    ]


def _in_pieces(tokens: set[str], options: Sequence[str]) -> bool:
    """Return whether the model writes an option in several tokens: no token is a whole option of
    several characters, but some token is the start of one.
    """
    long = [option for option in options if len(option) > 1]
    return not tokens.intersection(long) and any(
        option.startswith(token) for option in long for token in tokens if token
    )


PROMPT: Final = (
    "Describe this picture of a document for a reader who cannot see it, in at most three "
    "sentences and without an introduction. Say what it shows; of a chart or diagram name the "
    "quantities and how they are related; quote words and numbers that can be read. Write in the "
    "language of what the document says of it, else in English."
)


class ChatDescriber(OnServer):
    """Describe pictures concurrently. A request has the prompt, the text about the picture, and the
    picture.
    """

    kind = "Describer"
    fingerprinted = "describe:{}:temperature=0"

    def describe(self, pictures: Sequence[Picture]) -> list[str]:
        answers = self._answers(self._server.see, pictures)
        return [without_thinking(message_of(self._server, answer)) for answer in answers]


@lru_cache
def describer(address: str) -> Deferred[Describer]:
    """Return a describer of pictures with the model at an address. Errors are those of
    `completer`.
    """
    return deferred(ChatDescriber(ModelServer(address)))
