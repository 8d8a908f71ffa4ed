"""docxchunk cite --memo: the quotations of a memo as a table, JSON lines or an HTML page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.text import Text

from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter, print_json
from docxchunk.cli.printing import STRONG, console, grid, plain
from docxchunk.model.wording import one_line
from docxchunk.sidecar.atomic import write_file

if TYPE_CHECKING:
    from docxchunk.retrieval.answers import Asked
    from docxchunk.retrieval.memos.check import CheckedQuotation, MemoCheck

_STYLES: Final = {"right": "green", "abridged": "yellow", "unclear": "yellow"}


def check(memo: str, asked: Asked, page: Path | None, *, as_json: bool) -> None:
    """Check the quotations of a memo, and print the result or write it as a page. The exit code is
    1 if one is not right, or there is none.
    """
    from docxchunk.formats.report import require_templates
    from docxchunk.retrieval.folders.questions import Questions
    from docxchunk.retrieval.memos import check as memos

    if page is not None:
        require_templates()
    (path,) = common.with_standard_input([memo])
    readers = asked.readers() if isinstance(asked, Questions) else [asked]
    checked = memos.memo_check(memos.document_at(path), readers)
    for label, reason in asked.unreadable if isinstance(asked, Questions) else ():
        Reporter().alert(label, reason)
    if page is not None:
        from docxchunk.retrieval.memos.page import html_memo

        name = "standard input" if memo == common.STANDARD_INPUT else Path(memo).name
        write_file(page, html_memo(checked, name).encode())
        click.echo(one_line(str(page)))
    if as_json:
        for quote in checked.quotations:
            print_json(quote)
    elif page is None and checked.quotations:
        _print(checked.quotations)
    _say_end(checked, as_json=as_json, page=page)
    if not (checked.quotations and checked.is_right):
        sys.exit(1)


def _print(quotations: Sequence[CheckedQuotation]) -> None:
    from docxchunk.retrieval.memos.check import shown

    table = grid("-", "-", "~")
    for quote in quotations:
        text = Text("\n".join((shown(quote), *quote.lines)))
        text.highlight_regex(r"\[-.*?-\]", "red")
        text.highlight_regex(r"\{\+.*?\+\}", "green")
        table.add_row(Text(quote.status, style=_STYLES.get(quote.status, "red")), quote.place, text)
    console().print(table)


def _say_end(checked: MemoCheck, *, as_json: bool, page: Path | None) -> None:
    """Print the numbers: to standard output below the table, else to standard error."""
    if checked.quotations and not as_json and page is None:
        plain(checked.summary, STRONG)
    else:
        Reporter().say(checked.summary)
