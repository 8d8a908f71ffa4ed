"""Models with given answers that record their inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from chunking.makers import WORDS

from docxchunk.chunking import ChunkLimits, Strategy, run
from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.sections import pieces_of
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document
from docxchunk.model.ports import Choices, Models


class GivenEmbedder:
    """Vectors by text; any other text has the vector `otherwise`."""

    name = fingerprint = "test:given"

    def __init__(
        self, vectors: dict[str, Sequence[float]], otherwise: Sequence[float] = (1.0, 0.0)
    ) -> None:
        self.vectors, self.otherwise = vectors, otherwise
        self.asked: list[list[str]] = []

    def embed(self, texts):
        self.asked.append(list(texts))
        return np.array(
            [self.vectors.get(text, self.otherwise) for text in texts], np.float32
        ).reshape(len(texts), -1)


class GivenScorer:
    """Answers by segment (for Losses), text so far (for Endings) or instruction (for Choices)."""

    name = fingerprint = "test:given"

    def __init__(self, answer: Callable[[str], object]) -> None:
        self.answer = answer
        self.asked: list[list[object]] = []

    def score(self, questions):
        self.asked.append(list(questions))
        return [self._one(question) for question in questions]

    def _one(self, question):
        if isinstance(question, Choices):
            return tuple(self.answer(question.instruction))
        starts = pairwise((0, *question.ends))
        return tuple(self.answer(question.text[start:end].strip()) for start, end in starts)


class GivenCompleter:
    name = fingerprint = "test:given"

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def complete(self, prompts):
        self.asked += prompts
        return [self.answer(prompt) for prompt in prompts]


def plain_text(text: str) -> Document:
    return Document(
        "made.txt",
        "txt",
        "doc-made",
        "A title",
        (Block("id-1", text, "", (), 0),) if text else (),
        structured=False,
    )


def texts_of(
    text: str | Document, strategy: Strategy, *models: object, size: int = 2000, overlap: int = 100
) -> list[str]:
    """Return the texts of the chunks of a text."""
    document = plain_text(text) if isinstance(text, str) else text
    return [
        chunk.content
        for chunk in run(
            document, strategy, ChunkLimits(size, overlap), WORDS, models_of(*models)
        ).chunks
    ]


def models_of(*models: object) -> Models:
    ports = {
        port: next((model for model in models if hasattr(model, method)), None)
        for port, method in METHODS.items()
    }
    return Models(**ports)


METHODS = {"embedder": "embed", "scorer": "score", "completer": "complete"}


def strip_of(text: str, *models: object) -> tuple[Assembler, UnitSequence]:
    assembler = Assembler(plain_text(text), ChunkLimits(), WORDS, models_of(*models))
    return assembler, UnitSequence(
        assembler,
        [span for piece in pieces_of(assembler) for span in piece.spans],
        UnitType.SENTENCE,
    )
