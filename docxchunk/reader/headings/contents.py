"""Find tables of contents that were typed by hand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from docxchunk.language.numbers import Number, number_of_paragraph
from docxchunk.language.patterns import pattern
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item

# of a text in reverse: a page number after a leader; or a page such as 3-12 right after a word
_PAGE_REVERSED: Final = pattern(
    r"\d{1,4}(?:-\d{1,3})?(?=[\s.…·_]*?(?:\t|\s\s|[.…·_]{2}))[\s.…·_]++"
    r"|\d{1,3}-\d{1,3}(?=[^\W\d])"
)
_PUNCTUATION: Final = pattern("[\xa0\u2000-\u206f]+")  # quotes, dashes and blanks
_WORDS: Final = pattern(r"\w+")
# for the bytes of ASCII text: the lower case of letters, a blank for what is in no word
_ASCII_WORDS: Final = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "_" else ord(" ")
    for code in range(128)
).ljust(256)
_LONGEST: Final = 200  # characters of an entry
_APART: Final = 3  # greatest distance between neighbouring entries: up to two other lines
_LEAST: Final = 4  # entries
_LEAST_NUMBERED: Final = 3  # entries with numbers, without a title above them
_TITLES: Final = frozenset(  # without blanks
    """
    contents tableofcontents inhalt inhaltsverzeichnis inhaltsübersicht sommaire tabledesmatières
    índice sumário indice содержание оглавление 目录 目錄 目次 목차 차례
    """.split()
)
_FIRST_LETTERS: Final = frozenset(title[0] for title in _TITLES)
_LONGEST_TITLE: Final = 40
_ENDS: Final = ".,;。；"  # of an entry or its heading
_SHORTEST: Final = 3  # an entry has more characters


def typed_contents(items: Sequence[Item]) -> set[int]:
    """Return the indices of the entries of tables of contents that were typed by hand."""
    indices = [
        index
        for index, item in enumerate(items)
        if not isinstance(item, Paragraph) or (item.raw and not item.raw.isspace())
    ]
    # a position is an index in `indices`
    entries = _with_pages(items, indices) or _without_pages(items, indices)
    return {indices[position] for position in entries}


def _with_pages(items: Sequence[Item], indices: Sequence[int]) -> set[int]:
    """Return the positions of entries with page numbers: lines close to each other, of which at
    least a third occur in the document again.
    """
    texts = {
        position: item.raw.strip()
        for position, index in enumerate(indices)
        if isinstance(item := items[index], Paragraph) and len(item.raw) <= _LONGEST
    }
    without_page = {  # the texts that end in a page number
        position: text[:-length]
        for position, text in texts.items()
        if text[-1].isdigit() and (length := _page_length(text))
    }
    if len(without_page) < _LEAST:
        return set()
    words = {
        position: text_words
        for position, text in (texts | without_page).items()
        if len(text_words := _words_of(text)) > _SHORTEST
    }
    last_of = dict(zip(words.values(), words.keys(), strict=True))  # the last line with the words
    repeated = {
        position
        for position, key in words.items()
        if last_of[key] - position > _APART and not _is_marked(items[indices[position]])
    }
    paged = words.keys() & without_page.keys()
    entries: set[int] = set()
    for run in _runs(sorted(paged | repeated), _APART):
        while run and run[-1] not in paged:
            run.pop()
        different = {words[position] for position in run}
        if len(different) >= _LEAST and 3 * len(repeated.intersection(run)) >= len(run):
            entries.update(range(run[0], run[-1] + 1))
    return entries


def _is_marked(item: Item) -> bool:
    return isinstance(item, Paragraph) and item.outline.level > 0


def _without_pages(items: Sequence[Item], indices: Sequence[int]) -> set[int]:
    """Return the positions of entries without page numbers: lines that occur in the document again,
    in the same order.

    - Below the title of a table of contents. Between the entries, and between the title and the
      first of them, there may be up to two other lines. After them, lines with the number of a
      later one are entries, too: "Annex I", whose title is below it.
    - Without a title, as in the agenda of a meeting, lines with numbers, one right below another,
      of which each has other lines below it where it occurs again.
    """
    paragraphs = {
        position: item
        for position, index in enumerate(indices)
        if isinstance(item := items[index], Paragraph) and len(item.raw) <= _LONGEST
    }
    occurrences: dict[str, list[int]] = defaultdict(list)
    for position, item in paragraphs.items():
        occurrences["".join(item.raw.split()).casefold().rstrip(_ENDS)].append(position)
    again = {  # without the last occurrences
        position: positions for positions in occurrences.values() for position in positions[:-1]
    }
    repeated = sorted(again)
    numbered = [position for position in repeated if _number(paragraphs[position])]
    titles = [position for position, item in paragraphs.items() if _names_contents(item.raw)]
    divisions = _divisions(paragraphs) if titles else {}
    last_of = {division: position for position, division in divisions.items()}
    entries: set[int] = set()
    for run in _runs(repeated, _APART):
        listed, headings = _listed(run, again)
        title = bisect_left(titles, run[0]) - 1
        is_titled = title >= 0 and run[0] - titles[title] <= _APART
        if is_titled and len(listed) >= _LEAST:
            end = listed[-1] + 1
            while end in divisions and end < headings[0] <= last_of[divisions[end]]:
                end += 1
            entries.update(range(run[0], end))
    for run in _runs(numbered, 1):
        listed, headings = _listed(run, again)
        has_texts = all(below - above > 1 for above, below in pairwise(headings))
        if len(listed) >= _LEAST_NUMBERED and has_texts:
            entries.update(listed)
    return entries


def _listed(
    run: Sequence[int], occurrences: Mapping[int, Sequence[int]]
) -> tuple[list[int], list[int]]:
    """Return the entries at the beginning of a run of lines, and the headings that they name, which
    come in the same order. No entry is below the first heading. `occurrences` has the ascending
    positions of the lines with the text of each line.
    """
    alike = occurrences[run[0]]
    first_heading = alike[bisect_right(alike, run[0])]
    before = run[: bisect_left(run, first_heading)]
    headings = _next_occurrences([occurrences[position] for position in before], run[0])
    return list(before[: len(headings)]), headings


def _number(item: Paragraph) -> Number | None:
    return number_of_paragraph(item.raw.strip(), item.label.strip())


def _divisions(paragraphs: Mapping[int, Paragraph]) -> dict[int, tuple[str, tuple[int, ...]]]:
    """Return the kind and the path of the numbers of divisions, by position in ascending order."""
    return {
        position: (number.kind, number.path)
        for position, item in paragraphs.items()
        if (number := _number(item)) and number.rank
    }


def is_contents(title: str, lines: Sequence[str]) -> bool:
    """Return whether a section is a table of contents. It has the title of one, and no line is
    long. The last line and at least half of all lines end in a page number.
    """
    if len(lines) < _LEAST or not _names_contents(title) or max(map(len, lines)) > _LONGEST:
        return False
    paged = [_page_length(line) > 0 for line in lines]
    return paged[-1] and 2 * sum(paged) >= len(paged)


def _next_occurrences(occurrences: Iterable[Sequence[int]], after: int) -> list[int]:
    """Return the next occurrence of each line. Search for the first line after `after`, and for
    each later line after the occurrence of the line before it. End at the first line that is not
    found.

    `occurrences` has the ascending positions of each line.
    """
    targets: list[int] = []
    for positions in occurrences:
        later = bisect_right(positions, after)
        if later == len(positions):
            break
        after = positions[later]
        targets.append(after)
    return targets


def _names_contents(text: str) -> bool:
    return (
        len(text) <= _LONGEST_TITLE
        and text.lstrip()[:1].lower() in _FIRST_LETTERS
        and "".join(text.split()).lower() in _TITLES
    )


def _page_length(text: str) -> int:
    """Return the number of characters of the page number at the end of a text, with the leader
    before it. Return 0 without one. (A pattern that reads from the end is ten times as fast.)
    """
    page = _PAGE_REVERSED.match(text[::-1]) if text[-1:].isdigit() else None
    return page.end() if page else 0


def _words_of(text: str) -> str:
    """Return the words of a line in lower case, with a blank between two."""
    if not text.isascii():
        text = _PUNCTUATION.sub(" ", text)
    if text.isascii():  # much faster than the pattern
        return " ".join(text.encode().translate(_ASCII_WORDS).decode().split())
    return " ".join(_WORDS.findall(text)).casefold()


def _runs(positions: Iterable[int], apart: int) -> list[list[int]]:
    """Split ascending positions into runs whose neighbours are at most `apart` apart."""
    runs: list[list[int]] = []
    for position in positions:
        if runs and position - runs[-1][-1] <= apart:
            runs[-1].append(position)
        else:
            runs.append([position])
    return runs
