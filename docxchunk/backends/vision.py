"""Describe pictures with a vision model on an OpenAI-compatible server (extra `api`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from time import perf_counter
from typing import Final

from docxchunk.backends.cache import Deferred
from docxchunk.backends.chat import OnServer, Server, deferred, message_of, tokens_of
from docxchunk.backends.costs import Costs
from docxchunk.model.ports import Describer, Picture

PROMPT: Final = (
    "Describe this picture of a document for a reader who cannot see it, in at most three sentences and without an introduction. "
    "Say what it shows; of a chart or diagram name the quantities and how they are related; quote words and numbers that can be read. "
    "Write in the language of what the document says of it, else in English."
)
_THOUGHT: Final = "</think>"


class ChatDescriber(OnServer):
    """Describe pictures concurrently, each in a user turn of the prompt, the text about the picture and the picture."""

    @property
    def fingerprint(self) -> str:
        return f"describe:{self._server.identity}:temperature=0"

    def describe(self, pictures: Sequence[Picture]) -> list[str]:
        start = perf_counter()
        answers = self._server.each(lambda picture: self._server.see(_prompt(picture), picture), pictures)
        texts = [message_of(self._server, answer).rpartition(_THOUGHT)[2].strip() for answer in answers]
        self._bill.add(Costs(1, len(pictures), len(pictures), tokens_of(answers), perf_counter() - start))
        return texts

    def __repr__(self) -> str:
        return f"<Describer {self.name}>"


@lru_cache
def describer(address: str) -> Deferred[Describer]:
    """Return a describer for the model at an address. The server is asked for the model's name unless the address has it."""
    return deferred(ChatDescriber(Server(address)))


def _prompt(picture: Picture) -> str:
    return f"{PROMPT}\n\n{picture.about}" if picture.about else PROMPT
