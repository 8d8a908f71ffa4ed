"""The pages of the documentation: README and docs/, their sections, tables and examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from make_fixtures import DOCUMENTS

ROOT = DOCUMENTS.parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = (README, *sorted(DOCS.rglob("*.md")))
LINKING = (*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md")


def text(path: str) -> str:
    """Return the text of a page of docs/."""
    return (DOCS / path).read_text("utf-8")


def all_text() -> str:
    return "\n".join(page.read_text("utf-8") for page in PAGES)


def section(path: str, heading: str) -> str:
    """Return the text below a heading, up to the next heading of the same or a higher level."""
    level = len(heading) - len(heading.lstrip("#"))
    after = text(path).split(f"\n{heading}\n", 1)[1]
    return re.split(rf"^#{{1,{level}}} ", after, maxsplit=1, flags=re.MULTILINE)[0]


def rows(markdown: str) -> list[list[str]]:
    """Return the rows of the tables in a Markdown text."""
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def fences(page: Path, language: str) -> Iterator[str]:
    """Yield the code blocks in a language."""
    for found in re.finditer(
        rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    ):
        yield found[1]
