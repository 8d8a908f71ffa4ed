"""Base class of the scorers and completers that run in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.backends.costs import Bill, Costs

if TYPE_CHECKING:
    from docxchunk.backends.prompts import Prompts

LONGEST: Final = 1024
"""Maximum length of an answer, in tokens. To a longer prompt, an answer can be as long as the prompt."""


class ModelIdentity(NamedTuple):
    """The name of a model, and a hash that its answers depend on."""

    name: str
    fingerprint: str


class PromptedModel:
    """A language model that reads prompts and adds up its costs. A prompt and an answer of up to `longest` tokens fit into `context` tokens."""

    def __init__(self, identity: ModelIdentity, prompts: Prompts, context: int, longest: int) -> None:
        self.name, self.fingerprint = identity
        self._prompts, self._context, self._longest = prompts, context, longest
        self._bill = Bill()

    @property
    def costs(self) -> Costs:
        return self._bill.costs

    @property
    def window(self) -> int:
        """The longest prompt in tokens, without the chat template and the answer."""
        return self._context - len(self._prompts.question("")) - self._longest

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self._prompts.ids(text))
