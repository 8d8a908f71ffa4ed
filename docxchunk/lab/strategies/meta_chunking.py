"""PPL and MSP of Meta-Chunking (Zhao et al. 2024): a causal language model scores sentences, or is
asked whether to split; and PPLRerank, which ranks texts for a query.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import exp
from typing import ClassVar, Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import DividingStrategy
from docxchunk.chunking.strategy import Cost, Stage
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.errors import UsageError
from docxchunk.lab.strategies.boundaries import Sides, beats_mean_margin, minima
from docxchunk.lab.strategies.grouping import fill_up_stages, last_unit, repeat_ends
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Choices, EvictingLosses, Losses, Scorer
from docxchunk.model.wording import Wording

_LEARN_AFTER: Final = 100  # number of minima
_LARGEST: Final = 700.0  # exp() of a larger number overflows


class Score(StrEnum):
    """The score of a sentence."""

    # mean negative log-likelihood of its tokens, in nats; the thresholds of the paper refer to it
    NLL = "nll"
    PPL = "ppl"  # perplexity: exp(nll)


class Beyond(StrEnum):
    """How a text longer than the context window is read."""

    REPEAT = "repeat"  # start a new window, which repeats the end of the previous one
    EVICT = "evict"  # drop the oldest tokens, as in the paper


_LOSSES: Final = {Beyond.REPEAT: Losses, Beyond.EVICT: EvictingLosses}


@dataclass(frozen=True, slots=True)
class PPL(DividingStrategy):
    """Perplexity chunking: a sentence whose score is a local minimum ends its chunk.

    - `score`: "nll", the mean negative log-likelihood of the tokens of a sentence in nats, or
      "ppl", its exponential.
    - `threshold`: the smallest depth of a local minimum that counts, in units of the score.
    - `sides`: whether the depth must be reached on "either" side of the minimum or on "both" sides.
    - `dynamic`: after 100 minima in a document, use the smallest depth among them as the threshold.
    - `merge_to`: merge neighbouring chunks up to this share of the limit.
    - `overlap_ends`: repeat the last sentence of a chunk at the start of the next chunk, within the
      limits of `overlap`.
    - `beyond`: for a text longer than the context window: "repeat" starts a new window with the end
      of the previous one, "evict" drops the oldest tokens.
    """

    name: ClassVar[str] = "PPL"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    score: Score = Score.NLL
    threshold: float = 0.0
    sides: Sides = Sides.EITHER
    dynamic: bool = False
    merge_to: float = 1.0
    overlap_ends: bool = False
    beyond: Beyond = Beyond.REPEAT

    def later_stages(self, assembler: Assembler) -> tuple[Stage, ...]:
        stages = fill_up_stages(assembler, self.merge_to)
        if not self.overlap_ends:
            return stages
        repeat = partial(repeat_ends, assembler, last_unit, UnitType.SENTENCE)
        return (*stages, Stage("repeat_ends", repeat))

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        if len(sequence) < 3:
            return ()
        losses = assembler.scorer.score(
            [_LOSSES[self.beyond](*sequence.running_text(0, len(sequence)))]
        )[0]
        scores = (
            [exp(min(loss, _LARGEST)) for loss in losses] if self.score == Score.PPL else losses
        )
        return [
            i + 1
            for i in minima(scores, self.threshold, self.sides, _LEARN_AFTER if self.dynamic else 0)
        ]


AskMargin = Callable[[int, int], float | None]
"""Called with the first unit of the chunk and the next unit. Return the margin P(keep) - P(split),
from -1 to 1, or None to split without asking.
"""

_SPLIT_OR_KEEP: Final = ("1", "2")
# tokens; every model reads this many, and a text has no more tokens than bytes
_LEAST_CONTEXT: Final = 1024
# how often a sentence is shown when each question shows the whole chunk: an estimate for chunks of
# about 25 sentences
_UNBOUNDED: Final = 12
_FULL: Final = "A chunk reached the token limit: it was closed without asking the model."
_TOO_LONG: Final = (
    "A sentence and the one before it exceed the context window of the model: they were split "
    "without asking it."
)
_END_SHOWN: Final = (
    "The model was shown only the end of a chunk, because of its context window or of the setting "
    "`times`."
)


class MarginPrompt(StrEnum):
    """The prompt."""

    ONCE = "once"  # the text once, with a mark at the possible split
    PUBLISHED = "published"  # the prompt of the paper, which contains the text three times


_PROMPTS: Final[Mapping[MarginPrompt, Wording]] = {
    MarginPrompt.PUBLISHED: Wording(  # Meta-Chunking, table 6
        "This is a text chunking task. You are a text analysis expert. Please choose one "
        "of the following two options "
        "based on the logical structure and semantic content of the provided sentence:\n"
        '1. Split "{both}" into "{left}" and "{right}" two parts;\n'
        '2. Keep "{both}" unsplit in its original form;\n'
        "Please answer 1 or 2.",
        "这是一项文本分块任务。你是文本分析专家，请根据所给句子的逻辑结构和语义内容，从下面两个选项中选择一个：\n"
        "1. 将“{both}”拆分为“{left}”和“{right}”两部分；\n"
        "2. 将“{both}”保持原样，不拆分；\n"
        "请回答1或2。",
    ),
    MarginPrompt.ONCE: Wording(
        "This is a text chunking task. You are a text analysis expert. Please choose one of the "
        "following two options based on the logical structure and semantic content of the text "
        "below, in which ‖ marks a place:\n"
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
    """The context in which the next sentence is judged."""

    CHUNK = "chunk"  # the whole chunk so far; the questions are sequential
    SENTENCE = "sentence"  # the previous sentence; all questions form one batch


@dataclass(frozen=True, slots=True)
class MSP(DividingStrategy):
    """Margin sampling: a sentence joins the chunk before it if the margin P(keep) - P(split) is
    above the mean of the previous margins. A chunk that has reached the limit is closed without
    asking the model, and no prompt exceeds the context window.

    - `previous`: judge a sentence against the whole "chunk" before it, or only against the
      "sentence" before it (one batch, faster).
    - `prompt`: "once" contains the text once, with a mark at the possible split; "published"
      contains it three times.
    - `times`: how often, on average, the model may read a sentence. For this, only the end of a
      long chunk is shown. 0 sets no limit.
    - `history`: with how many previous margins a margin is compared; if there are fewer, it is
      compared with 0. 0 means all margins, as in the paper; the published code uses 5.
    - `renormalise`: divide the probabilities of the two answers by their sum.
    - `merge_to`: merge neighbouring chunks up to this share of the limit.
    """

    name: ClassVar[str] = "MSP"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    previous: Previous = Previous.CHUNK
    prompt: MarginPrompt = MarginPrompt.ONCE
    times: int = 3
    history: int = 5
    renormalise: bool = False
    merge_to: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.history < 0:
            raise UsageError(
                f"history is {self.history}; it must be a number of margins, or 0 for all."
            )
        if self.times < 0 or self.times == 1:
            raise UsageError(
                f"times is {self.times}; it must be 2 or more, or 0 for no limit: "
                "each sentence is shown as the next and as the previous one."
            )

    @property
    def costs(self) -> tuple[Cost, ...]:
        """The cost of the scorer, which reads each sentence in several prompts. With `times=0`, a
        sentence is in every prompt until its chunk ends. The published prompt has its text three
        times.
        """
        times = 2 if self.previous == Previous.SENTENCE else self.times or _UNBOUNDED
        copies = 3 if self.prompt == MarginPrompt.PUBLISHED else 1
        return (Cost("scorer", copies * times, len(_PROMPTS[self.prompt].english)),)

    def later_stages(self, assembler: Assembler) -> tuple[Stage, ...]:
        return fill_up_stages(assembler, self.merge_to)

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        questions = MarginQuestions(assembler, sequence, self.prompt, self.times)
        ask = (
            self._pairs(assembler, questions)
            if self.previous == Previous.SENTENCE
            else partial(self._margin_of, assembler, questions)
        )
        return scan(ask, len(sequence), self.history)

    def _margin_of(
        self, assembler: Assembler, questions: MarginQuestions, first: int, number: int
    ) -> float | None:
        question = questions.about(first, number)
        return None if question is None else self._margin(assembler.scorer.score([question])[0])

    def _pairs(self, assembler: Assembler, questions: MarginQuestions) -> AskMargin:
        """Ask about all pairs in one batch: no question depends on an answer."""
        by_unit = {
            number: question
            for number in range(1, len(questions))
            if (question := questions.of_neighbours(number)) is not None
        }
        answers = assembler.scorer.score(list(by_unit.values())) if by_unit else []
        margins = dict(zip(by_unit, map(self._margin, answers), strict=True))
        return lambda _, number: margins.get(number)

    def _margin(self, answer: Sequence[float]) -> float:
        """Return P(keep) - P(split) from the two log-probabilities."""
        best = max(answer) if self.renormalise else 0.0
        split, keep = (exp(value - best) if value > float("-inf") else 0.0 for value in answer)
        return (
            (keep - split) / (keep + split) if self.renormalise and keep + split else keep - split
        )


class MarginQuestions:
    """The questions about the sentences of a sequence, in order."""

    def __init__(
        self, assembler: Assembler, sequence: UnitSequence, prompt: MarginPrompt, times: int
    ) -> None:
        self._assembler, self._strip, self._times = assembler, sequence, times
        self._wording = _PROMPTS[prompt]
        # characters before each unit, then the total
        self._ends = (0, *sequence.running_text(0, len(sequence))[1])
        self._shown_characters = 0  # characters shown to the model so far
        # the first unit of the current chunk, and the first unit that no longer fits into it
        self._chunk = (-1, 0)

    def __len__(self) -> int:
        return len(self._strip)

    def about(self, first: int, number: int) -> Choices | None:
        """Return the question whether unit `number` joins the chunk that starts with unit `first`.
        Return None if there is nothing to ask: the chunk would exceed the token limit, or the
        prompt the context window.
        """
        if number < self._room(first):
            return self._readable(first, self._start(first, number), number)
        self._assembler.note(_FULL)
        return None

    def of_neighbours(self, number: int) -> Choices | None:
        """Ask whether unit `number` joins the previous unit. Return None if the prompt exceeds the
        context window.
        """
        return self._readable(number - 1, number - 1, number)

    def _readable(self, first: int, start: int, number: int) -> Choices | None:
        """Return the question that shows the chunk from `start` on. If it exceeds the context
        window, leave out the beginning of the chunk; return None if it still does.
        """
        question = self._question(start, number)
        while start < number - 1 and not reads(self._assembler.scorer, question.instruction):
            start += 1
            question = self._question(start, number)
        if not reads(self._assembler.scorer, question.instruction):
            self._assembler.note(_TOO_LONG)
            return None
        if start > first:
            self._assembler.note(_END_SHOWN)
        self._shown_characters += self._ends[number + 1] - self._ends[start]
        return question

    def _room(self, first: int) -> int:
        """Return the first unit that no longer fits into the chunk that starts at `first`."""
        if self._chunk[0] != first:
            self._chunk = (first, self._strip.furthest(first, self._assembler.smallest_limit))
        return self._chunk[1]

    def _start(self, first: int, number: int) -> int:
        """Return the first unit of the chunk to show, so that on average each unit is shown at most
        `times` times. The count includes showing unit `number` again with the next unit.
        """
        if not self._times:
            return first
        after = self._ends[number + 1]
        budget = self._times * after - (after - self._ends[number]) - self._shown_characters
        return min(max(first, bisect_left(self._ends, after - budget)), number - 1)

    def _question(self, first: int, number: int) -> Choices:
        both, ends = self._strip.running_text(first, number + 1)
        left, right = both[: ends[-2]], both[ends[-2] :].strip()
        return Choices(
            self._wording.for_text(both).format(both=both, left=left, right=right), _SPLIT_OR_KEEP
        )


def reads(scorer: Scorer, prompt: str) -> bool:
    """Return whether a prompt fits the context window of a model, True if the window is unknown.
    Short prompts are not counted, so they load no model.
    """
    size = len(prompt.encode("utf-8", "surrogatepass"))
    window = None if size <= _LEAST_CONTEXT else getattr(scorer, "window", None)
    if window is None or size <= window:
        return True
    count = getattr(scorer, "count", None)
    return count is None or count(prompt) <= window


def scan(ask: AskMargin, count: int, history: int) -> list[int]:
    """Return the cuts among `count` units: one before each unit whose margin does not beat the mean
    of the last `history` margins.
    """
    cuts = [0]
    margins: list[float] = []
    for number in range(1, count):
        margin = ask(cuts[-1], number)
        if margin is None or not beats_mean_margin(margin, margins, history):
            cuts.append(number)
        if margin is not None:
            margins.append(margin)
    return cuts[1:]
