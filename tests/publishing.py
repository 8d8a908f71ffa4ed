"""Run suites and publish their results: suites/NAME.csv (the figures), NAME.md (the report) and NAME.sha256; docs/evaluation.md and its charts.

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
from suite_pages import chart, chart_of

from docxchunk.cli import docxchunk
from docxchunk.evaluation.suites import read_suite

BUILD = ROOT / "build"
OVERVIEW = DOCS / "evaluation.md"


def publish(suite: Path, found: Path) -> None:
    """Copy the figures and the report from the output folder of `docxchunk eval` beside the suite, and write their hashes and that of the scores."""
    data = {name: (found / name).read_bytes() for name in ("scores.jsonl", "report.md", "figures.csv")}
    suite.with_suffix(".md").write_bytes(data["report.md"])
    suite.with_suffix(".csv").write_bytes(data["figures.csv"])
    hashes = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in data.items())  # in the format of sha256sum
    suite.with_suffix(".sha256").write_text("".join(hashes), "utf-8")


def main(arguments: Sequence[str]) -> None:
    options = [each for each in arguments if not each.endswith(".toml")]
    for suite in (Path(each) for each in arguments if each.endswith(".toml")):
        docxchunk(["eval", "--suite", str(suite), "-o", str(BUILD / suite.stem), *_options(suite, options)], standalone_mode=False)
        publish(suite, BUILD / suite.stem)
        chart_of(suite).write_text(chart(suite), "utf-8")
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
