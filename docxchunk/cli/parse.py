"""The command `docxchunk parse`."""

from __future__ import annotations

from pathlib import Path

import click

from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Parsed, Reading, parse_all
from docxchunk.batch.pool import Jobs
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import InputRun
from docxchunk.errors import UsageError
from docxchunk.model.options import ParseOptions

EXAMPLES = """\b
Examples:
  docxchunk parse report.docx            report.docx.parsed/ beside it
  docxchunk parse docs -r -o out -j 4    a folder tree, mirrored under out/
  docxchunk parse *.docx --comments --track-changes all

A result is kept if the file, the options and the version of docxchunk are the same."""


@click.command(epilog=EXAMPLES)
@common.paths
@common.out(dash=False)
@common.recursive
@common.jobs("auto")
@common.force
@common.prune
@common.doc_id
@common.quiet
@common.reading
@click.option(
    "--describer",
    envvar="DOCXCHUNK_DESCRIBER",
    default="",
    metavar="URL",
    help="Describe pictures with a vision model on a server (URL#MODEL).",
)
@click.option("--no-model-cache", is_flag=True, help="Do not reuse cached model answers.")
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    recursive: bool,
    jobs: Jobs,
    force: bool,
    prune: bool,
    doc_id: str,
    quiet: bool,
    options: ParseOptions,
    describer: str,
    no_model_cache: bool,
) -> None:
    """Parse Word files into blocks, tables, equations and pictures.

    PATH is a .docx, .docm, .dotx or .dotm file, a folder of them, or a pattern. The result of
    NAME.docx is written to NAME.docx.parsed/, and its path is printed. - is a document on standard
    input, named stdin.docx; it needs --out.
    """
    if common.STANDARD_INPUT in paths:
        if out is None:
            raise UsageError("A document on standard input has no folder: give one with --out.")
        paths = common.with_standard_input(paths)
    scan = Scan(recursive=recursive, convert=options.convert)
    run = InputRun(find_inputs(paths, out, scan), doc_id, Reporter(quiet=quiet))
    run.leave_out(paths, out, scan, prune=prune)

    def take(item: Input, parsed: Parsed) -> None:
        run.tell(item, parsed.notes, parsed.damage)
        run.reused += parsed.reused
        run.reporter.data(str(parsed.folder))

    reading = Reading(
        options, out, doc_id, force, ModelChoice(describer=describer, cache=not no_model_cache)
    )
    run.through(parse_all(run.inputs, reading, jobs), take)
    run.record(paths, out)
    run.end()
