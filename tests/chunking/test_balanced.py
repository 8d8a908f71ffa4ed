"""P with its default settings: the cuts, headings and labels."""

from __future__ import annotations

from itertools import product

import pytest
from chunking.makers import WORDS, Words, block, chunked, document, staged, table, tag, words
from hypothesis import example, given, settings
from hypothesis import strategies as st

from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.chunks import Slice, SliceRole, TableRole


def bold_line_in_a_section(line):
    texts = ["# Terms", words(60), line, words(60)]
    lines = [Line(LineKind.HEADING), Line(), Line(bold=True), Line()]
    return document(Block("b", "\n".join(texts), "Terms", ("Contract",), 1, lines=tuple(lines)))


def test_a_heading_like_line_is_the_label_of_its_part():
    first, second = chunked(bold_line_in_a_section("Payment"), 100).chunks
    assert (first.heading, first.label) == ("Terms [part 1]", "")
    assert (second.heading, second.parent_headings, second.label) == (
        "Terms [part 2]",
        ("Contract",),
        "Payment",
    )
    assert second.content.startswith("Payment\n")


def test_no_line_becomes_a_heading_of_the_document():
    for chunk in chunked(bold_line_in_a_section("Payment"), 100).chunks:
        assert chunk.context == "Contract > Terms"
        assert [heading.heading for heading in chunk.headings] == ["Terms"]


def test_with_p_staged_an_anchor_is_the_heading_of_a_chunk_but_not_of_the_document():
    second = staged(bold_line_in_a_section("Payment"), 100).chunks[1]
    assert (second.heading, second.parent_headings, second.label) == (
        "Payment [part 2]",
        ("Contract", "Terms"),
        "Payment",
    )
    assert second.context == "Contract > Terms"
    assert [heading.heading for heading in second.headings] == ["Terms"]


@pytest.mark.parametrize("size", [100, 300])
def test_tiny_sections_fill_chunks_up_to_the_limit(size):
    chunks = chunked(document(*[block(f"H{n}", level=2) for n in range(400)]), size).chunks
    assert size // 2 < min(chunk.tokens for chunk in chunks[:-1])
    assert max(chunk.tokens for chunk in chunks) <= size


def test_a_table_that_fits_is_not_cut():
    made = table("t", [[words(8), words(8)] for _ in range(38)])
    assert 800 < WORDS.count(tag(made)) < 1000
    chunks = chunked(
        document(block("A", f"{words(50)}\n{tag(made)}\n{words(50)}"), tables=[made]), 1000
    ).chunks
    assert any(tag(made) in chunk.content for chunk in chunks)


def shown_between_tables(rows_above, text, rows_below, overlap=100, caption=""):
    """Return the role of each showing of a text between two tables, by the index of its chunk."""
    above, below = (
        table(name, [["a", words(8)]] * rows)
        for name, rows in (("t1", rows_above), ("t2", rows_below))
    )
    lines = [tag(above), text, *([caption] if caption else []), tag(below)]
    made = document(block("H", "\n".join(lines)), tables=[above, below])
    (content,) = (block.content for block in made.blocks)
    start = content.index(text)
    return {
        number: part.role
        for number, chunk in enumerate(chunked(made, 300, overlap).chunks)
        for part in chunk.parts
        if isinstance(part, Slice) and part.start <= start and start + len(text) <= part.end
    }


BETWEEN = "Both tables are of May."


@pytest.mark.parametrize(
    ("rows", "roles"),
    [
        ((40, 40), {2: SliceRole.BRIDGE, 3: SliceRole.TEXT}),
        ((40, 15), {2: SliceRole.BRIDGE, 3: SliceRole.TEXT}),  # only the first one is cut
        ((15, 40), {0: SliceRole.BRIDGE, 1: SliceRole.TEXT}),
        ((18, 18), {1: SliceRole.TEXT}),  # neither is cut
    ],
)
def test_text_between_two_tables_is_beside_both_if_one_is_cut(rows, roles):
    assert shown_between_tables(rows[0], BETWEEN, rows[1]) == roles
    assert shown_between_tables(rows[0], BETWEEN, rows[1], overlap=WORDS.count(BETWEEN)) == roles


@pytest.mark.parametrize(
    ("text", "overlap"),
    [(BETWEEN, 0), (BETWEEN, 5), (words(80, "long"), 100)],
    ids=["no-overlap", "little-overlap", "no-room"],
)
def test_text_over_the_budget_is_beside_one_table_only(text, overlap):
    assert [*shown_between_tables(40, text, 20, overlap).values()] == [SliceRole.TEXT]


def test_whole_sentences_of_long_text_are_repeated():
    text = f"{words(20, 'long').capitalize()}. {words(30, 'late').capitalize()}."
    above, below = (table(name, [["a", words(8)]] * 40) for name in ("t1", "t2"))
    made = document(block("H", f"{tag(above)}\n{text}\n{tag(below)}"), tables=[above, below])
    repeated = [
        made.blocks[0].content[part.start : part.end]
        for chunk in chunked(made, 300).chunks
        for part in chunk.parts
        if isinstance(part, Slice) and part.role is SliceRole.BRIDGE
    ]
    assert repeated == [f"{words(20, 'long').capitalize()}."]


class LongBreaks(Words):
    """Line breaks are `cost` tokens each."""

    additive_over_newlines = False

    def __init__(self, cost):
        self.cost, self.fingerprint = cost, f"test:breaks-{cost}"

    def count(self, text):
        return super().count(text) + self.cost * text.count("\n")


@settings(deadline=None)
@given(st.integers(2, 45), st.integers(2, 45), st.integers(0, 6))
@example(4, 20, 4)  # with its line break, the text does not fit beside the first table
def test_a_chunk_with_text_from_between_two_tables_is_within_the_limit(above, below, cost):
    tables = [table(f"t{n}", [["a", words(8)]] * rows) for n, rows in enumerate((above, below))]
    made = document(block("H", f"\n{BETWEEN}\n".join(map(tag, tables))), tables=tables)
    chunks = run(made, P(), ChunkLimits(100), LongBreaks(cost)).chunks
    assert max(chunk.tokens for chunk in chunks) <= 100


LENGTHS = st.tuples(st.integers(2, 45), st.sampled_from([0, 10, 40]))


@settings(deadline=None)
@given(st.lists(LENGTHS, min_size=2, max_size=4), st.sampled_from([100, 150, 300]))
@example([(22, 0), (4, 0), (28, 10)], 100)  # the table in the middle has both texts
def test_every_text_between_cut_tables_is_beside_both(lengths, size):
    rows = [count for count, _ in lengths]
    tables = [table(f"t{n}", [["a", words(8)]] * count) for n, count in enumerate(rows)]
    texts = [f"The tables {n} are of {words(1 + more)}." for n, (_, more) in enumerate(lengths[1:])]
    lines = [line for pair in zip(map(tag, tables), [*texts, ""], strict=True) for line in pair]
    chunks = chunked(document(block("H", "\n".join(lines[:-1])), tables=tables), size).chunks
    cut = {own.id for chunk in chunks for own in chunk.tables if own.role is not TableRole.NONE}
    for n, text in enumerate(texts):
        shown = [number for number, chunk in enumerate(chunks) if text in chunk.content]
        at = shown[0] if shown else 0
        ends = (
            [chunk.content.endswith(text) for chunk in chunks],
            [chunk.content.startswith(text) for chunk in chunks],
        )
        if cut.isdisjoint({f"t{n}", f"t{n + 1}"}) or len(shown) != 1:
            continue
        other = at + 1 if ends[0][at] else at - 1 if ends[1][at] else None
        assert other is None or chunks[other].tokens + WORDS.count(text) + 2 > size


@pytest.mark.parametrize("before", range(70, 100, 5))
def test_a_long_line_is_not_cut_inside_a_tag(before):
    tag = f"<em>{words(30, 'b')}</em>"
    for line in (f"{words(before)} {tag} {words(60)}", f"{words(before)}. {tag} A. {words(5)}."):
        chunks = chunked(document(block("A", f"{line}\n{words(50)}")), 100, 20).chunks
        assert len(chunks) > 1
        assert any(tag in chunk.content for chunk in chunks)
        assert all(chunk.content.count("<em>") == chunk.content.count("</em>") for chunk in chunks)


def sections(levels, count):
    """Return a document with a section of some words for each level; 0 is the preface."""
    blocks, path = [], []
    for number, level in enumerate(levels):
        path = [above for above in path if above[0] < level]
        parents = [name for _, name in path]
        blocks.append(block(f"H{number}", words(count), level, parents))
        path.append((level, f"H{number}"))
    return document(*blocks)


def together(levels, *, top_level):
    """Return the levels in groups, the first as long as possible: a group goes on with siblings and
    subsections of its first section.
    """
    groups = []
    for level in levels:
        first = groups[-1][0] if groups else 0
        if not first or level < first or (level == first == 1 and not top_level):
            groups.append([level])
        else:
            groups[-1].append(level)
    return groups


@pytest.mark.parametrize("top_level", [True, False])
@pytest.mark.parametrize("count", [1, 90])  # a section of 83 tokens or less is joined beforehand
def test_sections_share_a_chunk_with_siblings_and_subsections(count, top_level):
    longer = [(1,), (1, 3, 2, 3, 1), (2, 3, 4, 3, 2), (3, 2, 3, 1), (2, 1, 2, 1), (1, 2, 1, 1)]
    for levels in (*product((1, 2, 3), repeat=3), (0, 1, 2), (0, 2, 1), *longer):
        chunks = chunked(sections(levels, count), merge_top_level=top_level).chunks
        assert [[heading.level for heading in chunk.headings] for chunk in chunks] == [
            [level for level in group if level] for group in together(levels, top_level=top_level)
        ]


@pytest.mark.parametrize("count", [1, 90])
@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ([("A", 2, ("X",)), ("B", 2, ("X",))], 1),
        ([("A", 2, ("X",)), ("B", 2, ("Y",))], 2),
        ([("A", 2, ("X",)), ("B", 3, ("X",))], 2),  # beside, but deeper
        ([("A", 2, ("X",)), ("B", 3, ("X", "A"))], 1),
        ([("A", 2, ("X",)), ("B", 3, ("X", "Z"))], 2),
        ([("A", 1, ()), ("B", 3, ("A",)), ("C", 3, ("A",))], 1),
        ([("A", 1, ()), ("B", 3, ("X", "Y")), ("C", 3, ("X", "Z"))], 3),
        ([("A", 1, ()), ("B", 3, ("A", "X"))], 1),  # without the section between them
        ([("A", 1, ()), ("B", 4, ("A", "X", "Y")), ("C", 3, ("A", "Z"))], 1),
        ([("A", 3, ()), ("B", 2, ("A",))], 2),  # under it, but less deep
        ([("A", 0, ()), ("B", 0, ())], 2),
    ],
)
def test_sections_of_other_documents_share_a_chunk_only_under_one_heading(
    sections, expected, count
):
    made = document(
        *(block(name, words(count), level, parents) for name, level, parents in sections)
    )
    assert len(chunked(made).chunks) == expected
