"""LumberChunker: a language model names the paragraph where the topic changes (Duarte et al. 2024;
Meta-Chunking, appendix A.2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import first_maximum
from docxchunk.chunking.line_kinds import PARAGRAPH
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
from docxchunk.chunking.text.words import window_end, words_before
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Choices

FindBoundary = Callable[[int, int], int]
"""Return which of the paragraphs [first, last), at least two, starts the next chunk: a number in
(first, last].
"""

_TOKENS_A_WORD: Final = 1.2
# Chinese text may follow without a space
_ID = re.compile(r"(?<![A-Za-z])ID[\s:：*`\"']{0,5}0*([0-9]{1,9})(?![0-9A-Za-z_])", re.IGNORECASE)
_NUMBER = re.compile(r"\s*0*([0-9]{1,9})\s*[.。]?\s*")
_TASK: Final = Wording(
    "Below are the paragraphs of a document, each after its ID.\n"
    "Find the first paragraph, other than the first one, where the content clearly "
    "changes from the paragraphs before it. "
    "Do not let the paragraphs before it become a very long group.\n",
    "下面是一份文档的各个段落，每段前面有它的ID。\n请找出第一个（首段除外）与前面的段落相比内容发生明显变化的段落。不要让它前面的段落组成过长的一组。\n",
)
_WRITTEN: Final = Wording(
    "Answer with the ID alone, in this form:\nAnswer: ID XXXX\n\n",
    "只回答ID，格式如下：\n答案：ID XXXX\n\n",
)
_CHOSEN: Final = Wording("Answer with the number of its ID alone.\n\n", "只回答它的ID的数字。\n\n")
_AGAIN: Final = Wording(
    "\n\nThe answer has to be one of the IDs above, and not the first: Answer: ID XXXX",
    "\n\n答案必须是上面的ID之一，且不能是第一个：答案：ID XXXX",
)


class Mode(StrEnum):
    """How the model answers."""

    GENERATE = "generate"  # it writes the ID
    MARGIN = "margin"  # the most probable ID is taken, as in Meta-Chunking for small models


class Units(StrEnum):
    """The units that are shown to the model."""

    PARAGRAPH = "paragraph"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class LumberChunker:
    """Show a language model the next paragraphs; it names the first one where the content changes,
    which starts the next chunk.

    - `mode`: "generate": the model writes the ID of the paragraph; "margin": the most probable ID
      is taken, as in Meta-Chunking for small models.
    - `units`: show "paragraph" or "sentence" units to the model.
    - `theta`: the size of the window in tokens.
    - `last_units`: when fewer units than this remain, they are the last chunk.

    If the answer is not an ID of the window, or is the first one, the model is asked once more;
    then the window is the chunk. Differences from the published code: the next window starts with
    the paragraph that was named, and an invalid answer skips no text.
    """

    name: ClassVar[str] = "LumberChunker"

    mode: Mode = Mode.GENERATE
    units: Units = Units.PARAGRAPH
    theta: int = 550
    last_units: int = 6

    def __post_init__(self) -> None:
        check_fields(self)
        if self.theta < 1 or self.last_units < 1:
            raise UsageError("theta and last_units must be 1 or more.")

    @property
    def models(self) -> tuple[str, ...]:
        return ("completer",) if self.mode == Mode.GENERATE else ("scorer",)

    @property
    def costs(self) -> tuple[Cost, ...]:
        """A window is about twice as long as the chunk that is cut from it."""
        return tuple(Cost(port, 2) for port in self.models)

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """Return the function that groups sentences; P uses it for `inner`."""
        return partial(self._divided, services)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        starts = _starts(sequence, self.units)
        texts = [
            sequence.running_text(start, stop)[0]
            for start, stop in pairwise([*starts, len(sequence)])
        ]
        find_boundary = _written if self.mode == Mode.GENERATE else _likeliest
        cuts = lumber_cuts(
            texts, partial(find_boundary, services, texts), self.theta, self.last_units
        )
        return groups_between(with_headings(sequence, [starts[cut] for cut in cuts]), len(sequence))


def lumber_cuts(
    texts: Sequence[str], find_boundary: FindBoundary, theta: int, last_units: int
) -> list[int]:
    """Return the cuts before the texts that `find_boundary` names. Each cut is at least one text
    after the previous one.
    """
    before = words_before(texts)
    most = (theta - 0.5) / _TOKENS_A_WORD  # the words, rounded to tokens, must be fewer than theta
    cuts = [0]
    while len(texts) - cuts[-1] >= last_units:
        first = cuts[-1]
        last = window_end(before, first, most)
        opening = find_boundary(first, last) if last - first > 1 else last
        if opening >= len(texts):
            break
        cuts.append(opening)
    return cuts[1:]


def _starts(sequence: UnitSequence, units: Units) -> list[int]:
    return [
        n
        for n in range(len(sequence))
        if units == Units.SENTENCE or not n or sequence.prices[n] <= PARAGRAPH
    ]


def _written(services: Services, texts: Sequence[str], first: int, last: int) -> int:
    shown = "\n".join(f"ID {number:04d}: {texts[number]}" for number in range(first, last))
    prompt = _TASK.for_text(shown) + _WRITTEN.for_text(shown) + shown
    for asked in (prompt, prompt + _AGAIN.for_text(shown)):
        found = named_id(services.completer.complete([asked])[0])
        if found is not None and first < found < last:
            return found
    services.note("The model named none of the paragraphs it was shown: they form one chunk.")
    return last


def named_id(answer: str) -> int | None:
    """Return the last ID in an answer, or the answer itself if it is a number; None for any other
    answer.
    """
    found = _ID.findall(answer)
    number = _NUMBER.fullmatch(answer)
    return int(found[-1]) if found else int(number[1]) if number else None


def _likeliest(services: Services, texts: Sequence[str], first: int, last: int) -> int:
    """Return the paragraph whose ID the model finds most probable. If it is the first one, that
    paragraph is a chunk of its own.
    """
    shown = "\n".join(f"{number}: {text}" for number, text in enumerate(texts[first:last]))
    question = Choices(
        _TASK.for_text(shown) + _CHOSEN.for_text(shown) + shown,
        tuple(str(number) for number in range(last - first)),
    )
    return first + max(1, first_maximum(services.scorer.score([question])[0]))
