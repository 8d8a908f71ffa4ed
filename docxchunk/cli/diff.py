"""The command `docxchunk diff`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import click
from rich.text import Text

from docxchunk.batch.comparing import (
    Changes,
    DocumentDiff,
    index_changes,
    word_file,
)
from docxchunk.chunking.diff import Action, DiffKind, id_of
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter, print_json
from docxchunk.cli.printing import DIM, STRONG, grid, indented, plain, prose
from docxchunk.cli.reading import print_revisions, reader_at
from docxchunk.errors import UsageError
from docxchunk.formats.report import html_diff, require_templates
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.comparison import (
    ChangeKind,
    Comparison,
    PlaceChange,
    TextChange,
    marked,
    summary,
    totals,
)
from docxchunk.model.rules import Rules
from docxchunk.model.wording import NAMELESS, counted, one_line
from docxchunk.records import Record, line
from docxchunk.records.chunks import CHUNK, UNIT
from docxchunk.retrieval.comparing.versions import Pair, PairKind, pairs, versions
from docxchunk.sidecar.atomic import write_file
from docxchunk.sidecar.names import has_documents, is_parsed

EXAMPLES = """\b
Examples:
  docxchunk diff old.docx new.docx                   what changed, by clause
  docxchunk diff old.docx new.docx --html changes.html
  docxchunk diff contract.docx                       its tracked changes
  docxchunk diff out-may out-june                    folders of documents
  docxchunk diff report.docx.parsed report.docx --index --json"""

_K = TypeVar("_K", bound=str)

COLOURS: Final = {
    "added": "green",
    "removed": "red",
    "changed": "yellow",
    "moved": "cyan",
    "renamed": "cyan",
}
_MARKS = {TextChange.DELETED: "red", TextChange.INSERTED: "green"}


@common.command(epilog=EXAMPLES)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path), required=False)
@common.flag("--stat", help="Print only the number of changes of each section.")
@common.as_json
@click.option(
    "--html",
    "page",
    type=common.NewFile(path_type=Path),
    metavar="FILE",
    help="Write an HTML page with the changes.",
)
@common.flag("--exit-code", help="Exit with code 1 if anything differs.")
@common.flag(
    "--index",
    help="Print which chunks of an index change.",
)
@common.flag(
    "--units",
    help="Print which units of an index change (see docxchunk chunk --units).",
)
@click.option(
    "--format",
    "fmt",
    cls=common.OldOption,
    type=click.Choice(["table", "jsonl"]),
    deprecated="Use --index, with --json for jsonl.",
)
@common.rules
@common.of_strategy
def command(
    *,
    old: Path,
    new: Path | None,
    stat: bool,
    as_json: bool,
    page: Path | None,
    exit_code: bool,
    index: bool,
    units: bool,
    fmt: str | None,
    rules: Rules,
    strategy: str,
) -> None:
    """Show what changed between OLD and NEW, two versions of a document: every changed word, at its
    clause, page and paragraph. [-Words-] were deleted, {+words+} inserted.

    OLD and NEW are Word files, parsed folders or .chunks.jsonl files, or folders of them. If one is
    a parsed folder, the other is read with its options. With one Word file or parsed folder, show
    its tracked changes; with --stat or --html, compare the text before them with the text after.

    With --index or --units, compare chunks or units, and with --json, print what an index must do
    with each. One of the two must have chunks, which docxchunk chunk makes; those of the other are
    made with the same settings.
    """
    if fmt:
        index, as_json = True, as_json or fmt == "jsonl"
    old, *others = map(Path, common.with_standard_input(map(str, filter(None, (old, new)))))
    new = others[0] if others else None
    are_folders = new is not None and has_documents(old) and has_documents(new)
    is_for_index = index or units
    forms = {"--stat": stat, "--html": page is not None, "--json": as_json and not is_for_index}
    forms["--index" if index else "--units"] = is_for_index
    used = [name for name, is_given in forms.items() if is_given]
    if len(used) > 1:
        raise UsageError(f"{used[0]} and {used[1]} exclude each other.")
    if strategy and not is_for_index:
        raise UsageError("--strategy is for an index: give --index or --units, too.")
    if page is not None:
        require_templates()
        if are_folders:
            raise UsageError("--html shows one document: give one of each folder.")
    if is_for_index:
        if rules:
            raise UsageError("--rules is not for an index: its chunks have been made already.")
        changes = _for_index(old, new, strategy, units=units)
        differs = print_actions(changes, old.name, "unit" if units else "chunk", as_json=as_json)
    elif are_folders and new is not None:
        differs = _compare_folders(pairs(old, new, rules), stat=stat, as_json=as_json)
    else:
        differs = _compare(old, new, page, rules, stat=stat, as_json=as_json)
    if exit_code and differs:
        sys.exit(1)


# -- for people


def _compare(
    old: Path, new: Path | None, page: Path | None, rules: Rules, *, stat: bool, as_json: bool
) -> bool:
    """Print the changes between two versions, or the tracked changes of one. Return whether there
    are some.
    """
    if new is None and page is None and not stat:
        if old.exists() and not is_parsed(old):
            word_file(old)  # raises UsageError for other files
        readers = [reader_at(str(old), rules)]
        return print_revisions(readers, ["changes"], is_folder=False, as_json=as_json) > 0
    comparison, notes = versions(old, new, rules)
    for note in notes:
        Reporter().warn(old.name, note)
    if page is not None:
        write_file(page, html_diff(comparison).encode())
        click.echo(one_line(str(page)))
    elif as_json:
        print_json(comparison)
    else:
        unchanged = "The words have not changed." if new else "No words have tracked changes."
        (print_counts if stat else print_changes)(comparison)
        print_end(comparison, unchanged)
    return not comparison.is_same


def print_changes(comparison: Comparison) -> None:
    """Print a paragraph for each place that differs, with all words that changed."""
    for change in comparison.changes:
        prose(_shown(change))


def _shown(change: PlaceChange) -> Text:
    text = Text.assemble((f"{change.kind}  ", COLOURS[change.kind]), (change.name, STRONG))
    if not change.is_named_by_text:
        text.append(": ", STRONG)
        for part, kind in marked(change):
            text.append(part, _MARKS.get(kind, ""))
    return text


def print_counts(comparison: Comparison) -> None:
    """Print a line for each section that differs: the number of its changes, and of their words."""
    table = grid("<", "-", ">", ">")
    sections: dict[str, list[PlaceChange]] = {}
    for change in comparison.changes:
        sections.setdefault(change.section, []).append(change)
    for section, changes in sections.items():
        kinds = Counter(change.kind for change in changes)
        inserted = sum(change.inserted for change in changes)
        deleted = sum(change.deleted for change in changes)
        table.add_row(
            Text(section or NAMELESS),
            _by_kind(kinds, filter(kinds.get, ChangeKind)),
            Text(f"+{inserted:,}" if inserted else "", "green"),
            Text(f"-{deleted:,}" if deleted else "", "red"),
        )
    if table.row_count:
        indented(table)


def _by_kind(kinds: Counter[_K], order: Iterable[_K]) -> str:
    """Return e.g. "2 added, 0 removed", in the order given."""
    return ", ".join(f"{kinds[kind]:,} {kind}" for kind in order)


def print_end(comparison: Comparison, unchanged: str) -> None:
    """Print how many places and words differ, or the sentence `unchanged`; then what was not
    compared.
    """
    for sentence in summary(comparison, unchanged):
        prose(Text(sentence))
    _print_missing(comparison.not_compared)


def _print_missing(names: Iterable[str]) -> None:
    prose(Text(f"not compared: {', '.join(names)}", DIM))


def _compare_folders(documents: Iterable[Pair], *, stat: bool, as_json: bool) -> bool:
    """Print the changes of each document, then the documents of one folder only. Return whether the
    folders differ. Documents that cannot be compared are reported; the exit code is then 1.
    """
    reporter = Reporter()
    kinds = Counter[PairKind]()
    missing: dict[str, None] = {}
    for document in documents:
        for note in document.notes:
            has_failed = document.comparison is None
            (reporter.fail if has_failed else reporter.warn)(document.label, note)
        kinds[document.kind] += 1
        comparison = document.comparison
        missing |= dict.fromkeys(comparison.not_compared if comparison else ())
        if as_json:
            print_json(document._asdict())
        elif document.kind is not PairKind.UNCHANGED:
            _print_pair(document, stat=stat)
    if not as_json:
        number = counted(kinds.total(), "document")
        plain(f"{number}: {_by_kind(kinds, PairKind)}.")
        if missing:
            _print_missing(missing)
    reporter.end()
    return kinds.total() > kinds[PairKind.UNCHANGED]


def _print_pair(document: Pair, *, stat: bool) -> None:
    comparison = document.comparison
    text = Text.assemble((f"{document.kind}  ", COLOURS[document.kind]))
    text.append(f"{document.old_label} → " if document.old_label else "", STRONG)
    text.append(document.label, STRONG)
    if comparison:
        text.append(
            f": {totals(comparison)}" if comparison.changes else ": only numbers of clauses"
        )
    prose(text)
    if comparison:
        (print_counts if stat else print_changes)(comparison)


# -- for an index


def _for_index(
    old: Path, new: Path | None, strategy: str, *, units: bool
) -> Iterator[DocumentDiff]:
    if new is None:
        raise UsageError("What an index must do depends on two versions: give both.")
    return index_changes(old, new, strategy, units=units)


_TO_DO = {
    Action.UPSERT: "upsert",
    Action.UPDATE: "update without embedding again",
    Action.DELETE: "delete",
}


def print_actions(
    documents: Iterable[DocumentDiff], name: str, noun: str, *, as_json: bool
) -> bool:
    """Print what an index must do: for each chunk or unit, or for each document of two folders, and
    in total. Documents that cannot be compared are reported; the exit code is then 1. Return
    whether there is something to do.
    """
    reporter = Reporter()
    kinds, actions = Counter[DiffKind](), Counter[Action]()
    for document in documents:
        changes = document.changes
        for note in document.notes:
            (reporter.warn if changes else reporter.fail)(document.label or name, note)
        if changes is None:
            continue
        kinds.update(change.kind for change in changes.chunks)
        of_document = Counter(change.action for change in changes.actions)
        actions += of_document
        if as_json:
            sys.stdout.buffer.writelines(map(line, _records(changes, noun)))
        elif not document.label:
            _print_records(changes, noun)
        elif document.kind is not DiffKind.UNCHANGED:
            todo = filter(of_document.get, Action)
            counts = ", ".join(f"{of_document[action]:,} to {action}" for action in todo)
            kind = (f"{document.kind}  ", COLOURS[document.kind])
            prose(Text.assemble(kind, (document.label, STRONG), f": {counts}"))
    if not as_json:
        plain(f"{counted(kinds.total(), noun)}: {_by_kind(kinds, DiffKind)}.")
        tasks = ", ".join(f"{actions[action]:,} to {task}" for action, task in _TO_DO.items())
        prose(Text(f"For an index: {tasks}.", DIM))
    reporter.end()
    return bool(actions)


def _records(changes: Changes, noun: str) -> Iterator[Record]:
    """Yield a record for each action. `noun` is "chunk" or "unit"."""
    for action, record_id, kind, record in changes.actions:
        yield {
            "action": action,
            f"{noun}_id": record_id,
            "kind": kind,
            **({} if record is None else {noun: _record(record)}),
        }


def _record(record: Chunk | Unit) -> Record:
    return CHUNK.record(record) if isinstance(record, Chunk) else UNIT.record(record)


def _print_records(changes: Changes, noun: str) -> None:
    """Print a line for each chunk or unit that changed or moved."""
    table = grid("-", "<", ">", "-")
    table.add_row("", "", Text("tokens", DIM), Text("id", DIM))
    for kind, old, new in changes.chunks:
        if kind is not DiffKind.UNCHANGED:
            records = [record for record in (old, new) if record]
            sizes = dict.fromkeys(f"{record.tokens:,}" for record in records)
            ids = dict.fromkeys(id_of(record).removeprefix(f"{noun}-")[:8] for record in records)
            table.add_row(
                Text(kind, COLOURS[kind]),
                Text(records[-1].context or NAMELESS),
                " → ".join(sizes),
                Text(" → ".join(ids), DIM),
            )
    if table.row_count > 1:
        indented(table)
