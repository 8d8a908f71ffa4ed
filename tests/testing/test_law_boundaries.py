"""The smallest chunks that a law accepts beside those that it refuses. A token is a character."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest

from docxchunk.chunking import Chunking, ChunkLimits
from docxchunk.markup.laws import shown
from docxchunk.model.blocks import Block, TableFormat
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Part,
    Slice,
    SliceRole,
    TableForm,
    TableRole,
    TableRows,
)
from docxchunk.model.document import Document, Items
from docxchunk.model.objects import Table
from docxchunk.testing import laws

TEXT, CELL, OVERLAP, BRIDGE = SliceRole.TEXT, SliceRole.CELL, SliceRole.OVERLAP, SliceRole.BRIDGE
LIMITS = ChunkLimits(40, 10)
OPEN = Added('<table id="t" format="json">[', AddedRole.WRAPPER)
CLOSE = Added("]</table>", AddedRole.WRAPPER)


class Letters:
    name = fingerprint = "letters"
    additive_over_newlines = True

    def count(self, text: str) -> int:
        return len(text)


class At(NamedTuple):
    """A slice: the place of a text in a block."""

    block: int
    text: str
    role: SliceRole = TEXT
    shown: str | None = None


class Spec(NamedTuple):
    """A chunk: its parts, and fields that differ from those of its first block."""

    parts: Sequence[At | Added]
    fields: Mapping[str, object]


def chunk(*parts: At | Added, **fields: object) -> Spec:
    return Spec(parts, fields)


def rows(first: int, last: int, role: TableRole = TableRole.MIDDLE) -> TableRows:
    return TableRows("t", (first, last), role)


def document_of(contents: Sequence[str], **fields: object) -> Document:
    """Return a document of these blocks; each "# Title" is below the last heading of a lower
    level. Tables have the id t.
    """
    blocks: list[Block] = []
    above: list[Block] = []
    for number, content in enumerate(contents):
        match = re.match(r"(#+) (.*)", content)
        level, heading = (len(match[1]), match[2]) if match else (0, "")
        above = [block for block in above if block.level < level]
        parents = tuple(block.heading for block in above)
        blocks.append(Block(str(number), content, heading, parents, level))
        above += blocks[-1:] if level else []
    body = re.search(r"<table[^>]*>(.*?)</table>", "\n".join(contents), re.DOTALL)
    count = len(laws.rows_in("json", body[1])) if body else 0
    table = Table("t", "0", "", (), count, 1, TableFormat.JSON, body[1] if body else "[]")
    return Document(
        name="",
        format="docx",
        doc_id="",
        title="",
        blocks=tuple(blocks),
        tables=Items({"t": replace(table, **fields)}),
    )


def chunking(document: Document, specs: Sequence[Spec], settings: Mapping[str, object]) -> Chunking:
    contents = laws.contents_of(document)
    chunks: list[Chunk] = []
    for number, (pieces, fields) in enumerate(specs):
        parts: list[Part] = []
        for piece in pieces:
            if isinstance(piece, Added):
                parts.append(piece)
                continue
            start = contents[str(piece.block)].index(piece.text)
            end = start + len(piece.text)
            parts.append(Slice(str(piece.block), start, end, piece.role, piece.shown))
        names = dict.fromkeys(
            part.block for part in parts if isinstance(part, Slice) and part.role in (TEXT, CELL)
        )
        first = document.blocks[int(next(iter(names)))]
        content = "".join(shown(part, contents) for part in parts)
        plain = Chunk(
            len(content),
            content,
            number,
            first.heading,
            first.parent_headings,
            first.level,
            f"c{number}",
            "",
            (),
            " > ".join(filter(None, (*first.parent_headings, first.heading))),
            tuple(names),
            tuple(parts),
        )
        chunks.append(replace(plain, **fields))
    return Chunking(tuple(chunks), settings, "", structured=True)


def is_accepted(
    law: str,
    contents: Sequence[str],
    chunks: Sequence[Spec],
    limits: ChunkLimits = LIMITS,
    settings: Mapping[str, object] = {},
    **table: object,
) -> bool:
    document = document_of(contents, **table)
    arguments = {
        "document": document,
        "result": chunking(document, chunks, settings),
        "limits": limits,
        "tokenizer": Letters(),
    }
    function = getattr(laws, law)
    try:
        function(**{name: arguments[name] for name in inspect.signature(function).parameters})
    except AssertionError:
        return False
    return True


def alone(heading: str, *following: At | Added) -> list[Spec]:
    return [chunk(At(0, heading)), chunk(*following)]


def overlapping(text: str, overlap: int) -> list[Spec]:
    return [chunk(At(0, "a" * overlap, OVERLAP), At(0, text))]


def listed(*ranges: tuple[int, int]) -> list[Spec]:
    return [chunk(At(0, "["), tables=(rows(*each),)) for each in ranges]


TAG = "<equation>x</equation>"
TABLE = '<table id="t" format="json">[["a"],["b"],[""]]</table>'
BETWEEN = (
    '<table id="t" format="json">[["a"]]</table>mid<table id="t" format="json">[["b"]]</table>'
)

# the law; the contents of the blocks; chunks that it accepts; chunks that it refuses
PAIRS: list[tuple[str, list[str], list[Spec], list[Spec]]] = [
    (
        "families",
        ["ab"],
        [
            chunk(At(0, "ab"), children=("c1", "c2")),
            chunk(At(0, "a"), parent="c0"),
            chunk(At(0, "b"), parent="c0"),
        ],
        [chunk(At(0, "ab"), children=("c1",)), chunk(At(0, "ab"), parent="c0")],
    ),
    (
        "added_text_fits",
        ["ab"],
        [chunk(At(0, "a"), Added(" \n", AddedRole.JOIN), Added("| --- |", AddedRole.WRAPPER))],
        [chunk(At(0, "a"), Added("| -x- |", AddedRole.WRAPPER))],
    ),
    (
        "blocks_apart",
        ["ab", "cd"],
        [chunk(At(0, "a", OVERLAP), At(0, "b"))],
        [chunk(At(0, "a", OVERLAP), At(1, "cd"))],
    ),
    # a cut at the border of a tag, and one inside
    (
        "tags_whole",
        [f"ab{TAG}c"],
        [chunk(At(0, "ab")), chunk(At(0, TAG)), chunk(At(0, "c"))],
        [chunk(At(0, "ab<")), chunk(At(0, TAG[1:] + "c"))],
    ),
    (
        "tags_whole",
        [f"ab{TAG}c"],
        [chunk(At(0, f"ab{TAG}")), chunk(At(0, "c"))],
        [chunk(At(0, "ab" + TAG[:-1])), chunk(At(0, ">c"))],
    ),
    # overlap of at most half of the text, and two tokens more
    ("overlap_small", ["aaaaabcdef"], overlapping("bcdef", 3), overlapping("bcdef", 4)),
    ("overlap_small", ["aaaaaabcdefghijkl"], overlapping("bcde", 3), overlapping("bcd", 3)),
    # a bridge of at most the setting
    (
        "overlap_small",
        ["0123456789x"],
        [chunk(At(0, "0123456789", BRIDGE), At(0, "x"))],
        [chunk(At(0, "0123456789x", BRIDGE), At(0, "x"))],
    ),
    (
        "bridges_between_tables",
        [BETWEEN],
        [chunk(At(0, "mid", BRIDGE), At(0, '["b"]'))],
        [chunk(At(0, "mid", BRIDGE), At(0, "mid"))],
    ),
    (
        "bridges_between_tables",
        [BETWEEN],
        [chunk(At(0, '["a"]'), At(0, "mid", BRIDGE))],
        [chunk(At(0, '["a"]'), At(0, "mid<table", BRIDGE))],
    ),
    (
        "bridges_between_tables",
        [BETWEEN + "end", "x"],
        [chunk(At(0, "mid", BRIDGE), At(0, '["b"]'))],
        [chunk(At(0, "end", BRIDGE), At(0, '["b"]'))],
    ),
    (
        "chunks_linked",
        ["a"],
        [chunk(At(0, "a"), children=("c1",)), chunk(At(0, "a"), parent="c0")],
        [chunk(At(0, "a"), next="c1"), chunk(At(0, "a"))],
    ),
    # the last row is empty
    ("rows_listed", [TABLE], listed((0, 0), (1, 1)), listed((0, 0), (2, 2))),
    # a row that is cut, and one that is listed twice
    ("rows_listed", [TABLE], listed((0, 0), (0, 0), (1, 1)), listed((0, 1), (1, 1))),
    ("rows_listed", [TABLE], listed((0, 1), (2, 2)), listed((0, 1), (1, 2))),
    (
        "in_order",
        [TABLE],
        [chunk(At(0, '["a"]'), tables=(rows(0, 0),)), chunk(At(0, '["b"]'), tables=(rows(1, 1),))],
        [chunk(At(0, '["a"]'), tables=(rows(1, 1),)), chunk(At(0, '["b"]'), tables=(rows(0, 0),))],
    ),
    (
        "words_read",
        [TABLE],
        [chunk(At(0, '["a"]', TEXT, "| a |"))],
        [chunk(At(0, '["a"]', TEXT, "| x |"))],
    ),
    (
        "words_read",
        ["[a", TABLE],
        [chunk(At(0, "[a"))],
        [chunk(At(1, '["a"]', TEXT, "["))],
    ),
    (
        "words_read",
        ["[5] Smith"],
        [chunk(At(0, "[5] Smith", TEXT, "Smith [5]"))],
        [chunk(At(0, "[5] Smith", TEXT, "[5]"))],
    ),
    # words of the text may be hidden; those of a tag may not
    (
        "words_read",
        [f"ab{TAG}"],
        [chunk(At(0, "ab", TEXT, "cd"))],
        [chunk(At(0, TAG, TEXT, "cd"))],
    ),
]


@pytest.mark.parametrize(("law", "contents", "good", "bad"), PAIRS)
def test_a_law_accepts_the_one_and_refuses_the_other(law, contents, good, bad):
    assert is_accepted(law, contents, good)
    assert not is_accepted(law, contents, bad)


ROWS = ['<table id="t" format="json">[["h"],["b"],["c"]]</table>']
HEADER_ALONE = [chunk(OPEN, At(0, '["h"]'), CLOSE)]  # with the next row: 49 tokens


def repeating(header: str, row: str = '["b"]') -> list[Spec]:
    return [chunk(OPEN, Added(header, AddedRole.HEADER), At(0, row), CLOSE)]


MARKED: dict[str, object] = {"header": '[["h"]]'}
SURE: dict[str, object] = {"header_guess": '[["h"]]', "header_confidence": 1.0}
LIKELY: dict[str, object] = {"header_guess": '[["h"]]', "header_confidence": 0.7}


@pytest.mark.parametrize(
    ("chunks", "most", "settings", "table", "accepted"),
    [
        # header rows alone: 0.88 of 0.625 of the limit is 50.05 or 49.5 tokens, less one
        (HEADER_ALONE, 91, {}, MARKED, False),
        (HEADER_ALONE, 90, {}, MARKED, True),
        (HEADER_ALONE, 114, {"table_max": 0.5}, MARKED, False),
        (HEADER_ALONE, 113, {"table_max": 0.5}, MARKED, True),
        (HEADER_ALONE, 200, {}, {}, True),  # a row of data
        (repeating('["h"],'), 200, {}, MARKED, True),
        (repeating('["x"],'), 200, {}, MARKED, False),
        (repeating('["h"],["b"],', '["c"]'), 200, {}, MARKED, False),
        (repeating('["h"],', '["b"],["c"]'), 200, {}, MARKED, True),
        (repeating('["h"],', '["b"],'), 200, {}, MARKED, False),
        # inferred headers
        (repeating('["h"],'), 200, {}, LIKELY, True),
        (repeating('["h"],'), 200, {"guessed_headers": 1.0}, LIKELY, False),
        (repeating('["h"],'), 200, {"guessed_headers": 1.0}, SURE, True),
        (repeating('["h"],'), 200, {"guessed_headers": 0.7}, LIKELY, True),
        (repeating('["h"],'), 200, {"guessed_headers": 0.71}, LIKELY, False),
    ],
)
def test_slices_of_tables_have_whole_rows_and_repeat_the_header(
    chunks, most, settings, table, accepted
):
    assert is_accepted("rows_kept", ROWS, chunks, ChunkLimits(most), settings, **table) is accepted


def test_a_tag_in_a_table_may_be_cut():
    table = ROWS[0].replace("h", TAG)
    cut = [chunk(At(0, table[: table.index("</equation>")])), chunk(At(0, "</equation>"))]
    assert is_accepted("tags_whole", [table], cut)
    assert not is_accepted("tags_whole", [table.replace("table", "tables")], cut[1:])


def test_a_blank_at_the_end_of_an_overlap_is_not_counted():
    chunks = [chunk(At(0, "aaa ", OVERLAP), At(0, "bcdef"))]
    assert is_accepted("overlap_small", ["aaa bcdef"], chunks)
    assert not is_accepted("overlap_small", ["aaaabcdef"], overlapping("bcdef", 4))


def test_the_tokens_in_reserve_are_no_room():
    document = document_of(["a" * 36])
    result = chunking(document, [chunk(At(0, "a" * 36))], {})
    laws.all_laws(document, result, ChunkLimits(40, 10, reserve=4), Letters(), "R")
    with pytest.raises(AssertionError, match="36"):
        laws.all_laws(document, result, ChunkLimits(40, 10, reserve=5), Letters(), "R")


@pytest.mark.parametrize(("form", "accepted"), [(TableForm.JSON, False), (TableForm.TEXT, True)])
def test_only_other_forms_repeat_several_texts(form, accepted):
    chunks = [chunk(At(0, "a", OVERLAP), At(0, "b", OVERLAP), At(0, "cdefgh"))]
    limits = ChunkLimits(40, 10, tables=form)
    assert is_accepted("overlap_small", ["abcdefgh"], chunks, limits) is accepted
