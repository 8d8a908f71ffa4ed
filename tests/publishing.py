"""Run suites and publish their results: the pages docs/evaluation/NAME.md, their hashes, and the tables on the page on evaluation.

    python tests/publishing.py suites/bm25.toml suites/minilm.toml -j 2 --dataset telco=TELCO --dataset stard=STARD ...

The options are those of `docxchunk eval`; of the data sets each suite gets those that it reads. Scores and reports are written to `build/NAME`.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import reference
from pages import DOCS, ROOT
from suite_pages import page_of

from docxchunk.cli import docxchunk
from docxchunk.evaluation.suites import read_suite

BUILD = ROOT / "build"
OVERVIEW = DOCS / "evaluation.md"


def hashes(scores: bytes, report: bytes) -> str:
    """Return hashes in the format of sha256sum."""
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for data, name in ((scores, "scores.jsonl"), (report, "report.md")))


def publish(suite: Path, found: Path, docs: Path = DOCS) -> None:
    """Write the page and the hashes of a suite from the output folder of `docxchunk eval`."""
    scores, report = (found / "scores.jsonl").read_bytes(), (found / "report.md").read_bytes()
    page = page_of(suite, docs)
    page.parent.mkdir(exist_ok=True)
    page.write_bytes(report)
    suite.with_suffix(".sha256").write_text(hashes(scores, report), "utf-8")


def main(arguments: Sequence[str]) -> None:
    options = [each for each in arguments if not each.endswith(".toml")]
    for suite in (Path(each) for each in arguments if each.endswith(".toml")):
        docxchunk(["eval", "--suite", str(suite), "-o", str(BUILD / suite.stem), *_options(suite, options)], standalone_mode=False)
        publish(suite, BUILD / suite.stem)
    OVERVIEW.write_text(reference.rewritten(OVERVIEW.read_text("utf-8")), "utf-8")


def _options(suite: Path, options: Sequence[str]) -> Iterator[str]:
    """Yield the options without those for data sets that the suite does not use."""
    read = {each.data for each in read_suite(suite).sets}
    waiting = iter(options)
    for option in waiting:
        if option != "--dataset":
            yield option
        elif (place := next(waiting, "")).partition("=")[0] in read:
            yield from (option, place)


if __name__ == "__main__":
    main(sys.argv[1:])
