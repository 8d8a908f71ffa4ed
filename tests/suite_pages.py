"""The pages of published suites (docs/evaluation/NAME.md), and their summary on the page on evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pages import DOCS, ROOT

SUITES = tuple(sorted((ROOT / "suites").glob("*.toml")))
_SHOWN = ("Summary", "Where ")  # the tables of a suite's page that the page on evaluation has, too, by how their headings begin


def page_of(suite: Path, docs: Path = DOCS) -> Path:
    return docs / "evaluation" / f"{suite.stem}.md"


def overview(docs: Path = DOCS) -> Iterator[str]:
    """Yield the verdict, the summary tables and the link of each suite, or a note that it is not published."""
    for suite in SUITES:
        page = page_of(suite, docs)
        if not page.is_file():
            yield f"`suites/{suite.name}` is not published yet.\n"
            continue
        title, text, *tables = re.split(r"^#+ (.*)\n", page.read_text("utf-8"), flags=re.MULTILINE)[1:]
        verdict, _, _ = text.partition("\n- ")
        yield f"### {title}\n\n{verdict.strip()}\n"
        for heading, table in zip(tables[::2], tables[1::2], strict=True):
            if heading.startswith(_SHOWN):
                yield f"#### {heading}\n\n{table.strip()}\n"
        yield f"[All tables](evaluation/{page.name}) of `suites/{suite.name}`, set by set.\n"
