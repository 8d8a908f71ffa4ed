"""docxchunk export"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import click

from docxchunk import registry
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import ParseJob, Reading, document_of
from docxchunk.cli import options as common
from docxchunk.cli.tables import TABLE_FORMATS, write_tables
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.formats import Format
from docxchunk.markup.records.chunks import chunk_record
from docxchunk.markup.records.fields import Record
from docxchunk.markup.records.flat import flat_record
from docxchunk.sidecar.atomic import new_file
from docxchunk.sidecar.chunks import all_chunk_files, read_chunks, source_of
from docxchunk.sidecar.paths import is_parsed

EXAMPLES = """\b
Examples:
  docxchunk export report.docx.parsed -o report.md
  docxchunk export out --recursive -o all.parquet      of a folder, as one
  docxchunk export report.docx.parsed --flat | jq .citation
  docxchunk export report.docx --document -o whole.md  the document itself
  docxchunk export docs -r --tables csv -o tables      a file for each table
  docxchunk export docs -r --tables xlsx -o all.xlsx   all tables in one workbook

\b
Formats: jsonl (default), json, markdown, parquet (extra: parquet), and those
of other packages (entry points docxchunk.formats)."""

ENDINGS: Mapping[str, str] = {"md": "markdown", "ndjson": "jsonl"}


@click.command(epilog=EXAMPLES)
@common.paths
@click.option("--out", "-o", type=common.NewFile(path_type=Path, allow_dash=True), default="-", metavar="FILE|DIR", help="Where to; else standard output.")
@click.option("--format", "fmt", default="", metavar="NAME", help="The format; else the ending of FILE says it.")
@click.option("--strategy", "-s", default="", metavar="NAME", help="Whose chunks, where a document has those of several strategies.")
@click.option("--flat", is_flag=True, help="Scalars only, with source, page and citation: metadata as vector stores want it.")
@click.option("--document", "whole", is_flag=True, help="The documents themselves as Markdown, not their chunks. Word files are parsed for it.")
@click.option("--tables", type=click.Choice(TABLE_FORMATS), help="The tables of the documents: a file for each into DIR, or a workbook FILE.xlsx.")
@common.recursive
def command(*, paths: tuple[str, ...], out: Path, fmt: str, strategy: str, flat: bool, whole: bool, tables: str | None, recursive: bool) -> None:
    """Write chunks that were made in another format, those of several documents as one file.

    PATH is a parsed folder, a .chunks.jsonl, a Word file with its parsed folder beside it, or a folder of these.
    """
    if tables:
        if fmt or strategy or flat or whole:
            raise UsageError("--tables writes tables alone: --format, --strategy, --flat and --document do not go with it.")
        write_tables(paths, tables, out, Scan(recursive=recursive, parsed=True))
        return
    if whole:
        _refuse(out, fmt, strategy, flat=flat)
        _put(out, partial(_write_documents, paths, recursive))
        return
    write = cast("Format", registry.load(registry.PluginKind.FORMAT, fmt or _format_of(out)))
    files = _of_one_strategy(all_chunk_files(paths, recursive=recursive), strategy)
    records = _flat_records(files) if flat else _records(files)
    _put(out, partial(write, records))


def _put(out: Path, write: Callable[[BinaryIO], None]) -> None:
    """Writes to a file, or to standard output."""
    if str(out) == "-":
        write(sys.stdout.buffer)
        return
    with new_file(out) as file:
        write(file)


def _refuse(out: Path, fmt: str, strategy: str, *, flat: bool) -> None:
    """Raises UsageError for what is no option of whole documents."""
    if (fmt or (_format_of(out) if str(out) != "-" else "markdown")) != "markdown":
        raise UsageError("--document writes Markdown: give a file that ends in .md, or --format markdown.")
    if strategy or flat:
        raise UsageError("--document writes no chunks: --strategy and --flat have no meaning with it.")


def _write_documents(paths: Sequence[str], recursive: bool, file: BinaryIO) -> None:  # noqa: FBT001 - as `find_inputs` has it
    """One document after another, a rule between them. Raises InputError at the first that cannot be read."""
    rule = ""
    for item in find_inputs(paths, None, Scan(recursive=recursive, parsed=True)):
        if isinstance(item, MissingFileError):
            raise item
        if isinstance(item, Input):
            file.write(f"{rule}{document_of(ParseJob(item, Reading())).to_markdown()}".encode("utf-8", "replace"))
            rule = "\n---\n\n"


def _of_one_strategy(files: Iterable[Path], strategy: str) -> list[Path]:
    """A file of chunks for each document. Raises UsageError where there are several, or none of that strategy."""
    found = [file for file in files if strategy in ("", read_chunks(file).strategy)]
    folders = Counter(file.parent for file in found if is_parsed(file.parent))
    several = next((folder for folder, times in folders.items() if times > 1), None)
    if several is not None:
        raise UsageError(f"{several} holds the chunks of several strategies: --strategy says whose are wanted.")
    if not found:
        raise UsageError(f"There are no chunks of the strategy {strategy}.")
    return found


def _format_of(out: Path) -> str:
    """The format that the ending of a file asks for."""
    if str(out) == "-":
        return "jsonl"
    ending = out.suffix.removeprefix(".").lower()
    if not ending:
        raise UsageError(f"{out} has no ending that says its format: give one, or --format.")
    return ENDINGS.get(ending, ending)


def _records(files: Iterable[Path]) -> Iterator[Record]:
    return (chunk_record(chunk) for file in files for chunk in read_chunks(file).chunks)


def _flat_records(files: Iterable[Path]) -> Iterator[Record]:
    for file in files:
        source = source_of(file)
        yield from (flat_record(chunk, source.name, source.properties) for chunk in read_chunks(file).chunks)
