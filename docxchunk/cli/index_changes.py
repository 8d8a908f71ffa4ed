"""What `docxchunk diff` prints for an index: which chunks or units to upsert, update and delete."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.text import Text

from docxchunk.batch.comparing import ChunkParameters, DocumentDiff, both_sides, folder_diffs
from docxchunk.chunking.diff import Action, Diff, DiffKind, id_of
from docxchunk.cli.console import Reporter
from docxchunk.cli.printing import DIM, grid, indented, plain, prose
from docxchunk.markup.records.chunks import CHUNK, UNIT
from docxchunk.markup.records.fields import Record, line
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.wording import NAMELESS, counted

_COLOURS = {
    DiffKind.ADDED: "green",
    DiffKind.REMOVED: "red",
    DiffKind.CHANGED: "yellow",
    DiffKind.MOVED: "cyan",
}
_TO_DO = {
    Action.UPSERT: "upsert",
    Action.UPDATE: "update without embedding again",
    Action.DELETE: "delete",
}


def print_actions(
    old: Path,
    new: Path | None,
    fmt: str,
    strategy: str,
    parameters: ChunkParameters,
    *,
    units: bool,
    is_folder: bool,
) -> bool:
    """Print what an index must do. Return whether it must do anything."""
    name = "unit" if units else "chunk"
    if is_folder and new is not None:
        documents = folder_diffs(old, new, strategy, parameters, units=units)
        return _index_folders(fmt, name, documents)
    changes, notes = both_sides(old, new, strategy, parameters, units=units)
    for note in notes:
        Reporter().warn(old.name, note)
    if fmt == "jsonl":
        sys.stdout.buffer.writelines(map(line, _records(changes, name)))
    else:
        _print_records(changes, name)
    return bool(changes.actions)


def _index_folders(fmt: str, name: str, documents: Iterable[DocumentDiff]) -> bool:
    """Print what an index must do for each document. Those that cannot be compared are reported;
    the exit code is then 1.
    """
    reporter = Reporter()
    compared: list[DocumentDiff] = []
    for document in documents:
        for note in document.notes:
            tell = reporter.fail if document.changes is None else reporter.warn
            tell(document.label, note)
        if document.changes is None:
            continue
        if fmt == "jsonl":
            sys.stdout.buffer.writelines(map(line, _records(document.changes, name)))
        compared.append(document)
    if fmt != "jsonl":
        _print_documents(compared)
    reporter.end()
    return any(document.kind is not DiffKind.UNCHANGED for document in compared)


def _print_documents(documents: Sequence[DocumentDiff]) -> None:
    """Print a line for each document that is not the same in both folders, then the counts."""
    total: Counter[Action] = Counter()
    table = grid("-", "<", ">")
    for label, kind, changes, _ in documents:
        actions = Counter(change.action for change in changes.actions) if changes else Counter()
        total += actions
        if kind is not DiffKind.UNCHANGED:
            counts = ", ".join(
                f"{actions[action]:,} to {action}" for action in _TO_DO if actions[action]
            )
            table.add_row(Text(kind, _COLOURS[kind]), Text(label), Text(counts, DIM))
    if table.row_count:
        indented(table)
    kinds = Counter(document.kind for document in documents)
    plain(
        f"{counted(len(documents), 'document')}: "
        + ", ".join(f"{kinds[kind]:,} {kind}" for kind in DiffKind if kind is not DiffKind.MOVED)
        + "."
    )
    _print_total(total)


def _records(changes: Diff[Chunk] | Diff[Unit], name: str) -> Iterator[Record]:
    """Yield a record for each action. `name` is "chunk" or "unit"."""
    for action, record_id, kind, record in changes.actions:
        yield {
            "action": action,
            f"{name}_id": record_id,
            "kind": kind,
            **({} if record is None else {name: _record(record)}),
        }


def _record(record: Chunk | Unit) -> Record:
    return CHUNK.record(record) if isinstance(record, Chunk) else UNIT.record(record)


def _print_records(changes: Diff[Chunk] | Diff[Unit], name: str) -> None:
    """Print a line for each chunk or unit that changed or moved, then the counts."""
    table = grid("-", "<", ">", "-")
    table.add_row("", "", Text("tokens", DIM), Text("id", DIM))
    for kind, old, new in changes.chunks:
        if kind is not DiffKind.UNCHANGED:
            both = [record for record in (old, new) if record]
            sizes = dict.fromkeys(f"{record.tokens:,}" for record in both)
            ids = dict.fromkeys(id_of(record).removeprefix(f"{name}-")[:8] for record in both)
            table.add_row(
                Text(kind, _COLOURS[kind]),
                Text(both[-1].context or NAMELESS),
                " → ".join(sizes),
                Text(" → ".join(ids), DIM),
            )
    if table.row_count > 1:
        indented(table)
    kinds = Counter(change.kind for change in changes.chunks)
    plain(
        f"{counted(len(changes.chunks), name)}: "
        + ", ".join(f"{kinds[kind]:,} {kind}" for kind in DiffKind)
        + "."
    )
    _print_total(Counter(change.action for change in changes.actions))


def _print_total(actions: Counter[Action]) -> None:
    tasks = ", ".join(f"{actions[action]:,} to {task}" for action, task in _TO_DO.items())
    prose(Text(f"For an index: {tasks}.", DIM))
