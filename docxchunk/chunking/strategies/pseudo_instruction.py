"""PIC: cuts where the text turns to or from what the document is about (the paper of PIC)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import ceil
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import Scores, alike, are_relevant, least_relevant
from docxchunk.chunking.clusters import Vectors
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.prompts import Wording
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, capped, divide, filling_up, groups_between, slicing, with_headings
from docxchunk.chunking.strip import Grain, Strip
from docxchunk.chunking.words import stretches, words_before
from docxchunk.errors import UsageError
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Relevance
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Completer

_PROMPT: Final = Wording(  # the paper's table 7, with a bound: what an embedder does not read of a summary is of no use
    "Read this passage:\n{}\nWrite a summary for this passage. Your summary should be concise and informative, in at most 150 words. "
    "Give the summary directly, without any other text.",
    "请阅读这段文字：\n{}\n为这段文字写一份摘要。摘要应当简明而有信息量，不超过200字。请直接给出摘要，不要输出任何其他文字。",
)

OTHERS: Final = (
    "The article describes the life of a nineteenth-century painter who lived by the sea, her travels, and the portraits for which she is remembered.",
    "The report presents the results of a football season: the club's matches, its new coach, injuries of players, and the transfer market.",
    "The paper studies how honeybees find their way back to the hive, and compares the roles of the sun, of landmarks and of smell in an experiment.",
    "The text is about the history of a mountain railway: its construction, its steam engines, accidents, and its use by visitors today.",
    "The article explains how bread is made: kinds of flour, the work of yeast, kneading, rising, and baking in a wood-fired oven.",
    "The document tells of a volcanic eruption on an island, the evacuation of its villages, and what it did to the climate of the following years.",
    "The text introduces a family of programming languages, their type systems, their compilers, and the programs that are written in them.",
    "The article is about a river fish: how it looks, where it lives and spawns, what it eats, and why there are fewer of them every year.",
)
"""Summaries of documents that do not exist, for the control."""


class Instruction(StrEnum):
    """What sentences are compared with."""

    SUMMARY = "summary"  # of the document, by the completer
    MEAN = "mean"  # of the embeddings of its sentences
    QUERY = "query"  # one that is given: RIC
    SENTENCE = "sentence"  # one of its sentences, drawn by its content: a control
    RANDOM = "random"  # the summary of another document, drawn by its content: a control


@dataclass(frozen=True, slots=True)
class PIC:
    """Pseudo-instruction chunking: runs of sentences that are closer to the pseudo-instruction `pi` than the mean, and runs that are not.

    `sigmas` standard deviations are added to the mean; `query` is the text of pi=query, and of pi=random where one is given. A document of over `longest`
    words is summarized by its parts. Without a summary the mean takes its place. `merge_to`: neighbours are merged up to that share of the cap. Each chunk
    has its `relevance`.
    """

    name: ClassVar[str] = "PIC"

    pi: Instruction = Instruction.SUMMARY
    query: str = ""
    sigmas: float = 0.0
    longest: int = 20_000
    merge_to: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.pi == Instruction.QUERY:
            self._check_query()
        if self.longest < 1:
            raise UsageError(f"longest is {self.longest}; it is a number of words, 1 or more.")

    def _check_query(self) -> None:
        if not self.query.strip():
            raise UsageError("pi=query compares sentences with a query: give one, query=TEXT.")

    @property
    def models(self) -> tuple[str, ...]:
        return ("embedder", "completer") if self.pi == Instruction.SUMMARY else ("embedder",)

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        if self.pi == Instruction.QUERY:
            self._check_query()
        return (*slicing(services), Stage("divide", partial(self._divide, services)), *filling_up(services, self.merge_to))

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        return self._groups(strip, self.scores(services, strip)) if len(strip) > 1 else groups_between([], len(strip))

    def _groups(self, strip: Strip, scores: Scores) -> Groups:
        return groups_between(with_headings(strip, alike(scores, self.sigmas)), len(strip))

    def _divide(self, services: Services, pieces: list[Piece]) -> list[Piece]:
        """As by its rule, and how relevant each run is; one sentence alone is not asked about."""
        strip = Strip(services, [span for piece in pieces for span in piece.spans], Grain.SENTENCE)
        if len(strip) < 2:
            return divide(services, self.rule(services), pieces)
        scores = self.scores(services, strip)
        threshold, relevant = least_relevant(scores, self.sigmas), are_relevant(scores, self.sigmas)
        found: list[Piece] = []
        for group in self._groups(strip, scores):
            text = _sentences(strip, group)
            said = pieces[0]._replace(relevance=_shown(float(scores[text].mean()), threshold, relevant=bool(relevant[text[0]])))
            found += [services.opening(part, said) for part in capped(services, list(strip.runs(group)), services.least_cap)]
        return found

    def scores(self, services: Services, strip: Strip) -> Scores:
        """The cosine of each sentence and the pseudo-instruction."""
        import numpy as np

        texts = [strip.text(number) for number in range(len(strip))]
        instruction = self._instruction(services, texts)
        vectors = services.embedder.embed([*texts, instruction] if instruction else texts)
        direction = vectors[-1] if instruction else _mean(vectors)
        products: Scores = (vectors[: len(texts)].astype(np.float64) * direction).sum(axis=1)  # each row in the same order: equal texts score the same
        return products

    def _instruction(self, services: Services, texts: Sequence[str]) -> str:
        """The text of the pseudo-instruction; "" for the mean."""
        match self.pi:
            case Instruction.SUMMARY:
                found = summary(services.completer, texts, self.longest)
                if not found:
                    services.note("No summary came back: the mean of the sentences takes its place.")
                return found
            case Instruction.SENTENCE:
                return _drawn(texts, texts)
            case Instruction.RANDOM:
                return self.query or _drawn(OTHERS, texts)
            case Instruction.QUERY:
                self._check_query()
                return self.query
        return ""


@dataclass(frozen=True, slots=True)
class RIC(PIC):
    """Real-instruction chunking (6.3): as PIC, sentences being compared with the question that will be asked, `query`. It shows what PIC could reach."""

    name: ClassVar[str] = "RIC"

    pi: Instruction = Instruction.QUERY

    def __post_init__(self) -> None:
        """The question is asked for when a document is chunked, so that settings can be listed without one."""
        check_fields(self)


@dataclass(frozen=True, slots=True)
class PICRandom(PIC):
    """PIC-Random, a control (6.1): as PIC, sentences being compared with the summary of another document: `query`, or one that comes with docxchunk."""

    name: ClassVar[str] = "PIC-random"

    pi: Instruction = Instruction.RANDOM


def _drawn(choices: Sequence[str], texts: Sequence[str]) -> str:
    """One of them, the same for the same text."""
    seed = hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).digest()
    return random.Random(seed).choice(choices)  # noqa: S311 - a control, drawn the same way each time


def summary(completer: Completer, texts: Sequence[str], longest: int) -> str:
    """The summary of a text; of one that is too long, that of the summaries of its parts. "" where none came back."""
    parts = stretches(words_before(texts), longest)
    prompts = [_asking(" ".join(texts[part.start : part.stop])) for part in parts]
    found = [answer.strip() for answer in completer.complete(prompts)]
    if len(found) == 1:
        return found[0]
    return completer.complete([_asking("\n".join(filter(None, found)))])[0].strip() if any(found) else ""


def _asking(text: str) -> str:
    return _PROMPT.for_text(text).format(text)


def _sentences(strip: Strip, group: Sequence[int]) -> Sequence[int]:
    """Those of a run that are scored: a heading is there for what stands under it, whatever it scores."""
    return [number for number in group if strip.units[number].kind is not LineKind.HEADING] or group


def _shown(score: float, threshold: float, *, relevant: bool) -> Relevance:
    """Both to 4 places, on the sides of each other that they are on."""
    least = ceil(round(threshold * 10_000, 6)) / 10_000
    return Relevance(max(round(score, 4), least) if relevant else min(round(score, 4), round(least - 0.0001, 4)), least)


def _mean(vectors: Vectors) -> Vectors:
    import numpy as np

    mean: Vectors = vectors.mean(axis=0)
    length = np.linalg.norm(mean)
    return mean if not length else mean / length
