"""The command `docxchunk diff`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

import click
from rich.text import Text

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.comparing import ChunkParameters, DocumentDiff, both_sides, folder_diffs
from docxchunk.chunking.diff import Action, Diff, DiffKind
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.options import models as model_options
from docxchunk.cli.printing import DIM, STRONG, grid, indented, plain, prose
from docxchunk.errors import UsageError
from docxchunk.formats.report.differences import PlaceChange
from docxchunk.formats.report.templates import require_templates
from docxchunk.formats.report.versions import html_diff
from docxchunk.formats.report.views import TextChange
from docxchunk.markup.records.chunks import CHUNK, UNIT
from docxchunk.markup.records.fields import Record, line
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.wording import counted, first_words, one_line, shortened
from docxchunk.retrieval.changes import changed_places
from docxchunk.sidecar.files import is_parsed, write_file

EXAMPLES = """\b
Examples:
  docxchunk diff old.docx new.docx                   what changed, by clause
  docxchunk diff old.docx new.docx --html changes.html
  docxchunk diff contract.docx                       its tracked changes
  docxchunk diff report.docx.parsed report.docx      changes since parsing
  docxchunk diff old.chunks.jsonl new.chunks.jsonl --format jsonl
  docxchunk diff out-may out-june                    folders of documents

\b
With --format jsonl, each line tells an index what to do with one chunk:
  upsert  the text is new: embed and store "chunk"
  update  the text is unchanged; the position (number, pages, blocks,
          neighbours) or the ids and paths in its tags changed
  delete  remove "chunk_id" from the index
With --units, the lines are about units: "unit" and "unit_id"."""

COLOURS = {
    DiffKind.ADDED: "green",
    DiffKind.REMOVED: "red",
    DiffKind.CHANGED: "yellow",
    DiffKind.MOVED: "cyan",
}

_MARKS = {
    TextChange.DELETED: ("[-", "-]", "red"),
    TextChange.INSERTED: ("{+", "+}", "green"),
}
_MOST_PLACES = 20
_AROUND = 4  # words beside a change
_LONGEST_CHANGE = 120  # characters of deleted or inserted words that are shown
_LONGEST_EXCERPT = 240  # characters of a place, about

_TO_DO = {
    Action.UPSERT: "upsert",
    Action.UPDATE: "update without embedding again",
    Action.DELETE: "delete",
}


@click.command(epilog=EXAMPLES)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path), required=False)
@click.option(
    "--format",
    "fmt",
    type=click.Choice(["table", "jsonl"]),
    default="table",
    show_default=True,
    help="Text to read, or JSON lines for an index.",
)
@click.option(
    "--html",
    "page",
    type=common.NewFile(path_type=Path),
    metavar="FILE",
    help="Write an HTML page with a word-level diff and print its path.",
)
@click.option(
    "--strategy",
    "-s",
    default="",
    metavar="NAME",
    help="Strategy whose chunks are compared, or that chunks the Word files.",
)
@click.option(
    "--units",
    is_flag=True,
    help="Compare units instead of chunks: see docxchunk chunk --units. Not with --html, whose "
    "page shows chunks.",
)
@common.single(
    "--max-tokens",
    "-n",
    kind=click.INT,
    metavar="N",
    about=f"As in docxchunk chunk.  [default: {api.DEFAULT_MAX_TOKENS}]",
)
@common.single(
    "--overlap",
    kind=click.INT,
    metavar="N",
    about=f"As in docxchunk chunk.  [default: {api.DEFAULT_OVERLAP}]",
)
@click.option("--tokenizer", "-t", default="", metavar="NAME|FILE", help="As in docxchunk chunk.")
@model_options
def command(
    *,
    old: Path,
    new: Path | None,
    fmt: str,
    page: Path | None,
    strategy: str,
    units: bool,
    max_tokens: int | None,
    overlap: int | None,
    tokenizer: str,
    models: ModelChoice,
) -> None:
    """Show what changed between OLD and NEW, two versions of a document: the headings and numbers
    of the clauses, and the words. With --format jsonl, tell an index which chunks to update.

    With one Word file, show its tracked changes: the text before them is compared with the text
    after them.

    Clauses with the same words and another number are only counted. Text that is only cut into
    other chunks has not changed.

    OLD and NEW are parsed folders, .chunks.jsonl files or Word files. A Word file is chunked with
    the settings of the other side. If the other side has no chunks, the options of this command
    apply. Models always come from the options. Two Word files are compared as versions of one
    document, even if their names differ. Chunks with different settings cannot be compared. If
    tokenizers or parser options differ, a note says so.

    If OLD and NEW are folders of documents or of parsed folders, subfolders are compared, too, and
    the documents that were added, removed or changed are listed.
    """
    if page is not None:
        require_templates()
        if fmt != "table":
            raise UsageError("--html and --format exclude each other.")
        if units:
            raise UsageError("--html shows chunks: it cannot be used with --units.")
    limits = {
        name: value
        for name, value in (("max_tokens", max_tokens), ("overlap", overlap))
        if value is not None
    }
    name = "unit" if units else "chunk"
    parameters = ChunkParameters(strategy or "P", limits, tokenizer, models)
    if new and all(path.is_dir() and not is_parsed(path) for path in (old, new)):
        if page is not None:
            raise UsageError("--html shows one document: give one of each folder.")
        _compare_folders(fmt, name, folder_diffs(old, new, strategy, parameters, units=units))
        return
    changes, notes = both_sides(old, new, strategy, parameters, units=units)
    for note in notes:
        Reporter().warn(old.name, note)
    if page is not None:
        names = (old.name, new.name) if new else (f"{old.name} before its changes", "after them")
        chunks = cast("Diff[Chunk]", changes).chunks
        write_file(page, html_diff(chunks, changed_places(chunks), *names).encode())
        click.echo(one_line(str(page)))
    elif fmt == "jsonl":
        sys.stdout.buffer.writelines(map(line, diff_records(changes, name)))
    elif units:
        print_units(cast("Diff[Unit]", changes))
    else:
        unchanged = "The words have not changed." if new else "No words have tracked changes."
        print_places(cast("Diff[Chunk]", changes), unchanged)


def _compare_folders(fmt: str, name: str, documents: Iterable[DocumentDiff]) -> None:
    """Print the changes of each document. Those that cannot be compared are reported; the exit code
    is then 1.
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
            sys.stdout.buffer.writelines(map(line, diff_records(document.changes, name)))
        compared.append(document)
    if fmt != "jsonl":
        print_documents(compared)
    reporter.end()


def print_documents(documents: Sequence[DocumentDiff]) -> None:
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
            table.add_row(Text(kind, COLOURS[kind]), Text(label), Text(counts, DIM))
    if table.row_count:
        indented(table)
    kinds = Counter(document.kind for document in documents)
    plain(
        f"{counted(len(documents), 'document')}: "
        + ", ".join(f"{kinds[kind]:,} {kind}" for kind in DiffKind if kind is not DiffKind.MOVED)
        + "."
    )
    _print_actions(total)


def diff_records(changes: Diff[Chunk] | Diff[Unit], name: str) -> Iterator[Record]:
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


def print_places(changes: Diff[Chunk], unchanged: str) -> None:
    """Print a line for each place that changed, or the sentence `unchanged` if none did, then how
    many entries of an index change.
    """
    places = changed_places(changes.chunks)
    listed = [place for place in places if place.kind != "renumbered"]
    for place in listed[:_MOST_PLACES]:
        text = Text(f"{place.kind}  ", COLOURS[DiffKind(place.kind)])
        text.append(place.name, STRONG)
        excerpt = _excerpt(place)
        if not place.name.endswith(excerpt.plain.rstrip(".:")):
            text.append(": ", STRONG).append_text(excerpt)
        prose(text)
    if len(listed) > _MOST_PLACES:
        plain(f"and {len(listed) - _MOST_PLACES:,} more; --html shows all")
    if not listed:
        plain(unchanged)
    if renumbered := len(places) - len(listed):
        plain(f"{counted(renumbered, 'place')} with the same words and another number.")
    _print_actions(
        Counter(change.action for change in changes.actions),
        f" of {counted(len([new for _, _, new in changes.chunks if new]), 'chunk')}",
    )


def _excerpt(place: PlaceChange) -> Text:
    """Return the changed words with a few words around them. If the whole text was added, removed
    or moved, return its first words.
    """
    if place.kind != "changed":
        return Text(first_words(place.spans[0].text))
    excerpt, last = Text(), len(place.spans) - 1
    for number, (change, text) in enumerate(place.spans):
        words = text.split()
        end = " " if text[-1:].isspace() else ""
        if change and words:
            before, after, colour = _MARKS[change]
            excerpt.append(f"{before}{shortened(' '.join(words), _LONGEST_CHANGE)}{after}", colour)
            excerpt.append(end)
        elif len(words) > _AROUND * (2 if 0 < number < last else 1):
            start = words[:_AROUND] if number else []
            rest = words[-_AROUND:] if number < last else []
            gap = " " if number and text[:1].isspace() else ""
            excerpt.append(gap + " ".join((*start, "…", *rest)) + end)
        else:
            excerpt.append(text.replace("\n", " "))
        if len(excerpt) > _LONGEST_EXCERPT and number < last:
            excerpt.rstrip()
            excerpt.append(" …")
            break
    excerpt.rstrip()
    return excerpt


def print_units(changes: Diff[Unit]) -> None:
    """Print a line for each unit that changed or moved, then the counts."""
    table = grid("-", "<", ">", "-")
    table.add_row("", "", Text("tokens", DIM), Text("id", DIM))
    for kind, old, new in changes.chunks:
        if kind is not DiffKind.UNCHANGED:
            both = [unit for unit in (old, new) if unit]
            sizes = dict.fromkeys(f"{unit.tokens:,}" for unit in both)
            ids = dict.fromkeys(unit.unit_id.removeprefix("unit-")[:8] for unit in both)
            table.add_row(
                Text(kind, COLOURS[kind]),
                Text(both[-1].context or "(before the first heading)"),
                " → ".join(sizes),
                Text(" → ".join(ids), DIM),
            )
    if table.row_count > 1:
        indented(table)
    kinds = Counter(change.kind for change in changes.chunks)
    plain(
        f"{counted(len(changes.chunks), 'unit')}: "
        + ", ".join(f"{kinds[kind]:,} {kind}" for kind in DiffKind)
        + "."
    )
    _print_actions(Counter(change.action for change in changes.actions))


def _print_actions(actions: Counter[Action], size: str = "") -> None:
    tasks = ", ".join(f"{actions[action]:,} to {task}" for action, task in _TO_DO.items())
    prose(Text(f"For an index{size}: {tasks}.", DIM))
