"""docxchunk parse"""

from __future__ import annotations

from pathlib import Path

import click

from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.pool import Failed
from docxchunk.batch.work import Reading, parse_all
from docxchunk.cli import options as common
from docxchunk.cli.consoles import Voice, counted
from docxchunk.errors import UsageError
from docxchunk.model.options import ParseOptions

EXAMPLES = """\b
Examples:
  docxchunk parse report.docx            report.docx.parsed/ beside it
  docxchunk parse docs -r -o out -j 4    a tree, mirrored under out/
  docxchunk parse *.docx --comments --track-changes all

What is there already and unchanged (same bytes, options and version) is left as it is."""


@click.command(epilog=EXAMPLES)
@common.paths
@common.out(dash=False)
@common.recursive
@common.jobs
@common.force
@common.doc_id
@common.quiet
@common.reading
def command(*, paths: tuple[str, ...], out: Path | None, recursive: bool, jobs: int, force: bool, doc_id: str, quiet: bool, options: ParseOptions) -> None:
    """Turn Word files into blocks, tables, equations and pictures.

    PATH is a .docx, .docm, .dotx or .dotm, a folder of them, or a pattern. Each NAME.docx is written to NAME.docx.parsed/, whose path is printed.
    """
    voice = Voice(quiet=quiet)
    inputs = gather(paths, out, Scan(recursive=recursive), doc_id, voice)
    reused = 0
    for item, outcome in voice.watched(parse_all(inputs, Reading(options, out, doc_id, force), jobs), len(inputs)):
        if isinstance(outcome, Failed):
            voice.fail(item.label, outcome.sentence)
        else:
            reused += outcome.reused
            voice.data(str(outcome.folder))
    if len(inputs) > 1:
        voice.say(f"{counted(len(inputs), 'file')}: {len(inputs) - reused - voice.failed} parsed, {reused} unchanged, {voice.failed} failed.")
    voice.end()


def gather(paths: tuple[str, ...], out: Path | None, scan: Scan, doc_id: str, voice: Voice) -> list[Input]:
    """The inputs that are there; those that are not are told of. Raises UsageError for one id for several."""
    found = find_inputs(paths, out, scan)
    inputs = [item for item in found if isinstance(item, Input)]
    if doc_id and len(inputs) > 1:
        raise UsageError("--doc-id names one document, and there are several inputs.")
    for item in found:
        if not isinstance(item, Input):
            voice.fail("", str(item))
    return inputs
