"""docxchunk stats"""

from __future__ import annotations

from typing import NamedTuple

import click
from rich.text import Text

from docxchunk.cli import options as common
from docxchunk.cli.console import counted
from docxchunk.cli.printing import DIM, STRONG, WARN, bar, grid, heading, indented, plain
from docxchunk.markup.measures import SizeStatistics, histogram, measured
from docxchunk.model.chunks import Chunk
from docxchunk.sidecar.chunks import ChunkFile, all_chunk_files, read_chunks

EXAMPLES = """\b
Examples:
  docxchunk stats report.docx.parsed
  docxchunk stats report.docx              its parsed folder, beside it
  docxchunk stats out --recursive          all below a folder, as one"""

_BINS, _BAR = 8, 40  # eighths: the first bin is the small ones, the last two are the ideal ones


class Group(NamedTuple):
    """What may be looked at together: chunks of one strategy, cap and tokenizer."""

    strategy: str
    cap: int
    tokenizer: str


@click.command(epilog=EXAMPLES)
@common.paths
@common.recursive
def command(*, paths: tuple[str, ...], recursive: bool) -> None:
    """Show how large chunks are: a histogram, how full they are, how many are as large as they should be. Children of chunks are not counted.

    PATH is a parsed folder, a .chunks.jsonl, a Word file with its parsed folder beside it, or a folder of these.
    """
    groups: dict[Group, list[ChunkFile]] = {}
    for file in all_chunk_files(paths, recursive=recursive):
        found = read_chunks(file)
        groups.setdefault(Group(found.strategy, found.cap, found.tokenizer), []).append(found)
    for group, files in groups.items():
        print_group(group, files)


def print_group(group: Group, files: list[ChunkFile]) -> None:
    chunks = [chunk for file in files for chunk in file.chunks if not chunk.parent]
    plain(files[0].path.name if len(files) == 1 else counted(len(files), "document"), STRONG)
    plain(f"{group.strategy} · at most {counted(group.cap, 'token')} · {group.tokenizer}", DIM)
    if not chunks:
        plain("There are no chunks in it.")
        return
    print_histogram(chunks, group.cap)
    print_sizes(measured(chunks, group.cap), group.cap)


def print_histogram(chunks: list[Chunk], cap: int) -> None:
    heading("Tokens")
    bins = histogram(chunks, cap, _BINS)
    most = max(count for _, _, count in bins)
    table = grid(">", "-", ">")
    for low, high, count in bins:
        good = low >= cap * 3 // 4
        table.add_row(f"{low:,} – {high:,}", Text(bar(count, most, _BAR).ljust(_BAR), "green" if good else "cyan"), f"{count:,}" if count else Text("·", DIM))
    indented(table)


def print_sizes(sizes: SizeStatistics, cap: int) -> None:
    heading("Chunks")
    table = grid("-", ">", "<")
    rows = (
        ("chunks", f"{sizes.chunks:,}", counted(sizes.tokens, "token")),
        ("mean size", f"{sizes.mean:,.0f}", f"median {sizes.median:,.0f}, largest {sizes.largest:,}"),
        ("mean fill", f"{sizes.fill:.2f}", "of the cap; chunks with a slice of a table left out"),
        ("ideal size", f"{sizes.ideal:.0%}", f"{cap * 3 // 4:,} to {cap:,} tokens; the same"),
        ("small", f"{sizes.small:.0%}", f"under {cap // 8:,} tokens"),
        ("oversize", f"{sizes.oversize:,}", f"over {cap:,} tokens"),
        ("sections", f"{sizes.sections:.1f}", "headings a chunk"),
        ("tables cut", f"{sizes.tables_cut:,}", f"of {sizes.tables:,}"),
        ("shown twice", f"{sizes.repeated:.1%}", "of the characters: overlap, bridges, repeated header rows"),
    )
    for name, value, meaning in rows:
        table.add_row(name, Text(value, WARN if name == "oversize" and sizes.oversize else STRONG), Text(meaning, DIM))
    indented(table)
