"""Law 12: an edit in one section changes the ids of its own chunks only."""

from __future__ import annotations

from dataclasses import replace

from chunking.makers import WORDS, block, chunked, document, table, tag, words
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.model.blocks import Line, LineKind
from docxchunk.testing import hypothesis_strategies


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
