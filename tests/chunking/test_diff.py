"""Chunk ids, the differences of two chunkings, and the actions that update an index."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from chunking.makers import WORDS, block, chunked, document, table, tag, words
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

import docxchunk
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.chunking.diff import Action, ChunkDiff, ChunkIds, Diff, DiffKind, diff
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


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abc", "abc", "a a b b c c"),
        ("", "ab", "- a - b"),
        ("ab", "", "a - b -"),
        ("abc", "axbc", "a a - x b b c c"),
        ("abc", "ac", "a a b - c c"),
        ("abc", "axc", "a a b x c c"),
        ("abcd", "acdb", "a a c c d d b b"),
        ("abc", "axyc", "a a b x - y c c"),
    ],
)
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


def test_the_same_heading_path_comes_before_the_same_parents():
    assert kinds(heads("a1 b2"), heads("x2 y3")) == [("changed", "b", "x"), ("changed", "a", "y")]
    assert kinds([chunk("a", "H [part 2]")], [chunk("b", "Other"), chunk("c", "H [part 1]")]) == [
        ("added", None, "b"),
        ("changed", "a", "c"),
    ]
    assert kinds([chunk("a", parents=["A"])], [chunk("b", parents=["B"])]) == [
        ("removed", "a", None),
        ("added", None, "b"),
    ]


def test_the_same_text_under_another_heading_has_changed():
    old, new = chunk("a", parents=["A"], content="x"), chunk("b", parents=["B"], content="x")
    assert kinds([old], [new]) == [("changed", "a", "b")]


def test_chunks_are_paired_by_path_before_parents_before_text():
    """Each old chunk is paired once, the first one first."""
    removed = [
        chunk("a", "1", ["A"], "same"),
        chunk("b", "2", ["A"]),
        chunk("c", "3", ["B"]),
        chunk("d", "2", ["A"]),
        chunk("e", "9", ["C"]),
    ]
    added = [
        chunk("s", "7", ["D"], "same"),
        chunk("t", "3", ["A"]),
        chunk("u", "2", ["A"]),
        chunk("v", "2", ["A"]),
        chunk("w", "2", ["A"]),
        chunk("x", "3", ["B"]),
    ]
    assert kinds(removed, added) == [
        ("removed", "e", None),
        ("added", None, "s"),
        ("changed", "a", "t"),
        ("changed", "b", "u"),
        ("changed", "d", "v"),
        ("added", None, "w"),
        ("changed", "c", "x"),
    ]


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


def test_a_unit_is_embedded_again_if_the_text_to_search_has_changed():
    old, new = (unit("a", UnitKind.ROW, index_text=text) for text in ("Item: 1", "Price: 1"))
    assert [each.action for each in diff([old], [new]).actions] == [Action.UPSERT]
    assert diff([old], [old]).actions == ()


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


@pytest.mark.parametrize("kind", [DiffKind.MOVED, DiffKind.UNCHANGED])
def test_a_chunk_in_another_place_is_updated_if_its_record_differs(kind):
    old = chunk("a", order=1)
    assert Diff((ChunkDiff(kind, old, old),)).actions == ()
    (action,) = Diff((ChunkDiff(kind, old, new := chunk("a", order=2)),)).actions
    assert action == (Action.UPDATE, "a", kind, new)
    assert (action.chunk_id, action.chunk) == ("a", new)  # their names in 0.2


def test_changed_text_with_the_same_id_is_embedded_again():
    found = diff([chunk("a", content="1.1 Terms")], [chunk("a", content="1.2 Terms")])
    assert [each.kind for each in found.chunks] == [DiffKind.CHANGED]
    assert [(each.action, each.chunk_id) for each in found.actions] == [(Action.UPSERT, "a")]


def test_text_that_differs_only_in_tags_is_not_embedded_again():
    tag = (
        '<drawing id="im-1-000{}" format="png" caption="" path="{}.blocks.assets/image1.png" '
        'src="" />'
    )
    found = diff(
        [chunk("a", content=tag.format(1, "old"))], [chunk("a", content=tag.format(2, "new"))]
    )
    assert [each.kind for each in found.chunks] == [DiffKind.UNCHANGED]
    assert [(each.action, each.chunk_id) for each in found.actions] == [(Action.UPDATE, "a")]


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


@given(SIDES)
def test_equal_chunks_are_unchanged(chunks):
    found = diff(chunks, chunks)
    assert {each.kind for each in found.chunks} <= {DiffKind.UNCHANGED}
    assert found.actions == ()


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


def test_documents_are_chunked_and_iterators_are_read_once():
    old, new = (
        docxchunk.parse(docx(f"<p style='Heading1'>A</p><p>{text}</p>"), name="a.docx")
        for text in ("one", "two")
    )
    expected = docxchunk.diff(docxchunk.chunk(old), docxchunk.chunk(new))
    assert [each.kind for each in expected.chunks] == [DiffKind.CHANGED]
    assert (
        docxchunk.diff(old, new)
        == docxchunk.diff(iter(old.chunks()), iter(new.chunks()))
        == expected
    )


@pytest.mark.parametrize("wrong", [None, 3, "a.docx", [{"content": "x"}]])
def test_what_is_no_chunks_is_refused(wrong):
    with pytest.raises(
        docxchunk.UsageError,
        match=r"^new is of the type [a-zA-Z]+; it must be a Document, its chunks or its units",
    ):
        docxchunk.diff([], wrong)


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


def id_of_slice(made, start, end=None, path=()):
    (one,) = made.blocks
    part = Slice(one.id, start, len(one.content) if end is None else end)
    return ChunkIds(made, "settings").of(path, [part])


@pytest.mark.parametrize(
    ("content", "labels", "same", "other_labels"),
    [
        ("1. One.", ["1."], "12. One.", ["12."]),
        ("1. One.\n2. Two.", ["1.", "2."], "7. One.\n8. Two.", ["7.", "8."]),
        ("One.\n1. Two.", [None, "1."], "One.\n2. Two.", [None, "2."]),
        ("# 1 One\n2. Two.", ["1", "2."], "# 3 One\n4. Two.", ["3", "4."]),
        ("a) One.\nTwo.", ["a)", None], "b) One.\nTwo.", ["b)", None]),
        ("1. Use # here.", ["1."], "2. Use # here.", ["2."]),
    ],
)
def test_labels_are_no_part_of_the_id(content, labels, same, other_labels):
    one, other = numbered(content, *labels), numbered(same, *other_labels, name="other")
    assert id_of_slice(one, 0) == id_of_slice(other, 0)
    typed = numbered(content), numbered(same)
    assert id_of_slice(typed[0], 0) != id_of_slice(typed[1], 0)


def test_only_the_label_of_a_line_at_its_start_is_no_part_of_the_id():
    one = numbered("1. See 1. and x 1.\n1. Two.", "1.", None)
    assert id_of_slice(one, 0) == id_of_slice(numbered(" See 1. and x 1.\n1. Two."), 0)
    assert id_of_slice(numbered("One 7.", "7."), 0) == id_of_slice(numbered("One 7."), 0)


@pytest.mark.parametrize(("start", "end"), [(0, 8), (9, 17), (18, None), (9, None), (0, 17)])
def test_the_id_depends_only_on_the_text_of_the_chunk(start, end):
    """The lines before and after it are in the same block."""
    one = numbered("1. Alpha\n2. Gamma\n3. Delta", "1.", "2.", "3.")
    text = one.blocks[0].content[start:end]
    labels = [line.split()[0] for line in text.split("\n")]
    assert id_of_slice(one, start, end) == id_of_slice(numbered(text, *labels), 0)


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_records_that_are_not_those_of_the_lines_are_no_error(count):
    """Other programs may write more or fewer records than lines."""
    made = numbered("1. One.\n2. Two.\n3. Three.", *(f"{n}." for n in range(1, count + 1)))
    assert [chunk.content for chunk in chunked(made).chunks] == ["1. One.\n2. Two.\n3. Three."]


def test_the_label_of_a_heading_is_no_part_of_the_path():
    def made(number, *, typed=False):
        terms = replace(
            block(f"{number} Terms", "text"), id="terms", number="" if typed else number
        )
        return document(terms)

    def found(made):
        return ChunkIds(made, "s").of([made.blocks[0].heading, "Other"], [])

    assert found(made("1.")) == found(made("12."))
    assert found(made("1.", typed=True)) != found(made("12.", typed=True))


def test_tags_are_compared_without_ids_and_paths_and_other_text_with_them():
    def found(text):
        return id_of_slice(numbered(text), 0)

    picture = '<drawing id="{}" format="png" caption="{}" path="{}" src="" />'
    assert found(picture.format("a", "c", "x.png")) == found(picture.format("b", "c", "y.png"))
    assert found(picture.format("a", "c", "x.png")) != found(picture.format("a", "d", "x.png"))
    escaped = '<table id="t" format="json">[["<drawing id=\\"{0}\\" path=\\"{0}\\" />"]]</table>'
    assert found(escaped.format("a")) == found(escaped.format("b"))
    assert found('Type id="a" here <b>') != found('Type id="b" here <b>')
    assert found("Text.[^1] More.") == found("Text.[^12] More.") == found("Text. More.")
    assert found("Text.[^1 2]") != found("Text.")


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


def test_changed_words_change_the_id():
    assert ids(chunked(document(block("A", "one")))) != ids(chunked(document(block("A", "two"))))
    assert ids(chunked(document(block("A", "one")))) != ids(chunked(document(block("B", "one"))))
    assert ids(chunked(document(block("A", "one")))) != ids(
        chunked(document(block("A", "one")), 1000)
    )


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
