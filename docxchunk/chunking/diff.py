"""What changed between the chunks, or the units, of two versions of a document.

Chunks with the same id are the same chunk: see `chunks.ChunkIds`. Of these chunks, the longest
subsequence in the same order is unchanged, and the others have moved. Between two unchanged chunks,
all other chunks were removed or added. A removed and an added chunk are paired as one changed chunk
if they have the same heading path or, failing that, the same parents or the same text. The same
holds for units, by section.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain, takewhile
from operator import attrgetter
from typing import Final, Generic, NamedTuple, TypeVar

from docxchunk.model.chunks import PART, Chunk, Unit
from docxchunk.model.sequences import longest_rise

_CONTENT: Final = attrgetter("content")


Record = TypeVar("Record", bound=Chunk | Unit)


class DiffKind(StrEnum):
    """What happened to a chunk or unit."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"  # other text in its place; or the same id, and another text to embed
    MOVED = "moved"
    # its number, pages, blocks, neighbours, and ids and paths in its tags may have changed
    UNCHANGED = "unchanged"


class ChunkDiff(NamedTuple, Generic[Record]):
    """A chunk or unit before and after the change, and the `kind` of change. `old` is None if it
    was added, `new` if it was removed.
    """

    kind: DiffKind
    old: Record | None
    new: Record | None


class Action(StrEnum):
    """An operation on an index."""

    UPSERT = "upsert"  # new text: embed and store it
    # keep the vector; number, pages, blocks, neighbours, or ids and paths in tags changed
    UPDATE = "update"
    DELETE = "delete"  # remove it


class IndexAction(NamedTuple, Generic[Record]):
    """An `action` on the index entry `id`, and the `kind` of change behind it. `record` is the new
    chunk or unit; None for a deletion.
    """

    action: Action
    id: str
    kind: DiffKind
    record: Record | None

    @property
    def chunk_id(self) -> str:
        """The same as `id`: its name in 0.2, kept for programs that use it."""
        return self.id

    @property
    def chunk(self) -> Record | None:
        """The same as `record`: its name in 0.2, kept for programs that use it."""
        return self.record


@dataclass(frozen=True, slots=True)
class Diff(Generic[Record]):
    """The differences of the chunks, or of the units, in the order of the new document. If chunks
    were removed and added at the same place, the removed ones come first.
    """

    chunks: tuple[ChunkDiff[Record], ...]

    def of(self, kind: DiffKind) -> tuple[ChunkDiff[Record], ...]:
        """Return the differences of one kind."""
        return tuple(difference for difference in self.chunks if difference.kind is kind)

    @property
    def actions(self) -> tuple[IndexAction[Record], ...]:
        """The operations that turn an index of the old chunks into one of the new chunks. Their
        order does not matter. Each id occurs once.
        """
        return tuple(chain.from_iterable(map(_actions, self.chunks)))


def diff(old: Sequence[Record], new: Sequence[Record]) -> Diff[Record]:
    """Compare two lists of chunks, or of units, of one document (one `doc_id`) made with the same
    settings; otherwise all ids differ.
    """
    olds, news = _by_id(old), _by_id(new)
    numbers = {record_id: number for number, record_id in enumerate(olds)}
    in_order = longest_rise(numbers[record_id] for record_id in news if record_id in numbers)
    unchanged = {id_of(old[number]) for number in in_order}
    differences: list[ChunkDiff[Record]] = []
    for before, after, end in _between(old, new, unchanged):
        removed = [record for record in before if id_of(record) not in news]
        differences += _differences(removed, after, olds)
        differences += (
            _of_same_id(DiffKind.UNCHANGED, olds[id_of(record)], record) for record in end
        )
    return Diff(tuple(differences))


def _differences(
    removed: Sequence[Record], after: Sequence[Record], olds: Mapping[str, Record]
) -> Iterator[ChunkDiff[Record]]:
    """Yield the differences between two unchanged chunks. `after` are the new chunks there, `olds`
    all old chunks by id.
    """
    replaced = _paired(removed, [record for record in after if id_of(record) not in olds])
    changed = _by_id(replaced.values())
    for record in removed:
        if id_of(record) not in changed:
            yield ChunkDiff(DiffKind.REMOVED, record, None)
    for record in after:
        if old := olds.get(id_of(record)):
            yield _of_same_id(DiffKind.MOVED, old, record)
        elif replaced_record := replaced.get(id_of(record)):
            yield ChunkDiff(DiffKind.CHANGED, replaced_record, record)
        else:
            yield ChunkDiff(DiffKind.ADDED, None, record)


def id_of(record: Chunk | Unit) -> str:
    """Return the id of a chunk or unit."""
    return record.chunk_id if isinstance(record, Chunk) else record.unit_id


def _by_id(records: Iterable[Record]) -> dict[str, Record]:
    return {id_of(record): record for record in records}


def _between(
    old: Iterable[Record], new: Iterable[Record], unchanged: AbstractSet[str]
) -> Iterator[tuple[list[Record], list[Record], list[Record]]]:
    """Yield three lists for each unchanged chunk: the old chunks before it, the new chunks before
    it, and this chunk. Last, yield the chunks after it, with an empty third list.
    """
    old_records, after = iter(old), list[Record]()
    for record in new:
        if id_of(record) in unchanged:
            before = takewhile(partial(_is_other, record), old_records)
            yield list(before), after, [record]
            after = []
        else:
            after.append(record)
    yield list(old_records), after, []


def _is_other(record: Chunk | Unit, other: Chunk | Unit) -> bool:
    return id_of(record) != id_of(other)


def _paired(removed: Sequence[Record], added: Sequence[Record]) -> dict[str, Record]:
    """Map the id of each added chunk to the removed chunk that it replaces. Chunks with the same
    heading path are paired in order; then those with the same parents; then those with the same
    text, whose heading was renamed.
    """
    pairs: dict[str, Record] = {}
    for key in (_path, _section, _CONTENT):
        waiting: defaultdict[object, deque[Record]] = defaultdict(deque)
        gone = _by_id(pairs.values())
        for record in removed:
            if id_of(record) not in gone:
                waiting[key(record)].append(record)
        for record in added:
            if id_of(record) not in pairs and waiting[key(record)]:
                pairs[id_of(record)] = waiting[key(record)].popleft()
    return pairs


def _path(record: Chunk | Unit) -> tuple[str, ...]:
    if isinstance(record, Unit):
        return record.context, record.kind
    return (*record.parent_headings, PART.sub("", record.heading))


def _section(record: Chunk | Unit) -> tuple[str, ...]:
    return (record.context,) if isinstance(record, Unit) else record.parent_headings


def _of_same_id(kind: DiffKind, old: Record, new: Record) -> ChunkDiff[Record]:
    """Return the difference of two chunks with the same id. If their texts to embed differ, its
    kind is CHANGED, otherwise `kind`.

    Their contents are not compared: these have ids and paths that depend on the name of the file.
    """
    return ChunkDiff(kind if _embedded(old) == _embedded(new) else DiffKind.CHANGED, old, new)


def _embedded(record: Chunk | Unit) -> str:
    return record.embed_text if isinstance(record, Chunk) else record.index_text


def _actions(difference: ChunkDiff[Record]) -> Iterator[IndexAction[Record]]:
    kind, old, new = difference
    if old is not None and (new is None or id_of(new) != id_of(old)):
        yield IndexAction(Action.DELETE, id_of(old), kind, None)
    if new is not None and kind in (DiffKind.ADDED, DiffKind.CHANGED):
        yield IndexAction(Action.UPSERT, id_of(new), kind, new)
    elif new is not None and new != old:
        yield IndexAction(Action.UPDATE, id_of(new), kind, new)
