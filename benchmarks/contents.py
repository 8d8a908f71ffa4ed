"""What a Word file contains, read with lxml alone, and how much of it a program kept: headings,
their numbers, the cells of tables, and where its chunks cut.

Texts are compared by their letters and digits: markup, blanks and signs do not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import ZipFile

from lxml import etree

from docxchunk.lab.bench.words import without_tags

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SKIPPED: Final = frozenset(
    {
        *(f"{_W}{name}" for name in ("del", "moveFrom", "txbxContent")),
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    }
)
_STYLES: Final = "word/styles.xml"
_READ: Final = re.compile(rf"word/document\d*\.xml|{_STYLES}")
_NUMBERED: Final = re.compile(r"\d+(?:\.\d+)*\.?\t")  # "1.2<tab>Scope<tab>7" in a table of contents
_SIGNS: Final = re.compile(r"\\[nt]|[\W_]+")  # JSON writes a line break as \n
_LINK: Final = re.compile(r"(\])\([^()\s]*\)")
_NOTE: Final = re.compile(r"\[\^\w+\]")
_DIGITS: Final = re.compile(r"\d+")
_HEADING: Final = re.compile(r"^#{1,6} +(.*)$|<h[1-6][^>]*>(.*?)</h[1-6]>", re.MULTILINE)
_CELL: Final = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)
_ROW: Final = re.compile(r"^\s*\|(.*)\|\s*$", re.MULTILINE)
_BETWEEN_CELLS: Final = re.compile(r"(?<!\\)\|")
_LEAST: Final = 20  # letters of a paragraph by which a place is recognized
_LEAST_OF_CELL: Final = 6


def letters(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return _SIGNS.sub("", text).casefold()


def letters_of_markup(text: str) -> str:
    """Return the letters and digits of Markdown or HTML, without tags, targets of links and the
    marks of footnotes.
    """
    return letters(without_tags(_NOTE.sub("", _LINK.sub(r"\1", text))))


class Share(NamedTuple):
    """How many of some things a program kept."""

    kept: int
    total: int


class Cuts(NamedTuple):
    """How many tables that fit into a chunk are torn apart, of how many that could be found; and
    how many chunks have text of more than one section of the first level.
    """

    tables: Share
    mixed: int


class Contents:
    """What a Word file contains. Text boxes and deleted text do not count."""

    def __init__(self, file: Path) -> None:
        with ZipFile(file) as package:
            parts = {
                name: _parsed(package.read(name))
                for name in package.namelist()
                if _READ.fullmatch(name)
            }
        self._styles = _Styles(parts.pop(_STYLES) if _STYLES in parts else None)
        self._items = [item for root in parts.values() for item in _items(root)]

    @cached_property
    def headings(self) -> Counter[str]:
        """The headings, by a style or an outline level."""
        return Counter(text for level, text in self._paragraphs if level and text)

    @cached_property
    def numbers(self) -> list[str]:
        """The numbered headings with their numbers, as Word wrote them to the table of contents."""
        found = []
        for paragraph in self._items:
            if paragraph.tag == f"{_W}p" and self._styles.is_of_contents(paragraph):
                text = _text(paragraph)
                if _NUMBERED.match(text):
                    found.append(letters(text.rpartition("\t")[0]))
        return [text for text in found if not text.isdigit()]

    @cached_property
    def tables(self) -> list[list[str]]:
        """The cells with text of each table, without tables in cells and the cells around them."""
        return [
            [
                said
                for cell in each.iter(f"{_W}tc")
                if next(cell.iter(f"{_W}tbl"), None) is None
                and next(cell.iterancestors(f"{_W}tc"), None) is None
                and (said := letters(_text(cell)))
            ]
            for each in self._items
            if each.tag == f"{_W}tbl"
        ]

    @cached_property
    def sections(self) -> dict[str, int]:
        """The paragraphs that occur once and have some length, and the number of their section of
        the first level.
        """
        number, found, times = 0, {}, Counter[str]()
        for level, text in self._paragraphs:
            number += level == 1
            times[text] += 1
            if not level and len(text) >= _LEAST:
                found[text] = number
        return {text: number for text, number in found.items() if times[text] == 1}

    @cached_property
    def _paragraphs(self) -> list[tuple[int, str]]:
        """The paragraphs outside of tables: level of a heading, or 0, and text."""
        return [
            (self._styles.level(each), letters(_text(each)))
            for each in self._items
            if each.tag == f"{_W}p" and not self._styles.is_of_contents(each)
        ]

    # -- what is kept

    def kept_headings(self, text: str) -> Share:
        """Count the headings that are headings in Markdown or HTML, with or without numbers."""
        there = headings_of(text)
        kept = sum(
            min(times, sum(count for other, count in there.items() if other.endswith(heading)))
            for heading, times in self.headings.items()
        )
        return Share(kept, self.headings.total())

    def kept_numbers(self, text: str) -> Share:
        """Count the numbered headings that are headings with the same number."""
        there = headings_of(text)
        return Share(sum(each in there for each in self.numbers), len(self.numbers))

    def kept_cells(self, text: str) -> Share:
        """Count the cells that are cells of a table in Markdown or HTML."""
        wanted = Counter(cell for table in self.tables for cell in table)
        there = Counter(cells_of(text))
        kept = wanted & there
        return Share(
            kept.total() + (_numberless(wanted - kept) & _numberless(there - kept)).total(),
            wanted.total(),
        )

    def cuts(self, chunks: Sequence[str], fits: int, size: Callable[[str], int] = len) -> Cuts:
        """Count where chunks cut tables whose cells have at most this size, and which chunks mix
        sections. Texts that are in several chunks do not count.
        """
        there = [letters_of_markup(chunk) for chunk in chunks]
        torn = found = 0
        for table in self.tables:
            if size(" ".join(table)) > fits:
                continue
            places = set(_places([cell for cell in table if len(cell) >= _LEAST_OF_CELL], there))
            found += bool(places)
            torn += len(places) > 1
        sections: dict[int, set[int]] = {}
        for text, number in self.sections.items():
            for place in _places([text], there):
                sections.setdefault(place, set()).add(number)
        return Cuts(Share(torn, found), sum(len(numbers) > 1 for numbers in sections.values()))


def _numberless(cells: Counter[str]) -> Counter[str]:
    """Return cells without digits: a program may write the numbers of lists, or of notes."""
    found = Counter[str]()
    for cell, times in cells.items():
        found[_DIGITS.sub("", cell)] += times
    del found[""]
    return found


def headings_of(text: str) -> Counter[str]:
    """Return the headings in Markdown or HTML."""
    return Counter(
        letters_of_markup(found[1] or found[2] or "") for found in _HEADING.finditer(text)
    )


def cells_of(text: str) -> Iterator[str]:
    """Yield the cells of the tables in Markdown or HTML, or in JSON between tags."""
    for found in _CELL.finditer(text):
        yield letters_of_markup(found[1])
    for row in _ROW.finditer(text):
        for cell in _BETWEEN_CELLS.split(row[1]):
            yield letters_of_markup(cell)
    for table in re.finditer(r"<table[^>]*>(\[\[.*?\]\])</table>", text, re.DOTALL):
        for cell in re.findall(r'"((?:[^"\\]|\\.)*)"', table[1]):
            yield letters_of_markup(cell)


def _places(texts: Iterable[str], chunks: Sequence[str]) -> Iterator[int]:
    """Yield the chunk of each text that is in one chunk only."""
    for text in texts:
        places = [number for number, chunk in enumerate(chunks) if text in chunk]
        if len(places) == 1:
            yield places[0]


class _Styles:
    """The paragraph styles: levels of headings, and entries of tables of contents."""

    def __init__(self, root: etree._Element | None) -> None:
        styles = () if root is None else root.iter(f"{_W}style")
        self._styles = {str(style.get(f"{_W}styleId")): style for style in styles}

    def level(self, paragraph: etree._Element) -> int:
        """Return the level of a heading, from 1 to 9, or 0 (17.3.1.20)."""
        for owner in (paragraph, *self._chain(paragraph)):
            outline = owner.find(f"{_W}pPr/{_W}outlineLvl")
            if outline is not None:
                level = int(outline.get(f"{_W}val", "9")) + 1
                return level if level <= 9 else 0  # 9, the tenth level, is body text
        return 0

    def is_of_contents(self, paragraph: etree._Element) -> bool:
        return any(
            name.get(f"{_W}val", "").casefold().startswith("toc ")
            for style in self._chain(paragraph)
            for name in style.iterfind(f"{_W}name")
        )

    def _chain(self, paragraph: etree._Element) -> Iterator[etree._Element]:
        """Yield the style of a paragraph and those it is based on."""
        seen = set()
        used = paragraph.find(f"{_W}pPr/{_W}pStyle")
        while used is not None and (name := used.get(f"{_W}val", "")) not in seen:
            seen.add(name)
            style = self._styles.get(name)
            if style is None:
                return
            yield style
            used = style.find(f"{_W}basedOn")


def _parsed(part: bytes) -> etree._Element:
    return etree.fromstring(part, etree.XMLParser(resolve_entities=False, huge_tree=True))


def _items(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the paragraphs and tables of the body, those in content controls included."""
    for child in parent:
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        elif child.tag not in _SKIPPED and isinstance(child.tag, str):
            yield from _items(child)


def _text(element: etree._Element) -> str:
    """Return the text of an element, with tabs."""
    parts = []
    for child in element:
        if child.tag == f"{_W}t":
            parts.append(child.text or "")
        elif child.tag == f"{_W}tab" and element.tag == f"{_W}r":
            parts.append("\t")
        elif child.tag not in _SKIPPED and isinstance(child.tag, str):
            parts.append(_text(child))
    return "".join(parts)
