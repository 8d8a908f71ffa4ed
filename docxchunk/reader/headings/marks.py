"""Find heading levels that stand on running text, as in contracts with one on every clause."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

from docxchunk.language.numbers import number_of_paragraph
from docxchunk.language.sentences import PAUSES
from docxchunk.model.blocks import HeadingSource
from docxchunk.reader.headings.lines import width
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

_LEAST: Final = 2  # paragraphs of running text in a class that says nothing
_LONG: Final = 120  # a wider paragraph is running text
_SENTENCE: Final = 60  # a wider one is running text if it ends like a sentence
_SHORT_SENTENCE: Final = 30  # also if this one does, and its class has running text
# a level that few of the paragraphs with one look have of their own is stray, unless half of these
# have text below
_STRAY: Final = 0.2
_CLOSING: Final = "”\"'’)）"
STOPS: Final = tuple(sign for sign in PAUSES if sign not in "?？؟…")
"""The last character of a line that is no heading; a heading may ask."""


def stray_marks(items: Sequence[Item]) -> dict[int, Paragraph]:
    """Return the paragraphs whose heading level says nothing, by their indices. A class is the
    paragraphs that have the same style, level and look:

    - If the level was set on the paragraphs themselves, those that are running text say nothing.
      All of a class do if they are few beside paragraphs that look alike without a level, and if
      fewer than half of them have such a paragraph below.
    - If the level is that of the style, all of a class say nothing if at least half of them are
      running text, or most of them are items with bullets.

    In a class with several paragraphs of running text, shorter sentences are running text, too. The
    level of a paragraph stands if Word counts it as a clause such as "1.1" or "Article 1".
    """
    classes: dict[tuple[int, HeadingSource | None, Hashable], dict[int, Paragraph]] = defaultdict(
        dict
    )
    looks: Counter[Hashable] = Counter()
    for index, item in enumerate(items):
        if not isinstance(item, Paragraph):
            continue
        if not item.outline.level:
            looks[_form(item)] += 1
        elif (
            not (item.is_toc or item.is_blank or item.opens_clause)
            and item.look is not None
            and not _is_clause(item.label.strip())
        ):
            classes[item.outline.level, item.outline.source, _form(item)][index] = item
    return {
        index: item
        for (_, _, form), members in classes.items()
        for index, item in _stray(members, looks[form], items).items()
    }


def _form(item: Paragraph) -> Hashable:
    look = item.look
    return item.style.id, look and (look.size, look.bold, look.caps)


def _stray(
    members: Mapping[int, Paragraph], unmarked: int, items: Sequence[Item]
) -> Mapping[int, Paragraph]:
    running = {index: item for index, item in members.items() if is_running_text(item.raw)}
    if len(running) >= _LEAST:  # their class has sentences, not titles
        running |= {
            index: item
            for index, item in members.items()
            if width(item.raw) > _SHORT_SENTENCE and _ends_with_stop(item.raw)
        }
    is_class = len(running) >= _LEAST and 2 * len(running) >= len(members)
    is_own = next(iter(members.values())).outline.source is HeadingSource.PARAGRAPH
    if is_own:
        is_rare = len(members) <= _STRAY * unmarked
        return members if is_rare and 2 * _with_text(members, items) < len(members) else running
    return members if is_class or _is_list(members) else {}


def _is_list(members: Mapping[int, Paragraph]) -> bool:
    """Return whether most of the paragraphs are items with bullets, one right after the other."""
    bullets = {
        index
        for index, item in members.items()
        if (label := item.label.strip()) and not any(map(str.isalnum, label))
    }
    in_rows = sum(index + 1 in bullets for index in bullets)
    return len(bullets) > _LEAST and 2 * in_rows > len(members)


def _with_text(members: Mapping[int, Paragraph], items: Sequence[Item]) -> int:
    """Return how many of the paragraphs are followed by one that looks the same and has no level:
    they have text below, as headings do.
    """
    shown = [not (isinstance(item, Paragraph) and item.is_blank) for item in items]
    following = (shown.index(True, index + 1) for index in members if any(shown[index + 1 :]))
    below = (items[index] for index in following)
    form = _form(next(iter(members.values())))
    return sum(
        isinstance(item, Paragraph) and not item.outline.level and _form(item) == form
        for item in below
    )


def _is_clause(label: str) -> bool:
    number = number_of_paragraph("", label) if label else None
    return number is not None and (number.rank > 0 or len(number.path) > 1)


def is_running_text(raw: str) -> bool:
    """Return whether the text of a paragraph is too wide for a heading, or reads as a sentence."""
    text = raw.strip()
    length = width(text)
    return length > _LONG or (length > _SENTENCE and _ends_with_stop(text))


def _ends_with_stop(text: str) -> bool:
    return text.rstrip().rstrip(_CLOSING).endswith(STOPS)
