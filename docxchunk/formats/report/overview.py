"""What a document is, how its chunks came out, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from docxchunk.formats.report.alignment import roots
from docxchunk.formats.report.escaping import escaped
from docxchunk.formats.report.values import ChunkSet
from docxchunk.markup.measures import Sizes, histogram, measured
from docxchunk.model.chunks import Slice
from docxchunk.model.document import Document

_BINS, _BAR, _HIGH = 16, 18, 90
_ISSUES = 200  # shown, of each code

_ROWS: tuple[tuple[str, Callable[[Sizes], str], str], ...] = (
    ("chunks", lambda sizes: f"{sizes.chunks:,}", ""),
    ("tokens", lambda sizes: f"{sizes.tokens:,}", "of all chunks"),
    ("mean size", lambda sizes: f"{sizes.mean:,.0f}", "tokens"),
    ("median size", lambda sizes: f"{sizes.median:,.0f}", "tokens"),
    ("largest", lambda sizes: f"{sizes.largest:,}", "tokens"),
    ("mean fill", lambda sizes: f"{sizes.fill:.0%}", "of the cap, slices of tables left out"),
    ("ideal size", lambda sizes: f"{sizes.ideal:.0%}", "at least three quarters of the cap; the same"),
    ("small", lambda sizes: f"{sizes.small:.0%}", "under an eighth of the cap"),
    ("over the cap", lambda sizes: f"{sizes.oversize:,}", ""),
    ("tables cut", lambda sizes: f"{sizes.tables_cut:,} of {sizes.tables:,}", ""),
    ("shown twice", lambda sizes: f"{sizes.repeated:.1%}", "of the characters"),
)


def facts(document: Document) -> str:
    """One line: its name, and how much there is of what."""
    characters = sum(len(block.content) for block in document.blocks)
    counts = (
        (len(document.blocks), "block"),
        (characters, "character"),
        (len(document.tables), "table"),
        (len(document.equations), "equation"),
        (len(document.drawings), "drawing"),
        (len(document.notes), "note"),
    )
    return " · ".join(filter(None, (escaped(document.name), *(_counted(number, word) for number, word in counts if number))))


def sizes_html(sets: Sequence[ChunkSet]) -> str:
    """A table with a column a set, and a histogram of each."""
    filled = [chunk_set for chunk_set in sets if roots(chunk_set)]
    if not filled:
        return "<p>There are no chunks.</p>"
    sizes = [measured(roots(chunk_set), max(1, chunk_set.cap)) for chunk_set in filled]  # a file may say anything
    head = "".join(
        f'<th scope="col">{escaped(chunk_set.name)}<small>at most {chunk_set.cap:,} of {escaped(chunk_set.tokenizer)}</small></th>' for chunk_set in filled
    )
    (first, count, _), *others = _ROWS
    alone = "children left out" if any(chunk.children for chunk_set in filled for chunk in chunk_set.chunks) else ""
    rows = "".join(
        f'<tr><th scope="row">{name}{f"<small>{meaning}</small>" if meaning else ""}</th>{"".join(f"<td>{value(one)}</td>" for one in sizes)}</tr>'
        for name, value, meaning in ((first, count, alone), *others)
    )
    table = f'<table><caption class="hidden">Sizes of the chunks</caption><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f'{table}<div class="histograms">{"".join(map(_histogram, filled))}</div>'


def missing_html(document: Document, sets: Sequence[ChunkSet]) -> str:
    """The blocks that a set left out, as with tables of contents that are dropped; "" where there are none."""
    said = []
    for chunk_set in sets:
        held = {part.block for chunk in chunk_set.chunks for part in chunk.parts if isinstance(part, Slice)}
        left = [block for block in document.blocks if block.id not in held and block.content.strip()]
        if left:
            names = sorted({escaped(block.session_type) for block in left})
            said.append(f"<p>{escaped(chunk_set.name)}: {_counted(len(left), 'block')} ({', '.join(names)}) in no chunk.</p>")
    return "".join(said)


def _histogram(chunk_set: ChunkSet) -> str:
    bins = [Bin(*found) for found in histogram(roots(chunk_set), max(1, chunk_set.cap), _BINS)]
    most = max(found.chunks for found in bins)
    width = _BAR * _BINS
    bars = "".join(_bar(number, found, most, chunk_set.cap) for number, found in enumerate(bins) if found.chunks)
    said = "; ".join(f"{found.low} to {found.high}: {found.chunks}" for found in bins if found.chunks)
    return (
        f'<figure><svg viewBox="0 0 {width} {_HIGH + 30}" role="img" aria-label="Chunks by tokens. {said}">'
        f'{bars}<path d="M0 {_HIGH + 14.5}H{width}"/><text x="0" y="{_HIGH + 27}">0</text>'
        f'<text class="end" x="{width}" y="{_HIGH + 27}">{chunk_set.cap:,} tokens</text></svg>'
        f"<figcaption>{escaped(chunk_set.name)}: chunks by tokens</figcaption></figure>"
    )


class Bin(NamedTuple):
    """Chunks of `low` to `high` tokens, inclusive."""

    low: int
    high: int
    chunks: int


def _bar(number: int, found: Bin, most: int, cap: int) -> str:
    height = max(2, round(_HIGH * found.chunks / most))
    level = "ideal" if found.low >= cap * 3 // 4 else "small" if found.high < cap / 8 else "usual"
    x, y = number * _BAR, _HIGH + 14 - height
    return (
        f'<g class="{level}"><title>{found.low:,} to {found.high:,} tokens: {_counted(found.chunks, "chunk")}</title>'
        f'<rect x="{x + 1}" y="{y}" width="{_BAR - 2}" height="{height}" rx="2"/>'
        f'<text class="count" x="{x + _BAR / 2}" y="{y - 3}">{found.chunks}</text></g>'
    )


def issues_html(document: Document) -> str:
    """A table of the issues, and what was left out."""
    if not document.issues:
        return "<p>No issues.</p>"
    rows = "".join(
        f"<tr><td><code>{issue.code}</code></td><td>{escaped(issue.place)}</td><td>{escaped(issue.message)}</td></tr>" for issue in document.issues[:_ISSUES]
    )
    more = f"<p>And {len(document.issues) - _ISSUES:,} more.</p>" if len(document.issues) > _ISSUES else ""
    counts = ", ".join(f"{code} {number:,}" for code, number in Counter(issue.code for issue in document.issues).most_common())
    return (
        f"<details><summary>{_counted(len(document.issues), 'issue')}: {counts}</summary>"
        '<div class="table" role="group" tabindex="0" aria-label="Issues"><table><thead><tr><th scope="col">code</th><th scope="col">place</th>'
        f'<th scope="col">what</th></tr></thead><tbody>{rows}</tbody></table></div>{more}</details>'
    )


def losses_html(document: Document) -> str:
    """Where every character went."""
    dropped, emitted = document.report.dropped, document.report.emitted
    if not emitted and not dropped:
        return "<p>There is no report of what was left out.</p>"
    return f"<p>Kept {_counted(emitted, 'character')}, left out {sum(dropped.values()):,}{''.join(_reasons(document))}.</p>"


def _reasons(document: Document) -> Iterator[str]:
    if document.report.dropped:
        yield f" ({escaped('; '.join(f'{reason} {number:,}' for reason, number in document.report.dropped.items()))})"


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
