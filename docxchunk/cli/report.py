"""The command `docxchunk report`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from docxchunk.batch.chunking import check
from docxchunk.batch.failures import failure_folders, record_failures
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Reading
from docxchunk.batch.pool import Jobs
from docxchunk.batch.reporting import PRINTED, Reported, Reporting, report_all
from docxchunk.cli import options as common
from docxchunk.cli.chunk_options import Choice, chunk_specs, comparing
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import InputRun
from docxchunk.errors import UsageError
from docxchunk.formats.report import require_templates
from docxchunk.model.options import ParseOptions

EXAMPLES = """\b
Examples:
  docxchunk report report.docx                   report.docx.html beside it
  docxchunk report report.docx -o page.html -n 512
  docxchunk report report.docx -s P -s R         two strategies side by side
  docxchunk report report.docx -n 256 -n 512     two sizes side by side
  docxchunk report report.docx.parsed            the existing chunks
  docxchunk report docs -r -o out                a tree, mirrored under out/"""


@click.command(epilog=EXAMPLES)
@common.paths
@click.option(
    "--out",
    "-o",
    type=common.NewFile(path_type=Path, allow_dash=True),
    metavar="FILE.html|DIR|-",
    help="Page for one input, or folder for several. By default, pages are written beside the "
    'inputs. "-" is standard output.',
)
@click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    metavar="NAME",
    help="Chunking strategy. Repeat the option to compare strategies side by side.  [default: P]",
)
@comparing
@common.recursive
@common.jobs("auto")
@common.doc_id
@common.quiet
@common.reading
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    strategies: tuple[str, ...],
    choice: Choice,
    recursive: bool,
    jobs: Jobs,
    doc_id: str,
    quiet: bool,
    options: ParseOptions,
) -> None:
    """Write an HTML page that shows a document and its chunks.

    PATH is a Word file, a parsed folder, a .blocks.jsonl file, plain text or Markdown, a folder
    with Word files and parsed folders, or a pattern. For a parsed folder, the page shows the
    existing chunks, unless a chunking option is given. The page is a single file that loads no
    other resources. Its path is printed.
    """
    require_templates()
    specs = chunk_specs(strategies or ("P",), choice)
    for spec in specs:
        check(spec)
    page = out if out is not None and _is_page(out) else None
    reporter = Reporter(quiet=quiet)
    place = out if page is None else None
    run = InputRun(
        find_inputs(paths, place, Scan(recursive=recursive, parsed=True, convert=options.convert)),
        doc_id,
        reporter,
    )
    run.tell_of_options(options, doc_id)
    if page is not None and len(run.inputs) > 1:
        raise UsageError(f"{out} is one page, but there are several inputs: give a folder to -o.")
    how = Reporting(
        Reading(options, place, doc_id),
        specs,
        existing=not strategies and choice == Choice(),
        page=page,
    )
    run.through(report_all(run.inputs, how, jobs), partial(_show, reporter))
    if page != PRINTED:
        record_failures(failure_folders(paths, place), run.failures)
    run.end()


def _show(reporter: Reporter, item: Input, outcome: Reported) -> None:
    for note in outcome.notes:
        reporter.warn(item.label, note)
    if outcome.path:
        reporter.data(outcome.path)
    else:
        sys.stdout.buffer.write(outcome.page)


def _is_page(out: Path) -> bool:
    """Return whether `out` is a page or standard output, not a folder."""
    return out == PRINTED or (out.suffix.lower() in (".html", ".htm") and not out.is_dir())
