"""Summarize a document, the sizes of its chunks, and its issues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.formats.report.alignment import roots
from docxchunk.formats.report.values import ChunkSet, counted
from docxchunk.markup.measures import SizeStatistics, histogram, measured
from docxchunk.model.chunks import Slice
from docxchunk.model.document import Document
from docxchunk.model.issues import Issue

_BINS: Final = 16
ISSUES: Final = 200  # maximum number shown


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


_ROWS: Final[tuple[tuple[str, Callable[[SizeStatistics], str], str], ...]] = (
    ("chunks", lambda sizes: f"{sizes.chunks:,}", ""),
    ("tokens", lambda sizes: f"{sizes.tokens:,}", "of all chunks"),
    ("mean size", lambda sizes: f"{sizes.mean:,.0f}", "tokens"),
    ("median size", lambda sizes: f"{sizes.median:,.0f}", "tokens"),
    ("largest", lambda sizes: f"{sizes.largest:,}", "tokens"),
    ("mean fill", lambda sizes: _share(sizes.fill), "of the limit, without slices of tables"),
    (
        "ideal size",
        lambda sizes: _share(sizes.ideal),
        "at least three quarters of the limit, without slices of tables",
    ),
    ("small", lambda sizes: f"{sizes.small:.0%}", "under an eighth of the limit"),
    ("over the limit", lambda sizes: f"{sizes.oversize:,}", ""),
    (
        "tables cut",
        lambda sizes: f"{sizes.tables_cut:,} of {sizes.tables:,}",
        "without nested tables",
    ),
    ("shown twice", lambda sizes: f"{sizes.repeated:.1%}", "of the characters"),
)


class Bin(NamedTuple):
    """Chunks of `low` to `high` tokens, inclusive; `level` is one of ideal, usual, small."""

    low: int
    high: int
    chunks: int
    level: str


class SetSizes(NamedTuple):
    """The sizes of the chunks of one set. `bins` covers each sixteenth of the cap, including empty
    ones.
    """

    chunk_set: ChunkSet
    sizes: SizeStatistics
    smallest: int
    bins: tuple[Bin, ...]

    @property
    def summary(self) -> str:
        """Return one line, such as `24 chunks of 98 to 510 tokens, median 402`."""
        sizes = self.sizes
        span = (
            (f"{self.smallest:,} to {sizes.largest:,} tokens, median {sizes.median:,.0f}")
            if sizes.chunks > 1
            else f"{sizes.largest:,} tokens"
        )
        cut = f"; {counted(sizes.tables_cut, 'table')} cut" if sizes.tables_cut else ""
        return f"{counted(sizes.chunks, 'chunk')} of {span}{cut}"


class OverviewRow(NamedTuple):
    """A measure, what it means, and its value for each set."""

    name: str
    meaning: str
    values: tuple[str, ...]


def facts(document: Document) -> str:
    """Return one line with the counts of blocks, characters, tables and other objects."""
    counts = (
        (len(document.blocks), "block"),
        (sum(len(block.content) for block in document.blocks), "character"),
        (len(document.tables), "table"),
        (len(document.equations), "equation"),
        (len(document.drawings), "drawing"),
        (len(document.notes), "note"),
    )
    named = document.name if document.title else ""
    return " · ".join(
        filter(None, (named, *(counted(number, word) for number, word in counts if number)))
    )


def sizes_of(sets: Sequence[ChunkSet]) -> tuple[SetSizes, ...]:
    """Return the sizes of each set that has chunks."""
    return tuple(_sizes(chunk_set) for chunk_set in sets if roots(chunk_set))


def rows_of(found: Sequence[SetSizes]) -> Iterator[OverviewRow]:
    """Yield a row for each measure, with the values of all sets."""
    alone = (
        "children left out"
        if any(chunk.children for each in found for chunk in each.chunk_set.chunks)
        else ""
    )
    for name, value, meaning in _ROWS:
        yield OverviewRow(
            name, alone if name == "chunks" else meaning, tuple(value(each.sizes) for each in found)
        )


def _sizes(chunk_set: ChunkSet) -> SetSizes:
    chunks, cap = roots(chunk_set), max(1, chunk_set.cap)  # a bad file may have a cap of 0
    bins = tuple(
        Bin(low, high, count, _level(low, high, chunk_set.cap))
        for low, high, count in histogram(chunks, cap, _BINS)
    )
    return SetSizes(chunk_set, measured(chunks, cap), min(chunk.tokens for chunk in chunks), bins)


def _level(low: int, high: int, cap: int) -> str:
    return "ideal" if low >= cap * 3 // 4 else "small" if high < cap / 8 else "usual"


def missing(document: Document, sets: Sequence[ChunkSet]) -> Iterator[str]:
    """Yield a sentence for each set that leaves out blocks, such as a table of contents."""
    for chunk_set in sets:
        held = {
            part.block
            for chunk in chunk_set.chunks
            for part in chunk.parts
            if isinstance(part, Slice)
        }
        left = [
            block for block in document.blocks if block.id not in held and block.content.strip()
        ]
        if left:
            names = sorted({str(block.session_type) for block in left})
            yield (
                f"{chunk_set.name}: {counted(len(left), 'block')} ({', '.join(names)}) in no chunk."
            )


def issue_counts(issues: Sequence[Issue]) -> str:
    """Return one line, such as `6 issues: heading-empty 4, value-ignored 2`."""
    counts = ", ".join(
        f"{code} {number:,}"
        for code, number in Counter(issue.code for issue in issues).most_common()
    )
    return f"{counted(len(issues), 'issue')}: {counts}"


def losses(document: Document) -> str:
    """Return how many characters of the file were kept and left out, and why the blocks have
    another number.
    """
    emitted, dropped = document.report.emitted, document.report.dropped
    if not emitted and not dropped:
        return "There is no report of what was left out."
    left = sum(dropped.values())
    why = "; ".join(f"{reason} {number:,}" for reason, number in dropped.items())
    return (
        f"Kept {emitted:,} of the {counted(emitted + left, 'character')} in the file, left "
        f"out {left:,}{why and f' ({why})'}.{_difference(document)}"
    )


def _difference(document: Document) -> str:
    more = sum(len(block.content) for block in document.blocks) - document.report.emitted
    if more > 0:
        return (
            f" The blocks have {more:,} more: tags of tables, equations and pictures, marks "
            "of headings and changes, numbers that Word counts, line breaks."
        )
    return f" {-more:,} of them are outside the blocks, in notes." if more < 0 else ""
