"""Count the words of a Word file, and those that a program kept."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from lxml import etree

from docxchunk.language.scripts import UNSPACED

_WORD: Final = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
_READ: Final = re.compile(r"word/(document|footnotes|endnotes)\d*\.xml")
_SPACES: Final = frozenset({"tab", "br", "cr", "p"})
_INLINE: Final = re.compile(
    r"(?<!\\)</?(?:a|b|del|em|i|ins|s|span|strong|sub|sup"
    r"|u)(?: [^<>]*)?>",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"(?<!\\)</?[a-z][^<>]*>", re.IGNORECASE)  # r"\<name>" is text in Markdown
_SKIPPED: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def words_of(text: str) -> Counter[str]:
    """Count the words of a text: runs of letters and digits, and single characters of Chinese,
    Japanese and Korean.
    """
    return Counter(_WORD.findall(text.casefold()))


def file_words(file: Path) -> Counter[str]:
    """Count the words in the text (`w:t`, ECMA-376 Part 1, 17.3.3.31) of the main part, footnotes
    and endnotes. Deleted text does not count.
    """
    with ZipFile(file) as package:
        parts = [package.read(name) for name in package.namelist() if _READ.fullmatch(name)]
    return sum((words_of("".join(_texts(part))) for part in parts), Counter[str]())


def kept_words(text: str, wanted: Counter[str]) -> int:
    """Return how many of the wanted words are in a text (HTML, Markdown or plain). A word that is
    wanted twice counts twice if the text has it twice. Tags are not words.
    """
    return (words_of(without_tags(text)) & wanted).total()


def without_tags(text: str) -> str:
    """Return a text (HTML, Markdown or plain) without tags, and with characters for entities."""
    return html.unescape(_TAG.sub(" ", _INLINE.sub("", text)))


def _texts(part: bytes) -> Iterator[str]:
    """Yield the text of a part, with spaces for tabs, breaks and ends of paragraphs. Fallbacks
    repeat text boxes and are left out.
    """
    root = etree.fromstring(
        part, etree.XMLParser(resolve_entities=False, huge_tree=True, recover=True)
    )
    for fallback in [*root.iter(_SKIPPED)]:
        fallback.getparent().remove(fallback)
    for _, element in etree.iterwalk(root, events=("end",), tag="{*}*"):
        name = etree.QName(element).localname
        if name == "t" and element.text:
            yield element.text
        elif name in _SPACES:
            yield " "
