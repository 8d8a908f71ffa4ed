"""Assert the laws of chunking (docs/concepts/laws.md) for a document and its chunks. The numbers
are the numbers of the laws on that page.

`docxchunk.records.laws` has the laws that need nothing but the document. The laws here need the
strategy, the limits or the tokenizer, too.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest

from docxchunk.chunking import Chunking, ChunkLimits
from docxchunk.content.pipe_tables import readable
from docxchunk.content.table_texts import LEAST_CONFIDENCE, first_rows, header_rows, key_of
from docxchunk.content.tables import TableContent
from docxchunk.content.tags import plain
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Added, AddedRole, Chunk, Slice, SliceRole, TableForm
from docxchunk.model.document import Document
from docxchunk.model.objects import Table
from docxchunk.model.ports import Tokenizer
from docxchunk.records.laws import SHOWN, chunk_faults, order_faults, shown
from docxchunk.testing import CLUSTERING

TAG = re.compile(r"<equation\b[^<>]*>[^<]*</equation>|<drawing\b[^<>]*/>")
TABLE = re.compile(r'<table id="([^"]*)" format="(json|html)">(.*?)</table>', re.DOTALL)
MARKUP = re.compile(r"</?(?:table|tr|td|th|br)\b[^<>]*>")


def slices(chunk: Chunk, *roles: SliceRole) -> list[Slice]:
    return [part for part in chunk.parts if isinstance(part, Slice) and part.role in roles]


def added(chunk: Chunk, *roles: AddedRole) -> list[Added]:
    return [part for part in chunk.parts if isinstance(part, Added) and part.role in roles]


def contents_of(document: Document) -> dict[str, str]:
    return {block.id: block.content for block in document.blocks}


def families(document: Document, result: Chunking) -> None:
    """Children contain the text of their parent and link to it."""
    chunks = {chunk.chunk_id: chunk for chunk in result.chunks}
    for chunk in result.chunks:
        below = [chunks[name] for name in chunk.children]
        assert all(child.parent == chunk.chunk_id for child in below)
        if below:
            assert len(below) > 1
            assert letters(document, below) == letters(document, [chunk])


def letters(document: Document, chunks: Sequence[Chunk]) -> str:
    """Return the letters and digits that chunks show of their blocks, without table syntax."""
    contents = contents_of(document)
    text = "".join(shown(part, contents) for chunk in chunks for part in slices(chunk, *SHOWN))
    return "".join(filter(str.isalnum, MARKUP.sub("", text)))


def added_text_fits(result: Chunking) -> None:
    """Law 10: added joins are blank, and added wrappers are table syntax."""
    for chunk in result.chunks:
        assert all(not part.text.strip() for part in added(chunk, AddedRole.JOIN))
        assert all(
            re.fullmatch(
                r"<table\b[^>]*>(?:\[|<(?:thead|tbody|tfoot)>)?|(?:\]|</(?:thead|tbody"
                r"|tfoot)>)?</table>|[\s|-]+",
                part.text,
            )
            for part in added(chunk, AddedRole.WRAPPER)
        )


def blocks_apart(document: Document, result: Chunking) -> None:
    """Law 4: repeated text comes from blocks that the chunk shows, too, and `blocks` lists these in
    order.
    """
    for chunk in result.chunks:
        shown_blocks = {part.block for part in slices(chunk, *SHOWN)}
        assert {
            part.block for part in slices(chunk, SliceRole.OVERLAP, SliceRole.BRIDGE)
        } <= shown_blocks
        order = {block.id: number for number, block in enumerate(document.blocks)}
        assert list(chunk.blocks) == sorted(shown_blocks, key=order.__getitem__)


def rows_in(fmt: str, body: str) -> list[object]:
    rows: list[object] = (
        json.loads(body) if fmt == "json" else re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    )
    assert rows
    return rows


def row_ranges(block: Block) -> list[tuple[int, int]]:
    """Return the ranges of the rows of all tables of a block."""
    ranges: list[tuple[int, int]] = []
    for table in TABLE.finditer(block.content):
        if table[2] == "html":
            ranges += [
                row.span()
                for row in re.compile(r"<tr>.*?</tr>", re.DOTALL).finditer(
                    block.content, table.start(3), table.end(3)
                )
            ]
            continue
        at = table.start(3) + 1
        while row := re.compile(r"[\s,]*(?=\[)").match(block.content, at):
            at = json.JSONDecoder().raw_decode(block.content, row.end())[1]
            ranges.append((row.end(), at))
    return ranges


def wrapped(chunk: Chunk) -> list[list[Slice | Added]]:
    """Return the parts of each table slice, from its opening to its closing tag."""
    slices_of_tables: list[list[Slice | Added]] = []
    opened = False
    for part in chunk.parts:
        mark = isinstance(part, Added) and part.role is AddedRole.WRAPPER
        if mark and not opened:
            slices_of_tables.append([])
        if mark or opened:
            slices_of_tables[-1].append(part)
        opened = opened != mark
    assert not opened
    return slices_of_tables


def rows_kept(
    document: Document, result: Chunking, limits: ChunkLimits, tokenizer: Tokenizer
) -> None:
    """Laws 5 and 6: table slices can be parsed and consist of whole rows. They repeat only header
    rows and merged cells, and keep the columns. A slice has header rows alone only if the next row
    does not fit.
    """
    ranges = {block.id: row_ranges(block) for block in document.blocks}
    contents = contents_of(document)
    table_max = _largest_table(result, limits, tokenizer)
    for chunk in result.chunks:
        for parts in wrapped(chunk):
            (body,) = (part for part in parts if isinstance(part, Slice))
            content, rows = contents[body.block], ranges[body.block]
            inside = [row for row in rows if body.start <= row[0] and row[1] <= body.end]
            assert (body.start, body.end) == (inside[0][0], inside[-1][1])
            text = "".join(shown(part, contents) for part in parts)
            match = TABLE.fullmatch(text)
            assert match, text
            identifier, fmt, rows_shown = match.groups()
            repeated = _repeated_rows(fmt, parts)
            assert len(rows_in(fmt, rows_shown)) == len(inside) + len(repeated)
            table = document.tables[identifier]
            header = len(header_rows(table, _least_confidence(result)))
            if fmt == "json" and repeated:
                assert repeated == rows_in(fmt, table.content)[:header]
            first = rows.index(inside[0]) - [start for start, _ in rows].index(
                _first_row(content, identifier)
            )
            _columns_kept(table, chunk, match, range(first, first + len(inside)))
            is_header = len(inside) == header and body.start == _first_row(content, identifier)
            if is_header and not chunk.parent and not slices(chunk, SliceRole.CELL):
                at = rows.index(inside[0])
                _, next_end = rows[at : at + header + 1][-1]
                with_next = _added(parts[0]) + content[body.start : next_end] + _added(parts[-1])
                tokens = tokenizer.count(with_next)
                assert tokens > table_max * 0.88 - 1, "a slice of header rows alone"


def _columns_kept(table: Table, chunk: Chunk, shown_table: re.Match[str], rows: range) -> None:
    """Each name and each value of these rows stands in the column that it has in the table, and so
    no row is wider. The embedded text says the same of a row as that of the whole table. Only texts
    of merged cells that begin above the slice may be left out.
    """
    number = [each[0] for each in TABLE.finditer(chunk.content)].index(shown_table[0])
    names = chunk.table_heads[number] if chunk.table_heads else 0
    body, (whole, stored_rows) = shown_table[3], _stored(table)
    shown_rows = first_rows(TableContent.of_body(body, table.format))
    begins = len(shown_rows) - len(rows)
    assert not rows.start or shown_rows[: min(names, begins)] == stored_rows[:names]
    left_out = _texts_left_out(shown_rows[begins:], stored_rows[rows.start : rows.stop])
    assert left_out <= _continued(whole, rows.start)
    said = _lines(shown_table[0].replace(body, table.content), names)
    if names and len(said) == len(stored_rows) and not left_out:
        lines = {*chunk.embed_text.split("\n")}
        assert lines.issuperset(said[max(rows.start, names) : rows.stop])


# a table has many slices
@lru_cache(8)
def _stored(table: Table) -> tuple[TableContent, Sequence[Sequence[str]]]:
    whole = TableContent.of_body(table.content, table.format)
    return whole, first_rows(whole)


@lru_cache(8)
def _lines(content: str, names: int) -> list[str]:
    return readable(content, [names]).split("\n")


def _texts_left_out(
    shown_rows: Sequence[Sequence[str]], stored_rows: Sequence[Sequence[str]]
) -> set[tuple[int, int]]:
    """Return the positions that are blank in the shown rows only; the other texts are equal."""
    left_out: set[tuple[int, int]] = set()
    for row, (texts, stored) in enumerate(zip(shown_rows, stored_rows, strict=True)):
        assert len(texts) <= len(stored), "a row is wider than in the table"
        for column, (text, value) in enumerate(zip_longest(texts, stored, fillvalue="")):
            assert text in ("", value, key_of(plain(value))), (text, value)
            if text != value:
                left_out.add((row, column))
    return left_out


def _continued(grid: TableContent, first: int) -> set[tuple[int, int]]:
    """Return the positions of the merged cells from rows above, with rows counted from `first`."""
    return {
        (row - first, column)
        for cell in grid.merged_above[first]
        for row in range(first, cell.row + cell.rows)
        for column in range(cell.column, cell.column + cell.columns)
    }


def _largest_table(result: Chunking, limits: ChunkLimits, tokenizer: Tokenizer) -> float:
    """Return the number of tokens above which every table is sliced."""
    contexts = ("".join(part.text for part in added(c, AddedRole.CONTEXT)) for c in result.chunks)
    room = limits.max_tokens - max(map(tokenizer.count, contexts), default=0)
    return min(float(result.settings.get("table_max") or 1.0), 0.625) * room


def _repeated_rows(fmt: str, parts: Sequence[Slice | Added]) -> Sequence[object]:
    """Return the header rows that a slice of a table repeats."""
    repeated = "".join(
        part.text for part in parts if isinstance(part, Added) and part.role is AddedRole.HEADER
    )
    if fmt == "json":  # the text ends with a comma
        return rows_in(fmt, f"[{repeated}0]")[:-1]
    return rows_in(fmt, repeated) if repeated else ()


def _least_confidence(result: Chunking) -> float:
    """Return the confidence from which an inferred header is used."""
    least = result.settings.get("guessed_headers")
    return LEAST_CONFIDENCE if least is None else float(least)


def _added(part: Slice | Added) -> str:
    return part.text if isinstance(part, Added) else ""


def _first_row(content: str, identifier: str) -> int:
    table = next(table for table in TABLE.finditer(content) if table[1] == identifier)
    return table.start(3) + (table[2] == "json")


def tags_whole(
    document: Document, result: Chunking, limits: ChunkLimits, tokenizer: Tokenizer
) -> None:
    """Law 7: no tag is cut if it fits into a chunk."""
    borders: dict[str, set[int]] = {}
    for chunk in result.chunks:
        for part in slices(chunk, SliceRole.TEXT, SliceRole.OVERLAP, SliceRole.BRIDGE):
            borders.setdefault(part.block, set()).update((part.start, part.end))
    room = limits.max_tokens * (3 if limits.contextualize else 4) // 4
    for block in document.blocks:
        tables = [table.span() for table in TABLE.finditer(block.content)]
        for tag in TAG.finditer(block.content):
            if tokenizer.count(tag[0]) <= room and not any(a <= tag.start() < b for a, b in tables):
                assert not any(
                    tag.start() < border < tag.end() for border in borders.get(block.id, ())
                ), tag[0]


def overlap_small(
    result: Chunking, limits: ChunkLimits, tokenizer: Tokenizer, document: Document
) -> None:
    """Law 11: overlap adds at most half of the text of a split paragraph, and never exceeds the
    setting.
    """
    contents = contents_of(document)
    for chunk in result.chunks:
        extra = slices(chunk, SliceRole.OVERLAP)
        assert len(extra) <= 1 or limits.tables is not TableForm.JSON
        text = "".join(shown(part, contents) for part in extra)
        assert tokenizer.count(text) <= min(limits.overlap, limits.max_tokens // 4)
        size = tokenizer.count(text.rstrip())  # the blank at the end belongs to the next word
        assert size == 0 or size * 2 <= chunk.tokens - size + 2
        for part in slices(chunk, SliceRole.BRIDGE):
            assert tokenizer.count(shown(part, contents)) <= min(
                limits.overlap, limits.max_tokens // 2
            )


def bridges_between_tables(document: Document, result: Chunking) -> None:
    """Law 11: a bridge is the text right before or right after a table in the same chunk, and no
    table is in it. The text of a bridge is never shown twice in a chunk.
    """
    contents = contents_of(document)
    for chunk in result.chunks:
        for bridge in slices(chunk, SliceRole.BRIDGE):
            text, shown_slices = contents[bridge.block], slices(chunk, *SHOWN)
            assert "<table" not in text[bridge.start : bridge.end]
            above, below = text.rfind("</table>", 0, bridge.start), text.find("<table", bridge.end)
            assert 0 <= above < below
            beside = [part for part in shown_slices if part.block == bridge.block]
            assert any(part.start < above + 8 or part.end > below for part in beside)
            assert all(part.end <= bridge.start or part.start >= bridge.end for part in beside)


def chunks_linked(result: Chunking) -> None:
    """Chunks have ids, and `prev` and `next` link those without a parent."""
    assert all(chunk.chunk_id for chunk in result.chunks)
    tops = [chunk for chunk in result.chunks if not chunk.parent]
    assert [chunk.prev for chunk in tops] == [None, *(chunk.chunk_id for chunk in tops)][
        : len(tops)
    ]
    assert [chunk.next for chunk in tops] == [*(chunk.chunk_id for chunk in tops), None][1:]


def rows_listed(document: Document, result: Chunking) -> None:
    """`Chunk.tables` lists every row with text. A row is listed several times only if it is split,
    and then once in each chunk.
    """
    for chunk in result.chunks:
        assert all(rows != following for rows, following in pairwise(chunk.tables)), (
            "rows of a table are listed twice"
        )
    for identifier, ranges in _listed_rows(result).items():
        assert all(
            right[0] > left[1] or left[0] == left[1] == right[0] == right[1]
            for left, right in pairwise(sorted(ranges))
        ), (identifier, ranges)
        stored = document.tables[identifier]
        missing = set(range(stored.row_count)) - {
            row for first, last in ranges for row in range(first, last + 1)
        }
        assert not any(
            words_of(str(rows_in(stored.format, stored.content)[row])) for row in missing
        ), (identifier, missing)


def in_order(document: Document, result: Chunking) -> None:
    """Law 1: chunks are contiguous, and list the rows of a table in order. This does not hold for
    clusters.
    """
    faults = list(order_faults(document, result.chunks))
    assert not faults, faults
    for identifier, ranges in _listed_rows(result).items():
        assert ranges == sorted(ranges), identifier


def _listed_rows(result: Chunking) -> dict[str, list[tuple[int, int]]]:
    """Return the row ranges that the chunks without children list for each table."""
    listed: dict[str, list[tuple[int, int]]] = {}
    for chunk in result.chunks:
        for table in chunk.tables:
            if not chunk.children:
                listed.setdefault(table.id, []).append(table.rows)
    return listed


def words_read(document: Document, result: Chunking) -> None:
    """Table rows and equations that are shown in another form keep all their words."""
    blocks = {block.id: block for block in document.blocks}
    for chunk in result.chunks:
        for part in slices(chunk, *SHOWN):
            stored = blocks[part.block].content[part.start : part.end]
            if part.shown is not None and (
                stored.startswith(("[", "<tr")) or TAG.fullmatch(stored)
            ):
                assert words_of(_cells_of(stored)) <= words_of(part.shown), (stored, part.shown)


def _cells_of(stored: str) -> str:
    """Return the text of the cells of a JSON row; another text as it is, such as "[5] Smith"."""
    try:
        return " ".join(map(str, json.loads(stored))) if stored.startswith("[") else stored
    except ValueError:
        return stored


def words_of(text: str) -> set[str]:
    """Return the words outside of tags and escaped tags."""
    while (plain := html.unescape(text)) != text:
        text = plain
    return set(re.findall(r"\w+", re.sub(r"<[^<>]*>", " ", text)))


def all_laws(
    document: Document, result: Chunking, limits: ChunkLimits, tokenizer: Tokenizer, strategy: str
) -> None:
    """Assert all laws that apply to the strategy of that name and these limits. `drop_toc` must be
    off: the words of all blocks are expected.
    """
    limits = limits.of_text()
    faults = list(chunk_faults(document, result.chunks, limits.max_tokens, tokenizer.count))
    assert not faults, faults
    if strategy not in CLUSTERING:
        in_order(document, result)
    families(document, result)
    added_text_fits(result)
    blocks_apart(document, result)
    chunks_linked(result)
    overlap_small(result, limits, tokenizer, document)
    bridges_between_tables(document, result)
    rows_listed(document, result)
    if limits.tables is not TableForm.JSON:
        words_read(document, result)
    elif limits.max_tokens >= 128:
        rows_kept(document, result, limits, tokenizer)
    if limits.max_tokens >= 128:
        tags_whole(document, result, limits, tokenizer)
