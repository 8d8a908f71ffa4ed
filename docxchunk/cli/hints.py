"""Suggest options that fit a document, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Final

from rich.text import Text

from docxchunk.cli.console import counted
from docxchunk.cli.printing import heading, indented
from docxchunk.model.blocks import SessionType
from docxchunk.model.document import Document
from docxchunk.model.options import Headings, ParseOptions

_MUCH: Final = 2000  # characters from which missing headings are worth a hint


def print_hints(document: Document, path: str) -> None:
    """Print the hints, then the commands that show the chunks."""
    heading("Hints")
    name = shlex.quote(path)
    commands = (
        ("See its chunks in the terminal:", f"docxchunk show {name} --chunks"),
        ("and in a browser:", f"docxchunk report {name}"),
    )
    for what, how in (*hints(document), *commands):
        indented(Text.assemble(what, " ", (how, "cyan")))


def hints(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each finding with the option that helps."""
    for matter, option in _HINTS:
        if what := matter(document):
            yield f"{what}:", option


def _no_headings(document: Document) -> str:
    alone = document.structured and not any(block.level for block in document.blocks)
    return (
        "No headings are marked"
        if alone and _options(document).headings is Headings.MARKED and _length(document) > _MUCH
        else ""
    )


def _changes(document: Document) -> str:
    number = sum(
        document.report.dropped.get(reason, 0) for reason in ("deleted text", "inserted text")
    )
    return f"Tracked changes, {counted(number, 'character')} left out" if number else ""


def _left_out(name: str, reason: str) -> Callable[[Document], str]:
    def matter(document: Document) -> str:
        number = document.report.dropped.get(reason, 0)
        return f"{name}, {counted(number, 'character')} left out" if number else ""

    return matter


def _contents(document: Document) -> str:
    number = sum(
        len(block.content) for block in document.blocks if block.session_type is SessionType.TOC
    )
    return f"A table of contents, {counted(number, 'character')}" if number else ""


_HINTS: Final[tuple[tuple[Callable[[Document], str], str], ...]] = (
    (_no_headings, "--headings auto detects them"),
    (_changes, "--track-changes all"),
    (_left_out("Comments", "comment"), "--comments"),
    (_left_out("Hidden text", "hidden text"), "--hidden-text"),
    (_contents, "--drop-toc leaves it out"),
)


def _options(document: Document) -> ParseOptions:
    return document.options or ParseOptions()


def _length(document: Document) -> int:
    return sum(len(block.content) for block in document.blocks)
