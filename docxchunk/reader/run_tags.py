"""Find what sets text of a paragraph apart, emphasis and links, and put it between tags.

A paragraph keeps its text without these tags, so that headings, captions and header rows are found
in the same way with and without them. `with_tags` adds them when the text is written: around whole
words, on one line, in pieces that a chunk can hold.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range
from docxchunk.reader.prescan import emphasis_of
from docxchunk.reader.text import (
    BREAK,
    FIELD,
    LONGEST_MARKED,
    NOTE,
    NUMBER,
    OBJECT,
    OPEN,
    TURN,
    Out,
    pieces_of,
)

if TYPE_CHECKING:
    from docxchunk.ooxml.formatting import Emphasis
    from docxchunk.ooxml.styles import ParagraphStyle
    from docxchunk.reader.state import State

_RangesOfTags = Mapping[tuple[str, str], list[Range]]  # by name and attribute

_LINK, _HIGHLIGHT, _UNDERLINE, _BOLD, _ITALIC, _STRUCK = "a", "mark", "u", "strong", "em", "del"
_UNTAGGED: Final = "untagged"  # the attribute of a link whose target is not kept
_OF_HEADINGS: Final = (_UNDERLINE, _BOLD, _ITALIC)
_LONGEST_TARGET: Final = 1000  # characters; longer targets hold data, not an address
_START: Final = attrgetter("start")
_SCHEME: Final = pattern(r"\s*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PROGRAMS: Final = frozenset(("javascript", "vbscript", "data"))  # targets that are no addresses
_UNSAFE: Final = frozenset(' "<>\\|`')

# letters, digits, and signs within words; raised and lowered text counts as letters. Languages that
# are written without blanks have words of one character.
_NO_BLANKS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_SIGNS: Final = "\u00ad\u0300-\u036f\u0591-\u05c7\u0610-\u06ff\u0900-\u0dff\u200b-\u200d\u2060"
_LETTER: Final = pattern(r"[^\W\d_]")
_RAISED: Final = rf"{OPEN}su[bp]>[^{OPEN}]*{OPEN}/su[bp]>"
_APART: Final = pattern(rf"{BREAK}|{NOTE}[^{NOTE}\]]*\]|{OBJECT}\d+{OBJECT}")
_ATOM: Final = pattern(rf"{_RAISED}|{_APART.pattern}|{NUMBER}[^{NUMBER}]*{NUMBER}")
_WORD: Final = pattern(
    rf"(?:{_RAISED}|[^\W{_NO_BLANKS}]|[{_SIGNS}]|(?<=\w)['’](?=\w))++|{_ATOM.pattern}"
)


class InlineTag(NamedTuple):
    """Characters [start, end) of the raw text of a paragraph that are between tags."""

    start: int
    end: int
    name: str
    attribute: str = ""  # ' href="https://example.org"'


# -- find
# ------------------------------------------------------------------------------


def link_target(address: str) -> str:
    """Return an address as the value of an attribute. Return "" for an address that runs a program
    or holds data, or that is too long.
    """
    scheme = _SCHEME.match(address)
    if (scheme and scheme[1].lower() in _PROGRAMS) or len(address) > _LONGEST_TARGET:
        return ""
    return "".join(
        quote(sign, safe="") if sign in _UNSAFE or not sign.isprintable() else sign
        for sign in address.strip()
    )


def tags_of(
    out: Out, texts: Sequence[str], raw: str, style: ParagraphStyle, state: State
) -> tuple[InlineTag, ...]:
    """Return the tags of a paragraph in the order of their starts.

    `out` are the pieces of its raw text, and `texts` the same pieces without page turns. `raw` is
    the complete text. It may differ from the pieces: numbers are moved into the label, and so on.
    """
    starts = [0, *accumulate(map(len, texts))]
    moved = _Moved("".join(texts), raw)
    options = state.env.options
    in_toc = style.is_toc or state.paragraph.in_toc
    ranges: dict[tuple[str, str], list[Range]] = {}  # by the name and the attributes of the tag
    links: list[tuple[int, int, str]] = []
    for pieces, first, last, source in state.paragraph.spans:
        if pieces is not out:
            continue  # put together apart, such as a reading in brackets
        start, end = moved.start(starts[first]), moved.end(starts[min(last, len(texts))])
        if isinstance(source, str):
            is_entry = in_toc and source.startswith("#")
            links.append((start, end, "" if is_entry else link_target(source)))
            continue
        run_emphasis = emphasis_of(source, style.id, state.env.styles, options)
        for tag in _names(run_emphasis, everything=options.everything):
            ranges.setdefault(tag, []).append((start, end))
    if not options.everything:
        return _struck_tags(raw, ranges)
    for start, end, target in sorted(links, key=lambda link: (link[0], -link[1])):
        attribute = f' href="{target}"' if target else _UNTAGGED
        ranges.setdefault((_LINK, attribute), []).append((start, end))
    return _all_tags(raw, ranges)


def _struck_tags(raw: str, ranges: _RangesOfTags) -> tuple[InlineTag, ...]:
    """Return the tags of struck-through text, which may begin or end inside a word."""
    return tuple(
        InlineTag(*span, *key)
        for key, spans in ranges.items()
        for span in _Words(raw, _ATOM).with_whole_words(_joined_ranges(raw, spans))
    )


def _all_tags(raw: str, ranges: _RangesOfTags) -> tuple[InlineTag, ...]:
    """Return the tags of these ranges, around whole words. Links are not underlined."""
    words = _Words(raw, _WORD)
    tags: list[InlineTag] = []
    for name in (_LINK, _HIGHLIGHT, _UNDERLINE, _BOLD, _ITALIC, _STRUCK):
        of_name = sorted(
            (InlineTag(*span, *key) for key, spans in ranges.items() if key[0] == name
             for span in words.with_whole_words(_joined_ranges(raw, spans, over_blanks=True))),
            key=lambda tag: (tag.start, -tag.end),
        )  # fmt: skip
        linked = [tag for tag in tags if tag.name == _LINK] if name == _UNDERLINE else []
        tags += _minus(raw, of_name, linked)
    return tuple(sorted((tag for tag in tags if tag.attribute != _UNTAGGED), key=itemgetter(0)))


def _names(emphasis: Emphasis, *, everything: bool) -> Iterator[tuple[str, str]]:
    """Yield the name and the attributes of each tag of a run. Without `everything`, only
    struck-through text has a tag.
    """
    if emphasis.strike:
        yield _STRUCK, ""
    if everything:
        if emphasis.highlight.isalpha():
            yield _HIGHLIGHT, f' color="{emphasis.highlight}"'
        if emphasis.underline:
            yield _UNDERLINE, ""
        if emphasis.bold:
            yield _BOLD, ""
        if emphasis.italic:
            yield _ITALIC, ""


class _Moved:
    """Maps the text of a paragraph as it was read to the complete text. An offset in changed text
    is moved to the start or the end of the change. Each number of a field is a change of its own.
    """

    def __init__(self, read: str, raw: str) -> None:
        # in order: start and end in the text that was read, and in the complete text
        self._changes = [(-1, 0, 0, 0)]
        fields, numbers = ([field.span() for field in FIELD.finditer(text)] for text in (read, raw))
        in_label = len(fields) - len(numbers)  # numbers that were moved into the label
        fields_in_text = [*fields[max(in_label, 0) :], (len(read), len(read))]
        numbers_in_text = [*numbers[max(-in_label, 0) :], (len(raw), len(raw))]
        read_at = raw_at = 0
        for field, number in zip(fields_in_text, numbers_in_text, strict=True):
            # the text before the field, and then the field
            old_text, new_text = read[read_at : field[0]], raw[raw_at : number[0]]
            if len(old_text) != len(new_text):
                same_at_start = _equal(old_text, new_text)
                same_at_end = _equal(old_text[same_at_start:][::-1], new_text[same_at_start:][::-1])
                old_change = read_at + same_at_start, field[0] - same_at_end
                new_change = raw_at + same_at_start, number[0] - same_at_end
                self._changes.append((*old_change, *new_change))
            self._changes.append((*field, *number))
            read_at, raw_at = field[1], number[1]

    def start(self, offset: int) -> int:
        at = bisect_right(self._changes, offset, key=itemgetter(0)) - 1
        _, after, start, end = self._changes[at]
        return start if offset < after else offset - after + end

    def end(self, offset: int) -> int:
        at = bisect_left(self._changes, offset, key=itemgetter(0)) - 1
        _, after, _, end = self._changes[at]
        return max(offset - after, 0) + end


def _equal(text: str, other: str) -> int:
    """Return the number of characters at the start that are the same in two texts."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(text), len(other)))


class _Words:
    """The words of a text, or other ranges that are not to be divided."""

    def __init__(self, raw: str, pattern: re.Pattern[str]) -> None:
        self._raw = raw
        self._words = [word.span() for word in pattern.finditer(raw)]
        self._ends = [end for _, end in self._words]

    def with_whole_words(self, ranges: Iterable[Range]) -> Iterator[Range]:
        """Yield the ranges with whole words: a word belongs to a range that has half of its
        characters.
        """
        for start, end in ranges:
            yield self._edge_of_word(start, start, end), self._edge_of_word(end, start, end)

    def _edge_of_word(self, offset: int, start: int, end: int) -> int:
        """Return the offset if it is not inside a word. Otherwise return the start or the end of
        the word: the range [start, end) gets the word if it has at least half of its characters.
        """
        at = bisect_right(self._ends, offset)
        if at == len(self._words) or self._words[at][0] >= offset:
            return offset
        first, last = self._words[at]
        has_most = 2 * (min(end, last) - max(start, first)) >= last - first
        return first if has_most == (offset == start) else last


def _joined_ranges(raw: str, ranges: Iterable[Range], *, over_blanks: bool = False) -> list[Range]:
    """Return the ranges in order. Ranges are joined if they touch or have only blanks of one line
    between them.
    """
    joined: list[Range] = []
    for start, end in sorted(ranges):
        between = raw[joined[-1][1] : start] if joined else BREAK
        if not between or (over_blanks and between.isspace() and BREAK not in between):
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif start < end:
            joined.append((start, end))
    return joined


def _minus(raw: str, tags: Iterable[InlineTag], others: Sequence[InlineTag]) -> Iterator[InlineTag]:
    """Yield the parts of the tags that are not in an earlier tag or in one of `others`. `others`
    are in order and do not overlap.
    """
    until, ends = 0, [other.end for other in others]
    for tag in tags:
        start = max(tag.start, until)
        until = max(tag.end, until)
        at = bisect_right(ends, start)
        while at < len(others) and others[at].start < tag.end:
            yield from _trimmed(raw, tag._replace(start=start, end=others[at].start))
            start = others[at].end
            at += 1
        yield from _trimmed(raw, tag._replace(start=start))


def _trimmed(raw: str, tag: InlineTag) -> Iterator[InlineTag]:
    """Yield the tag without blanks at its ends, unless nothing is left."""
    text = raw[tag.start : tag.end]
    if trimmed := text.strip():
        start = tag.start + len(text) - len(text.lstrip())
        yield tag._replace(start=start, end=start + len(trimmed))


def of_heading(raw: str, tags: Iterable[InlineTag], start: int) -> tuple[InlineTag, ...]:
    """Return the tags of a heading that begins at `start` of its paragraph: without emphasis that
    all of its letters have.
    """
    letters = [letter.start() for letter in _LETTER.finditer(raw)] or [0]
    first, last = start + letters[0], start + letters[-1]
    return tuple(
        tag for tag in tags if tag.name not in _OF_HEADINGS or tag.start > first or tag.end <= last
    )


# -- write
# ------------------------------------------------------------------------------


def with_tags(raw: str, tags: Iterable[InlineTag], start: int, turns: Iterable[int]) -> str:
    """Return the raw text of a paragraph, or of a part that begins at `start`, with its tags, and
    with a mark at each of the offsets `turns` in `raw`.

    Tags never cross each other, a line break, a note mark or an object. In long text, they begin
    anew in each piece: a chunk that ends between two pieces has whole tags.
    """
    inside = [
        tag._replace(start=max(tag.start - start, 0), end=min(tag.end - start, len(raw)))
        for tag in tags
    ]
    inserts = [(turn, 1, TURN) for turn in turns]
    inserts += _inserts(inside, _regions(raw, inside))
    inserts.sort(key=itemgetter(0, 1))
    texts: list[str] = []
    at = 0
    for offset, _, text in inserts:
        texts += raw[at:offset], text
        at = offset
    return "".join((*texts, raw[at:]))


def _regions(raw: str, tags: Iterable[InlineTag]) -> Iterator[Range]:
    """Yield the ranges in which tags begin and end: tagged text without breaks, notes and objects,
    in pieces of bounded length.
    """
    for first, last in _joined_ranges(raw, [(tag.start, tag.end) for tag in tags]):
        bounds = [first]
        for mark in _APART.finditer(raw, first, last):
            bounds += mark.span()
        bounds.append(last)
        for start, end in zip(bounds[::2], bounds[1::2], strict=True):
            text = raw[start:end]
            if end - start > LONGEST_MARKED:
                yield from _with_whole_scripts(raw, start, pieces_of(text))
            elif text.strip():
                # blanks at the ends of a line are no part of it
                yield (
                    end - len(text.lstrip()) if raw[start - 1 : start] == BREAK else start,
                    start + len(text.rstrip()) if raw[end : end + 1] == BREAK else end,
                )


def _with_whole_scripts(raw: str, start: int, pieces: Iterable[Range]) -> Iterator[Range]:
    """Yield the pieces of a text that begins at `start`. Pieces are joined where they would divide
    raised or lowered text.
    """
    raised = [mark.span() for mark in re.finditer(_RAISED, raw)] if OPEN in raw else []
    ends = [end for _, end in raised]
    begun = last = -1
    for first, last in pieces:
        begun = start + first if begun < 0 else begun
        at = bisect_right(ends, start + last)
        if at == len(raised) or raised[at][0] >= start + last:
            yield begun, begun + len(raw[begun : start + last].rstrip())
            begun = -1
    if begun >= 0:
        yield begun, start + last


def _inserts(tags: Sequence[InlineTag], regions: Iterable[Range]) -> Iterator[tuple[int, int, str]]:
    """Yield the opening and closing tags in regions, which are in order, as (offset, order at this
    offset, text).
    """
    begun = 0  # how many tags begin before the current offset
    inside: list[InlineTag] = []  # the tags around the current offset
    for first, last in regions:
        inside = [tag for tag in inside if tag.end > first]
        until = bisect_left(tags, last, begun, key=_START)
        offsets = {first, last}
        for tag in (*inside, *tags[begun:until]):
            if tag.end > first:
                offsets |= {max(tag.start, first), min(tag.end, last)}
        opened: list[InlineTag] = []
        for offset in sorted(offsets):
            fresh = bisect_right(tags, offset, begun, until, key=_START)
            inside = [tag for tag in (*inside, *tags[begun:fresh]) if tag.end > offset]
            begun = fresh
            yield from _replaced(opened, inside if offset < last else (), offset)


def _replaced(
    opened: list[InlineTag], wanted: Sequence[InlineTag], offset: int
) -> Iterator[tuple[int, int, str]]:
    """Close the open tags that are not wanted, and the tags inside them. Then open the wanted tags.
    Update `opened`.
    """
    first_closed = next((i for i, tag in enumerate(opened) if tag not in wanted), len(opened))
    for tag in reversed(opened[first_closed:]):
        yield offset, 0, f"{OPEN}/{tag.name}>"
    del opened[first_closed:]
    missing = [tag for tag in wanted if tag not in opened]
    missing.sort(key=lambda tag: -tag.end)  # the longest is outside
    for tag in missing:
        yield offset, 2, f"{OPEN}{tag.name}{tag.attribute}>"
    opened += missing
