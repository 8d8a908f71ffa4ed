"""LumberChunker, LLM and Propositions: a language model writes an answer to a prompt. It names the
places to cut, or extracts the facts of a passage (Chen et al. 2024, Dense X Retrieval).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import (
    DividingStrategy,
    Groups,
    dividing_stages,
    groups_between,
    with_headings,
)
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.prices import PARAGRAPH
from docxchunk.chunking.strategy import Cost, Stage
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.errors import UsageError
from docxchunk.lab.strategies.boundaries import first_maximum
from docxchunk.lab.strategies.plain import words, words_before
from docxchunk.lab.strategies.prompts import align, window_end, word_windows
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits
from docxchunk.model.ports import Choices
from docxchunk.model.wording import Wording

FindBoundary = Callable[[int, int], int]
"""Return which of the paragraphs [first, last), at least two, starts the next chunk: a number in
(first, last].
"""

_TOKENS_A_WORD: Final = 1.2
# Chinese text may follow without a space
_ID = re.compile(r"(?<![A-Za-z])ID[\s:：*`\"']{0,5}0*([0-9]{1,9})(?![0-9A-Za-z_])", re.IGNORECASE)
_NUMBER = re.compile(r"\s*+0*([0-9]{1,9})\s*+(?:[.。]\s*+)?")
_LUMBER: Final = Wording(
    "Below are the paragraphs of a document, each after its ID.\n"
    "Find the first paragraph, other than the first one, where the content clearly changes from "
    "the paragraphs before it. Do not let the paragraphs before it become a very long group.\n",
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


class ShownUnits(StrEnum):
    """The units that are shown to the model."""

    PARAGRAPH = "paragraph"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class LumberChunker(DividingStrategy):
    """Show a language model the next paragraphs. It names the first one where the content changes,
    and the next chunk begins there.

    - `mode`: "generate": the model writes the ID of the paragraph; "margin": the most probable ID
      is taken, as in Meta-Chunking for small models.
    - `units`: show "paragraph" or "sentence" units to the model.
    - `theta`: the size of the window in tokens.
    - `last_units`: if fewer units than this are left, they are the last chunk.

    The ID must be of a paragraph after the first one. Otherwise the model is asked once more, and
    then the window is the chunk.
    """

    name: ClassVar[str] = "LumberChunker"

    mode: Mode = Mode.GENERATE
    units: ShownUnits = ShownUnits.PARAGRAPH
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
        """The model reads the text twice: a window is about twice as long as the chunk that is cut
        from it.
        """
        return tuple(Cost(port, 2) for port in self.models)

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        starts = _starts(sequence, self.units)
        texts = [
            sequence.running_text(start, stop)[0]
            for start, stop in pairwise([*starts, len(sequence)])
        ]
        find_boundary = _written if self.mode == Mode.GENERATE else _likeliest
        cuts = lumber_cuts(
            texts, partial(find_boundary, assembler, texts), self.theta, self.last_units
        )
        return [starts[cut] for cut in cuts]


def lumber_cuts(
    texts: Sequence[str], find_boundary: FindBoundary, theta: int, last_units: int
) -> list[int]:
    """Return the cuts of LumberChunker: the texts before which a chunk begins.

    `find_boundary(first, last)` returns the cut in a window of texts [first, last), which has fewer
    than `theta` tokens, estimated from words. Fewer than `last_units` texts at the end are one
    chunk.
    """
    before = words_before(texts)
    # the words, rounded to tokens, must be fewer than theta
    max_words = (theta - 0.5) / _TOKENS_A_WORD
    cuts = [0]
    while len(texts) - cuts[-1] >= last_units:
        first = cuts[-1]
        last = window_end(before, first, max_words)
        opening = find_boundary(first, last) if last - first > 1 else last
        if opening >= len(texts):
            break
        cuts.append(opening)
    return cuts[1:]


def _starts(sequence: UnitSequence, units: ShownUnits) -> list[int]:
    return [
        n
        for n in range(len(sequence))
        if units == ShownUnits.SENTENCE or sequence.prices[n] <= PARAGRAPH
    ]


def _written(assembler: Assembler, texts: Sequence[str], first: int, last: int) -> int:
    paragraphs = "\n".join(f"ID {number:04d}: {texts[number]}" for number in range(first, last))
    prompt = _LUMBER.for_text(paragraphs) + _WRITTEN.for_text(paragraphs) + paragraphs
    for question in (prompt, prompt + _AGAIN.for_text(paragraphs)):
        number = named_id(assembler.completer.complete([question])[0])
        if number is not None and first < number < last:
            return number
    assembler.note("The model named none of the paragraphs it was shown: they form one chunk.")
    return last


def named_id(answer: str) -> int | None:
    """Return the last ID in an answer, or the answer itself if it is a number; None for any other
    answer.
    """
    if ids := _ID.findall(answer):
        return int(ids[-1])
    number = _NUMBER.fullmatch(answer)
    return int(number[1]) if number else None


def _likeliest(assembler: Assembler, texts: Sequence[str], first: int, last: int) -> int:
    """Return the paragraph whose ID the model finds most probable. If it is the first one, that
    paragraph is a chunk of its own.
    """
    paragraphs = "\n".join(f"{number}: {text}" for number, text in enumerate(texts[first:last]))
    question = Choices(
        _LUMBER.for_text(paragraphs) + _CHOSEN.for_text(paragraphs) + paragraphs,
        tuple(str(number) for number in range(last - first)),
    )
    return first + max(1, first_maximum(assembler.scorer.score([question])[0]))


_SEPARATOR = re.compile(r"(?:(?<![-–—\s])[-–—\s]++)?Block Separator[-–—\s]*+", re.IGNORECASE)
_DIRECT: Final = Wording(  # Meta-Chunking, table 5
    "You are an expert in text segmentation, tasked with dividing given text into blocks. You "
    "must adhere to the following four conditions:\n"
    "1. Aim to keep each block around {words} English words in length.\n"
    "2. Segment the text based solely on its logical and semantic structures.\n"
    "3. Do not alter the original vocabulary or structure of the text.\n"
    "4. Do not add any new words or symbols.\n"
    "By solely determining the boundaries for text segmentation, divide the original text into "
    "blocks and output them individually, separated by a clear delimiter '---Block Separator---'. "
    "Do not output any other explanations. If you understand, please proceed to segment the "
    "following text into blocks: {text}",
    "你是文本切分专家，任务是把给定的文本划分为若干块。必须遵守以下四个条件：\n"
    "1. 每块的长度尽量在{words}个汉字左右。\n"
    "2. 只根据文本的逻辑结构和语义结构来划分。\n"
    "3. 不得改动原文的词语和结构。\n"
    "4. 不得添加任何新的词语或符号。\n"
    "只确定划分的边界，把原文划分为块并逐块输出，块与块之间用明确的分隔符“---Block "
    "Separator---”隔开。不要输出任何其他说明。如果你已理解，请开始把下面的文本划分为块：{text}",
)


@dataclass(frozen=True, slots=True)
class DirectLLM(DividingStrategy):
    """Direct chunking: a language model repeats the text and inserts separators. Only their
    positions are used. Text that the model did not repeat word for word becomes a chunk of its own,
    split as by R where it is over the limit.

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

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        texts = [sequence.raw(number) for number in range(len(sequence))]
        windows = word_windows(words_before(texts), self.window)
        prompts = [
            self._prompt(sequence.running_text(window.start, window.stop)[0]) for window in windows
        ]
        cuts: list[int] = []
        damaged = 0
        for window, answer in zip(windows, assembler.completer.complete(prompts), strict=True):
            block_cuts, words_lost = align(
                [words(text) for text in texts[window.start : window.stop]],
                list(map(words, _SEPARATOR.split(answer))),
            )
            cuts += [window.start, *(window.start + cut for cut in block_cuts)]
            damaged += words_lost
        if damaged:
            assembler.note(
                f"The model changed or left out {damaged} words: they are chunked as by R."
            )
        return cuts

    def _prompt(self, text: str) -> str:
        return _DIRECT.for_text(text).format(words=self.words, text=text)


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
    it. The text of a chunk is the unchanged passage; its `propositions` are for a search index. If
    the model gives none, they are the sentences of the passage.

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
        """The model reads each passage, and writes an answer of about the same length."""
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
            piece._replace(propositions=facts or passage_sentences)
            for piece, facts, passage_sentences in zip(pieces, stated, sentences, strict=True)
        ]

    def _prompt(self, assembler: Assembler, piece: Piece, content: str) -> str:
        text = _INPUT.format(
            title=assembler.document.title,
            section=" > ".join(filter(None, piece.path)),
            content=content,
        )
        return text if self.prompt == PropositionPrompt.BARE else _TASK.for_text(content) + text


def propositions(answer: str) -> tuple[str, ...]:
    """Return the strings of the JSON list in an answer. If the list is incomplete or invalid,
    return those before the error.
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
