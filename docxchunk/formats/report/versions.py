"""Render the word-level differences between two versions of a document as an HTML page.

Chunks are compared by lines and, inside changed lines, by words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, NamedTuple

from docxchunk.formats.markdown import markdown
from docxchunk.formats.report.cards import card_heading
from docxchunk.formats.report.templates import page
from docxchunk.formats.report.views import TextChange
from docxchunk.markup.table_texts import row_lines
from docxchunk.markup.tables import tables
from docxchunk.model.chunks import Added, AddedRole, Chunk, SliceRole
from docxchunk.model.wording import counted

ChunkChange = tuple[str, Chunk | None, Chunk | None]
"""Kind (added, removed, changed, moved or unchanged), old chunk, new chunk.
`docxchunk.chunking.diff.ChunkDiff` is such a tuple.
"""

_AGAIN: Final = frozenset(
    {SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.CONTEXT}
)
_AROUND: Final = 300  # characters of unchanged text that are shown beside a change
_SPACE: Final = re.compile(r"\s")
_EFFECTS: Final = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved": "text unchanged, position moved",
    "cut": "text unchanged, chunk boundary moved",
}


class DiffPassage(NamedTuple):
    """Text of a card. `folded`: unchanged text far from any change."""

    change: TextChange
    text: str
    folded: bool = False


class VersionCard(NamedTuple):
    """A chunk of the new version, or a removed one, with its changes. `kind` is a key of
    `_EFFECTS`.
    """

    kind: str
    chunk: Chunk
    passages: tuple[DiffPassage, ...]

    @property
    def heading(self) -> str:
        return card_heading(self.chunk)

    @property
    def effect(self) -> str:
        return _EFFECTS[self.kind]

    @property
    def key(self) -> str:
        """The id in the page. A removed chunk may have the number of another chunk."""
        return f"{'old' if self.kind == 'removed' else 'new'}-{self.chunk.chunk_order_index + 1}"


class UnchangedChunks(NamedTuple):
    """Consecutive unchanged chunks."""

    chunks: tuple[Chunk, ...]

    @property
    def text(self) -> str:
        """One line, such as `12 chunks unchanged: 2 Method … 4 Discussion`."""
        first, last = (card_heading(chunk) for chunk in (self.chunks[0], self.chunks[-1]))
        return (
            f"{counted(len(self.chunks), 'chunk')} unchanged: "
            f"{first if first == last else f'{first} … {last}'}"
        )


def html_diff(changes: Iterable[ChunkChange], old: str, new: str) -> str:
    """Return one HTML page with the chunks in the order of the new version, deleted words red,
    inserted ones green. `old` and `new` are file names.

    Text that only moved to a neighbouring chunk is not a change. The page loads nothing. Raise
    MissingExtraError without the extra `report`.
    """
    items = tuple(_items(changes))
    cards = [item for item in items if isinstance(item, VersionCard)]
    return page(
        "diff.html",
        "diff.js",
        title=f"{old} → {new}",
        items=items,
        cards=cards,
        facts=_facts(items),
    )


def _facts(items: Sequence[VersionCard | UnchangedChunks]) -> str:
    cards = [item for item in items if isinstance(item, VersionCard)]
    words = Counter[TextChange]()
    for passage in (passage for card in cards for passage in card.passages):
        words[passage.change] += len(passage.text.split())
    counts = Counter(card.effect for card in cards)
    counts["unchanged"] = sum(len(x.chunks) for x in items if isinstance(x, UnchangedChunks))
    inserted, deleted = words[TextChange.INSERTED], words[TextChange.DELETED]
    chunks = [f"{counted(n, 'chunk')} {effect}" for effect, n in counts.items() if n]
    return " · ".join((f"{counted(inserted, 'word')} inserted, {deleted:,} deleted", *chunks))


def _items(changes: Iterable[ChunkChange]) -> Iterator[VersionCard | UnchangedChunks]:
    for same, group in groupby(changes, key=lambda change: change[0] == "unchanged"):
        if same:
            yield UnchangedChunks(tuple(new for _, _, new in group if new))
        else:
            yield from _compared_cards(list(group))


def _compared_cards(changes: Sequence[ChunkChange]) -> Iterator[VersionCard]:
    """Compare consecutive changed chunks as one text on each side."""
    edited = [(kind, old, new) for kind, old, new in changes if kind != "moved"]
    olds = sorted((old for _, old, _ in edited if old), key=lambda chunk: chunk.chunk_order_index)
    news = [new for _, _, new in edited if new]
    if not news:
        yield from (
            VersionCard("removed", chunk, (DiffPassage(TextChange.DELETED, _text(chunk)),))
            for chunk in olds
        )
        olds = []
    spans = dict(
        zip(
            (chunk.chunk_id for chunk in news),
            compared([_text(chunk) for chunk in olds], [_text(chunk) for chunk in news]),
            strict=False,
        )
    )
    for kind, _, new in changes:
        if new is not None and kind == "moved":
            yield VersionCard(kind, new, (DiffPassage(TextChange.NONE, _text(new), folded=True),))
        elif new is not None:
            yield _card(new, spans[new.chunk_id])


def _card(chunk: Chunk, spans: Sequence[DiffSpan]) -> VersionCard:
    changes = {span.change for span in spans if span.text.strip()}
    kind = "cut" if changes == {TextChange.NONE} else "changed"
    if changes == {TextChange.INSERTED}:
        kind = "added"
    return VersionCard(kind, chunk, tuple(passages(spans)))


def passages(spans: Sequence[DiffSpan]) -> Iterator[DiffPassage]:
    """Yield the spans as passages, with the middle of long unchanged text folded."""
    for number, span in enumerate(spans):
        before = _AROUND if number else 0
        after = _AROUND if number < len(spans) - 1 else 0
        if span.change is not TextChange.NONE or len(span.text) < 4 * _AROUND:
            yield DiffPassage(span.change, span.text)
            continue
        start, end = (
            _end_of_word(span.text, before),
            _end_of_word(span.text, len(span.text) - after),
        )
        parts = (
            DiffPassage(TextChange.NONE, span.text[:start]),
            DiffPassage(TextChange.NONE, span.text[start:end], folded=True),
            DiffPassage(TextChange.NONE, span.text[end:]),
        )
        yield from (part for part in parts if part.text)


def _end_of_word(text: str, at: int) -> int:
    """Return the position after the first space from `at` on, if one is near and `at` is inside the
    text; else `at`.
    """
    space = _SPACE.search(text, at, at + 30) if 0 < at < len(text) else None
    return space.end() if space else at


def _text(chunk: Chunk) -> str:
    """Return the text that a chunk does not repeat from another, as Markdown.

    Decoded table cells have parts of unknown length: then all of the text is returned.
    """
    if any(part.role is SliceRole.CELL for part in chunk.parts):
        return _lines(chunk.content)
    own, at = "", 0
    for part in chunk.parts:
        end = at + (len(part.text) if isinstance(part, Added) else part.end - part.start)
        own += "" if part.role in _AGAIN else chunk.content[at:end]
        at = end
    return _lines(own if at == len(chunk.content) else chunk.content)


def _lines(content: str) -> str:
    """Return content as lines of Markdown, with a line for each row of its tables."""
    lines, at = [], 0
    for table in tables(content):
        lines += [
            markdown(content[at : table.start], escape=False),
            *(row_lines(content, table) or [content[table.body : table.body_end]]),
        ]
        at = table.end
    lines.append(markdown(content[at:], escape=False))
    return re.sub(r"\n+", "\n", "\n".join(filter(None, lines)))


# -- lines and words

# a Chinese character is a word
_WORD: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef]|[^\W_]+\s*|\s+|.", re.DOTALL)
_MOST: Final = 4000  # words on both sides: difflib takes quadratic time
_ALIKE: Final = 0.4  # similarity ratio below which a passage is replaced as a whole


class DiffSpan(NamedTuple):
    """Text that is in both versions, or only in one."""

    change: TextChange
    text: str


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
    matcher = SequenceMatcher(None, old_lines, [line for _, line in new_lines], autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
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


def _with_line_ends(text: str) -> list[str]:
    """Split into lines with line ends. The last line gets one as well, to equal the same line
    inside a text.
    """
    return (text.rstrip("\n") + "\n").splitlines(keepends=True) if text.strip() else []


def _replaced(
    old: str, added: Sequence[tuple[int, str]], at: int, texts: list[list[DiffSpan]]
) -> None:
    """Append the spans of changed lines to the texts in `texts`. `at` is the text for deleted words
    before the first new word.
    """
    old_words = _WORD.findall(old)
    words = [(number, word) for number, line in added for word in _WORD.findall(line)]
    for tag, old_start, old_end, new_start, new_end in _opcodes(
        old_words, [word for _, word in words]
    ):
        if tag != "equal" and old_end > old_start:
            texts[at].append(DiffSpan(TextChange.DELETED, "".join(old_words[old_start:old_end])))
        for number, word in words[new_start:new_end]:
            texts[number].append(
                DiffSpan(TextChange.NONE if tag == "equal" else TextChange.INSERTED, word)
            )
            at = number


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the operations that make the new words of the old ones; a single one if they are too
    many, or differ too much.
    """
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    ratios = (matcher.quick_ratio, matcher.ratio)  # the first is an upper bound of the second
    if old and new and (len(old) + len(new) > _MOST or any(ratio() < _ALIKE for ratio in ratios)):
        return [("replace", 0, len(old), 0, len(new))]
    return matcher.get_opcodes()
