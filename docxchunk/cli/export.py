"""docxchunk export"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

import click

from docxchunk import registry
from docxchunk.cli import options as common
from docxchunk.errors import UsageError
from docxchunk.formats import Format
from docxchunk.markup.records.chunks import chunk_record
from docxchunk.markup.records.fields import Record
from docxchunk.markup.records.flat import flat_record
from docxchunk.sidecar.atomic import new_file
from docxchunk.sidecar.chunks import all_chunk_files, read_chunks, source_name

EXAMPLES = """\b
Examples:
  docxchunk export report.docx.parsed -o report.md
  docxchunk export out --recursive -o all.parquet      of a folder, as one
  docxchunk export report.docx.parsed --flat | jq .citation

\b
Formats: jsonl (default), json, markdown, parquet (extra: parquet), and those
of other packages (entry points docxchunk.formats)."""

ENDINGS: Mapping[str, str] = {"md": "markdown", "ndjson": "jsonl"}


@click.command(epilog=EXAMPLES)
@common.paths
@click.option("--out", "-o", type=click.Path(path_type=Path, allow_dash=True), default="-", metavar="FILE", help="Where to; else standard output.")
@click.option("--format", "fmt", default="", metavar="NAME", help="The format; else the ending of FILE says it.")
@click.option("--flat", is_flag=True, help="Scalars only, with source, page and citation: metadata as vector stores want it.")
@common.recursive
def command(*, paths: tuple[str, ...], out: Path, fmt: str, flat: bool, recursive: bool) -> None:
    """Write chunks that were made in another format, those of several documents as one file.

    PATH is a parsed folder, a .chunks.jsonl, a Word file with its parsed folder beside it, or a folder of these.
    """
    write = cast("Format", registry.load(registry.Kind.FORMAT, fmt or _format_of(out)))
    files = list(all_chunk_files(paths, recursive=recursive))
    records = _flat_records(files) if flat else _records(files)
    if str(out) == "-":
        write(records, sys.stdout.buffer)
        return
    with new_file(out) as file:
        write(records, file)


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
        source = source_name(file)
        yield from (flat_record(chunk, source) for chunk in read_chunks(file).chunks)
