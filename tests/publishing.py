"""Measures suites and publishes what they found: the pages docs/evaluation/NAME.md, their hashes, and the tables that other pages show of them.

    python tests/publishing.py suites/bm25.toml suites/minilm.toml -j 2 --dataset telco=TELCO --dataset stard=STARD ...

The options are those of `docxchunk eval`; of the data sets each suite gets those that it reads. Scores and reports are written to `build/NAME`. A page shows
tables of a suite between two marks, by the headings that they have in the suite's page:

    <!-- suite bm25: Summary, bm25: mean of the sets -->
    <!-- end -->
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pages import DOCS, PAGES, ROOT, below

from docxchunk.cli import docxchunk
from docxchunk.evaluation.suites import read_suite

SUITES = tuple(sorted((ROOT / "suites").glob("*.toml")))
BUILD = ROOT / "build"
_SHOWN = re.compile(r"(?<=\n)<!-- suite (\w+): ([^\n]+) -->\n(?:.*?\n)?(?=<!-- end -->\n)", re.DOTALL)


def page_of(suite: Path) -> Path:
    return DOCS / "evaluation" / f"{suite.stem}.md"


def hashes(scores: bytes, page: bytes) -> str:
    """As sha256sum writes them."""
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for data, name in ((scores, "scores.jsonl"), (page, "report.md")))


def filled(text: str) -> str:
    """A page with the tables between its marks as the pages of the suites have them."""
    return _SHOWN.sub(lambda mark: f"<!-- suite {mark[1]}: {mark[2]} -->\n{_part(mark[1], mark[2])}", text)


def _part(name: str, heading: str) -> str:
    """What stands under a heading of a suite's page; where the heading is that of the page, what stands before the first of the others."""
    return f"\n{below((DOCS / 'evaluation' / f'{name}.md').read_text('utf-8'), heading).strip()}\n\n"


def publish(suite: Path, found: Path) -> None:
    """Page and hashes of a suite, from the folder that `docxchunk eval` has written."""
    scores, report = (found / "scores.jsonl").read_bytes(), (found / "report.md").read_bytes()
    page = page_of(suite)
    page.parent.mkdir(exist_ok=True)
    page.write_bytes(report)
    suite.with_suffix(".sha256").write_text(hashes(scores, report), "utf-8")


def main(arguments: Sequence[str]) -> None:
    suites = [Path(each) for each in arguments if each.endswith(".toml")]
    options = [each for each in arguments if not each.endswith(".toml")]
    for suite in suites:
        docxchunk(["eval", "--suite", str(suite), "-o", str(BUILD / suite.stem), *_options(suite, options)], standalone_mode=False)
        publish(suite, BUILD / suite.stem)
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8")), "utf-8")


def _options(suite: Path, options: Sequence[str]) -> Iterator[str]:
    """Without the data sets that the suite does not read."""
    read = {each.data for each in read_suite(suite).sets}
    waiting = iter(options)
    for option in waiting:
        if option != "--dataset":
            yield option
        elif (place := next(waiting, "")).partition("=")[0] in read:
            yield from (option, place)


if __name__ == "__main__":
    main(sys.argv[1:])
