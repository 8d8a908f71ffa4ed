"""Propositions: passages with the atomic facts that a language model extracts from them (Chen et
al. 2024, Dense X Retrieval).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar, Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.models import Wording
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.sentences import word_windows, words_before
from docxchunk.chunking.stages.divide import Groups, dividing_stages, groups_between, with_headings
from docxchunk.chunking.strategy import Cost, Stage
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits

_TASK: Final = Wording(
    "Decompose the content below into propositions. A proposition is one sentence that "
    "states one fact and can be understood by itself: pronouns and "
    "references are replaced by what they stand for, and nothing is added. Keep the "
    "words of the content where you can. All facts of the content are stated.\n"
    "Answer with a JSON list of strings and nothing else.\n\n",
    "请把下面的内容分解为命题。每个命题是一个只陈述一个事实、单独就能读懂的句子：代词和指代换成它们所指的对象，不添加任何内容。"
    "尽量保留原文的词语。内容中的所有事实都要陈述。\n只回答一个由字符串组成的JSON列表，不要输出任何其他文字。\n\n",
)
# the input format of the propositionizer of Dense X
_INPUT: Final = "Title: {title}. Section: {section}. Content: {content}"
_STRINGS = json.JSONDecoder(strict=False)


class PropositionPrompt(StrEnum):
    """The prompt."""

    INSTRUCT = "instruct"  # the task and the passage, for an instruction-tuned model
    BARE = "bare"  # only the passage, for the propositionizer


@dataclass(frozen=True, slots=True)
class Proposition:
    """Passages of whole sentences, each with the propositions that a language model extracts from
    it.

    The text of a chunk is the unchanged passage; its `propositions` are for a search index. If the
    model gives none, they are the sentences of the passage.

    - `passage`: the maximum number of words in a passage.
    - `prompt`: "instruct" describes the task, for an instruction-tuned model; "bare" sends only the
      passage, for the propositionizer of Dense X.
    """

    name: ClassVar[str] = "proposition"
    models: ClassVar[tuple[str, ...]] = ("completer",)

    passage: int = 100
    prompt: PropositionPrompt = PropositionPrompt.INSTRUCT

    def __post_init__(self) -> None:
        check_fields(self)
        if self.passage < 1:
            raise UsageError(f"passage is {self.passage}; it must be 1 word or more.")

    @property
    def costs(self) -> tuple[Cost, ...]:
        """The answer is about as long as the passage."""
        return (Cost("completer", 2),)

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return (
            *dividing_stages(assembler, self._passages),
            Stage("propositions", partial(self._decomposed, assembler)),
        )

    def _passages(self, sequence: UnitSequence) -> Groups:
        before = words_before(sequence.texts())
        cuts = [window.start for window in word_windows(before, self.passage)]
        return groups_between(with_headings(sequence, cuts), len(sequence))

    def _decomposed(self, assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
        sentences = [
            tuple(UnitSequence(assembler, piece.spans, UnitType.SENTENCE).texts())
            for piece in pieces
        ]
        prompts = [
            self._prompt(assembler, piece, " ".join(texts))
            for piece, texts in zip(pieces, sentences, strict=True)
        ]
        answers = assembler.completer.complete(prompts) if prompts else []
        stated = list(map(propositions, answers))
        if missing := stated.count(()):
            assembler.note(
                f"The model gave no propositions for {missing} of {len(stated)} "
                "passages: their sentences are used instead."
            )
        return [
            piece._replace(propositions=one or other)
            for piece, one, other in zip(pieces, stated, sentences, strict=True)
        ]

    def _prompt(self, assembler: Assembler, piece: Piece, content: str) -> str:
        text = _INPUT.format(
            title=assembler.document.title,
            section=" > ".join(filter(None, piece.path)),
            content=content,
        )
        return text if self.prompt == PropositionPrompt.BARE else _TASK.for_text(content) + text


def propositions(answer: str) -> tuple[str, ...]:
    """Return the strings of the JSON list in an answer; of an incomplete or invalid list, those
    before the error.
    """
    start = answer.find("[")
    values = _values(answer, start + 1) if start >= 0 else ()
    return tuple(text for value in values if isinstance(value, str) and (text := value.strip()))


def _values(text: str, at: int) -> Iterator[object]:
    """Yield the values of a JSON list whose first value is at `at`, up to the first error."""
    while True:
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
        try:
            value, at = _STRINGS.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        if text[at:].lstrip()[:1] not in (",", "]", ""):
            return
        yield value
