"""The command `docxchunk report`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from docxchunk.batch.chunk_spec import (
    ChunkSpec,
    check,
    chunking_of,
    hush,
    models_of,
    tokenizer_named,
)
from docxchunk.batch.inputs import Input, Scan, find_inputs, refuse_links
from docxchunk.batch.jobs import Reading, notes_on, opened, with_results
from docxchunk.batch.pool import Jobs
from docxchunk.cli import options as common
from docxchunk.cli.chunk import Choice, choosing, chunk_specs
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import InputRun
from docxchunk.errors import SidecarError, UsageError
from docxchunk.formats.report import can_draw, html_report, require_templates
from docxchunk.formats.report.pieces import (
    ChunkSet,
)
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.registry import missing_extra
from docxchunk.sidecar.atomic import write_file
from docxchunk.sidecar.chunks import chunk_files, read_chunks
from docxchunk.sidecar.reader import content_hash

EXAMPLES = """\b
Examples:
  docxchunk report report.docx                   report.docx.html beside it
  docxchunk report report.docx -o page.html -n 512
  docxchunk report report.docx -s P -s R         two strategies side by side
  docxchunk report report.docx -n 256 -n 512     two sizes side by side
  docxchunk report report.docx.parsed            the existing chunks"""

PRINTED = Path("-")


@common.command(
    epilog=EXAMPLES,
    most_used="--out --strategy --max-tokens --overlap --set --recursive --jobs --track-changes "
    "--comments --quiet",
    old_names=common.OLD_NAMES,
)
@common.paths
@click.option(
    "--out",
    "-o",
    type=common.NewFile(path_type=Path, allow_dash=True),
    metavar="FILE.html|DIR|-",
    help="Page for one input, folder for several, or - for standard output.",
)
@partial(choosing, several=True)
@common.recursive
@common.jobs("auto")
@common.doc_id
@common.quiet
@common.reading
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    choice: Choice,
    recursive: bool,
    jobs: Jobs,
    doc_id: str,
    quiet: bool,
    options: ParseOptions,
) -> None:
    """Write an HTML page that shows a document and its chunks.

    PATH is as for docxchunk chunk. For a parsed folder, the page shows the existing chunks, unless
    an option says how to chunk. The page is a single file beside the input that loads no other
    resources. Its path is printed.
    """
    require_templates()
    specs = chunk_specs(choice)
    for spec in specs:
        check(spec)
    page = out if out is not None and _is_page(out) else None
    folder = out if page is None else None
    run = InputRun(
        find_inputs(paths, folder, Scan(recursive=recursive, parsed=True, convert=options.convert)),
        doc_id,
        Reporter(quiet=quiet),
    )
    run.tell_of_options(options, doc_id)
    if page is not None and len(run.inputs) > 1:
        raise UsageError(f"{out} is one page, but there are several inputs: give a folder to -o.")
    how = Reporting(
        Reading(options, folder, doc_id, as_parsed=common.without_parser_options(), any_id=True),
        specs,
        existing=choice == Choice(),
        page=page,
    )
    ports = [port for spec in specs for port in models_of(spec)]
    run.through(
        with_results(partial(report_one, how), run.inputs, jobs, ports), partial(_show, run)
    )
    if page != PRINTED:
        run.record(paths, folder)
    run.end()


def _show(run: InputRun, item: Input, report: tuple[str, bytes, tuple[str, ...]]) -> None:
    path, page, notes = report
    run.tell(item, notes)
    if path:
        run.reporter.data(path)
    else:
        sys.stdout.buffer.write(page)


def _is_page(out: Path) -> bool:
    """Return whether `out` is a page or standard output, not a folder."""
    return out == PRINTED or (out.suffix.lower() in (".html", ".htm") and not out.is_dir())


class Reporting(NamedTuple):
    """Options of reports.

    With `existing`, show the chunks in a parsed folder; if there are none, make them. `page` is the
    path of the report for a single input, or PRINTED to return its bytes. By default, each report
    is written to the place where the parsed folder would be.
    """

    reading: Reading
    specs: tuple[ChunkSpec, ...]
    existing: bool
    page: Path | None


def report_one(how: Reporting, item: Input) -> tuple[str, bytes, tuple[str, ...]]:
    """Make the HTML page of an input. Return the path of the file into which it was written, the
    page itself if it is to be printed, and notes for the user. The path or the page is empty.
    """
    hush()
    source = opened(item, how.reading)
    document = source.read()
    sets = chunk_sets(document, item, how.specs, existing=how.existing)
    page, notes = html_report(document, sets).encode(), (*source.notes, *_notes(document))
    if how.page == PRINTED:
        return "", page, notes
    target = how.page or item.target.with_suffix(".html")
    if how.reading.out is not None:
        refuse_links(how.reading.out, target)
    write_file(target, page)
    return str(target), b"", notes


def _notes(document: Document) -> Iterator[str]:
    yield from notes_on(document)
    if not can_draw() and any("<equation" in block.content for block in document.blocks):
        yield missing_extra(
            "Drawing the equations, which are shown as LaTeX,", "math-core", "report"
        )


def chunk_sets(
    document: Document, item: Input, specs: Sequence[ChunkSpec], *, existing: bool
) -> list[ChunkSet]:
    """Return new chunks for each of the options, or, with `existing`, those in a parsed folder, if
    there are any. If several sizes are compared, the names of the sets include the size.
    """
    if existing and item.is_parsed and (sets := _existing(item.source)):
        return sets
    with_sizes = len({spec.limits.max_tokens for spec in specs}) > 1
    return [
        ChunkSet(
            f"{spec.strategy} {spec.limits.max_tokens}" if with_sizes else spec.strategy,
            spec.limits.max_tokens,
            tokenizer_named(spec.tokenizer).name,
            chunking_of(document, spec).chunks,
        )
        for spec in specs
    ]


def _existing(source: Path) -> list[ChunkSet]:
    """Return the existing chunk sets: P first, then by name. Raise SidecarError if the blocks have
    changed since.
    """
    files = list(map(read_chunks, chunk_files(source if source.is_dir() else source.parent)))
    blocks = content_hash(source)
    for file in files:
        if file.blocks_sha256 != blocks:
            raise SidecarError(
                f"{file.path} holds chunks of another version of the document: "
                "run `docxchunk chunk` again."
            )
    sets = [ChunkSet(file.strategy, file.cap, file.tokenizer, file.chunks) for file in files]
    return sorted(sets, key=lambda chunk_set: (chunk_set.name != "P", chunk_set.name))
