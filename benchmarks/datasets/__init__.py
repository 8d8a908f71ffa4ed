"""Load published question sets from a local folder or file. None is shipped or downloaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast

from docxchunk.errors import UsageError
from docxchunk.lab.evaluation.questions import Benchmark
from docxchunk.model.options import ParseOptions

Load = Callable[[Path, ParseOptions], Benchmark]


class Loader(NamedTuple):
    about: str
    target: str  # "module:function" in this package


LOADERS: Mapping[str, Loader] = {
    "questions": Loader(
        "a file of JSON lines, or a folder with questions.jsonl (schemas/question.schema.json)",
        "files:load_questions",
    ),
    "chunking_evaluation": Loader(
        "five plain texts, 472 questions with excerpts (brandonstarxel/chunking_evaluation)",
        "texts:load_chunking_evaluation",
    ),
    "wikitexts": Loader(
        "its Wikipedia articles, made into Word files with headings", "articles:load_wikitexts"
    ),
    "tatqa": Loader(
        "tables and paragraphs of annual reports, each a Word file (NExTplusplus/TAT-QA)",
        "tatqa:load",
    ),
    "tatqa_stitched": Loader("the same, ten in a Word file", "tatqa:load_stitched"),
    "tables": Loader(
        "look-ups in the tables of any folder of Word files", "word_files:load_tables"
    ),
    "telco": Loader(
        "questions on 3GPP specifications in Word (gagan-iitb/MM-TelcoBench)",
        "word_files:load_telco",
    ),
    "stard": Loader(
        "questions of laymen on Chinese law, its articles in Word files (oneal2000/STARD)",
        "word_files:load_stard",
    ),
    "gutenqa": Loader("books and questions on them (LumberChunker)", "texts:load_gutenqa"),
    "longbench": Loader(
        "long texts with questions, JSON lines (THUDM/LongBench)", "texts:load_longbench"
    ),
    "multihop_rag": Loader(
        "news and questions over several of them (yixuantt/MultiHop-RAG)", "texts:load_multihop_rag"
    ),
    "crud": Loader("Chinese news and questions (IAAR-Shanghai/CRUD_RAG)", "texts:load_crud"),
    "qasper": Loader(
        "scientific papers, made into Word files, and questions (allenai/qasper)",
        "articles:load_qasper",
    ),
}


def load(name: str, path: Path, options: ParseOptions) -> Benchmark:
    """Load the set of that name from its folder or file. `options` are for reading Word files.

    Raise UsageError for an unknown name, InputError for files with missing or invalid data.
    """
    if name not in LOADERS:
        raise UsageError(f"There is no data set named {name!r}; there are {', '.join(LOADERS)}.")
    module, _, function = LOADERS[name].target.partition(":")
    found = cast("Load", getattr(import_module(f"{__name__}.{module}"), function))
    return found(path, options)
