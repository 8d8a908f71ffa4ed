"""Chunk ids, the differences of two chunkings, and the actions that update an index."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from case_files import each_row
from chunking.makers import WORDS, block, chunked, document, table, tag, words
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

import docxchunk
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.chunking.chunks import ChunkIds
from docxchunk.chunking.diff import Action, ChunkDiff, Diff, DiffKind, diff
from docxchunk.model.blocks import Line, LineKind
from docxchunk.model.chunks import Added, AddedRole, Chunk, Slice, Unit, UnitKind
from docxchunk.testing import hypothesis_strategies


def chunk(chunk_id, heading="H", parents=(), content=None, order=0):
    return Chunk(
        1,
        content or f"text of {chunk_id}",
        order,
        heading,
        tuple(parents),
        1,
        chunk_id,
        "doc",
        (),
        "",
        (),
        (),
    )


def kinds(old, new):
    return [
        (each.kind.value, each.old and each.old.chunk_id, each.new and each.new.chunk_id)
        for each in diff(old, new).chunks
    ]


def row(text):
    return [chunk(letter) for letter in text]


def heads(text):
    """Return chunks with headings: "a1 b2" are a and b under the headings 1 and 2."""
    return [chunk(word[0], word[1:]) for word in text.split()]


@each_row("chunking")
def test_pairs(old, new, expected):
    names = [name or "-" for each in kinds(row(old), row(new)) for name in each[1:]]
    assert " ".join(names) == expected


def test_kinds():
    found = diff(heads("a1 b2 c3 d4 e5"), heads("b2 a1 x3 n9 e5"))
    assert kinds(heads("a1 b2 c3 d4 e5"), heads("b2 a1 x3 n9 e5")) == [
        ("moved", "b", "b"),
        ("unchanged", "a", "a"),
        ("changed", "c", "x"),
        ("changed", "d", "n"),
        ("unchanged", "e", "e"),
    ]
    assert [each.new.chunk_id for each in found.of(DiffKind.CHANGED)] == ["x", "n"]


def unit(unit_id, kind, context="A", index_text=""):
    return Unit(
        unit_id,
        "",
        "",
        "",
        kind,
        f"text of {unit_id}",
        (),
        index_text,
        1,
        context,
        (),
        (),
        False,
        "",
    )


def test_units_are_paired_by_section_and_kind_before_section():
    text, row = UnitKind.TEXT, UnitKind.ROW
    found = diff(
        [unit("a", text), unit("b", row), unit("c", row), unit("d", text, "B")],
        [unit("w", row), unit("x", text), unit("y", text), unit("z", text, "C")],
    )
    assert [
        (each.kind.value, each.old and each.old.unit_id, each.new and each.new.unit_id)
        for each in found.chunks
    ] == [
        ("removed", "d", None),
        ("changed", "b", "w"),
        ("changed", "a", "x"),
        ("changed", "c", "y"),
        ("added", None, "z"),
    ]


@pytest.mark.parametrize(
    ("kind", "actions"),
    [
        (DiffKind.ADDED, [("upsert", "new")]),
        (DiffKind.REMOVED, [("delete", "old")]),
        (DiffKind.CHANGED, [("delete", "old"), ("upsert", "new")]),
    ],
)
def test_the_actions_of_a_difference(kind, actions):
    old = None if kind is DiffKind.ADDED else chunk("old")
    new = None if kind is DiffKind.REMOVED else chunk("new")
    found = Diff((ChunkDiff(kind, old, new),)).actions
    assert [(each.action.value, each.id) for each in found] == actions
    assert {each.kind for each in found} == {kind}


SIDES = st.lists(
    st.builds(
        chunk,
        st.sampled_from("abcdefgh"),
        st.sampled_from("12"),
        st.sampled_from([(), ("A",), ("B",)]),
    ),
    unique_by=lambda c: c.chunk_id,
)


@given(SIDES, SIDES, st.randoms())
def test_the_actions_turn_the_old_index_into_the_new_one(old, new, rnd):
    old, new = (
        [replace(each, chunk_order_index=number) for number, each in enumerate(side)]
        for side in (old, new)
    )
    actions = list(diff(old, new).actions)
    rnd.shuffle(actions)
    index = {each.chunk_id: each for each in old}
    vectors = {each.chunk_id: each.content for each in old}
    for action, chunk_id, _, held in actions:
        if action is Action.DELETE:
            del index[chunk_id], vectors[chunk_id]
            continue
        index[chunk_id] = held
        if action is Action.UPSERT:
            vectors[chunk_id] = held.content
    assert index == {each.chunk_id: each for each in new}
    assert vectors == {each.chunk_id: each.content for each in new}
    assert len({each.chunk_id for each in actions}) == len(actions)


@given(SIDES, SIDES)
def test_every_chunk_has_exactly_one_kind_of_change(old, new):
    found = diff(old, new).chunks
    assert sorted(each.old.chunk_id for each in found if each.old) == sorted(
        each.chunk_id for each in old
    )
    assert [each.new.chunk_id for each in found if each.new] == [each.chunk_id for each in new]
    unchanged = [each.old.chunk_id for each in found if each.kind is DiffKind.UNCHANGED]
    assert unchanged == [each.chunk_id for each in old if each.chunk_id in unchanged]


def report(edit=""):
    """Return a report of 200 sections in 20 chapters; `edit` changes section 7.3."""
    text = ""
    for n in range(20):
        text += f"<p style='Heading1'>Chapter {n}</p>"
        for k in range(10):
            sentences = "".join(
                f"<p>Sentence {i} of section {n}.{k} says what it says.</p>" for i in range(8)
            )
            text += (
                "<p style='Heading2'>Section "
                f"{n}.{k}</p>{sentences}{f'<p>{edit}</p>' if edit and (n, k) == (7, 3) else ''}"
            )
    return docxchunk.parse(docx(text), name="report.docx")


def test_an_edit_of_one_paragraph_changes_ids_only_among_its_siblings():
    old, new = (
        docxchunk.chunk(report(edit), max_tokens=500)
        for edit in ("", "One more sentence stands here, and it is of no weight.")
    )
    found = docxchunk.diff(old, new)
    touched = [each for each in found.chunks if each.kind is not DiffKind.UNCHANGED]
    assert touched
    assert all(
        "Chapter 7" in (each.heading, *each.parent_headings)
        for pair in touched
        for each in pair[1:]
        if each
    )
    assert len(found.of(DiffKind.UNCHANGED)) >= len(new) - 5
    assert {each.action for each in found.actions if each.kind is DiffKind.UNCHANGED} <= {
        Action.UPDATE
    }


def test_a_section_that_moves():
    blocks = [block(name, words(900, name), 1) for name in "ABCDE"]
    before, after = (
        chunked(document(*blocks), 1000).chunks,
        chunked(document(*blocks[1:], blocks[0]), 1000).chunks,
    )
    found = diff(before, after)
    assert [each.kind for each in found.chunks] == [*[DiffKind.UNCHANGED] * 4, DiffKind.MOVED]
    assert {each.action for each in found.actions} == {Action.UPDATE}


def ids(result):
    return [chunk.chunk_id for chunk in result.chunks]


def sections(edit=""):
    blocks = []
    for n in range(8):
        blocks.append(block(f"Part {n}", words(30), known=True))
        blocks += [
            block(
                f"C{n}.{k}",
                words(300, f"w{n}x{k}") + (edit if (n, k) == (3, 2) else ""),
                2,
                [f"Part {n}"],
            )
            for k in range(6)
        ]
    return document(*blocks)


def test_an_edit_stays_in_its_run_of_siblings():
    before, after = chunked(sections(), 1000), chunked(sections(" and one more"), 1000)
    changed = set(ids(before)) ^ set(ids(after))
    for chunk in (*before.chunks, *after.chunks):
        if chunk.chunk_id in changed:
            assert "Part 3" in (chunk.heading, *chunk.parent_headings)
    assert changed


def test_object_ids_paths_note_numbers_and_labels_do_not_change_the_id():
    def made(n):
        one = table(f"tb-doc-{n:04d}", [["a", "b"]])
        body = (
            f'{n}. item\n{tag(one)}\n<drawing id="im-{n}" format="png" caption="c" '
            f'path="x/image{n}.png" src="" /> text[^{n}].'
        )
        head = block(f"{n}.1 Terms", body)
        kinds = [LineKind.HEADING, LineKind.LIST, LineKind.TABLE, LineKind.TEXT]
        lines = tuple(
            Line(kind, number=label)
            for kind, label in zip(kinds, [f"{n}.1", f"{n}.", None, None], strict=True)
        )
        below = replace(block("Below", words(5), 2, [f"{n}.1 Terms"]), id="below")
        return document(replace(head, id="head", number=f"{n}.1", lines=lines), below, tables=[one])

    assert ids(chunked(made(1))) == ids(chunked(made(12)))


def numbered(content, *labels, name="b"):
    lines = tuple(Line(LineKind.LIST, number=label) for label in labels)
    return document(replace(block("", content, 0), id=name, lines=lines))


def test_the_id_is_a_hash_of_document_settings_path_and_text_without_labels():
    """The ids of equal chunks also have their number, from the second one on."""
    made = numbered("1. One.[^2]\n2. Two.\nSee # 3.", "1.", "2.", None)
    text = "\x1f".join(("doc-made", "settings", "A", "B", "", " One.\n Two.\nSee # 3."))
    first = _hash_of(text)
    ids_of = ChunkIds(made, "settings")
    parts = [Added("A > B", AddedRole.CONTEXT), Slice("b", 0, len(made.blocks[0].content))]
    assert [ids_of.of(["A", "B"], parts) for _ in range(3)] == [
        first,
        _hash_of(f"{first}\x1f2"),
        _hash_of(f"{first}\x1f3"),
    ]


def _hash_of(text):
    return "chunk-" + hashlib.sha256(text.encode()).hexdigest()[:32]


def test_duplicates_have_ids_of_their_own():
    twins = [replace(block("A", words(1600)), id=f"twin-{n}") for n in range(3)]
    assert len(set(ids(chunked(document(*twins))))) == 3


@settings(max_examples=some(40), deadline=None)
@given(
    recipes=hypothesis_strategies.RECIPES,
    size=st.integers(128, 3000),
    strategy=st.sampled_from([P(), R()]),
)
def test_ids_do_not_depend_on_block_ids(recipes, size, strategy):
    made = hypothesis_strategies.build(recipes)
    renamed = replace(
        made, blocks=tuple(replace(each, id=f"other-{n}") for n, each in enumerate(made.blocks))
    )
    assert ids(run(made, strategy, ChunkLimits(size), WORDS)) == ids(
        run(renamed, strategy, ChunkLimits(size), WORDS)
    )
