"""Small corpora for the tests of the evaluation."""

from __future__ import annotations

from collections.abc import Sequence

from docxchunk.lab.evaluation.passages import (
    CorpusSpan,
    ShownPassage,
    ShownSpan,
    SourceText,
    sources,
)
from docxchunk.lab.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.document import Document
from docxchunk.reader.text_files import read_plain_text


def text_document(name: str, text: str) -> Document:
    return read_plain_text(text.encode(), name, name)


def source_of(text: str, name: str = "a.txt") -> SourceText:
    return sources([text_document(name, text)])[0]


def passage(*spans: CorpusSpan, source: int = 0, text: str | None = None) -> ShownPassage:
    """Return a passage that shows these spans in order."""
    shown = tuple(ShownSpan(end - start, start, end) for start, end in spans)
    return ShownPassage(
        source, "x" * sum(piece.length for piece in shown) if text is None else text, shown
    )


ANIMALS = {
    "cats.txt": "Cats sleep for most of the day. They hunt at dusk. A cat purrs when it is "
    "content.\n\nKittens open their eyes after a week.",
    "dogs.txt": "Dogs bark at strangers. A dog wags its tail when it is glad. Puppies sleep a "
    "lot.\n\nSome dogs herd sheep on farms.",
    "owls.txt": "Owls fly without a sound. They turn their heads very far.\n\nAn owl swallows "
    "mice whole and brings up the bones.",
}
ASKED = [
    UnplacedQuestion("When do cats hunt?", "cats.txt", ("They hunt at dusk.",), ("at dusk",)),
    UnplacedQuestion(
        "What opens eyes after a week?",
        "cats.txt",
        ("Kittens open their eyes after a week.",),
        ("kittens",),
    ),
    UnplacedQuestion(
        "What do dogs herd on farms?", "dogs.txt", ("Some dogs herd sheep on farms.",), ("sheep",)
    ),
    UnplacedQuestion(
        "When does a dog wag its tail?",
        "dogs.txt",
        ("A dog wags its tail when it is glad.",),
        ("when it is glad",),
    ),
    UnplacedQuestion(
        "What does an owl do with mice and bones?",
        "owls.txt",
        ("An owl swallows mice whole and brings up the bones.",),
    ),
]


def animals(asked: Sequence[UnplacedQuestion] = tuple(ASKED)) -> Benchmark:
    return benchmark(
        "animals", [text_document(name, text) for name, text in ANIMALS.items()], asked
    )


def count(text: str) -> int:
    return len(text.split())
