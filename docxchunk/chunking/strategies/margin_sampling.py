"""MSP: cuts where a language model would rather split two texts than keep them together (Meta-Chunking, 4.2 and table 6)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import exp
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import keeps
from docxchunk.chunking.models.prompts import Wording
from docxchunk.chunking.pipeline import Cost, Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, filling_up, groups_between, with_headings
from docxchunk.chunking.unit_sequence import Strip
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Choices, Scorer

Ask = Callable[[int, int], float | None]
"""The margin of keeping a unit together with those from another one on: from -1, split, to 1, keep. None: the model is not asked, and they are parted."""

_SPLIT_OR_KEEP: Final = ("1", "2")
_LEAST_CONTEXT: Final = 1024  # tokens that every model reads; a text has no more tokens than bytes
_UNBOUNDED: Final = 12  # times that the text is shown where each question shows all of the chunk: chunks of about 25 sentences
_FULL: Final = "The chunk was as large as a chunk may be: it was closed, and the model was not asked."
_TOO_LONG: Final = "A sentence and the one before it are more than the model reads at once: they were parted, and the model was not asked."
_END_SHOWN: Final = "The model was shown the end of the chunk alone, so that it reads no more than it can and no more than `times` allows."


class Prompt(StrEnum):
    """What the model is told."""

    ONCE = "once"  # the text once, with a mark where it may be split
    PUBLISHED = "published"  # the prompt of the paper, which says the text three times


_PROMPTS: Final[Mapping[Prompt, Wording]] = {
    Prompt.PUBLISHED: Wording(  # Meta-Chunking, table 6
        "This is a text chunking task. You are a text analysis expert. Please choose one of the following two options "
        "based on the logical structure and semantic content of the provided sentence:\n"
        '1. Split "{both}" into "{left}" and "{right}" two parts;\n'
        '2. Keep "{both}" unsplit in its original form;\n'
        "Please answer 1 or 2.",
        "这是一项文本分块任务。你是文本分析专家，请根据所给句子的逻辑结构和语义内容，从下面两个选项中选择一个：\n"
        "1. 将“{both}”拆分为“{left}”和“{right}”两部分；\n"
        "2. 将“{both}”保持原样，不拆分；\n"
        "请回答1或2。",
    ),
    Prompt.ONCE: Wording(
        "This is a text chunking task. You are a text analysis expert. Please choose one of the following two options "
        "based on the logical structure and semantic content of the text below, in which ‖ marks a place:\n"
        "1. Split the text at ‖ into two parts;\n"
        "2. Keep the text unsplit in its original form;\n"
        "Please answer 1 or 2.\n\n"
        "{left} ‖ {right}",
        "这是一项文本分块任务。你是文本分析专家，请根据下面文本的逻辑结构和语义内容，从两个选项中选择一个。文中的‖标出了一个位置：\n"
        "1. 在‖处把文本拆分为两部分；\n"
        "2. 将文本保持原样，不拆分；\n"
        "请回答1或2。\n\n"
        "{left}‖{right}",
    ),
}


class Previous(StrEnum):
    """What the next sentence is judged against."""

    CHUNK = "chunk"  # all of the chunk so far; one question after the other
    SENTENCE = "sentence"  # the sentence before it; all questions at once


@dataclass(frozen=True, slots=True)
class MSP:
    """Margin sampling: a sentence goes with what is before it where P(keep) - P(split) is over the mean of the last `history` margins, of all at 0.

    As long as there are not so many, it has to be over 0. 5 is the number of the published code; the paper speaks of all.
    `times`: all questions together show no sentence more than so many times in the mean; of a long chunk, its end is shown. 0 shows all of it, as published.
    A chunk that is as large as one may be is closed without asking; no question is longer than the model reads.
    `renormalise` counts the two answers alone, else what the model might say besides counts.
    `merge_to`: neighbours are merged up to that share of the cap.
    """

    name: ClassVar[str] = "MSP"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    previous: Previous = Previous.CHUNK
    prompt: Prompt = Prompt.ONCE
    times: int = 3
    history: int = 5
    renormalise: bool = False
    merge_to: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.history < 0:
            raise UsageError(f"history is {self.history}; it is a number of margins, 0 for all.")
        if self.times < 0 or self.times == 1:
            raise UsageError(f"times is {self.times}; a sentence is shown at least 2 times, as the next one and as the one before; 0 is no limit.")

    @property
    def costs(self) -> tuple[Cost, ...]:
        """The published prompt says the text three times; without a limit (`times=0`) a question shows a chunk as large as it has become."""
        shown = 2 if self.previous == Previous.SENTENCE else self.times or _UNBOUNDED
        said = 3 if self.prompt == Prompt.PUBLISHED else 1
        return (Cost("scorer", said * shown, len(_PROMPTS[self.prompt].english)),)

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services)) + filling_up(services, self.merge_to)

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if len(strip) < 2:
            return groups_between([], len(strip))
        questions = Questions(services, strip, self.prompt, self.times)
        ask = self._pairs(services, questions) if self.previous == Previous.SENTENCE else partial(self._asked, services, questions)
        cuts = scan(ask, len(strip), self.history)
        return groups_between(with_headings(strip, cuts), len(strip))

    def _asked(self, services: Services, questions: Questions, first: int, number: int) -> float | None:
        question = questions.about(first, number)
        return None if question is None else self._margin(services.scorer.score([question])[0])

    def _pairs(self, services: Services, questions: Questions) -> Ask:
        """All at once: what is asked about two sentences does not depend on any answer."""
        asked = {number: question for number in range(1, len(questions)) if (question := questions.of_neighbours(number)) is not None}
        answers = services.scorer.score(list(asked.values())) if asked else []
        margins = dict(zip(asked, map(self._margin, answers), strict=True))
        return lambda _, number: margins.get(number)

    def _margin(self, answer: Sequence[float]) -> float:
        """P(keep) - P(split)."""
        best = max(answer) if self.renormalise else 0.0
        split, keep = (exp(value - best) if value > float("-inf") else 0.0 for value in answer)
        return (keep - split) / (keep + split) if self.renormalise and keep + split else keep - split


class Questions:
    """What the model is asked about the sentences of a strip, one after the other."""

    def __init__(self, services: Services, strip: Strip, prompt: Prompt, times: int) -> None:
        self._services, self._strip, self._times = services, strip, times
        self._wording = _PROMPTS[prompt]
        self._ends = (0, *strip.running_text(0, len(strip))[1])  # characters before each unit, and in all
        self._shown = 0  # characters, so far
        self._chunk = (-1, 0)  # where the last one began, and the first unit that it has no room for

    def __len__(self) -> int:
        return len(self._strip)

    def about(self, first: int, number: int) -> Choices | None:
        """Does unit `number` go with the chunk from `first` on? None where that has no room for it, or the question is more than the model reads."""
        if number < self._room(first):
            return self._readable(first, self._start(first, number), number)
        self._services.note(_FULL)
        return None

    def of_neighbours(self, number: int) -> Choices | None:
        """Does unit `number` go with the one before it? None where the question is more than the model reads."""
        return self._readable(number - 1, number - 1, number)

    def _readable(self, first: int, start: int, number: int) -> Choices | None:
        """The question that shows the chunk from `start` on, or from as soon after it as the model can read."""
        question = self._question(start, number)
        while start < number - 1 and not reads(self._services.scorer, question.instruction):
            start += 1
            question = self._question(start, number)
        if not reads(self._services.scorer, question.instruction):
            self._services.note(_TOO_LONG)
            return None
        if start > first:
            self._services.note(_END_SHOWN)
        self._shown += self._ends[number + 1] - self._ends[start]
        return question

    def _room(self, first: int) -> int:
        """The first unit that a chunk from `first` on has no room for."""
        if self._chunk[0] != first:
            self._chunk = (first, self._strip.furthest(first, self._services.least_cap))
        return self._chunk[1]

    def _start(self, first: int, number: int) -> int:
        """From which unit on the chunk is shown. What is kept back, as much as this unit has, is what it takes to show it again before the next one."""
        if not self._times:
            return first
        after = self._ends[number + 1]
        left = self._times * after - (after - self._ends[number]) - self._shown
        return min(max(first, bisect_left(self._ends, after - left)), number - 1)

    def _question(self, first: int, number: int) -> Choices:
        both, ends = self._strip.running_text(first, number + 1)
        left, right = both[: ends[-2]], both[ends[-2] :].strip()
        return Choices(self._wording.for_text(both).format(both=both, left=left, right=right), _SPLIT_OR_KEEP)


def reads(scorer: Scorer, prompt: str) -> bool:
    """Whether a prompt fits the context of the model; a model that does not name its context is assumed to take it. Short prompts load no model."""
    size = len(prompt.encode("utf-8", "surrogatepass"))
    window = None if size <= _LEAST_CONTEXT else getattr(scorer, "window", None)
    if window is None or size <= window:
        return True
    count = getattr(scorer, "count", None)
    return count is None or count(prompt) <= window


def scan(ask: Ask, count: int, history: int) -> list[int]:
    """Cuts before the units, of `count`, that do not go with those before them back to the last cut."""
    cuts = [0]
    margins: list[float] = []
    for number in range(1, count):
        margin = ask(cuts[-1], number)
        if margin is None or not keeps(margin, margins, history):
            cuts.append(number)
        if margin is not None:
            margins.append(margin)
    return cuts[1:]
