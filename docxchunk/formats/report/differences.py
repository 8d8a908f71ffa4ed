"""Compare two versions of a text: first by lines, then the changed lines by words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, NamedTuple

from docxchunk.formats.markdown import markdown
from docxchunk.formats.report.views import TextChange
from docxchunk.markup.table_texts import row_lines
from docxchunk.markup.tables import tables
from docxchunk.markup.tags import plain
from docxchunk.model.chunks import Added, AddedRole, Chunk, Heading, SliceRole

ChunkChange = tuple[str, Chunk | None, Chunk | None]
"""Kind (added, removed, changed, moved or unchanged), old chunk, new chunk.
`docxchunk.chunking.diff.ChunkDiff` is such a tuple.
"""

_HEADING_MARKS: Final = re.compile(r"#{1,6} ")
_ASSETS: Final = re.compile(r"\([^()\s]*\.blocks\.assets/")  # contains the name of the file


class DiffSpan(NamedTuple):
    """Text that is in both versions, or only in one."""

    change: TextChange
    text: str


class PlaceChange(NamedTuple):
    """A change of a place.

    - `kind`: added, removed, changed, moved, or renumbered (the same text, another number).
    - `name`: its headings and full number, "3. Fees > 3.1(a)", in the new version; in the old one
      if it was removed.
    - `chunk`: the chunk in which it begins.
    - `spans`: its text without the number.
    """

    kind: str
    name: str
    chunk: Chunk
    spans: tuple[DiffSpan, ...]


# -- the text of a chunk

_AGAIN: Final = frozenset(
    {SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.CONTEXT}
)


def text_of(chunk: Chunk) -> str:
    """Return the text of a chunk without the text that it repeats from another chunk, as Markdown.

    If the lengths of its parts do not add up, as with decoded table cells, return all of the text.
    """
    own, at = "", 0
    for part in chunk.parts:
        end = at + (len(part.text) if isinstance(part, Added) else part.end - part.start)
        own += "" if part.role in _AGAIN else chunk.content[at:end]
        at = end
    return _lines(own if at == len(chunk.content) else chunk.content)


def without_marks(chunk: Chunk) -> str:
    """Return `text_of` without the Markdown marks of headings."""
    return "\n".join(
        found[1] if (found := heading_in(line, chunk)) else line
        for line in text_of(chunk).split("\n")
    )


def heading_in(line: str, chunk: Chunk) -> tuple[Heading, str] | None:
    """Return the heading of the chunk that a line shows, and the line without Markdown marks; None
    for other lines.
    """
    if not (marks := _HEADING_MARKS.match(line)):
        return None
    title = plain(line[marks.end() :])
    named = [heading for heading in chunk.headings if title.startswith(heading.heading)]
    return (max(named, key=lambda heading: len(heading.heading)), title) if named else None


def _lines(content: str) -> str:
    """Return the content of a chunk as Markdown. Each row of a table is a line."""
    lines, at = [], 0
    for table in tables(content):
        lines += [
            markdown(content[at : table.start], escape=False),
            *(row_lines(content, table) or [content[table.body : table.body_end]]),
        ]
        at = table.end
    lines.append(markdown(content[at:], escape=False))
    text = _ASSETS.sub("(", "\n".join(filter(None, lines)))
    return re.sub(r"\n+", "\n", text)


# -- lines and words

# a Chinese character is a word
WORD: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef]|[^\W_]+\s*|\s+|.", re.DOTALL)
_MOST: Final = 4000  # words on both sides: difflib takes quadratic time
_MOST_PAIRS: Final = 100_000  # of an old and a new line with the same text
_ALIKE: Final = 0.4  # similarity ratio below which a passage is replaced as a whole


def compared(old: Sequence[str], new: Sequence[str]) -> list[list[DiffSpan]]:
    """Return the spans of each text in `new`, including the text deleted from `old`.

    The texts of each side are compared as one sequence, so moving text to the next is not a change.
    If `new` is empty, all of `old` is one deleted text.
    """
    old_lines = [line for text in old for line in _with_line_ends(text)]
    new_lines = [
        (number, line) for number, text in enumerate(new) for line in _with_line_ends(text)
    ]
    texts: list[list[DiffSpan]] = [[] for _ in new or [""]]
    for tag, old_start, old_end, new_start, new_end in _line_opcodes(
        old_lines, [line for _, line in new_lines]
    ):
        added = new_lines[new_start:new_end]
        if tag == "equal":
            for number, line in added:
                texts[number].append(DiffSpan(TextChange.NONE, line))
        else:
            at = added[0][0] if added else new_lines[new_start - 1][0] if new_start else 0
            _replaced("".join(old_lines[old_start:old_end]), added, at, texts)
    return [
        [
            DiffSpan(change, "".join(span.text for span in same))
            for change, same in groupby(spans, key=lambda span: span.change)
        ]
        for spans in texts
    ]


def _line_opcodes(
    old: Sequence[str], new: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the operations that turn the old lines into the new ones. If many lines are the same,
    the n-th of them is compared only with the n-th on the other side: difflib would take cubic
    time.
    """
    counts, others = Counter(old), Counter(new)
    sides: tuple[Sequence[Hashable], Sequence[Hashable]] = (old, new)
    if sum(count * others[line] for line, count in counts.items()) > _MOST_PAIRS:
        sides = (_numbered(old), _numbered(new))
    return SequenceMatcher(None, *sides, autojunk=False).get_opcodes()


def _numbered(lines: Sequence[str]) -> list[tuple[str, int]]:
    """Return each line with its occurrence: 1 for the first line with this text, 2 for the second,
    and so on.
    """
    seen = Counter[str]()
    numbered = []
    for line in lines:
        seen[line] += 1
        numbered.append((line, seen[line]))
    return numbered


def _with_line_ends(text: str) -> list[str]:
    """Split a text into lines with line ends. The last line gets a line end, too: it must equal the
    same line in the middle of another text.
    """
    return (text.rstrip("\n") + "\n").splitlines(keepends=True) if text.strip() else []


def _replaced(
    old: str, added: Sequence[tuple[int, str]], at: int, texts: list[list[DiffSpan]]
) -> None:
    """Append the spans of changed lines to `texts`. Deleted words before the first new word are
    appended to the text with the index `at`.
    """
    old_words = WORD.findall(old)
    words = [(number, word) for number, line in added for word in WORD.findall(line)]
    for tag, old_start, old_end, new_start, new_end in _opcodes(
        [word.strip() for word in old_words], [word.strip() for _, word in words]
    ):
        if tag != "equal" and old_end > old_start:
            texts[at].append(DiffSpan(TextChange.DELETED, "".join(old_words[old_start:old_end])))
        for number, word in words[new_start:new_end]:
            texts[number].append(
                DiffSpan(TextChange.NONE if tag == "equal" else TextChange.INSERTED, word)
            )
            at = number


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the operations that turn the old words into the new ones. If there are too many words,
    or they differ too much, return a single operation.
    """
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    ratios = (matcher.quick_ratio, matcher.ratio)  # the first is an upper bound of the second
    if len(old) + len(new) > _MOST or any(ratio() < _ALIKE for ratio in ratios):
        return [("replace", 0, len(old), 0, len(new))]
    return matcher.get_opcodes()
