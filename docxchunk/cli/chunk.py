"""docxchunk chunk"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from docxchunk.batch.chunking import Chunked, check, chunk_all
from docxchunk.batch.inputs import Scan
from docxchunk.batch.pool import Failed
from docxchunk.batch.work import Reading
from docxchunk.cli import options as common
from docxchunk.cli.consoles import Voice, counted
from docxchunk.cli.making import Choice, making_of
from docxchunk.cli.parse import gather
from docxchunk.errors import OutputError, UsageError
from docxchunk.model.options import ParseOptions

EXAMPLES = """\b
Examples:
  docxchunk chunk report.docx            into report.docx.parsed/
  docxchunk chunk docs -r -o out -j 4    a tree, mirrored under out/
  docxchunk chunk report.docx -o - | jq -r .content
  docxchunk chunk report.docx.parsed --max-tokens 512 --overlap 50
  docxchunk chunk report.docx --set anchors=furthest --trace trace.jsonl

\b
Environment, below the options: CHUNK_P_SIZE (--max-tokens of P),
CHUNK_P_OVERLAP_SIZE (--overlap of P), CHUNK_OVERLAP_SIZE (--overlap)."""


@click.command(epilog=EXAMPLES)
@common.paths
@common.out(dash=True)
@click.option("--strategy", "-s", default="P", show_default=True, metavar="NAME", help="How to chunk: docxchunk strategies.")
@common.chunking
@click.option("--trace", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write what each stage did, as JSON lines.")
@common.recursive
@common.jobs
@common.force
@common.doc_id
@common.quiet
@common.reading
def command(
    *,
    paths: tuple[str, ...],
    out: Path | None,
    strategy: str,
    max_tokens: int | None,
    overlap: int | None,
    tokenizer: str | None,
    settings: tuple[str, ...],
    contextualize: bool,
    drop_toc: bool,
    trace: Path | None,
    recursive: bool,
    jobs: int,
    force: bool,
    doc_id: str,
    quiet: bool,
    options: ParseOptions,
) -> None:
    """Turn Word files, or parsed ones, into chunks.

    PATH is a Word file (parsed first, unless that is done), a parsed folder, a .blocks.jsonl (LightRAG's, too), plain text or Markdown, a folder of
    these, or a pattern. Chunks are written into the parsed folder; the path of each file is printed.
    """
    printed = str(out) == "-"
    place = None if printed else out
    choice = Choice(max_tokens, overlap, tokenizer, settings, contextualize=contextualize, drop_toc=drop_toc)
    making = replace(making_of((strategy,), choice)[0], trace=trace is not None, keep=not printed)
    check(making)
    if trace == Path("-"):
        raise UsageError("--trace takes the name of a file; standard output is for chunks.")
    voice = Voice(quiet=quiet)
    inputs = gather(paths, place, Scan(recursive=recursive, parsed=True), doc_id, voice)
    chunks = tokens = 0
    traces: list[bytes] = []
    for item, outcome in voice.watched(chunk_all(inputs, Reading(options, place, doc_id, force), making, jobs), len(inputs)):
        if isinstance(outcome, Failed):
            voice.fail(item.label, outcome.sentence)
            continue
        _show(voice, item.label, outcome)
        chunks, tokens = chunks + outcome.chunks, tokens + outcome.tokens
        traces.append(outcome.trace)
    if trace is not None:
        _write(trace, traces)
    voice.say(f"{counted(len(inputs), 'document')}: {counted(chunks, 'chunk')}, {counted(tokens, 'token')}, {voice.failed} failed.")
    voice.end()


def _show(voice: Voice, label: str, outcome: Chunked) -> None:
    for note in outcome.notes:
        voice.warn(label, note)
    if outcome.path:
        voice.data(outcome.path)
    else:
        sys.stdout.buffer.write(outcome.lines)


def _write(path: Path, lines: list[bytes]) -> None:
    try:
        path.write_bytes(b"".join(lines))
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error
