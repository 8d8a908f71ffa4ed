"""Infer the kinds of the lines of a block from their text."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import accumulate
from typing import Final

from docxchunk.markup.tables import Range
from docxchunk.model.blocks import Block, LineKind

_HEADING_MARKS = re.compile(r"#{1,6} ")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*+•▪●○■□◦‣–]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]"
    r"|[(（][\d一二三四五六七八九十]{1,3}[)）])\s"
)
# Python 3.11 takes ten times longer to look up a member of an enumeration
_HEADING: Final = LineKind.HEADING
_ONE_TAG: Final = {
    LineKind.EQUATION: re.compile(r"<equation\b[^>]*>.*?</equation>", re.DOTALL),
    LineKind.DRAWING: re.compile(r"<drawing\b[^>]*/>"),
}


def line_starts(content: str) -> list[int]:
    """Return the start offsets of the lines of a text, including blank ones."""
    return list(accumulate([len(line) + 1 for line in content.split("\n")[:-1]], initial=0))


def is_heading_line(block: Block) -> bool:
    """Return whether the first line of the block is its heading."""
    if block.lines:
        return block.lines[0].kind is _HEADING
    return block.level > 0 and _HEADING_MARKS.match(block.content) is not None


def is_list_item(text: str) -> bool:
    """Return whether a line starts with a bullet or a list number."""
    return _LIST_ITEM.match(text) is not None


def kind_of(block: Block, start: int, tables: Container[int]) -> LineKind:
    """Return the kind of the line that starts at `start`; `tables` are the start offsets of
    tables.
    """
    if start in tables:
        return LineKind.TABLE
    if start == 0 and is_heading_line(block):
        return LineKind.HEADING
    end = block.content.find("\n", start)
    text = block.content[start : end if end >= 0 else len(block.content)]
    if text.startswith("<"):
        for kind, pattern in _ONE_TAG.items():
            if pattern.fullmatch(text.strip()):
                return kind
    return LineKind.LIST if is_list_item(text) else LineKind.TEXT


def broken_equations(content: str) -> Iterator[Range]:
    """Yield the ranges of equations that span several lines."""
    if "<" in content:
        yield from (
            found.span()
            for found in _ONE_TAG[LineKind.EQUATION].finditer(content)
            if "\n" in found[0]
        )
