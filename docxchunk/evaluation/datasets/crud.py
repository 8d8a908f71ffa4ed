"""CRUD-RAG: Chinese news, and questions on one to three of them. Gold is the whole text of each: which sentence answers is not said."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from docxchunk.errors import InputError
from docxchunk.evaluation.datasets.files import plain, read_json, record, records
from docxchunk.evaluation.questions import Asked, Benchmark, benchmark
from docxchunk.model.options import ParseOptions

_NEWS: Final = ("news1", "news2", "news3")


def load(path: Path, _: ParseOptions) -> Benchmark:
    """`split_merged.json`, or the folder that holds it: the questions of `questanswer_1doc`, `_2docs` and `_3docs`. Equal news are one document."""
    found = record(read_json(path / "split_merged.json" if path.is_dir() else path))
    names: dict[str, str] = {}
    asked: list[Asked] = []
    for kind in sorted(key for key in found if key.startswith("questanswer_")):
        for row in records(found[kind]):
            news = [text for key in _NEWS if (text := str(row.get(key) or "").strip())]
            gold = tuple((names.setdefault(text, f"news {len(names) + 1}"), text) for text in news)
            if not gold:
                raise InputError(f"A question of {kind} has no news.")
            asked.append(Asked(str(row["questions"]), gold[0][0], gold, (str(row["answers"]),), cluster=gold[0][0], id=str(row.get("ID", ""))))
    return benchmark("crud", [plain(name, text) for text, name in names.items()], asked)
