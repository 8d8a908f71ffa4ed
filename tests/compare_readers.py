"""The table in docs/comparison.md: what other programs read of our documents.

`python tests/compare_readers.py` prints it, where docling and markitdown[docx] are installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import click
from make_fixtures import DOCUMENTS

import docxchunk

Reader = Callable[[Path], str]


class Check(NamedTuple):
    """A feature to check. One of the texts `wanted` must be in the Markdown of the document, ignoring bold."""

    feature: str
    document: str
    wanted: tuple[str, ...]


CHECKS = (
    Check("numbers of headings", "sample-report", ("1.1 Why rainwater",)),
    Check("numbers of headings with other text, as in § 1", "tracked-changes", ("§ 1 Plots",)),
    Check("numbers of list items, as in (a)", "contract", ("(a) Words with a capital letter",)),
    Check("numbers of list items after a deleted one", "tracked-changes", ("(2) Ponds", "2. Ponds")),
    Check("equations as LaTeX", "sample-report", (r"\frac{C}{V",)),
    Check("equations with parentheses in their default form", "equations", ("$",)),
    Check("footnotes", "sample-report", ("One cubic metre is",)),
    Check("merged cells: each column has its header", "sample-report", ('colspan="2">Top floor', "Top floor | Top floor")),
    Check("text boxes", "boxes-and-controls", ("10 to 18 o'clock",)),
    Check("check boxes", "boxes-and-controls", ("☒ news by post", "[x] news by post")),
    Check("table rows in content controls", "boxes-and-controls", ("12 euros",)),
    Check("tracked changes: inserted paragraphs", "tracked-changes", ("Music is not heard",)),
    Check("tracked changes: inserted cells", "tracked-changes", ("210",)),
)


def read_by_docxchunk(path: Path) -> str:
    return docxchunk.parse(path).to_markdown()


def read_by_docling(path: Path) -> str:
    from docling.backend.msword_backend import MsWordDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument

    given = InputDocument(path_or_stream=path, format=InputFormat.DOCX, backend=MsWordDocumentBackend, filename=path.name)
    return given._backend.convert().export_to_markdown()


def read_by_markitdown(path: Path) -> str:
    from markitdown import MarkItDown

    return MarkItDown().convert(path).text_content


READERS: dict[str, Reader] = {"docxchunk": read_by_docxchunk, "docling": read_by_docling, "markitdown": read_by_markitdown}


@cache
def _text(reader: str, document: str) -> str:
    try:
        return re.sub(r" +", " ", READERS[reader](DOCUMENTS / f"{document}.docx").replace("*", ""))
    except Exception as error:  # noqa: BLE001 - a program that fails reads nothing
        click.echo(f"{reader} fails on {document}.docx: {type(error).__name__}: {error}", err=True)
        return ""


def main() -> None:
    click.echo(f"| {' | '.join(['', *(f'{reader} {version(reader)}' for reader in READERS)])} |")
    click.echo(f"|{'---|' * (len(READERS) + 1)}")
    for check in CHECKS:
        found = ["yes" if any(text in _text(reader, check.document) for text in check.wanted) else "no" for reader in READERS]
        click.echo(f"| {check.feature} | {' | '.join(found)} |")


if __name__ == "__main__":
    main()
