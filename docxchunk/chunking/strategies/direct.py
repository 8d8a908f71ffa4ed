"""LLM: a language model repeats the text with separators between blocks (Meta-Chunking, tables 4
and 5).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from docxchunk.chunking.models import Wording
from docxchunk.chunking.pipeline import Cost, Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import (
    Divide,
    Groups,
    dividing_stages,
    groups_between,
    with_headings,
)
from docxchunk.chunking.text.words import align, word_windows, words, words_before
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields

_SEPARATOR = re.compile(r"[-–—\s]*Block Separator[-–—\s]*", re.IGNORECASE)
_PROMPT: Final = Wording(  # Meta-Chunking, table 5
    "You are an expert in text segmentation, tasked with dividing given text into "
    "blocks. You must adhere to the following four conditions:\n"
    "1. Aim to keep each block around {words} English words in length.\n"
    "2. Segment the text based solely on its logical and semantic structures.\n"
    "3. Do not alter the original vocabulary or structure of the text.\n"
    "4. Do not add any new words or symbols.\n"
    "By solely determining the boundaries for text segmentation, divide the original "
    "text into blocks and output them individually, separated by a clear "
    "delimiter '---Block Separator---'. Do not output any other explanations. If you "
    "understand, please proceed to segment the following text "
    "into blocks: {text}",
    "你是文本切分专家，任务是把给定的文本划分为若干块。必须遵守以下四个条件：\n"
    "1. 每块的长度尽量在{words}个汉字左右。\n"
    "2. 只根据文本的逻辑结构和语义结构来划分。\n"
    "3. 不得改动原文的词语和结构。\n"
    "4. 不得添加任何新的词语或符号。\n"
    "只确定划分的边界，把原文划分为块并逐块输出，"
    "块与块之间用明确的分隔符“---Block Separator---”隔开。不要输出任何其他说明。"
    "如果你已理解，请开始把下面的文本划分为块：{text}",
)


@dataclass(frozen=True, slots=True)
class DirectLLM:
    """Direct chunking: a language model repeats the text and inserts separators. Only the positions
    of its separators are used, never its text.

    Text that the model did not repeat word for word becomes a chunk of its own, split as by R where
    it is over the limit.

    - `words`: the size of a block that the prompt asks for, in words.
    - `window`: the maximum number of words in one prompt.
    """

    name: ClassVar[str] = "LLM"
    models: ClassVar[tuple[str, ...]] = ("completer",)

    words: int = 128
    window: int = 2000

    def __post_init__(self) -> None:
        check_fields(self)
        if self.words < 1 or self.window < self.words:
            raise UsageError(
                f"words is {self.words} and window {self.window}; words must be 1 "
                "or more, and window at least words."
            )

    @property
    def costs(self) -> tuple[Cost, ...]:
        """The model reads the text once and writes it once."""
        return (Cost("completer", 2),)

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """Return the function that groups sentences; P uses it for `inner`."""
        return partial(self._divided, services)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        if len(sequence) < 2:
            return groups_between([], len(sequence))
        texts = [sequence.running_text(number, number + 1)[0] for number in range(len(sequence))]
        windows = word_windows(words_before(texts), self.window)
        prompts = [
            self._prompt(sequence.running_text(window.start, window.stop)[0]) for window in windows
        ]
        cuts: list[int] = []
        damaged = 0
        for window, answer in zip(windows, services.completer.complete(prompts), strict=True):
            found = align(
                [words(text) for text in texts[window.start : window.stop]],
                list(map(words, _SEPARATOR.split(answer))),
            )
            cuts += [window.start, *(window.start + cut for cut in found.cuts)]
            damaged += found.damaged
        if damaged:
            services.note(
                f"The model changed or left out {damaged} words: they are chunked as by R."
            )
        return groups_between(with_headings(sequence, cuts), len(sequence))

    def _prompt(self, text: str) -> str:
        return _PROMPT.for_text(text).format(words=self.words, text=text)
