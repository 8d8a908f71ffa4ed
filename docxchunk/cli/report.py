"""docxchunk report"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from docxchunk.batch.chunking import check
from docxchunk.batch.inputs import Input, Scan
from docxchunk.batch.pool import Failed
from docxchunk.batch.reporting import Reported, ReportJob, report_all
from docxchunk.batch.work import Reading
from docxchunk.cli import options as common
from docxchunk.cli.consoles import Voice
from docxchunk.cli.making import Choice, making_of
from docxchunk.cli.parse import gather
from docxchunk.errors import UsageError
from docxchunk.model.options import ParseOptions

EXAMPLES = """\b
Examples:
  docxchunk report report.docx                   report.docx.html beside it
  docxchunk report report.docx -o page.html -n 512
  docxchunk report report.docx -s P -s R         two strategies side by side
  docxchunk report report.docx.parsed            the chunks that are there
  docxchunk report docs -r -o out                a tree, mirrored under out/"""


@click.command(epilog=EXAMPLES)
@common.paths
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE.html|DIR|-",
    help='The page of one input, or the folder of the pages of several, a tree mirrored; else they stand beside their inputs. "-" is standard output.',
)
@click.option("--strategy", "-s", "strategies", multiple=True, metavar="NAME", help="How to chunk; given more than once, side by side.  [default: P]")
@common.chunking
@common.recursive
@common.jobs
@common.doc_id
@common.quiet
@common.reading
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    strategies: tuple[str, ...],
    max_tokens: int | None,
    overlap: int | None,
    tokenizer: str | None,
    settings: tuple[str, ...],
    contextualize: bool,
    drop_toc: bool,
    recursive: bool,
    jobs: int,
    doc_id: str,
    quiet: bool,
    options: ParseOptions,
) -> None:
    """Write a page that shows a document and its chunks, to be opened in a browser.

    PATH is a Word file, a parsed folder, a .blocks.jsonl, plain text or Markdown, a folder of these, or a pattern. Of what is parsed, the chunks beside it
    are shown, unless an option says how to chunk. The page is one file that loads nothing; its path is printed.
    """
    choice = Choice(max_tokens, overlap, tokenizer, settings, contextualize=contextualize, drop_toc=drop_toc)
    makings = making_of(strategies or ("P",), choice)
    for making in makings:
        check(making)
    folder = None if out is None or _is_page(out) else out
    voice = Voice(quiet=quiet)
    inputs = gather(paths, folder, Scan(recursive=recursive, parsed=True), doc_id, voice)
    if out is not None and _is_page(out) and len(inputs) > 1:
        raise UsageError(f"{out} is one page, and there are several inputs: -o takes a folder for them.")
    reading, found = Reading(options, folder, doc_id), not strategies and choice == Choice()
    work = [ReportJob(item, reading, makings, found=found, target=_target(item, out)) for item in inputs]
    for item, outcome in voice.watched(report_all(work, jobs), len(work)):
        if isinstance(outcome, Failed):
            voice.fail(item.label, outcome.sentence)
        else:
            _show(voice, item.label, outcome)
    voice.end()


def _show(voice: Voice, label: str, outcome: Reported) -> None:
    for note in outcome.notes:
        voice.warn(label, note)
    if outcome.path:
        voice.data(outcome.path)
    else:
        sys.stdout.buffer.write(outcome.page)


def _is_page(out: Path) -> bool:
    """A file of one page, or standard output; else a folder."""
    return str(out) == "-" or (out.suffix.lower() in (".html", ".htm") and not out.is_dir())


def _target(item: Input, out: Path | None) -> Path | None:
    """Where the page goes; None for standard output."""
    if out is not None and _is_page(out):
        return None if str(out) == "-" else out
    return item.target.with_suffix(".html")
