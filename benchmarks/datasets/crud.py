"""Load CRUD-RAG: Chinese news, and questions on one to three articles. Gold is the whole articles: the set does not mark sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from benchmarks.datasets.files import plain, read_json, record, records
from docxchunk.errors import InputError
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.options import ParseOptions

_NEWS: Final = ("news1", "news2", "news3")


def load(path: Path, _: ParseOptions) -> Benchmark:
    """Load `split_merged.json` or its folder: the questions of `questanswer_1doc`, `_2docs` and `_3docs`. Equal articles are one document."""
    found = record(read_json(path / "split_merged.json" if path.is_dir() else path))
    names: dict[str, str] = {}
    asked: list[UnplacedQuestion] = []
    for kind in sorted(key for key in found if key.startswith("questanswer_")):
        for row in records(found[kind]):
            news = [text for key in _NEWS if (text := str(row.get(key) or "").strip())]
            gold = tuple((names.setdefault(text, f"news {len(names) + 1}"), text) for text in news)
            if not gold:
                raise InputError(f"A question of {kind} has no news.")
            asked.append(UnplacedQuestion(str(row["questions"]), gold[0][0], gold, (str(row["answers"]),), cluster=gold[0][0], id=str(row.get("ID", ""))))
    return benchmark("crud", [plain(name, text) for text, name in names.items()], asked)
