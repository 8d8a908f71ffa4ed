"""LumberChunker: a language model says at which paragraph the content turns (Duarte et al. 2024; Meta-Chunking, appendix A.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import first_maximum
from docxchunk.chunking.breaks import Break
from docxchunk.chunking.pipeline import Cost, Stage
from docxchunk.chunking.prompts import Wording
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, groups_between, with_headings
from docxchunk.chunking.strip import Strip
from docxchunk.chunking.words import furthest, words_before
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Choices

Turn = Callable[[int, int], int]
"""Of paragraphs [first, last), at least two: the one that opens the next chunk, after `first` and at most `last`."""

_TOKENS_A_WORD: Final = 1.2
_ID = re.compile(r"(?<![A-Za-z])ID[\s:：*`\"']{0,5}0*([0-9]{1,9})(?![0-9A-Za-z_])", re.IGNORECASE)  # nothing need part it from Chinese
_NUMBER = re.compile(r"\s*0*([0-9]{1,9})\s*[.。]?\s*")
_TASK: Final = Wording(
    "Below are the paragraphs of a document, each after its ID.\n"
    "Find the first paragraph, other than the first one, where the content clearly changes from the paragraphs before it. "
    "Do not let the paragraphs before it become a very long group.\n",
    "下面是一份文档的各个段落，每段前面有它的ID。\n请找出第一个（首段除外）与前面的段落相比内容发生明显变化的段落。不要让它前面的段落组成过长的一组。\n",
)
_WRITTEN: Final = Wording("Answer with the ID alone, in this form:\nAnswer: ID XXXX\n\n", "只回答ID，格式如下：\n答案：ID XXXX\n\n")
_CHOSEN: Final = Wording("Answer with the number of its ID alone.\n\n", "只回答它的ID的数字。\n\n")
_AGAIN: Final = Wording(
    "\n\nThe answer has to be one of the IDs above, and not the first: Answer: ID XXXX", "\n\n答案必须是上面的ID之一，且不能是第一个：答案：ID XXXX"
)


class Mode(StrEnum):
    """How the model answers."""

    GENERATE = "generate"  # it writes the ID
    MARGIN = "margin"  # the likeliest of all IDs is taken, as Meta-Chunking does for small models


class Units(StrEnum):
    PARAGRAPH = "paragraph"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class LumberChunker:
    """From the start of each chunk on, about `theta` tokens of paragraphs are shown to a model, which names the one that opens the next chunk.

    The rest, as soon as it has fewer than `last_units` paragraphs, is one chunk. An answer that is no ID of the window, or is its first one, is asked
    for once more, and then the window is the chunk. Unlike in the published code, the next window begins with the paragraph that was named,
    and an answer that is none skips nothing.
    """

    name: ClassVar[str] = "LumberChunker"

    mode: Mode = Mode.GENERATE
    units: Units = Units.PARAGRAPH
    theta: int = 550
    last_units: int = 6

    def __post_init__(self) -> None:
        check_fields(self)
        if self.theta < 1 or self.last_units < 1:
            raise UsageError("theta is a number of tokens and last_units one of paragraphs: 1 or more.")

    @property
    def models(self) -> tuple[str, ...]:
        return ("completer",) if self.mode == Mode.GENERATE else ("scorer",)

    @property
    def costs(self) -> tuple[Cost, ...]:
        """A window is about twice what is cut off it."""
        return tuple(Cost(port, 2) for port in self.models)

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        starts = _starts(strip, self.units)
        texts = [strip.running_text(start, stop)[0] for start, stop in pairwise([*starts, len(strip)])]
        turn = _written if self.mode == Mode.GENERATE else _likeliest
        cuts = fell(texts, partial(turn, services, texts), self.theta, self.last_units)
        return groups_between(with_headings(strip, [starts[cut] for cut in cuts]), len(strip))


def fell(texts: Sequence[str], turn: Turn, theta: int, last_units: int) -> list[int]:
    """Cuts before the texts that turns name. Each turn is at least one text further on: there are fewer of them than texts."""
    before = words_before(texts)
    most = (theta - 0.5) / _TOKENS_A_WORD  # rounded, words have to come to less than theta tokens
    cuts = [0]
    while len(texts) - cuts[-1] >= last_units:
        first = cuts[-1]
        last = furthest(before, first, most)
        opening = turn(first, last) if last - first > 1 else last
        if opening >= len(texts):
            break
        cuts.append(opening)
    return cuts[1:]


def _starts(strip: Strip, units: Units) -> list[int]:
    return [n for n in range(len(strip)) if units == Units.SENTENCE or not n or strip.units[n - 1].after >= Break.LINE]


def _written(services: Services, texts: Sequence[str], first: int, last: int) -> int:
    shown = "\n".join(f"ID {number:04d}: {texts[number]}" for number in range(first, last))
    prompt = _TASK.for_text(shown) + _WRITTEN.for_text(shown) + shown
    for asked in (prompt, prompt + _AGAIN.for_text(shown)):
        found = answered(services.completer.complete([asked])[0])
        if found is not None and first < found < last:
            return found
    services.note("No ID of the paragraphs that were shown came back: they are a chunk.")
    return last


def answered(answer: str) -> int | None:
    """The last ID that an answer names, or the number that it is; None where it is neither."""
    found = _ID.findall(answer)
    number = _NUMBER.fullmatch(answer)
    return int(found[-1]) if found else int(number[1]) if number else None


def _likeliest(services: Services, texts: Sequence[str], first: int, last: int) -> int:
    """Where the model would rather have the first one, that stands alone."""
    shown = "\n".join(f"{number}: {text}" for number, text in enumerate(texts[first:last]))
    question = Choices(_TASK.for_text(shown) + _CHOSEN.for_text(shown) + shown, tuple(str(number) for number in range(last - first)))
    return first + max(1, first_maximum(services.scorer.score([question])[0]))
