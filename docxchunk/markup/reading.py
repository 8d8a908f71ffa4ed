"""Text as people and language models read it: equations as LaTeX between dollars, pictures as a few words."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from docxchunk.markup.tags import escape_cell

_OBJECT: Final = re.compile(r"<equation\b(?P<id> id=)?[^>]*>(?P<latex>.*?)</equation>|<drawing\b[^>]*/>", re.DOTALL)
_PIPE: Final = re.compile(r"(\\*)\|")
_TYPED_DOLLAR: Final = re.compile(r"(?<!\\)\$")
_FILE: Final = re.compile(r"^[A-Za-z]:\\|\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)$", re.IGNORECASE)

Describe = Callable[[str], str]
"""The tag of a picture to the words that stand for it."""


class Reading(NamedTuple):
    """Characters [start, end) of a text, and what they read as."""

    start: int
    end: int
    text: str


def objects(text: str, describe: Describe) -> Iterator[Reading]:
    """The equations and pictures in a text, in order."""
    if "<" not in text:
        return
    for found in _OBJECT.finditer(text):
        yield Reading(found.start(), found.end(), _words(found, describe))


def has_formula(text: str) -> bool:
    return "<equation" in text


def typed_dollars(text: str) -> Iterator[Reading]:
    r"""The dollars in a text that are no marks of an equation, written `\$`."""
    return (Reading(found.start(), found.end(), r"\$") for found in _TYPED_DOLLAR.finditer(text))


def plain_cell(text: str, describe: Describe) -> str:
    """The text of a table cell on one line."""
    return " ".join(_replaced(text, objects(text, describe)).split())


def markdown_cell(text: str, describe: Describe) -> str:
    """The same for a cell of a pipe table (GitHub Flavored Markdown, section 4.10): pipes are escaped."""
    found = [*objects(text, describe)]
    if has_formula(text):
        found = sorted([*found, *(dollar for dollar in typed_dollars(text) if not any(a <= dollar.start < b for a, b, _ in found))])
    return _PIPE.sub(lambda pipe: pipe[1] * 2 + r"\|", " ".join(_replaced(text, found).split()))


def html_cell(text: str, describe: Describe) -> str:
    """The same for a cell of an HTML table."""
    return escape_cell(plain_cell(text, describe))


def _replaced(text: str, found: Iterator[Reading] | list[Reading]) -> str:
    kept: list[str] = []
    at = 0
    for start, end, words in found:
        kept += text[at:start], words
        at = end
    return "".join((*kept, text[at:])) if kept else text


def _words(found: re.Match[str], describe: Describe) -> str:
    latex = found["latex"]
    if latex is None:
        return describe(found[0])
    if not latex.strip():
        return "[Equation]"
    marks = "$$" if found["id"] else "$"
    return f"{marks}{latex.strip()}{marks}"


def picture(kind: str, alternative: str) -> str:
    """What stands for a picture: its kind and, where there is one, its alternative text or caption; numbers and names of files say nothing."""
    said = " ".join(html.unescape(alternative).split())
    return f"[{kind}: {said}]" if any(map(str.isalpha, said)) and not _FILE.search(said) else f"[{kind}]"
