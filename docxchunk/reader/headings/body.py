"""Describe the body text of a document, which headings are compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeVar

from docxchunk.ooxml.formatting import Layout, Look
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_Value = TypeVar("_Value")
_ENOUGH: Final = 80  # characters from which on a paragraph is body text
_COMMON: Final = 0.2  # share of all characters
_MOST: Final = 400  # characters counted per paragraph, so that none outweighs the others


class Body(NamedTuple):
    """The most common value of each property in the body text, counted in characters."""

    size: int  # half points
    bold: bool
    italic: bool
    caps: bool
    underline: bool
    color: str
    fonts: tuple[str, str]
    align: str
    indent: int
    before: int
    keep_next: bool
    style: str


def body_of(items: Iterable[Item]) -> Body:
    """Return the most common value of each property in running text.

    If no paragraph is long, headings may be most of the text: then bold, italic and so on are off,
    and the size is the smallest common one.
    """
    texts = [
        item
        for item in items
        if isinstance(item, Paragraph)
        and item.look is not None
        and not item.outline.level
        and not item.is_toc
    ]
    counts: Counter[tuple[Look | None, Layout, str]] = Counter()
    running = [item for item in texts if len(item.raw) >= _ENOUGH]
    for item in running or texts:
        counts[item.look, item.layout, item.style.id] += min(len(item.raw), _MOST)
    looks: Counter[Look] = Counter()
    layouts: Counter[Layout] = Counter()
    styles: Counter[str] = Counter({"": 0})
    for (look, layout, style), count in counts.items():
        looks[look or Look()] += count
        layouts[layout] += count
        styles[style] += count
    looks, layouts = looks or Counter([Look()]), layouts or Counter([Layout()])
    return Body(
        size=_most((look.size, n) for look, n in looks.items()) if running else _smallest(looks),
        bold=bool(running) and _most((look.bold, n) for look, n in looks.items()),
        italic=bool(running) and _most((look.italic, n) for look, n in looks.items()),
        caps=bool(running) and _most((look.caps, n) for look, n in looks.items()),
        underline=bool(running) and _most((look.underline, n) for look, n in looks.items()),
        color=_most((look.color, n) for look, n in looks.items()),
        fonts=_most(((look.font, look.font_asia), n) for look, n in looks.items()),
        align=_most((layout.align, n) for layout, n in layouts.items()),
        indent=_most((layout.indent, n) for layout, n in layouts.items()),
        before=_most((layout.before, n) for layout, n in layouts.items()),
        keep_next=_most((layout.keep_next, n) for layout, n in layouts.items()),
        style=_most(styles.items()),
    )


def _smallest(looks: Counter[Look]) -> int:
    """Return the smallest size that at least a share of `_COMMON` of the characters has."""
    sizes: Counter[int] = Counter()
    for look, count in looks.items():
        sizes[look.size] += count
    return min(size for size, count in sizes.items() if count >= _COMMON * sizes.total())


def _most(counted: Iterable[tuple[_Value, int]]) -> _Value:
    """Return the value with the largest count."""
    counts: Counter[_Value] = Counter()
    for value, count in counted:
        counts[value] += count
    return counts.most_common(1)[0][0]
