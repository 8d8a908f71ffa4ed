"""A language model behind a server that speaks OpenAI's protocol: vLLM, llama.cpp, Ollama, LM Studio, `transformers serve`, OpenAI (extra `api`)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeVar

import openai

from docxchunk.backends.cache import Deferred
from docxchunk.backends.costs import Bill, Costs
from docxchunk.backends.passages import readable
from docxchunk.errors import ModelError, UsageError
from docxchunk.model.ports import Choices, Completer, Question, Scorer

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

_A = TypeVar("_A")
_R = TypeVar("_R")
_M = TypeVar("_M", Completer, Scorer)

IN_FLIGHT: Final = 16
TIMEOUT: Final = 600.0
RETRIES: Final = 4
_LISTED: Final = 20  # the most alternatives to a token that the protocol lets one ask for


class Server:
    """One model of a server. Requests that fail for a while (429, 5xx, a lost connection) are sent again, `retries` times, ever later; then ModelError.

    `timeout` is in seconds, for one answer. The key is that of the environment variable OPENAI_API_KEY; many servers want none.
    """

    def __init__(self, address: str, timeout: float = TIMEOUT, retries: int = RETRIES, in_flight: int = IN_FLIGHT) -> None:
        self.url, _, self._named = address.partition("#")
        if not self.url.startswith(("http://", "https://")):
            raise UsageError(f"{address} is no address of a server: it begins with http:// or https:// and ends, where there are several models, with #MODEL.")
        key = os.environ.get("OPENAI_API_KEY") or "none"
        self._client = openai.OpenAI(base_url=self.url, api_key=key, timeout=timeout, max_retries=retries)
        self._timeout, self._in_flight = timeout, in_flight

    @cached_property
    def model(self) -> str:
        """The model that is named, else the only one there is. Raises ModelError."""
        if self._named:
            return self._named
        names: list[str] = self._asked(lambda: [model.id for model in self._client.models.list().data])
        if len(names) != 1:
            raise ModelError(f"The server at {self.url} has {len(names)} models ({', '.join(names[:5])}): say which, as {self.url}#MODEL.")
        return names[0]

    def chat(self, prompt: str) -> ChatCompletion:
        """The answer to one prompt, at temperature 0."""
        return self._asked(lambda: self._client.chat.completions.create(model=self.model, messages=_turn(prompt), temperature=0))

    def alternatives(self, prompt: str) -> ChatCompletion:
        """As `chat`, one token of it, with the log-probabilities of what else it could have been."""
        return self._asked(
            lambda: self._client.chat.completions.create(
                model=self.model, messages=_turn(prompt), temperature=0, max_tokens=1, logprobs=True, top_logprobs=_LISTED
            )
        )

    def each(self, ask: Callable[[_A], _R], items: Sequence[_A]) -> list[_R]:
        """The answers to all, several at once; the first failure ends it."""
        if not items:
            return []
        _ = self.model  # asked for once, not by every thread
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
            raise ModelError(f"The server at {self.url} did not answer within {self._timeout:g} seconds.") from error
        except openai.APIConnectionError as error:
            raise ModelError(f"The server at {self.url} cannot be reached ({error.__cause__ or error}).") from error
        except openai.APIStatusError as error:
            raise ModelError(f"The server at {self.url} refused ({error.status_code}: {_said(error)}).") from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise ModelError(f"The server at {self.url} answered something that is no chat completion.") from error


class ChatCompleter:
    """Prompts as single turns of a user; several at once are in flight. An answer without words is ""."""

    def __init__(self, server: Server) -> None:
        self._server, self._bill = server, Bill()

    @property
    def name(self) -> str:
        return self._server.model

    @property
    def fingerprint(self) -> str:
        """The name of the model: a server does not tell what is behind it."""
        return f"chat:{self._server.model}:temperature=0"

    @property
    def costs(self) -> Costs:
        return self._bill.costs

    def complete(self, prompts: Sequence[str]) -> list[str]:
        start = perf_counter()
        answers = self._server.each(self._server.chat, prompts)
        texts = [_message(self._server, answer) for answer in answers]
        self._bill.add(Costs(1, len(prompts), len(prompts), _tokens(answers), perf_counter() - start))
        return texts

    def __repr__(self) -> str:
        return f"<Completer {self.name}>"


class ChatScorer:
    """Choices alone, and only of a server that gives log-probabilities: an option has those of the first token of the answer that spell it.

    A server lists the likeliest 20 tokens; an option that is not among them has -inf. Options are to be told apart by their first token.
    """

    def __init__(self, server: Server) -> None:
        self._server, self._bill = server, Bill()

    @property
    def name(self) -> str:
        return self._server.model

    @property
    def fingerprint(self) -> str:
        return f"chat:{self._server.model}:top={_LISTED}"

    @property
    def costs(self) -> Costs:
        return self._bill.costs

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        start = perf_counter()
        choices = [question for question in questions if isinstance(question, Choices)]
        if len(choices) < len(questions):
            raise ModelError(f"The server at {self._server.url} cannot say how likely a given text is; that needs a model in a folder: --scorer FOLDER.")
        if choices:
            self._check()
        answers = self._server.each(self._server.alternatives, [question.instruction for question in choices])
        scores = [self._of(question, answer) for question, answer in zip(choices, answers, strict=True)]
        self._bill.add(Costs(1, len(questions), len(questions), _tokens(answers), perf_counter() - start))
        return scores

    def _check(self) -> None:
        """Asks once before all else: some servers accept the question and ignore it."""
        if not self._has_log_probabilities:
            raise ModelError(f"The server at {self._server.url} gives no log-probabilities for {self.name}.")

    @cached_property
    def _has_log_probabilities(self) -> bool:
        return bool(_listed(self._server, self._server.alternatives("Say yes.")))

    def _of(self, question: Choices, answer: ChatCompletion) -> tuple[float, ...]:
        listed = _listed(self._server, answer)
        if not listed:
            raise ModelError(f"The server at {self._server.url} gives no log-probabilities for {self.name}.")
        found = tuple(_sum_of_logs([score for token, score in listed if token.strip() == option]) for option in question.options)
        if max(found) == -math.inf:
            raise ModelError(f"{self.name} at {self._server.url} answers with none of {', '.join(question.options)}.")
        return found

    def __repr__(self) -> str:
        return f"<Scorer {self.name}>"


@lru_cache
def completer(address: str) -> Deferred[Completer]:
    """A model that writes; the server is asked for its name, unless the address says it."""
    return _deferred(ChatCompleter(Server(address)))


@lru_cache
def scorer(address: str) -> Deferred[Scorer]:
    return _deferred(ChatScorer(Server(address)))


def _deferred(model: _M) -> Deferred[_M]:
    return Deferred(model.name, model.fingerprint, lambda: model)


def _turn(prompt: str) -> list[openai.types.chat.ChatCompletionMessageParam]:
    return [{"role": "user", "content": readable(prompt)}]


def _message(server: Server, answer: ChatCompletion) -> str:
    if not getattr(answer, "choices", None):
        raise ModelError(f"The server at {server.url} answered something that is no chat completion.")
    message = answer.choices[0].message
    return message.content or getattr(message, "refusal", None) or ""


def _listed(server: Server, answer: ChatCompletion) -> list[tuple[str, float]]:
    """The likeliest tokens that the answer could begin with; none where the server keeps them for itself."""
    _message(server, answer)
    tokens = getattr(answer.choices[0].logprobs, "content", None)
    return [(other.token, other.logprob) for other in tokens[0].top_logprobs] if tokens else []


def _tokens(answers: Sequence[ChatCompletion]) -> int:
    return sum(answer.usage.total_tokens for answer in answers if answer.usage)


def _sum_of_logs(logs: Sequence[float]) -> float:
    """The log of the sum of probabilities."""
    most = max(logs, default=-math.inf)
    return most if most == -math.inf else most + math.log(math.fsum(math.exp(log - most) for log in logs))


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return " ".join(str(said or error.message).split())[:300]
