"""The command `docxchunk export`."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import BinaryIO, Final, Generic, NamedTuple, TypeVar, cast

import click

from docxchunk import registry
from docxchunk.batch.inputs import Input, Scan, find_inputs, refuse_links
from docxchunk.batch.jobs import notes_on, opened, with_results
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import InputRun, warn_of_outdated, warn_of_subfolders
from docxchunk.content.citations import citation
from docxchunk.errors import UsageError
from docxchunk.formats.markdown import joined_markdown, with_pictures_in
from docxchunk.formats.tables import (
    ExportSheet,
    index,
    sheets,
    write_csv,
    write_workbook,
)
from docxchunk.model.chunks import Unit
from docxchunk.model.wording import file_name
from docxchunk.records import Record
from docxchunk.records.chunks import CHUNK, UNIT, flat_record, scalars
from docxchunk.sidecar.atomic import new_file
from docxchunk.sidecar.chunks import all_chunk_files, read_chunks, read_units, source_of
from docxchunk.sidecar.names import is_parsed
from docxchunk.sidecar.reader import Identity

EXAMPLES = """\b
Examples:
  docxchunk export report.docx.parsed -o report.md
  docxchunk export out --recursive -o all.parquet      a folder, as one file
  docxchunk export out -r -o chunks.xlsx               one workbook
  docxchunk export report.docx.parsed --flat | jq .citation
  docxchunk export out -r --units -o units.parquet     units, to search by
  docxchunk export report.docx --document -o whole.md  the document itself
  docxchunk export docs -r --tables csv -o tables      one file per table
  docxchunk export docs -r --tables xlsx -o all.xlsx   one workbook

\b
Formats: jsonl (default), json, markdown, csv, xlsx (extra: xlsx), parquet
(extra: parquet), and formats of plugins (entry point docxchunk.formats)."""

_R = TypeVar("_R")

_SUFFIX: Final = len(".table-12345.csv")
_OTHER_NAMES: Final = registry.OTHER_NAMES[registry.PluginKind.FORMAT]


@common.command(epilog=EXAMPLES)
@common.paths
@click.option(
    "--out",
    "-o",
    type=common.NewFile(path_type=Path, allow_dash=True),
    default="-",
    metavar="FILE|DIR",
    help="Output file or folder, or - for standard output.",
)
@click.option(
    "--format",
    "fmt",
    default="",
    metavar="NAME",
    help="Output format, in place of that of the suffix of FILE.",
)
@common.of_strategy
@common.flag(
    "--flat",
    help="Write flat records, for the metadata of vector stores.",
)
@common.flag(
    "--units",
    help="Export units, which docxchunk chunk --units writes, in place of chunks.",
)
@common.flag(
    "--document",
    "whole",
    help="Export whole documents, as Markdown.",
)
@click.option(
    "--tables",
    type=click.Choice(["csv", "xlsx"]),
    help="Export the tables: a file for each into DIR, or one workbook FILE.xlsx.",
)
@common.recursive
def command(
    *,
    paths: tuple[str, ...],
    out: Path,
    fmt: str,
    strategy: str,
    flat: bool,
    units: bool,
    whole: bool,
    tables: str | None,
    recursive: bool,
) -> None:
    """Convert chunks to another format, each with its text to embed, source and citation. The
    chunks of several documents go into one file.

    PATH is a parsed folder, a .chunks.jsonl file, a Word file with its parsed folder beside it, or
    a folder of these. For --document and --tables, a Word file is enough.
    """
    fmt = fmt or ("" if tables or whole else _format_of(out))
    if tables:
        if fmt or strategy or flat or units or whole:
            raise UsageError(
                "--tables writes only tables: it cannot be used with --format, "
                "--strategy, --flat, --units or --document."
            )
        write_tables(paths, tables, out, Scan(recursive=recursive, parsed=True))
        return
    if whole:
        _refuse(out, fmt, chunks_only=bool(strategy or flat or units))
        _write_documents(paths, out, Scan(recursive=recursive, parsed=True))
        return
    write = cast("Callable[..., None]", registry.load(registry.PluginKind.FORMAT, fmt))
    found_at = all_chunk_files(paths, recursive=recursive)
    files = _of_one_strategy(found_at, strategy)
    reporter = Reporter()
    warn_of_outdated(files, reporter)
    warn_of_subfolders(paths, reporter, recursive=recursive)
    _warn_of_shared_ids(files, reporter)
    sources = (source_of(file, found_at[file]) for file in files)
    records = map(partial(_records, units, flat), files, sources)
    _put(out, partial(write, chain.from_iterable(records)))


def _put(out: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write to a file and print its path, or write to standard output."""
    if str(out) == "-":
        write(sys.stdout.buffer)
        return
    with new_file(out) as file:
        write(file)
    Reporter().data(str(out))


def _refuse(out: Path, fmt: str, *, chunks_only: bool) -> None:
    """Raise UsageError for options that do not apply to whole documents."""
    if (fmt or (_format_of(out) if str(out) != "-" else "markdown")) != "markdown":
        raise UsageError(
            "--document writes Markdown: give a file that ends in .md, or --format markdown."
        )
    if chunks_only:
        raise UsageError(
            "--document writes no chunks: it cannot be used with --strategy, --flat or --units."
        )


def _write_documents(paths: Sequence[str], out: Path, scan: Scan) -> None:
    """Write the documents as one Markdown text. Those that cannot be read are reported and skipped;
    the exit code is then 1.
    """
    run = InputRun(find_inputs(paths, None, scan), "", Reporter())
    texts = _results_of(run, partial(_markdown, out.parent))
    if texts:
        data = joined_markdown(texts).encode("utf-8", "replace")
        _put(out, lambda file: file.write(data))
    run.end()


class _Made(NamedTuple, Generic[_R]):
    """What was made of a document, and notes for the user."""

    result: _R
    notes: tuple[str, ...]


def _results_of(run: InputRun, make: Callable[[Input], _Made[_R]]) -> list[_R]:
    """Return what `make` makes of each input that can be read."""
    results: list[_R] = []

    def take(item: Input, made: _Made[_R]) -> None:
        run.tell(item, made.notes)
        results.append(made.result)

    run.through(with_results(make, run.inputs, 1), take)
    return results


def _markdown(place: Path, item: Input) -> _Made[str]:
    """Return a document as Markdown for a file in the folder `place`. Pictures are links into the
    parsed folder. If that is not up to date, pictures are left out.
    """
    source = opened(item)
    document, pictures = source.read(), None
    if source.current is not None:
        folder = source.current if source.current.is_dir() else source.current.parent
        pictures = Path(os.path.relpath(folder, place)).as_posix()
    text = with_pictures_in(document, pictures).to_markdown()
    return _Made(text, (*source.notes, *notes_on(document)))


def _of_one_strategy(files: Iterable[Path], strategy: str) -> list[Path]:
    """Return one chunk file per document. Raise UsageError if a document has several, or if no file
    has that strategy.
    """
    chosen = [file for file in files if strategy in ("", read_chunks(file).strategy)]
    folders = Counter(file.parent for file in chosen if is_parsed(file.parent))
    ambiguous = next((folder for folder, times in folders.items() if times > 1), None)
    if ambiguous is not None:
        raise UsageError(
            f"{ambiguous} holds the chunks of several strategies: choose one with --strategy."
        )
    if not chosen:
        raise UsageError(
            f"There are no chunks of the strategy {strategy}: `docxchunk chunk --strategy "
            f"{strategy}` makes them."
        )
    return chosen


def _warn_of_shared_ids(files: Iterable[Path], reporter: Reporter) -> None:
    """Print a note for each document that has the same id as another one. In an index, the chunks
    of one would replace those of the other.
    """
    owners: dict[str, Path] = {}
    for file in files:
        owner = owners.setdefault(read_chunks(file).doc_id, file)
        if owner is not file:
            reporter.warn(
                str(file),
                f"It has the document id of {owner}: chunk both in one run, or give --doc-id.",
            )


def _format_of(out: Path) -> str:
    if str(out) == "-":
        return "jsonl"
    ending = out.suffix.removeprefix(".").lower()
    if not ending:
        raise UsageError(f"{out} has no suffix to choose a format by: add one, or give --format.")
    return _OTHER_NAMES.get(ending, ending)


def _records(units: bool, flat: bool, file: Path, source: Identity) -> Iterator[Record]:  # noqa: FBT001 - the options
    """Yield the records of the chunks or units of a file."""
    name, properties = source.name, {**source.properties, **source.metadata}
    for unit in _cited_units(file, source) if units else ():
        record: Record = {**UNIT.record(unit), "source": name}
        page = {"page": unit.pages[0]} if unit.pages else {}
        yield {**scalars(record, properties), **page} if flat else record
    for chunk in () if units else read_chunks(file).chunks:
        if flat:
            yield {**flat_record(chunk, name, properties)}
        else:
            added: Record = {"embed_text": chunk.embed_text, "source": name}
            yield {**CHUNK.record(chunk), **added, "citation": citation(chunk, name)}


def _cited_units(file: Path, source: Identity) -> Iterator[Unit]:
    """Yield the units of a file; their citations begin with the name of the source."""
    name = PurePath(source.name).name
    for unit in read_units(file):
        if unit.citation.startswith(name):
            yield replace(unit, citation=source.name + unit.citation.removeprefix(name))
        else:
            yield unit


# -- tables


def write_tables(paths: Sequence[str], fmt: str, out: Path, scan: Scan) -> None:
    """Write the tables of all documents: one workbook, or a CSV file per table and an index.
    Documents that cannot be read are reported and skipped; the exit code is then 1.
    """
    is_book = fmt == "xlsx"
    if is_book and out.suffix.lower() != ".xlsx":
        raise UsageError("--tables xlsx writes one workbook: give its name, -o FILE.xlsx.")
    if not is_book and (str(out) == "-" or out.is_file()):
        raise UsageError("--tables csv writes a file for each table: give their folder, -o DIR.")
    folder = None if is_book else out
    run = InputRun(find_inputs(paths, folder, scan), "", Reporter(), "table")
    of_documents: list[list[ExportSheet]] = _results_of(run, partial(_sheets, folder))
    exported = list(chain.from_iterable(of_documents))
    run.counts["table"] = len(exported)
    if is_book:
        _put(out, partial(write_workbook, exported))
    for sheet in () if is_book else (*exported, index(exported)):
        path = out / f"{sheet.name}.csv"
        refuse_links(out, path)
        _put(path, partial(write_csv, sheet))
    run.end()


def _sheets(folder: Path | None, item: Input) -> _Made[list[ExportSheet]]:
    """Return the tables of a document. With an output folder, their names are paths relative to
    it.
    """
    path = item.target.relative_to(folder).with_suffix("") if folder else PurePath(item.label)
    source = opened(item)
    document = source.read()
    name = (PurePath(item.label).parent / document.name).as_posix()
    prefix = path.with_name(file_name(path.name, _SUFFIX)).as_posix()
    tables = sheets(replace(document, name=name), prefix)
    return _Made(tables, (*source.notes, *notes_on(document)))
