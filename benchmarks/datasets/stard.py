"""Load STARD: lay questions on Chinese law, with the articles that answer them. The user provides the laws as Word files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.datasets import own
from benchmarks.datasets.files import DatasetRecord, in_files, read_json, record, records
from docxchunk.evaluation.passages import SourceText, sources
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark, place, read_document
from docxchunk.model.options import ParseOptions

NOTE: Final = "a document is a law"
_QUESTION, _ARTICLES = "问题", "相关法规"
_ARTICLE: Final = re.compile(r"第[零一二三四五六七八九十百千\d]+条.*$")
_REPUBLIC: Final = "中华人民共和国"


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Load a folder of laws as Word files, whose names contain the names of the laws, with `queries.json` of the set.

    Gold is each paragraph of each article. A question is left out if a law is missing or the wording of an article differs. A `questions.jsonl` in the
    folder is read instead of `queries.json`.
    """
    if (path / own.FILE).is_file():
        return replace(own.load(path, options), name="stard", note=NOTE)
    rows = records(read_json(path / "queries.json"))
    laws = sources([read_document(file, file.name, options) for file in in_files(path, "*.[dD][oO][cC][xX]")])
    return benchmark("stard", [law.document for law in laws], [_asked(row, laws) for row in rows], NOTE)


def _asked(row: DatasetRecord, laws: Sequence[SourceText]) -> UnplacedQuestion:
    found = [[*_places(name, str(text), laws)] for name, text in record(row[_ARTICLES]).items()]
    gold = tuple(dict.fromkeys(each for article in found for each in article)) if all(found) else ()
    document = gold[0][0] if gold else next(iter(record(row[_ARTICLES])), "")
    return UnplacedQuestion(str(row[_QUESTION]), document, gold, cluster=document, id=str(row.get("query_id", "")))


def _places(name: str, article: str, laws: Sequence[SourceText]) -> Iterator[tuple[str, str]]:
    """Yield the law and the text of each paragraph, if the law contains all of them."""
    law = _ARTICLE.sub("", name).removeprefix(_REPUBLIC)
    paragraphs = [line.strip() for line in article.splitlines() if line.strip()]
    for source in laws:
        if _is_called(source.name, law) and all(place(source, paragraph) for paragraph in paragraphs):
            yield from ((source.name, paragraph) for paragraph in paragraphs)
            return


def _is_called(file: str, law: str) -> bool:
    """Return whether the file name contains the name of the law, but not as the end of a longer name."""
    start = file.replace(_REPUBLIC, " ").find(law)
    return start >= 0 and (start == 0 or not "\u4e00" <= file.replace(_REPUBLIC, " ")[start - 1] <= "\u9fff")
