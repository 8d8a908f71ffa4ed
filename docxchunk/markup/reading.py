"""Replace tags by readable text: equations by LaTeX between dollar signs, pictures by a few
words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from docxchunk.markup.tags import escape_cell

OBJECT: Final = re.compile(
    r"<equation\b(?P<id> id=)?[^>]*>(?P<latex>.*?)</equation>"
    r"|<drawing\b[^>]*/>",
    re.DOTALL,
)
_PIPE: Final = re.compile(r"(?<!\\)(\\*+)\|")
_OBJECT_OR_DOLLAR: Final = re.compile(rf"{OBJECT.pattern}|(?<!\\)\$", re.DOTALL)

Describe = Callable[[str], str]
"""A function from the tag of a picture to the words that replace it."""


class Replacement(NamedTuple):
    """Characters [start, end) of a text and the text that replaces them."""

    start: int
    end: int
    text: str


def objects(text: str, describe: Describe) -> Iterator[Replacement]:
    """Yield the replacements of the equations and pictures in a text, in order."""
    if "<" not in text:
        return
    for tag in OBJECT.finditer(text):
        yield Replacement(tag.start(), tag.end(), _words(tag, describe))


def markdown_objects(text: str, describe: Describe) -> Iterator[Replacement]:
    r"""Yield the replacements of the equations and pictures in a text and, if it has equations, of
    unescaped dollar signs by `\$`, so that they do not read as equation marks.
    """
    if "<equation" not in text:
        yield from objects(text, describe)
        return
    for mark in _OBJECT_OR_DOLLAR.finditer(text):
        words = r"\$" if mark[0] == "$" else _words(mark, describe)
        yield Replacement(mark.start(), mark.end(), words)


def plain_cell(text: str, describe: Describe) -> str:
    """Return the text of a table cell on one line."""
    return " ".join(_replaced(text, objects(text, describe)).split())


def markdown_cell(text: str, describe: Describe) -> str:
    """Return the text of a cell for a pipe table (GitHub Flavored Markdown, section 4.10), with
    pipes escaped.
    """
    return escape_pipes(" ".join(_replaced(text, markdown_objects(text, describe)).split()))


def escape_pipes(text: str) -> str:
    """Return the text of a cell with each pipe escaped. Backslashes before a pipe are doubled;
    otherwise they would cancel its escape.
    """
    return _PIPE.sub(lambda pipe: pipe[1] * 2 + r"\|", text)


def html_cell(text: str, describe: Describe) -> str:
    """Return the text of a cell for an HTML table."""
    return escape_cell(plain_cell(text, describe))


def _replaced(text: str, replacements: Iterator[Replacement]) -> str:
    kept: list[str] = []
    at = 0
    for start, end, words in replacements:
        kept += text[at:start], words
        at = end
    return "".join((*kept, text[at:])) if kept else text


def _words(tag: re.Match[str], describe: Describe) -> str:
    latex = tag["latex"]
    if latex is None:
        return describe(tag[0])
    if not latex.strip():
        return "[Equation]"
    marks = "$$" if tag["id"] else "$"
    return f"{marks}{latex.strip()}{marks}"


def picture(kind: str, alternative: str) -> str:
    """Return the words for a picture: its kind and its alternative text or caption, if it has
    one.
    """
    words = " ".join(html.unescape(alternative).split())
    return f"[{kind}: {words}]" if words else f"[{kind}]"
