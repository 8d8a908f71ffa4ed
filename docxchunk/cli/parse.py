"""The command `docxchunk parse`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Parsed, Reading, parse_all
from docxchunk.batch.metadata import with_metadata
from docxchunk.batch.pool import Jobs
from docxchunk.cli import options as common
from docxchunk.cli.console import Reporter
from docxchunk.cli.input_run import InputRun
from docxchunk.errors import UsageError
from docxchunk.model.metadata import Rows
from docxchunk.model.options import ParseOptions

_EXAMPLES: Final = """\b
Examples:
  docxchunk parse report.docx            report.docx.parsed/ beside it
  docxchunk parse docs -r -o out -j 4    a folder tree, mirrored under out/
  docxchunk parse *.docx --comments --track-changes all

Results that are up to date are kept."""


@common.command(
    epilog=_EXAMPLES,
    most_used="--out --recursive --jobs --force --prune --quiet --track-changes --comments "
    "--headings --convert --everything",
    old_names=common.OLD_NAMES,
)
@common.paths
@common.out(dash=False)
@common.recursive
@common.jobs("auto")
@common.force
@common.prune
@common.doc_id
@common.metadata
@common.quiet
@common.reading
@common.model("describer", "Vision model on a server (URL#MODEL) that describes pictures.")
@common.no_model_cache
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    recursive: bool,
    jobs: Jobs,
    force: bool,
    prune: bool,
    doc_id: str,
    metadata: Rows | None,
    quiet: bool,
    options: ParseOptions,
    describer: str,
    no_model_cache: bool,
) -> None:
    """Parse Word files into blocks, tables, equations and pictures.

    PATH is a .docx, .docm, .dotx or .dotm file, a folder of them, a pattern, or - for standard
    input, which needs --out. The result of NAME.docx is written to NAME.docx.parsed/, and its path
    is printed.
    """
    if common.STANDARD_INPUT in paths:
        if out is None:
            raise UsageError("A document on standard input has no folder: give one with --out.")
        paths = common.with_standard_input(paths)
    scan = Scan(recursive=recursive, convert=options.convert)
    reporter = Reporter(quiet=quiet)
    items = with_metadata(
        find_inputs(paths, out, scan), metadata, partial(reporter.warn, "--metadata")
    )
    run = InputRun(items, doc_id, reporter)
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
