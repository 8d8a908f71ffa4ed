"""Published sets of questions, read from a folder or file that the user has. None of them is shipped or fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from docxchunk.errors import UsageError
from docxchunk.evaluation.questions import Benchmark

Load = Callable[[Path], Benchmark]

LOADERS: Mapping[str, str] = {
    "chunking_evaluation": "five corpora of plain text, 472 questions with excerpts (brandonstarxel/chunking_evaluation)",
    "wikitexts": "its Wikipedia articles, made into Word files with headings",
    "tatqa": "tables and paragraphs of annual reports, made into Word files (NExTplusplus/TAT-QA)",
    "wikitablequestions": "tables of Wikipedia, made into Word files (ppasupat/WikiTableQuestions)",
    "tables": "look-ups in the tables of any folder of Word files",
    "gutenqa": "books and questions on them (LumberChunker)",
    "longbench": "long texts with questions, JSON lines (THUDM/LongBench)",
    "multihop_rag": "news and questions over several of them (yixuantt/MultiHop-RAG)",
    "crud": "Chinese news and questions (IAAR-Shanghai/CRUD_RAG)",
    "qasper": "scientific papers, made into Word files, and questions (allenai/qasper)",
}


def load(name: str, path: Path) -> Benchmark:
    """The set of that name from its folder or file. Raises UsageError for a name that there is not, InputError for files that do not hold what they must."""
    if name not in LOADERS:
        raise UsageError(f"There is no data set named {name!r}; there are {', '.join(LOADERS)}.")
    found = cast("Load", import_module(f"{__name__}.{name}").load)
    return found(path)
