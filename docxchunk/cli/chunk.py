"""docxchunk chunk"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from docxchunk import api
from docxchunk.batch.chunking import Chunked, Making, check, chunk_all
from docxchunk.batch.inputs import Scan
from docxchunk.batch.pool import Failed
from docxchunk.batch.work import Reading
from docxchunk.cli import options as common
from docxchunk.cli.consoles import Voice, counted
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

SIZES = {"P": ("CHUNK_P_SIZE",)}
OVERLAPS = {"P": ("CHUNK_P_OVERLAP_SIZE", "CHUNK_OVERLAP_SIZE")}


@click.command(epilog=EXAMPLES)
@common.paths
@common.out(dash=True)
@click.option("--strategy", "-s", default="P", show_default=True, metavar="NAME", help="How to chunk: docxchunk strategies.")
@click.option("--max-tokens", "-n", type=int, metavar="N", help=f"The most tokens of a chunk.  [default: {api.DEFAULT_MAX_TOKENS}]")
@click.option("--overlap", type=int, metavar="N", help=f"The most tokens shown twice in a split paragraph.  [default: {api.DEFAULT_OVERLAP}]")
@click.option("--tokenizer", "-t", default="o200k_base", show_default=True, metavar="NAME|FILE", help="What counts: docxchunk tokenizers, or a tokenizer.json.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the strategy; may be given more than once.")
@click.option("--contextualize", is_flag=True, help="Put the heading path before the text.")
@click.option("--drop-toc", is_flag=True, help="Leave tables of contents out.")
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
    tokenizer: str,
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
    from docxchunk.chunking.named import typed_settings

    printed = str(out) == "-"
    place = None if printed else out
    making = Making(
        strategy=strategy,
        max_tokens=_size(max_tokens, SIZES.get(strategy, ()), api.DEFAULT_MAX_TOKENS),
        overlap=_size(overlap, OVERLAPS.get(strategy, ("CHUNK_OVERLAP_SIZE",)), api.DEFAULT_OVERLAP),
        tokenizer=tokenizer,
        contextualize=contextualize,
        drop_toc=drop_toc,
        settings=typed_settings(strategy, settings),
        trace=trace is not None,
        keep=not printed,
    )
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


def _size(option: int | None, variables: tuple[str, ...], default: int) -> int:
    """The option, else the first variable of the environment that is set, else the default."""
    if option is not None:
        return option
    for name in variables:
        value = os.environ.get(name, "")
        if value:
            try:
                return int(value)
            except ValueError:
                raise UsageError(f"{name} is {value!r}, which is no whole number.") from None
    return default


def _write(path: Path, lines: list[bytes]) -> None:
    try:
        path.write_bytes(b"".join(lines))
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error
