"""MSP: cuts where a language model would rather split two texts than keep them together (seed 003, 4.2 and table 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import exp
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import keeps
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.prompts import Wording
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, filling_up, groups_between, with_headings
from docxchunk.chunking.strip import Strip
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Choices

Ask = Callable[[int, int], float]
"""The margin of keeping a unit together with those from another one on: from -1, split, to 1, keep."""

_SPLIT_OR_KEEP: Final = ("1", "2")
_PROMPT: Final = Wording(  # seed 003, table 6
    "This is a text chunking task. You are a text analysis expert. Please choose one of the following two options "
    "based on the logical structure and semantic content of the provided sentence:\n"
    '1. Split "{both}" into "{left}" and "{right}" two parts;\n'
    '2. Keep "{both}" unsplit in its original form;\n'
    "Please answer 1 or 2.",
    "这是一项文本分块任务。你是文本分析专家，请根据所给句子的逻辑结构和语义内容，从下面两个选项中选择一个：\n"
    "1. 将“{both}”拆分为“{left}”和“{right}”两部分；\n"
    "2. 将“{both}”保持原样，不拆分；\n"
    "请回答1或2。",
)


class Previous(StrEnum):
    """What the next sentence is judged against."""

    CHUNK = "chunk"  # all of the chunk so far; one question after the other
    SENTENCE = "sentence"  # the sentence before it; all questions at once


@dataclass(frozen=True, slots=True)
class MSP:
    """Margin sampling: a sentence goes with what is before it where P(keep) - P(split) is over the mean of the last `history` margins, of all at 0.

    As long as there are not so many, it has to be over 0. 5 is the number of the published code; the paper speaks of all.
    `renormalise` counts the two answers alone, else what the model might say besides counts.
    `merge_to`: neighbours are merged up to that share of the cap.
    """

    name: ClassVar[str] = "MSP"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    previous: Previous = Previous.CHUNK
    history: int = 5
    renormalise: bool = False
    merge_to: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.history < 0:
            raise UsageError(f"history is {self.history}; it is a number of margins, 0 for all.")

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services)) + filling_up(services, self.merge_to)

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if len(strip) < 2:
            return groups_between([], len(strip))
        ask = self._pairs(services, strip) if self.previous == Previous.SENTENCE else partial(self._asked, services, strip)
        cuts = scan(ask, len(strip), self.history)
        return groups_between(with_headings(strip, cuts), len(strip))

    def _asked(self, services: Services, strip: Strip, first: int, number: int) -> float:
        return self._margin(services.scorer.score([_question(strip, first, number)])[0])

    def _pairs(self, services: Services, strip: Strip) -> Ask:
        answers = services.scorer.score([_question(strip, number - 1, number) for number in range(1, len(strip))])
        margins = list(map(self._margin, answers))
        return lambda _, number: margins[number - 1]

    def _margin(self, answer: Sequence[float]) -> float:
        """P(keep) - P(split); 0 where both are impossible."""
        best = max(answer) if self.renormalise else 0.0
        split, keep = (exp(value - best) if value > float("-inf") else 0.0 for value in answer)
        return (keep - split) / (keep + split) if self.renormalise and keep + split else keep - split


def scan(ask: Ask, count: int, history: int) -> list[int]:
    """Cuts before the units, of `count`, that do not go with those before them back to the last cut."""
    cuts = [0]
    margins: list[float] = []
    for number in range(1, count):
        margin = ask(cuts[-1], number)
        if not keeps(margin, margins, history):
            cuts.append(number)
        margins.append(margin)
    return cuts[1:]


def _question(strip: Strip, first: int, number: int) -> Choices:
    both, ends = strip.running_text(first, number + 1)
    left, right = both[: ends[-2]], both[ends[-2] :].strip()
    return Choices(_PROMPT.for_text(both).format(both=both, left=left, right=right), _SPLIT_OR_KEEP)
