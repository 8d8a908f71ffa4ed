"""Load the user's own questions."""

from __future__ import annotations

from pathlib import Path

from docxchunk.evaluation.questions import Benchmark, read_questions
from docxchunk.model.options import ParseOptions

FILE = "questions.jsonl"


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Load the questions of a JSON lines file, or of `questions.jsonl` in a folder."""
    return read_questions(path / FILE if path.is_dir() else path, options)
