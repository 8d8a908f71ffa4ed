"""The table in docs/comparison.md: what other programs read of our documents.

`python tests/compare_readers.py` prints it, with the programs of `docxchunk bench speed` that are installed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import click
from make_fixtures import DOCUMENTS

import docxchunk
from docxchunk.bench.peers import ReadFile, installed


class Check(NamedTuple):
    """A feature to check. One of the texts `wanted` must be in what a program makes of the document: Markdown, HTML or plain text."""

    feature: str
    document: str
    wanted: tuple[str, ...]


PANDOC_GRID = "| Tank | Top floor | | tested"  # pandoc draws merged cells as wide ones

CHECKS = (
    Check("numbers of headings", "sample-report", ("1.1 Why rainwater",)),
    Check("numbers of headings with other text, as in § 1", "tracked-changes", ("§ 1 Plots",)),
    Check("numbers of list items, as in (a)", "contract", ("(a) Words with a capital letter",)),
    Check("numbers of list items after a deleted one", "tracked-changes", ("(2) Ponds", "2. Ponds")),
    Check("equations as LaTeX", "sample-report", (r"\frac{C}{V",)),
    Check("equations with parentheses in their default form", "equations", ("$", "<equation>")),
    Check("footnotes", "sample-report", ("One cubic metre is",)),
    Check("merged cells: each column has its header", "sample-report", ('colspan="2">Top floor', "Top floor | Top floor", PANDOC_GRID)),
    Check("text boxes", "boxes-and-controls", ("10 to 18 o'clock",)),
    Check("check boxes", "boxes-and-controls", ("☒ news by post", "[x] news by post", 'type="checkbox" /> news by post')),
    Check("table rows in content controls", "boxes-and-controls", ("12 euros",)),
    Check("tracked changes: inserted paragraphs", "tracked-changes", ("Music is not heard",)),
    Check("tracked changes: inserted cells", "tracked-changes", ("210",)),
)


def readers() -> dict[str, ReadFile]:
    """Return the programs by name and version, docxchunk first. The reader for python-docx returns only the text of paragraphs and is left out."""
    others = {f"{peer.name} {peer.version}": peer.start() for peer in installed() if peer.name != "python-docx"}
    return {f"docxchunk {docxchunk.__version__}": lambda path: docxchunk.parse(path).to_markdown(), **others}


def text_of(name: str, read: ReadFile, document: str) -> str:
    """Return what the program makes of a document, without bold, paragraph tags, escapes and line breaks; empty if it fails."""
    try:
        found = re.sub(r"\*|</?(?:p|strong)>|\\(?=[^\w\s])", "", str(read(DOCUMENTS / f"{document}.docx")))
        return re.sub(r"\s+", " ", found)
    except Exception as error:  # noqa: BLE001 - whatever another program raises
        click.echo(f"{name} fails on {document}.docx: {type(error).__name__}: {error}", err=True)
        return ""


def main() -> None:
    documents = {check.document for check in CHECKS}
    texts = {name: {document: text_of(name, read, document) for document in documents} for name, read in readers().items()}
    texts = {name: found for name, found in texts.items() if any(found.values())}
    click.echo(f"| {' | '.join(['', *texts])} |")
    click.echo(f"|{'---|' * (len(texts) + 1)}")
    for check in CHECKS:
        found = ["yes" if any(text in read[check.document] for text in check.wanted) else "no" for read in texts.values()]
        click.echo(f"| {check.feature} | {' | '.join(found)} |")


if __name__ == "__main__":
    main()
