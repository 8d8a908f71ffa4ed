"""Write prompts as token ids, and the base class of models that take prompts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.backends.costs import Bill, Costs
from docxchunk.backends.sequences import readable
from docxchunk.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer
    from transformers import PreTrainedTokenizerBase


TokenIds = tuple[int, ...]

_TURN: Final = "the words of the user"  # placeholders, located in the rendered template
_REPLY: Final = "the words of the model"


class Prompts:
    """Tokenize texts and prompts for one tokenizer.

    Text of a document never becomes a special token. Offsets include the leading white space of a
    token. Without a chat template, a prompt is the BOS token, if the tokenizer adds one, the
    instruction and a newline.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        if not tokenizer.is_fast:
            raise ModelError(
                "The tokenizer of this model has no tokenizer.json; docxchunk needs one."
            )
        self._tokenizer = tokenizer
        self._plain = plain(tokenizer.backend_tokenizer)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode each text without special tokens."""
        encodings: list[Encoding] = self._plain.encode_batch(
            [readable(text) for text in texts], add_special_tokens=False
        )
        return encodings

    def ids(self, text: str) -> TokenIds:
        return tuple(self.encode([text])[0].ids)

    @cached_property
    def start(self) -> TokenIds:
        """The BOS token, if the tokenizer adds one, else ()."""
        first, bos = self._tokenizer("a")["input_ids"][:1], self._tokenizer.bos_token_id
        return (bos,) if bos is not None and first == [bos] else ()

    def question(self, instruction: str) -> TokenIds:
        """Return the prompt up to the start of the assistant turn."""
        if not self._tokenizer.chat_template:
            return self.start + self.ids(f"{instruction}\n")
        before, after = self._question
        return before + self.ids(instruction) + after

    def opening(self, instruction: str) -> TokenIds:
        """Return the prompt with the beginning of an assistant turn, to be followed by an
        unfinished text.
        """
        if not self._tokenizer.chat_template:
            return self.question(instruction)
        before, between = self._opening
        return before + self.ids(instruction) + between

    @cached_property
    def _question(self) -> tuple[TokenIds, TokenIds]:
        return self._framed([{"role": "user", "content": _TURN}], _TURN)

    @cached_property
    def _opening(self) -> tuple[TokenIds, TokenIds]:
        turns = [{"role": "user", "content": _TURN}, {"role": "assistant", "content": _REPLY}]
        return self._framed(turns, _TURN, _REPLY)

    def _framed(
        self, turns: list[dict[str, str]], words: str, reply: str = ""
    ) -> tuple[TokenIds, TokenIds]:
        """Return the tokens before the placeholder `words`, and those between it and `reply`."""
        text: str = self._tokenizer.apply_chat_template(
            turns,
            tokenize=False,
            add_generation_prompt=not reply,
            continue_final_message=bool(reply),
            enable_thinking=False,
        )
        before, found, after = text.partition(words)
        after, ended, rest = after.partition(reply) if reply else (after, "", "")
        if not found or ended != reply or rest.strip():
            raise ModelError(
                "The chat template of this model does not keep messages unchanged "
                "and in order; it cannot be used."
            )
        return self._with_special_tokens(before), self._with_special_tokens(after)

    def _with_special_tokens(self, text: str) -> TokenIds:
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])


def plain(tokenizer: Tokenizer) -> Tokenizer:
    """Return a copy of the tokenizer without post-processor, truncation and padding: transformers
    changes these on the original while it runs.
    """
    from tokenizers import Tokenizer

    made = json.loads(tokenizer.to_str())
    # a post-processor may trim white space from offsets
    made["post_processor"] = made["truncation"] = made["padding"] = None
    own = Tokenizer.from_str(json.dumps(made))
    own.encode_special_tokens = True
    return own


LONGEST: Final = 1024
"""Maximum length of an answer, in tokens. To a longer prompt, an answer can be as long as the
prompt.
"""


class ModelIdentity(NamedTuple):
    """The name of a model, and a hash that its answers depend on."""

    name: str
    fingerprint: str


class PromptedModel:
    """A language model that reads prompts and adds up its costs. A prompt and an answer of up to
    `longest` tokens fit into `context` tokens.
    """

    def __init__(
        self, identity: ModelIdentity, prompts: Prompts, context: int, longest: int
    ) -> None:
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
