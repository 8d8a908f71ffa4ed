"""Chunks that break one law: `all_laws` refuses them, because of this law alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import chunk_laws as laws
import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.chunking import Chunking, ChunkLimits, P, run
from docxchunk.chunking.strategy import named_strategy
from docxchunk.markup.laws import shown
from docxchunk.model.chunks import Added, AddedRole, Chunk, Part, Slice, SliceRole
from docxchunk.model.options import TableForm
from docxchunk.testing import ADDITIVE

ROWS = "".join(f"<tr><tc>pipe {n}</tc><tc>{n} euros for each metre</tc></tr>" for n in range(20))
TABLE = f"<tbl><tr header='1'><tc>item</tc><tc>price</tc></tr>{ROWS}</tbl>"
RENT = "The tenant pays the rent on the first day of each month. " * 30
DOCUMENT = api.parse(
    docx(
        f"<p style='Heading1'>Rent</p><p>{RENT}</p>"
        f"<p style='Heading1'>Prices</p>{TABLE}<p>Prices are net.</p>{TABLE}"
        "<p style='Heading2'>Taxes</p><p>Of <m:oMath><m:r><m:t>x</m:t></m:r></m:oMath> each.</p>"
        "<p style='Heading2'>Fees</p><p>None.</p><p style='Heading1'>Term</p><p>Two years.</p>"
    )
)
MERGED = api.parse(
    docx(
        "<tbl><tr header='1'><tc merge='restart'>item</tc><tc span='2'>prices</tc></tr>"
        f"<tr header='1'><tc merge='continue'/><tc>net</tc><tc>gross</tc></tr>"
        f"{ROWS.replace('</tr>', '<tc>more</tc></tr>')}</tbl>"
    )
)
SUM = api.parse(docx(f"<p>The <m:oMath><m:r><m:t>{'+x' * 60}</m:t></m:r></m:oMath> is it.</p>"))
WORDS = {
    count: api.parse(
        docx(
            "<p style='Heading1'>Words</p>"
            "<tbl>" + f"<tr><tc>{'word ' * count}</tc></tr>" * 3 + "</tbl>"
        )
    )
    for count in (30, 60)
}
CONTENTS = {
    block.id: block.content
    for document in (DOCUMENT, MERGED, SUM, *WORDS.values())
    for block in document.blocks
}
LIMITS = ChunkLimits(128, 40)
MARKDOWN = replace(LIMITS, tables=TableForm.MARKDOWN)
# The rent is in chunks 0 to 4. The first table begins in chunk 5 and ends in chunk 7, with the line
# after it as a bridge. The second one begins in chunk 8, after that line. The last chunk has its
# last rows, and all that follows.
LAST = 11


def changed(number: int, change: Callable[[Chunk], Chunk]) -> Callable[[Chunking], Chunking]:
    """Return a function that changes one chunk."""

    def change_result(result: Chunking) -> Chunking:
        chunks = [*result.chunks]
        chunks[number] = change(chunks[number])
        return replace(result, chunks=tuple(chunks))

    return change_result


def of_parts(chunk: Chunk, parts: Sequence[Part]) -> Chunk:
    content = "".join(shown(part, CONTENTS) for part in parts)
    return replace(chunk, parts=tuple(parts), content=content, tokens=ADDITIVE.count(content))


def with_text(old: str, new: str) -> Callable[[Chunk], Chunk]:
    """Return a function that replaces text that was added or is shown in another form."""

    def change(part: Part) -> Part:
        if isinstance(part, Added):
            return part._replace(text=part.text.replace(old, new))
        return part if part.shown is None else part._replace(shown=part.shown.replace(old, new))

    return lambda chunk: of_parts(chunk, [*map(change, chunk.parts)])


def with_cut_tag(chunk: Chunk) -> Chunk:
    (part,) = (each for each in laws.slices(chunk, SliceRole.TEXT) if "<eq" in CONTENTS[each.block])
    at, place = chunk.parts.index(part), part.start + CONTENTS[part.block].index("<eq") + 3
    both = part._replace(end=place), part._replace(start=place)
    return of_parts(chunk, [*chunk.parts[:at], *both, *chunk.parts[at + 1 :]])


def with_bridge_to_itself(chunk: Chunk) -> Chunk:
    first = chunk.parts[0]
    assert isinstance(first, Slice)
    bridge = first._replace(role=SliceRole.BRIDGE)
    return of_parts(chunk, [bridge, Added("\n", AddedRole.JOIN), *chunk.parts])


def swapped(result: Chunking) -> Chunking:
    """Let two chunks of a table list the rows of the other."""
    chunks = [*result.chunks]
    chunks[5], chunks[6] = (
        replace(chunks[5], tables=chunks[6].tables),
        replace(chunks[6], tables=chunks[5].tables),
    )
    return replace(result, chunks=tuple(chunks))


BROKEN = [
    ("added_text_fits", LIMITS, changed(LAST, with_text("\n\n", "\n;\n"))),
    ("added_text_fits", LIMITS, changed(5, with_text("]</table>", "] </table>"))),
    ("blocks_apart", LIMITS, changed(LAST, lambda chunk: replace(chunk, blocks=chunk.blocks[:3]))),
    ("bridges_between_tables", LIMITS, changed(8, with_bridge_to_itself)),
    ("chunks_linked", LIMITS, changed(3, lambda chunk: replace(chunk, prev=None))),
    ("chunks_linked", LIMITS, changed(3, lambda chunk: replace(chunk, next=None))),
    ("in_order", LIMITS, swapped),
    ("rows_kept", LIMITS, changed(6, with_text('"item","price"', '"pipe","euros"'))),
    ("rows_listed", LIMITS, changed(6, lambda chunk: replace(chunk, tables=()))),
    ("rows_listed", LIMITS, changed(6, lambda each: replace(each, tables=each.tables * 2))),
    ("tags_whole", LIMITS, changed(LAST, with_cut_tag)),
    ("words_read", MARKDOWN, changed(6, with_text("metre", "mile"))),
]


def test_a_header_that_moves_the_values_to_other_columns_is_detected():
    result = run(MERGED, P(), LIMITS, ADDITIVE)
    broken = changed(1, with_text('rowspan="2"', 'rowspan="3"'))(result)
    laws.all_laws(MERGED, result, LIMITS, ADDITIVE, "P")
    with pytest.raises(AssertionError, match="a row is wider"):
        laws.rows_kept(MERGED, broken, LIMITS, ADDITIVE)


@pytest.mark.parametrize(("law", "limits", "breach"), BROKEN)
def test_a_broken_law_is_detected(monkeypatch, law, limits, breach):
    result = run(DOCUMENT, P(), limits, ADDITIVE)
    laws.all_laws(DOCUMENT, result, limits, ADDITIVE, "P")
    broken = breach(result)
    with pytest.raises(AssertionError):
        laws.all_laws(DOCUMENT, broken, limits, ADDITIVE, "P")
    monkeypatch.setattr(laws, law, lambda *_: None)
    laws.all_laws(DOCUMENT, broken, limits, ADDITIVE, "P")


def detected(law: Callable[..., None], *arguments: object) -> bool:
    try:
        law(*arguments)
    except AssertionError:
        return True
    return False


def test_more_overlap_than_the_setting_is_detected():
    result = run(DOCUMENT, P(), LIMITS, ADDITIVE)
    overlaps = [part for chunk in result.chunks for part in laws.slices(chunk, SliceRole.OVERLAP)]
    most = max(ADDITIVE.count(shown(part, CONTENTS)) for part in overlaps)
    for overlap, is_broken in ((most, False), (most - 1, True)):
        limits = replace(LIMITS, overlap=overlap)
        assert detected(laws.overlap_small, result, limits, ADDITIVE, DOCUMENT) is is_broken


@pytest.mark.parametrize(("share", "contextualize"), [(1, False), (4 / 3, True)])
def test_a_cut_tag_is_only_a_fault_if_it_fits_into_a_chunk(share, contextualize):
    (tag,) = laws.TAG.findall(SUM.blocks[0].content)
    result = changed(0, with_cut_tag)(run(SUM, P(), ChunkLimits(400), ADDITIVE))
    least = math.ceil(ADDITIVE.count(tag) * share)
    for most, is_broken in ((least, True), (least - 1, False)):
        limits = ChunkLimits(most, 0, contextualize=contextualize)
        assert detected(laws.tags_whole, SUM, result, limits, ADDITIVE) is is_broken


def test_children_that_do_not_know_their_parent_are_detected():
    result = run(DOCUMENT, named_strategy("MG"), LIMITS, ADDITIVE)
    laws.all_laws(DOCUMENT, result, LIMITS, ADDITIVE, "MG")
    child = next(chunk for chunk in result.chunks if chunk.parent)
    for broken in (replace(child, parent="another"), of_parts(child, child.parts[:-1])):
        chunks = changed(result.chunks.index(child), lambda _, broken=broken: broken)(result)
        with pytest.raises(AssertionError):
            laws.families(DOCUMENT, chunks)
        with pytest.raises(AssertionError):
            laws.all_laws(DOCUMENT, chunks, LIMITS, ADDITIVE, "MG")
