"""PIC: pseudo-instruction chunking, which cuts between sentences that are close to a summary of the
document and sentences that are not.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import ceil
from typing import ClassVar, Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import (
    DividingStrategy,
    capped,
    divide,
    groups_between,
    slicing_stages,
    with_headings,
)
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.errors import UsageError
from docxchunk.lab.strategies.boundaries import (
    Scores,
    Vectors,
    are_relevant,
    least_relevant,
    relevance_cuts,
)
from docxchunk.lab.strategies.grouping import fill_up_stages
from docxchunk.lab.strategies.plain import words_before
from docxchunk.lab.strategies.prompts import word_windows
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Relevance
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits
from docxchunk.model.ports import Completer
from docxchunk.model.wording import Wording

# table 7 of the paper, with a length limit: an embedding model truncates a longer summary
_PROMPT: Final = Wording(
    "Read this passage:\n{}\nWrite a summary for this passage. Your summary should be "
    "concise and informative, in at most 150 words. "
    "Give the summary directly, without any other text.",
    "请阅读这段文字：\n{}\n为这段文字写一份摘要。摘要应当简明而有信息量，不超过200字。请直接给出摘要，不要输出任何其他文字。",
)

UNRELATED_SUMMARIES: Final = (
    (
        "The article describes the life of a nineteenth-century painter who lived by the "
        "sea, her travels, and the portraits for which she is remembered."
    ),
    (
        "The report presents the results of a football season: the club's matches, its new "
        "coach, injuries of players, and the transfer market."
    ),
    (
        "The paper studies how honeybees find their way back to the hive, and compares the "
        "roles of the sun, of landmarks and of smell in an experiment."
    ),
    (
        "The text is about the history of a mountain railway: its construction, its steam "
        "engines, accidents, and its use by visitors today."
    ),
    (
        "The article explains how bread is made: kinds of flour, the work of yeast, "
        "kneading, rising, and baking in a wood-fired oven."
    ),
    (
        "The document tells of a volcanic eruption on an island, the evacuation of its "
        "villages, and what it did to the climate of the following years."
    ),
    (
        "The text introduces a family of programming languages, their type systems, their "
        "compilers, and the programs that are written in them."
    ),
    (
        "The article is about a river fish: how it looks, where it lives and spawns, what it "
        "eats, and why there are fewer of them every year."
    ),
)
"""Summaries of invented documents, for PIC-random."""


class Instruction(StrEnum):
    """The text that sentences are compared with."""

    SUMMARY = "summary"  # a summary of the document, written by the completer
    MEAN = "mean"  # the mean embedding of the sentences of the document
    QUERY = "query"  # the query in the settings: RIC
    SENTENCE = "sentence"  # a random sentence of the document, seeded by its text: a control
    RANDOM = "random"  # a random summary of another document, seeded by the text: a control


@dataclass(frozen=True, slots=True)
class PIC(DividingStrategy):
    """Pseudo-instruction chunking: compare each sentence with a pseudo-instruction, and cut
    wherever the similarity crosses its mean. Each chunk has a `relevance`.

    - `pi`: the pseudo-instruction: a "summary" of the document, the "mean" of its sentence
      embeddings (also used if the model writes no summary), the "query" setting, a random
      "sentence" of the document, or a "random" summary of another document.
    - `query`: the text for pi=query and, optionally, for pi=random.
    - `sigmas`: add this many standard deviations to the mean.
    - `longest`: a document with more words than this is summarized in parts.
    - `merge_to`: merge neighbouring chunks up to this share of the limit.
    """

    name: ClassVar[str] = "PIC"

    pi: Instruction = Instruction.SUMMARY
    query: str = ""
    sigmas: float = 0.0
    longest: int = 20_000
    merge_to: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        self._check_query()
        if self.longest < 1:
            raise UsageError(f"longest is {self.longest}; it must be 1 word or more.")

    def _check_query(self) -> None:
        if self.pi == Instruction.QUERY and not self.query.strip():
            raise UsageError("pi=query needs a query to compare sentences with: set query=TEXT.")

    @property
    def models(self) -> tuple[str, ...]:
        return ("embedder", "completer") if self.pi == Instruction.SUMMARY else ("embedder",)

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        self._check_query()
        return (
            *slicing_stages(assembler),
            Stage("divide", partial(self._divide, assembler)),
            *fill_up_stages(assembler, self.merge_to),
        )

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        return relevance_cuts(self.scores(assembler, sequence), self.sigmas)

    def _divide(self, assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
        """Divide by the rule, and set the relevance of each chunk. A single sentence is not sent to
        a model.
        """
        sequence = UnitSequence(
            assembler, [span for piece in pieces for span in piece.spans], UnitType.SENTENCE
        )
        if len(sequence) < 2:
            return divide(assembler, self.rule(assembler), pieces)
        scores = self.scores(assembler, sequence)
        threshold, relevant = least_relevant(scores, self.sigmas), are_relevant(scores, self.sigmas)
        cuts = with_headings(sequence, relevance_cuts(scores, self.sigmas))
        chunks: list[Piece] = []
        for group in groups_between(cuts, len(sequence)):
            scored = _scored_units(sequence, group)
            relevance = _relevance(
                float(scores[scored].mean()), threshold, relevant=bool(relevant[scored[0]])
            )
            chunks += [
                assembler.opening(part, pieces[0]._replace(relevance=relevance))
                for part in capped(assembler, list(sequence.runs(group)), assembler.smallest_limit)
            ]
        return chunks

    def scores(self, assembler: Assembler, sequence: UnitSequence) -> Scores:
        """Return the cosine similarity of each sentence to the pseudo-instruction: shape (n,)."""
        import numpy as np

        texts = sequence.texts()
        instruction = self._instruction(assembler, texts)
        vectors = assembler.embedder.embed([*texts, instruction] if instruction else texts)
        direction = vectors[-1] if instruction else _mean(vectors)
        products: Scores = (vectors[: len(texts)].astype(np.float64) * direction).sum(
            axis=1
        )  # sum each row in the same order, so that equal texts have equal scores
        return products

    def _instruction(self, assembler: Assembler, texts: Sequence[str]) -> str:
        """Return the text of the pseudo-instruction; "" for the mean."""
        match self.pi:
            case Instruction.SUMMARY:
                written = summary(assembler.completer, texts, self.longest)
                if not written:
                    assembler.note(
                        "The model wrote no summary: the mean of the sentences is used instead."
                    )
                return written
            case Instruction.SENTENCE:
                return _seeded_choice(texts, texts)
            case Instruction.RANDOM:
                return self.query or _seeded_choice(UNRELATED_SUMMARIES, texts)
            case Instruction.QUERY:
                self._check_query()
                return self.query
        return ""


@dataclass(frozen=True, slots=True)
class RIC(PIC):
    """Real-instruction chunking: PIC with the question that will be asked, `query`, as the
    instruction. It is an upper bound for PIC.
    """

    name: ClassVar[str] = "RIC"

    pi: Instruction = Instruction.QUERY

    def __post_init__(self) -> None:
        """Check the types only. The query is checked when a document is chunked, so the settings
        can be listed without a query.
        """
        check_fields(self)


@dataclass(frozen=True, slots=True)
class PICRandom(PIC):
    """PIC with the summary of another document, as a control. The summary is `query`, or a built-in
    one if `query` is empty.
    """

    name: ClassVar[str] = "PIC-random"

    pi: Instruction = Instruction.RANDOM


def _seeded_choice(choices: Sequence[str], texts: Sequence[str]) -> str:
    """Return one of the choices, seeded by the text."""
    seed = hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).digest()
    return random.Random(seed).choice(choices)  # noqa: S311 - not for cryptography; the seed makes it reproducible


def summary(completer: Completer, texts: Sequence[str], longest: int) -> str:
    """Return a summary of a text. If the text has more than `longest` words, return a summary of
    the summaries of its parts. Return "" if the model wrote none.
    """
    parts = word_windows(words_before(texts), longest)
    prompts = [_summary_prompt(" ".join(texts[part.start : part.stop])) for part in parts]
    summaries = [answer.strip() for answer in completer.complete(prompts)]
    if len(summaries) == 1 or not any(summaries):
        return summaries[0]
    return completer.complete([_summary_prompt("\n".join(filter(None, summaries)))])[0].strip()


def _summary_prompt(text: str) -> str:
    return _PROMPT.for_text(text).format(text)


def _scored_units(sequence: UnitSequence, group: Sequence[int]) -> Sequence[int]:
    """Return the units of a group whose scores count: headings are ignored unless the group has
    nothing else.
    """
    return [number for number in group if sequence.kinds[number] is not LineKind.HEADING] or group


def _relevance(score: float, threshold: float, *, relevant: bool) -> Relevance:
    """Round the score and the threshold to 4 decimal places without changing which one is
    greater.
    """
    rounded_threshold = ceil(round(threshold * 10_000, 6)) / 10_000
    return Relevance(
        max(round(score, 4), rounded_threshold)
        if relevant
        else min(round(score, 4), round(rounded_threshold - 0.0001, 4)),
        rounded_threshold,
    )


def _mean(vectors: Vectors) -> Vectors:
    import numpy as np

    mean: Vectors = vectors.mean(axis=0)
    length = np.linalg.norm(mean)
    return mean if not length else mean / length
