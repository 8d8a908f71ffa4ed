"""docxchunk chunk"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import click

from docxchunk.batch.chunking import Chunked, check, chunk_all
from docxchunk.batch.inputs import Input, Scan
from docxchunk.batch.work import Reading
from docxchunk.cli import options as common
from docxchunk.cli.consoles import Voice
from docxchunk.cli.making import Choice, choosing, making_of
from docxchunk.cli.running import Run
from docxchunk.errors import UsageError
from docxchunk.model.options import ParseOptions
from docxchunk.sidecar.atomic import new_file

EXAMPLES = """\b
Examples:
  docxchunk chunk report.docx            into report.docx.parsed/
  docxchunk chunk docs -r -o out -j 4    a tree, mirrored under out/
  docxchunk chunk report.docx -o - | jq -r .content
  docxchunk chunk report.docx.parsed --max-tokens 512 --overlap 50
  docxchunk chunk report.docx --set anchors=furthest --trace trace.jsonl
  docxchunk chunk report.docx --strategy V --embedder minilm

What is there already and unchanged (same bytes, settings, tokenizer and version) is left as it is: after Ctrl-C the same command goes on.

\b
Environment, below the options: CHUNK_P_SIZE (--max-tokens of P),
CHUNK_P_OVERLAP_SIZE (--overlap of P), CHUNK_OVERLAP_SIZE (--overlap);
DOCXCHUNK_EMBEDDER, DOCXCHUNK_SCORER, DOCXCHUNK_COMPLETER; OPENAI_API_KEY
for servers; DOCXCHUNK_CACHE, where answers of models are kept."""


@click.command(epilog=EXAMPLES)
@common.paths
@common.out(dash=True)
@click.option("--strategy", "-s", default="P", show_default=True, metavar="NAME", help="How to chunk: docxchunk strategies.")
@choosing
@click.option("--trace", type=common.Place(dir_okay=False, path_type=Path), metavar="FILE", help="Write what each stage did, as JSON lines.")
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
    choice: Choice,
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
    if trace == Path("-"):
        raise UsageError("--trace takes the name of a file; standard output is for chunks.")
    voice = Voice(quiet=quiet)
    making = replace(making_of((strategy,), choice)[0], trace=trace is not None, keep=str(out) != "-")
    check(making)
    run = Run(paths, out, Scan(recursive=recursive, parsed=True), doc_id, voice)
    run.made.update(chunk=0, token=0)
    with nullcontext() if trace is None else new_file(trace) as file:
        run.through(chunk_all(run.inputs, Reading(options, run.out, doc_id, force), making, jobs), partial(_take, run, voice, file))
    run.end()


def _take(run: Run, voice: Voice, trace: BinaryIO | None, item: Input, chunked: Chunked) -> None:
    run.reused += chunked.reused
    run.made.update(chunk=chunked.chunks, token=chunked.tokens)
    if trace is not None:
        trace.write(chunked.trace)
    for note in chunked.notes:
        voice.warn(item.label, note)
    if chunked.path:
        voice.data(chunked.path)
    else:
        sys.stdout.buffer.write(chunked.lines)
