"""Models whose answers are derived from a hash of their input: arbitrary but deterministic."""

from __future__ import annotations

import hashlib
import random
from functools import cache

import numpy as np

from docxchunk.model.ports import Choices, Losses, Models


def dice(*asked: object) -> random.Random:
    """Return numbers derived from the input."""
    return random.Random(hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).digest())  # noqa: S311 - dice, not secrets


@cache
def _column(word: str) -> int:
    return dice(word).randrange(64)


class HashEmbedder:
    """Embeds texts as bags of words in 64 dimensions."""

    name = fingerprint = "test:embedder"

    def embed(self, texts):
        vectors = np.full((len(texts), 64), 1e-3, np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, _column(word)] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class HashScorer:
    name = fingerprint = "test:scorer"

    def score(self, questions):
        return [self._answer(question) for question in questions]

    def _answer(self, question):
        if isinstance(question, Choices):
            return tuple(
                -dice(question.instruction, option).random() * 5 for option in question.options
            )
        sign = 1 if isinstance(question, Losses) else -1
        return tuple(
            sign * dice(type(question), question.text[:end]).random() * 5 for end in question.ends
        )


class HashCompleter:
    """Answers to every kind of prompt, some of them malformed."""

    name = fingerprint = "test:completer"

    def complete(self, prompts):
        return [self._answer(prompt) for prompt in prompts]

    def _answer(self, prompt):
        roll = dice(prompt)
        words = prompt.split()[-40:]
        return roll.choice(
            [
                f"Answer: ID {roll.randrange(30)}",
                f"ID {roll.randrange(1000):04d} is where it turns.",
                '["One proposition.", "Another one."]',
                '["One proposition.", "Ano',
                " ".join(words),
                "",
                "I cannot help with that.",
            ]
        )


MODELS = Models(HashEmbedder(), HashScorer(), HashCompleter())
